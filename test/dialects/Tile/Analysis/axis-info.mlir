// RUN: tegula-opt --no-plugins %s -split-input-file -verify-diagnostics -tile-test-axis-info

func.func @arguments(
    // expected-remark @below {{contiguity = [1], divisibility = [16], constancy = [1]}}
    %p: !tile.ptr<f32> {tile.divisibility = 16 : i32},
    // expected-remark @below {{contiguity = [1], divisibility = [4], constancy = [1]}}
    %n: i32 {tile.divisibility = 12 : i32},
    // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [1]}}
    %m: i32, %x: f32) {
  return
}

// -----

// The pointers of a block of contiguous elements.
// expected-remark @below {{divisibility = [16]}}
func.func @block(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}) {
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [1]}}
  %pid = tile.program_id 0 : i32
  // expected-remark @below {{divisibility = [64], constancy = [1], constant = 64}}
  %c = arith.constant 64 : i32
  // expected-remark @below {{contiguity = [1], divisibility = [64], constancy = [1]}}
  %s = arith.muli %pid, %c : i32
  // expected-remark @below {{contiguity = [64], divisibility = [2147483648], constancy = [1]}}
  %r = tile.range 0 to 64 : tensor<64xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [64], constancy = [64]}}
  %t = tile.splat %s : i32 -> tensor<64xi32>
  // expected-remark @below {{contiguity = [64], divisibility = [64], constancy = [1]}}
  %o = arith.addi %t, %r : tensor<64xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [16], constancy = [64]}}
  %b = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  // expected-remark @below {{contiguity = [64], divisibility = [16], constancy = [1]}}
  %q = tile.addptr %b, %o : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  return
}

// -----

// Masks against a size that is a multiple of 16 are constant in runs of 16.
// expected-remark @below {{divisibility = [16]}}
func.func @mask(%n: i32 {tile.divisibility = 16 : i32}) {
  // expected-remark @below {{contiguity = [64]}}
  %r = tile.range 0 to 64 : tensor<64xi32>
  // expected-remark @below {{constancy = [64]}}
  %t = tile.splat %n : i32 -> tensor<64xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [16]}}
  %m = arith.cmpi slt, %r, %t : tensor<64xi32>
  // expected-remark @below {{constancy = [1]}}
  %e = arith.cmpi eq, %r, %t : tensor<64xi32>
  return
}

// -----

func.func @quotients() {
  // expected-remark @below {{contiguity = [64], divisibility = [2147483648]}}
  %r = tile.range 0 to 64 : tensor<64xi32>
  // expected-remark @below {{divisibility = [8], constancy = [64], constant = 8}}
  %c = arith.constant dense<8> : tensor<64xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [8]}}
  %d = tile.div signed %r, %c : tensor<64xi32>
  // expected-remark @below {{contiguity = [8], divisibility = [8], constancy = [1]}}
  %m = tile.rem signed %r, %c : tensor<64xi32>
  // expected-remark @below {{contiguity = [64], divisibility = [64]}}
  %n = tile.range -64 to 0 : tensor<64xi32>
  // Below zero the signed remainder starts anew after each multiple.
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [1]}}
  %o = tile.rem signed %n, %c : tensor<64xi32>
  return
}

// -----

// Rows and columns of a matrix of unknown stride.
// expected-remark @below {{divisibility = [1]}}
func.func @matrix(%stride: i32) {
  // expected-remark @below {{contiguity = [8]}}
  %r = tile.range 0 to 8 : tensor<8xi32>
  // expected-remark @below {{contiguity = [8, 1], divisibility = [2147483648, 1], constancy = [1, 1]}}
  %e = tile.expand_dims %r axis 1 : tensor<8xi32> -> tensor<8x1xi32>
  // expected-remark @below {{constancy = [8, 1]}}
  %s = tile.splat %stride : i32 -> tensor<8x1xi32>
  // expected-remark @below {{contiguity = [1, 1], divisibility = [1, 1], constancy = [1, 1]}}
  %o = arith.muli %e, %s : tensor<8x1xi32>
  // expected-remark @below {{constancy = [1, 4]}}
  %b = tile.broadcast %o : tensor<8x1xi32> -> tensor<8x4xi32>
  // expected-remark @below {{contiguity = [4]}}
  %c = tile.range 0 to 4 : tensor<4xi32>
  // expected-remark @below {{contiguity = [1, 4]}}
  %f = tile.expand_dims %c axis 0 : tensor<4xi32> -> tensor<1x4xi32>
  // expected-remark @below {{contiguity = [1, 4], divisibility = [1, 2147483648], constancy = [8, 1]}}
  %g = tile.broadcast %f : tensor<1x4xi32> -> tensor<8x4xi32>
  // expected-remark @below {{contiguity = [1, 4], divisibility = [1, 1], constancy = [1, 1]}}
  %a = arith.addi %b, %g : tensor<8x4xi32>
  // expected-remark @below {{contiguity = [4, 1], divisibility = [1, 1], constancy = [1, 1]}}
  %t = tile.transpose %a order [1, 0] : tensor<8x4xi32> -> tensor<4x8xi32>
  return
}

// -----

// What the loop keeps; the induction variable starts and steps by 4.
// expected-remark @below {{divisibility = [16]}}
func.func @loop(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}) {
  // expected-remark @below {{divisibility = [8], constancy = [1], constant = 8}}
  %lower = arith.constant 8 : i32
  // expected-remark @below {{constant = 100}}
  %upper = arith.constant 100 : i32
  // expected-remark @below {{constant = 4}}
  %step = arith.constant 4 : i32
  // expected-remark @below {{divisibility = [2], constancy = [1], constant = 2}}
  %two = arith.constant 2 : i32
  // expected-remark @below {{divisibility = [8]}}
  %r = scf.for
      // expected-remark @below {{contiguity = [1], divisibility = [4], constancy = [1]}}
      %i = %lower to %upper step %step
      // expected-remark @below {{contiguity = [1], divisibility = [8], constancy = [1]}}
      iter_args(%q = %p) -> (!tile.ptr<f32>) : i32 {
    // expected-remark @below {{divisibility = [8]}}
    %n = tile.addptr %q, %two : !tile.ptr<f32>, i32
    scf.yield %n : !tile.ptr<f32>
  }
  return
}

// -----

// Code that is never reached has no facts; promises of the author are facts.
// expected-remark @below {{divisibility = [1]}}
func.func @hints(%x: tensor<16xi32>) {
  // expected-remark @below {{contiguity = [8], divisibility = [32], constancy = [1]}}
  %h = tile.hint %x {contiguity = array<i64: 8>, divisibility = array<i64: 32>} : tensor<16xi32>
  // expected-remark @below {{constant = 0}}
  %false = arith.constant false
  scf.if %false {
    %y = tile.program_id 0 : i32
  }
  return
}

// -----

// A remainder of what the author promises not to be negative keeps runs.
// expected-remark @below {{divisibility = [1]}}
// expected-remark @below {{divisibility = [16]}}
func.func @assumed(%pid: i32, %n: i32 {tile.divisibility = 16 : i32}) {
  // expected-remark @below {{constant = 0}}
  %zero = arith.constant 0 : i32
  // expected-remark @below {{constant = 64}}
  %c = arith.constant 64 : i32
  // expected-remark @below {{divisibility = [64]}}
  %s = arith.muli %pid, %c : i32
  // expected-remark @below {{contiguity = [1]}}
  %q = arith.cmpi sge, %s, %zero : i32
  tile.assume %q : i1
  // expected-remark @below {{contiguity = [64]}}
  %r = tile.range 0 to 64 : tensor<64xi32>
  // expected-remark @below {{constancy = [64]}}
  %t = tile.splat %s : i32 -> tensor<64xi32>
  // expected-remark @below {{contiguity = [64], divisibility = [64], constancy = [1]}}
  %o = arith.addi %t, %r : tensor<64xi32>
  // expected-remark @below {{constancy = [64]}}
  %m = tile.splat %n : i32 -> tensor<64xi32>
  // expected-remark @below {{contiguity = [16], divisibility = [16], constancy = [1]}}
  %y = tile.rem signed %o, %m : tensor<64xi32>
  return
}
