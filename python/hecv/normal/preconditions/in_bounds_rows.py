"""Accesses of a flat view at a position read from memory, as accesses of rows.

    view[i*m + b]   =   A[i + b floordiv m, b mod m]   =>   A[i, b]      where 0 <= b < m

for a buffer `A` of rows of length `m`. A target that accesses `[i, b]` does the same where `0 <= b < m`, and is
undefined elsewhere, since `b` is then out of bounds. So whatever the new target refines, the old one refines.
"""

from __future__ import annotations

from msgspec.structs import replace

from hecv.base.term import Term, TermPool, postorder
from hecv.program.index import quasi_affine
from hecv.program.index.index_polynomials import divided, polynomial_of, term_of
from hecv.program.index.raising import Raiser
from hecv.program.tree import Load, Statement, Store

Terms = tuple[Term, ...]

QUOTIENTS = frozenset(("affine.quotient", "affine.floordiv"))
"""Floor divisions of indices, by a term or a literal."""


def in_rows(pool: TermPool, raiser: Raiser, statement: Statement) -> Statement | None:
    """The access at a position in a row that is read from memory; None if the statement is none.

    Ensures: where the result is defined, it does what the statement does.
    """
    if not isinstance(statement, Load | Store):
        return None
    indices = tuple([raiser.exact(t) for t in statement.indices])
    claims: list[tuple[Term, Term]] = []
    for quotient in postorder(indices):
        if quotient.op not in QUOTIENTS or quasi_affine.is_proper(quotient.args[0]):
            continue
        length = quotient.args[1] if len(quotient.args) == 2 else pool.integer(_divisor(quotient))
        dividend, by = polynomial_of(quotient.args[0], proper=False), polynomial_of(length)
        parts = None if dividend is None or by is None else divided(dividend, by)
        if parts is None:
            return None
        claims.append((term_of(pool, parts[1]), length))
        indices = _replaced(pool, indices, quotient, term_of(pool, parts[0]))
    # An index that is in bounds of its dimension is what was claimed of it.
    shown = {*zip(indices, statement.memory.extents, strict=True)}
    if not claims or any((rest, length) not in shown for rest, length in claims):
        return None
    return replace(statement, indices=indices)


def _divisor(floor: Term) -> int:
    divisor = floor.attr("divisor")
    assert isinstance(divisor, int)
    return divisor


def _replaced(pool: TermPool, indices: Terms, old: Term, new: Term) -> Terms:
    """The indices with `new` in place of `old`."""
    memo: dict[int, Term] = {old.id: new}
    for node in postorder(indices):
        if node.id not in memo:
            memo[node.id] = quasi_affine.remade(pool, node, tuple([memo[a.id] for a in node.args]))
    return tuple([_without_zeros(pool, memo[t.id], [memo[i.id] for i in indices]) for t in indices])


def _without_zeros(pool: TermPool, index: Term, others: list[Term]) -> Term:
    """An index without terms that cancel in it and show in another index: it is poison only where that one is."""
    form = quasi_affine.linear(index)
    shown = {a for t in others if t is not index for a, c in quasi_affine.linear(t).terms if c}
    kept = tuple([(a, c) for a, c in form.terms if c or a not in shown])
    return (
        index
        if len(kept) == len(form.terms)
        else quasi_affine.of_linear(pool, quasi_affine.Linear(form.constant, kept))
    )
