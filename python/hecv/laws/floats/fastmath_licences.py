"""Fast-math licences: an op with one flag may be computed as another term, never the reverse.

Each law has one direction: what its left side computes under the licence includes what its right side does. The flag is
on every op of the left side. So a law rewrites the source, and only towards what the target computes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import copysign, isfinite
from typing import Final

from msgspec import Struct

from hecv.base.term import Term, TermPool, literal, postorder
from hecv.base.types import BOOL, FloatType
from hecv.ops.fastmath_flags import POISONING, flags_of
from hecv.run.evaluation.softfloat import FORMATS, round_to

Rewrite = Callable[[TermPool, Term], Iterator[Term]]


class Licensed(Struct, frozen=True):
    """A law under a licence: what the op at the root of a term may be computed as."""

    name: str
    licence: str
    rewrite: Rewrite


def _contract(pool: TermPool, term: Term) -> Iterator[Term]:
    """`a * b + c` without rounding the product: `fma a, b, c`; a difference likewise, with a negated operand."""
    if term.op not in ("arith.addf", "arith.subf"):
        return
    minus = term.op == "arith.subf"
    left, right = term.args
    for product, other, first in ((left, right, True), (right, left, False)):
        if product.op == "arith.mulf":
            addend = _negated(pool, other) if minus and first else other
            for a, b in (product.args, product.args[::-1]):
                factor = _negated(pool, a) if minus and not first else a
                yield pool.make("math.fma", (factor, b, addend), term.type)


def _reciprocal(pool: TermPool, term: Term) -> Iterator[Term]:
    """`x / y` as `x * (1 / y)`; the reciprocal of a literal is one, rounded."""
    if term.op != "arith.divf" or not isinstance(term.type, FloatType):
        return
    dividend, divisor = term.args
    inverse = _inverse(pool, divisor, term.type)
    for args in ((dividend, inverse), (inverse, dividend)):
        yield pool.make("arith.mulf", args, term.type)


def _inverse(pool: TermPool, divisor: Term, kind: FloatType) -> Term:
    value = literal(divisor)
    if isinstance(value, float) and value and isfinite(value) and kind.name in FORMATS:
        inverse = 1 / value if abs(value) > 2.0**-1022 else float("inf")
        rounded = inverse if kind.name == "f64" else round_to(inverse, kind.name, "to_nearest_even")
        if isfinite(rounded):
            return pool.real(rounded, kind)
    return pool.make("arith.divf", (pool.real(1.0, kind), divisor), kind)


def _signless(pool: TermPool, term: Term) -> Iterator[Term]:
    """Where the sign of a zero does not matter: `x + 0` is `x`, `0 - x` is `-x`, `-(a - b)` is `b - a`."""
    match term.op, term.args:
        case "arith.addf", (a, b):
            yield from (x for x, zero in ((a, b), (b, a)) if literal(zero) == 0)
        case "arith.subf", (a, b):
            if literal(b) == 0:
                yield a
            if literal(a) == 0:
                yield _negated(pool, b)
        case "arith.negf", (a,) if a.op == "arith.subf":
            yield pool.make("arith.subf", a.args[::-1], term.type)
        case _:
            pass


def _negated(pool: TermPool, term: Term) -> Term:
    value = literal(term)
    if isinstance(value, float) and value == value and isinstance(term.type, FloatType):
        return pool.real(-value if value else copysign(0.0, -copysign(1.0, value)), term.type)
    return pool.make("arith.negf", (term,), term.type)


LICENSED: Final = (
    Licensed("addf-contract", "contract", _contract),
    Licensed("divf-reciprocal", "arcp", _reciprocal),
    Licensed("zero-without-sign", "nsz", _signless),
)


Step = tuple[int, str, int]
"""An op of a term by its number (operands first), the name of a law, and which of the terms that the law allows."""


def towards(pool: TermPool, source: Term, target: Term, licences: frozenset[str]) -> tuple[Term, tuple[Step, ...]]:
    """The source computed as the target is, where the licences allow it, and the steps that lead there.

    Requires: every float op of the source had all of the licences; neither term has flags on arithmetic.
    """
    laws = [law for law in LICENSED if law.licence in licences]
    wanted = {t.id for t in postorder((target,))}
    steps: list[Step] = []
    made: dict[int, Term] = {}
    for number, term in enumerate(postorder((source,))):
        args = tuple(made[a.id] for a in term.args)
        own = term if args == term.args else pool.make(term.op, args, term.type, term.attrs)
        made[term.id] = own
        if own.id in wanted:
            continue
        for law in laws:
            found = next(((k, t) for k, t in enumerate(law.rewrite(pool, own)) if t.id in wanted), None)
            if found is not None:
                made[term.id] = found[1]
                steps.append((number, law.name, found[0]))
                break
    return made[source.id], tuple(steps)


def without_flags(pool: TermPool, root: Term, ops: frozenset[str]) -> Term:
    """The term without fast-math flags on certain ops."""
    made: dict[int, Term] = {}
    for term in postorder((root,)):
        args = tuple(made[a.id] for a in term.args)
        attrs = term.attrs
        if term.op in ops:
            attrs = tuple((name, value) for name, value in attrs if name != "fastmath")
        unchanged = args == term.args and attrs == term.attrs
        made[term.id] = term if unchanged else pool.make(term.op, args, term.type, attrs)
    return made[root.id]


EXTREMUM: Final = "extremum-of-numbers"
"""The name of the rule that `extrema` applies."""

_OTHER: Final = {
    "arith.maximumf": "arith.maxnumf",
    "arith.maxnumf": "arith.maximumf",
    "arith.minimumf": "arith.minnumf",
    "arith.minnumf": "arith.minimumf",
}
_STRICT: Final = {"arith.maximumf": "ogt", "arith.maxnumf": "ogt", "arith.minimumf": "olt", "arith.minnumf": "olt"}
_PLAIN: Final = {"arith.maximumf", "arith.minimumf"}
_NUMBERS: Final = frozenset({"nnan", "nsz"})
_SELECTING: Final = frozenset({"arith.select", "arith.cmpf"})


def extrema(pool: TermPool, source: Term, target: Term) -> Iterator[tuple[str, Term]]:
    """Minima and maxima with `nnan` and `nsz`, computed as the target may have them, in named ways.

    For NaN they are poison, and of two zeros they may give either. So the extremum that propagates NaN and the one that
    does not are equal, with the same flags. Each may also be the one in which -0 is less than +0, or a select by a
    comparison, which of two zeros gives the first or the second. In all of these the same operands make poison.
    """
    if not any(map(_is_of_numbers, postorder((source,)))):
        return
    names = {t.op for t in postorder((target,))}
    if names & _OTHER.keys():
        yield from ((way, changed(pool, source, way)) for way in ("renamed", "plain"))
    if names & _SELECTING:
        yield from ((way, changed(pool, source, way)) for way in ("first", "second"))


def _is_of_numbers(term: Term) -> bool:
    return term.op in _OTHER and flags_of(term.attrs) >= _NUMBERS


def changed(pool: TermPool, source: Term, way: str) -> Term:
    """The source with its minima and maxima that have `nnan` and `nsz` computed in one of the `WAYS`."""
    change = WAYS[way]
    made: dict[int, Term] = {}
    for term in postorder((source,)):
        args = tuple([made[a.id] for a in term.args])
        if _is_of_numbers(term):
            made[term.id] = change(pool, term, args)
        else:
            made[term.id] = term if args == term.args else pool.make(term.op, args, term.type, term.attrs)
    return made[source.id]


def _poisoning(term: Term) -> tuple[tuple[str, str], ...]:
    """The flags of an op that only make poison."""
    return (("fastmath", ",".join(sorted(flags_of(term.attrs) & POISONING))),)


def _renamed(pool: TermPool, term: Term, args: tuple[Term, ...]) -> Term:
    return pool.make(_OTHER[term.op], args, term.type, term.attrs)


def _plain(pool: TermPool, term: Term, args: tuple[Term, ...]) -> Term:
    name = term.op if term.op in _PLAIN else _OTHER[term.op]
    return pool.make(name, args, term.type, _poisoning(term))


def _second(pool: TermPool, term: Term, args: tuple[Term, ...]) -> Term:
    attributes = (*_poisoning(term), ("predicate", _STRICT[term.op]))
    return pool.make("arith.select", (pool.make("arith.cmpf", args, BOOL, attributes), *args), term.type)


def _first(pool: TermPool, term: Term, args: tuple[Term, ...]) -> Term:
    return _second(pool, term, args[::-1])


WAYS: Final[Mapping[str, Callable[[TermPool, Term, tuple[Term, ...]], Term]]] = {
    "renamed": _renamed,
    "plain": _plain,
    "first": _first,
    "second": _second,
}
"""The ways to compute an extremum of numbers, by name."""
