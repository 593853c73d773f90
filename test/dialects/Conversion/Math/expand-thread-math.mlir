// RUN: tegula-opt --no-plugins %s -expand-thread-math | FileCheck %s
// RUN: tegula-opt --no-plugins %s -expand-thread-math=exp2=true | FileCheck %s --check-prefix=EXP2

// One function for each mathematical function and type, called once per register.
// CHECK-LABEL: func.func @functions
// CHECK-NOT: math.log
// CHECK: %[[A:.+]] = vector.extract %arg0[0]
// CHECK: %[[X:.+]] = call @__tegula_log_f32_f32(%[[A]]) : (f32) -> f32
// CHECK: %[[B:.+]] = vector.extract %arg0[1]
// CHECK: %[[Y:.+]] = call @__tegula_log_f32_f32(%[[B]]) : (f32) -> f32
// CHECK: vector.from_elements %[[X]], %[[Y]] : vector<2xf32>
// CHECK: call @__tegula_log_f32_f32(%arg1)
// CHECK: call @__tegula_sin_f16_f16
// CHECK: call @__tegula_remf_f64_f64_f64
func.func @functions(%v: vector<2xf32>, %s: f32, %h: vector<1xf16>, %d: f64)
    -> (vector<2xf32>, f32, vector<1xf16>, f64) {
  %0 = math.log %v : vector<2xf32>
  %1 = math.log %s : f32
  %2 = math.sin %h : vector<1xf16>
  %3 = arith.remf %d, %d : f64
  return %0, %1, %2, %3 : vector<2xf32>, f32, vector<1xf16>, f64
}

// What is an instruction stays.
// CHECK-LABEL: func.func @instructions
// CHECK: math.sqrt %{{.*}} : vector<2xf32>
// CHECK: math.fma %{{.*}} : vector<2xf16>
// CHECK: arith.truncf %{{.*}} : vector<2xf32> to vector<2xf16>
// CHECK: call @__tegula_truncf_f32_f16_toward_zero
func.func @instructions(%v: vector<2xf32>, %h: vector<2xf16>, %s: f32)
    -> (vector<2xf32>, vector<2xf16>, vector<2xf16>, f16) {
  %0 = math.sqrt %v : vector<2xf32>
  %1 = math.fma %h, %h, %h : vector<2xf16>
  %2 = arith.truncf %v : vector<2xf32> to vector<2xf16>
  %3 = arith.truncf %s toward_zero : f32 to f16
  return %0, %1, %2, %3 : vector<2xf32>, vector<2xf16>, vector<2xf16>, f16
}

// With the instruction for 2^x, that of f32 stays and e^x is made of it.
// CHECK-LABEL: func.func @powers
// CHECK: call @__tegula_exp2_f32_f32
// EXP2-LABEL: func.func @powers
// EXP2: math.exp2 %arg0 : f32
// EXP2: call @__tegula_exp2_f64_f64
// EXP2: call @__tegula_exp_f32_f32
func.func @powers(%s: f32, %d: f64) -> (f32, f64, f32) {
  %0 = math.exp2 %s : f32
  %1 = math.exp2 %d : f64
  %2 = math.exp %s : f32
  return %0, %1, %2 : f32, f64, f32
}

// Of many registers at once: fewer instructions where no power is below the normal numbers.
// CHECK-LABEL: func.func @many_powers
// CHECK-NOT: scf.if
// CHECK-COUNT-8: call @__tegula_exp_f32_f32
// EXP2-LABEL: func.func @many_powers
// EXP2: %[[BITS:.+]] = arith.bitcast %arg0 : vector<8xf32> to vector<8xi32>
// EXP2-COUNT-7: arith.maxui
// EXP2: %[[LIMIT:.+]] = arith.constant -1028784128 : i32
// EXP2: %[[HIGH:.+]] = arith.cmpi ule, %{{.+}}, %[[LIMIT]] : i32
// EXP2: %[[NORMAL:.+]] = scf.if %[[HIGH]] -> (i1)
// EXP2: } else {
// EXP2-COUNT-7: arith.minui
// EXP2: arith.cmpi uge
// EXP2: scf.if %[[NORMAL]] -> (vector<8xf32>)
// EXP2: math.exp2 %{{.+}} {tegula.normal} : vector<8xf32>
// EXP2: } else {
// EXP2-COUNT-8: call @__tegula_exp_f32_f32
func.func @many_powers(%v: vector<8xf32>) -> vector<8xf32> {
  %0 = math.exp %v : vector<8xf32>
  return %0 : vector<8xf32>
}

// CHECK: func.func private @__tegula_log_f32_f32(%{{.*}}: f32) -> f32
// CHECK-NOT: math.log
// EXP2: func.func private @__tegula_exp_f32_f32
// EXP2: arith.mulf
// EXP2: math.fma
// EXP2: math.fma
// EXP2: arith.minnumf
// EXP2: math.exp2
// EXP2: math.fma
