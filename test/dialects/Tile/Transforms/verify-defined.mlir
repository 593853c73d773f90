// RUN: tegula-opt --no-plugins %s -split-input-file -verify-diagnostics -tile-verify-defined

func.func @defined(%a: i32, %b: i32, %x: f32) -> i32 {
  %0 = tile.div signed %a, %b : i32
  %1 = tile.shl %0, %b : i32
  %2 = tile.fp_to_int signed %x : f32 -> i32
  %3 = arith.addi %1, %2 : i32
  return %3 : i32
}

// -----

func.func @bare_division(%a: tensor<4xi32>, %b: tensor<4xi32>, %i: index) {
  // expected-error @below {{expected tile.div, got arith.divsi, which is poison in its corner cases [tile-undefined-corner]}}
  %0 = arith.divsi %a, %b : tensor<4xi32>
  // expected-error @below {{expected tile.div, got arith.divui, which is poison in its corner cases [tile-undefined-corner]}}
  %1 = arith.divui %a, %b : tensor<4xi32>
  // expected-error @below {{expected tile.div, got arith.ceildivsi, which is poison in its corner cases [tile-undefined-corner]}}
  %2 = arith.ceildivsi %i, %i : index
  // expected-error @below {{expected tile.div, got arith.ceildivui, which is poison in its corner cases [tile-undefined-corner]}}
  %3 = arith.ceildivui %i, %i : index
  // expected-error @below {{expected tile.div, got arith.floordivsi, which is poison in its corner cases [tile-undefined-corner]}}
  %4 = arith.floordivsi %i, %i : index
  return
}

// -----

func.func @bare_remainder(%a: i32) {
  // expected-error @below {{expected tile.rem, got arith.remsi, which is poison in its corner cases [tile-undefined-corner]}}
  %0 = arith.remsi %a, %a : i32
  // expected-error @below {{expected tile.rem, got arith.remui, which is poison in its corner cases [tile-undefined-corner]}}
  %1 = arith.remui %a, %a : i32
  return
}

// -----

func.func @bare_shift(%x: tensor<4xi32>) {
  %0 = tile.reduce (%x) axis 0 : (tensor<4xi32>) -> i32 {
  ^bb0(%a: i32, %b: i32):
    // expected-error @below {{expected tile.shl, got arith.shli, which is poison in its corner cases [tile-undefined-corner]}}
    %l = arith.shli %a, %b : i32
    // expected-error @below {{expected tile.shr, got arith.shrsi, which is poison in its corner cases [tile-undefined-corner]}}
    %s = arith.shrsi %l, %b : i32
    // expected-error @below {{expected tile.shr, got arith.shrui, which is poison in its corner cases [tile-undefined-corner]}}
    %u = arith.shrui %s, %b : i32
    tile.yield %u : i32
  }
  return
}

// -----

func.func @bare_conversion(%x: f32) {
  // expected-error @below {{expected tile.fp_to_int, got arith.fptosi, which is poison in its corner cases [tile-undefined-corner]}}
  %0 = arith.fptosi %x : f32 to i32
  // expected-error @below {{expected tile.fp_to_int, got arith.fptoui, which is poison in its corner cases [tile-undefined-corner]}}
  %1 = arith.fptoui %x : f32 to i32
  return
}
