"""A difference that a run showed, as data for a report."""

from __future__ import annotations

from typing import Final

from hecv.base.types import IntType, MemRefType, Type
from hecv.base.value import Buffer, Scalar, Value
from hecv.claim.result import Binding, Counterexample, Divergence, Trap
from hecv.program.index.exact_integers import signed
from hecv.program.tree import Argument, Function, MemoryKind, Role, Standing
from hecv.refute.differential_runs import Difference, Element
from hecv.refute.jit_confirmation import Engine
from hecv.refute.result_aliasing import Cell, Moved, hidden
from hecv.run.evaluation.external_functions import Made
from hecv.run.interpreter.interpreter import Diverged, Finished, Undefined

MOST_SHOWN: Final = 8
"""Calls of functions without a body, and elements that one writes, that are shown."""


def describe(
    functions: tuple[Function, Function], difference: Difference, engines: tuple[Engine, ...]
) -> Counterexample:
    """The difference with the names and types of what it is about."""
    source, target = difference.source, difference.target
    inputs = bindings(functions[0], difference.arguments)
    ends = [source, target] if isinstance(target, Finished) else [source]
    changed = [k for k, v in enumerate(difference.arguments) if any(_changed(v, e.arguments[k]) for e in ends)]
    ended = tuple(_bindings(functions[0], e, changed) for e in ends)
    calls = tuple(map(_call, difference.calls[:MOST_SHOWN]))
    if isinstance(target, Undefined):
        place = functions[1].locations.get(target.statement)
        text = f"the target is undefined: {target.text}"
        return Counterexample(difference.kind, inputs, ended[0], Trap(target.text, place), engines, text, calls)
    if isinstance(target, Diverged):
        end = Divergence(target.text, functions[1].locations.get(target.statement))
        return Counterexample(difference.kind, inputs, ended[0], end, engines, target.text, calls)
    if difference.moved is not None:
        return _returned(functions, difference, engines, difference.moved)
    text = _difference_text(functions[0], source, target, difference.place)
    return Counterexample(difference.kind, inputs, ended[0], ended[1], engines, text, calls)


def _returned(
    functions: tuple[Function, Function], difference: Difference, engines: tuple[Engine, ...], moved: Moved
) -> Counterexample:
    """A difference in which buffers are returned: what a caller changes that writes to a result."""
    name, inputs = f"result{moved.result}", bindings(functions[0], difference.arguments)
    if moved.target.own is Standing.DEAD:
        text = f"{name} lies in memory that does not live on after the return"
        trap = Trap(text, functions[1].location)
        return Counterexample(difference.kind, inputs, (), trap, engines, f"the target is undefined: {text}")
    element = f"{name}[{', '.join(map(str, moved.index))}]"
    places = [_place(c, moved, functions[0], difference.arguments) for c in (moved.source, moved.target)]
    named = [f"{place} in the {side}" for side, place in zip(("source", "target"), places, strict=True) if place]
    missing = [f"not in the {side}" for side, place in zip(("source", "target"), places, strict=True) if not place]
    text = " and ".join([f"writing to {element} changes {named[0]}", *named[1:], *missing])
    first, second = (f"{element} is {place or 'memory of its own'}" for place in places)
    return Counterexample(difference.kind, inputs, (), (), engines, text, returned=(first, second))


def _place(cell: Cell, moved: Moved, function: Function, arguments: tuple[Value, ...]) -> str | None:
    """What a caller calls an element, None where it is only that of the result."""
    if cell.own is not None and cell.buffer == moved.result:
        return None
    if cell.own is not None:
        number = next(r.taken for r in function.returned if r.result == cell.buffer)
        name = f"result{cell.buffer}"
    else:
        number, argument = cell.buffer, function.inputs()[cell.buffer]
        name = _named(argument)
    held = arguments[number]
    assert isinstance(held, Buffer)
    return f"{name}[{', '.join(map(str, subscripts(cell.position, held.shape)))}]"


def _call(made: Made) -> str:
    """A call with what it was taken to answer and to write."""
    memories = [made.site.name(k) for k in range(made.site.given)]
    text = f"@{made.site.callee}({', '.join([*map(repr, made.operands), *memories])})"
    if made.results:
        text += f" = {', '.join(map(repr, made.results))}"
    writes = [f"{made.site.name(n)}[{at}] = {value!r}" for n, at, value in made.writes]
    more = ", ..." if len(writes) > MOST_SHOWN else ""
    return f"{text}, writes {', '.join(writes[:MOST_SHOWN])}{more}" if writes else text


def bindings(function: Function, arguments: tuple[Value, ...]) -> tuple[Binding, ...]:
    """The inputs with their names and types."""
    given = zip(function.inputs(), arguments, strict=True)
    return tuple(_binding(a, v) for a, v in given if a.role not in (Role.RESULT, Role.AROUND))


def _binding(argument: Argument, value: Value) -> Binding:
    return Binding(_key(argument), argument.name, argument.type, value, argument.text or str(argument.type))


def _key(argument: Argument) -> str:
    """The stable name of an input: `arg0` for an argument, `@name` for a global, `result0` for what takes a result."""
    if argument.role is Role.RESULT:
        return argument.name
    is_global = argument.memory is not None and argument.memory.kind is MemoryKind.GLOBAL
    return argument.name if is_global else f"arg{argument.number}"


def _changed(before: Value, after: Value) -> bool:
    return isinstance(before, Buffer) and repr(before) != repr(after)


def _bindings(function: Function, end: Finished, changed: list[int]) -> tuple[Binding, ...]:
    shown = hidden(function.returned, end)
    results = [
        Binding(m.name, m.name, m.element, v, str(m.element))
        for k, (m, v) in enumerate(zip(function.results, end.results, strict=True))
        if k not in shown
    ]
    named = [function.inputs()[k] for k in changed]
    return (*results, *(_binding(a, end.arguments[a.number]) for a in named))


def _difference_text(function: Function, source: Finished, target: Finished, at: Element | None) -> str:
    assert at is not None
    if at.kind == "result":
        first, second = source.results[at.number], target.results[at.number]
        kind = function.results[at.number].element
        return f"{function.results[at.number].name} is {brief(second, kind)}, expected {brief(first, kind)}"
    ours, theirs = source.arguments[at.number], target.arguments[at.number]
    assert isinstance(ours, Buffer) and isinstance(theirs, Buffer)
    index = ", ".join(map(str, subscripts(at.position, ours.shape)))
    changed = function.inputs()[at.number]
    kind = None if changed.memory is None else changed.memory.element
    values = f"{brief(theirs.data[at.position], kind)}, expected {brief(ours.data[at.position], kind)}"
    return f"{_named(changed)}[{index}] is {values}"


def _named(argument: Argument) -> str:
    """The name of an input with its sigil."""
    return f"%{argument.name}" if _key(argument).startswith("arg") else argument.name


def subscripts(position: int, shape: tuple[int, ...]) -> list[int]:
    """The subscripts of the element at a row-major position."""
    found: list[int] = []
    for extent in reversed(shape):
        position, rest = divmod(position, extent)
        found.append(rest)
    return found[::-1]


def brief(value: Value, kind: Type | None = None, most: int = 32) -> str:
    """A value as text, integers with their sign in a type that is known; a buffer is cut after `most` elements."""
    kind = kind.element if isinstance(kind, MemRefType) else kind
    if not isinstance(value, Buffer):
        return scalar(value, kind)
    shown = ", ".join(scalar(x, kind) for x in value.data[:most])
    return f"[{shown}{', ...' if len(value.data) > most else ''}]"


def scalar(value: Scalar, kind: Type | None) -> str:
    """A number as text, with its sign where it is an integer of a type that is known."""
    if isinstance(value, int) and isinstance(kind, IntType):
        return ("false", "true")[value] if kind.width == 1 else str(signed(value, kind.width))
    return repr(value)
