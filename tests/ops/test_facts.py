"""The facts that stand with an op hold of its semantics: for all operands of few bits, and by Z3 for those of more."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import cache
from itertools import product
from random import Random

import pytest

from hecv.base.term import Attributes, Term, TermPool, literal
from hecv.base.types import BOOL, INDEX, FloatType, IntType, ScalarType
from hecv.base.value import POISON, Scalar
from hecv.ops import OPERATORS
from hecv.ops.arith import PREDICATES
from hecv.ops.integer_bounds import Bounds, bounds
from hecv.ops.op_facts import EITHER, NO_FACTS, ZERO, Division, Extremum, Facts
from hecv.run.evaluation.op_evaluation import Evaluator
from hecv.smt.term_equality import EqualValues

WIDTHS = (1, 2, 3)
F32 = FloatType("f32")
FLOATS = (0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 2.0**24, float("inf"), float("-inf"), float("nan"))
WHOLE = (0.0, 1.0, -1.0, 2.0, -3.0, 8.0)
"""Floats whose sums, differences and products are exact."""

ROUNDED = ("regroups", "undone_by")
"""Laws that floats have where nothing is rounded."""

evaluate = Evaluator()


def value(term: Term, leaves: tuple[Scalar, ...]) -> Scalar | None:
    """What a term is, poison included; None where it is undefined."""
    if term.op == "leaf":
        return leaves[int(str(term.attr("number")))]
    constant = literal(term)
    if constant is not None:
        return constant
    operands = [value(a, leaves) for a in term.args]
    return None if None in operands else evaluate(term, tuple(o for o in operands if o is not None))


def is_same(one: Scalar | None, other: Scalar | None) -> bool:
    return repr(one) == repr(other)


def signed(number: int, width: int) -> int:
    return number - (number >> (width - 1) << width)


# Operands


def parameters(op: str) -> list[inspect.Parameter]:
    return list(inspect.signature(OPERATORS[op].semantics).parameters.values())


def arity(op: str) -> int:
    """How many operands an op has; two of any number."""
    counts = {inspect.Parameter.KEYWORD_ONLY: 0, inspect.Parameter.VAR_POSITIONAL: 2}
    return sum(counts.get(p.kind, 1) for p in parameters(op))


def kinds(op: str) -> list[ScalarType]:
    """The types on which an op is tried."""
    if OPERATORS[op].exact:
        return [INDEX]
    return [F32] if "Float" in str(parameters(op)[0].annotation) else [IntType(width) for width in WIDTHS]


def values(kind: ScalarType) -> tuple[Scalar, ...]:
    match kind:
        case IntType(width):
            return tuple(range(1 << width))
        case FloatType():
            return FLOATS
        case _:
            return (-5, -1, 0, 1, 2, 7)


def roots(pool: TermPool, op: str, kind: ScalarType) -> Iterator[Term]:
    """The op on leaves of a type, with each of the attributes and types of result that it may have."""
    names = {p.name for p in parameters(op)}
    first = [BOOL] if "condition" in names else []
    types = [*first, *[kind] * (arity(op) - len(first))]
    leaves = tuple(pool.make("leaf", (), t, (("number", k), ("proper", True))) for k, t in enumerate(types))
    attributes: list[Attributes] = [()]
    if "result" in names:
        attributes = [(("result", number),) for number in (0, 1)]
    elif "predicate" in names:
        attributes = [(("predicate", name),) for name in PREDICATES]
    elif "divisor" in names:
        attributes = [(("divisor", 3),)]
    elif "coefficients" in names:
        attributes = [(("coefficients", (2, -1)), ("constant", 3))]
    facts = OPERATORS[op].facts
    for attrs in attributes:
        carry = attrs == (("result", 1),) and not op.startswith("arith.mul")
        results: list[ScalarType] = [BOOL if carry or "predicate" in names else kind]
        if facts.extends and isinstance(kind, IntType):
            results = [IntType(kind.width + more) for more in (1, 2)]
        if facts.truncates and isinstance(kind, IntType):
            results = [IntType(width) for width in range(1, kind.width)]
        yield from (pool.make(op, leaves, result, attrs) for result in results)


def tried(op: str) -> Iterator[tuple[Term, tuple[Scalar, ...], Scalar | None]]:
    """The op on all operands of few bits, and what it gives."""
    pool = TermPool()
    for kind in kinds(op):
        for term in roots(pool, op, kind):
            for operands in product(*(values(a.type) for a in term.args)):
                yield term, operands, evaluate(term, operands)


# Laws: two terms that are equal

Apply = Callable[..., Term]
Law = Callable[[TermPool, Facts, Apply, tuple[Term, ...]], tuple[Term, Term]]


def number(pool: TermPool, found: float | None, kind: ScalarType) -> Term:
    assert found is not None
    return pool.real(found, kind) if isinstance(kind, FloatType) else pool.integer(int(found), kind)


def commutes(pool: TermPool, facts: Facts, op: Apply, x: tuple[Term, ...]) -> tuple[Term, Term]:
    return op(*x), op(x[1], x[0], *x[2:])


def associates(pool: TermPool, facts: Facts, op: Apply, x: tuple[Term, ...]) -> tuple[Term, Term]:
    return op(op(x[0], x[1]), x[2]), op(x[0], op(x[1], x[2]))


def repeats(pool: TermPool, facts: Facts, op: Apply, x: tuple[Term, ...]) -> tuple[Term, Term]:
    return op(x[0], x[0]), x[0]


def neutral(pool: TermPool, facts: Facts, op: Apply, x: tuple[Term, ...]) -> tuple[Term, Term]:
    return op(x[0], number(pool, facts.neutral_in(x[0].type), x[0].type)), x[0]


def absorbing(pool: TermPool, facts: Facts, op: Apply, x: tuple[Term, ...]) -> tuple[Term, Term]:
    assert isinstance(x[0].type, IntType)
    zero = number(pool, facts.absorbing_in(x[0].type.width), x[0].type)
    return op(x[0], zero), zero


def subtracts(pool: TermPool, facts: Facts, op: Apply, x: tuple[Term, ...]) -> tuple[Term, Term]:
    kind = x[0].type
    if isinstance(kind, FloatType):
        negated = pool.make("arith.negf", (x[1],), kind)
    else:
        negated = pool.make("arith.subi", (pool.integer(0, kind), x[1]), kind)
    return op(x[0], x[1]), pool.make(facts.subtracts, (x[0], negated), kind)


def undone(pool: TermPool, facts: Facts, op: Apply, x: tuple[Term, ...]) -> tuple[Term, Term]:
    return pool.make(facts.undone_by, (op(x[0], x[1]), x[1]), x[0].type), x[0]


LAWS: dict[str, Law] = {
    "commutative": commutes,
    "associative": associates,
    "regroups": associates,
    "idempotent": repeats,
    "neutral": neutral,
    "absorbing": absorbing,
    "subtracts": subtracts,
    "undone_by": undone,
}


def sides(name: str, facts: Facts, root: Term) -> tuple[Term, Term, int]:
    """A law about the operator at the root, as two terms, and how many leaves they have."""
    pool = TermPool()
    count = len(root.args) if name == "commutative" else 3
    kind = root.args[0].type
    leaves = tuple(pool.make("leaf", (), kind, (("number", k), ("proper", True))) for k in range(count))
    left, right = LAWS[name](pool, facts, lambda *x: pool.make(root.op, x, root.type, root.attrs), leaves)
    return left, right, count


def law_holds(op: str, name: str, facts: Facts) -> bool:
    for kind in kinds(op):
        given = WHOLE if isinstance(kind, FloatType) and name in ROUNDED else values(kind)
        for root in roots(TermPool(), op, kind):
            left, right, count = sides(name, facts, root)
            if not all(is_same(value(left, x), value(right, x)) for x in product(given, repeat=count)):
                return False
    return True


# Other facts


def is_proper(found: Scalar | None) -> bool:
    return found is not None and found is not POISON


def total(op: str, facts: Facts) -> bool:
    return all(is_proper(found) for _, _, found in tried(op))


def choosing(op: str, facts: Facts) -> bool:
    """The other choice is one: of zeros of different sign the semantics takes one, exchanged operands or not."""
    return facts.extremum is not None and kinds(op) == [F32] and not facts.commutative


def wraps(op: str, facts: Facts) -> bool:
    assert facts.wraps is not None
    for term, (x, y), found in tried(op):
        assert isinstance(term.type, IntType) and isinstance(x, int) and isinstance(y, int)
        width = term.type.width
        readings = [(x, y)] if facts.shifts else product((x, signed(x, width)), (y, signed(y, width)))
        others = [facts.wraps(v, y if facts.shifts else signed(y, width)) for v in range(-1 << width, 1 << width)]
        across = [facts.wraps(signed(x, width), v) for v in range(0 if facts.shifts else -1 << width, 1 << width)]
        if any(found not in (sorted(found), sorted(found, reverse=True)) for found in (others, across)):
            return False
        if is_proper(found) and any(facts.wraps(a, b) % (1 << width) != found for a, b in readings):
            return False
    return True


def bitwise(op: str, facts: Facts) -> bool:
    pool = TermPool()
    (root,) = roots(pool, op, BOOL)
    for term, (x, y), found in tried(op):
        assert isinstance(term.type, IntType) and isinstance(x, int) and isinstance(y, int)
        bits = [evaluate(root, (x >> k & 1, y >> k & 1)) for k in range(term.type.width)]
        if evaluate(root, (0, 0)) != 0 or sum(bit << k for k, bit in enumerate(bits) if isinstance(bit, int)) != found:
            return False
    return True


def division(op: str, facts: Facts) -> bool:
    assert facts.division is not None
    for term, (x, y), found in tried(op):
        assert isinstance(term.type, IntType) and isinstance(x, int) and isinstance(y, int)
        width, half = term.type.width, 1 << (term.type.width - 1)
        by_none = y == 0 or (facts.division.signed and x == half and y == 2 * half - 1)
        if is_proper(found) == by_none or found is POISON:
            return False
        if isinstance(found, int):
            a, b, c = (signed(v, width) if facts.division.signed else v for v in (x, y, found))
            rest = c if facts.division.remainder else a - b * c
            if abs(rest) >= abs(b) or (a - rest) % b:
                return False
    return True


def widens(op: str, facts: Facts) -> bool:
    pool = TermPool()
    for (term, operands, found), by_sign in product(list(tried(op)), (False, True)):
        if ("sign" if by_sign else "zero") not in facts.widens or not isinstance(found, int):
            continue
        assert isinstance(term.type, IntType)
        width, wider = term.type.width, term.type.width + 2

        def extended(number: Scalar, sign: bool, width: int = width, wider: int = wider) -> int:
            assert isinstance(number, int)
            return (signed(number, width) if sign else number) % (1 << wider)

        signs = [by_sign and not (facts.shifts and k == 1) for k in range(len(operands))]
        leaves = tuple([pool.make("leaf", (), IntType(wider), a.attrs) for a in term.args])
        root = pool.make(op, leaves, IntType(wider), term.attrs)
        given = tuple(map(extended, operands, signs))
        if evaluate(root, given) != extended(found, by_sign):
            return False
    return True


def shifts(op: str, facts: Facts) -> bool:
    return all(
        is_proper(found) == (int(str(operands[1])) < term.type.width) and found is not None
        for term, operands, found in tried(op)
        if isinstance(term.type, IntType)
    )


def extremum(op: str, facts: Facts) -> bool:
    assert facts.extremum is not None
    for term, (x, y), found in tried(op):
        if x != x or y != y or x == y:
            continue
        assert isinstance(x, int | float) and isinstance(y, int | float)
        integer = isinstance(term.type, IntType) and facts.extremum.signed

        def key(number: float, kind: ScalarType = term.type, integer: bool = integer) -> float:
            return signed(int(number), kind.width) if integer and isinstance(kind, IntType) else number

        wanted = (max if facts.extremum.greatest else min)((x, y), key=key)
        if not is_same(found, wanted):
            return False
    return True


def extends(op: str, facts: Facts) -> bool:
    for term, (x,), found in tried(op):
        (operand,) = term.args
        assert isinstance(term.type, IntType) and isinstance(operand.type, IntType) and isinstance(x, int)
        exact = signed(x, operand.type.width) if facts.extends == "sign" else x
        if found != exact % (1 << term.type.width):
            return False
    return True


def truncates(op: str, facts: Facts) -> bool:
    return all(
        isinstance(x, int) and isinstance(term.type, IntType) and found == x % (1 << term.type.width)
        for term, (x,), found in tried(op)
    )


def twin(op: str, other: str) -> bool:
    """Whether two operators are one where no operand is negative, and both are proper."""
    pool = TermPool()
    for term, operands, found in tried(op):
        width = term.type.width if isinstance(term.type, IntType) else 0
        if all(isinstance(x, int) and signed(x, width) >= 0 for x in operands):
            root = pool.make(
                other, tuple([pool.make(a.op, (), a.type, a.attrs) for a in term.args]), term.type, term.attrs
            )
            if not is_same(found, evaluate(root, operands)):
                return False
    return True


@cache
def ranges(width: int) -> dict[Bounds, list[int]]:
    """Bounds of a width, by known bits, by unsigned and by signed ranges, and the numbers within."""
    numbers, half = range(1 << width), 1 << (width - 1)
    found = [bounds(width, zeros, ones) for zeros, ones in product(numbers, numbers) if not zeros & ones]
    found += [bounds(width, unsigned=(low, high)) for low, high in product(numbers, numbers) if low <= high]
    ends = range(-half, half)
    found += [bounds(width, signed=(low, high)) for low, high in product(ends, ends) if low <= high]
    return {b: [n for n in numbers if is_within(n, b)] for b in found}


def is_within(number: int, known: Bounds) -> bool:
    bits = not number & known.zeros and number & known.ones == known.ones
    least = signed(number, known.width)
    return bits and known.low <= number <= known.high and known.least <= least <= known.most


def bounded(op: str, facts: Facts) -> bool:
    """Every proper value is within the bounds that follow from any bounds of the operands."""
    assert facts.bounds is not None
    random = Random(op)
    for kind in kinds(op):
        for root in roots(TermPool(), op, kind):
            table = {x: evaluate(root, x) for x in product(*(values(a.type) for a in root.args))}
            given = list(product(*(ranges(a.type.width) for a in root.args if isinstance(a.type, IntType))))
            for known in given if len(given) < 400 else random.sample(given, 400):
                assert isinstance(root.type, IntType)
                found = facts.bounds(root, root.type.width, known)
                operands = product(*(ranges(b.width)[b] for b in known))
                if not all(is_within(v, found) for v in (table[x] for x in operands) if isinstance(v, int)):
                    return False
    return True


def guessed(op: str, facts: Facts) -> bool:
    """Of the values that the op can have, most are found by one of a few guesses."""
    assert facts.inverse is not None
    hits = asked = 0
    for seed, (term, operands, wanted) in enumerate(tried(op)):
        if not isinstance(wanted, int):
            continue
        kind, other = term.args[0].type, operands[-1] if len(operands) > 1 else 0
        assert isinstance(kind, IntType) and isinstance(other, int)
        guesses = [g % (1 << kind.width) for g in facts.inverse(wanted, 0, other, kind.width, Random(seed))]
        asked += 1
        hits += any(evaluate(term, (g, *operands[1:])) == wanted for g in guesses)
    return hits > 0.75 * asked


CHECKS: dict[str, Callable[[str, Facts], bool]] = {
    "total": total,
    "choosing": choosing,
    "wraps": wraps,
    "bitwise": bitwise,
    "widens": widens,
    "division": division,
    "shifts": shifts,
    "extremum": extremum,
    "extends": extends,
    "truncates": truncates,
    "unsigned": lambda op, facts: twin(op, facts.unsigned),
    "signed": lambda op, facts: twin(op, facts.signed),
    "bounds": bounded,
    "inverse": guessed,
}


def holds(op: str, name: str, facts: Facts) -> bool:
    return law_holds(op, name, facts) if name in LAWS else CHECKS[name](op, facts)


DECLARED = [
    (op, name)
    for op, operator in sorted(OPERATORS.items())
    for name in Facts.__struct_fields__
    if getattr(operator.facts, name) != getattr(NO_FACTS, name)
]


def test_every_fact_has_a_check() -> None:
    assert {*LAWS, *CHECKS} == set(Facts.__struct_fields__)
    assert {name for _, name in DECLARED} == set(Facts.__struct_fields__)


@pytest.mark.parametrize(("op", "name"), DECLARED, ids=[f"{op}-{name}" for op, name in DECLARED])
def test_a_fact_holds_for_all_operands_of_few_bits(op: str, name: str) -> None:
    assert holds(op, name, OPERATORS[op].facts)


OF_MANY_BITS = [
    (op, name)
    for op, name in DECLARED
    if name in LAWS and isinstance(kinds(op)[0], IntType) and not (name == "associative" and "mul" in op)
]
"""Laws that Z3 is asked about; that a product of three may be regrouped it does not find."""


@pytest.mark.parametrize(("op", "name"), OF_MANY_BITS, ids=[f"{op}-{name}" for op, name in OF_MANY_BITS])
def test_a_law_holds_of_many_bits(op: str, name: str) -> None:
    for root in roots(TermPool(), op, IntType(8)):
        left, right, _ = sides(name, OPERATORS[op].facts, root)
        assert EqualValues().ask(left, right, 20_000)


WRONG: list[tuple[str, Facts]] = [
    ("arith.subi", Facts(commutative=True)),
    ("arith.subi", Facts(associative=True)),
    ("arith.addf", Facts(associative=True)),
    ("arith.addi", Facts(idempotent=True)),
    ("arith.addf", Facts(neutral=0.0)),
    ("arith.maxsi", Facts(neutral=0)),
    ("arith.muli", Facts(absorbing=1)),
    ("arith.muli", Facts(subtracts="arith.addi")),
    ("arith.muli", Facts(undone_by="arith.subi")),
    ("arith.shli", Facts(total=True)),
    ("arith.divui", Facts(total=True)),
    ("arith.maxsi", Facts(wraps=max)),
    ("arith.addi", Facts(bitwise=True)),
    ("arith.divsi", Facts(division=Division(signed=False))),
    ("arith.divui", Facts(division=Division(signed=True))),
    ("arith.remui", Facts(division=Division(signed=False))),
    ("arith.addi", Facts(widens=ZERO)),
    ("arith.minsi", Facts(widens=EITHER)),
    ("arith.addi", Facts(shifts=True)),
    ("arith.maxui", Facts(extremum=Extremum(greatest=True, signed=True))),
    ("arith.minsi", Facts(extremum=Extremum(greatest=True, signed=True))),
    ("arith.extsi", Facts(extends="zero")),
    ("arith.ceildivsi", Facts(unsigned="arith.divui")),
    ("arith.shrui", Facts(signed="arith.shli")),
    ("arith.addi", Facts(bounds=OPERATORS["arith.ori"].facts.bounds)),
    ("arith.addi", Facts(inverse=OPERATORS["arith.subi"].facts.inverse)),
]


@pytest.mark.parametrize(("op", "facts"), WRONG, ids=[op for op, _ in WRONG])
def test_a_wrong_fact_is_found(op: str, facts: Facts) -> None:
    (name,) = (n for n in Facts.__struct_fields__ if getattr(facts, n) != getattr(NO_FACTS, n))
    assert not holds(op, name, facts)
