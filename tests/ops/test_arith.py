"""Every arith op, run by the interpreter, against oracles in Python integers and NumPy floats."""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Callable

import numpy as np
import pytest

from hecv.base.diagnostics import Unsupported
from hecv.base.term import Attributes
from hecv.base.types import BOOL, INDEX, FloatType, IndexType, IntType, ScalarType
from hecv.base.value import POISON, Scalar
from hecv.ops import OPERATORS

from .oracles import (
    FORMATS,
    SIGNIFICANT,
    UB,
    Oracle,
    agree,
    floats,
    in_signed,
    in_unsigned,
    program,
    round_fraction,
    rounded,
    signed,
    values,
    wrap,
)

# Integers


def quotient(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def exactly(f: Callable[[int, int], int], flags: str = "none") -> Callable[[int], Oracle]:
    """The wrapped result of exact arithmetic, poison where `flags` is broken."""

    def at(w: int) -> Oracle:
        def oracle(a: int, b: int) -> Scalar | str:
            if "nsw" in flags and not in_signed(f(signed(a, w), signed(b, w)), w):
                return POISON
            if "nuw" in flags and not in_unsigned(f(a, b), w):
                return POISON
            return wrap(f(a, b), w)

        return oracle

    return at


def unsigned_division(f: Callable[[int, int], Scalar]) -> Callable[[int], Oracle]:
    return lambda w: lambda a, b: UB if b == 0 else f(a, b)


def signed_division(f: Callable[[int, int], int | None]) -> Callable[[int], Oracle]:
    def at(w: int) -> Oracle:
        def oracle(x: int, y: int) -> Scalar | str:
            a, b = signed(x, w), signed(y, w)
            if b == 0 or (a == -(1 << (w - 1)) and b == -1):
                return UB
            value = f(a, b)
            return POISON if value is None else wrap(value, w)

        return oracle

    return at


def shift(f: Callable[[int, int, int], int | None]) -> Callable[[int], Oracle]:
    def at(w: int) -> Oracle:
        def oracle(a: int, b: int) -> Scalar:
            value = None if b >= w else f(a, b, w)
            return POISON if value is None else wrap(value, w)

        return oracle

    return at


def on_signed(f: Callable[[int, int], int]) -> Callable[[int], Oracle]:
    return lambda w: lambda a, b: wrap(f(signed(a, w), signed(b, w)), w)


def on_unsigned(f: Callable[[int, int], int]) -> Callable[[int], Oracle]:
    return lambda w: lambda a, b: wrap(f(a, b), w)


def shl_flags(a: int, b: int, w: int, flags: str) -> int | None:
    if "nsw" in flags and not in_signed(signed(a, w) << b, w):
        return None
    return None if "nuw" in flags and not in_unsigned(a << b, w) else a << b


NSW: Attributes = (("overflow", "nsw"),)
NUW: Attributes = (("overflow", "nuw"),)
BOTH: Attributes = (("overflow", "nsw,nuw"),)
EXACT: Attributes = (("exact", True),)

BINARY: list[tuple[str, Attributes, Callable[[int], Oracle]]] = [
    ("addi", (), exactly(lambda a, b: a + b)),
    ("addi", NSW, exactly(lambda a, b: a + b, "nsw")),
    ("addi", NUW, exactly(lambda a, b: a + b, "nuw")),
    ("addi", BOTH, exactly(lambda a, b: a + b, "nsw,nuw")),
    ("subi", (), exactly(lambda a, b: a - b)),
    ("subi", NSW, exactly(lambda a, b: a - b, "nsw")),
    ("subi", NUW, exactly(lambda a, b: a - b, "nuw")),
    ("muli", (), exactly(lambda a, b: a * b)),
    ("muli", NSW, exactly(lambda a, b: a * b, "nsw")),
    ("muli", NUW, exactly(lambda a, b: a * b, "nuw")),
    ("divui", (), unsigned_division(lambda a, b: a // b)),
    ("divui", EXACT, unsigned_division(lambda a, b: POISON if a % b else a // b)),
    ("remui", (), unsigned_division(lambda a, b: a % b)),
    ("ceildivui", (), unsigned_division(lambda a, b: -(-a // b))),
    ("divsi", (), signed_division(quotient)),
    ("divsi", EXACT, signed_division(lambda a, b: None if a % b else quotient(a, b))),
    ("remsi", (), signed_division(lambda a, b: a - b * quotient(a, b))),
    ("ceildivsi", (), signed_division(lambda a, b: -(-a // b))),
    ("floordivsi", (), signed_division(lambda a, b: a // b)),
    ("andi", (), on_unsigned(lambda a, b: a & b)),
    ("ori", (), on_unsigned(lambda a, b: a | b)),
    ("ori", (("disjoint", True),), lambda w: lambda a, b: POISON if a & b else a | b),
    ("xori", (), on_unsigned(lambda a, b: a ^ b)),
    ("shli", (), shift(lambda a, b, w: a << b)),
    ("shli", NSW, shift(lambda a, b, w: shl_flags(a, b, w, "nsw"))),
    ("shli", NUW, shift(lambda a, b, w: shl_flags(a, b, w, "nuw"))),
    ("shrui", (), shift(lambda a, b, w: a >> b)),
    ("shrui", EXACT, shift(lambda a, b, w: None if a % (1 << b) else a >> b)),
    ("shrsi", (), shift(lambda a, b, w: signed(a, w) >> b)),
    ("shrsi", EXACT, shift(lambda a, b, w: None if a % (1 << b) else signed(a, w) >> b)),
    ("minsi", (), on_signed(min)),
    ("maxsi", (), on_signed(max)),
    ("minui", (), on_unsigned(min)),
    ("maxui", (), on_unsigned(max)),
    ("mulsi_extended", (("result", 0),), on_signed(lambda a, b: a * b)),
    ("mului_extended", (("result", 0),), on_unsigned(lambda a, b: a * b)),
    ("addui_extended", (("result", 0),), on_unsigned(lambda a, b: a + b)),
    ("mulsi_extended", (("result", 1),), lambda w: lambda a, b: wrap(signed(a, w) * signed(b, w) >> w, w)),
    ("mului_extended", (("result", 1),), lambda w: lambda a, b: a * b >> w),
]
WIDTHS = (1, 2, 3, 4, 8, 16, 32, 64)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize(("name", "attrs", "oracle"), BINARY)
def test_binary(name: str, attrs: Attributes, oracle: Callable[[int], Oracle], width: int) -> None:
    t = IntType(width)
    pairs = itertools.product(values(width), repeat=2)
    agree(f"arith.{name}", (t, t), t, attrs, oracle(width), pairs)


@pytest.mark.parametrize(("name", "attrs", "oracle"), [b for b in BINARY if "extended" not in b[0]])
def test_binary_on_index(name: str, attrs: Attributes, oracle: Callable[[int], Oracle]) -> None:
    """`index` is i64 with signed values; what no subscript or bound is made of wraps."""
    at64 = oracle(64)

    def on_index(a: int, b: int) -> Scalar | str:
        value = at64(wrap(a, 64), wrap(b, 64))
        return signed(value, 64) if isinstance(value, int) else value

    numbers = [signed(v, 64) for v in values(64)]
    agree(f"arith.{name}", (INDEX, INDEX), INDEX, attrs, on_index, itertools.product(numbers, repeat=2))


COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
}
INTEGER_PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")


@pytest.mark.parametrize("predicate", INTEGER_PREDICATES)
@pytest.mark.parametrize("width", (*WIDTHS, None))
def test_cmpi(predicate: str, width: int | None) -> None:
    t = INDEX if width is None else IntType(width)
    w = width or 64
    compare = COMPARISONS[predicate[-2:]]

    def oracle(a: int, b: int) -> int:
        a, b = wrap(a, w), wrap(b, w)
        return int(compare(signed(a, w), signed(b, w)) if predicate[0] == "s" else compare(a, b))

    numbers = [signed(v, 64) for v in values(64)] if width is None else values(w)
    pairs = itertools.product(numbers, repeat=2)
    agree("arith.cmpi", (t, t), BOOL, (("predicate", predicate),), oracle, pairs)


def encode(value: int, t: ScalarType) -> int:
    """The residue or, for `index`, the signed value."""
    return signed(wrap(value, 64), 64) if isinstance(t, IndexType) else wrap(value, bits_of(t))


def bits_of(t: ScalarType) -> int:
    assert not isinstance(t, FloatType)
    return 64 if isinstance(t, IndexType) else t.width


def cast_oracle(name: str, attrs: Attributes, source: ScalarType, target: ScalarType) -> Oracle:
    flags = dict(attrs)
    w, v = bits_of(source), bits_of(target)

    def oracle(x: int) -> Scalar:
        unsigned_value, signed_value = wrap(x, w), signed(wrap(x, w), w)
        if flags.get("nneg") and signed_value < 0:
            return POISON
        overflow = str(flags.get("overflow", ""))
        if "nsw" in overflow and not in_signed(signed_value, v):
            return POISON
        if "nuw" in overflow and not in_unsigned(unsigned_value, v):
            return POISON
        return encode(unsigned_value if name.endswith("ui") else signed_value, target)

    return oracle


NNEG: Attributes = (("nneg", True),)
INTEGER_CASTS: list[tuple[str, Attributes, ScalarType, ScalarType]] = [
    *[
        (name, attrs, IntType(a), IntType(b))
        for name, attrs in (("extsi", ()), ("extui", ()), ("extui", NNEG))
        for a, b in ((1, 2), (1, 8), (3, 5), (8, 32), (32, 64))
    ],
    *[
        ("trunci", attrs, IntType(a), IntType(b))
        for attrs in ((), NSW, NUW, BOTH)
        for a, b in ((2, 1), (4, 3), (32, 8), (64, 32), (128, 64))
    ],
    *[
        (name, attrs, source, target)
        for name, attrs in (("index_cast", ()), ("index_castui", ()), ("index_castui", NNEG))
        for w in (1, 8, 32, 64, 96)
        for source, target in ((IntType(w), INDEX), (INDEX, IntType(w)))
    ],
]


@pytest.mark.parametrize(("name", "attrs", "source", "target"), INTEGER_CASTS)
def test_integer_cast(name: str, attrs: Attributes, source: ScalarType, target: ScalarType) -> None:
    inputs = [(encode(v, source),) for v in values(bits_of(source))]
    agree(f"arith.{name}", (source,), target, attrs, cast_oracle(name, attrs, source, target), inputs)


@pytest.mark.parametrize("t", (IntType(8), INDEX, FloatType("f32")))
def test_select(t: ScalarType) -> None:
    agree("arith.select", (BOOL, t, t), t, (), lambda c, a, b: a if c else b, [(0, 5, 6), (1, 5, 6)])


# Floats

NUMPY = {"f16": np.float16, "f32": np.float32, "f64": np.float64}


def numpy_binary(f: Callable[..., np.floating], name: str) -> Oracle:
    """The op in NumPy's format; for bf16 in f64, rounded by hand (8 bits fit many times over)."""

    def oracle(a: float, b: float) -> float:
        kind = NUMPY.get(name, np.float64)
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            value = float(f(kind(a), kind(b)))
        return rounded(value, name) if name == "bf16" else value

    return oracle


FLOAT_BINARY: dict[str, Callable[..., np.floating]] = {
    "addf": np.add,
    "subf": np.subtract,
    "mulf": np.multiply,
    "divf": np.divide,
    "remf": np.fmod,
}


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("op", FLOAT_BINARY)
def test_float_arithmetic(op: str, name: str) -> None:
    t = FloatType(name)
    pairs = itertools.product(floats(name), repeat=2)
    agree(f"arith.{op}", (t, t), t, (), numpy_binary(FLOAT_BINARY[op], name), pairs)


def extremum(op: str) -> Oracle:
    def oracle(a: float, b: float) -> float:
        if a != a or b != b:
            if op in ("maximumf", "minimumf"):
                return math.nan
            return b if a != a else a
        order = sorted((a, b), key=lambda x: (x, math.copysign(1.0, x)))
        return order[1] if op.startswith("max") else order[0]

    return oracle


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("op", ("maximumf", "minimumf", "maxnumf", "minnumf"))
def test_float_extremum(op: str, name: str) -> None:
    t = FloatType(name)
    agree(f"arith.{op}", (t, t), t, (), extremum(op), itertools.product(floats(name), repeat=2))


@pytest.mark.parametrize("name", FORMATS)
def test_negf(name: str) -> None:
    t = FloatType(name)
    agree("arith.negf", (t,), t, (), lambda x: float(np.negative(x)), [(x,) for x in floats(name)])


@pytest.mark.parametrize("name", ("f16", "f64"))
@pytest.mark.parametrize("ordering", ("o", "u"))
@pytest.mark.parametrize("kind", ("eq", "ne", "lt", "le", "gt", "ge"))
def test_cmpf(ordering: str, kind: str, name: str) -> None:
    t = FloatType(name)

    def oracle(a: float, b: float) -> int:
        return int(ordering == "u" if a != a or b != b else COMPARISONS[kind](a, b))

    attrs: Attributes = (("predicate", ordering + kind),)
    agree("arith.cmpf", (t, t), BOOL, attrs, oracle, itertools.product(floats(name), repeat=2))


@pytest.mark.parametrize("predicate", ("ord", "uno", "true", "false"))
def test_cmpf_without_comparison(predicate: str) -> None:
    def oracle(a: float, b: float) -> int:
        unordered = a != a or b != b
        return int({"ord": not unordered, "uno": unordered, "true": True, "false": False}[predicate])

    t = FloatType("f32")
    pairs = itertools.product(floats("f32"), repeat=2)
    agree("arith.cmpf", (t, t), BOOL, (("predicate", predicate),), oracle, pairs)


@pytest.mark.parametrize(
    ("op", "source", "target"),
    [
        *[
            ("extf", a, b)
            for a, b in (("f16", "f32"), ("f16", "f64"), ("bf16", "f32"), ("bf16", "f64"), ("f32", "f64"))
        ],
        *[
            ("truncf", b, a)
            for a, b in (("f16", "f32"), ("f16", "f64"), ("bf16", "f32"), ("bf16", "f64"), ("f32", "f64"))
        ],
    ],
)
def test_float_cast(op: str, source: str, target: str) -> None:
    numbers = floats(source)
    ties = [math.ldexp(2 * m + 1, -SIGNIFICANT[target]) for m in (2 ** (SIGNIFICANT[target] - 1), 2**3, 2**3 + 1)]
    nudged = [math.nextafter(x, to) for x in ties for to in (0.0, math.inf)] if source == "f64" else []
    numbers = [*numbers, *(rounded(x, source) for x in (*ties, *nudged))]
    inputs = [(x,) for x in (*numbers, *floats(target))] if op == "truncf" else [(x,) for x in numbers]
    inputs = [(rounded(x, source),) for (x,) in inputs]
    agree(f"arith.{op}", (FloatType(source),), FloatType(target), (), lambda x: rounded(x, target), inputs)


def test_truncf_to_bf16_rounds_once() -> None:
    """Through f32 this tie-breaker is lost: 1 + 2**-8 + 2**-40 would become the tie 1 + 2**-8, then 1."""
    value = 1 + 2.0**-8 + 2.0**-40
    agree("arith.truncf", (FloatType("f64"),), FloatType("bf16"), (), lambda x: 1 + 2.0**-7, [(value,)])


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("width", (1, 2, 4, 8, 16, 32, 64, 128))
@pytest.mark.parametrize("op", ("sitofp", "uitofp"))
def test_integer_to_float(op: str, width: int, name: str) -> None:
    def oracle(x: int) -> float:
        value = signed(x, width) if op == "sitofp" else x
        return round_fraction(abs(value), 1, name, value < 0)

    top = 1 << (width - 2) if width > 2 else 1
    sticky = [wrap(top + (top >> 24) + d, width) for d in (-1, 0, 1)] + [wrap(-(top + (top >> 24) + 1), width)]
    inputs = [(v,) for v in (*values(width), *sticky)]
    agree(f"arith.{op}", (IntType(width),), FloatType(name), (), oracle, inputs)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("width", (1, 2, 4, 8, 16, 32, 64))
@pytest.mark.parametrize("op", ("fptosi", "fptoui"))
def test_float_to_integer(op: str, width: int, name: str) -> None:
    def oracle(x: float) -> Scalar:
        if x != x or x in (math.inf, -math.inf):
            return POISON
        fits = in_signed(int(x), width) if op == "fptosi" else in_unsigned(int(x), width)
        return wrap(int(x), width) if fits else POISON

    edges = [math.ldexp(s, width - k) + d for s in (1.0, -1.0) for k in (0, 1) for d in (-1, -0.5, 0.0, 0.5, 1)]
    inputs = [(x,) for x in (*floats(name), -0.5, -0.75, 0.75, *(rounded(e, name) for e in edges))]
    agree(f"arith.{op}", (FloatType(name),), IntType(width), (), oracle, inputs)


def test_fast_math_makes_poison() -> None:
    t = FloatType("f32")
    nnan: Attributes = (("fastmath", "nnan"),)
    agree("arith.addf", (t, t), t, nnan, lambda a, b: POISON if a != a else a + b, [(math.nan, 1.0), (1.0, 2.0)])
    fast: Attributes = (("fastmath", "reassoc,ninf"),)
    agree("arith.mulf", (t, t), t, fast, lambda a, b: POISON if a > 9 else a * b, [(1e30, 1e30), (2.0, 3.0)])


# Names and attributes


def test_unknown_attribute_is_unsupported() -> None:
    with pytest.raises(Unsupported, match=r"arith\.extsi"):
        program("arith.extsi", (IntType(8),), IntType(16), (("rounding", "upward"),))


def test_every_operator_is_documented_and_named_by_its_dialect() -> None:
    for name, operator in OPERATORS.items():
        assert operator.name == name and operator.semantics.__doc__
        assert name.split(".")[0] in ("arith", "affine", "chosen", "control", "index", "math", "ub")
