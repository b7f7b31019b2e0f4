"""Parameter relations: expressions that make a target parameter of source parameters; their text, shapes and values.

| expression                 | denotes                                                                       |
| -------------------------- | ----------------------------------------------------------------------------- |
| `name`                     | a parameter of the source                                                     |
| `transpose(e)`             | its last two dimensions exchanged; `transpose(e, 0, 1)` any two               |
| `concat(e, f, ..., dim=0)` | one after the other                                                           |
| `slice(e, dim, from, to)`  | the elements `from` to `to`, exclusive, along a dimension                     |
| `split(e, dim, n, k)`      | part `k` of `n` equal ones                                                    |
| `reshape(e, n, ...)`       | the same elements in row-major order                                          |
| `zeros(n, ...)`            | a tensor of zeros, as for padding: `concat(e, zeros(8, 32), dim=0)`           |
| `value`                    | the value that the parameter has: it is part of the program                   |
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import Struct

from hecv.parameters.captured_model import Tensor

Shape = tuple[int, ...]
MOST_NESTED: Final = 50
"""Nesting depth of an expression, at most."""
MOST_DIGITS: Final = 18
"""Digits of a number, at most; no extent has more."""
_TOKEN: Final = re.compile(r"\s*(?:([A-Za-z_][\w.]*)|(-?\d+)|([(),=]))")


class BadRelation(Exception):
    """An invalid expression; the text says why."""


class Ref(Struct, frozen=True):
    name: str


class Own(Struct, frozen=True):
    """The parameter's own value."""


class Transpose(Struct, frozen=True):
    of: Expression
    first: int
    second: int


class Concat(Struct, frozen=True):
    parts: tuple[Expression, ...]
    dim: int


class Slice(Struct, frozen=True):
    of: Expression
    dim: int
    start: int
    stop: int


class Reshape(Struct, frozen=True):
    of: Expression
    shape: Shape


class Zeros(Struct, frozen=True):
    shape: Shape


Expression = Ref | Own | Transpose | Concat | Slice | Reshape | Zeros
Sources = Mapping[str, Tensor]


def shape_of(expression: Expression, sources: Sources) -> Shape:
    """The shape of an expression.

    Raises: BadRelation if it is invalid.
    """
    match expression:
        case Ref(name=name):
            if name not in sources:
                raise BadRelation(f"the source has no parameter `{name}`")
            return sources[name].shape
        case Own():
            raise BadRelation("`value` stands alone")
        case Transpose(of=of, first=first, second=second):
            shape = list(shape_of(of, sources))
            _require(max(first, second) < len(shape), f"{text_of(of)} has rank {len(shape)}")
            shape[first], shape[second] = shape[second], shape[first]
            return tuple(shape)
        case Concat(parts=parts, dim=dim):
            return _joined([shape_of(p, sources) for p in parts], dim)
        case Slice(of=of, dim=dim, start=start, stop=stop):
            shape = shape_of(of, sources)
            inside = dim < len(shape) and 0 <= start <= stop <= shape[dim]
            _require(inside, f"{start} to {stop} along {dim} is beyond {text_of(of)} of shape {list(shape)}")
            return (*shape[:dim], stop - start, *shape[dim + 1 :])
        case Reshape(of=of, shape=shape):
            given = shape_of(of, sources)
            _require(math.prod(given) == math.prod(shape), f"{list(given)} does not reshape to {list(shape)}")
            return shape
        case Zeros(shape=shape):
            return shape


def _joined(shapes: list[Shape], dim: int) -> Shape:
    first = shapes[0]
    fits = all(len(s) == len(first) and _without(s, dim) == _without(first, dim) for s in shapes)
    _require(dim < len(first) and fits, f"shapes {', '.join(str(list(s)) for s in shapes)} do not join along {dim}")
    return (*first[:dim], sum(s[dim] for s in shapes), *first[dim + 1 :])


def _without(shape: Shape, dim: int) -> Shape:
    return shape[:dim] + shape[dim + 1 :]


def _require(holds: bool, text: str) -> None:
    if not holds:
        raise BadRelation(text)


def names_in(expression: Expression) -> Iterator[str]:
    """The source parameters in an expression."""
    match expression:
        case Ref(name=name):
            yield name
        case Own() | Zeros():
            return
        case Concat(parts=parts):
            for part in parts:
                yield from names_in(part)
        case Transpose(of=of) | Slice(of=of) | Reshape(of=of):
            yield from names_in(of)


# Text


def text_of(expression: Expression) -> str:
    """An expression in its written form."""
    match expression:
        case Ref(name=name):
            return name
        case Own():
            return "value"
        case Transpose(of=of, first=first, second=second):
            return f"transpose({text_of(of)}, {first}, {second})"
        case Concat(parts=parts, dim=dim):
            return f"concat({', '.join(map(text_of, parts))}, dim={dim})"
        case Slice(of=of, dim=dim, start=start, stop=stop):
            return f"slice({text_of(of)}, {dim}, {start}, {stop})"
        case Reshape(of=of, shape=shape):
            return f"reshape({', '.join([text_of(of), *map(str, shape)])})"
        case Zeros(shape=shape):
            return f"zeros({', '.join(map(str, shape))})"


def parse_relation(text: str, sources: Sources) -> Expression:
    """Parses an expression.

    Raises: BadRelation.
    """
    reader = _Reader(text, sources)
    found = reader.expression()
    reader.end()
    return found


class _Reader:
    def __init__(self, text: str, sources: Sources) -> None:
        self._sources = sources
        self._depth = 0
        self._tokens: list[str] = []
        at = 0
        while at < len(text.rstrip()):
            match = _TOKEN.match(text, at)
            if match is None:
                raise BadRelation(f"`{text[at:].strip()}` cannot be read")
            self._tokens.append(match[match.lastindex or 0])
            at = match.end()

    def expression(self) -> Expression:
        name = self._next()
        if not re.match(r"[A-Za-z_]", name):
            raise BadRelation(f"expected a parameter or an operation, found `{name}`")
        if self._peek() != "(":
            return Own() if name == "value" and name not in self._sources else Ref(name)
        self._expect("(")
        self._depth += 1
        _require(self._depth <= MOST_NESTED, f"operations stand in each other more than {MOST_NESTED} deep")
        parts, numbers, dim = self._operands()
        self._depth -= 1
        return _operation(name, parts, numbers, dim, self._sources)

    def _operands(self) -> tuple[list[Expression], list[int], int | None]:
        parts: list[Expression] = []
        numbers: list[int] = []
        dim: int | None = None
        while True:
            token = self._peek()
            if token == "dim" and self._tokens[1:2] == ["="]:
                self._next()
                self._next()
                dim = self._number()
            elif token.lstrip("-").isdigit():
                numbers.append(self._number())
            else:
                parts.append(self.expression())
            if self._peek() != ",":
                break
            self._next()
        self._expect(")")
        return parts, numbers, dim

    def end(self) -> None:
        if self._tokens:
            raise BadRelation(f"`{self._tokens[0]}` is not expected")

    def _number(self) -> int:
        token = self._next()
        if not token.isdigit():
            raise BadRelation(f"expected a number, found `{token}`")
        _require(len(token) <= MOST_DIGITS, f"a number has more than {MOST_DIGITS} digits")
        return int(token)

    def _peek(self) -> str:
        return self._tokens[0] if self._tokens else ""

    def _next(self) -> str:
        if not self._tokens:
            raise BadRelation("the expression ends too early")
        return self._tokens.pop(0)

    def _expect(self, symbol: str) -> None:
        token = self._next()
        if token != symbol:
            raise BadRelation(f"expected `{symbol}`, found `{token}`")


def _operation(name: str, parts: list[Expression], numbers: list[int], dim: int | None, sources: Sources) -> Expression:
    if name == "concat" and parts and not numbers:
        return Concat(tuple(parts), dim or 0)
    if name == "zeros" and numbers and not parts and dim is None:
        return Zeros(tuple(numbers))
    if len(parts) == 1 and dim is None:
        match name, numbers:
            case "transpose", []:
                rank = len(shape_of(parts[0], sources))
                _require(rank >= 2, f"{text_of(parts[0])} has rank {rank}")
                return Transpose(parts[0], rank - 2, rank - 1)
            case "transpose", [first, second]:
                return Transpose(parts[0], first, second)
            case "slice", [along, start, stop]:
                return Slice(parts[0], along, start, stop)
            case "split", [along, count, number]:
                return _part(parts[0], along, count, number, sources)
            case "reshape", [_, *_]:
                return Reshape(parts[0], tuple(numbers))
            case _:
                pass
    usage = (
        "transpose(p), concat(p, q, dim=0), slice(p, dim, from, to), split(p, dim, n, k), reshape(p, n, ...), "
        "zeros(n, ...)"
    )
    raise BadRelation(f"`{name}` with these operands is none of {usage}")


def _part(of: Expression, dim: int, count: int, number: int, sources: Sources) -> Expression:
    shape = shape_of(of, sources)
    fits = dim < len(shape) and 0 <= number < count and shape[dim] % count == 0
    _require(fits, f"{text_of(of)} of shape {list(shape)} has no part {number} of {count} along {dim}")
    size = shape[dim] // count
    return Slice(of, dim, number * size, (number + 1) * size)
