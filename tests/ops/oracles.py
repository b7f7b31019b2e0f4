"""One op at a time, run by the interpreter, and numbers to run it on; each test brings an oracle of its own."""

from __future__ import annotations

import math
import random
import struct
from collections.abc import Callable, Iterable, Sequence

from hecv.base.term import Attributes, TermPool
from hecv.base.types import ScalarType
from hecv.base.value import Scalar
from hecv.program.tree import Argument, Evaluate, Function, Memory, MemoryKind, Store
from hecv.run.interpreter.interpreter import Excluded, Executable, Finished, Outcome, Undefined, compile

UB = "undefined"
OVERFLOW = "excluded"
Oracle = Callable[..., Scalar | str]


def program(op: str, types: Sequence[ScalarType], result: ScalarType, attrs: Attributes = ()) -> Executable:
    """A function of one op: evaluated, then returned."""
    pool = TermPool()
    args = tuple(pool.argument(k, t) for k, t in enumerate(types))
    term = pool.make(op, args, result, attrs)
    memory = Memory(100, MemoryKind.RESULT, "result0", result, ())
    arguments = tuple(Argument(k, f"arg{k}", t, a, None) for k, (t, a) in enumerate(zip(types, args, strict=True)))
    body = (Evaluate(1, term), Store(2, memory, (), term))
    return compile(Function("f", arguments, (memory,), body, None))


def answer(outcome: Outcome) -> Scalar | str:
    """The one result, or the kind of failure."""
    match outcome:
        case Finished():
            return outcome.results[0]
        case Undefined():
            return UB
        case Excluded():
            return OVERFLOW
        case _:
            raise AssertionError(outcome)


def same(left: Scalar | str, right: Scalar | str) -> bool:
    """Equality of values: one NaN, and -0 apart from +0."""
    if isinstance(left, float) and isinstance(right, float):
        return (left != left and right != right) or struct.pack("d", left) == struct.pack("d", right)
    return type(left) is type(right) and left == right


def agree(
    op: str,
    types: Sequence[ScalarType],
    result: ScalarType,
    attrs: Attributes,
    oracle: Oracle,
    inputs: Iterable[tuple[int | float, ...]],
) -> None:
    """The interpreter answers as the oracle does on every input."""
    executable = program(op, types, result, attrs)
    for values in inputs:
        found, expected = answer(executable.run(values)), oracle(*values)
        assert same(found, expected), f"{op} {attrs} {types}: {values} gives {found}, expected {expected}"


# Integers


def signed(value: int, width: int) -> int:
    return value - (1 << width) if value >> (width - 1) else value


def wrap(value: int, width: int) -> int:
    return value % (1 << width)


def values(width: int) -> list[int]:
    """All values of a narrow type; boundary and random ones of a wide type."""
    if width <= 4:
        return list(range(1 << width))
    half = 1 << (width - 1)
    near = {0, 1, 2, 3, 7, width - 1, width, width + 1, half - 1, half, half + 1, 2 * half - 2, 2 * half - 1}
    random_values = {random.Random(width + k).randrange(2 * half) for k in range(6)}
    return sorted(near | random_values)


def in_signed(value: int, w: int) -> bool:
    return -(1 << (w - 1)) <= value < 1 << (w - 1)


def in_unsigned(value: int, w: int) -> bool:
    return 0 <= value < 1 << w


# Floats

FORMATS = ("f16", "bf16", "f32", "f64")
SIGNIFICANT = {"f16": 11, "bf16": 8, "f32": 24, "f64": 53}
LEAST_EXPONENT = {"f16": -24, "bf16": -133, "f32": -149, "f64": -1074}
GREATEST_EXPONENT = {"f16": 16, "bf16": 128, "f32": 128, "f64": 1024}


def round_fraction(numerator: int, denominator: int, name: str, negative: bool) -> float:
    """The exact rational rounded once to a format, ties to even: integers only."""
    if numerator == 0:
        return -0.0 if negative else 0.0
    exponent = numerator.bit_length() - denominator.bit_length()
    if (numerator << max(-exponent, 0)) < (denominator << max(exponent, 0)):
        exponent -= 1
    unit = max(exponent - SIGNIFICANT[name] + 1, LEAST_EXPONENT[name])
    whole, rest = divmod(numerator << max(-unit, 0), denominator << max(unit, 0))
    twice = 2 * rest - (denominator << max(unit, 0))
    whole += twice > 0 or (twice == 0 and whole % 2 == 1)
    if whole.bit_length() + unit > GREATEST_EXPONENT[name]:
        return -math.inf if negative else math.inf
    return math.copysign(math.ldexp(whole, unit), -1.0 if negative else 1.0)


def rounded(value: float, name: str) -> float:
    """A float rounded once to a format."""
    if value != value or value in (math.inf, -math.inf):
        return value
    numerator, denominator = abs(value).as_integer_ratio()
    return round_fraction(numerator, denominator, name, math.copysign(1.0, value) < 0)


def floats(name: str) -> list[float]:
    """NaN, infinities, zeros, subnormals, the greatest, and ordinary numbers of a format."""
    p, least, top = SIGNIFICANT[name], LEAST_EXPONENT[name], GREATEST_EXPONENT[name]
    greatest = math.ldexp(2**p - 1, top - p)
    positive = [0.0, math.ldexp(1, least), math.ldexp(3, least), math.ldexp(2 ** (p - 1), least)]
    positive += [math.ldexp(2 ** (p - 1) - 1, least), greatest, greatest / 2, 0.5, 1.0, 1.5, 2.0, 3.0, 10.0, math.inf]
    positive += [1.0 + math.ldexp(1, 1 - p), 1.0 - math.ldexp(1, -p), float(2**7), rounded(1 / 3, name)]
    chance = random.Random(name)
    positive += [rounded(math.ldexp(chance.random(), chance.randrange(-14, 15)), name) for _ in range(6)]
    return [math.nan, *positive, *(-x for x in positive)]
