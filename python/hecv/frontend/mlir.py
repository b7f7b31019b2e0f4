"""MLIR in: text to module, module to the statement trees of its functions. Import the frontend from here."""

from __future__ import annotations

from collections.abc import Mapping

from torch_mlir import ir

from hecv.base.diag import Unsupported
from hecv.base.term import Term, TermPool
from hecv.base.types import MemRefType
from hecv.dialects import OPERATORS
from hecv.frontend import cfg, control, copies, effects, globals, linear_index, memory, parallel, reshape, scalars
from hecv.frontend.module import (
    ParsedModule,
    Signature,
    argument_names,
    functions,
    locate,
    parse,
)
from hecv.frontend.reader import Handler, Reader
from hecv.frontend.source import read_text
from hecv.frontend.views import View, whole
from hecv.graph.tree import Argument, Function, Memory, MemoryKind

__all__ = ["ParsedModule", "Signature", "functions", "parse", "read_function", "read_pair", "read_text"]

HANDLERS: Mapping[str, Handler] = {
    **dict.fromkeys(OPERATORS, scalars.read_scalar_op),
    **scalars.HANDLERS,
    **linear_index.HANDLERS,
    **memory.HANDLERS,
    **reshape.HANDLERS,
    **copies.HANDLERS,
    **globals.HANDLERS,
    **effects.HANDLERS,
    **control.HANDLERS,
    **parallel.HANDLERS,
    **cfg.HANDLERS,
}
"""How each op is read."""


def read_function(module: ParsedModule, name: str, pool: TermPool) -> Function:
    """The statement tree of the function `name`, its calls inlined; terms are made in `pool`.

    Raises: Unsupported at the first op, type or attribute without semantics here; KeyError where no symbol has that
    name.
    """
    op = module.symbols[name]
    place = locate(op.location, module.file)
    if op.name != "func.func":
        raise Unsupported(f"op `{op.name}`: it has no semantics here", place)
    if not op.regions[0].blocks:
        raise Unsupported(f"@{name} has no body", place)
    reader = Reader(module, pool, HANDLERS)
    arguments = _read_arguments(reader, op)
    results = _read_results(reader, op)
    values = [_value(reader, argument) for argument in arguments]
    returned = control.inline(reader, op, op, name, values)
    terminator = control.terminator(op.regions[0].blocks[len(op.regions[0].blocks) - 1])
    for result, value in zip(results, returned, strict=True):
        reader.store(terminator, result, (), value)
    hidden, constants = globals.named_globals(reader, len(arguments))
    body = tuple(reader.block)
    function = Function(name, arguments, results, body, place, reader.locations, hidden, constants)
    return effects.complete_calls(module, function)


def read_pair(
    modules: tuple[ParsedModule, ParsedModule], names: tuple[str, str], pool: TermPool
) -> tuple[Function, Function]:
    """Two functions to be compared, with the same globals.

    Raises: Unsupported as `read_function` does, and where the modules do not agree on what the functions share.
    """
    functions = read_function(modules[0], names[0], pool), read_function(modules[1], names[1], pool)
    effects.require_same_callees(modules, functions)
    first, second = globals.pair_globals(modules, functions, pool)
    return effects.complete_calls(modules[0], first), effects.complete_calls(modules[1], second)


def _value(reader: Reader, argument: Argument) -> Term | View:
    """What the SSA value of an argument is."""
    if argument.memory is None:
        assert argument.term is not None
        return argument.term
    assert isinstance(argument.type, MemRefType)
    return whole(reader.pool, argument.memory, argument.type.layout is None)


def _function_type(op: ir.Operation) -> ir.FunctionType:
    return ir.FunctionType(ir.TypeAttr(op.attributes["function_type"]).value)


def _read_arguments(reader: Reader, op: ir.Operation) -> tuple[Argument, ...]:
    inputs = list(_function_type(op).inputs)
    names = argument_names(reader.module, op, len(inputs))
    return tuple(_read_argument(reader, op, k, n, t) for k, (n, t) in enumerate(zip(names, inputs, strict=True)))


def _read_argument(reader: Reader, op: ir.Operation, number: int, name: str, source: ir.Type) -> Argument:
    kind = reader.type_of(op, source)
    if not isinstance(kind, MemRefType):
        reader.skip_memory(name)
        return Argument(number, name, kind, reader.pool.argument(number, kind), None)
    extents = tuple(
        reader.pool.extent(number, k) if n is None else reader.pool.integer(n) for k, n in enumerate(kind.shape)
    )
    held = reader.new_memory(MemoryKind.ARGUMENT, kind.element, extents, name)
    return Argument(number, name, kind, None, held)


def _read_results(reader: Reader, op: ir.Operation) -> tuple[Memory, ...]:
    kinds = [reader.scalar_type(op, t) for t in _function_type(op).results]
    return tuple(reader.new_memory(MemoryKind.RESULT, t, (), f"result{k}") for k, t in enumerate(kinds))
