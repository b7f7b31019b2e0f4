"""Float modes (`--fp`) and fast-math flags: what a float op may compute other than its own semantics.

`reassoc`, as a flag or as a mode, licenses association and commutation of sums (`addf`, and `subf` as the sum with the
negated second operand) and of products (`mulf`), and nothing else. The sign of a zero, infinities and NaN stay those of
IEEE arithmetic, which neither order nor grouping changes. To regroup a chain, all of its ops need the licence.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal

from hecv.base.term import Attributes

FloatMode = Literal["strict", "reassoc", "real"]
"""`--fp`: IEEE-754 op by op; sums and products in any order; arithmetic over the reals."""

POISONING: Final = frozenset({"nnan", "ninf"})
"""Flags that make poison and license no other value."""

LICENCES: Final = frozenset({"reassoc", "nsz", "arcp", "contract", "afn"})
"""Flags under which a float op may compute something else than its semantics says."""

EVERY: Final = LICENCES | POISONING
"""All flags, as `fast` sets."""

IMPLIED: Final[dict[FloatMode, frozenset[str]]] = {
    "strict": frozenset(),
    "reassoc": frozenset({"reassoc"}),
    "real": LICENCES,
}
"""The licences that a mode gives to every op."""

_FLAGGED: Final = ("fastmath", "overflow", "exact", "nneg", "disjoint")


def flags_of(attributes: Attributes) -> frozenset[str]:
    """The flags of an op by name: those of `fastmath` (`fast` is all of them), and those of integer ops."""
    found: set[str] = set()
    for name, value in attributes:
        if name == "fastmath":
            found |= _named(str(value))
        elif name in _FLAGGED:
            found |= {name} if value is True else set(str(value).replace(" ", "").split(","))
    return frozenset(found - {"none", "", "False"})


def has_fewer_flags(source: Attributes, target: Attributes) -> bool:
    """True if the target's operator has the source's attributes, or these without some flags.

    Flags make poison or license other values: without them the value is among those allowed before.
    """
    others = ({k: v for k, v in side if k not in _FLAGGED} for side in (source, target))
    return next(others) == next(others) and flags_of(target) <= flags_of(source)


def _named(text: str) -> frozenset[str]:
    named = set(text.replace(" ", "").split(","))
    return frozenset(named - {"fast"}) | EVERY if "fast" in named else frozenset(named)


def licences_of(attributes: Attributes) -> frozenset[str]:
    """The licences among the flags of a float op."""
    found = (value for name, value in attributes if name == "fastmath")
    return frozenset[str]().union(*[_named(str(value)) for value in found]) & LICENCES


_SUMS: Final = frozenset({"arith.addf", "arith.subf"})
ARITHMETIC: Final = (
    _SUMS
    | {"arith.mulf", "arith.divf", "arith.negf", "math.fma"}
    | {
        "arith.extf",
        "arith.truncf",
        "arith.convertf",
    }
)
"""Ops that a licence lets be computed otherwise, if all of them in a term have it."""

_APPROXIMATE: Final = frozenset({"arith.divf"})
"""Ops of `arith` that may be approximated as functions are."""


def active_licences(ops: Iterable[tuple[str, Attributes]]) -> frozenset[str]:
    """The licences that have any effect in a program of these ops.

    An op contracts only with another (product and sum, rounding cast and cast), and a reciprocal needs a division.
    """
    having: dict[str, set[str]] = {flag: set() for flag in LICENCES}
    for op, attributes in ops:
        for flag in licences_of(attributes):
            having[flag].add(op)
    fused, inverted = having["contract"], having["arcp"]
    found = {flag for flag, names in having.items() if names}
    other = {flag for flag, names in having.items() if any(not name.startswith("arith.") for name in names)}
    meets = ("arith.mulf" in fused and fused & _SUMS) or fused & {"arith.truncf", "arith.convertf"}
    if not meets and "contract" not in other:
        found -= {"contract"}
    if "arith.divf" not in inverted and "arcp" not in other:
        found -= {"arcp"}
    if not having["afn"] & _APPROXIMATE and "afn" not in other:
        found -= {"afn"}
    return frozenset(found)


def contracts_casts_alone(ops: Iterable[tuple[str, Attributes]]) -> bool:
    """True if only casts can be contracted in a program of these ops."""
    fused = {op for op, attributes in ops if "contract" in licences_of(attributes)}
    return all(op.startswith("arith.") for op in fused) and not ("arith.mulf" in fused and fused & _SUMS)


def licences_used(op: str, attributes: Attributes, active: frozenset[str]) -> frozenset[str]:
    """The licences that an op can use, if these are active."""
    found = licences_of(attributes) & active
    return found - {"afn"} if op.startswith("arith.") and op not in _APPROXIMATE else found


def regroups(attributes: Attributes, mode: FloatMode) -> bool:
    """True if sums or products of this op may be regrouped."""
    return mode != "strict" or "reassoc" in licences_of(attributes)
