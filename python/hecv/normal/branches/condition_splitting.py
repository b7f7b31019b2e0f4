"""Splits a branch on indices and data into a branch on indices with a branch on data in it.

    if p and q { X } else { Y }   =   if p { if q { X } else { Y } } else { Y }
    if p or q { X } else { Y }    =   if p { X } else { if q { X } else { Y } }

where `p` is a condition on indices and `q` one on data. A masked store of a vector lane is a branch on
`i < n and mask[i]`; MLIR also merges two nested branches into one. Taken whole, the condition is data, and an access
that only `i < n` keeps in bounds would count as out of bounds.

A branch on poison is undefined, and `p and q` is poison if `q` is, even where `p` decides: an empty branch on `q` goes
before. `select(p, q, false)` is not poison there and needs none.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

from msgspec import Struct
from msgspec.structs import replace

from hecv.base.term import Term, TermPool, literal
from hecv.base.types import BOOL
from hecv.program.tree import Block, Function, If, Loop, Statement, Store, Touch, While, walk

_MOST_COPIED = 8
"""At most 8 statements are copied: those of the block that both paths reach."""


def split_conditions(pool: TermPool, function: Function, body: Block, is_affine: Callable[[Term], bool]) -> Block:
    """Splits branches into a branch on indices, as `is_affine` decides, and a branch on data.

    Requires: `body` is a normal form of `function`.
    Ensures: the same final memory, undefined on the same inputs.
    """
    if all(_split(pool, s, is_affine) is None for s in walk(body) if isinstance(s, If)):
        return body
    first = 1 + max((s.id for s in (*walk(function.body), *walk(body))), default=0)
    return _ConditionSplitter(pool, is_affine, first).block(body)


class _ConditionSplitter:
    def __init__(self, pool: TermPool, is_affine: Callable[[Term], bool], first: int) -> None:
        self._pool, self._is_affine, self._next = pool, is_affine, first

    def block(self, block: Block) -> Block:
        return tuple(s for statement in block for s in self._run(statement))

    def _run(self, statement: Statement) -> Block:
        match statement:
            case Loop():
                return (replace(statement, body=self.block(statement.body)),)
            case While():
                return (replace(statement, before=self.block(statement.before), after=self.block(statement.after)),)
            case If():
                then, otherwise = self.block(statement.then), self.block(statement.otherwise)
                return self._branches(replace(statement, then=then, otherwise=otherwise))
            case _:
                return (statement,)

    def _branches(self, branch: If) -> Block:
        parts = _split(self._pool, branch, self._is_affine)
        if parts is None:
            return (branch,)
        branch = _without_negation(branch)
        inner = self._branches(If(branch.id, parts.on_data, branch.then, branch.otherwise, (), branch.guarded))
        if parts.both:
            then, otherwise = inner, self._copied(branch.otherwise)
        else:
            then, otherwise = self._copied(branch.then), inner
        outer = If(self._number(), parts.on_indices, then, otherwise, branch.exact, branch.guarded)
        if parts.lazy:
            return (outer,)
        return If(self._number(), parts.on_data, (), (), (), branch.guarded), outer

    def _copied(self, block: Block) -> Block:
        out: list[Statement] = []
        for statement in block:
            if isinstance(statement, If):
                then, otherwise = self._copied(statement.then), self._copied(statement.otherwise)
                statement = replace(statement, then=then, otherwise=otherwise)
            out.append(replace(statement, id=self._number()))
        return tuple(out)

    def _number(self) -> int:
        self._next += 1
        return self._next - 1


class _Parts(Struct, frozen=True):
    """A condition: `on_indices and on_data` if `both`, otherwise `on_indices or on_data`. `lazy`: it is not poison
    where `on_indices` decides."""

    both: bool
    on_indices: Term
    on_data: Term
    lazy: bool


def _split(pool: TermPool, branch: If, is_affine: Callable[[Term], bool]) -> _Parts | None:
    """The parts of a condition; None if it is not of both kinds, or if too much would be copied."""
    branch = _without_negation(branch)
    parts = _split_select(branch.condition, is_affine) or _split_connective(pool, branch.condition, is_affine)
    if parts is None:
        return None
    copied = list(walk(branch.otherwise if parts.both else branch.then))
    fit = len(copied) <= _MOST_COPIED and all(isinstance(s, Store | Touch | If) for s in copied)
    return parts if fit else None


def _split_select(condition: Term, is_affine: Callable[[Term], bool]) -> _Parts | None:
    """The parts of `select(p, q, false)` or `select(p, true, q)`."""
    if condition.op != "arith.select" or is_affine(condition) or not is_affine(condition.args[0]):
        return None
    chosen, then, otherwise = condition.args
    if literal(otherwise) == 0:
        return _Parts(True, chosen, then, True)
    return _Parts(False, chosen, otherwise, True) if literal(then) in (1, -1) else None


def _split_connective(pool: TermPool, condition: Term, is_affine: Callable[[Term], bool]) -> _Parts | None:
    """The parts of an `andi` or `ori`."""
    if condition.op not in ("arith.andi", "arith.ori"):
        return None
    operands = _operands(condition, condition.op)
    on_indices = [t for t in operands if is_affine(t)]
    on_data = [t for t in operands if not is_affine(t)]
    if not on_indices or not on_data:
        return None

    def join(parts: list[Term]) -> Term:
        return reduce(lambda a, b: pool.make(condition.op, (a, b), BOOL), parts)

    return _Parts(condition.op == "arith.andi", join(on_indices), join(on_data), False)


def _operands(condition: Term, op: str) -> list[Term]:
    return [t for a in condition.args for t in _operands(a, op)] if condition.op == op else [condition]


def _without_negation(branch: If) -> If:
    """The branch without negations of its condition; each exchanges the sides."""
    while branch.condition.op == "arith.xori" and literal(branch.condition.args[1]) == 1:
        then, otherwise = branch.otherwise, branch.then
        branch = replace(branch, condition=branch.condition.args[0], then=then, otherwise=otherwise)
    return branch
