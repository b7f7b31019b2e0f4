"""Control flow: ops with regions, control flow graphs, calls, parallel loops, atomics."""
