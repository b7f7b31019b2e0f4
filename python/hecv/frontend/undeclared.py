"""Ops that MLIR does not know and nobody declares, as calls of functions without a body.

Such an op may do what a function without a body may do, so it keeps its place among the others. That may be too little
for what looks at the op around it, and enough where ops stay in their blocks, in their order, as rewriting leaves them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import count
from typing import NoReturn

from torch_mlir import ir

from hecv.frontend.module import ParsedModule, symbols_of
from hecv.frontend.opaque import key


@dataclass(slots=True)
class _Names:
    """A function for each kind of op: name, attributes and types; `taken` are the symbols that there are."""

    taken: set[str]
    known: dict[str, str] = field(default_factory=dict[str, str])

    def name(self, op: ir.Operation, kind: str) -> str:
        if kind not in self.known:
            others = (f"{op.name}__{number}" for number in count(1))
            name = op.name if op.name not in self.taken else next(n for n in others if n not in self.taken)
            self.taken.add(name)
            self.known[kind] = name
        return self.known[kind]


def as_calls(
    modules: tuple[ParsedModule, ParsedModule], declared: frozenset[str]
) -> tuple[tuple[ParsedModule, ParsedModule], tuple[str, ...]]:
    """Both modules, which are edited, with such ops as calls, the same op of one function in both; and their names.

    Left as they are: ops with regions, those that end a block, and those with attributes that refer to something.
    """
    names = _Names({name for module in modules for name in module.symbols})
    ops: dict[str, None] = {}
    found = [_converted(module, declared, names, ops) for module in modules]
    return (found[0], found[1]), tuple(ops)


def _converted(module: ParsedModule, declared: frozenset[str], names: _Names, ops: dict[str, None]) -> ParsedModule:
    made: set[str] = set()
    for op in [*_undeclared(module.module.operation, declared)]:
        try:
            name = names.name(op, key(op, {}, _reject))
        except ValueError:
            continue
        ops[op.name] = None
        if name not in made:
            made.add(name)
            _declare(module.module, name, op)
        _call(op, name)
    if not made:
        return module
    return replace(module, symbols=symbols_of(module.module), lowered=str(module.module))


def _reject(op: ir.Operation, why: str) -> NoReturn:
    raise ValueError(why)


def _undeclared(around: ir.Operation, declared: frozenset[str]) -> Iterator[ir.Operation]:
    """The ops in question within functions."""
    for block in (block for region in around.regions for block in region.blocks):
        ops = [view.operation for view in block.operations]
        for op in ops:
            yield from _undeclared(op, declared)
            known = op.context.is_registered_operation(op.name) or op.name in declared
            ends = op == ops[-1] or len(op.successors)
            if not known and not ends and not len(op.regions) and around.name != "builtin.module":
                yield op


def _declare(module: ir.Module, name: str, op: ir.Operation) -> None:
    with op.context, op.location:
        kind = ir.FunctionType.get([v.type for v in op.operands], [r.type for r in op.results])
        attributes: dict[str, ir.Attribute] = {
            "sym_name": ir.StringAttr.get(name),
            "function_type": ir.TypeAttr.get(kind),
            "sym_visibility": ir.StringAttr.get("private"),
        }
        ir.Operation.create("func.func", [], [], attributes, regions=1, ip=ir.InsertionPoint(module.body))


def _call(op: ir.Operation, name: str) -> None:
    """Puts a call in the place of the op."""
    with op.context, op.location:
        callee: dict[str, ir.Attribute] = {"callee": ir.FlatSymbolRefAttr.get(name)}
        kinds, operands = [r.type for r in op.results], list(op.operands)
        call = ir.Operation.create("func.call", kinds, operands, callee, ip=ir.InsertionPoint(op))
    for old, new in zip(op.results, call.results, strict=True):
        old.replace_all_uses_with(new)
    op.erase()
