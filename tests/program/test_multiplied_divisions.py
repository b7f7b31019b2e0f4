"""Products with constants and shifts that divide by a constant become that division, and no others do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product

import pytest

from hecv.base.term import Term, TermPool, literal, postorder
from hecv.base.types import IntType
from hecv.check import Options, check
from hecv.normal.integers.multiplied_divisions import Quotient, divide_by_constants
from hecv.program.tree import Evaluate as Evaluated
from hecv.run.evaluation.op_evaluation import Evaluator

EVALUATE = Evaluator()
Unary = Callable[["Code"], Term]


class Code:
    """Terms over one integer `x` of a width."""

    def __init__(self, width: int) -> None:
        self.pool, self.width = TermPool(), width
        self.x = self.pool.argument(0, IntType(width))

    def number(self, value: int, width: int | None = None) -> Term:
        width = width or self.width
        return self.pool.integer(value % (1 << width), IntType(width))

    def of(self, op: str, *args: Term, **attrs: int) -> Term:
        return self.pool.make(f"arith.{op}", args, args[0].type, tuple(attrs.items()))

    def cast(self, op: str, term: Term, width: int) -> Term:
        return self.pool.make(f"arith.{op}", (term,), IntType(width))

    def shifted(self, op: str, term: Term, by: int) -> Term:
        assert isinstance(term.type, IntType)
        return self.of(op, term, self.number(by, term.type.width)) if by else term

    def wide(self, factor: int, by: int, signed: bool = False) -> Term:
        """`x * factor >> by` in twice the width."""
        kind, twice = "si" if signed else "ui", 2 * self.width
        made = self.of("muli", self.cast(f"ext{kind}", self.x, twice), self.number(factor, twice))
        return self.cast("trunci", self.shifted(f"shr{kind}", made, by), self.width)

    def high(self, factor: int, by: int, signed: bool = False) -> Term:
        """The high half of `x * factor`, shifted."""
        kind = "si" if signed else "ui"
        made = self.of(f"mul{kind}_extended", self.x, self.number(factor), result=1)
        return self.shifted(f"shr{kind}", made, by)

    def averaged(self, factor: int, by: int) -> Term:
        """`((x - h >> 1) + h) >> by - 1` with the high half `h` of `x * factor`: as by `factor + 2**width`."""
        high = self.high(factor, 0)
        half = self.shifted("shrui", self.of("subi", self.x, high), 1)
        return self.shifted("shrui", self.of("addi", half, high), by - 1)

    def rounded(self, quotient: Term, how: str = "x") -> Term:
        """A rounded quotient with 1 added where it, or `x`, is negative."""
        value = self.x if how == "x" else quotient
        sign = self.shifted("shrsi" if how == "x" else "shrui", value, self.width - 1)
        return self.of("subi" if how == "x" else "addi", quotient, sign)

    def changed(self, term: Term) -> Term:
        """The term after the pass; it has the value that it had, for each value of `x`."""
        (found,) = divide_by_constants(self.pool, (Evaluated(0, term),))
        assert isinstance(found, Evaluated)
        if found.term is not term:
            for value in range(1 << self.width):
                assert self.value(term, value) == self.value(found.term, value), value
        return found.term

    def value(self, term: Term, x: int) -> int:
        known: dict[int, object] = {}
        for node in postorder((term,)):
            if node is self.x:
                known[node.id] = x
            elif (number := literal(node)) is not None:
                known[node.id] = number
            else:
                known[node.id] = EVALUATE(node, tuple(known[a.id] for a in node.args))  # type: ignore[arg-type]
        found = known[term.id]
        assert isinstance(found, int)
        return found


def unsigned(divisor: int, width: int) -> tuple[int, int]:
    """The least factor and its shift, of up to one bit more than the width."""
    for shift in range(width, 2 * width + 1):
        factor = -(-(1 << shift) // divisor)
        if (factor * divisor - (1 << shift)) << width <= 1 << shift:
            return factor, shift
    raise AssertionError(divisor)


def divides(term: Term, divisor: int, op: str) -> bool:
    """True if a term is a quotient of the argument by the number, and nothing else."""
    assert isinstance(term.type, IntType)
    number = literal(term.args[1]) if term.op == f"arith.{op}" else None
    return number == divisor % (1 << term.type.width) and term.args[0].op == "arg"


def is_power(number: int) -> bool:
    return number.bit_count() < 2


@pytest.mark.parametrize("divisor", [d for d in range(3, 256) if not is_power(d)])
def test_unsigned_division_of_a_byte(divisor: int) -> None:
    factor, shift = unsigned(divisor, 8)
    ways: list[Unary] = [lambda c: c.averaged(factor - 256, shift - 8)]
    if factor < 256:
        ways = [lambda c: c.wide(factor, shift), lambda c: c.high(factor, shift - 8)]
    for way in ways:
        code = Code(8)
        assert divides(code.changed(way(code)), divisor, "divui")


@pytest.mark.parametrize("divisor", [d for d in range(-127, 128) if not is_power(abs(d))])
def test_signed_division_of_a_byte(divisor: int) -> None:
    size = abs(divisor)
    shift = next(s for s in range(8, 17) if (-(1 << s) % size) << 7 < 1 << s and ((1 << s) // size + 1) < 256)
    factor = ((1 << shift) // size + 1) * (1 if divisor > 0 else -1)
    for how in ("x", "q") if divisor > 0 else ("q",):
        code = Code(8)
        wide = code.rounded(code.wide(factor, shift, signed=True), how)
        assert divides(code.changed(wide), divisor, "divsi")
        code, short = Code(8), (factor + 128) % 256 - 128
        high = code.high(short, 0, signed=True)
        if short != factor:  # one bit too many: what is missing is `x`
            high = code.of("addi" if divisor > 0 else "subi", high, code.x)
        moved = code.rounded(code.shifted("shrsi", high, shift - 8), how)
        assert divides(code.changed(moved), divisor, "divsi")


def test_what_is_near_a_division_keeps_its_value() -> None:
    """Factors, shifts and roundings that are off by one: the pass keeps every value, and leaves what is no division."""
    left = 0
    for divisor, more, less in product((3, 7, 10, 11, 25, 100, 127), (-2, -1, 1, 2), (-1, 0, 1)):
        factor, shift = unsigned(divisor, 8)
        code = Code(8)
        for term in (
            code.wide(factor + more, shift + less),
            code.averaged((factor + more) % 256, shift - 8) if shift > 8 else code.x,
            code.rounded(code.wide(factor + more, shift + less, signed=True)),
            code.rounded(code.high((factor + more) % 256, max(0, shift - 8), signed=True), "q"),
            code.wide(factor + more, shift + less, signed=True),
        ):
            left += not any(t.op.startswith("arith.div") for t in postorder((code.changed(term),)))
    assert left > 200


def test_the_range_of_what_is_divided_counts() -> None:
    """`x * 43 >> 7` divides by 3 below 128 alone; `x * 205 >> 11` divides by 10 what has 7 bits, in 16 bits."""
    for bits, factor, shift, divisor in ((7, 43, 7, 3), (6, 26, 8, 10), (7, 205, 11, 10)):
        for mask in ((1 << bits) - 1, 255):
            code = Code(8)
            few = code.of("andi", code.x, code.number(mask))
            wide = code.of("muli", code.cast("extui", few, 16), code.number(factor, 16))
            made = code.changed(code.shifted("shrui", wide, shift))
            found = any(t.op == "arith.divui" and literal(t.args[1]) == divisor for t in postorder((made,)))
            assert found == all(x * factor >> shift == x // divisor for x in range(mask + 1))


def test_flags_are_kept() -> None:
    """A flag that may be broken makes poison, which a division does not."""
    code = Code(8)
    factor, shift = unsigned(10, 8)
    wide = code.cast("extui", code.x, 16)
    for flag, kept in (("nuw", True), ("nsw", 255 * factor < 1 << 15)):
        made = code.pool.make("arith.muli", (wide, code.number(factor, 16)), wide.type, (("overflow", flag),))
        found = code.changed(code.shifted("shrui", made, shift))
        assert (found.op == "arith.extui") == kept
    exact = code.pool.make("arith.shrui", (wide, code.number(3, 16)), wide.type, (("exact", True),))
    assert code.changed(exact) is exact


def test_the_condition_is_exact() -> None:
    """`Quotient.divides` says what trying all numbers says."""
    for factor, offset, shift, divisor in product((5, 6, 7, 11, -11, 13), (0, 1, 5), (3, 5), (3, 5, -3, 6)):
        for above, below, low, high in ((0, 1, -20, 20), (0, 0, 0, 17), (1, 0, -9, 31), (0, 1, -31, -2), (0, 0, 4, 40)):
            form = Quotient(factor, offset, shift, below, above)
            tried = all(form.at(x) == _toward_zero(x, divisor) for x in range(low, high + 1))
            assert form.divides(divisor, low, high) == tried


def _toward_zero(x: int, divisor: int) -> int:
    return abs(x) // abs(divisor) * (1 if (x < 0) == (divisor < 0) else -1)


# Verdicts


def _function(result: str, *lines: str, kind: str = "i32") -> str:
    body = "\n  ".join(lines)
    return f"func.func @f(%x: {kind}) -> {kind} {{\n  {body}\n  return {result} : {kind}\n}}"


def _divided(op: str, divisor: int, kind: str = "i32") -> str:
    return _function("%q", f"%d = arith.constant {divisor} : {kind}", f"%q = arith.{op} %x, %d : {kind}", kind=kind)


def _by_high(factor: int, shift: int, kind: str = "i32") -> str:
    lines = (
        f"%m = arith.constant {factor} : {kind}",
        f"%s = arith.constant {shift} : {kind}",
        f"%l, %h = arith.mului_extended %x, %m : {kind}",
        f"%q = arith.shrui %h, %s : {kind}",
    )
    return _function("%q", *lines, kind=kind)


def _by_wide(factor: int, shift: int, op: str = "ui") -> Iterator[str]:
    yield f"%m = arith.constant {factor} : i64"
    yield f"%s = arith.constant {shift} : i64"
    yield f"%e = arith.ext{op} %x : i32 to i64"
    yield "%p = arith.muli %e, %m : i64"
    yield f"%d = arith.shr{op} %p, %s : i64"
    yield "%h = arith.trunci %d : i64 to i32"


def _remainder(factor: int, shift: int, divisor: int) -> str:
    lines = (
        *_by_wide(factor, shift),
        f"%k = arith.constant {divisor} : i32",
        "%t = arith.muli %h, %k : i32",
        "%r = arith.subi %x, %t : i32",
    )
    return _function("%r", *lines)


def _signed(factor: int, shift: int) -> str:
    lines = (
        *_by_wide(factor, shift, "si"),
        "%c = arith.constant 31 : i32",
        "%g = arith.shrui %x, %c : i32",
        "%q = arith.addi %h, %g : i32",
    )
    return _function("%q", *lines)


PAIRS = [
    (
        _divided("divui", 7, "i64"),
        _function(
            "%q",
            *[
                "%m = arith.constant 2635249153387078803 : i64",
                "%c1 = arith.constant 1 : i64",
                "%c2 = arith.constant 2 : i64",
                "%l, %h = arith.mului_extended %x, %m : i64",
                "%s = arith.subi %x, %h : i64",
                "%t = arith.shrui %s, %c1 : i64",
                "%u = arith.addi %t, %h : i64",
                "%q = arith.shrui %u, %c2 : i64",
            ],
            kind="i64",
        ),
        "equivalent",
    ),
    (_divided("divui", 1000, "i64"), _by_high(2361183241434822607, 7, "i64"), "unproved"),
    (_divided("divui", 5, "i64"), _by_high(14757395258967641293, 2, "i64"), "equivalent"),
    (_divided("divui", 5, "i64"), _by_high(14757395258967641293, 3, "i64"), "not-equivalent"),
    (_divided("remui", 60), _remainder(2290649225, 37, 60), "equivalent"),
    (_divided("remui", 60), _remainder(2290649225, 37, 61), "not-equivalent"),
    (_divided("remui", 60), _remainder(2290649225, 36, 60), "not-equivalent"),
    (_divided("divsi", 100), _signed(1374389535, 37), "equivalent"),
    (_divided("divsi", 100), _signed(1374389536, 37), "unproved"),
    (_divided("divsi", 100), _signed(1374389535, 36), "not-equivalent"),
    (_divided("divui", 3), _by_high(2863311531, 1), "equivalent"),
    (_divided("divui", 3), _by_high(2863311530, 1), "not-equivalent"),
]
"""Divisions as compilers have them, and twins that are wrong, some for few inputs: those need not be refuted."""


@pytest.mark.parametrize("number", range(len(PAIRS)))
def test_verdicts(number: int) -> None:
    source, target, wanted = PAIRS[number]
    found = check(source, target, ("source.mlir", "target.mlir"), Options(seconds=60.0)).verdict
    assert found in ("unknown", "not-equivalent") if wanted == "unproved" else found == wanted
