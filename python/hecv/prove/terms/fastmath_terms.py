"""Float terms under a licence: `--fp reassoc`, `--fp real`, or fast-math flags that all ops of a term have.

A licence makes the value of the source's term one of several: that of any order of its sums and products, or, with all
flags, of any expression that is equal over the reals, each op with the flags of the term. The target may have fewer
flags: its values are then among those. So both terms are compared without the flags, by what the licence allows, and
what poison the flags make is the same on both sides. A target with a flag that some op of the source lacks may compute
or be more than the source: it is not compared here. What is not settled here is an op of which nothing is known, as any
with a licence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from hecv.base.term import Term, TermPool, postorder
from hecv.base.types import FloatType
from hecv.base.value import Poison, Scalar
from hecv.ops.fastmath_flags import ARITHMETIC, EVERY, IMPLIED, POISONING, FloatMode, flags_of
from hecv.run.evaluation.op_evaluation import Evaluator
from hecv.run.evaluation.softfloat import FORMATS, round_to

if TYPE_CHECKING:
    from hecv.egraph.normal_forms.float_forms import Level

SUMS: Final = frozenset({"arith.addf", "arith.subf"})
PRODUCTS: Final = frozenset({"arith.mulf"})
DIRECTED: Final = frozenset({"contract", "arcp", "nsz"})


class Equal(Struct, frozen=True):
    """Two terms are equal under a licence: `source` and `target` are they without the flags, `converse` tells that they
    are also with the sides exchanged; `rules` are the normal forms that showed it."""

    source: Term
    target: Term
    converse: bool
    rules: dict[str, int]


class _Licence(Struct, frozen=True):
    """What the ops of a term allow, and which of them: to regroup sums, products or both, or real arithmetic."""

    level: Level
    ops: frozenset[str]


def licensed_equal(pool: TermPool, source: Term, target: Term, mode: FloatMode, index_width: int) -> Equal | None:
    """Whether the licence that source and mode give makes the terms equal; None where it does not, or there is none."""
    directed = _directed(pool, source, target, mode, index_width)
    forward, back = _licence(source, target, mode), _licence(target, source, mode)
    if forward is None or directed is not None:
        return directed
    # The normal forms, and the rules, take a while to load, and most programs have no licence.
    from hecv.egraph.normal_forms.float_equality import equal_floats
    from hecv.laws.floats.fastmath_licences import without_flags

    first, second = (without_flags(pool, term, forward.ops) for term in (source, target))
    level, ops = forward.level, forward.ops
    flagged = mode == "strict" or (level == "real" and mode != "real")
    answer = equal_floats(first, second, level, ops, index_width, _spoiled(target, forward, mode), flagged)
    if not answer.proved:
        return None
    turned = _spoiled(source, forward, mode)
    converse = back == forward and equal_floats(second, first, level, ops, index_width, turned, flagged).proved
    return Equal(first, second, converse, dict(answer.rules))


def _directed(pool: TermPool, source: Term, target: Term, mode: FloatMode, index_width: int) -> Equal | None:
    """Equality by flags that license one direction, which all of the source's arithmetic has."""
    allowed = _allowed(source, target, ARITHMETIC, mode)
    if mode == "real" or not allowed & DIRECTED:
        return None
    from hecv.egraph.normal_forms.float_equality import equal_floats
    from hecv.laws.floats.fastmath_licences import towards, without_flags

    first, second = (without_flags(pool, term, ARITHMETIC) for term in (source, target))
    moved, steps = towards(pool, first, second, allowed)
    ops = SUMS | PRODUCTS if "reassoc" in allowed else frozenset[str]()
    spoiled = _spoiled(target, _Licence("reassoc", ARITHMETIC), mode)
    flagged = mode == "strict"
    if not steps or not equal_floats(moved, second, "reassoc", ops, index_width, spoiled, flagged).proved:
        return None
    return Equal(moved, second, False, dict.fromkeys([law for _, law, _ in steps], 1))


def _licence(source: Term, target: Term, mode: FloatMode) -> _Licence | None:
    """What the source's ops, all of a family, allow of the target's; None where that is nothing."""
    if _allowed(source, target, ARITHMETIC, mode) >= (IMPLIED["real"] if mode == "real" else EVERY):
        return _Licence("real", ARITHMETIC)
    families = [f for f in (SUMS, PRODUCTS) if "reassoc" in _allowed(source, target, f, mode)]
    return _Licence("reassoc", frozenset[str]().union(*families)) if families else None


def _spoiled(target: Term, licence: _Licence, mode: FloatMode) -> frozenset[str]:
    """The licensed operators, where flags of the target's make poison of infinities or NaN, or the licence says nothing
    of these; none under `--fp real`, where there are none."""
    if mode == "real":
        return frozenset()
    flags = (flags_of(t.attrs) for t in postorder((target,)) if t.op in licence.ops)
    return licence.ops if licence.level == "real" or any(f & POISONING for f in flags) else frozenset()


def _allowed(source: Term, target: Term, ops: frozenset[str], mode: FloatMode) -> frozenset[str]:
    """The flags of all of the source's ops of a family, none where one of the target's has another flag."""
    ours = [flags_of(t.attrs) for t in postorder((source,)) if t.op in ops]
    theirs = [flags_of(t.attrs) for t in postorder((target,)) if t.op in ops]
    allowed = (frozenset[str].intersection(*ours) if ours else frozenset[str]()) | IMPLIED[mode]
    return allowed if all(flags <= allowed for flags in theirs) else frozenset()


class WideEvaluator:
    """Evaluates float arithmetic in f64, whatever the format, so that order and rounding show less."""

    def __init__(self, index_width: int) -> None:
        self._narrow = Evaluator(index_width)

    def __call__(self, term: Term, operands: tuple[Scalar, ...]) -> Scalar | None:
        """As `Evaluator`, but for the rounding of arithmetic."""
        floats = [v for v in operands if isinstance(v, float)]
        if term.op in ARITHMETIC and len(floats) == len(operands):
            return _wide(term.op, floats)
        rounded = tuple(_rounded(a, v) for a, v in zip(term.args, operands, strict=True))
        return self._narrow(term, rounded)


def _rounded(term: Term, value: Scalar) -> Scalar:
    kind = term.type
    if isinstance(value, Poison) or not isinstance(value, float) or not isinstance(kind, FloatType):
        return value
    narrow = kind.name in FORMATS and kind.name != "f64"
    return round_to(value, kind.name, "to_nearest_even") if narrow else value


def _wide(op: str, operands: list[float]) -> float | None:
    try:
        match op, operands:
            case "arith.addf", [a, b]:
                return a + b
            case "arith.subf", [a, b]:
                return a - b
            case "arith.mulf", [a, b]:
                return a * b
            case "arith.divf", [a, b]:
                return a / b if b else None
            case "arith.negf", [a]:
                return -a
            case "math.fma", [a, b, c]:
                return a * b + c
            case _:
                return operands[0]
    except OverflowError:
        return None
