"""Symbol closure: the part of a module that some symbols need, directly or not, as text to be compiled."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from torch_mlir import ir

from hecv.mlir.module.dense_resources import RESOURCE
from hecv.mlir.module.parsed_module import ParsedModule

_SYMBOL: Final = re.compile(r'@(?:[\w.$-]+|"(?:[^"\\]|\\.)*")')


def code_for(module: ParsedModule, symbols: Iterable[str]) -> str:
    """The text of these symbols and of those that they name, directly or not, each where the module's text has it.

    It is the whole text if nothing is saved, or if the module itself says how it is to be compiled.
    """
    needed = needed_by(module, symbols)
    if any(RESOURCE in text for text in needed.values()):
        return module.code()
    if len(needed) == len(module.symbols) or any(True for _ in module.module.operation.attributes):
        return module.code()
    return "\n".join(needed[name] for name in module.symbols if name in needed)


def needed_by(module: ParsedModule, symbols: Iterable[str]) -> dict[str, str]:
    """These symbols and those that they name, directly or not, with the text of each."""
    printed = {str(ir.FlatSymbolRefAttr.get(name, module.module.context)): name for name in module.symbols}
    needed: dict[str, str] = {}
    waiting = [name for name in symbols if name in module.symbols]
    while waiting:
        name = waiting.pop()
        if name in needed:
            continue
        needed[name] = text = module.symbols[name].get_asm(enable_debug_info=True, use_local_scope=True)
        # A symbol in a string counts, too: what is not needed does no harm.
        waiting += [printed[found] for found in dict.fromkeys(_SYMBOL.findall(text)) if found in printed]
    return needed
