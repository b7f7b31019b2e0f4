"""Laws of integers."""
