"""Random inputs: sizes and integer arguments on which the source is defined, and memory contents of several styles."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from enum import Enum
from random import Random
from typing import Final

from hecv.base.term import Term, literal, postorder
from hecv.base.types import BOOL, FloatType, IndexType, IntType, ScalarType
from hecv.base.value import Buffer, Scalar, Value
from hecv.ops import facts_about
from hecv.program.tree import (
    Alloc,
    Argument,
    Assert,
    Call,
    Function,
    If,
    Load,
    Loop,
    Memory,
    MemoryKind,
    Store,
    While,
    walk,
)
from hecv.refute.indirect_ranges import Places, data_of, places_of
from hecv.run.evaluation.softfloat import FORMATS, ROUND, SMALL
from hecv.run.interpreter.outcome_analysis import placing

MOST_ELEMENTS: Final = 1_000_000
"""The most elements of an input."""

LARGEST_INTERESTING: Final = 1 << 16
"""The largest literal that is tried for a scalar argument; beyond it the source would run for too long."""

FEW: Final = 4
"""The bound of most subscripts in memory."""

FAR: Final = 0.5
"""The share of inputs with larger subscripts."""

BOLD: Final = 0.5
"""The share of inputs in which integers that are no subscripts are arbitrary, beside those that are."""

RANGED: Final = 0.6
"""The share of inputs in which integers that are subscripts, or ends of rows, are in range of what these are in."""

SHORT: Final = 16
"""The width of the largest type all of whose values a loop may run through."""

Point = Mapping[Term, int]
"""Values of scalar integer arguments and of dynamic extents; integers are signed."""


class Style(Enum):
    """How the memory of an input is filled."""

    PLAIN = "small numbers with fractions, integers over the whole width"
    EDGES = "NaN, infinities, the greatest and the least, among small numbers"
    WHOLE = "small whole numbers"
    ZEROS = "zeros of both signs, subnormals and ones"
    DISTINCT = "every element another number"
    TIES = "halves, and floats next to the ends of integer types"
    SIGNED = "numbers of one sign"


STYLES: Final = (
    *(Style.PLAIN, Style.EDGES, Style.PLAIN, Style.WHOLE, Style.PLAIN, Style.ZEROS, Style.DISTINCT),
    *(Style.TIES, Style.SIGNED),
)
"""The order in which inputs are filled: only numbers that are rounded show that a sum was reordered, and only negative
numbers that a maximum starts from zero."""


def _through(format_: str, kept: int) -> Callable[[float], float]:
    """Makes an f64 a value of a shorter format: packed as `format_`, of which the first `kept` bytes stay."""
    packing = struct.Struct(format_)
    return lambda value: packing.unpack(packing.pack(value)[:kept].ljust(packing.size, b"\0"))[0]


_NEAR: Final[Mapping[str, Callable[[float], float]]] = {
    "f16": _through(">e", 2),
    "bf16": _through(">f", 2),
    "f32": _through(">f", 4),
    "f64": lambda value: value,
    **{name: ROUND[name] for name in SMALL},
}
_SUBNORMAL: Final = {name: 2.0**form.subnormal for name, form in FORMATS.items()}
_HALVES: Final = {
    name: (0.5 - 0.5**n / 2, 2.0**n / 2 - 0.5, 2.0**n / 2 + 1, 2.0**n - 1)
    for name, n in ((name, form.significant) for name, form in FORMATS.items())
}
"""Numbers of each format to which adding a half is inexact."""
_ENDS: Final = tuple(2.0**width for width in (7, 8, 15, 16, 31, 32, 63, 64))
_HUGE: Final = {name: form.greatest for name, form in FORMATS.items()}


def literals(functions: Sequence[Function]) -> tuple[int, ...]:
    """The integer literals of the functions, their neighbours, and a little more than twice each: a loop with step 16
    shows its boundaries only beyond 32.

    What only the last function has comes first, and values above a literal before those below it: there a tile or a
    remainder begins.
    """
    each = [_literals(f) for f in functions]
    ordered = dict.fromkeys(v for found in reversed(each) for v in found)
    others = {v for found in each[:-1] for v in found}
    values = sorted(ordered, key=lambda v: v in others)
    shifted = (lambda v: v + 1, lambda v: 2 * v + 3, lambda v: v, lambda v: v - 1)
    return tuple(dict.fromkeys(shift(v) for shift in shifted for v in values))


def _literals(function: Function) -> list[int]:
    """The integer literals of a function."""
    found: dict[int, None] = {}
    for term in function.terms:
        if not term.attrs:
            continue
        values = [literal(term), *(v for name, v in term.attrs if name in ("constant", "divisor"))]
        found.update((v, None) for v in values if isinstance(v, int))
    return list(found)


def guesses(function: Function, interesting: Sequence[int], random: Random) -> Iterator[Point]:
    """Points drawn without knowledge of the source: small values, extents often equal to an argument."""
    scalars = [a.term for a in function.arguments if a.term is not None and not isinstance(a.type, FloatType)]
    extents = list(dynamic_extents(function))
    values = (0, 1, 2, 3, 4, 5, 7, 8, 9, 16, *(v for v in interesting if abs(v) <= 64))
    for trial in range(100_000):
        point: dict[Term, int] = {t: 4 if trial == 0 else random.choice(values) for t in scalars}
        sizes = [abs(v) + extra for v in point.values() for extra in (0, 0, 1, 1)] or [4]
        size = 8 if trial == 0 else random.choice((*sizes, random.choice(values)))
        for term in extents:
            point[term] = abs(size if random.random() < 0.7 else random.choice((*sizes, 4, 8)))
        yield point


def far(function: Function, interesting: Sequence[int], index_width: int, random: Random) -> Iterator[Point]:
    """An endless sequence of points at which arithmetic on index arguments may wrap: at the ends of the type,
    `interesting` distances from them, and where a product by a small factor overflows; a few together, beside small
    ones."""
    half = 1 << (index_width - 1)
    products = (half // 2, half // 4, -half // 2, half // 3, half // 5)
    sums = [half - abs(v) for v in interesting if abs(v) < half] or [half]
    scalars = [a.term for a in function.arguments if a.term is not None and not isinstance(a.type, FloatType)]
    while True:
        turn = random.choice((half - 1, -half, random.choice(products), random.choice(sums), -random.choice(sums)))
        point: dict[Term, int] = {}
        bases = (turn,) if random.random() < 0.9 else (0, turn)  # a loop between the two would not end
        for term in scalars:
            value = random.choice(bases) + random.randrange(-4, 5)
            bound = half if isinstance(term.type, IndexType) else 8
            point[term] = max(-bound, min(bound - 1, value))
        yield {**point, **dict.fromkeys(dynamic_extents(function), random.choice((4, 8, 16)))}


def wrapping_arguments(functions: Sequence[Function]) -> frozenset[Term]:
    """The index arguments that only arithmetic uses of which no subscript or bound is made: it wraps."""
    given = frozenset(a.term for a in functions[0].arguments if a.term is not None and isinstance(a.type, IndexType))
    wraps = False
    for function in functions if given else ():
        places = placing(function)
        given = frozenset(t for t in given if t.id not in places)
        wraps |= any(facts_about(t.op).wraps is not None and t.id not in places for t in function.terms)
    return given if wraps else frozenset()


def brinks(function: Function, interesting: Sequence[int], random: Random) -> Iterator[Point]:
    """An endless sequence of points at which integer arguments are next to an end of their type, or a multiple of it by
    a small fraction: there loops over `iN` overflow.

    Arguments of more than `SHORT` bits are all at one of these places, since a loop from one to another would run for
    too long; a single one is not placed there.
    """
    scalars = [a.term for a in function.arguments if a.term is not None and not isinstance(a.type, FloatType)]
    wide = [t for t in scalars if isinstance(t.type, IntType) and t.type.width > SHORT]
    near = [v for v in (-2, -1, 0, 1, 2, *interesting) if abs(v) <= 64]
    while True:
        point = dict.fromkeys(dynamic_extents(function), random.choice((4, 8, 16)))
        quarters = random.choice((-2, 2, -2, 2, -1, 1))
        for term in scalars:
            kind = term.type
            small = random.choice((0, 1, 2, 3, 5, 8))
            if not isinstance(kind, IntType) or kind == BOOL or (kind.width > SHORT and len(wide) < 2):
                point[term] = small
                continue
            half = 1 << (kind.width - 1)
            turn = quarters if kind.width > SHORT else random.choice((-2, 2, 0))
            value = turn * half // 2 + random.choice(near)
            point[term] = max(-half, min(half - 1, value))
        yield point


def may_leave_types(function: Function) -> bool:
    """Whether a loop or a while may count in a type other than `index`, and the function has integer inputs."""
    loops = any(
        isinstance(s, While) or (isinstance(s, Loop) and isinstance(s.iv.type, IntType)) for s in walk(function.body)
    )
    return loops and any(isinstance(a.type, IntType) and a.type != BOOL for a in function.arguments)


def dynamic_extents(function: Function) -> tuple[Term, ...]:
    """The extents of memref arguments that are not literals, each once."""
    memories = [a.memory for a in function.arguments if a.memory is not None]
    return tuple(dict.fromkeys(e for m in memories for e in m.extents if literal(e) is None))


def indexes_by_inputs(function: Function) -> bool:
    """Whether a subscript, bound, extent or condition depends on an argument or on memory."""
    return indexes_by(function, ("arg", "read", "load"))


def indexes_by(function: Function, leaves: Collection[str]) -> bool:
    """Whether a subscript, bound, extent or condition depends on such a leaf, or may in a called function."""
    places: list[Term] = []
    for s in walk(function.body):
        match s:
            case Load() | Store():
                places += s.indices
            case Alloc():
                places += s.memory.extents
            case Loop():
                places += (*s.lowers, *s.uppers, s.step)
            case If() | While() | Assert():
                places.append(s.condition)
            case Call():
                return True
            case _:
                pass
    return any(t.op in leaves for t in postorder(tuple(places)))


def places_by_memory(function: Function) -> bool:
    """Whether a subscript or a bound is read from memory itself."""
    loads = {s.id for s in walk(function.body) if isinstance(s, Load) and s.memory.kind is not MemoryKind.CELL}
    places: list[Term] = []
    for s in walk(function.body) if loads else ():
        match s:
            case Load() | Store():
                places += s.indices
            case Loop():
                places += (*s.lowers, *s.uppers)
            case _:
                pass
    return any(t.op == "read" and t.attr("load") in loads for t in postorder(tuple(places)))


def data_types(function: Function) -> frozenset[ScalarType]:
    """The integer types of inputs that are pure data, and may have any value: no memory of that type is read to decide
    where, or how often, something is done."""
    places: list[Term] = []
    for s in walk(function.body):
        match s:
            case Load() | Store():
                places += s.indices
            case Alloc():
                places += s.memory.extents
            case Loop():
                places += (*s.lowers, *s.uppers, s.step)
            case While():
                places.append(s.condition)
            case _:
                pass
    read = {t.type for t in postorder(tuple(places)) if t.op in ("read", "load")}
    held = {a.memory.element for a in function.inputs() if a.memory is not None}
    return frozenset(t for t in held - read if isinstance(t, IntType))


class Draw:
    """Makes the inputs of a function, arguments and globals, for given points.

    `modest` keeps integers small: they may be subscripts, or ends of row ranges; in other types only in some inputs.
    `exact` is the share of inputs whose floats have few digits, so that their sums and products are not rounded.
    """

    def __init__(
        self,
        function: Function,
        interesting: Sequence[int],
        random: Random,
        modest: bool,
        exact: float = 0,
        index_width: int = 64,
    ) -> None:
        self._function = function
        self._interesting = tuple(interesting) or (0,)
        self._random = random
        self._modest = modest
        self._share = exact
        self._exact = exact == 1
        self._index_width = index_width
        self._units = False
        self._count = 0
        self._reach = FEW
        self._data = data_types(function) if modest else frozenset[ScalarType]()
        self._drawn = frozenset[ScalarType]()
        self._indirect = places_of(function) if modest else dict[int, Places]()
        self._free = data_of(function) if self._indirect else frozenset[int]()
        self._ranged = False

    def arguments(self, point: Point, style: Style) -> tuple[Value, ...] | None:
        """Arguments at `point`, filled in `style`; None if they have too many elements."""
        shapes = [shape(a.memory, point) for a in self._function.inputs() if a.memory is not None]
        if sum(map(math.prod, shapes)) > MOST_ELEMENTS:
            return None
        self._count = 0
        if 0 < self._share < 1:
            self._exact = self._random.random() < self._share
        self._units = self._random.random() < 0.5
        self._reach = self._drawn_reach(shapes) if self._modest else FEW
        self._ranged = bool(self._indirect) and self._random.random() < RANGED
        self._drawn = self._data if self._data and self._random.random() < BOLD else frozenset()
        return tuple(self._argument(a, point, style) for a in self._function.inputs())

    def _argument(self, argument: Argument, point: Point, style: Style) -> Value:
        if argument.memory is not None:
            extents = shape(argument.memory, point)
            places = self._indirect.get(argument.memory.id) if self._ranged else None
            drawn = None if places is None else places.draw(math.prod(extents), point, self._random)
            if drawn is not None:
                return Buffer(extents, [encode(argument.memory.element, value) for value in drawn])
            free = self._ranged and argument.memory.id in self._free
            return Buffer(extents, self._fill(argument.memory.element, math.prod(extents), style, free))
        assert argument.term is not None
        kind = argument.term.type
        if argument.term in point:
            return encode(kind, point[argument.term])
        return self._fill(kind, 1, style)[0]

    def _drawn_reach(self, shapes: Sequence[tuple[int, ...]]) -> int:
        """How far subscripts go: a few elements mostly, else to the end of some memory."""
        extents = [e for extents in shapes for e in extents if e > FEW]
        return self._random.choice(extents) if extents and self._random.random() < FAR else FEW

    def _places(self, count: int) -> list[int]:
        """Subscripts; where they go far some ascend, as the ends of rows do."""
        random, reach = self._random, self._reach
        if reach <= FEW or random.random() < 0.3:
            return [random.randrange(FEW) for _ in range(count)]
        if random.random() < 0.3:
            return [random.randrange(reach) for _ in range(count)]
        lengths = [v for v in self._interesting if 0 < v <= reach]
        found = [random.choice((0, 0, 1))]
        while len(found) < count:
            length = random.choice((0, 1, 2, random.randrange(reach), *random.choices(lengths or (1,), k=4)))
            found.append(found[-1] + (length if found[-1] + length <= reach else 0))
        return found[:count]

    def _fill(self, kind: ScalarType, count: int, style: Style, free: bool = False) -> list[Scalar]:
        if isinstance(kind, FloatType):
            return [*map(_NEAR[kind.name], self._reals(kind.name, count, style))]
        return [encode(kind, value) for value in self._integers(kind, count, style, free)]

    def _reals(self, name: str, count: int, style: Style) -> list[float]:
        random = self._random
        match style:
            case Style.PLAIN if self._exact:
                if self._units:  # long products of these are numbers of the format
                    return random.choices((1.0, -1.0, 2.0, 0.5), weights=(20, 20, 1, 1), k=count)
                return [random.randint(-16, 16) / 4 for _ in range(count)]
            case Style.PLAIN:
                return [random.uniform(-4, 4) for _ in range(count)]
            case Style.WHOLE:
                return [float(random.randint(-4, 4)) for _ in range(count)]
            case Style.ZEROS if self._exact and self._units:
                return random.choices((0.0, -0.0), k=count)
            case Style.ZEROS:
                found = random.choices((0.0, -0.0, 1.0, -1.0, _SUBNORMAL[name], -_SUBNORMAL[name]), k=count)
                return found[:1] * count if self._units else found  # a sum is -0.0 where all that is added is
            case Style.EDGES:
                edges = (math.nan, math.inf, -math.inf, -0.0, _HUGE[name], -_HUGE[name], _SUBNORMAL[name])
                often = 0.4 if count <= 8 else 0.1
                plain = self._reals(name, count, Style.PLAIN)
                return [random.choice(edges) if random.random() < often else x for x in plain]
            case Style.DISTINCT:
                first = self._count + 1
                self._count += count
                return [(k if k % 2 else -k) / 8 for k in range(first, first + count)]
            case Style.SIGNED:
                sign = random.choice((1, -1))
                return [sign * random.randint(1, 16) / 4 for _ in range(count)]
            case Style.TIES:
                ends = (0.0,) if self._exact else (*(e for e in _ENDS if e <= _HUGE[name]), 0.0, 0.0, 0.0)
                found = [random.choice(ends) + random.randint(-8, 8) / 2 for _ in range(count)]
                if not self._exact:
                    found = [random.choice(_HALVES[name]) if random.random() < 0.25 else x for x in found]
                return [random.choice((1, -1)) * x for x in found]

    def _integers(self, kind: ScalarType, count: int, style: Style, free: bool) -> list[int]:
        random = self._random
        width = kind.width if isinstance(kind, IntType) else self._index_width
        half = 1 << (width - 1)
        if self._modest and not free and style is not Style.EDGES and kind not in self._drawn:
            return self._places(count)
        match style:
            case Style.PLAIN if self._units and width > 1:  # a long product of any numbers is 0
                return [random.randrange(-half, half) | 1 for _ in range(count)]
            case Style.PLAIN:
                return [random.randrange(-half, half) for _ in range(count)]
            case Style.WHOLE | Style.TIES:
                return [random.randint(-8, 8) for _ in range(count)]
            case Style.SIGNED:
                sign = random.choice((1, -1))
                return [sign * random.randint(1, min(half, 8)) for _ in range(count)]
            case Style.ZEROS:
                return random.choices((0, 1, -1, *self._interesting), k=count)
            case Style.EDGES:
                return random.choices((0, 1, -1, half - 1, -half, half - 2, width - 1, width), k=count)
            case Style.DISTINCT:
                first = self._count + 1
                self._count += count
                return list(range(first, first + count))


def shape(memory: Memory, point: Point) -> tuple[int, ...]:
    """The extents of an argument at `point`."""
    extents: list[int] = []
    for extent in memory.extents:
        value = literal(extent)
        extents.append(value if isinstance(value, int) else point[extent])
    return tuple(extents)


def encode(kind: ScalarType, value: int) -> int:
    """A signed integer as a value of the type (`hecv.base.value`)."""
    if isinstance(kind, IndexType):
        return value
    assert isinstance(kind, IntType)
    return value % (1 << kind.width)
