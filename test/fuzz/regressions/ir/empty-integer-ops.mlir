// RUN: tegula-opt --no-plugins %s -split-input-file -verify-diagnostics -tile-verify-defined

func.func @defined(%a: i0, %b: i0, %x: f32) -> i0 {
  %0 = tile.div signed %a, %b : i0
  %1 = tile.shl %0, %b : i0
  %2 = tile.fp_to_int signed %x : f32 -> i0
  %3 = arith.addi %1, %2 : i0
  return %3 : i0
}


