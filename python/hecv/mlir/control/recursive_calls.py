"""Calls that are not inlined: calls of functions that may call themselves, in either module of a pair.

Any other function is inlined. A function on a call cycle can reach the memrefs that it is given, and the globals that
it or its callees name. `hecv.claim.call_induction` states the induction by which such functions are compared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct
from torch_mlir import ir

from hecv.base.diagnostics import Unsupported
from hecv.base.term import Term
from hecv.mlir.memory.memref_globals import OP, global_memory, is_data
from hecv.mlir.module.parsed_module import ParsedModule
from hecv.mlir.read.function_reader import Kept, Reader
from hecv.mlir.read.memref_views import Aggregate, Choice
from hecv.program.tree import Call, Dealloc, Function, Loop, Memory, MemoryKind, walk

_NAMING: Final = ("call", "get_global")
"""A module text that mentions none of these has no op that calls a function or names a global. Testing the text is
faster than a walk over the ops of a long function."""


class _Uses(Struct, frozen=True):
    """The functions that a function calls, and the globals that it names."""

    callees: frozenset[str]
    globals: frozenset[str]


def kept(
    modules: tuple[ParsedModule, ParsedModule], names: tuple[str, str]
) -> tuple[Mapping[str, Kept], Mapping[str, Kept]]:
    """The functions of each module whose calls are not inlined, by their names there.

    The two functions under comparison have one name, that of the source, whatever the target's is called.
    """
    common = {} if own_name(modules, names) is None else {names[1]: names[0]}
    uses = _uses(modules, names, common)
    own = [_recursive(u) for u in uses]
    found = own[0] | {common.get(n, n) for n in own[1]}
    if not found:
        return {}, {}
    called = [{common.get(n, n) if side else n: n for n in u} for side, u in enumerate(uses)]
    reached: dict[str, tuple[str, ...] | None] = {}
    for name in sorted(found):
        closures = [_closure(u, c.get(name)) for u, c in zip(uses, called, strict=True)]
        reached[name] = _shared_globals(modules, uses, closures)
    first, second = (
        {c[n]: Kept(n, r, _text(m, c[n])) for n, r in reached.items() if n in c}
        for m, c in zip(modules, called, strict=True)
    )
    return _paired(first, second), _paired(second, first)


def own_name(modules: tuple[ParsedModule, ParsedModule], names: tuple[str, str]) -> str | None:
    """The common name of the two functions under comparison; None if another function of the target has the source's
    name."""
    return names[0] if names[0] == names[1] or names[0] not in modules[1].symbols else None


def _text(module: ParsedModule, name: str) -> str:
    return str(module.symbols[name].attributes["function_type"])


def _paired(own: Mapping[str, Kept], others: Mapping[str, Kept]) -> dict[str, Kept]:
    """The functions. One can only be called if the other module has one of its name and type; otherwise its globals
    are None."""
    known = {(o.name, o.type) for o in others.values()}
    return {n: k if (k.name, k.type) in known else Kept(k.name, None, k.type) for n, k in own.items()}


def _uses(
    modules: tuple[ParsedModule, ParsedModule], names: tuple[str, str], common: Mapping[str, str]
) -> tuple[dict[str, _Uses | None], dict[str, _Uses | None]]:
    """The uses of each function of either module that the two may call, by name; None for one without a body.

    A callee in one module is looked up in the other, too, but not everything else that a large file holds.
    """
    others = {**common, **{source: target for target, source in common.items()}}
    named = [module.may_have(_NAMING) for module in modules]
    found: tuple[dict[str, _Uses | None], dict[str, _Uses | None]] = {}, {}
    left, seen = list(names), set[str]()
    while left:
        name = left.pop()
        if name in seen:
            continue
        seen.add(name)
        left += [others[name]] if name in others else []
        for module, uses, naming in zip(modules, found, named, strict=True):
            op = module.symbols.get(name)
            if op is not None and op.name == "func.func":
                used = uses[name] = _used(op, naming)
                left += () if used is None else used.callees
    return found


def _used(function: ir.Operation, naming: bool) -> _Uses | None:
    if not function.regions[0].blocks:
        return None
    if not naming:
        return _Uses(frozenset(), frozenset())
    callees: set[str] = set()
    named: set[str] = set()

    def visit(op: ir.Operation) -> ir.WalkResult:
        if op.name == "func.call":
            callees.add(ir.FlatSymbolRefAttr(op.attributes["callee"]).value)
        elif op.name == "memref.get_global":
            named.add(ir.FlatSymbolRefAttr(op.attributes["name"]).value)
        return ir.WalkResult.ADVANCE

    function.walk(visit)
    return _Uses(frozenset(callees), frozenset(named))


def _recursive(uses: Mapping[str, _Uses | None]) -> set[str]:
    """The functions that may call themselves."""
    return {n for n, u in uses.items() if u is not None and any(n in _closure(uses, c) for c in u.callees)}


def _closure(uses: Mapping[str, _Uses | None], name: str | None) -> frozenset[str]:
    """A function with its transitive callees."""
    found: set[str] = set()
    left = [] if name is None else [name]
    while left:
        symbol = left.pop()
        if symbol in found:
            continue
        found.add(symbol)
        own = uses.get(symbol)
        left += [] if own is None else own.callees
    return frozenset(found)


def _shared_globals(
    modules: tuple[ParsedModule, ParsedModule],
    uses: Sequence[Mapping[str, _Uses | None]],
    closures: list[frozenset[str]],
) -> tuple[str, ...] | None:
    """The globals that some functions of either module may read or change; None if unknown."""
    named: set[str] = set()
    for own, closure in zip(uses, closures, strict=True):
        parts = [own.get(n) for n in closure]
        if any(p is None for p in parts):
            return None
        named |= {g for p in parts if p is not None for g in p.globals}
    declared = [[m.symbols.get(g) for m in modules] for g in sorted(named)]
    if any(op is None or op.name != OP for ops in declared for op in ops):
        return None
    data = {g: {is_data(m.symbols[g]) for m in modules} for g in named}
    return None if any(len(d) > 1 for d in data.values()) else tuple(g for g in sorted(named) if not any(data[g]))


# Reading


def called(function: Function) -> set[str]:
    """The callees of a function that are not inlined."""
    return {s.callee for s in walk(function.body) if isinstance(s, Call) and s.known}


def require_kept_memory(function: Function) -> None:
    """Raises: Unsupported if a function frees memory that it was given, or lets calls race for some."""
    loops = (s for s in walk(function.body) if isinstance(s, Loop) and s.parallel)
    for s in (s for loop in loops for s in walk(loop.body)):
        if isinstance(s, Call) and s.memories:
            text = f"@{s.callee} is recursive and is given memory in a parallel loop"
            raise Unsupported(text, function.locations.get(s.id, function.location))
    for s in walk(function.body):
        if isinstance(s, Dealloc) and s.memory.kind is not MemoryKind.LOCAL:
            text = f"@{function.name} is recursive and frees memory that it is given"
            raise Unsupported(text, function.locations.get(s.id, function.location))


def read_call(reader: Reader, op: ir.Operation, callee: Kept) -> None:
    """Reads a call that is not inlined.

    Example: `%r = func.call @fib(%n) : (i32) -> i32` within `@fib`.
    """
    if callee.globals is None:
        why = "is recursive, and calls what has no body or is not the same kind of function in both modules"
        reader.reject(op, f"@{callee.name} {why}")
    operands: list[Term] = []
    passed: list[Memory] = []
    for value in op.operands:
        meaning = reader.value(value)
        if isinstance(meaning, Term):
            operands.append(meaning)
        elif isinstance(meaning, (Aggregate, Choice)) or meaning.memory.id in reader.constant:
            reader.reject(op, f"@{callee.name} is recursive and is given a value of type `{value.type}`")
        elif meaning.steps or meaning.extents != meaning.memory.extents:
            reader.reject(op, f"@{callee.name} is recursive and is given a view of %{meaning.memory.name}")
        else:
            passed.append(meaning.memory)
    passed += [global_memory(reader, symbol) for symbol in callee.globals]
    if len({m.id for m in passed}) < len(passed):
        reader.reject(op, f"@{callee.name} is recursive and is given one memory twice")
    kinds = [reader.scalar_type(op, result.type) for result in op.results]
    cells = tuple(reader.new_memory(MemoryKind.CELL, kind, ()) for kind in kinds)
    for cell in cells:
        reader.alloc(op, cell)
    reader.block.append(Call(reader.number(op), callee.name, tuple(operands), tuple(passed), cells, known=True))
    for result, cell in zip(op.results, cells, strict=True):
        reader.scalars[result] = reader.load(op, cell, ())
