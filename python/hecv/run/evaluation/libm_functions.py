"""Implementations for runs of the functions that have only a name here (`theory.uninterpreted`).

They are what MLIR's own execution calls on this machine: the C library's function in f32 or f64; narrower formats use
the one in f32. No literal is folded by them; what one run of a function without inputs proves rests on them, and says
so (`library-constants`).
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from functools import cache
from typing import Any, Final

from hecv.run.evaluation.softfloat import FORMATS, ROUND, fdiv_zero

UNARY: Final = (
    *("acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "cos", "cosh", "erf", "erfc", "exp", "exp2", "expm1"),
    *("log", "log10", "log1p", "log2", "sin", "sinh", "tan", "tanh"),
)
BINARY: Final = ("atan2", "pow")
Instance = Callable[..., float]


def library_name() -> str:
    """Name and version of the C library of this machine: `glibc 2.36`."""
    return os.confstr("CS_GNU_LIBC_VERSION") or "the C library"


@cache
def _library() -> ctypes.CDLL:
    return ctypes.CDLL("libm.so.6")


def _function(name: str, operands: int, format_name: str) -> Instance:
    """The function of the C library, loaded at the first call."""
    single = format_name != "f64"
    kind = ctypes.c_float if single else ctypes.c_double
    found: list[Any] = []

    def call(*values: float) -> float:
        if not found:
            symbol: Any = getattr(_library(), f"{name}f" if single else name)
            symbol.argtypes, symbol.restype = [kind] * operands, kind
            found.append(symbol)
        return found[0](*values)

    if format_name in ("f32", "f64"):
        return call
    narrow = ROUND[format_name]
    return lambda *values: narrow(call(*values))


def _divide(left: float, right: float) -> float:
    return left / right if right else fdiv_zero(left, right)


def _powi(format_name: str) -> Instance:
    """The power by squaring, rounded after each product.

    Cites: MLIR, convert-math-to-funcs, `__mlir_math_fpowi_*`.
    """
    narrow = ROUND.get(format_name, float)

    def powi(base: float, exponent: int, width: int) -> float:
        if exponent == 0:
            return 1.0
        least = exponent == -(1 << (width - 1))
        left = (1 << (width - 1)) - 1 if least else abs(exponent)
        result, square = 1.0, base
        while True:
            if left & 1:
                result = narrow(result * square)
            left >>= 1
            if left == 0:
                break
            square = narrow(square * square)
        result = narrow(result * base) if least else result
        return narrow(_divide(1.0, result)) if exponent < 0 else result

    return powi


INSTANCES: Final[dict[str, Instance]] = {
    **{f"{n}_{f}": _function(n, 1, f) for n in UNARY for f in FORMATS},
    **{f"{n}_{f}": _function(n, 2, f) for n in BINARY for f in FORMATS},
    **{f"powi_{f}": _powi(f) for f in FORMATS},
    "fma_f64": _function("fma", 3, "f64"),
}
"""Implementations by name and format. `fma` is IEEE-754's, and so has exactly one: the C library's is exact."""
