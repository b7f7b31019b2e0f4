"""Poison and undefined behaviour decided from the shape of terms alone, without a solver.

An operand is *needed* if its poison certainly spoils the operator: `poisoned(operand)` is a disjunct of the operator's
condition for poison or for undefined behaviour. What a defined, non-poison source needs is not poison; nor is any term
built of such terms by operators whose conditions fold to false.
"""

from __future__ import annotations

from collections.abc import Sequence

from hecv.base.term import Term, postorder
from hecv.base.theory import FALSE, Apply, Bool, Variable
from hecv.ops.facts.poison_conditions import Shapes


def needed(shapes: Shapes, evaluated: Sequence[Term], *proper: Term) -> set[int]:
    """The ids of terms that are not poison if all of `evaluated` is defined, and those that are `proper`, some of them,
    are not poison."""
    found = {term.id for term in proper}
    for term in reversed(postorder(tuple(evaluated))):  # users before operands
        conditions = shapes.of(term, (False,) * len(term.args))
        spoiling = disjuncts(conditions.ub)
        if term.id in found:
            spoiling |= disjuncts(conditions.poison)
        found.update(a.id for k, a in enumerate(term.args) if f"x{k}" in spoiling)
    return found


def suspects(shapes: Shapes, root: Term, needed: set[int], defined: set[int]) -> tuple[bool, bool]:
    """(`root` may be poison, some node in it may be undefined), as far as the shape of the terms tells.

    Requires: terms in `needed` are not poison, nodes in `defined` are not undefined.
    """
    proper: dict[int, bool] = {}
    undefined = False
    for term in postorder((root,)):
        conditions = shapes.of(term, tuple(proper[a.id] for a in term.args))
        proper[term.id] = term.id in needed or conditions.poison is FALSE
        undefined |= conditions.ub is not FALSE and term.id not in defined
    return not proper[root.id], undefined


def disjuncts(condition: Bool) -> set[str]:
    """The operands whose poison alone makes the condition true, by name."""
    match condition:
        case Apply(op="poisoned", args=(Variable(name=name),)):
            return {name}
        case Apply(op="any_of"):
            return {name for part in condition.args for name in disjuncts(part)}
        case _:
            return set()
