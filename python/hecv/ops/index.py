"""The `index` dialect: each op is the `arith` op on type `index`. LangRef below is MLIR's index dialect."""

from __future__ import annotations

from typing import Final

from hecv.base.theory import Bits, BitsSort, Sort, bits
from hecv.ops.registry import Dialect

index = Dialect("index")

SYNONYMS: Final[dict[str, str]] = {
    "index.add": "arith.addi",
    "index.sub": "arith.subi",
    "index.mul": "arith.muli",
    "index.divs": "arith.divsi",
    "index.divu": "arith.divui",
    "index.ceildivs": "arith.ceildivsi",
    "index.ceildivu": "arith.ceildivui",
    "index.floordivs": "arith.floordivsi",
    "index.rems": "arith.remsi",
    "index.remu": "arith.remui",
    "index.maxs": "arith.maxsi",
    "index.maxu": "arith.maxui",
    "index.mins": "arith.minsi",
    "index.minu": "arith.minui",
    "index.shl": "arith.shli",
    "index.shrs": "arith.shrsi",
    "index.shru": "arith.shrui",
    "index.and": "arith.andi",
    "index.or": "arith.ori",
    "index.xor": "arith.xori",
    "index.cmp": "arith.cmpi",
    "index.casts": "arith.index_cast",
    "index.castu": "arith.index_castui",
}
"""The `arith` op that each `index` op is read as: the same function, poison and undefined behaviour.

Cites: LangRef, index dialect; its lowering, convert-index-to-llvm, is arith's.
"""


@index.op("sizeof", typed=True)
def sizeof(*, to: Sort) -> Bits:
    """The number of bits of type `index`.

    Cites: LangRef, index.sizeof.
    """
    assert isinstance(to, BitsSort)
    return bits(to.width, to)
