"""Recognises text on whose affine ops MLIR's verifier hangs.

To classify an operand as a dimension or symbol, `isValidDim` and `isValidSymbol` (LLVM 22) recurse into the operands of
the `affine.apply` that made it, without a memo. An op on its own result or a long chain ends the process, and a chain
that uses each value twice takes exponential time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

DEEPEST: Final = 1_000
MOST_WAYS: Final = 1_000_000
"""Steps of a chain of `affine.apply`, or paths through it, below which it is harmless."""

_MADE = re.compile(r"affine\.(?:apply|delinearize_index|linearize_index)\b")
_RESULT = re.compile(r"(%[\w.$-]+)(?::\d+)?\s*=\s*\"?$")
_NAME = re.compile(r"%[\w.$-]+")
_LONGEST_NAME: Final = 200
_LONGEST_OP: Final = 10_000
"""Characters of an op that are examined: unclosed brackets would otherwise be counted again at each line."""


def may_not_return(text: str) -> bool:
    """True if the verifier may hang on the affine ops of a text.

    Names stand for values of one function: an op of another region with the same name may give a false alarm.
    """
    return "affine." in text and any(map(_is_risky, text.split("func.func")))


def _is_risky(text: str) -> bool:
    steps: dict[str, tuple[int, int]] = {}
    awaited: set[str] = set()
    for name, operands in _ops(text):
        awaited.update(o for o in operands if o not in steps)
        known = [steps[o] for o in operands if o in steps]
        depth, ways = 1 + max((d for d, _ in known), default=0), 1 + sum(w for _, w in known)
        if name in awaited or depth > DEEPEST or ways > MOST_WAYS:
            return True
        steps[name] = depth, ways
    return False


def _ops(text: str) -> Iterator[tuple[str, list[str]]]:
    """The ops that are examined: the first value that each defines, and the values that it names."""
    for found in _MADE.finditer(text):
        result = _RESULT.search(text, max(0, found.start() - _LONGEST_NAME), found.start())
        if result is not None:
            yield result[1], _NAME.findall(_rest(text, found.end()))


def _rest(text: str, start: int) -> str:
    """The rest of an op: its line, and further lines while brackets are open, none were, or the next line begins
    with one."""
    end = start
    while end - start < _LONGEST_OP:
        end = text.find("\n", end + 1)
        if end < 0:
            return text[start:]
        rest = text[start:end]
        balanced = rest.count("(") == rest.count(")") and rest.count("[") == rest.count("]")
        named = "%" in rest or rest.rstrip().endswith("()")
        if balanced and named and not text[end : end + _LONGEST_NAME].lstrip().startswith(("(", "[")):
            return rest
    return text[start:end]
