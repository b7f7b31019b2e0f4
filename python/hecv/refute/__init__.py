"""The search for a counterexample: inputs, runs of both sides, shrinking, and the second opinion."""
