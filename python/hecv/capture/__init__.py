"""Capture of models written in Python: in a child process, as MLIR, with their parameters as arguments."""
