"""Index arithmetic without overflow: it stays in the range of `index` on every input that satisfies the assumptions.

Each index term of a program is evaluated over intervals. An argument of type `index`, or an element of memory, may be
any index; an extent is not negative, and no memory has more bytes than 64 bits count; an induction variable lies
between the bounds of its loop. The constraints of `--assume` on arguments and extents, over the exact integers, bound
each of them by the bounds of the others. If each term lies in the range, exact arithmetic is what the program computes:
sums and products that left it in between agree modulo its size.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct, field

from hecv.base.term import Term, literal, postorder
from hecv.base.types import FloatType, IndexType, IntType, MemRefType, ScalarType
from hecv.ops.arith_floats import FLOAT_WIDTH
from hecv.program.index import quasi_affine
from hecv.program.tree import Block, Function, If, Loop, While, roots
from hecv.run.evaluation.index_intervals import interval, natural_interval

ROUNDS: Final = 8
"""The number of rounds in which assumptions on one argument bound the others."""

MOST_TERMS: Final = 50_000
"""The most index arithmetic in a function, terms in nests counted again; with more it may wrap."""


class _Range(Struct, frozen=True):
    low: int
    high: int


class _Beyond(Exception):
    """Raised where arithmetic may leave the range of `index`."""


def may_wrap(function: Function, index_width: int, given: Sequence[Term] = ()) -> bool:
    """Whether index arithmetic of the function, or of one that it may call, may leave the range of `index`, on inputs
    that satisfy the i1 terms `given`."""
    limit = 1 << (index_width - 1)
    try:
        for each in (function, *function.callees.values()):
            checker = _Checker(limit, _extents(each, index_width))
            # Where a function calls itself, nothing is known of the arguments.
            assumed = given if each is function and function.name not in function.callees else ()
            checker.assume([_linear(term) for term in assumed])
            checker.block(each.body, {})
    except _Beyond:
        return True
    return False


def _linear(given: Term) -> tuple[quasi_affine.Linear, str]:
    """What is compared with 0 by an assumption, and how."""
    return quasi_affine.linear(given.args[0]), str(given.attr("predicate"))


def _extents(function: Function, index_width: int) -> dict[tuple[int, int], int]:
    """The greatest that each dynamic extent of an argument may be, where the others of that argument are positive
    numbers: by argument and dimension."""
    found: dict[tuple[int, int], int] = {}
    for argument in function.inputs() if index_width == 64 else ():
        if not isinstance(argument.type, MemRefType):
            continue
        shape, size = argument.type.shape, _bytes(argument.type.element)
        for extent in shape:
            size *= 1 if extent is None else extent
        if shape.count(None) == 1 and size > 0 and argument.type.layout is None:
            found[argument.number, shape.index(None)] = ((1 << 63) - 1) // size
    return found


def _bytes(kind: ScalarType) -> int:
    """The least number of bytes that an element takes."""
    match kind:
        case IntType(width):
            return (width + 7) // 8
        case FloatType(name):
            return (FLOAT_WIDTH[name] + 7) // 8
        case _:
            return 1


class _Checker(Struct):
    """Evaluates the index terms of one function; an index is at least `-limit` and below `limit`."""

    limit: int
    extents: Mapping[tuple[int, int], int]
    _left: int = MOST_TERMS
    _assumed: dict[int, _Range] = field(default_factory=dict[int, _Range])

    def assume(self, constraints: Sequence[tuple[quasi_affine.Linear, str]]) -> None:
        """Adds constraints: linear forms over arguments and extents compare with 0 as the predicates say.

        Ignored for an argument with more bits than an index, of which a cast keeps the last ones only.
        Raises: _Beyond.
        """
        constraints = [c for c in constraints if not any(self._drops_bits(term) for term, _ in c[0].terms)]
        for _ in range(ROUNDS):
            known = dict(self._assumed)
            for form, predicate in constraints:
                signs = {"sge": (1,), "sgt": (1,), "sle": (-1,), "slt": (-1,), "eq": (1, -1)}[predicate]
                least = int(predicate in ("sgt", "slt"))
                for sign in signs:
                    self._at_least(form, sign, least)
            if known == self._assumed:
                return

    def _drops_bits(self, term: Term) -> bool:
        """Whether a term is a cast of integers of more bits than an index has."""
        kinds = [a.type for a in term.args if term.op == "arith.index_cast"]
        return any(isinstance(k, IntType) and 1 << (k.width - 1) > self.limit for k in kinds)

    def _at_least(self, form: quasi_affine.Linear, sign: int, least: int) -> None:
        """Learns that `sign * form >= least`: each part is no less than what the others leave."""
        parts = [(term, sign * c, self._range(term, {}, {})) for term, c in form.terms]
        most = sign * form.constant + sum(max(c * r.low, c * r.high) for _, c, r in parts)
        for term, c, own in parts:
            rest = least - (most - max(c * own.low, c * own.high))
            low = max(own.low, -(-rest // c)) if c > 0 else own.low
            high = min(own.high, rest // c) if c < 0 else own.high
            if low <= high:
                self._assumed[term.id] = _Range(low, high)

    def block(self, block: Block, around: Mapping[int, _Range]) -> None:
        """Checks the index arithmetic of a block.

        Raises: _Beyond.
        """
        memo: dict[int, _Range] = {}
        for statement in block:
            for root in roots(statement):
                self._range(root, around, memo)
            match statement:
                case Loop():
                    self._loop(statement, around, memo)
                case If():
                    self.block(statement.then, around)
                    self.block(statement.otherwise, around)
                case While():
                    self.block(statement.before, around)
                    self.block(statement.after, around)
                case _:
                    pass

    def _loop(self, loop: Loop, around: Mapping[int, _Range], memo: dict[int, _Range]) -> None:
        if not isinstance(loop.iv.type, IndexType):
            return self.block(loop.body, {**around, loop.iv.id: _Range(*natural_interval(loop.iv.type, self.limit))})
        if loop.unsigned:
            raise _Beyond
        low = max(self._range(t, around, memo).low for t in loop.lowers)
        high = min(self._range(t, around, memo).high for t in loop.uppers) - 1
        step = self._range(loop.step, around, memo).high
        if high < low:
            return None  # it never runs
        if high + step >= self.limit:
            raise _Beyond
        return self.block(loop.body, {**around, loop.iv.id: _Range(low, high)})

    def _range(self, root: Term, around: Mapping[int, _Range], memo: dict[int, _Range]) -> _Range:
        for term in postorder((root,)):
            if term.id not in memo:
                self._left -= 1
                memo[term.id] = self._evaluated(term, around, memo)
        return memo[root.id]

    def _evaluated(self, term: Term, around: Mapping[int, _Range], memo: Mapping[int, _Range]) -> _Range:
        if self._left < 0:
            raise _Beyond
        if not isinstance(term.type, IndexType):
            return _Range(*natural_interval(term.type, self.limit))
        found = self._index(term, around, memo)
        known = self._assumed.get(term.id, found)
        low, high = max(found.low, known.low), min(found.high, known.high)
        found = _Range(low, high) if low <= high else found
        if found.low < -self.limit or found.high >= self.limit:
            raise _Beyond
        return found

    def _index(self, term: Term, around: Mapping[int, _Range], memo: Mapping[int, _Range]) -> _Range:
        value, args = literal(term), [memo[a.id] for a in term.args]
        if isinstance(value, int):
            return _Range(value, value)
        match term.op:
            case "iv":
                return around[term.id]
            case "dim":
                key = int(str(term.attr("argument"))), int(str(term.attr("dimension")))
                return _Range(0, self.extents.get(key, self.limit - 1))
            case "arith.shli" if 0 <= args[1].low <= args[1].high < self.limit.bit_length():
                shifts = (args[1].low, args[1].high)
                corners = [x << s for x in (args[0].low, args[0].high) for s in shifts]
                return _Range(min(corners), max(corners))
            case _ if args:
                return _Range(*interval(term, args, self.limit))
            case _:
                return _Range(-self.limit, self.limit - 1)
