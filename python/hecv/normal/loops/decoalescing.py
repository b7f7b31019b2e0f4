"""Inverse of loop coalescing: a loop over a product of trip counts becomes a nest (theorem `loop-coalesce`, backwards).

    for k = 0 to n*m { B(k floordiv m, k mod m) }   =>   for i = 0 to n { for j = 0 to m { B(i, j) } }

if `k` occurs only in this way, wherever `n` and `m` are not both negative: `k = m*i + j` then takes each pair once and
in order, and where one of `n` and `m` is not positive, neither runs. Where both are negative the loop runs `n*m` times
and the nest does not. If each iteration divides by `m` as `affine` does, that is undefined behaviour, and an assertion
says so; otherwise it is a premise that has to be proved.

isl can represent neither the bound `n*m` nor a division by `m`. The nest has neither.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

from msgspec.structs import replace

from hecv.base.term import Term, TermPool, literal, postorder
from hecv.base.types import BOOL, INDEX, IndexType
from hecv.normal.preconditions.positive_divisors import says_positive
from hecv.ops import facts_about
from hecv.program.index import quasi_affine
from hecv.program.index.index_ranges import NOTHING
from hecv.program.index.raising import Raiser
from hecv.program.tree import (
    Alloc,
    Assert,
    Block,
    Dealloc,
    If,
    Loop,
    Statement,
    Store,
    Touch,
    While,
    roots,
    walk,
)

QUOTIENTS = frozenset(("affine.quotient", "arith.divsi", "arith.divui"))
REMAINDERS = frozenset(("arith.remsi", "arith.remui"))
"""Divisions that are `floordiv` and `mod` if neither operand is negative."""


FIXED = frozenset(
    ("const", "arg", "dim", "iv", "affine.linear", "affine.mul", "affine.floordiv", "affine.max", "affine.min")
)
"""The operators of a bound: its value must be the same in the body, which that of a read of memory need not be."""


class _NotRewritable(Exception):
    """The loop holds a statement that cannot be rewritten."""


def decoalesce(pool: TermPool, body: Block, rows: Sequence[Term] | None = None) -> Block:
    """Turns loops over a product of trip counts into nests. With `rows`, which are lengths of rows, also loops that do
    not divide by one of these; products may be left then.

    Requires: `body` is a normal form.
    Ensures: the same accesses and stores in the same order, undefined on the same inputs, where what `exact` of the new
    branches says holds.
    """
    return _Decoalescer(pool, rows).block(body, 0)


class _Decoalescer:
    def __init__(self, pool: TermPool, rows: Sequence[Term] | None) -> None:
        self._pool = pool
        self._rows = rows

    def block(self, block: Block, depth: int) -> Block:
        return tuple([part for s in block for part in self._statement(s, depth)])

    def _statement(self, statement: Statement, depth: int) -> Block:
        match statement:
            case Loop():
                for split in self._splits(statement, depth):
                    nest = self.block(split, depth)
                    if self._rows is not None or not _has_product(nest):
                        return nest
                return (replace(statement, body=self.block(statement.body, depth + 1)),)
            case If():
                then, otherwise = self.block(statement.then, depth), self.block(statement.otherwise, depth)
                return (replace(statement, then=then, otherwise=otherwise),)
            case While():
                before, after = self.block(statement.before, depth), self.block(statement.after, depth)
                return (replace(statement, before=before, after=after),)
            case _:
                return (statement,)

    def _splits(self, loop: Loop, depth: int) -> Iterator[Block]:
        """The loop as a nest of two, once for each number that its variable is divided by."""
        zero, one = self._pool.integer(0), self._pool.integer(1)
        if loop.lowers != (zero,) or len(loop.uppers) != 1 or loop.step is not one or loop.unsigned:
            return
        upper = loop.uppers[0]
        ops = {t.op for t in postorder((upper,))}
        if not ops <= FIXED:
            return
        rows = (self._rows or ()) if "affine.mul" in ops else ()
        for divisor in dict.fromkeys((*_divisors(self._pool, loop), *rows)):
            held = divisor.op == "const" and "affine.mul" not in ops  # isl can represent the loop as it is
            count = None if held else _exact_quotient(self._pool, upper, divisor)
            if count is not None:
                with suppress(_NotRewritable):
                    yield self._nest(loop, depth, count, divisor)

    def _nest(self, loop: Loop, depth: int, count: Term, divisor: Term) -> Block:
        rewriter = Rewriter(self._pool, depth, count, divisor)
        body = rewriter.block(loop.body)
        zero = self._pool.integer(0)
        inner = self._pool.induction(depth + 1, INDEX)
        loop = replace(loop, fits=False)
        nest = replace(loop, uppers=(count,), body=(replace(loop, iv=inner, uppers=(divisor,), body=body),))
        if any(NOTHING.nonnegative(self._pool, t) for t in (count, divisor)):
            return (nest,)
        signs = tuple(self._pool.make("arith.cmpi", (t, zero), BOOL, (("predicate", "sge"),)) for t in (count, divisor))
        premise = self._pool.make("arith.ori", signs, BOOL)
        if _divides_always(loop, divisor):
            return Assert(loop.id, premise, "the divisor is not positive"), nest
        return (If(loop.id, self._pool.integer(1, BOOL), (nest,), (), (premise,)),)


class Rewriter:
    """Rewrites the body of a loop at `depth` for a nest of two: the variable `k` becomes `divisor * i + j`."""

    def __init__(self, pool: TermPool, depth: int, count: Term, divisor: Term) -> None:
        self._pool = pool
        self._depth = depth
        self._divisor = divisor
        self._iv = pool.induction(depth, INDEX)
        self._inner = pool.induction(depth + 1, INDEX)
        self._memo: dict[int, Term] = {}
        self._raiser, self._dividing = Raiser(pool), Raiser(pool, exact=False)
        self._facts = NOTHING.with_known(
            pool,
            *(self._iv, quasi_affine.combine(pool, -1, ((count, 1), (self._iv, -1)))),
            *(self._inner, quasi_affine.combine(pool, -1, ((divisor, 1), (self._inner, -1)))),
        )

    def block(self, block: Block) -> Block:
        """The rewritten statements, without those that did nothing but divide.

        Raises: _NotRewritable for a statement of another kind.
        """
        return tuple([s for s in map(self._statement, block) if not _is_idle(s)])

    def _statement(self, statement: Statement) -> Statement:
        match statement:
            case Store():
                indices = self._terms(statement.indices)
                return replace(statement, indices=indices, value=self.term(statement.value))
            case Touch():
                accesses = tuple([self.term(t) for t in statement.accesses])
                return replace(statement, accesses=accesses, terms=tuple([self._touched(t) for t in statement.terms]))
            case Alloc(memory=memory):
                return replace(statement, memory=replace(memory, extents=self._terms(memory.extents)))
            case Dealloc():
                return statement
            case Loop():
                lowers, uppers = self._terms(statement.lowers), self._terms(statement.uppers)
                iv, step = self.term(statement.iv), self._index(statement.step)
                body = self.block(statement.body)
                return replace(statement, iv=iv, lowers=lowers, uppers=uppers, step=step, body=body)
            case If():
                condition, exact = self._index(statement.condition), self._terms(statement.exact)
                then, otherwise = self.block(statement.then), self.block(statement.otherwise)
                return If(statement.id, condition, then, otherwise, exact)
            case Assert():
                condition, exact = self._index(statement.condition), self._terms(statement.exact)
                return replace(statement, condition=condition, exact=exact)
            case _:
                raise _NotRewritable

    def _terms(self, terms: tuple[Term, ...]) -> tuple[Term, ...]:
        return tuple([self._index(t) for t in terms])

    def _index(self, term: Term) -> Term:
        return self._raiser.index(self.term(term), self._facts)

    def _touched(self, term: Term) -> Term:
        """An evaluated operator with its operands raised, as far as that keeps their values."""
        result = self.term(term)
        if not isinstance(result.type, IndexType) or not result.args:
            return result
        args = tuple([self._dividing.index(a, self._facts) for a in result.args])
        return self._pool.make(result.op, args, result.type, result.attrs)

    def term(self, root: Term) -> Term:
        """The rewritten term."""
        for node in postorder((root,)):
            if node.id not in self._memo:
                self._memo[node.id] = self._node(node, tuple(self._memo[a.id] for a in node.args))
        return self._memo[root.id]

    def _node(self, node: Term, args: tuple[Term, ...]) -> Term:
        if node is self._iv:
            return quasi_affine.add(self._pool, quasi_affine.multiply(self._pool, self._divisor, self._iv), self._inner)
        if node.op == "iv":
            depth = node.attr("depth")
            assert isinstance(depth, int)
            return node if depth < self._depth else self._pool.induction(depth + 1, node.type)
        if len(node.args) == 2 and node.args[0] is self._iv and not node.attrs:
            if node.op in QUOTIENTS and self._is_divisor(node.args[1]):
                return self._iv
            if node.op in REMAINDERS and self._is_divisor(node.args[1]):
                return self._inner
        if node.op == "affine.floordiv" and node.args[0] is self._iv and node.attr("divisor") == literal(self._divisor):
            return self._iv
        if node.op == "load":
            args = tuple([self._raiser.index(a, self._facts) for a in args])
        return quasi_affine.remade(self._pool, node, args)

    def _is_divisor(self, term: Term) -> bool:
        """True if a term has the value of the divisor wherever the nest runs. There the divisor is a positive index, so
        a sum that equals it modulo a power of two is it."""
        if term is self._divisor:
            return True
        nodes = [t for t in postorder((term,)) if t.args]
        if any(not facts_about(t.op).ring for t in nodes) or (len(nodes) > 1 and any(t.attrs for t in nodes)):
            return False
        return self._raiser.index(term) is self._divisor


def _has_product(block: Block) -> bool:
    """True if the variable of a loop is multiplied or divided by a variable: then the split was of no use."""
    terms = tuple(t for s in walk(block) for t in roots(s))
    products = tuple(t for t in postorder(terms) if t.op in ("affine.mul", "affine.quotient"))
    return any(t.op == "iv" for t in postorder(products))


def divides_iv(block: Block) -> bool:
    """True if an induction variable is divided by something other than a literal."""
    nested = (s for s in block if isinstance(s, Loop | If | While))
    terms = tuple(t for nest in nested for s in walk((nest,)) for t in roots(s))
    divisions = (t for t in postorder(terms) if t.op in QUOTIENTS or t.op in REMAINDERS)
    return any(literal(t.args[1]) is None and any(a.op == "iv" for a in postorder(t.args[:1])) for t in divisions)


def divisors(pool: TermPool, block: Block) -> Iterator[Term]:
    """What the variables of loops are divided by, other than literals and values from memory."""
    loops = (s for s in walk(block) if isinstance(s, Loop))
    found = (t for loop in loops for t in _divisors(pool, loop) if literal(t) is None)
    return (t for t in found if all(part.op in FIXED and part.op != "iv" for part in postorder((t,))))


def _divisors(pool: TermPool, loop: Loop) -> Iterator[Term]:
    """What the loop's variable is divided by in its body."""
    for statement in walk(loop.body):
        for term in postorder(tuple(roots(statement))):
            if not term.args or term.args[0] is not loop.iv:
                continue
            if term.op in QUOTIENTS or term.op in REMAINDERS:
                yield term.args[-1]
            elif term.op == "affine.floordiv":
                divisor = term.attr("divisor")
                assert isinstance(divisor, int)
                yield pool.integer(divisor)


def _exact_quotient(pool: TermPool, product: Term, divisor: Term) -> Term | None:
    """`product / divisor` if `divisor` is one of the factors; otherwise None."""
    coefficient, factors = quasi_affine.factors(product)
    value = literal(divisor)
    if isinstance(value, int):
        if value <= 0 or coefficient % value:
            return None
        coefficient //= value
    elif (times := _literal_factor(pool, product, divisor)) is not None:
        return pool.integer(times)
    elif divisor in factors:
        factors.remove(divisor)
    else:
        own, atoms = quasi_affine.factors(divisor)
        if own <= 0 or coefficient % own or len(atoms) != 1 or atoms[0] not in factors:
            return None
        coefficient //= own
        factors.remove(atoms[0])
    result = pool.integer(coefficient)
    for factor in factors:
        result = quasi_affine.multiply(pool, result, factor)
    return result


def _literal_factor(pool: TermPool, product: Term, divisor: Term) -> int | None:
    """The positive literal `n` with `product = n * divisor`; None if there is none."""
    whole, part = quasi_affine.linear(product), quasi_affine.linear(divisor)
    if not whole.terms or not part.terms or not part.terms[0][1]:
        return None
    times = whole.terms[0][1] // part.terms[0][1]
    return times if times > 0 and quasi_affine.combine(pool, 0, ((divisor, times),)) is product else None


def _divides_always(loop: Loop, divisor: Term) -> bool:
    """True if each iteration computes `k floordiv divisor` as `affine` does, which is undefined for `divisor <= 0`, or
    asserts that the divisor is positive."""
    if any(says_positive(s, divisor) for s in loop.body):
        return True
    return any(
        t.op == "affine.quotient" and t.args[0] is loop.iv and t.args[1] is divisor
        for s in loop.body
        if isinstance(s, Store) or (isinstance(s, Touch) and not s.guarded)
        for t in postorder(tuple(roots(s)))
    )


def _is_idle(statement: Statement) -> bool:
    """True for a touch of nothing that could be undefined."""
    return isinstance(statement, Touch) and not statement.accesses and not any(t.args for t in statement.terms)
