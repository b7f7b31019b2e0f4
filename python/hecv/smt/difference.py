"""Values of leaves for which two terms differ."""

from __future__ import annotations

from hecv.base.term import Term
from hecv.base.types import IndexType, IntType
from hecv.base.value import Scalar
from hecv.smt.encode import Encoded, Encoder
from hecv.smt.prove import Refuted, decide
from hecv.smt.refine import same
from hecv.smt.theory import Unencodable


def differing(left: Term, right: Term, index_width: int, milliseconds: int) -> dict[Term, Scalar] | None:
    """Values of leaves for which both terms are defined, proper and different; None where Z3 knows of none.

    They are to be tried: where an operator is left open they may show nothing.
    """
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
    wrong = encoder.any_of(one.ub, one.poison, other.ub, other.poison)
    answer = decide(same(one, other), (encoder.not_(wrong),), milliseconds)
    if not isinstance(answer, Refuted):
        return None
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
