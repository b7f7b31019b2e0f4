"""Index arithmetic: quasi-affine terms, value ranges, and raising of `arith` to them."""
