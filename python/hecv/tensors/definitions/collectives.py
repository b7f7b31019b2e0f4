"""What is left of collectives where the programs of all ranks are one graph: reductions over ranks."""

from __future__ import annotations

from fractions import Fraction

from hecv.tensors.comprehension import Comprehension, Index, Scalar, apply
from hecv.tensors.definitions.op_definition import Call, defines


@defines("dist.reduce")
def reduce(call: Call) -> tuple[Comprehension, ...]:
    """The sum, mean, product, maximum or minimum of one tensor a rank."""
    parts: tuple[Comprehension, ...] = call.operands[0]
    kind: str = call.operands[1]

    def at(*i: Index) -> Scalar:
        found = parts[0][i]
        for part in parts[1:]:
            if kind in ("sum", "avg"):
                found = found + part[i]
            else:
                found = found * part[i] if kind == "product" else apply(kind, found, part[i])
        return found * Fraction(1, len(parts)) if kind == "avg" else found

    return call.gives(at)
