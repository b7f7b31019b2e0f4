"""Pass pipelines that lower a module to the LLVM dialect, without the passes that the module does not need."""

from __future__ import annotations

from typing import Any, Final

from torch_mlir import ir

# The bindings are typed in small part.
IR: Any = ir

_TO_LOOPS: Final = """builtin.module(
    lower-affine, convert-linalg-to-loops, expand-realloc, memref-expand, lower-affine,
    scf-forall-to-for, func.func(lower-vector-multi-reduction), convert-vector-to-scf)"""
"""From affine, linalg and vector to loops.

`lower-affine` comes first: other passes fold ops as they go, and folding is wrong for some `affine.for` (MLIR takes
the bound `i mod 2` for 1).
"""

_LOOPING: Final = ("affine", "linalg", "memref", "scf", "vector")
"""The dialects that these passes lower."""

_PLAIN: Final = frozenset(
    f"{dialect}.{name}"
    for dialect, names in {
        "builtin": "module",
        "func": "func return call",
        "affine": "apply for if load max min parallel store yield",
        "memref": "alloc alloca cast copy dealloc dim get_global global load store",
        "scf": "condition execute_region for if index_switch parallel reduce reduce.return while yield",
        "cf": "assert br cond_br switch",
    }.items()
    for name in names.split()
)
"""Ops that, with all of arith, need only a few of the passes. The other passes have nothing to do, and on long code
each takes time to find that out."""

_OTHER_TYPES: Final = ("vector<", "complex<", "tensor<")
"""Types for which these ops are not plain."""


def to_loops(module: Any, text: str) -> str | None:
    """The passes from affine, linalg and vector to loops; None if the module has none of these. `text` is the
    printed module."""
    names = _plain(module, text)
    if names is not None:
        return "builtin.module(lower-affine)" if any(name.startswith("affine.") for name in names) else None
    return _TO_LOOPS if any(f"{dialect}." in text for dialect in _LOOPING) else None


def to_llvm(module: Any, text: str, index_width: int) -> str:
    """The passes from scf, vector, memref, math, index and arith to LLVM. `text` shows all types of the module."""
    index = f"{{index-bitwidth={index_width}}}"
    names = _plain(module, text)
    if names is not None and not any(name.startswith("affine.") for name in names):
        return f"""builtin.module(
            convert-scf-to-cf, arith-expand{{include-flush-denormals=1}}, finalize-memref-to-llvm{index},
            convert-arith-to-llvm{index}, convert-cf-to-llvm{index}, convert-func-to-llvm{index},
            reconcile-unrealized-casts)"""
    return f"""builtin.module(
        bufferization-lower-deallocations, convert-bufferization-to-memref, convert-scf-to-cf, expand-strided-metadata,
        lower-affine,
        math-expand-ops{{ops=rsqrt,clampf}}, convert-math-to-funcs, convert-math-to-libm,
        arith-expand{{include-flush-denormals=1}},
        convert-complex-to-llvm, convert-vector-to-llvm, finalize-memref-to-llvm{index}, convert-arith-to-llvm{index},
        convert-index-to-llvm{index}, convert-ub-to-llvm{index}, convert-cf-to-llvm{index},
        convert-func-to-llvm{index}, reconcile-unrealized-casts)"""


def _plain(module: Any, text: str) -> set[str] | None:
    """The names of the module's ops, if all of them are plain."""
    if any(kind in text for kind in _OTHER_TYPES):
        return None
    names: set[str] = set()

    def visit(op: Any) -> Any:
        names.add(op.name)
        return IR.WalkResult.ADVANCE

    module.operation.walk(visit)
    return names if all(name in _PLAIN or name.startswith("arith.") for name in names) else None
