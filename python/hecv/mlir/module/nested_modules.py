"""Nested modules as programs of their own: ops refer to symbols of the nearest module alone.

A function `@f` of a module `@a` inside another one is `@a::@f`, as in MLIR's symbol references.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace
from torch_mlir import ir

from hecv.mlir.module.parsed_module import LAYOUT, ParsedModule, functions, is_public, symbols_of

MODULE = "builtin.module"


def programs(module: ParsedModule) -> tuple[tuple[str, ParsedModule], ...]:
    """The module without the nested ones that have a name and are public, and each of these, by symbol path: the
    path of the first is empty.

    A nested module stays where it is if the rest refers to it, or if both have a data layout.
    """
    nested = {name: op for name, op in module.symbols.items() if _is_separate(module, name, op)}
    if not nested:
        return (("", module),)
    return ("", _without(module, nested)), *_inner(module, nested)


def qualified(path: str, name: str) -> str:
    """The name of a function in a nested module, without the first `@`."""
    return f"{path}::@{name}" if path else name


def public_names(module: ParsedModule) -> tuple[str, ...]:
    """The names of all public symbols, those of nested modules included."""
    return tuple(qualified(path, f.name) for path, program in programs(module) for f in functions(program))


def _inner(module: ParsedModule, nested: dict[str, ir.Operation]) -> Iterator[tuple[str, ParsedModule]]:
    for name, op in nested.items():
        text = op.get_asm(enable_debug_info=True, use_local_scope=True)
        inner = ir.Module.parse(text, op.context)
        for key, value in _layouts(module.module.operation).items():
            inner.operation.attributes[key] = value
        for path, program in programs(_made(module, inner)):
            yield f"{name}::@{path}" if path else name, program


def _without(module: ParsedModule, nested: dict[str, ir.Operation]) -> ParsedModule:
    text = module.module.operation.get_asm(enable_debug_info=True, use_local_scope=True)
    rest = ir.Module.parse(text, module.module.context)
    for name, op in symbols_of(rest).items():
        if name in nested:
            op.erase()
    return replace(_made(module, rest), arguments=module.arguments)


def _made(module: ParsedModule, part: ir.Module) -> ParsedModule:
    """A part of a module; its locations are those of the whole text."""
    text = part.operation.get_asm(enable_debug_info=True)
    return replace(module, module=part, symbols=symbols_of(part), arguments={}, lowered=None, expanded=text)


def _is_separate(module: ParsedModule, name: str, op: ir.Operation) -> bool:
    if op.name != MODULE or "sym_name" not in op.attributes or not is_public(op):
        return False
    if _layouts(op) and _layouts(module.module.operation):
        return False
    reference = re.compile(rf'@(?:{re.escape(name)}(?![\w$.-])|"{re.escape(name)}")')
    others = [(n, o) for n, o in module.symbols.items() if n != name]
    return not any(reference.search(o.get_asm(use_local_scope=True)) for _, o in others)


def _layouts(op: ir.Operation) -> dict[str, ir.Attribute]:
    """The data layouts among the attributes of a module."""
    return {name: op.attributes[name] for name in op.attributes if str(op.attributes[name]).startswith(LAYOUT)}
