"""Code generation for the interpreter: Python source for a program graph."""
