"""Where a verdict turns: the statements of the source and the target that a report points to."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from hecv.base.diagnostics import Location
from hecv.base.term import TermPool
from hecv.base.types import INDEX, MemRefType
from hecv.base.value import Buffer, Value
from hecv.claim.result import Localization, Place
from hecv.dataflow.dataflow_proof import Stuck
from hecv.mlir.importer import ParsedModule
from hecv.program.tree import Argument, Block, Function, If, Loop, Memory, MemoryKind, Statement, Store, While
from hecv.refute.differential_runs import BUDGET, Difference, Element
from hecv.refute.input_generation import indexes_by
from hecv.run.interpreter.interpreter import Diverged, Finished, Undefined, compile

_OP: Final = re.compile(r'"?([A-Za-z_][\w$]*(?:\.[\w$]+)*)')

NOBODY: Final = -1

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
    pool: TermPool,
    modules: Modules,
    functions: Functions,
    difference: Difference,
    stuck: Stuck | None,
    text: str,
) -> Localization | None:
    """The statements behind a difference, which `text` states: the one that is undefined, those that wrote the element
    in which the sides differ, or, for a result, those where the proof stopped; None where none of these is known."""
    if isinstance(difference.target, Undefined):
        at = place(modules[1], functions[1], difference.target.statement)
        return Localization(None, at, difference.target.text)
    if isinstance(difference.target, Diverged):
        number = difference.target.number
        expected = difference.calls[number - 1].site.statement if number <= len(difference.calls) else None
        made = difference.target.statement
        places = place(modules[0], functions[0], expected), place(modules[1], functions[1], made)
        return Localization(*places, difference.target.text)
    assert difference.place is not None
    if difference.place.kind == "result":
        known = stuck is not None and (stuck.source is not None or stuck.target is not None)
        return of_stuck(modules, functions, stuck) if stuck is not None and known else None
    writers = [last_writer(pool, f, difference.arguments, difference.place) for f in functions]
    first, second = (place(m, f, w) for m, f, w in zip(modules, functions, writers, strict=True))
    if second is None:
        return Localization(first, None, f"only the source writes here: {text}")
    return Localization(first, second, text)


# The last writer of an element, found by a run.


def last_writer(pool: TermPool, function: Function, arguments: Sequence[Value], at: Element) -> int | None:
    """The store that wrote the element last on a run, None where none did.

    The function runs with one more input, of the shape of the memory, to which each store also writes its number. Where
    control flow and subscripts do not depend on what memory holds, nothing else is computed.

    Requires: the run finishes.
    """
    memory = function.inputs()[at.number].memory
    before = arguments[at.number]
    assert memory is not None and isinstance(before, Buffer)
    number = len(function.inputs())
    log = Memory(1 + max(function.memories(), default=number), MemoryKind.ARGUMENT, "", INDEX, memory.extents)
    extra = Argument(number, log.name, MemRefType((None,) * len(before.shape), INDEX), None, log)
    body = _logged(pool, function.body, memory.id, log, indexes_by(function, ("read", "load")))
    logged = replace(function, globals=(*function.globals, extra), body=body)
    end = compile(logged).run([*arguments, Buffer(before.shape, [NOBODY] * len(before.data))], 3 * BUDGET)
    if not isinstance(end, Finished):
        return None
    written = end.arguments[number]
    assert isinstance(written, Buffer)
    writer = written.data[at.position]
    return writer if isinstance(writer, int) and writer != NOBODY else None


def _logged(pool: TermPool, block: Block, memory: int, log: Memory, whole: bool) -> Block:
    """`block` with a store of its number to `log` after each store to `memory`; of what is neither control flow nor
    such a store nothing, unless it is `whole`."""
    statements: list[Statement] = []
    for s in block:
        match s:
            case Loop():
                statements.append(replace(s, body=_logged(pool, s.body, memory, log, whole)))
            case While():
                before, after = (_logged(pool, b, memory, log, whole) for b in (s.before, s.after))
                statements.append(replace(s, before=before, after=after))
            case If():
                then, otherwise = (_logged(pool, b, memory, log, whole) for b in (s.then, s.otherwise))
                statements.append(If(s.id, s.condition, then, otherwise))
            case Store() if s.memory.id == memory:
                statements += [*((s,) * whole), Store(s.id, log, s.indices, pool.integer(s.id))]
            case _:
                statements += (s,) * whole
    return tuple(statements)
