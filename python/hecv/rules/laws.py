"""All static laws, by subject."""

from __future__ import annotations

from typing import Final

from hecv.rules.bitwise import bitwise
from hecv.rules.book import Book
from hecv.rules.casts import casts
from hecv.rules.choices import bits, choices, selections
from hecv.rules.comparisons import comparisons
from hecv.rules.conversions import conversions, formats
from hecv.rules.divisions import divisions
from hecv.rules.extrema import extrema
from hecv.rules.fields import fields
from hecv.rules.floats import floats
from hecv.rules.functions import functions
from hecv.rules.gates import gates
from hecv.rules.index_casts import index_casts
from hecv.rules.integers import extended, integers
from hecv.rules.law import Law
from hecv.rules.mixed import mixed
from hecv.rules.orders import orders
from hecv.rules.quotients import quotients
from hecv.rules.ranges import ranges
from hecv.rules.refinements import bit_refinements, refinements
from hecv.rules.shifts import shifts
from hecv.rules.signs import signs
from hecv.rules.wide import wide

SUBJECTS: Final[dict[str, tuple[Book, ...]]] = {
    "Sums, differences, products": (integers, extended),
    "Bitwise operators": (bitwise,),
    "Gates": (gates,),
    "Arithmetic with bitwise operators": (mixed,),
    "Shifts": (shifts,),
    "Bit fields and rotations": (fields,),
    "Quotients and remainders": (divisions, quotients),
    "Comparisons": (comparisons,),
    "Signs, single bits, carries, flags": (signs,),
    "Ranges": (ranges,),
    "Choices": (choices, selections, bits),
    "Minima and maxima": (extrema,),
    "Casts": (casts, index_casts),
    "Twice the width": (wide,),
    "Counts of bits, powers": (functions,),
    "Floats": (floats,),
    "Comparisons of floats": (orders,),
    "Conversions of floats": (formats, conversions),
    "One way": (refinements, bit_refinements),
}

BOOK: Final[tuple[Law, ...]] = tuple(law for books in SUBJECTS.values() for book in books for law in book.laws)
"""Every law: what is audited and listed."""

LAWS: Final[tuple[Law, ...]] = tuple(law for law in BOOK if not (law.refines or law.derived))
"""The equations that the e-graph unions."""

DERIVED: Final[tuple[Law, ...]] = tuple(law for law in BOOK if law.derived)
"""Equations that follow from `LAWS` and normal forms."""

REFINEMENTS: Final[tuple[Law, ...]] = tuple(law for law in BOOK if law.refines)
"""Laws that hold one way."""
