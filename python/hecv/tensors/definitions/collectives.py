"""What is left of collectives where the programs of all ranks are one graph: reductions and joins over ranks."""

from __future__ import annotations

from fractions import Fraction

from hecv.tensors.comprehension import Comprehension, Scalar, apply
from hecv.tensors.definitions.aten_layout import cat
from hecv.tensors.definitions.op_definition import Call, defines
from hecv.tensors.generalisation import concatenated, reduced
from hecv.tensors.index_terms import Index


@defines("dist.reduce")
def reduce(call: Call) -> tuple[Comprehension, ...]:
    """The sum, mean, product, maximum or minimum of one tensor a rank."""
    parts: tuple[Comprehension, ...] = call.operands[0]
    kind: str = call.operands[1]

    def at(*i: Index) -> Scalar:
        terms = [part[i] for part in parts]
        found = reduced("sum" if kind == "avg" else kind, terms) or _written_out(kind, terms)
        return found * Fraction(1, len(parts)) if kind == "avg" else found

    return call.gives(at)


def _written_out(kind: str, terms: list[Scalar]) -> Scalar:
    found = terms[0]
    for term in terms[1:]:
        if kind in ("sum", "avg"):
            found = found + term
        else:
            found = found * term if kind == "product" else apply(kind, found, term)
    return found


@defines("dist.concat")
def concat(call: Call) -> tuple[Comprehension, ...]:
    """One tensor a rank, one behind the other along a dimension."""
    parts: tuple[Comprehension, ...] = call.operands[0]
    (whole,) = cat(call)
    return call.gives(lambda *i: concatenated(parts, call.at(1, "dim"), i) or whole[i])
