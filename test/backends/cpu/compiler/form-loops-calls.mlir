// RUN: tegula-opt %s -cpu-form-loops="vector-bits=128" -split-input-file | FileCheck %s
// RUN: tegula-opt %s -cpu-form-loops -cpu-plan-scratch -cpu-lower-kernel -split-input-file | FileCheck %s --check-prefix=ENTRY

// A tile goes to the runtime as a whole, with a constant that describes it.
// CHECK:       llvm.mlir.global internal constant @tile_record_0("{{.*}} x: ")
// CHECK-LABEL: func.func @print
// CHECK:       llvm.mlir.addressof @tile_record_0
// CHECK:       %[[DATA:.*]] = tile_cpu.alloc 256
// CHECK:       scf.for
// CHECK:       %[[PROGRAM:.*]] = tile_cpu.program
// CHECK:       tile_cpu.context
// CHECK:       llvm.call %{{.*}}(%{{.*}}, %[[PROGRAM]], %{{.*}}, %[[DATA]])
// ENTRY-LABEL: func.func @print(
// ENTRY:       llvm.getelementptr %arg3[16]
// ENTRY:       llvm.call %{{.*}}(%arg3, %arg1,
func.func @print() attributes {tile.kernel} {
  %r = tile.range 0 to 64 : tensor<64xi32>
  tile.print " x: " (%r) signs [true] : tensor<64xi32>
  return
}

// -----

// CHECK-LABEL: func.func @print_none
// CHECK:       %[[NONE:.*]] = llvm.mlir.zero
// CHECK:       llvm.call %{{.*}}(%{{.*}}, %{{.*}}, %{{.*}}, %[[NONE]])
func.func @print_none() attributes {tile.kernel} {
  tile.print " here" () signs []
  return
}

// -----

// One pass over the condition; the runtime is called where it does not hold.
// CHECK-LABEL: func.func @assert
// CHECK:       scf.for {{.*}} iter_args
// CHECK:         arith.andi
// CHECK:       %[[ALL:.*]] = arith.cmpi ne
// CHECK:       %[[FAILS:.*]] = arith.xori %[[ALL]]
// CHECK:       scf.if %[[FAILS]]
// CHECK:         llvm.call
func.func @assert(%n: i32) attributes {tile.kernel} {
  %r = tile.range 0 to 64 : tensor<64xi32>
  %ns = tile.splat %n : i32 -> tensor<64xi32>
  %m = arith.cmpi slt, %r, %ns : tensor<64xi32>
  tile.assert %m, "too large" : tensor<64xi1>
  return
}

// -----

// What always holds costs nothing.
// CHECK-LABEL: func.func @assert_true
// CHECK-NOT:   llvm.call
func.func @assert_true() attributes {tile.kernel} {
  %t = arith.constant true
  tile.assert %t, "never" : i1
  return
}
