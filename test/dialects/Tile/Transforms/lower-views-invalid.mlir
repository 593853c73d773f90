// RUN: tegula-opt --no-plugins %s -split-input-file -verify-diagnostics -tile-lower-views

// expected-error @below {{expected views made in the function that uses them, got one as an argument of 'argument' [tile-view-origin]}}
func.func @argument(%v: !tile.view<8xf32>, %i: i64) {
  %0 = tile.view_load %v[%i] checked [] : !tile.view<8xf32> -> tensor<8xf32>
  return
}

// -----

func.func @space(%p: !tile.ptr<f32, 3>, %n: i64) {
  // expected-error @below {{expected a view of global memory, got '!tile.ptr<f32, 3>' [tile-view-space]}}
  %v = tile.make_view %p shape [%n] strides [%n] pad zero : !tile.ptr<f32, 3> -> !tile.view<8xf32>
  return
}

// -----

func.func private @callee(!tile.view<8xf32>)
func.func @call(%p: !tile.ptr<f32>, %n: i64) {
  %v = tile.make_view %p shape [%n] strides [%n] pad zero : !tile.view<8xf32>
  // expected-error @below {{expected views to pass through scf only, got 'func.call' [tile-view-carrier]}}
  call @callee(%v) : (!tile.view<8xf32>) -> ()
  return
}
