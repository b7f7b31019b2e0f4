"""External calls (functions without a body) and assertions: effects other than memory accesses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec.structs import replace
from torch_mlir import ir

from hecv.base.diagnostics import Unsupported
from hecv.base.term import Term, literal
from hecv.base.types import FloatType
from hecv.mlir.aliasing import memref_assumptions
from hecv.mlir.module.parsed_module import ParsedModule, locate
from hecv.mlir.module.unregistered_ops import PRINTING
from hecv.mlir.read.function_reader import Handler, Reader
from hecv.mlir.read.memref_views import Aggregate, Choice, Strides, Terms, View, row_major_strides, rows_of
from hecv.mlir.values import aggregate_values
from hecv.mlir.values.aggregate_values import Shape, shape_of
from hecv.program.tree import Block, Call, Function, If, Loop, Memory, MemoryKind, Statement, While, walk

_TESTING: Final = "test."


def _read_assert(reader: Reader, op: ir.Operation) -> None:
    """Example: `cf.assert %c, "a message"`."""
    message = ir.StringAttr(op.attributes["msg"]).value
    reader.require(op, reader.term(op, op.operands[0]), f"assertion failed: {message}")


def read_opaque_call(reader: Reader, op: ir.Operation, callee: str) -> None:
    """Reads a call of a function without a body; `complete_calls` later adds what else it can reach.

    A function that is given a view may reach the whole memory. A vector or tensor is a copy in a memory of its own; so
    is one that the function returns, whose elements are zero until then.

    Example: `%r = func.call @f(%A, %n) : (memref<?xf32>, index) -> f32`.
    """
    operands: list[Term] = []
    passed: list[Memory] = []
    views: list[Terms | None] = []
    values: list[Memory] = []
    for value in op.operands:
        meaning = reader.value(value)
        if isinstance(meaning, Term):
            if str(meaning.type).startswith("!torch.list"):
                reader.reject(op, f"@{callee} has no body and is given a list, which it may change")
            operands.append(meaning)
        elif isinstance(meaning, Aggregate):
            operands += [extent for extent in meaning.extents if literal(extent) is None]
            values.append(aggregate_values.copied(reader, op, meaning).memory)
        elif isinstance(meaning, Choice):
            reader.reject(op, f"@{callee} has no body and is given a memref that a condition chooses")
        else:
            passed.append(meaning.memory)
            views.append(_seen(reader, op, callee, meaning))
    made = {r: _returned(reader, op, shape) for r in op.results if (shape := shape_of(reader, op, r.type))}
    values += [view.memory for view in made.values()]
    scalars = [result for result in op.results if result not in made]
    kinds = [reader.scalar_type(op, result.type) for result in scalars]
    cells = tuple(reader.new_memory(MemoryKind.CELL, kind, ()) for kind in kinds)
    for cell in cells:
        reader.alloc(op, cell)
    viewed = (*(0 if v is None else len(v) for v in views), *[0] * len(values))
    if any(viewed):
        operands.append(reader.pool.integer(sum(1 << k for k, count in enumerate(viewed) if count)))
        operands += [t for v in views if v is not None for t in v]
    stands_for = reader.module.outside.get(callee, "")
    prints = stands_for in PRINTING
    if stands_for and not prints:
        reader.undeclared.add(stands_for)
    memories, number = (*passed, *values), reader.number(op)
    call = Call(number, callee, tuple(operands), memories, cells, False, len(memories), viewed, len(values), prints)
    reader.block.append(call)
    for result, cell in zip(scalars, cells, strict=True):
        reader.scalars[result] = reader.load(op, cell, ())
    for result, view in made.items():
        reader.aggregates[result] = aggregate_values.held(reader, view)


def _returned(reader: Reader, op: ir.Operation, shape: Shape) -> View:
    """A memory for a vector or tensor that a function without a body returns."""
    kind = shape.element
    zero = reader.pool.real(0.0, kind) if isinstance(kind, FloatType) else reader.pool.integer(0, kind)
    return aggregate_values.copied(reader, op, aggregate_values.same(aggregate_values.sizes(reader, op, shape), zero))


def _seen(reader: Reader, op: ir.Operation, callee: str, view: View) -> Terms | None:
    """What the callee sees of a view: offset, sizes and strides (or subscripts, if the argument's layout is unknown).

    None if it is given the whole memory.
    """
    memory, pool = view.memory, reader.pool
    if not view.steps and view.extents == memory.extents:
        return None
    lies = view.strides
    if lies is None:
        rows = rows_of(pool, view) if memory.kind is MemoryKind.ARGUMENT else None
        if rows is None:
            reader.reject(op, f"@{callee} has no body and is given a view of %{memory.name} whose place is not known")
        return (*rows[0], *view.extents, *(t for row in rows[1:] for t in row))
    if lies.origin is not None:
        reader.reject(op, f"@{callee} has no body and is given a view that begins within %{memory.name}")
    everything = Strides(pool.integer(0), row_major_strides(pool, memory.extents))
    if lies == everything and view.extents == memory.extents:
        return None
    return (lies.offset, *view.extents, *lies.strides)


HANDLERS: Mapping[str, Handler] = {"cf.assert": _read_assert}


def complete_calls(function: Function) -> Function:
    """The function with calls that list all memories that they can reach.

    These are the ones passed, in order, then every memref argument, every global and every allocation passed to some
    call. Of tensors, only buffers that are passed to a call are visible.
    """
    calls = [s for s in walk(function.body) if isinstance(s, Call) and not s.known]
    if not calls:
        return function
    given = {m.id: m for c in calls for m in c.passed()}
    escaped = [m for _, m in sorted(given.items()) if m.kind is MemoryKind.LOCAL]
    inputs = ((a.memory, a.is_shared()) for a in function.inputs())
    reached = (*(m for m, shared in inputs if m is not None and (shared or m.id in given)), *escaped)

    def complete(statement: Statement) -> Statement:
        match statement:
            case Call() if not statement.known and not statement.prints:
                passed = statement.memories[: statement.given]
                return replace(statement, memories=(*passed, *(m for m in reached if m not in passed)))
            case Loop():
                return replace(statement, body=block(statement.body))
            case While():
                return replace(statement, before=block(statement.before), after=block(statement.after))
            case If():
                return replace(statement, then=block(statement.then), otherwise=block(statement.otherwise))
            case _:
                return statement

    def block(statements: Block) -> Block:
        return tuple(map(complete, statements))

    return replace(function, body=block(function.body))


def _type(module: ParsedModule, callee: str) -> ir.FunctionType:
    return ir.FunctionType(ir.TypeAttr(module.symbols[callee].attributes["function_type"]).value)


def outside_callees(function: Function) -> set[str]:
    """The functions without a body that a function calls."""
    return {s.callee for s in walk(function.body) if isinstance(s, Call) and not s.known}


def known_elsewhere(functions: tuple[Function, Function]) -> str:
    """An undeclared op of the dialect `test`, which mlir-opt has and the bindings have not: a pass may have known what
    it does; empty if there is none. Nothing is refuted by what a run takes such an op to do."""
    names = sorted(n for f in functions for n in f.undeclared if n.startswith(_TESTING))
    return f"`{names[0]}` is an op of mlir-opt that is not known here" if names else ""


def common_callees(modules: tuple[ParsedModule, ParsedModule], functions: tuple[Function, Function]) -> tuple[str, ...]:
    """The functions without a body that both functions call.

    Raises: Unsupported if the type of one differs, or the target states more about it.
    """
    common = tuple(sorted(outside_callees(functions[0]) & outside_callees(functions[1])))
    for callee in common:
        source, target = (str(_type(module, callee)) for module in modules)
        if source != target:
            place = locate(modules[1].symbols[callee].location, modules[1].file)
            raise Unsupported(f"@{callee} has type {target}, in the source {source}", place)
        memref_assumptions.require_no_more(modules, (callee, callee), called=True)
    return common
