"""Constraints on products of parameters, which isl holds as independent numbers."""

from __future__ import annotations

from hecv.base.term import Term
from hecv.dataflow.model.isl_translation import NotAffine, Parameters, Translator
from hecv.dataflow.model.value_dataflow import Isl
from hecv.program.index import quasi_affine


def restrict_products(space: Isl, parameters: Parameters) -> None:
    """Adds the constraint that a product is not negative, if the assumptions imply that no factor is."""
    for term, name in list(parameters.names.items()):
        coefficient, factors = quasi_affine.factors(term)
        if term.op == "affine.mul" and coefficient >= 0 and _all_nonnegative(space, parameters, factors):
            space.restrict(space.set(f"{{ : {name} >= 0 }}").params())


def _all_nonnegative(space: Isl, parameters: Parameters, factors: list[Term]) -> bool:
    translator = Translator(parameters, {})
    try:
        texts = [translator.index(factor).text for factor in factors]
    except NotAffine:
        return False
    negative = " or ".join(f"{text} < 0" for text in texts)
    return bool(space.set(f"{{ : {negative} }}").params().intersect(space.known).is_empty())
