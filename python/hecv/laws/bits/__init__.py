"""Laws of bitwise operators, shifts and bit fields."""
