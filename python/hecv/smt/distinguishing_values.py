"""Asks Z3 for leaf values on which two terms differ, or on which one does not refine the other."""

from __future__ import annotations

from collections.abc import Callable

from hecv.base.term import Term
from hecv.base.types import IndexType, IntType
from hecv.base.value import Scalar
from hecv.smt.term_encoding import Encoded, Encoder
from hecv.smt.term_refinement import same
from hecv.smt.z3_goals import Proved, Refuted, decide
from hecv.smt.z3_theory import Z3, Truth, Unencodable


def differing(left: Term, right: Term, index_width: int, milliseconds: int) -> dict[Term, Scalar] | None:
    """Values of leaves for which both terms are defined, not poison and different; None if Z3 finds none.

    They must be tried in a run: where an operator is nondeterministic they may show nothing.
    """

    def goal(encoder: Encoder, one: Encoded, other: Encoded) -> Truth:
        wrong = encoder.any_of(one.ub, one.poison, other.ub, other.poison)
        return Z3.Implies(encoder.not_(wrong), same(one, other))

    found = _refuting(left, right, goal, index_width, milliseconds)
    return None if isinstance(found, Proved) else found


def unrefined(source: Term, target: Term, index_width: int, milliseconds: int) -> dict[Term, Scalar] | Proved | None:
    """Values of leaves for which the target does not refine the source; `Proved` if there are none, None if Z3 does
    not say.

    They must be tried in a run, as those of `differing`.
    """

    def goal(encoder: Encoder, one: Encoded, other: Encoded) -> Truth:
        proper = encoder.not_(encoder.any_of(one.ub, one.poison))
        refined = encoder.all_of(encoder.not_(other.poison), same(one, other))
        return encoder.all_of(Z3.Implies(encoder.not_(one.ub), encoder.not_(other.ub)), Z3.Implies(proper, refined))

    return _refuting(source, target, goal, index_width, milliseconds)


def _refuting(
    left: Term,
    right: Term,
    goal: Callable[[Encoder, Encoded, Encoded], Truth],
    index_width: int,
    milliseconds: int,
) -> dict[Term, Scalar] | Proved | None:
    """Values of leaves that refute a goal about two terms, `Proved` if it holds, None if Z3 does not say."""
    encoder = Encoder(index_width)
    leaves: dict[str, Term] = {}

    def leaf(term: Term) -> Encoded:
        made = encoder.leaf(term)
        leaves[made.value.decl().name()] = term
        return made

    try:
        one, other = encoder.terms((left, right), leaf)
    except Unencodable:
        return None
    answer = decide(goal(encoder, one, other), (), milliseconds)
    if not isinstance(answer, Refuted):
        return answer if isinstance(answer, Proved) else None
    return {
        leaves[name]: _value(leaves[name], value, index_width) for name, value in answer.model.items() if name in leaves
    }


def _value(leaf: Term, value: Scalar, index_width: int) -> Scalar:
    match leaf.type:
        case IntType(width):
            return int(value) % (1 << width)  # type: ignore[arg-type]
        case IndexType():
            half = 1 << (index_width - 1)
            return (int(value) + half) % (2 * half) - half  # type: ignore[arg-type]
        case _:
            return value
