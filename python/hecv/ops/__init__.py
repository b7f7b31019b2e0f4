"""The scalar ops with a meaning here, one file a dialect: semantics in `hecv.base.theory`, and facts about them."""

from __future__ import annotations

from typing import Final

from hecv.base.term import CALL, CONTENTS, PRINTED, Term, is_opaque, literal, name_of
from hecv.base.types import FloatType
from hecv.ops.affine import affine
from hecv.ops.arith import arith
from hecv.ops.arith_floats import arith_floats
from hecv.ops.control_ops import control
from hecv.ops.index import index
from hecv.ops.math import math
from hecv.ops.nondeterminism import chosen
from hecv.ops.op_facts import NO_FACTS, Facts
from hecv.ops.registry import Operator
from hecv.ops.transcendental import transcendental
from hecv.ops.ub import ub

OPERATORS: Final[dict[str, Operator]] = {
    **affine.operators,
    **arith.operators,
    **arith_floats.operators,
    **chosen.operators,
    **control.operators,
    **index.operators,
    **math.operators,
    **transcendental.operators,
    **ub.operators,
}


def facts_about(op: str) -> Facts:
    """What is known of an op; nothing of one that has no meaning here."""
    operator = OPERATORS.get(op)
    return NO_FACTS if operator is None else operator.facts


def exposes(term: Term) -> bool:
    """True if the value depends on the sign or payload of an operand that may be NaN.

    Floats are compared up to these, so equal operands may then give different values. A store as a function of contents
    does not count: it is compared like memory, up to these. Nor do functions that are called as uninterpreted ones, and
    what is printed.
    """
    operator = OPERATORS.get(term.op)
    if operator is None:
        shows = is_opaque(term) and term.attr("key") not in (CONTENTS, PRINTED) and name_of(term) != CALL
    else:
        shows = operator.exposes
    return shows and any(map(_may_be_nan, term.args))


def _may_be_nan(term: Term) -> bool:
    value = literal(term)
    return isinstance(term.type, FloatType) and (value is None or value != value)
