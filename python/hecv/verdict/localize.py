"""Where a verdict turns: the statements of the source and the target that a report points to."""

from __future__ import annotations

import re
from typing import Final

from hecv.base.diag import Location
from hecv.execute.interpreter import Undefined
from hecv.frontend.mlir import ParsedModule
from hecv.graph.tree import Function, Memory, Store, walk
from hecv.poly.prove import Stuck
from hecv.verdict.result import Localization, Place
from hecv.verdict.runs import Difference, Element

_OP: Final = re.compile(r'"?([A-Za-z_][\w$]*(?:\.[\w$]+)*)')

Modules = tuple[ParsedModule, ParsedModule]
Functions = tuple[Function, Function]


def place(module: ParsedModule, function: Function, statement: int | None) -> Place | None:
    """The place of a statement of `function`, None where it has none (a final value, an initial value)."""
    location = None if statement is None else function.locations.get(statement)
    return None if location is None else Place(location, op_at(module, location))


def op_at(module: ParsedModule, location: Location) -> str | None:
    """The op that stands at `location` in the text of the module."""
    if location.file != module.file:
        return None
    lines = module.text.split("\n", location.line)
    found = _OP.match(lines[location.line - 1], location.column - 1) if location.line <= len(lines) else None
    return found[1] if found else None


def of_stuck(modules: Modules, functions: Functions, stuck: Stuck) -> Localization:
    """The statements where the proof stopped."""
    source = place(modules[0], functions[0], stuck.source)
    return Localization(source, place(modules[1], functions[1], stuck.target), stuck.text)


def of_difference(
    modules: Modules, functions: Functions, difference: Difference, stuck: Stuck | None
) -> Localization | None:
    """The statements behind a difference: the one that is undefined, those where the proof failed, or the only ones
    that write the memory in which the sides differ; None where none of these is known."""
    if isinstance(difference.target, Undefined):
        at = place(modules[1], functions[1], difference.target.statement)
        return Localization(None, at, difference.target.text)
    if stuck is not None and (stuck.source is not None or stuck.target is not None):
        return of_stuck(modules, functions, stuck)
    assert difference.place is not None
    writers = [_only_writer(f, _memory(f, difference.place)) for f in functions]
    places = [place(m, f, w) for m, f, w in zip(modules, functions, writers, strict=True)]
    if places == [None, None]:
        return None
    return Localization(places[0], places[1], "these write the memory in which the sides differ")


def _memory(function: Function, at: Element) -> Memory:
    if at.kind == "result":
        return function.results[at.number]
    memory = function.arguments[at.number].memory
    assert memory is not None
    return memory


def _only_writer(function: Function, memory: Memory) -> int | None:
    """The only statement that writes `memory`, None where there are none or several."""
    writers = [s.id for s in walk(function.body) if isinstance(s, Store) and s.memory.id == memory.id]
    return writers[0] if len(writers) == 1 else None
