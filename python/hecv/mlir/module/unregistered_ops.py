"""Unregistered ops (unknown to MLIR and not declared by the user), and ops that print, as external calls.

Such an op may do what a function without a body may do, so it keeps its place among the effects. This may be too weak
for what inspects the op around it; it suffices where ops stay in their blocks, in their order, as rewriting leaves
them.

The call gets the operands and the values that the regions take from outside. An op with regions, or with an attribute
that names a symbol, becomes a call only if the same function of the other module has as many identical ones: a change
to a region would make it another function, and so a difference.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace
from torch_mlir import ir

from hecv.mlir.module.dense_resources import RESOURCE
from hecv.mlir.module.parsed_module import ParsedModule, symbols_of
from hecv.mlir.module.purity import inner_ops, outside_uses
from hecv.mlir.module.unchanged_functions import shared_code

PRINTING: Final = frozenset({"vector.print"})
"""Registered ops that show their operands to the outside world and do nothing else."""

_GENERIC: Final = re.compile(r'"([^"\n]+)"\s*\(')
"""An op in generic form, as all unregistered ones are written."""


class _Names(Struct):
    """Callee names, one for each kind of op (name, attributes, regions and types); `taken` are the existing symbols."""

    taken: set[str]
    known: dict[str, str] = field(default_factory=dict[str, str])

    def name(self, op: ir.Operation, kind: str) -> str:
        if kind not in self.known:
            others = (f"{op.name}__{number}" for number in count(1))
            name = op.name if op.name not in self.taken else next(n for n in others if n not in self.taken)
            self.taken.add(name)
            self.known[kind] = name
        return self.known[kind]


class _Found(Struct, frozen=True):
    """An unregistered op in the function `home`: its text without what it is given, that is its operands and
    captured values, and the `places` where it uses these. A `plain` op has no regions and refers to no symbol."""

    op: ir.Operation
    home: str
    text: str
    places: tuple[_Place, ...]
    plain: bool

    @property
    def key(self) -> tuple[str, str]:
        return self.home, self.text

    def given(self) -> list[ir.Value]:
        """The values that it is given now."""
        return [op.operands[position] for op, position in self.places]


_Place = tuple[ir.Operation, int]
"""An operand of an op."""


def as_calls(modules: tuple[ParsedModule, ParsedModule], declared: frozenset[str]) -> tuple[ParsedModule, ParsedModule]:
    """Both modules with calls for unregistered ops and for ops that print, the same op in the same function of both.

    Left as they are: terminators, and ops that refer to something that is not the same code in both modules; also ops
    with regions or symbol references, unless the same function of the other module has as many of them.
    """
    if not any(_may_have_some(m, declared) for m in modules):
        return modules
    copies = modules[0].copied(), modules[1].copied()
    same = shared_code(*copies)
    found = [[*_found(module, declared, same)] for module in copies]
    counts = [Counter(f.key for f in ops) for ops in found]
    names = _Names({name for module in copies for name in module.symbols})
    taken = [[f for f in ops if f.plain or counts[0][f.key] == counts[1][f.key]] for ops in found]
    if not any(taken):
        return modules
    first, second = (_converted(module, ops, names) for module, ops in zip(copies, taken, strict=True))
    return first, second


def _may_have_some(module: ParsedModule, declared: frozenset[str]) -> bool:
    """True if the text may have such an op. A long text is searched once for each name."""
    text, context = module.code(), module.module.context
    if module.may_have(tuple(PRINTING)):  # or an escaped name
        return True
    names = {name for name in _GENERIC.findall(text) if name not in declared}
    return any(not context.is_registered_operation(name) for name in names)


def _converted(module: ParsedModule, found: Sequence[_Found], names: _Names) -> ParsedModule:
    made: dict[str, str] = {}
    for one in found:
        name = names.name(one.op, one.text)
        if name not in made:
            made[name] = one.op.name
            _declare(module.module, name, one)
        _call(one, name)
    expanded = module.module.operation.get_asm(enable_debug_info=True)
    return replace(module, symbols=symbols_of(module.module), expanded=expanded, outside=made)


def _found(module: ParsedModule, declared: frozenset[str], same: Callable[[str], bool]) -> Iterator[_Found]:
    functions = ((name, op) for name, op in module.symbols.items() if op.name == "func.func")
    for home, function in functions:
        for op in undeclared(function, declared):
            text, given = _read(op)
            refers = "@" in text
            if RESOURCE not in text and "distinct[" not in text and (not refers or same(text)):
                yield _Found(op, home, text, given, not refers and not len(op.regions))


def undeclared(around: ir.Operation, declared: frozenset[str]) -> Iterator[ir.Operation]:
    """The unregistered ops in the regions of an op; ops inside such an op are part of it."""
    for block in (block for region in around.regions for block in region.blocks):
        ops = [view.operation for view in block.operations]
        for op in ops:
            if is_known(op, declared) and op.name not in PRINTING:
                yield from undeclared(op, declared)
            elif op != ops[-1] and not len(op.successors):
                yield op


def is_known(op: ir.Operation, declared: frozenset[str]) -> bool:
    """True if MLIR knows the op, or the user declares it."""
    return op.name in declared or op.context.is_registered_operation(op.name)


def _read(op: ir.Operation) -> tuple[str, tuple[_Place, ...]]:
    """The text of an op without what it is given, and the places of that: each operand, and each use of a captured
    value in a region (for a memref the first use only). It is printed in a function with an argument for each."""
    places: list[_Place] = [(op, position) for position in range(len(op.operands))]
    takes = [(0, position, position) for position in range(len(places))]
    memrefs: dict[ir.Value, int] = {}
    for number, (inner, position, value) in outside_uses(op):
        argument = memrefs.get(value, len(places))
        takes.append((number, position, argument))
        if argument == len(places):
            places.append((inner, position))
        if isinstance(value.type, ir.MemRefType | ir.UnrankedMemRefType):
            memrefs[value] = argument
    return _printed(op, [o.operands[position].type for o, position in places], takes), tuple(places)


def _printed(op: ir.Operation, types: list[ir.Type], takes: Sequence[tuple[int, int, int]]) -> str:
    """The op, printed in a function with arguments of these types.

    `takes` are (op number within it, its own is 0; operand number; argument number).
    """
    with op.context, ir.Location.unknown() as nowhere:
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            kind = ir.TypeAttr.get(ir.FunctionType.get(types, []))
            attributes = {"sym_name": ir.StringAttr.get("probe"), "function_type": kind}
            function = ir.Operation.create("func.func", attributes=attributes, regions=1)
        entry = ir.Block.create_at_start(function.regions[0], types, [nowhere] * len(types))
        with ir.InsertionPoint(entry):
            copy = op.clone().operation
    copies = [copy, *inner_ops(copy)]
    for number, position, argument in takes:
        copies[number].operands[position] = entry.arguments[argument]
    return function.get_asm(print_generic_op_form=True, use_local_scope=True, assume_verified=True)


def _declare(module: ir.Module, name: str, one: _Found) -> None:
    with one.op.context, one.op.location:
        inputs, results = [v.type for v in one.given()], [r.type for r in one.op.results]
        attributes: dict[str, ir.Attribute] = {
            "sym_name": ir.StringAttr.get(name),
            "function_type": ir.TypeAttr.get(ir.FunctionType.get(inputs, results)),
            "sym_visibility": ir.StringAttr.get("private"),
        }
        ir.Operation.create("func.func", [], [], attributes, regions=1, ip=ir.InsertionPoint(module.body))


def _call(one: _Found, name: str) -> None:
    """Replaces the op by a call."""
    op = one.op
    with op.context, op.location:
        callee: dict[str, ir.Attribute] = {"callee": ir.FlatSymbolRefAttr.get(name)}
        kinds = [r.type for r in op.results]
        call = ir.Operation.create("func.call", kinds, one.given(), callee, ip=ir.InsertionPoint(op))
    for old, new in zip(op.results, call.results, strict=True):
        old.replace_all_uses_with(new)
    op.erase()
