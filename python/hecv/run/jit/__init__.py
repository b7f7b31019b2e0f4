"""MLIR's JIT: a function lowered to LLVM, compiled, and called in a child process.

This is a second opinion, next to the interpreter, on what a function does. Everything that can go wrong stays in the
child (a compiler that crashes; compiled code that crashes, loops or allocates without end). The parent only forks,
waits, and reads plain data from a pipe. Linux only: `/proc`, `fork`.
"""

from hecv.run.jit.abi.jit_outcome import Diverged, Failed, Finished, JitOutcome
from hecv.run.jit.jit_process import Running, run, run_many, start

__all__ = ["Diverged", "Failed", "Finished", "JitOutcome", "Running", "run", "run_many", "start"]
