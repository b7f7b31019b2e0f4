"""Globals: what `memref.get_global` gives, and how the globals of two functions are paired.

A global that may change, or of unknown contents, is a hidden argument of every function that names it, and of the
function compared with that one. A constant of known contents is data.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec.structs import replace
from torch_mlir import ir

from hecv.base.diagnostics import Unsupported
from hecv.base.term import Term, TermPool
from hecv.base.types import MemRefType, OpaqueType
from hecv.mlir.module.dense_resources import RESOURCE
from hecv.mlir.module.parsed_module import ParsedModule, is_public, locate
from hecv.mlir.read.function_reader import Handler, Reader
from hecv.mlir.read.memref_views import whole
from hecv.mlir.read.mlir_types import read_type
from hecv.mlir.values.aggregate_values import Shape
from hecv.mlir.values.dense_constants import global_constant
from hecv.program.tree import Argument, Constant, Function, Memory, MemoryKind

SIGIL: Final = "@"
"""First character of the names of globals; no argument's name begins with it."""

OP: Final = "memref.global"


def _read_get_global(reader: Reader, op: ir.Operation) -> None:
    """Example: `%g = memref.get_global @weights : memref<4xf32>`."""
    symbol = ir.FlatSymbolRefAttr(op.attributes["name"]).value
    reader.views[op.result] = whole(reader.pool, global_memory(reader, symbol))


def global_memory(reader: Reader, symbol: str) -> Memory:
    """The memory of a global."""
    memory = reader.globals.get(symbol)
    if memory is None:
        declared = reader.module.symbols[symbol]
        kind = _type(reader.module, declared)
        memory = reader.new_memory(MemoryKind.GLOBAL, kind.element, _extents(reader.pool, kind), SIGIL + symbol)
        reader.globals[symbol] = memory
        if "constant" in declared.attributes:
            reader.constant.add(memory.id)
    return memory


HANDLERS: Mapping[str, Handler] = {"memref.get_global": _read_get_global}


def _type(module: ParsedModule, declared: ir.Operation) -> MemRefType:
    """The type of a global, whose extents MLIR requires to be static.

    Raises: Unsupported.
    """
    source = ir.TypeAttr(declared.attributes["type"]).value
    kind = read_type(source)
    if not isinstance(kind, MemRefType) or kind.layout is not None or isinstance(kind.element, OpaqueType):
        raise _unsupported(module, declared, f"type `{source}` is not supported")
    return kind


def _unsupported(module: ParsedModule, declared: ir.Operation, why: str) -> Unsupported:
    return Unsupported(f"op `{OP}`: {why}", locate(declared.location, module.file))


def _extents(pool: TermPool, kind: MemRefType) -> tuple[Term, ...]:
    return tuple(pool.integer(n) for n in kind.shape if n is not None)


def named_globals(reader: Reader, arguments: int) -> tuple[tuple[Argument, ...], tuple[Constant, ...]]:
    """The hidden arguments of the function that was read, numbered from `arguments` on, and its constants, including
    unnamed ones.

    Raises: Unsupported.
    """
    hidden: list[Argument] = []
    constants: list[Constant] = []
    for symbol, memory in sorted(reader.globals.items()):
        declared = reader.module.symbols[symbol]
        kind = _type(reader.module, declared)
        if is_data(declared):
            constants.append(global_constant(reader, declared, Shape(kind.shape, kind.element), memory))
        else:
            hidden.append(Argument(arguments + len(hidden), memory.name, kind, None, memory))
    return tuple(hidden), (*constants, *reader.constants.values())


def is_data(declared: ir.Operation) -> bool:
    """True if a global is constant and its contents are known."""
    attributes = declared.attributes
    known = "initial_value" in attributes and not isinstance(attributes["initial_value"], ir.UnitAttr)
    return "constant" in attributes and known


# Pairing


def pair_globals(
    modules: tuple[ParsedModule, ParsedModule], functions: tuple[Function, Function], pool: TermPool
) -> tuple[Function, Function]:
    """The functions with the same hidden arguments.

    Raises: Unsupported if a global that one of them names, or that other modules see, differs between the modules.
    """
    symbols = {g.name.removeprefix(SIGIL) for f in functions for g in f.globals}
    declaring = [m for m in modules if m.may_have(("global",))]
    seen = {s for m in declaring for s, op in m.symbols.items() if op.name == OP and is_public(op)}
    for symbol in sorted(symbols | seen):
        _require_same(modules, symbol)
    private = frozenset(SIGIL + s for s in symbols if not is_public(modules[0].symbols[s]))
    first, second = (_with_all(m, f, sorted(symbols), pool) for m, f in zip(modules, functions, strict=True))
    return replace(first, private=private), replace(second, private=private)


def _require_same(modules: tuple[ParsedModule, ParsedModule], symbol: str) -> None:
    declared = [m.symbols.get(symbol) for m in modules]
    for module, own, other in ((modules[0], *declared), (modules[1], *reversed(declared))):
        if own is not None and (other is None or other.name != OP):
            raise _unsupported(module, own, f"@{symbol} is no global of the other module")
    source, target = declared
    assert source is not None and target is not None
    if is_public(source) != is_public(target):
        raise _unsupported(modules[1], target, f"other modules see @{symbol} of one of the two modules alone")
    for name in ("type", "constant", "initial_value"):
        texts = [str(op.attributes[name]) if name in op.attributes else None for op in (source, target)]
        if texts[0] != texts[1]:
            raise _unsupported(modules[1], target, f"@{symbol} is not what it is in the source: `{name}` differs")
        if texts[1] is not None and RESOURCE in texts[1]:
            # The text has its name alone; a module may hold another one of that name.
            raise _unsupported(modules[1], target, f"@{symbol} begins as a resource, which is not compared")


def _with_all(module: ParsedModule, function: Function, symbols: list[str], pool: TermPool) -> Function:
    """The function with a hidden argument for each of `symbols`; one that it does not name is left unchanged by it."""
    named = {g.name.removeprefix(SIGIL): g for g in function.globals}
    fresh = 1 + max(function.memories(), default=-1)
    hidden: list[Argument] = []
    for symbol in symbols:
        number = len(function.arguments) + len(hidden)
        if symbol in named:
            hidden.append(replace(named[symbol], number=number))
            continue
        kind = _type(module, module.symbols[symbol])
        memory = Memory(fresh, MemoryKind.GLOBAL, SIGIL + symbol, kind.element, _extents(pool, kind))
        fresh += 1
        hidden.append(Argument(number, memory.name, kind, None, memory))
    return replace(function, globals=tuple(hidden))
