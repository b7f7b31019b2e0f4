"""`memref.atomic_rmw`: the scalar op that each kind of atomic update computes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

UPDATES: Final[Mapping[str, str]] = {
    "addf": "arith.addf",
    "addi": "arith.addi",
    "andi": "arith.andi",
    "maximumf": "arith.maximumf",
    "maxnumf": "arith.maxnumf",
    "maxs": "arith.maxsi",
    "maxu": "arith.maxui",
    "minimumf": "arith.minimumf",
    "minnumf": "arith.minnumf",
    "mins": "arith.minsi",
    "minu": "arith.minui",
    "mulf": "arith.mulf",
    "muli": "arith.muli",
    "ori": "arith.ori",
    "xori": "arith.xori",
}
"""The scalar op whose result `memref.atomic_rmw` stores, by its kind; `assign` stores the operand."""


def kind_in(text: str) -> str:
    """The kind, read from the op's text: its number differs between releases of MLIR."""
    named = re.search(r"memref\.atomic_rmw (\w+)", text)
    return named[1] if named else "unknown"
