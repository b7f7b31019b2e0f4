"""Programs of known sizes, written out: each element that they compute as an expression over those they are given."""
