"""What the bodies of patterns and rules are written with, traced along all of their paths."""
