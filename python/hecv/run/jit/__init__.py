"""Runs a function by MLIR's own compiler: lowered to LLVM, compiled and called in a child process.

This is a second opinion, next to the interpreter, on what a function does. The child owns everything that can go wrong
(a compiler that crashes, compiled code that crashes, loops or allocates without end); the parent only forks, waits,
and reads plain data from a pipe. Linux only: `/proc`, `fork`.
"""

from hecv.run.jit.abi.jit_outcome import Diverged, Failed, Finished, JitOutcome
from hecv.run.jit.jit_process import Running, run, run_many, start

__all__ = ["Diverged", "Failed", "Finished", "JitOutcome", "Running", "run", "run_many", "start"]
