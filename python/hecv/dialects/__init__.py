"""The scalar ops that hecv gives a meaning to, one file a dialect."""

from __future__ import annotations

from typing import Final

from hecv.dialects.affine import affine
from hecv.dialects.arith import arith
from hecv.dialects.arith_floats import arith_floats
from hecv.dialects.registry import Operator

OPERATORS: Final[dict[str, Operator]] = {
    **affine.operators,
    **arith.operators,
    **arith_floats.operators,
}
