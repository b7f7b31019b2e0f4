"""Laws of floats."""
