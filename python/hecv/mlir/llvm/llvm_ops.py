"""Ops of the dialect `llvm` on scalars, and the ops of `arith` and `math` that mean the same.

MLIR lowers the one to the other (`convert-arith-to-llvm`, `convert-math-to-llvm`), flag by flag. An op whose flags have
no counterpart is not in the table, nor is one that the other dialects cannot say: `llvm.freeze`, `llvm.mlir.undef`,
`or disjoint`, anything on pointers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from msgspec import Struct
from torch_mlir import ir

Flags = Mapping[str, str]
"""The inherent attributes of an op, as MLIR prints them; a unit attribute is empty."""

Converted = tuple[str, str] | None
"""An attribute by name, as MLIR reads it, or `UNIT`; None for one that says nothing."""

_SCALAR: Final = r"(?:i[1-9]\d*|f16|bf16|f32|f64)"
VALUE: Final = re.compile(rf"{_SCALAR}|vector<\d+x{_SCALAR}>")
"""The types whose values are raised."""

_FLAG: Final = re.compile(
    r"(\w+)(?: = (#[\w.]+<[^<>]*>|array<[^<>]*>|dense<[^<>]*> : [^,]*|@[\w.$]+|[^,<>{}]+))?(?:, |$)"
)
_OVERFLOW: Final = {"0": "none", "1": "nsw", "2": "nuw", "3": "nsw, nuw"}


UNIT: Final = "unit"


class Unraised(Exception):
    """An op that no other dialect says."""


class Counterpart(Struct, frozen=True):
    """The op that means the same, and how each attribute is said of it; one that is not listed has no counterpart."""

    name: str
    flags: Mapping[str, Callable[[str], Converted]] = {}


def flags_in(text: str) -> Flags:
    """The inherent attributes in what MLIR prints between `<{` and `}>`.

    Raises: Unraised if they are not plain.
    """
    found: dict[str, str] = {}
    at = 0
    while at < len(text):
        flag = _FLAG.match(text, at)
        if flag is None:
            raise Unraised
        found[flag[1]] = flag[2] or ""
        at = flag.end()
    return found


def _overflow(text: str) -> Converted:
    words = _OVERFLOW.get(text.partition(" ")[0])
    if words is None:
        raise Unraised
    return "overflowFlags", f"#arith.overflow<{words}>"


def _fastmath(text: str) -> Converted:
    return "fastmath", text.replace("#llvm.", "#arith.", 1)


def _predicate(text: str) -> Converted:
    return "predicate", text


def _unit(name: str) -> Callable[[str], Converted]:
    def said(text: str) -> Converted:
        if text:
            raise Unraised
        return name, UNIT

    return said


def only(*values: str) -> Callable[[str], Converted]:
    """An attribute that has no counterpart, and must say nothing."""

    def said(text: str) -> Converted:
        if text not in values:
            raise Unraised
        return None

    return said


_NO_FASTMATH: Final = {"fastmathFlags": only("#llvm.fastmath<none>")}
_WRAPS: Final = {"overflowFlags": _overflow}
_EXACT: Final = {"isExact": _unit("isExact")}
_FAST: Final = {"fastmathFlags": _fastmath}
_NONNEG: Final = {"nonNeg": _unit("nonNeg")}
_DEFINED_AT_ZERO: Final = {"is_zero_poison": only("false")}

_MATH_ON_FLOATS: Final = (
    "fabs sqrt fma copysign floor ceil trunc round roundeven exp exp2 log log2 log10 sin cos pow".split()  # noqa: SIM905
)
_MATH_NAMES: Final = {"fabs": "absf", "pow": "powf"}
_EXTREMA: Final = {"maximum": "maximumf", "minimum": "minimumf", "maxnum": "maxnumf", "minnum": "minnumf"}

COUNTERPARTS: Final[Mapping[str, Counterpart]] = {
    **{f"llvm.{n}": Counterpart(f"arith.{n}i", _WRAPS) for n in ("add", "sub", "mul")},
    "llvm.shl": Counterpart("arith.shli", _WRAPS),
    "llvm.sdiv": Counterpart("arith.divsi", _EXACT),
    "llvm.udiv": Counterpart("arith.divui", _EXACT),
    "llvm.lshr": Counterpart("arith.shrui", _EXACT),
    "llvm.ashr": Counterpart("arith.shrsi", _EXACT),
    "llvm.srem": Counterpart("arith.remsi"),
    "llvm.urem": Counterpart("arith.remui"),
    **{f"llvm.{n}": Counterpart(f"arith.{n}i") for n in ("and", "or", "xor")},
    "llvm.icmp": Counterpart("arith.cmpi", {"predicate": _predicate}),
    "llvm.fcmp": Counterpart("arith.cmpf", {"predicate": _predicate, **_FAST}),
    "llvm.select": Counterpart("arith.select", _NO_FASTMATH),
    **{f"llvm.f{n}": Counterpart(f"arith.{n}f", _FAST) for n in ("add", "sub", "mul", "div", "rem", "neg")},
    "llvm.sext": Counterpart("arith.extsi"),
    "llvm.zext": Counterpart("arith.extui", _NONNEG),
    "llvm.trunc": Counterpart("arith.trunci", _WRAPS),
    "llvm.fpext": Counterpart("arith.extf", _FAST),
    "llvm.fptrunc": Counterpart("arith.truncf", _FAST),
    "llvm.sitofp": Counterpart("arith.sitofp"),
    "llvm.uitofp": Counterpart("arith.uitofp", _NONNEG),
    "llvm.fptosi": Counterpart("arith.fptosi"),
    "llvm.fptoui": Counterpart("arith.fptoui"),
    "llvm.bitcast": Counterpart("arith.bitcast"),
    **{f"llvm.intr.{n}": Counterpart(f"arith.{n[1:]}{n[0]}i") for n in ("smax", "smin", "umax", "umin")},
    **{f"llvm.intr.{n}": Counterpart(f"arith.{to}", _FAST) for n, to in _EXTREMA.items()},
    **{f"llvm.intr.{n}": Counterpart(f"math.{_MATH_NAMES.get(n, n)}", _FAST) for n in _MATH_ON_FLOATS},
    "llvm.intr.abs": Counterpart("math.absi", {"is_int_min_poison": only("false")}),
    "llvm.intr.ctlz": Counterpart("math.ctlz", _DEFINED_AT_ZERO),
    "llvm.intr.cttz": Counterpart("math.cttz", _DEFINED_AT_ZERO),
    "llvm.intr.ctpop": Counterpart("math.ctpop"),
}
"""The ops that compute a value from values, by name."""


def converted(counterpart: Counterpart, flags: Flags) -> dict[str, str]:
    """The attributes of the counterpart, as MLIR reads them.

    Raises: Unraised if one has no counterpart.
    """
    found: dict[str, str] = {}
    for name, text in flags.items():
        said = counterpart.flags.get(name)
        if said is None:
            raise Unraised
        pair = said(text)
        if pair is not None:
            found[pair[0]] = pair[1]
    return found


def is_value(kind: ir.Type) -> bool:
    """True if values of this type are raised: scalars, and vectors of a known length."""
    return VALUE.fullmatch(str(kind)) is not None
