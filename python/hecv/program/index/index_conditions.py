"""Conditions on indices as linear forms `f >= 0`, and the index ops in them that must not overflow.

A condition is read as exact arithmetic (`hecv.program.index.raising`); this is right if the ops that `wrapping` lists
do not overflow.
"""

from __future__ import annotations

from hecv.base.term import Term, TermPool, postorder
from hecv.base.types import IndexType
from hecv.ops import facts_about
from hecv.program.index import quasi_affine


def wraps_around(op: str) -> bool:
    """True if an op on index wraps around, so that raising reads it as exact."""
    return facts_about(op).wraps is not None


def wrapping(condition: Term) -> tuple[Term, ...]:
    """The index terms in a condition whose exact values must be in the range of `index` for raising to be right.

    Sums and products modulo a power of two are right in the end whatever overflows on the way: of `i + n - 10` only the
    whole counts. A flagged op is poison if it overflows, so it counts too, as do its operands. A compared term counts
    if it contains such an op; every other compared term is an affine expression (`assumed`).
    """
    nodes = postorder((condition,))
    wraps: set[int] = set()
    apart: set[int] = set()
    for node in nodes:
        own = wraps_around(node.op) and isinstance(node.type, IndexType)
        if own or any(a.id in wraps for a in node.args):
            wraps.add(node.id)
        if node.op == "arith.cmpi" or not own or not facts_about(node.op).ring or node.attrs:
            apart.update(a.id for a in node.args if wraps_around(a.op) or node.op == "arith.cmpi")
        if own and node.attrs:
            apart.add(node.id)
    return tuple(t for t in nodes if t.id in apart and t.id in wraps and isinstance(t.type, IndexType))


def assumed(condition: Term, exact: tuple[Term, ...]) -> tuple[Term, ...]:
    """The affine expressions that a raised condition compares; they are assumed not to overflow.

    `exact` are the raised terms of `wrapping`.
    """
    return tuple(
        operand
        for comparison in postorder((condition,))
        if comparison.op == "arith.cmpi"
        for operand in comparison.args
        if operand.op.startswith("affine.") and operand not in exact
    )


def is_note(condition: Term) -> bool:
    """True for an assertion that compares an index, which is not poison, with itself: it always holds, and records that
    the index is computed."""
    equal = condition.op == "arith.cmpi" and condition.attr("predicate") == "eq"
    return equal and condition.args[0] is condition.args[1] and quasi_affine.is_proper(condition.args[0])


def conjuncts(pool: TermPool, condition: Term, holds: bool) -> tuple[Term, ...]:
    """Linear forms that are at least 0 if the raised condition evaluates to `holds`."""
    if condition.op == ("arith.andi" if holds else "arith.ori"):
        return tuple(f for a in condition.args for f in conjuncts(pool, a, holds))
    form = form_of(pool, condition)
    if form is not None:
        return (form if holds else negated(pool, form),)
    if holds and condition.op == "arith.cmpi" and condition.attr("predicate") == "eq":
        left, right = condition.args
        if isinstance(left.type, IndexType):
            return quasi_affine.subtract(pool, left, right), quasi_affine.subtract(pool, right, left)
    return ()


def form_of(pool: TermPool, condition: Term) -> Term | None:
    """The linear form that is at least 0 exactly if the comparison holds; None if there is none."""
    if condition.op != "arith.cmpi" or not isinstance(condition.args[0].type, IndexType):
        return None
    left, right = condition.args
    match condition.attr("predicate"):
        case "slt":
            return quasi_affine.combine(pool, -1, ((right, 1), (left, -1)))
        case "sle":
            return quasi_affine.combine(pool, 0, ((right, 1), (left, -1)))
        case "sgt":
            return quasi_affine.combine(pool, -1, ((left, 1), (right, -1)))
        case "sge":
            return quasi_affine.combine(pool, 0, ((left, 1), (right, -1)))
        case _:
            return None


def negated(pool: TermPool, form: Term) -> Term:
    """`-1 - form`, which is at least 0 exactly if `form` is negative."""
    return quasi_affine.combine(pool, -1, ((form, -1),))
