"""Constant folding of what structured control flow leaves behind: comparisons and casts of selections of literals.

Every law here preserves poison: the term and its folded form are poison for the same operands.
"""

from __future__ import annotations

from hecv.base.term import Term, TermPool, literal
from hecv.base.types import BOOL, IndexType, IntType, ScalarType
from hecv.ops import facts_about
from hecv.program.index.exact_integers import signed

MOST_LEAVES = 64
"""Values of a chain of selections, at most, for it to be folded."""

_COMPARED = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "slt": lambda a, b: a < b,
    "sle": lambda a, b: a <= b,
    "sgt": lambda a, b: a > b,
    "sge": lambda a, b: a >= b,
}


def fold(pool: TermPool, term: Term) -> Term:
    """`term`, whose operands are folded, simplified at the root."""
    match term.op:
        case "arith.select":
            return _select(pool, *term.args)
        case "arith.xori" if term.type == BOOL:
            return _negation(pool, term)
        case op if facts_about(op).casts or op == "arith.cmpi":
            return _over_selection(pool, term)
        case _:
            return term


def constant(pool: TermPool, term: Term) -> Term:
    """A sum or product of literals of type `iN` as a literal; any other term as it is."""
    facts = facts_about(term.op)
    if not isinstance(term.type, IntType) or facts.wraps is None or facts.shifts or term.attrs:
        return term
    first, second = (literal(constant(pool, a)) for a in term.args)
    if not isinstance(first, int) or not isinstance(second, int):
        return term
    return pool.integer(facts.wraps(first, second) % (1 << term.type.width), term.type)


def negated(pool: TermPool, condition: Term) -> Term:
    """`not condition`, of an i1 term."""
    return fold(pool, pool.make("arith.xori", (condition, pool.integer(1, BOOL)), BOOL))


def _negation(pool: TermPool, term: Term) -> Term:
    condition, other = term.args
    if literal(other) != 1:
        return term
    value = literal(condition)
    if isinstance(value, int):
        return pool.integer(1 - value, BOOL)
    if condition.op == "arith.xori" and literal(condition.args[1]) == 1:
        return condition.args[0]
    return term


def _select(pool: TermPool, condition: Term, then: Term, otherwise: Term) -> Term:
    value = literal(condition)
    if isinstance(value, int):
        return then if value else otherwise
    if condition.op == "arith.xori" and literal(condition.args[1]) == 1:
        return _select(pool, condition.args[0], otherwise, then)
    if then.op == "arith.select" and then.args[0] is condition:
        then = then.args[1]
    if otherwise.op == "arith.select" and otherwise.args[0] is condition:
        otherwise = otherwise.args[2]
    if then.type == BOOL and (literal(then), literal(otherwise)) == (1, 0):
        return condition
    if then.type == BOOL and (literal(then), literal(otherwise)) == (0, 1):
        return negated(pool, condition)
    return pool.make("arith.select", (condition, then, otherwise), then.type)


def _over_selection(pool: TermPool, term: Term) -> Term:
    """Moves a cast, or a comparison with a literal, into a selection of literals."""
    first, *rest = term.args
    if not isinstance(first.type, IntType | IndexType) or any(literal(r) is None for r in rest):
        return term
    if any(name != "predicate" for name, _ in term.attrs):
        return term
    found = _mapped(pool, first, term, [MOST_LEAVES])
    return term if found is None else found


def _mapped(pool: TermPool, value: Term, term: Term, left: list[int]) -> Term | None:
    """`term` with `value` as its first operand, folded; None if that is not a selection of literals."""
    number = literal(value)
    if isinstance(number, int):
        left[0] -= 1
        return None if left[0] < 0 else _of_literal(pool, number, value.type, term)
    if value.op != "arith.select":
        return None
    condition, then, otherwise = value.args
    first = _mapped(pool, then, term, left)
    second = None if first is None else _mapped(pool, otherwise, term, left)
    return None if first is None or second is None else _select(pool, condition, first, second)


def _of_literal(pool: TermPool, number: int, kind: ScalarType, term: Term) -> Term | None:
    """A cast or a comparison of a literal; None where that depends on the width of `index`, which is at least 32."""
    if term.op == "arith.cmpi":
        other = literal(term.args[1])
        predicate = str(term.attr("predicate"))
        if not isinstance(other, int) or predicate not in _COMPARED:
            return None
        if isinstance(kind, IntType):
            number, other = signed(number, kind.width), signed(other, kind.width)
        return pool.integer(int(_COMPARED[predicate](number, other)), BOOL)
    if isinstance(kind, IntType) and term.op in ("arith.extsi", "arith.index_cast"):
        number = signed(number, kind.width)
    if isinstance(term.type, IntType):
        if term.op == "arith.index_castui" and number < 0 and term.type.width > 32:
            return None
        return pool.integer(number % (1 << term.type.width), term.type)
    return pool.integer(number) if -(1 << 31) <= number < 1 << 31 else None
