"""Ops of PyTorch that act on each element alone."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import count
from typing import Any, Final

from hecv.tensors.comprehension import (
    Comprehension,
    Scalar,
    apply,
    compare,
    holds,
    product_of,
    real,
    scalar,
    select,
    truth,
)
from hecv.tensors.definitions.op_definition import (
    DEFINITIONS,
    Call,
    Undefined,
    cast_to,
    defines,
    differ,
    element_of,
    floor_quotient,
    index_of,
    integral,
    is_boolean,
    is_integer,
    minus,
    number_of,
    plus,
    spread,
    times,
)
from hecv.tensors.index_terms import Condition, Size, both, either, negate

_UNWRITTEN: Final = count()
"""Numbers of elements that nothing has written."""


def _each(op: str, function: Callable[..., Scalar], operands: int) -> None:
    """Defines an op that maps elements of its operands, broadcast, to an element."""

    def definition(call: Call) -> tuple[Comprehension, ...]:
        given = [call.tensor(k) for k in range(operands)]
        return call.gives(lambda *i: function(*(spread(x, i) for x in given)))

    defines(f"aten.{op}")(definition)


def raised(base: Scalar, exponent: Scalar) -> Scalar:
    """`base` to the `exponent`: products and roots where the exponent is a small literal."""
    power = number_of(exponent)
    if isinstance(power, Fraction) and power.denominator == 1 and abs(power) <= 8:
        found = product_of([base] * abs(int(power)))
        return found if power >= 0 else 1 / found
    if isinstance(power, Fraction) and power.denominator == 2 and abs(power) <= 8:
        root = product_of([base] * int(abs(power))) if abs(power) > 1 else scalar(1)
        found = apply("sqrt", base) if abs(power) < 1 else root * apply("sqrt", base)
        return found if power > 0 else 1 / found
    return apply("pow", base, exponent)


def sigmoid(x: Scalar) -> Scalar:
    """`1 / (1 + exp(-x))`."""
    return 1 / (1 + apply("exp", -x))


def larger(x: Scalar, y: Scalar) -> Scalar:
    """The maximum of two numbers."""
    return apply("max", x, y)


def smaller(x: Scalar, y: Scalar) -> Scalar:
    """The minimum of two numbers."""
    return apply("min", x, y)


_ONE: Final[dict[str, Callable[[Scalar], Scalar]]] = {
    **{name: lambda x, f=name: apply(f, x) for name in ("exp", "log", "log1p", "expm1", "sqrt", "erf")},
    **{name: lambda x, f=name: apply(f, x) for name in ("sin", "cos", "tan", "asin", "acos", "atan")},
    **{name: lambda x, f=name: apply(f, x) for name in ("sinh", "cosh", "tanh", "abs")},
    **{name: lambda x, f=name: integral(f, x) for name in ("floor", "ceil", "trunc", "round")},
    "neg": lambda x: times(scalar(-1), x),
    "sign": lambda x: apply("sign", x),
    "erfc": lambda x: 1 - apply("erf", x),
    "exp2": lambda x: apply("exp", x * math.log(2)),
    "log2": lambda x: apply("log", x) / math.log(2),
    "log10": lambda x: apply("log", x) / math.log(10),
    "log_sigmoid": lambda x: -apply("log", 1 + apply("exp", -x)),
    "reciprocal": lambda x: 1 / x,
    "rsqrt": lambda x: 1 / apply("sqrt", x),
    "square": lambda x: x * x,
    "sigmoid": sigmoid,
    "silu": lambda x: x * sigmoid(x),
    "mish": lambda x: x * apply("tanh", apply("log", 1 + apply("exp", x))),
    "relu": lambda x: larger(x, scalar(0)),
    "relu6": lambda x: smaller(larger(x, scalar(0)), scalar(6)),
    "hardsigmoid": lambda x: smaller(larger(x + 3, scalar(0)), scalar(6)) / 6,
    "hardswish": lambda x: x * smaller(larger(x + 3, scalar(0)), scalar(6)) / 6,
    "logical_not": lambda x: truth(negate(holds(x))),
    "asinh": lambda x: apply("log", x + apply("sqrt", x * x + 1)),
    "acosh": lambda x: apply("log", x + apply("sqrt", x * x - 1)),
    "atanh": lambda x: apply("log", (1 + x) / (1 - x)) / 2,
    "isnan": lambda x: differ(x, x),
    "isinf": lambda x: truth(compare("eq", apply("abs", x), math.inf)),
}
for _name, _function in _ONE.items():
    _each(_name, _function, 1)


def _condition(meaning: Callable[[Condition, Condition], Condition]) -> Callable[[Scalar, Scalar], Scalar]:
    return lambda x, y: truth(meaning(holds(x), holds(y)))


_TWO: Final[dict[str, Callable[[Scalar, Scalar], Scalar]]] = {
    "mul": times,
    "maximum": larger,
    "minimum": smaller,
    "floor_divide": floor_quotient,
    "remainder": lambda x, y: minus(x, times(floor_quotient(x, y), y)),
    "fmod": lambda x, y: x - integral("trunc", x / y) * y,
    "pow": raised,
    "fmax": larger,
    "fmin": smaller,
    "hypot": lambda x, y: apply("sqrt", x * x + y * y),
    "atan2": lambda x, y: apply("atan2", x, y),
    "eq": lambda x, y: truth(compare("eq", x, y)),
    "ne": differ,
    "lt": lambda x, y: truth(compare("lt", x, y)),
    "le": lambda x, y: truth(compare("le", x, y)),
    "gt": lambda x, y: truth(compare("lt", y, x)),
    "ge": lambda x, y: truth(compare("le", y, x)),
    "logical_and": _condition(both),
    "logical_or": _condition(either),
    "logical_xor": lambda x, y: differ(truth(holds(x)), truth(holds(y))),
}
for _name, _pair in _TWO.items():
    _each(_name, _pair, 2)


@defines("aten.add")
def add(call: Call) -> tuple[Comprehension, ...]:
    """`x + alpha * y`; of booleans, or."""
    return _scaled(call, plus)


@defines("aten.sub")
def sub(call: Call) -> tuple[Comprehension, ...]:
    """`x - alpha * y`."""
    return _scaled(call, minus)


@defines("aten.rsub")
def rsub(call: Call) -> tuple[Comprehension, ...]:
    """`y - alpha * x`."""
    return _scaled(call, lambda x, y: minus(y, x), swapped=True)


def _scaled(call: Call, join: Callable[[Scalar, Scalar], Scalar], swapped: bool = False) -> tuple[Comprehension, ...]:
    x, y = call.tensor(0), call.tensor(1)
    alpha = scalar(call.at(2, "alpha", 1))
    if is_boolean(call.element):
        return call.gives(lambda *i: truth(either(holds(spread(x, i)), holds(spread(y, i)))))
    if swapped:
        return call.gives(lambda *i: join(times(alpha, spread(x, i)), spread(y, i)))
    return call.gives(lambda *i: join(spread(x, i), times(alpha, spread(y, i))))


@defines("aten.div")
def div(call: Call) -> tuple[Comprehension, ...]:
    """`x / y`, rounded where `rounding_mode` says so."""
    x, y, mode = call.tensor(0), call.tensor(1), call.at(2, "rounding_mode")
    if mode == "floor":
        return call.gives(lambda *i: floor_quotient(spread(x, i), spread(y, i)))
    if mode == "trunc":
        return call.gives(lambda *i: integral("trunc", spread(x, i) / spread(y, i)))
    return call.gives(lambda *i: spread(x, i) / spread(y, i))


@defines("aten.bitwise_and", "aten.__and__")
def bitwise_and(call: Call) -> tuple[Comprehension, ...]:
    """And, of booleans."""
    return _booleans(call, both)


@defines("aten.bitwise_or", "aten.__or__")
def bitwise_or(call: Call) -> tuple[Comprehension, ...]:
    """Or, of booleans."""
    return _booleans(call, either)


def _booleans(call: Call, meaning: Callable[[Condition, Condition], Condition]) -> tuple[Comprehension, ...]:
    if not is_boolean(call.element):
        raise Undefined(f"{call.op} of integers")
    x, y = call.tensor(0), call.tensor(1)
    return call.gives(lambda *i: truth(meaning(holds(spread(x, i)), holds(spread(y, i)))))


@defines("aten.bitwise_not")
def bitwise_not(call: Call) -> tuple[Comprehension, ...]:
    """Not; of integers, `-1 - x`."""
    x = call.tensor(0)
    if is_boolean(call.element):
        return call.gives(lambda *i: truth(negate(holds(spread(x, i)))))
    return call.gives(lambda *i: minus(scalar(-1), spread(x, i)))


@defines("aten.where")
def where(call: Call) -> tuple[Comprehension, ...]:
    """The second operand where the condition holds, else the third."""
    condition, yes, no = (call.tensor(k) for k in range(3))
    return call.gives(lambda *i: select(holds(spread(condition, i)), spread(yes, i), spread(no, i)))


@defines("aten.masked_fill")
def masked_fill(call: Call) -> tuple[Comprehension, ...]:
    """The value where the mask holds."""
    x, mask, value = (call.tensor(k) for k in range(3))
    return call.gives(lambda *i: select(holds(spread(mask, i)), spread(value, ()), spread(x, i)))


@defines("aten.clamp", "aten.hardtanh")
def clamp(call: Call) -> tuple[Comprehension, ...]:
    """Not below the first bound, then not above the second."""
    x = call.tensor(0)
    low, high = call.at(1, "min"), call.at(2, "max")
    if call.op.startswith("aten.hardtanh"):
        low, high = (-1.0 if low is None else low), (1.0 if high is None else high)

    def at(*i: Any) -> Scalar:
        found = x[i]
        found = found if low is None else larger(found, spread(low, i))
        return found if high is None else smaller(found, spread(high, i))

    return call.gives(at)


@defines("aten.clamp_min")
def clamp_min(call: Call) -> tuple[Comprehension, ...]:
    """Not below the bound."""
    x, low = call.tensor(0), call.tensor(1)
    return call.gives(lambda *i: larger(spread(x, i), spread(low, i)))


@defines("aten.clamp_max")
def clamp_max(call: Call) -> tuple[Comprehension, ...]:
    """Not above the bound."""
    x, high = call.tensor(0), call.tensor(1)
    return call.gives(lambda *i: smaller(spread(x, i), spread(high, i)))


@defines("aten.gelu")
def gelu(call: Call) -> tuple[Comprehension, ...]:
    """`x * Phi(x)`, or its approximation by tanh."""
    x, approximate = call.tensor(0), call.at(1, "approximate", "none")

    def at(*i: Any) -> Scalar:
        v = x[i]
        if approximate == "tanh":
            return 0.5 * v * (1 + apply("tanh", math.sqrt(2 / math.pi) * (v + 0.044715 * v * v * v)))
        return 0.5 * v * (1 + apply("erf", v * math.sqrt(0.5)))

    return call.gives(at)


@defines("aten.softplus")
def softplus(call: Call) -> tuple[Comprehension, ...]:
    """`log(1 + exp(beta * x)) / beta`; x itself beyond the threshold."""
    x, beta, threshold = call.tensor(0), call.at(1, "beta", 1), call.at(2, "threshold", 20)

    def at(*i: Any) -> Scalar:
        scaled = x[i] * beta
        return select(compare("lt", threshold, scaled), x[i], apply("log", 1 + apply("exp", scaled)) / beta)

    return call.gives(at)


@defines("aten.elu")
def elu(call: Call) -> tuple[Comprehension, ...]:
    """`scale * x` above 0, else `scale * alpha * (exp(input_scale * x) - 1)`."""
    x, alpha, scale, inner = (
        call.tensor(0),
        call.at(1, "alpha", 1),
        call.at(2, "scale", 1),
        call.at(3, "input_scale", 1),
    )
    return call.gives(
        lambda *i: select(
            compare("lt", 0, x[i]), x[i] * scale, (apply("exp", x[i] * inner) - 1) * Fraction(alpha) * Fraction(scale)
        )
    )


@defines("aten.leaky_relu")
def leaky_relu(call: Call) -> tuple[Comprehension, ...]:
    """`x` above 0, else `slope * x`."""
    x, slope = call.tensor(0), call.at(1, "negative_slope", 0.01)
    return call.gives(lambda *i: select(compare("lt", 0, x[i]), x[i], x[i] * slope))


@defines("aten.addcmul", "aten.addcdiv")
def addcmul(call: Call) -> tuple[Comprehension, ...]:
    """`x + value * y * z`, or `x + value * y / z`."""
    x, y, z = (call.tensor(k) for k in range(3))
    value, divides = call.at(3, "value", 1), "addcdiv" in call.op

    def at(*i: Any) -> Scalar:
        a, b, c = (spread(t, i) for t in (x, y, z))
        return a + (b / c if divides else b * c) * value

    return call.gives(at)


@defines("aten.lerp")
def lerp(call: Call) -> tuple[Comprehension, ...]:
    """`x + weight * (y - x)`."""
    x, y, weight = (call.tensor(k) for k in range(3))
    return call.gives(lambda *i: spread(x, i) + spread(weight, i) * (spread(y, i) - spread(x, i)))


# Casts and copies


@defines("aten.to", "aten._to_copy", "aten.type_as")
def to(call: Call) -> tuple[Comprehension, ...]:
    """A cast to the type of the result."""
    x = call.tensor(0)
    return call.gives(lambda *i: cast_to(x[i], x.element, call.element))


@defines(
    *(
        "aten.clone",
        "aten.detach",
        "aten.alias",
        "aten.positive",
        "aten.contiguous",
        "aten.lift_fresh_copy",
        "aten.dropout",
    ),
)
def same(call: Call) -> tuple[Comprehension, ...]:
    """The operand itself.

    Raises: Undefined for a dropout that is at work.
    """
    x = call.tensor(0)
    if "dropout" in call.op and call.at(2, "train", False) and call.at(1, "p", 0.5):
        raise Undefined("dropout in training draws random numbers")
    return call.gives(lambda *i: x[i])


@defines("aten.copy")
def copied(call: Call) -> tuple[Comprehension, ...]:
    """`aten.copy`: the second operand, in shape and type of the first."""
    source = call.tensor(1)
    return call.gives(lambda *i: cast_to(spread(source, i), source.element, call.element))


# The type that the result of an op on integers and numbers has is that of the graph; elements need no cast where both
# are of one kind.
_MIXED: Final = ("aten.mul", "aten.maximum", "aten.minimum")


def _with_casts(definition: Callable[[Call], tuple[Comprehension, ...]]) -> Callable[[Call], tuple[Comprehension, ...]]:
    def checked(call: Call) -> tuple[Comprehension, ...]:
        if is_boolean(call.element):
            kinds = [x.element if isinstance(x, Comprehension) else element_of(x) for x in call.operands[:2]]
            if not all(map(is_boolean, kinds)):
                raise Undefined(f"{call.op} of {' and '.join(kinds)} as booleans")
        return definition(call)

    return checked


for _op in _MIXED:
    DEFINITIONS[_op] = _with_casts(DEFINITIONS[_op])


@defines("aten.full_like", "aten.zeros_like", "aten.ones_like", "aten.new_zeros", "aten.new_ones", "aten.new_full")
def filled_like(call: Call) -> tuple[Comprehension, ...]:
    """One number everywhere."""
    place = {"full_like": 1, "new_full": 2}.get(call.op.split(".")[1])
    value = 0 if "zeros" in call.op else 1 if "ones" in call.op else call.at(place or 1, "fill_value")
    return _filled(call, value)


@defines("aten.full", "aten.zeros", "aten.ones", "aten.scalar_tensor")
def filled(call: Call) -> tuple[Comprehension, ...]:
    """One number everywhere."""
    kind = call.op.split(".")[1]
    value = {"zeros": 0, "ones": 1}.get(kind)
    return _filled(call, call.at(0 if kind == "scalar_tensor" else 1, "fill_value") if value is None else value)


@defines("aten.empty", "aten.empty_like", "aten.new_empty", "aten.empty_strided", "aten.new_empty_strided")
def uninitialised(call: Call) -> tuple[Comprehension, ...]:
    """Elements that nothing has written: undefined, as `inf - inf` is, and not what another call leaves unwritten; so
    nothing that depends on one is proved."""
    unknown = apply(f"unwritten.{next(_UNWRITTEN)}")
    return call.gives(lambda *_: unknown + math.inf + -math.inf)


@defines("aten.fill")
def refilled(call: Call) -> tuple[Comprehension, ...]:
    """One number everywhere, in the shape of the first operand."""
    return _filled(call, call.at(1, "value"))


def _filled(call: Call, value: Any) -> tuple[Comprehension, ...]:
    if isinstance(value, Comprehension):
        return call.gives(lambda *_: cast_to(value[()], value.element, call.element))
    if not isinstance(value, int | float) or value != value:
        raise Undefined(f"{call.op} with {value}")
    number = cast_to(scalar(value), element_of(value), call.element)
    found = integral("trunc", number) if is_integer(call.element) else number
    if is_integer(call.element) and index_of(found) is None:
        raise Undefined(f"{call.op} of integers with {value}")
    return call.gives(lambda *_: found)


@defines("aten.arange")
def arange(call: Call) -> tuple[Comprehension, ...]:
    """`start + step * i`."""
    numbers = [x for x in call.operands[:3] if isinstance(x, int | float | Size) and not isinstance(x, bool)]
    overload = call.op.split(".")[2] if call.op.count(".") > 1 else "start_step"
    if overload == "default" or len(numbers) == 1:
        numbers = [0, numbers[0], 1]
    first, by = numbers[0], numbers[2] if len(numbers) > 2 else 1
    if isinstance(first, Size) or isinstance(by, Size):
        return call.gives(lambda i: plus(times(real(i), scalar(by)), scalar(first)))
    start, step = Fraction(first), Fraction(by)
    if start.denominator == step.denominator == 1:
        return call.gives(lambda i: real(i * int(step) + int(start)))
    return call.gives(lambda i: real(i) * step + start)
