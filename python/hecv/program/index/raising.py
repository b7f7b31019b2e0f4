"""Raising: index arithmetic written with `arith` becomes quasi-affine terms (`hecv.program.index.quasi_affine`).

Only terms used as a subscript, bound or condition are raised. In subscripts and bounds, index arithmetic is assumed not
to overflow, and every verdict that rests on this assumption prints it. In conditions it has to be proved (`wrapping`).

Lowerings write `floordiv`, `ceildiv`, `mod`, `min` and `max` as a `select` on a sign around a division that rounds to
zero. No particular spelling is matched: each arm of a `select` is raised under its condition, and if both arms become
the same canonical term, that term is the value. The remainder is an exception: its two arms are the same number but not
the same term.
"""

from __future__ import annotations

from math import gcd

from hecv.base.term import Term, TermPool, literal, postorder
from hecv.base.types import BOOL, INDEX, IndexType
from hecv.ops import facts_about
from hecv.program.index import floor_quotients, quasi_affine
from hecv.program.index.exact_integers import Widening
from hecv.program.index.index_conditions import conjuncts, form_of, negated, wraps_around
from hecv.program.index.index_masks import masked
from hecv.program.index.index_polynomials import divided, polynomial_of, term_of
from hecv.program.index.index_ranges import NOTHING, Facts
from hecv.program.index.row_lengths import Place, digits

DIVISIONS = frozenset(("arith.divsi", "arith.remsi"))
MOST_COMPARED = 8
"""Operands of a `max` or `min` that are compared with each other, at most."""

MAX_NESTED_BRANCHES = 4
"""Nesting depth of `select` up to which an arm is raised under its condition; each level doubles the work."""

_UNSIGNED = {"ult": "slt", "ule": "sle", "ugt": "sgt", "uge": "sge"}


class Raiser:
    """Raises terms of one pool; results are memoised between calls.

    Unless arithmetic is read as `exact`, ops that wrap are left as they are (except on small literals), and a raised
    term has the value of the term whatever overflows.
    """

    def __init__(
        self, pool: TermPool, exact: bool = True, index_width: int | None = None, asserted: bool = True
    ) -> None:
        """`index_width` is the width of `index`, used to show that arithmetic is exact; None means at least 32.

        `asserted`: what `affine.within` and `affine.below` state is asserted elsewhere; otherwise they are kept.
        """
        self._pool = pool
        self.asserted = asserted
        self._width = index_width
        self._reads_exact = exact
        self._memo: dict[tuple[Facts, bool], dict[int, Term]] = {}
        self._recent = NOTHING, False, self._memo.setdefault((NOTHING, False), {})
        self._divides: dict[int, bool] = {}

    def index(self, term: Term, facts: Facts = NOTHING) -> Term:
        """`term` with its index arithmetic in canonical form, where `facts` hold; other operators are left."""
        raised = self._raise(term, facts, 0, False)
        return self._raise(raised, facts, 0, True) if self._has_division(raised) else raised

    def exact(self, term: Term) -> Term:
        """`term` with wrapping arithmetic read as exact, using no facts; a division that facts elsewhere may
        simplify is left."""
        return self._raise(term, NOTHING, 0, False)

    def _has_division(self, term: Term) -> bool:
        known = self._divides.get(term.id)
        if known is None:
            parts = postorder((term,))
            known = self._divides[term.id] = any(t.op in DIVISIONS and isinstance(t.type, IndexType) for t in parts)
        return known

    def _raise(self, term: Term, facts: Facts, nested: int, settled: bool) -> Term:
        """The raised term. A division whose dividend has no known sign is left unless `settled`."""
        memo = self._results(facts, settled)
        if term.id in memo:
            return memo[term.id]
        place = _Place(self._pool, facts, settled, self, nested)
        for node in postorder((term,)):
            if node.id not in memo:
                memo[node.id] = place.raised(node, tuple(memo[a.id] for a in node.args))
        return memo[term.id]

    def _results(self, facts: Facts, settled: bool) -> dict[int, Term]:
        """The memo of raised terms under these facts."""
        if self._recent[0] is not facts or self._recent[1] is not settled:
            self._recent = facts, settled, self._memo.setdefault((facts, settled), {})
        return self._recent[2]

    def keeps(self, op: str, exact: Term, facts: Facts) -> bool:
        """True if an operator is left as it is; `exact` is its value if it does not wrap."""
        if self._reads_exact or not wraps_around(op):
            return False
        return self._width is None or not facts.is_index(self._pool, exact, self._width)

    def widest(self, width: int) -> int:
        """The width that a value of an integer type of `width` bits must fit to be the same number as an `index`."""
        return min(width, 32 if self._width is None else self._width)

    def is_positive(self, divisor: Term, facts: Facts) -> bool:
        """True if the raised divisor is positive by the facts, and is not poison."""
        return _Place(self._pool, facts, False, self, 0).is_positive(self._raise(divisor, facts, 0, False))

    def under(self, term: Term, facts: Facts, nested: int, settled: bool) -> Term:
        """An arm of a `select`, raised again under its condition."""
        return self._raise(term, facts, nested, settled) if nested <= MAX_NESTED_BRANCHES else term


class _Place:
    """Raises operators whose operands are raised, at a place where `facts` hold."""

    def __init__(self, pool: TermPool, facts: Facts, settled: bool, raiser: Raiser, nested: int) -> None:
        self._pool = pool
        self._facts = facts
        self._settled = settled
        self._raiser = raiser
        self._nested = nested

    def raised(self, node: Term, args: tuple[Term, ...]) -> Term:
        """The raised term of `node`, whose raised operands are `args`."""
        raised: Term | None = None
        if isinstance(node.type, IndexType):
            op = self._signed_op(node.op, args)
            chosen = self._chosen(node, args) if op.startswith("affine.") else None
            if chosen is not None:
                return chosen
            raised = self._affine(node, args) if op.startswith("affine.") else self._arithmetic(op, node, args)
        elif node.op == "arith.cmpi":
            raised = self._comparison(node, args)
        elif node.op in ("arith.andi", "arith.ori") and node.type == BOOL:
            raised = _connected(node.op, args)
        if raised is not None:
            return raised
        return node if args == node.args else self._pool.make(node.op, args, node.type, node.attrs)

    def _evaluated(self, term: Term) -> Term:
        """A sum in which each floor that is not poison and has a single value is replaced by that value."""
        pool, form = self._pool, quasi_affine.linear(term)
        floors = [a for a, _ in form.terms if a.op == "affine.floordiv" and quasi_affine.is_proper(a)]
        known = {a: self._facts.quotient(pool, a) for a in floors}
        values = {a: pool.integer(value) for a, value in known.items() if value is not None}
        parts = tuple((values.get(a, a), c) for a, c in form.terms)
        return quasi_affine.combine(pool, form.constant, parts) if values else term

    def _nonnegative(self, *terms: Term) -> bool:
        return all(self._facts.nonnegative(self._pool, t) for t in terms)

    def _signed_op(self, op: str, args: tuple[Term, ...]) -> str:
        signed = facts_about(op).signed
        return signed if signed and self._nonnegative(*args) else op

    def _affine(self, node: Term, args: tuple[Term, ...]) -> Term | None:
        pool = self._pool
        match node.op:
            case "affine.linear":
                form = quasi_affine.linear(node)
                parts = tuple((a, c) for a, (_, c) in zip(args, form.terms, strict=True))
                return self._expanded(quasi_affine.combine(pool, form.constant, parts))
            case "affine.floordiv":
                divisor = node.attr("divisor")
                assert isinstance(divisor, int)
                nested = self._of_quotient(args[0], pool.integer(divisor)) if args[0].op == "affine.quotient" else None
                return nested or self._evaluated(quasi_affine.floordiv(pool, args[0], pool.integer(divisor)))
            case "affine.quotient":
                return self._row(args[0], args[1]) or floor_quotients.floordiv(pool, args[0], args[1])
            case "affine.max" | "affine.min":
                return self._extremum(node.op, args)
            case "affine.mul":
                return quasi_affine.multiply(pool, args[0], args[1])
            case "affine.within" | "affine.below" if self._raiser.asserted and quasi_affine.is_proper(args[1]):
                return args[0]
            case _:
                return None

    def _row(self, dividend: Term, divisor: Term) -> Term | None:
        """`(n*i + j) floordiv n` as `i`, where the facts show `0 <= j < n`, so that the division is defined; where they
        show no more than `n > 0`, as `i + j floordiv n`."""
        pool, length = self._pool, None if literal(divisor) is not None else polynomial_of(divisor)
        whole = polynomial_of(dividend, proper=False) if length is not None and self._is_defined(dividend) else None
        if length is None or whole is None:
            return None
        found = digits(pool, Place(whole, self._facts), (length,))
        if found is not None:
            return found[0]
        if dividend.op == "affine.quotient" and (nested := self._of_quotient(dividend, divisor)) is not None:
            return nested
        parts = divided(whole, length) if self.is_positive(divisor) else None
        if parts is None or not parts[0]:
            return None
        rest = floor_quotients.floordiv(pool, term_of(pool, parts[1]), divisor)
        return quasi_affine.add(pool, term_of(pool, parts[0]), rest)

    def _of_quotient(self, dividend: Term, divisor: Term) -> Term | None:
        """`(x floordiv n) floordiv m` as `x floordiv n*m`, where the facts show which row of `n*m` elements has `x`."""
        pool, (whole, length) = self._pool, dividend.args
        size = polynomial_of(quasi_affine.multiply(pool, length, divisor))
        place = polynomial_of(whole, proper=False) if self.is_positive(length) and self._is_defined(whole) else None
        found = None if size is None or place is None else digits(pool, Place(place, self._facts), (size,))
        return None if found is None else found[0]

    def _is_defined(self, term: Term) -> bool:
        """True if an index term is not poison, and its divisions are by what the facts show to be positive."""
        nodes = (t for t in postorder((term,)) if t.op != "affine.quotient" or not self.is_positive(t.args[1]))
        return all(t.op != "affine.quotient" and quasi_affine.is_proper_op(t) for t in nodes)

    def _expanded(self, total: Term) -> Term:
        """A sum with quotients, multiplied out where that makes it shorter: in `x - n * (x floordiv n)` they cancel."""
        products = tuple(a for a in total.args if a.op in ("affine.quotient", "affine.mul"))
        if total.op != "affine.linear" or all(t.op != "affine.quotient" for t in postorder(products)):
            return total
        whole = polynomial_of(total, proper=False) if self._is_defined(total) else None
        made = total if whole is None else term_of(self._pool, whole)
        return made if len(quasi_affine.linear(made).terms) < len(total.args) else total

    def _chosen(self, node: Term, args: tuple[Term, ...]) -> Term | None:
        """An operator on a value that is poison unless a condition holds, as a value that is poison unless it does."""
        strict = args[:1] if node.op == "affine.quotient" else args  # division by poison is undefined
        choice = next(filter(_is_conditional, strict), None)
        if choice is None:
            return None
        condition, _, poison = choice.args
        own = tuple(
            a.args[1] if k < len(strict) and _is_conditional(a) and a.args[0] is condition else a
            for k, a in enumerate(args)
        )
        facts = self._facts.with_known(self._pool, *conjuncts(self._pool, condition, True))
        value = self._branch(quasi_affine.remade(self._pool, node, own), facts)
        return self._pool.make("arith.select", (condition, value, poison), INDEX)

    def _arithmetic(self, op: str, node: Term, args: tuple[Term, ...]) -> Term | None:
        if wraps_around(op):
            exact = self._exact(op, node, args)
            kept = exact is None or (self._raiser.keeps(op, exact, self._facts) and not _are_small(op, args))
            return None if kept else exact
        match op:
            case "arith.maxsi" | "arith.minsi":
                return self._extremum("affine.max" if op == "arith.maxsi" else "affine.min", args)
            case "arith.floordivsi" if self.is_positive(args[1]):
                return floor_quotients.floordiv(self._pool, args[0], args[1])
            case "arith.ceildivsi" if self.is_positive(args[1]):
                return floor_quotients.ceildiv(self._pool, args[0], args[1])
            case "arith.divui" if literal(args[1]) == 1 and not node.attrs:
                return args[0]
            case "arith.divsi" | "arith.remsi" if not node.attrs:
                return self._division(op, args)
            case "arith.shrsi" if not node.attrs and (power := _power(args[1])):
                return quasi_affine.floordiv(self._pool, args[0], self._pool.integer(power))
            case "arith.andi" | "arith.ori" | "arith.xori":
                return masked(self._pool, op, args)
            case "arith.select":
                return self._select(args)
            case "arith.index_cast" | "arith.index_castui":
                return self._cast(op, args[0], bool(node.attrs))
            case _:
                return None

    def _extremum(self, op: str, args: tuple[Term, ...]) -> Term:
        """The greatest or least of `args`, without those that the facts show to be dominated by another."""
        result = quasi_affine.extremum(self._pool, op, args)
        if result.op != op or len(result.args) > MOST_COMPARED:
            return result
        kept = list(result.args)
        for one in result.args:
            others = [o for o in kept if o is not one]
            if quasi_affine.is_proper(one) and any(self._dominates(op, o, one) for o in others):
                kept = others
        return quasi_affine.extremum(self._pool, op, tuple(kept))

    def _dominates(self, op: str, one: Term, other: Term) -> bool:
        more, less = (one, other) if op == "affine.max" else (other, one)
        return self._nonnegative(quasi_affine.subtract(self._pool, more, less))

    def _exact(self, op: str, node: Term, args: tuple[Term, ...]) -> Term | None:
        """Wrapping arithmetic as exact arithmetic. An op with an unsigned flag is left unless nothing is negative."""
        pool, (left, right) = self._pool, args
        match op:
            case "arith.addi":
                exact = quasi_affine.add(pool, left, right)
            case "arith.subi":
                exact = quasi_affine.subtract(pool, left, right)
            case "arith.muli":
                exact = quasi_affine.multiply(pool, left, right)
            case _:
                power = _power(right)
                if power is None:
                    return None
                exact = quasi_affine.multiply(pool, left, pool.integer(power))
        unsigned = any("nuw" in str(value) for name, value in node.attrs if name == "overflow")
        return exact if not unsigned or self._nonnegative(left, right, exact) else None

    def _division(self, op: str, args: tuple[Term, ...]) -> Term | None:
        """A division by a positive index, rounded to zero; its remainder if `op` is one."""
        pool, (dividend, divisor) = self._pool, args
        if not self.is_positive(divisor):
            return None
        if self._nonnegative(dividend):
            quotient = floor_quotients.floordiv(pool, dividend, divisor)
        elif self._nonnegative(quasi_affine.combine(pool, 0, ((dividend, -1),))):
            quotient = floor_quotients.ceildiv(pool, dividend, divisor)
        elif self._settled:
            zero = pool.integer(0)
            floor = quasi_affine.extremum(pool, "affine.max", (zero, floor_quotients.floordiv(pool, dividend, divisor)))
            quotient = quasi_affine.add(
                pool,
                floor,
                quasi_affine.extremum(pool, "affine.min", (zero, floor_quotients.ceildiv(pool, dividend, divisor))),
            )
        else:
            return None
        if op == "arith.divsi":
            return quotient
        return quasi_affine.subtract(pool, dividend, quasi_affine.multiply(pool, divisor, quotient))

    # Branches.

    def _select(self, args: tuple[Term, ...]) -> Term | None:
        pool, (condition, then, otherwise) = self._pool, args
        known = literal(condition)
        if known is not None:
            return then if known else otherwise
        if then.op == "arith.select" and then.args[0] is condition:
            return self._select((condition, then.args[1], otherwise)) or pool.make(
                "arith.select", (condition, then.args[1], otherwise), INDEX
            )
        form = form_of(pool, condition)
        if form is None:
            return self._of_parity(condition, then, otherwise)
        found = self._rest(form, then, otherwise)
        if found is not None:
            return found
        if form is quasi_affine.combine(pool, -1, ((otherwise, -1),)) and floor_quotients.is_modulo(pool, otherwise):
            return otherwise
        facts = self._facts.with_known(pool, form), self._facts.with_known(pool, negated(pool, form))
        first, second = self._branch(then, facts[0]), self._branch(otherwise, facts[1])
        if first is second and _improper(form) <= _improper(first):
            return first
        if _improper(first) | _improper(second) == _improper(form):
            more = quasi_affine.subtract(pool, first, second)
            less = quasi_affine.subtract(pool, second, first)
            for op, one, other in (("affine.max", more, less), ("affine.min", less, more)):
                if facts[0].nonnegative(pool, one) and facts[1].nonnegative(pool, other):
                    return quasi_affine.extremum(pool, op, (first, second))
        return pool.make("arith.select", (condition, first, second), INDEX)

    def _of_parity(self, condition: Term, then: Term, otherwise: Term) -> Term | None:
        """`d = 0 ? a : b` is `a + (b - a) * d` for literals `a` and `b`, if `d` is 0 or 1."""
        pool, predicate = self._pool, condition.attr("predicate") if condition.op == "arith.cmpi" else None
        first, second = literal(then), literal(otherwise)
        if predicate not in ("eq", "ne") or not isinstance(first, int) or not isinstance(second, int):
            return None
        if not isinstance(condition.args[0].type, IndexType):
            return None
        if predicate == "ne":
            first, second = second, first
        for left, right in (condition.args, condition.args[::-1]):
            parity = quasi_affine.subtract(pool, left, right)
            if self._nonnegative(parity, quasi_affine.combine(pool, 1, ((parity, -1),))):
                return quasi_affine.combine(pool, first, ((parity, second - first),))
        return None

    def _rest(self, form: Term, then: Term, otherwise: Term) -> Term | None:
        """`r < 0 ? r + c : r`, with `r` the remainder of a division by `c` rounded to zero, is `mod c`."""
        pool = self._pool
        if otherwise.op != "arith.remsi" or not self.is_positive(otherwise.args[1]):
            return None
        dividend, divisor = otherwise.args
        if form is not quasi_affine.combine(pool, -1, ((otherwise, -1),)):
            return None
        # Where `r` is negative the sum does not wrap.
        wrapped = then.op == "arith.addi" and not then.attrs and set(then.args) == {otherwise, divisor}
        return (
            floor_quotients.modulo(pool, dividend, divisor)
            if wrapped or then is quasi_affine.add(pool, otherwise, divisor)
            else None
        )

    def is_positive(self, divisor: Term) -> bool:
        """True if a divisor is a positive literal, or the facts show that it is positive and it is not poison."""
        value = literal(divisor)
        if value is not None:
            return isinstance(value, int) and value > 0
        return quasi_affine.is_proper(divisor) and self._nonnegative(
            quasi_affine.combine(self._pool, -1, ((divisor, 1),))
        )

    def _branch(self, term: Term, facts: Facts) -> Term:
        return self._raiser.under(term, facts, self._nested + 1, self._settled)

    def _comparison(self, node: Term, args: tuple[Term, ...]) -> Term | None:
        """A comparison of indices: a literal if the facts decide it, and signed if nothing is negative."""
        if not isinstance(args[0].type, IndexType):
            return None
        pool, predicate = self._pool, str(node.attr("predicate"))
        if predicate in _UNSIGNED:
            if not self._nonnegative(*args):
                return None
            predicate = _UNSIGNED[predicate]
        compared = pool.make("arith.cmpi", args, BOOL, (("predicate", predicate),))
        form = form_of(pool, compared)
        if form is None:
            return compared
        if not _is_evaluated(form):
            return self._of_row(form) or compared
        if self._nonnegative(form):
            return pool.integer(1, BOOL)
        return pool.integer(0, BOOL) if self._nonnegative(negated(pool, form)) else compared

    def _of_row(self, form: Term) -> Term | None:
        """`32 * r + j >= 0` as `r >= 0`, where memory holds `r` and the facts show `0 <= j < 32`; None if not so.

        The two agree because the quotient by 32 is `r`. So a row number read from memory has the same bounds in a flat
        buffer.
        """
        pool, terms = self._pool, quasi_affine.linear(form).terms
        size = gcd(*(c for a, c in terms if not quasi_affine.is_proper(a)))
        if size < 2:
            return None
        row = quasi_affine.linear(self._evaluated(quasi_affine.floordiv(pool, form, pool.integer(size))))
        if len(row.terms) != 1 or abs(row.terms[0][1]) != 1:
            return None
        ((number, sign),) = row.terms
        predicate, bound = ("sge", -row.constant) if sign > 0 else ("slt", row.constant + 1)
        return pool.make("arith.cmpi", (number, pool.integer(bound)), BOOL, (("predicate", predicate),))

    # Casts.

    def _cast(self, op: str, operand: Term, flagged: bool) -> Term | None:
        """An integer of type `iN` as an index: exact arithmetic, if all of it stays within its type."""
        widening = Widening(self._pool, self._facts, self._raiser.widest, self._extremum)
        exact = widening.value(operand)
        if op == "arith.index_cast" or (exact is not None and self._nonnegative(exact)):
            return exact
        return None if flagged else widening.natural(operand)


def _is_conditional(term: Term) -> bool:
    """True for a value that is poison unless a condition holds."""
    return term.op == "arith.select" and term.args[2].op == "ub.poison"


def _connected(op: str, args: tuple[Term, ...]) -> Term | None:
    """A conjunction or disjunction with a literal: the other operand or, if that is not poison, the literal."""
    for one, other in (args, args[::-1]):
        value = literal(one)
        if value is not None and bool(value) == (op == "arith.andi"):
            return other
        if value is not None and all(map(quasi_affine.is_proper, _compared(other))):
            return one
    return None


def _compared(condition: Term) -> tuple[Term, ...]:
    """The compared parts of a condition, and the i1 values in it."""
    if condition.op in ("arith.cmpi", "arith.andi", "arith.ori"):
        return tuple(part for a in condition.args for part in _compared(a))
    return (condition,)


def _improper(term: Term) -> frozenset[int]:
    """The ids of the parts of an index term that may be poison."""
    return frozenset(
        t.id for t in postorder((term,)) if not t.op.startswith("affine.") and not quasi_affine.is_proper(t)
    )


def _is_evaluated(form: Term) -> bool:
    """True if the form is made of non-poison terms and of remainders of such: a statement of the tree evaluates the
    division, and after it the remainder is not poison. A quotient flagged exact is poison if it is not."""
    return all(
        quasi_affine.is_proper(a) or (a.op in DIVISIONS and not a.attrs and all(map(quasi_affine.is_proper, a.args)))
        for a, _ in quasi_affine.linear(form).terms
    )


def _are_small(op: str, terms: tuple[Term, ...]) -> bool:
    """True if an op is on literals so small that the result is an index of 32 bits."""
    values = [v for v in map(literal, terms) if isinstance(v, int) and abs(v) < 1 << 15]
    return len(values) == len(terms) and (facts_about(op).ring or 0 <= values[1] < 15)


def _power(amount: Term) -> int | None:
    """`2**amount` for a literal shift amount that is valid at every width of `index`."""
    value = literal(amount)
    return 1 << value if isinstance(value, int) and 0 <= value < 31 else None
