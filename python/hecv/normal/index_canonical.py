"""Canonical index arithmetic: subscripts, bounds and conditions become quasi-affine terms.

Each is raised (`hecv.program.index.raising`) with the facts at its place: the bounds of induction variables, and the
conditions of enclosing branches and earlier assertions. The result is valid wherever that statement runs, and must not
be used elsewhere. What a condition compares is taken modulo `2**index_width` where it may overflow, if that is asked
for (`index-modulo`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from msgspec.structs import replace

from hecv.base.term import Term, TermPool, literal, postorder, rebuild
from hecv.base.types import BOOL, INDEX, IndexType, IntType
from hecv.program.index import quasi_affine
from hecv.program.index.exact_integers import signed
from hecv.program.index.index_conditions import conjuncts, wrapping, wraps_around
from hecv.program.index.index_ranges import NOTHING, Facts
from hecv.program.index.raising import Raiser
from hecv.program.index.selector_folding import constant
from hecv.program.tree import Assert, Block, Evaluate, If, Load, Loop, Statement, Store, While, walk

DIVIDING = frozenset(("affine.quotient", "arith.divsi", "arith.remsi", "arith.floordivsi", "arith.ceildivsi"))
"""Divisions that are defined where the divisor is positive."""

MOST_FACTS = 64
"""Facts at a place, at most: each is looked at for every term."""


def canonicalize_indices(
    pool: TermPool,
    body: Block,
    index_width: int,
    facts: Facts = NOTHING,
    modular: Callable[[Term], bool] | None = None,
) -> Block:
    """The body with subscripts, bounds and conditions raised. The operands of index divisions are raised too, as far as
    that keeps their value whatever overflows. Loops that the `facts` show to be empty and branches with a known
    condition are removed; the facts hold for all inputs under consideration.

    With `modular`, a sum, difference or product that a condition compares, and that may leave the range of `index`, is
    taken modulo `2**index_width` if the condition is then one that `modular` accepts; otherwise it is read as exact.

    Example: `n - i > 0` is `n - i - 2**64 * ((n - i + 2**63) floordiv 2**64) > 0`.
    Requires: index arithmetic in subscripts and bounds does not overflow, nor do affine expressions.
    Ensures: the same accesses, where what `exact` of its branches says holds.
    """
    return _Canonicalizer(pool, index_width, modular).block(body, replace(facts, index_width=index_width))


def compares_computed_indices(body: Block) -> bool:
    """True if a branch or assertion compares sums, differences or products of indices."""
    return any(wrapping(s.condition) for s in walk(body) if isinstance(s, If | Assert))


def assumed_facts(pool: TermPool, constrain: Sequence[Term], index_width: int) -> Facts:
    """The facts that i1 terms over arguments and extents state if all of them hold."""
    return Facts(index_width=index_width).with_known(
        pool, *(form for term in constrain for form in conjuncts(pool, term, True))
    )


def _addresses(statement: Statement) -> tuple[Term, ...]:
    """The subscripts and bounds of a statement."""
    match statement:
        case Load(indices=indices) | Store(indices=indices):
            return indices
        case Loop():
            return (*statement.lowers, *statement.uppers, statement.step)
        case _:
            return ()


def _shows(pool: TermPool, part: Term, whole: Term) -> bool:
    """True if an overflow of the index `part` shows in `whole`: what is added to it has none of its variables and, if
    it is a literal, is small; or its factors are some of a product; or it shows in an operand of a `max` or `min`, or
    in what is rounded to a multiple."""
    for atom, coefficient in quasi_affine.linear(whole).terms:
        if atom.op == "affine.mul" and _is_factor(part, atom, coefficient):
            return True
        if atom.op == "affine.floordiv" and _is_rounded(atom, coefficient) and _shows(pool, part, atom.args[0]):
            return True
        if atom.op in ("affine.max", "affine.min") and any(_shows(pool, part, a) for a in atom.args):
            return True
    rest = quasi_affine.linear(quasi_affine.subtract(pool, whole, part))
    atoms = {a for a, _ in quasi_affine.linear(part).terms}
    # What is not proper stays with coefficient 0.
    return bool(atoms) and atoms.isdisjoint(a for a, c in rest.terms if c) and abs(rest.constant) < 1 << 31


def _is_rounded(floor: Term, coefficient: int) -> bool:
    """True if a floor with a coefficient is at least as far from 0 as its dividend, up to a small number."""
    divisor = floor.attr("divisor")
    assert isinstance(divisor, int)
    return abs(coefficient) >= divisor


def _is_factor(part: Term, product: Term, coefficient: int) -> bool:
    """True if a product with a coefficient is a part with a coefficient, times other factors."""
    (own, some), (more, every) = quasi_affine.factors(part), quasi_affine.factors(product)
    return bool(some) and abs(own) <= abs(coefficient * more) and Counter(some) <= Counter(every)


def _flagged(roots: tuple[Term, ...], through_choices: bool) -> list[Term]:
    """The index arithmetic with overflow flags under `roots`; with `through_choices`, also in the arms of a
    `select`."""
    found: dict[Term, None] = {}
    seen: set[int] = set()
    stack = list(roots)
    while stack:
        term = stack.pop()
        if term.id in seen:
            continue
        seen.add(term.id)
        if wraps_around(term.op) and term.attrs and isinstance(term.type, IndexType):
            found[term] = None
        stack.extend(term.args[:1] if term.op == "arith.select" and not through_choices else term.args)
    return list(found)


def _is_signed(term: Term) -> bool:
    """True if an op has no other flag than `nsw`."""
    return all(name == "overflow" and "nuw" not in str(value) for name, value in term.attrs)


def _stays(statement: Statement, kept: set[int]) -> bool:
    """True if a statement evaluates an operator whose operands must not be raised."""
    if not isinstance(statement, Evaluate):
        return False
    return statement.term.id in kept or not isinstance(statement.term.type, IndexType)


def _coefficients(term: Term) -> tuple[object, ...]:
    found = term.attr("coefficients")
    assert isinstance(found, tuple)
    return found


def _parts(asserted: Assert) -> Iterator[Assert]:
    """An assertion about the contents of memory, split into one for each conjunct: other passes make such assertions
    too."""
    condition = asserted.condition
    if condition.op != "arith.andi" or not _reads(condition):
        yield asserted
        return
    for part in condition.args:
        yield from _parts(replace(asserted, condition=part))


def _reads(condition: Term) -> bool:
    return any(t.op == "read" for t in postorder((condition,)))


def _divides_by_unknown(term: Term) -> bool:
    return term.op in DIVIDING and isinstance(term.type, IndexType) and literal(term.args[1]) is None


def _computes(condition: Term) -> bool:
    """True if a condition compares computed indices."""
    return any(wraps_around(t.op) and isinstance(t.type, IndexType) for t in postorder((condition,)))


class _Canonicalizer:
    def __init__(self, pool: TermPool, index_width: int, modular: Callable[[Term], bool] | None) -> None:
        self._pool = pool
        self._width = index_width
        self._modular = modular
        self._raiser = Raiser(pool, index_width=index_width)
        self._dividing = Raiser(pool, exact=False, index_width=index_width)
        self._choosing: dict[int, bool] = {}

    def block(self, block: Block, facts: Facts) -> Block:
        # What a store of the block performs stays the term that its value has.
        kept = {t.id for t in postorder(tuple(s.value for s in block if isinstance(s, Store)))}
        out: list[Statement] = []
        for statement in block:
            for condition, asserted in self._flags(statement, facts):
                out += asserted
                facts = self._where(condition, True, facts)
            if self._is_idle(statement, facts):
                continue
            made = self._divisor(statement)
            if made is None:
                made = statement if _stays(statement, kept) else self._statement(statement, facts)
            if isinstance(made, If) and literal(made.condition) is not None and not made.exact:
                out += made.then if literal(made.condition) else made.otherwise
            elif not (isinstance(made, Loop) and self._is_empty(made, facts)):
                out += _parts(made) if isinstance(made, Assert) else (made,)
            if isinstance(made, Assert):
                facts = self._where(made.condition, True, facts)
        return tuple(out)

    def _flags(self, statement: Statement, facts: Facts) -> Iterator[tuple[Term, tuple[Assert, ...]]]:
        """The ranges that overflow flags in subscripts and bounds demand, since beyond these the subscript or bound is
        poison; and the assertions for them.

        That they do not overflow is assumed if it shows in the whole: what cancels (`p - p`) does not show. In an arm
        of a `select` nothing may be demanded: there it is a premise.
        """
        for root in _addresses(statement):
            yield from self._flags_of(statement, root, facts)
        if self._modular is not None and isinstance(statement, If | Assert):
            yield from self._condition_flags(statement, facts)

    def _condition_flags(self, statement: If | Assert, facts: Facts) -> Iterator[tuple[Term, tuple[Assert, ...]]]:
        """The same for a comparison: a branch on poison is undefined, and so is its assertion."""
        condition = statement.condition
        for node in _flagged((condition,), through_choices=False) if condition.op == "arith.cmpi" else ():
            value, needed = self._raiser.index(node, facts), self._needed(node)
            if any(t.attrs and not _is_signed(t) for t in needed) or not quasi_affine.is_proper(value):
                continue
            if self._exact(tuple(t for t in needed if not t.attrs), facts):
                continue
            if not facts.is_index(self._pool, value, self._width):
                demanded = self._in_range(value)
                yield demanded, (Assert(statement.id, demanded, "index arithmetic with a flag does not overflow"),)

    def _flags_of(self, statement: Statement, root: Term, facts: Facts) -> Iterator[tuple[Term, tuple[Assert, ...]]]:
        flagged = _flagged((root,), through_choices=True)
        strict = _flagged((root,), through_choices=False) if flagged else []
        for node in flagged:
            value = self._raiser.index(node, facts)
            if value is node or facts.is_index(self._pool, value, self._width):
                continue
            demanded = self._in_range(value)
            if _shows(self._pool, value, self._raiser.index(root, facts)):
                yield demanded, ()
            elif node in strict:
                yield demanded, (Assert(statement.id, demanded, "index arithmetic with a flag does not overflow"),)
            else:
                yield demanded, (Assert(statement.id, self._pool.integer(1, BOOL), "", (value,)),)

    def _in_range(self, value: Term) -> Term:
        half = 1 << (self._width - 1)
        bounds = (("sge", -half), ("sle", half - 1))
        parts = [
            self._pool.make("arith.cmpi", (value, self._pool.integer(bound)), BOOL, (("predicate", predicate),))
            for predicate, bound in bounds
        ]
        return self._pool.make("arith.andi", tuple(parts), BOOL)

    def _index(self, terms: tuple[Term, ...], facts: Facts) -> tuple[Term, ...]:
        return tuple([self._raiser.index(t, facts) for t in terms])

    def _subscripts(self, terms: tuple[Term, ...], facts: Facts) -> tuple[Term, ...]:
        """The subscripts of one access. A term that cancels in one of them may still be poison; if it shows in another,
        that one tells: in `A[r, 32 * r + j - 32 * r]` the second subscript is `j`."""
        raised = self._index(terms, facts)
        if len(raised) == 1 or not any(t.op == "affine.linear" and 0 in _coefficients(t) for t in raised):
            return raised
        found = list(raised)
        for place, term in enumerate(found):
            form = quasi_affine.linear(term)
            others = {a for k, other in enumerate(found) if k != place for a, _ in quasi_affine.linear(other).terms}
            kept = tuple([(a, c) for a, c in form.terms if c or a not in others])
            if len(kept) < len(form.terms):
                found[place] = quasi_affine.of_linear(self._pool, quasi_affine.Linear(form.constant, kept))
        return tuple(found)

    def _is_idle(self, statement: Statement, facts: Facts) -> bool:
        """True if a statement only divides by an index that the facts show to be positive, whatever overflows: a
        divisor is no subscript."""
        return (
            isinstance(statement, Evaluate)
            and statement.term.op in DIVIDING
            and isinstance(statement.term.type, IndexType)
            and self._dividing.is_positive(statement.term.args[1], facts)
        )

    def _divisor(self, statement: Statement) -> Assert | None:
        """The side condition of an `affine` division as an assertion: the divisor is positive. None if the divisor may
        be poison, as the division demands more then."""
        if not isinstance(statement, Evaluate) or statement.term.op != "affine.quotient":
            return None
        divisor = self._dividing.index(statement.term.args[1])
        if not quasi_affine.is_proper(divisor):
            return None
        positive = self._pool.make("arith.cmpi", (divisor, self._pool.integer(0)), BOOL, (("predicate", "sgt"),))
        return Assert(statement.id, positive, "the divisor is not positive")

    def _statement(self, statement: Statement, facts: Facts) -> Statement:
        match statement:
            case Load(indices=indices):
                return replace(statement, indices=self._subscripts(indices, facts)) if indices else statement
            case Store(indices=indices):
                return replace(
                    statement, indices=self._subscripts(indices, facts), value=self._value(statement.value, facts)
                )
            case Evaluate(term=term):
                args = tuple([self._dividing.index(a, facts) for a in term.args])
                return replace(statement, term=self._pool.make(term.op, args, term.type, term.attrs))
            case Loop():
                return self._loop(statement, facts)
            case If():
                raised, exact = self._condition(statement.condition, facts)
                then = self.block(statement.then, self._where(raised, True, facts))
                otherwise = self.block(statement.otherwise, self._where(raised, False, facts))
                return If(statement.id, raised, then, otherwise, exact)
            case While():
                before, after = self.block(statement.before, facts), self.block(statement.after, facts)
                return replace(statement, before=before, after=after)
            case Assert():
                raised, exact = self._condition(statement.condition, facts)
                return replace(statement, condition=raised, exact=exact)
            case _:
                return statement

    def _value(self, value: Term, facts: Facts) -> Term:
        """A value with index divisions by non-literals as floors, as far as that keeps the value whatever overflows,
        and with the conditions of its selects raised. A condition shows what a remainder is, as it is written."""
        if any(map(_divides_by_unknown, postorder((value,)))):
            value = rebuild(self._pool, value, lambda term: self._floored(term, facts), {})
        if self._chooses(value):
            conditions = (t.args[0] for t in postorder((value,)) if t.op == "arith.select" and _computes(t.args[0]))
            raised = {c.id: self._condition(c, facts) for c in conditions}
            plain = {number: condition for number, (condition, exact) in raised.items() if not exact}
            value = rebuild(self._pool, value, lambda term: plain.get(term.id), {})
        return value

    def _floored(self, term: Term, facts: Facts) -> Term | None:
        """The raised form of a part of a value that is an index or a condition; None for any other part."""
        if isinstance(term.type, IndexType) and any(map(_divides_by_unknown, postorder((term,)))):
            return self._dividing.index(term, facts)
        return term if term.type in (INDEX, BOOL) else None

    def _chooses(self, value: Term) -> bool:
        """True if a value has a select on a condition that compares computed indices."""
        stack = [value]
        while stack:
            term = stack[-1]
            open_ = [a for a in term.args if a.id not in self._choosing]
            if term.id not in self._choosing and open_:
                stack += open_
                continue
            own = term.op == "arith.select" and _computes(term.args[0])
            self._choosing[term.id] = own or any(self._choosing[a.id] for a in term.args)
            stack.pop()
        return self._choosing[value.id]

    def _condition(self, condition: Term, facts: Facts) -> tuple[Term, tuple[Term, ...]]:
        """A raised condition, and what it then reads as exact arithmetic; without arms that are not taken, if these do
        not change what the condition is raised to."""
        raised, taken = self._raiser.index(condition, facts), self._dividing.index(condition, facts)
        computed = taken if self._raiser.index(taken, facts) is raised else condition
        exact = self._exact(wrapping(computed), facts)
        wrapped = self._wrapped(computed, facts) if exact and self._modular is not None else None
        if wrapped is None or not self._modular or not self._modular(wrapped):
            return raised, exact
        return wrapped, ()

    def _wrapped(self, condition: Term, facts: Facts) -> Term | None:
        """The raised condition with what it compares modulo `2**width`; None if what is within that, as a dividend,
        may leave the range of `index`, too, or may be poison."""
        compared: dict[int, Term] = {}
        for node in postorder((condition,)):
            if node.op == "arith.cmpi" and isinstance(node.args[0].type, IndexType):
                operands = tuple([self._remainder(a, facts) for a in node.args])
                if None in operands:
                    return None
                args = tuple([a for a in operands if a is not None])
                compared[node.id] = self._pool.make(node.op, args, BOOL, node.attrs)
        return self._raiser.index(rebuild(self._pool, condition, lambda term: compared.get(term.id), {}), facts)

    def _needed(self, term: Term) -> tuple[Term, ...]:
        """The index terms in a term, itself included, that are in the range of `index` if it is read as exact."""
        return wrapping(self._pool.make("arith.cmpi", (term, term), BOOL, (("predicate", "eq"),)))

    def _remainder(self, term: Term, facts: Facts) -> Term | None:
        """The value of a compared index, whatever the sums, differences and products that it consists of overflow."""
        raised, needed = self._raiser.index(term, facts), self._needed(term)
        if self._exact(tuple(t for t in needed if t is not term), facts) or not quasi_affine.is_proper(raised):
            return None
        if not self._exact(needed, facts):
            return raised
        half, size = self._pool.integer(1 << (self._width - 1)), self._pool.integer(1 << self._width)
        turns = quasi_affine.floordiv(self._pool, quasi_affine.add(self._pool, raised, half), size)
        return quasi_affine.combine(self._pool, 0, ((raised, 1), (turns, -(1 << self._width))))

    def _exact(self, terms: tuple[Term, ...], facts: Facts) -> tuple[Term, ...]:
        """Those of the terms that are not known to be in the range of `index`."""
        found = (t for t in dict.fromkeys(self._index(terms, facts)) if t.args or literal(t) is not None)
        return tuple(t for t in found if not facts.is_index(self._pool, t, self._width))

    def _where(self, condition: Term, holds: bool, facts: Facts) -> Facts:
        return self._with(facts, conjuncts(self._pool, condition, holds))

    def _with(self, facts: Facts, forms: tuple[Term, ...]) -> Facts:
        return facts.with_known(self._pool, *forms) if len(facts.known) < MOST_FACTS else facts

    def _loop(self, loop: Loop, facts: Facts) -> Loop:
        lowers = self._bounds("affine.max", self._index(loop.lowers, facts), facts)
        uppers = self._bounds("affine.min", self._index(loop.uppers, facts), facts)
        step = self._step(loop, facts)
        made = replace(loop, lowers=lowers, uppers=uppers, step=step)
        if self._is_empty(made, facts):
            return made
        forms = () if loop.unsigned else tuple(self._ranges(made))
        return replace(made, body=self.block(loop.body, self._with(facts, forms)))

    def _step(self, loop: Loop, facts: Facts) -> Term:
        """The step of a loop; a literal if the facts leave a single value."""
        step = constant(self._pool, self._raiser.index(loop.step, facts))
        if not isinstance(step.type, IndexType) or literal(step) is not None or not quasi_affine.is_proper(step):
            return step
        least = facts.least(self._pool, quasi_affine.linear(step))
        known = least is not None and facts.nonnegative(
            self._pool, quasi_affine.combine(self._pool, least, ((step, -1),))
        )
        return self._pool.integer(least) if known and least is not None else step

    def _bounds(self, op: str, bounds: tuple[Term, ...], facts: Facts) -> tuple[Term, ...]:
        """The bounds of a loop without those that another bound implies, by the facts."""
        if len(bounds) == 1 or not all(isinstance(t.type, IndexType) and quasi_affine.is_proper(t) for t in bounds):
            return bounds
        end = self._raiser.index(quasi_affine.extremum(self._pool, op, bounds), facts)
        return end.args if end.op == op else (end,)

    def _is_empty(self, loop: Loop, facts: Facts) -> bool:
        """True if the facts show that a loop never runs, since an upper bound is not above a lower one, and that it is
        defined: no bound is poison, and the step is positive."""
        step = self._as_index(loop.step)
        by = None if step is None else literal(step)
        if loop.unsigned or not isinstance(by, int) or by <= 0:
            return False
        lowers, uppers = ([*filter(None, map(self._as_index, terms))] for terms in (loop.lowers, loop.uppers))
        if len(lowers) < len(loop.lowers) or len(uppers) < len(loop.uppers):
            return False
        pairs = ((low, up) for low in lowers for up in uppers)
        ends = any(facts.nonnegative(self._pool, quasi_affine.subtract(self._pool, low, up)) for low, up in pairs)
        return ends and all(map(quasi_affine.is_proper, (*lowers, *uppers)))

    def _ranges(self, loop: Loop) -> Iterator[Term]:
        """`iv - lower`, and `upper - 1 - iv`, or `upper - step - iv` if `upper` is reached by whole steps: all at least
        0, as a loop that runs has a positive step."""
        value, step = self._as_index(loop.iv), literal(loop.step)
        if value is None:
            return
        lowers = [*filter(None, map(self._as_index, loop.lowers))]
        for bound in lowers:
            yield quasi_affine.subtract(self._pool, value, bound)
        strides = len(loop.lowers) == len(lowers) == 1 and isinstance(loop.iv.type, IndexType)
        stride = step if isinstance(step, int) and strides else 1
        for bound in filter(None, map(self._as_index, loop.uppers)):
            reached = stride > 1 and quasi_affine.is_multiple(
                quasi_affine.subtract(self._pool, bound, lowers[0]), stride
            )
            yield quasi_affine.combine(self._pool, -stride if reached else -1, ((bound, 1), (value, -1)))

    def _as_index(self, term: Term) -> Term | None:
        """A bound or induction variable as an index with its exact signed value; None if that is not one term."""
        if not isinstance(term.type, IntType):
            return term
        value = literal(term)
        if isinstance(value, int):
            return self._pool.integer(signed(value, term.type.width))
        cast = term.op in ("iv", "arg") and 1 < term.type.width <= self._width  # a cast that drops no bits
        return self._pool.make("arith.index_cast", (term,), INDEX) if cast else None
