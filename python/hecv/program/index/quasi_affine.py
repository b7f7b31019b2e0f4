"""Quasi-affine terms: the canonical form of index arithmetic.

| op                | attributes                 | denotes, over the exact integers                           |
| ----------------- | -------------------------- | ---------------------------------------------------------- |
| `affine.linear`   | `constant`, `coefficients` | `constant + sum(coefficients[k] * args[k])`                |
| `affine.floordiv` | `divisor` > 0              | `floor(args[0] / divisor)`                                 |
| `affine.max`      |                            | the greatest of `args`                                     |
| `affine.min`      |                            | the least of `args`                                        |
| `affine.mul`      |                            | `args[0] * args[1]`, neither a literal                     |
| `affine.quotient` |                            | `floor(args[0] / args[1])`, undefined when `args[1] <= 0`  |
| `affine.within`   |                            | `args[0]`, which the program says is in `[0, args[1])`     |
| `affine.below`    |                            | `args[0]`, which the program says is less than `args[1]`   |

`mod` and `ceildiv` are written with `floordiv`. All are of type `index` and do not overflow (an assumption that is
printed when it is used). The arguments of a `linear` are not `linear` and stand in order of id; a `linear` of one
argument with coefficient 1 and constant 0 is that argument. A coefficient is nonzero, unless its argument could be
poison (a value from memory, say): `p - p` is then poison too, and stays `0 * p`.
"""

from __future__ import annotations

from math import gcd
from typing import Final

from msgspec import Struct

from hecv.base.term import Term, TermPool, literal, postorder
from hecv.base.types import INDEX, IndexType


class Linear(Struct, frozen=True):
    """`constant + sum(coefficient * atom)`; `terms` is in order of the atoms' ids."""

    constant: int
    terms: tuple[tuple[Term, int], ...]


def linear(term: Term) -> Linear:
    """The linear form of an index term; a term that is neither a literal nor `affine.linear` is one atom."""
    if term.op == "affine.linear":
        constant, coefficients = term.attr("constant"), term.attr("coefficients")
        assert isinstance(constant, int) and isinstance(coefficients, tuple)
        return Linear(constant, tuple(zip(term.args, coefficients, strict=True)))
    value = literal(term)
    if isinstance(value, int) and isinstance(term.type, IndexType):
        return Linear(value, ())
    return Linear(0, ((term, 1),))


def of_linear(pool: TermPool, form: Linear) -> Term:
    """The canonical term of a linear form."""
    if not form.terms:
        return pool.integer(form.constant)
    if form.constant == 0 and len(form.terms) == 1 and form.terms[0][1] == 1:
        return form.terms[0][0]
    coefficients = tuple(c for _, c in form.terms)
    attrs = (("constant", form.constant), ("coefficients", coefficients))
    return pool.make("affine.linear", tuple(t for t, _ in form.terms), INDEX, attrs)


def combine(pool: TermPool, constant: int, parts: tuple[tuple[Term, int], ...]) -> Term:
    """`constant + sum(factor * part)` in canonical form."""
    sums: dict[Term, int] = {}
    for part, factor in parts:
        form = linear(part)
        constant += factor * form.constant
        for atom, coefficient in form.terms:
            sums[atom] = sums.get(atom, 0) + factor * coefficient
    kept = ((t, c) for t, c in sums.items() if c or not is_proper(t))
    return of_linear(pool, Linear(constant, tuple(sorted(kept, key=lambda item: item[0].id))))


MOST_ENDS: Final = 16


def is_proper(term: Term) -> bool:
    """True if the term is plainly defined and not poison: built by total operations from arguments, extents, induction
    variables and literals."""
    if not term.args:
        return term.op in _PROPER
    return all(map(is_proper_op, postorder((term,))))


def is_proper_op(node: Term) -> bool:
    """True if the operator itself is plainly defined and not poison, whatever its operands."""
    return node.op in _PROPER or _is_cast(node)


def _is_cast(node: Term) -> bool:
    """True for a cast that is not poison whatever the sign of its operand."""
    return node.op == "arith.index_castui" and not node.attrs


_PROPER = frozenset(
    {"const", "arg", "dim", "iv", "limit", "arith.index_cast"}
    | {"affine.linear", "affine.floordiv", "affine.max", "affine.min", "affine.mul"}
)


STATED = frozenset({"affine.within", "affine.below"})
"""Operators that only state the range of their operand. Runs check it; no proof rests on it."""


def unstated(term: Term) -> Term:
    """The operand of a `STATED` term whose bound is certainly defined; any other term as it is."""
    while term.op in STATED and is_proper(term.args[1]):
        term = term.args[0]
    return term


def is_multiple(term: Term, size: int) -> bool:
    """True if an index term is plainly a multiple of `size`."""
    form = linear(term)
    return form.constant % size == 0 and all(factor % size == 0 for _, factor in form.terms)


def add(pool: TermPool, left: Term, right: Term) -> Term:
    """`left + right`."""
    return combine(pool, 0, ((left, 1), (right, 1)))


def subtract(pool: TermPool, left: Term, right: Term) -> Term:
    """`left - right`."""
    return combine(pool, 0, ((left, 1), (right, -1)))


def multiply(pool: TermPool, left: Term, right: Term) -> Term:
    """`left * right`. If neither is a literal this is `affine.mul`, with a literal factor taken out: `8*(i*n)`."""
    for factor, other in ((left, right), (right, left)):
        form = linear(factor)
        if not form.terms:
            return combine(pool, 0, ((other, form.constant),))
        (atom, times), *more = form.terms
        if not (more or form.constant) and times not in (0, 1):
            return combine(pool, 0, ((multiply(pool, atom, other), times),))
    first, second = sorted((left, right), key=lambda t: t.id)
    return pool.make("affine.mul", (first, second), INDEX)


def factors(term: Term) -> tuple[int, list[Term]]:
    """An index term as a literal times factors, none of which is a product."""
    form = linear(term)
    if not form.terms:
        return form.constant, []
    atom, coefficient = form.terms[0]
    if form.constant or len(form.terms) > 1:
        return 1, [term]
    if atom.op != "affine.mul":
        return coefficient, [atom]
    found: list[Term] = []
    for part in atom.args:
        own, more = factors(part)
        coefficient *= own
        found += more
    return coefficient, found


def floordiv(pool: TermPool, dividend: Term, divisor: Term) -> Term:
    """`floor(dividend / divisor)`, with multiples of the divisor taken out: `(8*i + j) floordiv 8 = i + j floordiv 8`.

    A floor of a floor is one floor: `(i floordiv 4 + j) floordiv 2 = (i + 4*j) floordiv 8` for a literal `j`.

    Under a floor by a literal the first coefficient is positive, so `-(-i floordiv 3)` and `(i + 2) floordiv 3`, both
    `i ceildiv 3`, are one term.
    """
    value = linear(divisor)
    if value.terms or value.constant <= 0:
        return pool.make("affine.quotient", (dividend, divisor), INDEX)
    by = value.constant
    form = linear(dividend)
    whole = tuple((t, c // by) for t, c in form.terms if c % by == 0)
    rest = tuple((t, c) for t, c in form.terms if c % by)
    quotient = form.constant // by
    if not rest:
        return combine(pool, quotient, whole)
    if rest[0][1] < 0:  # floor(x / c) = -1 - floor((-1 - x) / c): one of the two stands for both
        mirrored = of_linear(pool, Linear(-1 - form.constant, tuple((t, -c) for t, c in rest)))
        return combine(pool, -1, (*whole, (floordiv(pool, mirrored, divisor), -1)))
    left = form.constant - quotient * by
    common = gcd(by, *(c for _, c in rest))  # floor((g*x + k) / (g*c)) = floor((x + floor(k / g)) / c)
    rest, left, by = tuple((t, c // common) for t, c in rest), left // common, by // common
    if len(rest) == 1 and rest[0][0].op == "affine.floordiv" and rest[0][1] == 1:
        inner, own = rest[0][0].args[0], rest[0][0].attr("divisor")
        assert isinstance(own, int)
        nested = combine(pool, left * own, ((inner, 1),))
        return combine(pool, quotient, (*whole, (floordiv(pool, nested, pool.integer(by * own)), 1)))
    floor = pool.make("affine.floordiv", (of_linear(pool, Linear(left, rest)),), INDEX, (("divisor", by),))
    return combine(pool, quotient, (*whole, (floor, 1)))


def modulo(pool: TermPool, dividend: Term, divisor: Term) -> Term:
    """`dividend - divisor * floor(dividend / divisor)`."""
    return subtract(pool, dividend, multiply(pool, divisor, floordiv(pool, dividend, divisor)))


def ceildiv(pool: TermPool, dividend: Term, divisor: Term) -> Term:
    """`ceil(dividend / divisor) = -floor(-dividend / divisor)`."""
    return combine(pool, 0, ((floordiv(pool, combine(pool, 0, ((dividend, -1),)), divisor), -1),))


def extremum(pool: TermPool, op: str, terms: tuple[Term, ...]) -> Term:
    """`affine.max` or `affine.min` (`op`) of `terms`: flattened, in order of id, without repetition, with at most one
    literal."""
    flat = {part for term in terms for part in (term.args if term.op == op else (term,))}
    numbers = {part: value for part in flat if isinstance(value := literal(part), int)}
    if len(numbers) > 1:
        flat -= numbers.keys() - {(max if op == "affine.max" else min)(numbers, key=numbers.__getitem__)}
    unique = tuple(sorted(flat, key=lambda t: t.id))
    return unique[0] if len(unique) == 1 else pool.make(op, unique, INDEX)


def ends(pool: TermPool, op: str, terms: tuple[Term, ...]) -> list[Term]:
    """`terms` with nested `op` (`affine.min` or `affine.max`) taken apart: `min(a, b) + c` becomes `a + c` and `b + c`.

    Ensures: the same minimum (maximum). Beyond `MOST_ENDS` terms some nested ones may be left.
    """
    found: dict[Term, None] = {}
    waiting = list(reversed(terms))
    while waiting and len(found) + len(waiting) <= MOST_ENDS:
        term = waiting.pop()
        within = next((t for t, factor in linear(term).terms if t.op == op and factor == 1), None)
        if within is None:
            found[term] = None
        else:
            waiting += [combine(pool, 0, ((term, 1), (within, -1), (part, 1))) for part in reversed(within.args)]
    return [*found, *reversed(waiting)]


def remade(pool: TermPool, node: Term, args: tuple[Term, ...]) -> Term:
    """The operator of `node` on other operands, with index arithmetic in canonical form."""
    if args == node.args:
        return node
    match node.op:
        case "affine.linear":
            form = linear(node)
            return combine(pool, form.constant, tuple((a, c) for a, (_, c) in zip(args, form.terms, strict=True)))
        case "affine.floordiv":
            divisor = node.attr("divisor")
            assert isinstance(divisor, int)
            return floordiv(pool, args[0], pool.integer(divisor))
        case "affine.quotient":
            return floordiv(pool, args[0], args[1])
        case "affine.mul":
            return multiply(pool, args[0], args[1])
        case "affine.max" | "affine.min":
            return extremum(pool, node.op, args)
        case _:
            return pool.make(node.op, args, node.type, node.attrs)
