"""Where MLIR developers are: runs of mlir-opt validated beside it, lit suites, and pairs of files with directives."""
