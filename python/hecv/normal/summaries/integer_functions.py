"""Functions that do nothing but compute integers: what is left of many functions after full unrolling."""

from __future__ import annotations

from hecv.base.term import Term, postorder
from hecv.base.types import IntType
from hecv.program.tree import Function, Store


def integer_results(functions: tuple[Function, Function]) -> list[tuple[Term, Term]] | None:
    """The results of both functions, in pairs. None if one does anything but store each of its results once, as a term
    over integers. Nothing in such a function can be undefined: what can be would be evaluated by a statement."""
    first, second = map(_results, functions)
    if first is None or second is None or len(first) != len(second):
        return None
    if not all(isinstance(t.type, IntType) for t in postorder((*first, *second))):
        return None
    return list(zip(first, second, strict=True))


def _results(function: Function) -> list[Term] | None:
    found: dict[int, Term] = {}
    for statement in function.body:
        plain = isinstance(statement, Store) and not statement.indices and statement.memory in function.results
        if not plain or not isinstance(statement, Store) or statement.memory.id in found:
            return None
        found[statement.memory.id] = statement.value
    return [found[m.id] for m in function.results] if len(found) == len(function.results) else None
