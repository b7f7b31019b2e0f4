"""All static laws, by subject."""

from __future__ import annotations

from typing import Final

from hecv.laws.bits.arith_bitwise import mixed
from hecv.laws.bits.bit_fields import fields
from hecv.laws.bits.bitwise_laws import bitwise
from hecv.laws.bits.gates import gates
from hecv.laws.bits.shift_laws import shifts
from hecv.laws.floats.float_comparisons import orders
from hecv.laws.floats.float_conversions import conversions, formats
from hecv.laws.floats.ieee_laws import floats
from hecv.laws.integers.bit_counts import functions
from hecv.laws.integers.divisions import divisions
from hecv.laws.integers.double_width import wide
from hecv.laws.integers.index_cast_laws import index_casts
from hecv.laws.integers.integer_casts import casts
from hecv.laws.integers.integer_comparisons import comparisons
from hecv.laws.integers.integer_extrema import extrema
from hecv.laws.integers.modular_arithmetic import extended, integers
from hecv.laws.integers.power_of_two_divisions import quotients
from hecv.laws.integers.range_laws import ranges
from hecv.laws.integers.sign_laws import signs
from hecv.laws.notation.subject_book import Book
from hecv.laws.one_way_laws import bit_refinements, refinements
from hecv.laws.selects import bits, choices, selections
from hecv.patterns.equations.law_record import Law

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
