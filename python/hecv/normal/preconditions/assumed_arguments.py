"""Assumed arguments: what is assumed of a scalar argument, in each use of it.

    divsi(x, y)   =>   divsi(select(x >= 0, x, poison), select(y >= 1, y, poison))        under x >= 0 and y >= 1

Only inputs count on which the assumptions hold, and there each such select is the argument. So a comparison of scalar
terms knows the assumptions, by what `select` and poison mean and by nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from hecv.base.term import Term, TermPool
from hecv.base.types import BOOL, IndexType, IntType
from hecv.program.index import quasi_affine
from hecv.program.term_substitution import recounted
from hecv.program.tree import Function

MOST: Final = 4
"""Assumptions in one argument, at most."""

_MIRRORED: Final = {"sle": "sge", "slt": "sgt", "sge": "sle", "sgt": "slt", "eq": "eq"}


def with_assumed_arguments(
    pool: TermPool, both: tuple[Function, Function], given: Sequence[Term], index_width: int
) -> tuple[Function, Function] | None:
    """Both functions with the i1 terms `given`, which compare linear forms with 0, in each use of an argument that they
    are about; None if they are about none.

    Ensures: each function does the same on every input on which `given` hold.
    """
    said: dict[Term, list[Term]] = {}
    for constraint in given:
        form = quasi_affine.linear(constraint.args[0])
        leaves = [_stripped(leaf) for leaf, _ in form.terms]
        condition = _condition(pool, form, str(constraint.attr("predicate")), index_width)
        for leaf in leaves if condition is not None else ():
            if leaf.op == "arg" and condition is not None:
                said.setdefault(leaf, []).append(condition)
    if not said:
        return None
    known = {leaf: _under(pool, leaf, conditions[:MOST]) for leaf, conditions in said.items()}
    first, second = (
        replace(f, body=recounted(pool, f.body, lambda leaf: known.get(leaf, leaf), ("arg",))) for f in both
    )
    return first, second


def _stripped(leaf: Term) -> Term:
    """The argument that a leaf of an assumption is cast from."""
    return leaf.args[0] if leaf.op == "arith.index_cast" else leaf


def _under(pool: TermPool, argument: Term, conditions: Sequence[Term]) -> Term:
    nothing, value = pool.make("ub.poison", (), argument.type), argument
    for condition in reversed(conditions):
        value = pool.make("arith.select", (condition, value, nothing), argument.type)
    return value


def _condition(pool: TermPool, form: quasi_affine.Linear, predicate: str, index_width: int) -> Term | None:
    """`form predicate 0` over bit-vectors: of one argument in its own type; of more in a type in which nothing
    overflows. None where it says nothing, as of an i8 that it is at least -1000."""
    if len(form.terms) == 1 and abs(form.terms[0][1]) == 1:
        (leaf, sign), constant = form.terms[0], -form.constant * form.terms[0][1]
        leaf = _stripped(leaf)
        half = 1 << (_width(leaf, index_width) - 1)
        if not -half <= constant < half:
            return None
        wanted = predicate if sign > 0 else _MIRRORED[predicate]
        return _compare(pool, wanted, leaf, _literal(pool, constant, leaf.type))
    widest = max((_width(_stripped(leaf), index_width) for leaf, _ in form.terms), default=1)
    size = abs(form.constant) + sum(abs(c) for _, c in form.terms)
    kind = IntType(widest + size.bit_length() + 1)
    total = _literal(pool, form.constant, kind)
    for part in _parts(pool, form, kind):
        total = pool.make("arith.addi", (total, part), kind)
    return _compare(pool, predicate, total, _literal(pool, 0, kind))


def _parts(pool: TermPool, form: quasi_affine.Linear, kind: IntType) -> Iterator[Term]:
    for leaf, coefficient in form.terms:
        own = _stripped(leaf)
        cast = "arith.index_cast" if isinstance(own.type, IndexType) else "arith.extsi"
        wide = pool.make(cast, (own,), kind)
        yield pool.make("arith.muli", (wide, _literal(pool, coefficient, kind)), kind)


def _compare(pool: TermPool, predicate: str, left: Term, right: Term) -> Term:
    return pool.make("arith.cmpi", (left, right), BOOL, (("predicate", predicate),))


def _literal(pool: TermPool, value: int, kind: object) -> Term:
    if isinstance(kind, IntType):
        return pool.integer(value % (1 << kind.width), kind)
    return pool.integer(value)


def _width(leaf: Term, index_width: int) -> int:
    return leaf.type.width if isinstance(leaf.type, IntType) else index_width
