"""Models written in Python, as MLIR: captured in a child process, with their parameters as arguments."""
