"""Uninterpreted functions: a fresh name for each operator without semantics, of which only congruence is known."""

from __future__ import annotations

from typing import Final

from hecv.base.term import OPAQUE_PARTIAL, Term, TermPool, is_opaque, postorder
from hecv.base.types import IntType, OpaqueType

STAND_IN: Final = IntType(64)
"""The type that stands for types without meaning."""


def named(pool: TermPool, term: Term, names: dict[int, Term]) -> Term:
    """`term` with a fresh name for each application of an operator without semantics: one name for the same operator on
    the same leaves. `names` holds the names given to earlier terms of the pool.

    Values of a type without meaning are only selected and compared. An equality of such terms that holds over `i64`
    holds over any set: a counterexample has no more values than the terms have names.
    """
    for node in postorder((term,)):
        if node.id in names:
            continue
        opaque = isinstance(node.type, OpaqueType)
        kind = STAND_IN if opaque else node.type
        if is_opaque(node) or (opaque and node.op != "arith.select"):
            made = pool.make("leaf", (), kind, (("opaque", f"term {node.id}"),))  # leaves are called by numbers
        else:
            args = tuple(names[a.id] for a in node.args)
            made = node if args == node.args else pool.make(node.op, args, kind, node.attrs)
        names[node.id] = made
    return names[term.id]


def partial(term: Term) -> set[int]:
    """The ids of the operators without semantics in a term that can be undefined."""
    return {t.id for t in postorder((term,)) if t.op == OPAQUE_PARTIAL}
