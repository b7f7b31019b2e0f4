"""Index arithmetic: quasi-affine terms, ranges, raising of `arith` to them."""
