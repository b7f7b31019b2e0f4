"""Operators that change no bit are removed, by bits that are known for all inputs.

    %1 = andi %x, 255        =>    %1 = andi %x, 255
    %2 = andi %1, 4095             (%2 is %1)

Known bits and ranges go forward through the program once (`hecv.ops.facts.known_bits`). An operator whose value is
always one of its operands is that operand, one whose value is always the same is a literal. What is dropped is no
poison: a literal, or made without flags of arguments and of memory that holds none.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from msgspec.structs import replace

from hecv.base.term import Term, TermPool, literal, postorder
from hecv.base.types import IntType
from hecv.ops import facts_about
from hecv.ops.facts.known_bits import TermBounds
from hecv.ops.integer_bounds import Bounds, decided
from hecv.program.load_numbering import numbered
from hecv.program.proper_terms import ProperTerms
from hecv.program.term_substitution import rewrite
from hecv.program.tree import Block, Evaluate, Function, If, Loop, Statement, While, roots, walk

Law = Callable[[Bounds, Bounds], tuple[bool, bool]]
"""Whether an operator is its first operand, and whether it is its second one, by the bounds of both."""


def without_idle_operators(pool: TermPool, body: Block) -> Block:
    """The body of a function without operators that change no bit.

    Requires: the tree as read; arguments and their memory hold no poison. Ensures: each term has the value that it had,
    and is poison where it was.
    """
    statements = [*walk(body)]
    terms = postorder(tuple([t for s in statements for t in roots(s)]))
    if not any(map(_may_be_idle, terms)):
        return body
    bounds, proper = TermBounds(), ProperTerms(statements)
    made: dict[int, Term] = {}
    changed = False
    for term in terms:
        args = tuple([made[a.id] for a in term.args])
        now = term if args == term.args else pool.make(term.op, args, term.type, term.attrs)
        found = _simpler(pool, now, bounds, proper) if _may_be_idle(now) else now
        changed = changed or found is not now
        made[term.id] = found
    return _without_leaves(rewrite(body, lambda term: made.get(term.id, term))) if changed else body


def _without_leaves(block: Block) -> Block:
    """The block without statements that evaluate a leaf: the quotient that was there is defined."""
    out: list[Statement] = []
    for statement in block:
        match statement:
            case Evaluate(term=term) if not term.args:
                pass
            case Loop():
                out.append(replace(statement, body=_without_leaves(statement.body)))
            case If():
                then, otherwise = map(_without_leaves, (statement.then, statement.otherwise))
                out.append(replace(statement, then=then, otherwise=otherwise))
            case While():
                before, after = map(_without_leaves, (statement.before, statement.after))
                out.append(replace(statement, before=before, after=after))
            case _:
                out.append(statement)
    return tuple(out)


def comparable(pool: TermPool, function: Function) -> Function:
    """A function as it is compared statement by statement: without operators that change no bit, with loads by their
    order."""
    return numbered(pool, replace(function, body=without_idle_operators(pool, function.body)))


def _may_be_idle(term: Term) -> bool:
    """True if there is a law of an operator, and its operands are integers of fixed width."""
    return term.op in _LAWS and isinstance(term.type, IntType) and isinstance(term.args[-1].type, IntType)


def _simpler(pool: TermPool, term: Term, bounds: TermBounds, proper: ProperTerms) -> Term:
    """The operand or the literal that an operator is; itself if it is neither."""
    value = bounds.of(term).exact
    if value is not None and proper(term):
        return pool.integer(value, term.type)
    if term.op == "arith.select":
        condition, then, otherwise = term.args
        chosen = bounds.of(condition).exact
        if chosen is None or not proper(condition):
            return term
        return then if chosen else otherwise
    law = _LAWS[term.op]
    if law is None:
        return term
    first, second = term.args
    is_first, is_second = law(bounds.of(first), bounds.of(second))
    if is_first and (literal(second) is not None or proper(second)):
        return first
    if is_second and (literal(first) is not None or proper(first)):
        return second
    return term


def _covers(a: Bounds, b: Bounds) -> bool:
    """Whether all bits that may be 1 in the second are 1 in the first."""
    return a.ones | b.zeros == (1 << a.width) - 1


def _product(a: Bounds, b: Bounds) -> tuple[bool, bool]:
    """Of i1 the only one is -1: its square, 1, overflows."""
    return b.exact == 1 and b.width > 1, a.exact == 1 and a.width > 1


def _conjunction(a: Bounds, b: Bounds) -> tuple[bool, bool]:
    return _covers(b, a), _covers(a, b)


def _disjunction(a: Bounds, b: Bounds) -> tuple[bool, bool]:
    return _covers(a, b), _covers(b, a)


def _sum(a: Bounds, b: Bounds) -> tuple[bool, bool]:
    return b.high == 0, a.high == 0


def _moved(a: Bounds, b: Bounds) -> tuple[bool, bool]:
    return b.high == 0, False


def _divided(a: Bounds, b: Bounds) -> tuple[bool, bool]:
    return b.exact == 1, False


def _remainder(a: Bounds, b: Bounds) -> tuple[bool, bool]:
    return bool(decided("ult", a, b)), False


def _extremum(op: str) -> Law:
    extremum = facts_about(op).extremum
    assert extremum is not None
    predicate = "sle" if extremum.signed else "ule"

    def of(a: Bounds, b: Bounds) -> tuple[bool, bool]:
        below, above = bool(decided(predicate, a, b)), bool(decided(predicate, b, a))
        return (above, below) if extremum.greatest else (below, above)

    return of


_LAWS: Final[dict[str, Law | None]] = {
    "arith.andi": _conjunction,
    "arith.ori": _disjunction,
    "arith.xori": _sum,
    "arith.addi": _sum,
    "arith.subi": _moved,
    "arith.shli": _moved,
    "arith.shrui": _moved,
    "arith.shrsi": _moved,
    "arith.divui": _divided,
    "arith.remui": _remainder,
    "arith.muli": _product,
    "arith.cmpi": None,
    "arith.select": None,
    **{f"arith.{op}": _extremum(f"arith.{op}") for op in ("minui", "maxui", "minsi", "maxsi")},
}
"""When an operator is one of its operands; None where it may only be a literal, or is a select."""
