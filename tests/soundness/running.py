"""Inputs for random programs, runs on them, and a comparison of outcomes that shares nothing with `hecv.verdict`."""

from __future__ import annotations

import math
import re
import struct
from array import array
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import count, islice
from random import Random

from torch_mlir import ir

from hecv.base.term import TermPool, literal
from hecv.base.types import FloatType, IndexType, ScalarType
from hecv.base.value import POISON, Buffer, Poison, Scalar, Value
from hecv.mlir.importer import ParsedModule, new_context, parse, read_alone, read_function
from hecv.program.tree import Function
from hecv.run.evaluation.softfloat import ROUND, SMALL
from hecv.run.interpreter.interpreter import Excluded, Exhausted, Finished, Outcome, Undefined, compile

STEPS = 300_000
SIZES = (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, -1, -2)
SLACK = (0, 1, 2, 5, 12, 25)


READ = count()
KEPT = 1000
"""So many modules share a context: it keeps all that it was ever given, and making one takes longer than most runs."""


@lru_cache(maxsize=1)
def _context(_: int) -> ir.Context:
    return new_context()


def parsed(text: str) -> ParsedModule:
    """A module whose text is right: it is parsed at once, in a context of many, and not in a child first."""
    return parse(text, "f.mlir", _context(next(READ) // KEPT), guarded=False)


def parsed_pair(source: str, target: str) -> tuple[ParsedModule, ParsedModule]:
    """Two modules of one context, as `parsed` has them."""
    context = _context(next(READ) // KEPT)
    return parse(source, "source.mlir", context, guarded=False), parse(target, "target.mlir", context, guarded=False)


def read(text: str, pool: TermPool | None = None, name: str = "f") -> Function:
    """The function `@name` of a module."""
    return read_function(parsed(text), name, pool or TermPool())


def public(text: str) -> str:
    """The name of the first function of a module that others see."""
    found = re.search(r"func\.func (?:public )?@(\w+)\(", text)
    return "f" if found is None else found[1]


def inputs(function: Function, random: Random) -> Iterator[tuple[Value, ...]]:
    """Arguments without end: sizes small, also zero and negative; extents as large as the greatest size, or larger."""
    while True:
        sizes = {a.number: random.choice(SIZES) for a in function.arguments if isinstance(a.type, IndexType)}
        extent = max([4, *map(abs, sizes.values())]) + random.choice(SLACK)
        values: list[Value] = []
        for argument in function.inputs():
            if argument.memory is None:
                assert argument.term is not None
                size = sizes.get(argument.number)
                values.append(_scalar(argument.term.type, random) if size is None else size)
                continue
            shape = tuple(extent if (n := literal(e)) is None else int(n) for e in argument.memory.extents)
            values.append(Buffer(shape, [_scalar(argument.memory.element, random) for _ in range(math.prod(shape))]))
        yield tuple(values)


def _scalar(kind: ScalarType, random: Random) -> Scalar:
    if isinstance(kind, FloatType):
        edges = (0.0, -0.0, 1.0, math.inf, -math.inf, math.nan)
        value = random.choice(edges) if random.random() < 0.2 else random.randrange(-64, 64) / 4
        return ROUND[kind.name](value) if kind.name in SMALL else value
    if isinstance(kind, IndexType):
        return random.randrange(-2, 9)
    half = 1 << (kind.width - 1)
    edge = random.choice((0, 1, -1, 2, half - 1, -half))
    return (edge if random.random() < 0.4 else random.randrange(-half, half)) % (2 * half)


def runs(function: Function, arguments: tuple[Value, ...], steps: int = STEPS) -> Outcome:
    """One run of a function that is compiled for it alone."""
    return compile(function).run(arguments, steps)


def conclusive(*outcomes: Outcome) -> bool:
    """Whether all runs ended within the budget and the assumptions."""
    return not any(isinstance(o, Exhausted | Excluded) for o in outcomes)


def observed(end: Finished) -> list[Scalar]:
    """All that a caller sees."""
    return [*end.results, *(x for v in end.arguments if isinstance(v, Buffer) for x in v.data)]


def _image(value: Scalar) -> object:
    if isinstance(value, float):
        return "nan" if math.isnan(value) else struct.pack(">d", value)
    return value


def _is_same(first: Sequence[Scalar], second: Sequence[Scalar]) -> bool:
    """Whether values are seen to be the same at once: integers and poison, or floats bit by bit."""
    kinds = {*map(type, first), *map(type, second)}
    if kinds <= {int, Poison}:
        return first == second
    return kinds == {float} and array("d", first).tobytes() == array("d", second).tobytes()  # type: ignore[arg-type]


def _are_same(first: Finished, second: Finished) -> bool:
    """Whether all that a caller sees is seen to be the same at once."""
    pairs = [(first.results, second.results)]
    pairs += [
        (v.data, w.data)
        for v, w in zip(first.arguments, second.arguments, strict=True)
        if isinstance(v, Buffer) and isinstance(w, Buffer)
    ]
    return all(_is_same(*pair) for pair in pairs)


def unrefined(source: Outcome, target: Outcome) -> str | None:
    """Where the target does not refine the source; None where it does."""
    if not isinstance(source, Finished):
        return None
    if isinstance(target, Undefined):
        return f"the target is undefined: {target.text}"
    assert isinstance(target, Finished)
    if _are_same(source, target):
        return None
    for place, (first, second) in enumerate(zip(observed(source), observed(target), strict=True)):
        if first is second or first is POISON or (type(first) is type(second) is int and first == second):
            continue
        if _image(first) != _image(second):
            return f"value {place} is {second!r}, expected {first!r}"
    return None


def unequal(first: Outcome, second: Outcome) -> str | None:
    """Where two outcomes differ, in either direction."""
    if isinstance(first, Undefined) != isinstance(second, Undefined):
        return f"{first} against {second}" if isinstance(first, Undefined) else f"defined against {second}"
    if isinstance(first, Finished) and isinstance(second, Finished) and _are_same(first, second):
        return None
    return unrefined(first, second) or unrefined(second, first)


def refuted(
    source: str, target: str, verdict: str, random: Random, runs: int, tries: int, steps: int = STEPS
) -> str | None:
    """A run that contradicts the verdict `equivalent` or `refines`, of `runs` that finish or `tries` in all."""
    pool = TermPool()
    first, second = (read_alone(parsed(text), public(text), pool) for text in (source, target))
    return contradicted((first, second), verdict, random, runs, tries, steps)


def contradicted(
    functions: tuple[Function, Function], verdict: str, random: Random, runs: int, tries: int, steps: int = STEPS
) -> str | None:
    """As `refuted`, of functions that are read."""
    codes, done = [compile(f) for f in functions], 0
    for arguments in islice(inputs(functions[0], random), tries):
        ends = [code.run(arguments, steps) for code in codes]
        if not conclusive(*ends):
            continue
        wrong = unequal(*ends) if verdict == "equivalent" else unrefined(*ends)
        if wrong is not None:
            return f"{verdict}, but {wrong} on {arguments}"
        done += isinstance(ends[0], Finished)
        if done == runs:
            break
    return None
