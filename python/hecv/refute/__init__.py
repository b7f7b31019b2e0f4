"""The search for a counterexample: inputs, runs of both sides, shrinking, and confirmation by MLIR's JIT."""
