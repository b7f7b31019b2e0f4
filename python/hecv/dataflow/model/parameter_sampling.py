"""Sample points of sets of parameters: values of scalar arguments and dynamic extents.

isl treats a product or quotient of arguments as an independent number; a sample point gives it the value that its
operands determine.
"""

from __future__ import annotations

from random import Random

import islpy as isl

from hecv.base.term import Term, literal
from hecv.dataflow.model.isl_translation import NONLINEAR, NotAffine, Parameters, Translator
from hecv.dataflow.model.value_dataflow import Isl, whole
from hecv.program.index import quasi_affine

Point = dict[Term, int]
"""Values of arguments and extents."""

SMALL_BOXES = tuple((low, high) for high in (3, 20, 100) for low in (0, -high))
"""Ranges in which points of a set are searched, in this order."""

MOST_GUESSES = 64
GUESSED = (1, -1, 2, 1, -1, 3, -2, 4, 0)
"""Values tried for arguments that are multiplied; sums and differences of small ones have either sign."""


class Sampler:
    """Finds points in sets of the parameters of one pair of programs."""

    def __init__(self, space: Isl, parameters: Parameters) -> None:
        self._space = space
        self._parameters = parameters
        self._leaves = [t for t in parameters.names if t.op in ("arg", "dim")]
        self._products = [t for t in parameters.names if t.op in NONLINEAR]

    def point(self, within: isl.Set) -> Point | None:
        """One point of a set; None if the set is empty."""
        if within.is_empty():
            return None
        point = within.sample_point()
        places = ((t, self.place(within, t)) for t in self._leaves)
        return {t: whole(point.get_coordinate_val(isl.dim_type.param, k)) for t, k in places if k >= 0}

    def points(self, within: isl.Set) -> tuple[Point, ...]:
        """A few points of a set, small ones first; none if the set is empty."""
        found = self._guessed(within) if self._products else None
        for low, high in SMALL_BOXES if found is None else ():
            found = found or self.point(self._boxed(within, low, high))
        found = found or self.point(within)
        return () if found is None else (found,)

    def place(self, within: isl.Set, term: Term) -> int:
        """The position of a parameter in the space of a set; negative if it has none."""
        return within.get_space().find_dim_by_name(isl.dim_type.param, self._parameters.names[term])

    def fixed(self, within: isl.Set, term: Term, value: int) -> isl.Set:
        """The subset in which a parameter has a value."""
        place = self.place(within, term)
        return within if place < 0 else within.fix_val(isl.dim_type.param, place, value)

    def multiplied(self, within: isl.Set, values: Point | None = None) -> isl.Set:
        """The subset in which products and quotients by scalar arguments have their true values.

        Requires: `values` gives those of the arguments, or `within` has one value of each.
        """
        point = values if values is not None or not self._products else self.point(within)
        scalars = {t: v for t, v in (point or {}).items() if t.op == "arg"}
        for term in self._products if scalars else ():
            value = value_of(term, scalars)
            said = None if value is not None else self._said(term, scalars)
            if value is not None:
                within = self.fixed(within, term, value)
            elif said is not None:
                within = within.intersect(self._space.set(f"{{ : {said} }}").params())
        return within

    def _said(self, term: Term, scalars: Point) -> str | None:
        """The constraint on a product or quotient of which one operand has a value; None if there is none."""
        if term.op not in ("affine.mul", "affine.quotient"):
            return None
        known = [value_of(a, scalars) for a in term.args]
        name, translator = self._parameters.names[term], Translator(self._parameters, {})
        other = next((a for a, v in zip(term.args, known, strict=True) if v is None), None)
        try:
            text = None if other is None else translator.index(other).text
        except NotAffine:
            return None
        match term.op, known:
            case "affine.mul", [int(value), None] | [None, int(value)]:
                return f"{name} = {value}*({text})"
            case "affine.quotient", [None, int(value)] if value > 0:
                return f"{value}*{name} <= {text} < {value}*{name} + {value}"
            case _:
                return None

    def _boxed(self, within: isl.Set, low: int, high: int) -> isl.Set:
        for place in (self.place(within, t) for t in self._leaves):
            if place >= 0:
                within = within.lower_bound_val(isl.dim_type.param, place, low)
                within = within.upper_bound_val(isl.dim_type.param, place, high)
        return within

    def _guessed(self, within: isl.Set) -> Point | None:
        """A point at guessed values of the arguments."""
        random = Random(0)
        scalars = [t for t in self._leaves if t.op == "arg"]
        for _ in range(MOST_GUESSES):
            values = {t: random.choice(GUESSED) for t in scalars}
            narrowed = self.multiplied(within, values)
            for term, value in values.items():
                narrowed = self.fixed(narrowed, term, value)
            point = self.point(narrowed)
            if point is not None:
                return point
        return None


def value_of(term: Term, values: Point) -> int | None:
    """The exact value of an index term over the given leaves; None if it is undefined or has other leaves."""
    known = literal(term)
    if isinstance(known, int):
        return known
    if not term.args:
        return values.get(term)
    found = [value_of(a, values) for a in term.args]
    numbers = [n for n in found if n is not None]
    if len(numbers) < len(found):
        return None
    match term.op, numbers:
        case "affine.linear", _:
            form = quasi_affine.linear(term)
            return form.constant + sum(c * n for (_, c), n in zip(form.terms, numbers, strict=True))
        case "affine.mul", [left, right]:
            return left * right
        case "affine.quotient", [left, right] if right > 0:
            return left // right
        case _:
            return None
