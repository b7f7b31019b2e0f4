"""Erases memory spaces: compiled code runs where there is only one."""

from __future__ import annotations

import re
from typing import Any, Final

from torch_mlir import ir

# The bindings are typed in small part.
IR: Any = ir

_SPACED: Final = re.compile(r"memref<[^=;{}]*?(, *\d|, *#(?!map))")
"""Matches any buffer with a memory space, and a few others."""
_LAYOUTS: Final = ("strided<", "affine_map<", "#map")


def without_spaces(module: Any, text: str) -> Any:
    """The module with all buffers in the default memory space; the same module if `text` has no other spaces."""
    if not _SPACED.search(text):
        return module
    printed = str(module)
    plain = _plain(printed)
    if plain == printed:
        return module
    module = IR.Module.parse(plain, module.context)
    _drop_casts(module)
    return module


def _plain(text: str) -> str:
    """A text without the memory spaces of its types."""
    parts: list[str] = []
    done = 0
    while (start := text.find("memref<", done)) >= 0:
        end = _closing(text, start + len("memref<"))
        inner = text[start + len("memref<") : end]
        shape, *rest = _split(_plain(inner))
        kept = [shape, *(part for part in rest if part.strip().startswith(_LAYOUTS))]
        parts += [text[done:start], "memref<", ",".join(kept), ">"]
        done = end + 1
    return "".join([*parts, text[done:]])


def _closing(text: str, at: int) -> int:
    """The position of the bracket that closes the one at `at`; an arrow is no bracket."""
    depth = 1
    while True:
        if text[at] == "<":
            depth += 1
        elif text[at] == ">" and text[at - 1] != "-":
            depth -= 1
        if depth == 0:
            return at
        at += 1


def _split(text: str) -> list[str]:
    """The parts between top-level commas."""
    parts, depth = [""], 0
    for before, letter in zip(" " + text, text, strict=False):
        depth += (letter in "<([") - (letter in ")]" or (letter == ">" and before != "-"))
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def _drop_casts(module: Any) -> None:
    """Removes casts between memory spaces, which are now identities."""
    found: list[Any] = []

    def visit(op: Any) -> Any:
        if op.name == "memref.memory_space_cast":
            found.append(op)
        return IR.WalkResult.ADVANCE

    module.operation.walk(visit)
    for op in found:
        op.result.replace_all_uses_with(op.operands[0])
        op.erase()
