"""Positive divisors: a target may assume of `arith.divsi` what a source states by an `affine` division.

`arith.divsi` is defined for a negative divisor; `affine`'s `floordiv` is not. Let the source divide by `y` as `affine`
does. Then the target may be taken to be undefined where it divides by `y` and `y <= 0`. That stricter target is
undefined more often, so whatever it refines, the target itself refines. The same holds for accesses of flat views
(`hecv.normal.preconditions.in_bounds_rows`).
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from hecv.base.term import Term, TermPool, literal
from hecv.base.types import BOOL, IndexType
from hecv.normal.preconditions.in_bounds_rows import in_rows
from hecv.ops import facts_about
from hecv.program.index import quasi_affine
from hecv.program.index.raising import Raiser
from hecv.program.tree import Assert, Block, Evaluate, Function, If, Loop, Statement, While, walk


def stricter(pool: TermPool, source: Function, target: Function) -> Function | None:
    """The target with an assertion `y > 0` before each division by a `y` that the source divides by as `affine` does,
    and with accesses of flat views as accesses of rows; None if there are none.

    Ensures: where the result is defined, it does what the target does.
    """
    raiser = Raiser(pool)
    said = {raiser.exact(s.term.args[1]) for s in walk(source.body) if _divides(s, lambda op: op == "affine.quotient")}
    said = {divisor for divisor in said if literal(divisor) is None and quasi_affine.is_proper(divisor)}
    found: list[Term | Statement] = []

    def asserted(statement: Statement) -> Block:
        row = in_rows(pool, raiser, statement)
        if row is not None:
            found.append(row)
            return (row,)
        if not _divides(statement, lambda op: facts_about(op).division is not None):
            return (statement,)
        assert isinstance(statement, Evaluate)
        divisor = raiser.exact(statement.term.args[1])
        if divisor not in said:
            return (statement,)
        found.append(divisor)
        positive = pool.make("arith.cmpi", (divisor, pool.integer(0)), BOOL, (("predicate", "sgt"),))
        return Assert(statement.id, positive, "the divisor is not positive"), statement

    body = _mapped(target.body, asserted)
    return replace(target, body=body) if found else None


def says_positive(statement: Statement, divisor: Term) -> bool:
    """True if a statement of a normal form asserts that a divisor is positive, and no more."""
    if not isinstance(statement, Assert) or statement.exact or statement.condition.op != "arith.cmpi":
        return False
    left, right = statement.condition.args
    return statement.condition.attr("predicate") == "sgt" and left is divisor and literal(right) == 0


def _divides(statement: Statement, is_division: Callable[[str], bool]) -> bool:
    if not isinstance(statement, Evaluate) or not is_division(statement.term.op):
        return False
    return isinstance(statement.term.args[1].type, IndexType)


def _mapped(block: Block, change: Callable[[Statement], Block]) -> Block:
    """The block with each statement that encloses none replaced by others."""
    out: list[Statement] = []
    for statement in block:
        match statement:
            case Loop():
                out.append(replace(statement, body=_mapped(statement.body, change)))
            case If():
                then, otherwise = (_mapped(part, change) for part in (statement.then, statement.otherwise))
                out.append(replace(statement, then=then, otherwise=otherwise))
            case While():
                before, after = (_mapped(part, change) for part in (statement.before, statement.after))
                out.append(replace(statement, before=before, after=after))
            case _:
                out += change(statement)
    return tuple(out)
