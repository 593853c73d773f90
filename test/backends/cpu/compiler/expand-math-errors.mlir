// RUN: tegula-opt %s -cpu-expand-math -split-input-file -verify-diagnostics

// math-vector-type
func.func @scalable(%x: vector<[4]xf32>) -> vector<[4]xf32> {
  // expected-error @below {{expected scalars and vectors of fixed size, got 'vector<[4]xf32>' [math-vector-type]}}
  %0 = math.exp %x : vector<[4]xf32>
  return %0 : vector<[4]xf32>
}

// -----

// math-vector-type
func.func @tensor(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{expected scalars and vectors of fixed size, got 'tensor<4xf32>' [math-vector-type]}}
  %0 = math.sin %x : tensor<4xf32>
  // expected-error @below {{expected scalars and vectors of fixed size, got 'tensor<4xf32>' [math-vector-type]}}
  %1 = math.cos %x : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// math-vector-type
func.func @unranked(%x: tensor<*xf16>) -> tensor<*xf16> {
  // expected-error @below {{expected scalars and vectors of fixed size, got 'tensor<*xf16>' [math-vector-type]}}
  %0 = math.exp %x : tensor<*xf16>
  return %0 : tensor<*xf16>
}
