"""Functions on scalable vectors, whose length is not known, as functions on one lane.

If each op on such vectors is elementwise, a lane of a result is a function of the same lane of the vectors that are
given, and of scalars: that function, on element types, is the same for all lanes. There is at least one lane. So two
such functions are equal, or undefined together, if those of a lane are; and an input of a lane that tells these apart
is one of vectors with equal lanes.

    arith.mulf %a, %b : vector<[4]xf32>   =>   arith.mulf %a, %b : f32
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from msgspec.structs import replace
from torch_mlir import ir

from hecv.mlir.module.parsed_module import ParsedModule, symbols_of
from hecv.mlir.module.purity import inner_ops
from hecv.ops import OPERATORS

_SCALABLE: Final = re.compile(r"vector<(?:\d+x)*\[\d+\][\dx\[\]]*x([a-z]\w*)>")
"""A scalable vector of scalars, and its element type."""

_SPLAT: Final = re.compile(r"dense<([^<>\[\]]*)> : " + _SCALABLE.pattern)

_MOVING: Final = frozenset(
    {"func.return", "arith.constant", "arith.select", "scf.if", "scf.for", "scf.while", "scf.condition", "scf.yield"}
)
"""Ops that hand values on as a whole, and literals, of which those of scalable vectors have equal lanes."""

_BROADCAST: Final = "vector.broadcast"


def as_lanes(modules: tuple[ParsedModule, ParsedModule]) -> tuple[ParsedModule, ParsedModule]:
    """Both modules with functions of one lane, where the functions of one name are of one type and elementwise in both.

    Others are left as they are.
    """
    if not all(module.may_have(("[",)) and _SCALABLE.search(module.code()) for module in modules):
        return modules
    first, second = (dict(_elementwise(module)) for module in modules)
    names = [name for name in first if first[name] == second.get(name)]
    if not names:
        return modules
    return _of_lanes(modules[0], names), _of_lanes(modules[1], names)


def _elementwise(module: ParsedModule) -> Iterator[tuple[str, str]]:
    """The functions that have scalable vectors and only elementwise ops on them, with their types."""
    called = {str(op.attributes["callee"]) for op in module.symbols.values() for op in _ops(op, "func.call")}
    for name, op in module.symbols.items():
        if op.name != "func.func" or not len(op.regions[0].blocks) or f"@{name}" in called:
            continue
        kind = str(op.attributes["function_type"])
        if _SCALABLE.search(kind) and all(map(_is_elementwise, inner_ops(op))):
            yield name, kind


def _ops(around: ir.Operation, name: str) -> Iterable[ir.Operation]:
    return (op for op in inner_ops(around) if op.name == name)


def _is_elementwise(op: ir.Operation) -> bool:
    types = [*(v.type for v in op.operands), *(r.type for r in op.results)]
    texts = [str(t) for t in types if isinstance(t, ir.VectorType) and t.scalable]
    if not texts:
        return True
    if not all(_SCALABLE.fullmatch(text) for text in texts):
        return False
    if op.name == _BROADCAST:
        return not isinstance(op.operands[0].type, ir.ShapedType)
    return op.name in _MOVING or op.name in OPERATORS


def _of_lanes(module: ParsedModule, names: Iterable[str]) -> ParsedModule:
    made = module.copied()
    for name in names:
        function = made.symbols[name]
        for op in list(_ops(function, _BROADCAST)):
            if isinstance(op.result.type, ir.VectorType) and op.result.type.scalable:
                op.result.replace_all_uses_with(op.operands[0])
                op.erase()
        text = function.get_asm(
            print_generic_op_form=True, enable_debug_info=True, use_local_scope=True, assume_verified=True
        )
        own = ir.Module.parse(_SCALABLE.sub(r"\1", _SPLAT.sub(_literal, text)), function.context)
        own.body.operations[0].operation.clone(ir.InsertionPoint(function))
        function.erase()
    expanded = made.module.operation.get_asm(enable_debug_info=True)
    return replace(made, symbols=symbols_of(made.module), expanded=expanded, lanes=frozenset(names))


def _literal(splat: re.Match[str]) -> str:
    value, kind = splat.groups()
    return value if value in ("true", "false") else f"{value} : {kind}"
