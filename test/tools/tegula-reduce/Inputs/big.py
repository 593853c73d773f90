# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes tile IR of some hundred operations with one bare division in a loop."""

print("""module attributes {tile.num_warps = 4 : i32} {
func.func private @helper(%x: i32) -> i32 {
  %0 = arith.addi %x, %x : i32
  return %0 : i32
}
func.func @other(%n: i32) -> i32 {
  %0 = func.call @helper(%n) : (i32) -> i32
  return %0 : i32
}
func.func @kernel(%in: !tile.ptr<i32> {tile.divisibility = 16 : i32}, %out: !tile.ptr<i32>,
                  %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %pid = tile.program_id 0 : i32
  %range = tile.range 0 to 64 : tensor<64xi32>
  %start = tile.splat %n : i32 -> tensor<64xi32>
  %v0 = arith.addi %range, %start : tensor<64xi32>""")
OPS = ("addi", "muli", "xori", "subi", "ori", "andi")
for i in range(1, 40):
    print(f"  %v{i} = arith.{OPS[i % 6]} %v{i - 1}, %range : tensor<64xi32>")
print("""  %sum = scf.for %i = %zero to %four step %one iter_args(%acc = %v39) -> tensor<64xi32> {
    %w0 = arith.addi %acc, %v7 : tensor<64xi32>""")
for i in range(1, 30):
    print(f"    %w{i} = arith.{OPS[i % 6]} %w{i - 1}, %v{i} : tensor<64xi32>")
print("""    %small = arith.cmpi slt, %w29, %range : tensor<64xi32>
    %bad = arith.divsi %w29, %w12 : tensor<64xi32>
    %some = arith.select %small, %bad, %w3 : tensor<64xi1>, tensor<64xi32>
    scf.yield %some : tensor<64xi32>
  }""")
for i in range(20):
    print(f"  %u{i} = arith.{OPS[i % 6]} {'%sum' if i == 0 else f'%u{i - 1}'}, %v{i} : "
          "tensor<64xi32>")
print("""  %base = tile.splat %out : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  %at = tile.addptr %base, %range : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  tile.store %at, %u19 : tensor<64x!tile.ptr<i32>>
  return
}
}""")
