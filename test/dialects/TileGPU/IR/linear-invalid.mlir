// RUN: tegula-opt %s -split-input-file -verify-diagnostics

// expected-error @below {{expected sizes that are powers of two, got 12 [tilegpu_linear_c1]}}
#sizes = #tilegpu.linear<12x8, lane = [[1, 0]]>

// -----

// expected-error @below {{expected a layout of at most 2^20 elements, got 2^22 [tilegpu_linear_c1]}}
#large = #tilegpu.linear<2048x2048>

// -----

// expected-error @below {{expected 2 coordinates within the sizes [tilegpu_linear_c2]}}
#outside = #tilegpu.linear<2x2, lane = [[2, 0]]>

// -----

// expected-error @below {{expected 2 coordinates within the sizes [tilegpu_linear_c2]}}
#rank = #tilegpu.linear<2x2, lane = [[1]]>

// -----

// expected-error @below {{expected register, lane, warp, block and repeat in this order, got 'thread' [tilegpu_linear_c2]}}
#name = #tilegpu.linear<2, thread = [[1]]>

// -----

// expected-error @below {{expected register, lane, warp, block and repeat in this order, got 'register' [tilegpu_linear_c2]}}
#order = #tilegpu.linear<2, lane = [[1]], register = [[0]]>

// -----

// expected-error @below {{expected every element to be held by some thread, got 2 of 4 [tilegpu_linear_c3]}}
#holes = #tilegpu.linear<4, lane = [[1], [1]]>

// -----

// expected-error @below {{expected a repetition of one of 1 dimensions, twice or more, got dimension 1, 3 times [tilegpu_linear_c4]}}
#dimension = #tilegpu.linear<2, lane = [[1]], repeat = [[register, 1, 3]]>

// -----

// expected-error @below {{expected a repetition of one of 1 dimensions, twice or more, got dimension 0, 1 times [tilegpu_linear_c4]}}
#count = #tilegpu.linear<2, lane = [[1]], repeat = [[register, 0, 1]]>

// -----

// expected-error @below {{expected repetitions that are neither bits of the map nor part of those before them [tilegpu_linear_c4]}}
#folded = #tilegpu.linear<2, lane = [[1]], repeat = [[register, 0, 4]]>

// -----

// expected-error @below {{expected register, lane, warp or block, got 'offset' [tilegpu_linear_c4]}}
#axis = #tilegpu.linear<2, lane = [[1]], repeat = [[offset, 0, 3]]>

// -----

#lanes = #tilegpu.linear<2, lane = [[1]], repeat = [[warp, 0, 3]]>
// expected-error @below {{expected a tensor of the layout's shape 6, got 8 [tilegpu_linear_c5]}}
func.func private @shape(tensor<8xf32, #lanes>)
