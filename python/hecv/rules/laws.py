"""All static laws."""

from __future__ import annotations

from typing import Final

from hecv.rules.bitwise import bitwise
from hecv.rules.casts import casts
from hecv.rules.choices import bits, choices, extrema
from hecv.rules.comparisons import comparisons
from hecv.rules.divisions import divisions
from hecv.rules.floats import conversions, floats
from hecv.rules.integers import extended, integers
from hecv.rules.law import Law
from hecv.rules.shifts import shifts

BOOKS: Final = (
    *(integers, extended, bitwise, shifts, divisions, comparisons),
    *(choices, extrema, bits, casts, floats, conversions),
)

LAWS: Final[tuple[Law, ...]] = tuple(law for book in BOOKS for law in book.laws)
