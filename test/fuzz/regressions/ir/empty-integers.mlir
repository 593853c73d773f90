func.func @wide_products(%i: i0, %0: i64) -> (i0, i64) {
  %l, %h = arith.mului_extended %i, %i : i0
  %m, %n = arith.mului_extended %0, %0 : i64
  return %h, %n : i0, i64
}
