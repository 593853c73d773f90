// RUN: tegula-opt --no-plugins %s -split-input-file -verify-diagnostics

// tile_scan_c1
func.func @scan_none(%i: i32) {
  // expected-error @below {{'tile.scan' op expected at least one operand, got none [tile_scan_c1]}}
  tile.scan () axis 0 : () -> () {
    tile.yield %i : i32
  }
  return
}

// -----

// tile_scan_c1
// expected-note @below {{operand made here}}
func.func @scan_shapes(%x: tensor<8xi32>, %y: tensor<4xi32>) {
  // expected-error @below {{'tile.scan' op expected operands of shape [8], got [4] [tile_scan_c1]}}
  %s:2 = tile.scan (%x, %y) axis 0 : (tensor<8xi32>, tensor<4xi32>) -> (tensor<8xi32>, tensor<4xi32>) {
  ^bb0(%a: i32, %b: i32, %c: i32, %d: i32):
    tile.yield %a, %b : i32, i32
  }
  return
}

// -----

// tile_scan_c2
func.func @scan_axis(%x: tensor<8xi32>) {
  // expected-error @below {{'tile.scan' op expected an axis from 0 to 0, got 1 [tile_scan_c2]}}
  %s = tile.scan (%x) axis 1 : (tensor<8xi32>) -> tensor<8xi32> {
  ^bb0(%a: i32, %b: i32):
    tile.yield %a : i32
  }
  return
}

// -----

// tile_scan_c2
func.func @scan_rank(%x: tensor<i32>) {
  // expected-error @below {{'tile.scan' op expected operands of rank 1 or more, got rank 0 [tile_scan_c2]}}
  %s = tile.scan (%x) axis 0 : (tensor<i32>) -> tensor<i32> {
  ^bb0(%a: i32, %b: i32):
    tile.yield %a : i32
  }
  return
}

// -----

// tile_scan_c3
func.func @scan_results(%x: tensor<8xi32>) {
  // expected-error @below {{'tile.scan' op expected results ('tensor<8xi32>'), got ('tensor<4xi32>') [tile_scan_c3]}}
  %s = tile.scan (%x) axis 0 : (tensor<8xi32>) -> tensor<4xi32> {
  ^bb0(%a: i32, %b: i32):
    tile.yield %a : i32
  }
  return
}

// -----

// tile_scan_c4
func.func @scan_arguments(%x: tensor<8xi32>) {
  // expected-error @below {{'tile.scan' op expected a region with arguments ('i32', 'i32'), got ('i32') [tile_scan_c4]}}
  %s = tile.scan (%x) axis 0 : (tensor<8xi32>) -> tensor<8xi32> {
  ^bb0(%a: i32):
    tile.yield %a : i32
  }
  return
}

// -----

// tile_scan_c4
func.func @scan_yield(%x: tensor<8xi32>) {
  // expected-error @below {{'tile.scan' op expected a region that yields ('i32'), got ('i32', 'i32') [tile_scan_c4]}}
  %s = tile.scan (%x) axis 0 : (tensor<8xi32>) -> tensor<8xi32> {
  ^bb0(%a: i32, %b: i32):
    // expected-note @below {{yielded here}}
    tile.yield %a, %b : i32, i32
  }
  return
}

// -----

// tile_map_c1
func.func @map_none(%i: i32) {
  // expected-error @below {{'tile.map' op expected at least one operand, got none [tile_map_c1]}}
  tile.map () pack 1 : () -> () {
    tile.yield %i : i32
  }
  return
}

// -----

// tile_map_c1
func.func @map_shapes(%x: tensor<8xi32>) {
  // expected-error @below {{'tile.map' op expected operands and results of shape [8], got [4] [tile_map_c1]}}
  %y = tile.map (%x) pack 1 : (tensor<8xi32>) -> tensor<4xi32> {
  ^bb0(%a: i32):
    tile.yield %a : i32
  }
  return
}

// -----

// tile_map_c2
func.func @map_pack(%x: tensor<8xi32>) {
  // expected-error @below {{'tile.map' op expected a 'pack' that divides 8 elements, got 3 [tile_map_c2]}}
  %y = tile.map (%x) pack 3 : (tensor<8xi32>) -> tensor<8xi32> {
  ^bb0(%a: i32, %b: i32, %c: i32):
    tile.yield %a, %b, %c : i32, i32, i32
  }
  return
}

// -----

// tile_map_c3
func.func @map_arguments(%x: tensor<8xi32>) {
  // expected-error @below {{'tile.map' op expected a region with arguments ('i32', 'i32'), got ('i32') [tile_map_c3]}}
  %y = tile.map (%x) pack 2 : (tensor<8xi32>) -> tensor<8xi32> {
  ^bb0(%a: i32):
    tile.yield %a : i32
  }
  return
}

// -----

// tile_sort_c1
func.func @sort_none() {
  // expected-error @below {{'tile.sort' op expected at least one operand, got none [tile_sort_c1]}}
  tile.sort () axis 0 ascending signed : () -> ()
  return
}

// -----

// tile_sort_c2
func.func @sort_axis(%x: tensor<8xi32>) {
  // expected-error @below {{'tile.sort' op expected an axis from 0 to 0, got -1 [tile_sort_c2]}}
  %y = tile.sort (%x) axis -1 ascending signed : (tensor<8xi32>) -> tensor<8xi32>
  return
}

// -----

// tile_sort_c3
func.func @sort_results(%x: tensor<8xi32>) {
  // expected-error @below {{'tile.sort' op expected results ('tensor<8xi32>'), got ('tensor<8xi64>') [tile_sort_c3]}}
  %y = tile.sort (%x) axis 0 ascending signed : (tensor<8xi32>) -> tensor<8xi64>
  return
}

// -----

// tile_sort_c4
func.func @sort_pointers(%x: tensor<8x!tile.ptr<f32>>) {
  // expected-error @below {{'tile.sort' op expected keys of integers, f16, bf16, f32 or f64, got '!tile.ptr<f32>' [tile_sort_c4]}}
  %y = tile.sort (%x) axis 0 ascending signed : (tensor<8x!tile.ptr<f32>>) -> tensor<8x!tile.ptr<f32>>
  return
}

// -----

// tile_histogram_c1
func.func @histogram_mask(%x: tensor<8xi32>, %m: tensor<4xi1>) {
  // expected-error @below {{'tile.histogram' op expected a mask of the source's shape, got 'tensor<4xi1>' [tile_histogram_c1]}}
  %h = tile.histogram %x mask %m : tensor<8xi32>, tensor<4xi1> -> tensor<4xi32>
  return
}

// -----

// tile_join_c1
func.func @join(%x: tensor<8xf32>) {
  // expected-error @below {{'tile.join' op expected result 'tensor<8x2xf32>', got 'tensor<16xf32>' [tile_join_c1]}}
  %y = tile.join %x, %x : tensor<8xf32> -> tensor<16xf32>
  return
}

// -----

// tile_split_c1
func.func @split_last(%x: tensor<8x4xf32>) {
  // expected-error @below {{'tile.split' op expected a last dimension of 2, got 'tensor<8x4xf32>' [tile_split_c1]}}
  %a, %b = tile.split %x : tensor<8x4xf32> -> tensor<8xf32>
  return
}

// -----

// tile_split_c2
func.func @split_results(%x: tensor<8x2xf32>) {
  // expected-error @below {{'tile.split' op expected results 'tensor<8xf32>', got 'tensor<8xi32>' [tile_split_c2]}}
  %a, %b = tile.split %x : tensor<8x2xf32> -> tensor<8xi32>
  return
}

// -----

// tile_cat_c1
func.func @cat_axis(%x: tensor<8xf32>) {
  // expected-error @below {{'tile.cat' op expected an axis below 1, got 1 [tile_cat_c1]}}
  %y = tile.cat %x, %x axis 1 : tensor<8xf32>, tensor<8xf32> -> tensor<16xf32>
  return
}

// -----

// tile_cat_c2
func.func @cat_shapes(%x: tensor<8xf32>, %y: tensor<4xf32>) {
  // expected-error @below {{'tile.cat' op expected operands that add up to the result along axis 0, got 'tensor<8xf32>', 'tensor<4xf32>' and 'tensor<16xf32>' [tile_cat_c2]}}
  %z = tile.cat %x, %y axis 0 : tensor<8xf32>, tensor<4xf32> -> tensor<16xf32>
  return
}

// -----

// tile_gather_c1
func.func @gather_axis(%x: tensor<8xf32>, %i: tensor<4xi32>) {
  // expected-error @below {{'tile.gather' op expected an axis below 1, got -1 [tile_gather_c1]}}
  %z = tile.gather %x[%i] axis -1 : tensor<8xf32>, tensor<4xi32> -> tensor<4xf32>
  return
}

// -----

// tile_gather_c2
func.func @gather_indices(%x: tensor<8x4xf32>, %i: tensor<4x2xi32>) {
  // expected-error @below {{'tile.gather' op expected indices that agree with 'tensor<8x4xf32>' but along axis 0, got 'tensor<4x2xi32>' [tile_gather_c2]}}
  %z = tile.gather %x[%i] axis 0 : tensor<8x4xf32>, tensor<4x2xi32> -> tensor<4x2xf32>
  return
}

// -----

// tile_gather_c3
func.func @gather_result(%x: tensor<8xf32>, %i: tensor<4xi32>) {
  // expected-error @below {{'tile.gather' op expected result 'tensor<4xf32>', got 'tensor<8xf32>' [tile_gather_c3]}}
  %z = tile.gather %x[%i] axis 0 : tensor<8xf32>, tensor<4xi32> -> tensor<8xf32>
  return
}

// -----

// tile_slice_c1
func.func @slice_rank(%x: tensor<8xf32>) {
  // expected-error @below {{'tile.slice' op expected one offset and step per dimension of 'tensor<8xf32>', got 2 and 1 for 'tensor<4xf32>' [tile_slice_c1]}}
  %z = tile.slice %x at [0, 0] step [1] : tensor<8xf32> -> tensor<4xf32>
  return
}

// -----

// tile_slice_c2
func.func @slice_range(%x: tensor<8xf32>) {
  // expected-error @below {{'tile.slice' op expected elements within 8 along dimension 0, got offset 4 and step 2 [tile_slice_c2]}}
  %z = tile.slice %x at [4] step [2] : tensor<8xf32> -> tensor<4xf32>
  return
}

// -----

// tile_slice_c2
func.func @slice_far(%x: tensor<8xf32>) {
  // expected-error @below {{'tile.slice' op expected elements within 8 along dimension 0, got offset 1 and step 9223372036854775807 [tile_slice_c2]}}
  %z = tile.slice %x at [1] step [9223372036854775807] : tensor<8xf32> -> tensor<4xf32>
  return
}

// -----

// tile_extract_c1
func.func @extract_rank(%x: tensor<8xf32>) {
  // expected-error @below {{'tile.extract' op expected 1 indices, got 0 [tile_extract_c1]}}
  %z = tile.extract %x[] : tensor<8xf32> -> f32
  return
}

// -----

// tile_extract_c2
func.func @extract_result(%x: tensor<8xf32>, %i: i64) {
  // expected-error @below {{'tile.extract' op expected result 'f32', got 'f64' [tile_extract_c2]}}
  %z = tile.extract %x[%i] : tensor<8xf32> -> f64
  return
}

// -----

// tile_dot_scaled_c1
func.func @scaled_rank(%a: tensor<4xi8>, %c: tensor<4x4xf32>) {
  // expected-error @below {{'tile.dot_scaled' op expected operands of rank 2 or 3 alike, got ranks 1, 1 and 2 [tile_dot_scaled_c1]}}
  %d = tile.dot_scaled %a e4m3, %a e4m3, %c : tensor<4xi8>, tensor<4xi8>, tensor<4x4xf32>
  return
}

// -----

// tile_dot_scaled_c1
func.func @scaled_batch(%a: tensor<2x4x32xi8>, %b: tensor<3x32x4xi8>, %c: tensor<2x4x4xf32>) {
  // expected-error @below {{'tile.dot_scaled' op expected as many matrices in all operands, got 'tensor<2x4x32xi8>', 'tensor<3x32x4xi8>' and 'tensor<2x4x4xf32>' [tile_dot_scaled_c1]}}
  %d = tile.dot_scaled %a e4m3, %b e4m3, %c : tensor<2x4x32xi8>, tensor<3x32x4xi8>, tensor<2x4x4xf32>
  return
}

// -----

// tile_dot_scaled_c1
func.func @scaled_shape(%a: tensor<4x32xi8>, %b: tensor<32x4xi8>, %c: tensor<4x4xf32>) {
  // expected-error @below {{'tile.dot_scaled' op expected operands that multiply to 'tensor<4x4xf32>', got 4 x 64 and 32 x 4 [tile_dot_scaled_c1]}}
  %d = tile.dot_scaled %a e2m1, %b e4m3, %c : tensor<4x32xi8>, tensor<32x4xi8>, tensor<4x4xf32>
  return
}

// -----

// tile_dot_scaled_c1
func.func @scaled_rows(%a: tensor<4x32xi8>, %s: tensor<2x1xi8>, %b: tensor<32x4xi8>, %c: tensor<4x4xf32>) {
  // expected-error @below {{'tile.dot_scaled' op expected a scale of 4 rows and a divisor of 32 columns, got 'tensor<2x1xi8>' [tile_dot_scaled_c1]}}
  %d = tile.dot_scaled %a e4m3 scale %s, %b e4m3, %c
      : tensor<4x32xi8> scale tensor<2x1xi8>, tensor<32x4xi8>, tensor<4x4xf32>
  return
}

// -----

// tile_dot_scaled_c2
func.func @scaled_elements(%a: tensor<4x32xbf16>, %b: tensor<32x4xi8>, %c: tensor<4x4xf32>) {
  // expected-error @below {{'tile.dot_scaled' op expected operand elements of format e4m3, got 'bf16' [tile_dot_scaled_c2]}}
  %d = tile.dot_scaled %a e4m3, %b e4m3, %c : tensor<4x32xbf16>, tensor<32x4xi8>, tensor<4x4xf32>
  return
}

// -----

// tile_dot_scaled_c3
func.func @scaled_accumulator(%a: tensor<4x32xi8>, %b: tensor<32x4xi8>, %c: tensor<4x4xf16>) {
  // expected-error @below {{'tile.dot_scaled' op expected an accumulator of f32, got 'f16' [tile_dot_scaled_c3]}}
  %d = tile.dot_scaled %a e4m3, %b e4m3, %c : tensor<4x32xi8>, tensor<32x4xi8>, tensor<4x4xf16>
  return
}

// -----

// tile_dot_scaled_c4
func.func @scaled_groups(%a: tensor<4x32xi8>, %s: tensor<4x1xi8>, %t: tensor<4x2xi8>, %b: tensor<32x4xi8>, %c: tensor<4x4xf32>) {
  // expected-error @below {{'tile.dot_scaled' op expected scales with equal numbers of groups, got 1 and 2 [tile_dot_scaled_c4]}}
  %d = tile.dot_scaled %a e4m3 scale %s, %b e4m3 scale %t, %c
      : tensor<4x32xi8> scale tensor<4x1xi8>, tensor<32x4xi8> scale tensor<4x2xi8>, tensor<4x4xf32>
  return
}

// -----

// tile_inline_asm_c1
func.func @asm_shape(%x: tensor<8xi32>, %y: i32) {
  // expected-error @below {{'tile.inline_asm' op expected operands and results of one shape, got others [tile_inline_asm_c1]}}
  %z = tile.inline_asm "" constraints "" pack 1 (%x, %y) : (tensor<8xi32>, i32) -> i32
  return
}

// -----

// tile_inline_asm_c2
func.func @asm_pack(%x: tensor<8xi32>) {
  // expected-error @below {{'tile.inline_asm' op expected a positive 'pack', got 0 [tile_inline_asm_c2]}}
  %z = tile.inline_asm "" constraints "" pack 0 (%x) : (tensor<8xi32>) -> tensor<8xi32>
  return
}

// -----

// tile_extern_c1
func.func @extern_shape(%x: tensor<8xf32>) {
  // expected-error @below {{'tile.extern' op expected operands and a result of one shape, got others [tile_extern_c1]}}
  %z = tile.extern "f" library "" (%x) pure : (tensor<8xf32>) -> f32
  return
}

// -----

// tile_atomic_rmw_c1
// expected-note @below {{pointer made here}}
func.func @rmw_pointee(%p: !tile.ptr<f32>, %x: f64) {
  // expected-error @below {{'tile.atomic_rmw' op expected a value of 'f32' elements, got 'f64' [tile_atomic_rmw_c1]}}
  %z = tile.atomic_rmw fadd relaxed device %p, %x : !tile.ptr<f32>, f64
  return
}

// -----

// tile_atomic_rmw_c2
func.func @rmw_kind(%p: !tile.ptr<f32>, %x: f32) {
  // expected-error @below {{'tile.atomic_rmw' op expected elements that 'add' works on, got 'f32' [tile_atomic_rmw_c2]}}
  %z = tile.atomic_rmw add relaxed device %p, %x : !tile.ptr<f32>, f32
  return
}

// -----

// tile_atomic_cas_c1
func.func @cas_bool(%p: !tile.ptr<i1>, %x: i1) {
  // expected-error @below {{'tile.atomic_cas' op expected elements of 8 bits or more, got i1 [tile_atomic_cas_c1]}}
  %z = tile.atomic_cas relaxed device %p, %x, %x : !tile.ptr<i1>, i1
  return
}

// -----

// tile_print_c1
func.func @print_signs(%x: i32) {
  // expected-error @below {{'tile.print' op expected 1 entries in 'signs', got 0 [tile_print_c1]}}
  tile.print "x" (%x) signs [] : i32
  return
}
