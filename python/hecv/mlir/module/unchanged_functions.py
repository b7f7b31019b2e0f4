"""Functions that a pass left unchanged: their text, and that of all they refer to, is the same in both modules."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Final

from torch_mlir import ir

from hecv.mlir.module.dense_resources import RESOURCE
from hecv.mlir.module.parsed_module import ParsedModule, functions

_REFERENCE: Final = re.compile(r'@(?:([\w$.-]+)|"((?:[^"\\]|\\.)*)")')


def is_same(source: ParsedModule, target: ParsedModule) -> bool:
    """True if the modules have the same text, apart from layout, aliases and locations."""
    first, second = (_text(m.module.operation) for m in (source, target))
    return first == second and RESOURCE not in first


def unchanged(source: ParsedModule, target: ParsedModule) -> frozenset[str]:
    """The functions, and other symbols that `functions` lists, which mean the same in both modules whatever their ops
    mean.

    Empty if the modules differ in anything that is not a function: a global may be seen by all, a data layout matters
    to all. So may a global initialised by a resource, of which the text has only the name.
    """
    texts, others = _texts(source), _texts(target)
    rest = [_rest(m, t) for m, t in ((source, texts), (target, others))]
    if rest[0] != rest[1] or any(RESOURCE in text for text in rest[0].values()):
        return frozenset()
    names = {name for name, op in source.symbols.items() if op.name == "func.func"} | {
        f.name for f in functions(source)
    }
    return frozenset(n for n in names if _reached(n, texts) == _reached(n, others) is not None)


def shared_code(source: ParsedModule, target: ParsedModule) -> Callable[[str], bool]:
    """The predicate that everything a text refers to, directly or not, is code that is the same in both modules.

    The modules are read when the predicate is first asked.
    """

    @cache
    def texts() -> tuple[Mapping[str, str], Mapping[str, str]]:
        return _texts(source), _texts(target)

    def shared(text: str) -> bool:
        reached = [{s: _reached(s, module) for s in _references(text)} for module in texts()]
        if reached[0] != reached[1]:
            return False
        return all(found is not None and all(map(is_code, found)) for found in reached[0].values())

    def is_code(symbol: str) -> bool:
        ops = [module.symbols[symbol].name for module in (source, target) if symbol in module.symbols]
        return all(name == "func.func" for name in ops)

    return shared


def _references(text: str) -> list[str]:
    """The symbols in a text."""
    return [bare or quoted for bare, quoted in _REFERENCE.findall(text)]


def _texts(module: ParsedModule) -> Mapping[str, str]:
    return {name: _text(op) for name, op in module.symbols.items()}


def _text(op: ir.Operation) -> str:
    return op.get_asm(print_generic_op_form=True, use_local_scope=True)


def _rest(module: ParsedModule, texts: Mapping[str, str]) -> dict[str, str]:
    """Everything that is not a function: attributes of the module, globals, and the rest."""
    kept = {name: text for name, text in texts.items() if module.symbols[name].name != "func.func"}
    attributes = module.module.operation.attributes
    return kept | {f" {name}": str(attributes[name]) for name in attributes}


def _reached(name: str, texts: Mapping[str, str]) -> Mapping[str, str] | None:
    """The texts of all that `name` may refer to, itself included; None if they do not show everything."""
    found: dict[str, str] = {}
    left = [name]
    while left:
        symbol = left.pop()
        if symbol in found:
            continue
        text = texts.get(symbol, "")
        if RESOURCE in text or "\\" in symbol:  # an escaped name is another name in `texts`
            return None
        found[symbol] = text
        left += _references(text)
    return found
