"""A `select` on an affine condition: which operand it is, and at which instances."""

from __future__ import annotations

from collections.abc import Iterator

import islpy as isl

from hecv.base.term import Term
from hecv.dataflow.model.isl_translation import NotAffine
from hecv.dataflow.model.scop import Instances
from hecv.dataflow.model.term_instances import At, Position
from hecv.dataflow.model.value_dataflow import Isl

Case = tuple[Position, Position, isl.Map]


def selected(space: Isl, source: Position, target: Position, relation: isl.Map) -> tuple[int, Iterator[Case]] | None:
    """The number of the first side that is a `select` on an affine condition, and the obligation with each of its
    operands in its place; None if neither side is."""
    for side, position in ((0, source), (1, target)):
        if not isinstance(position, At) or position.term.op != "arith.select":
            continue
        condition, *branches = position.term.args
        try:
            texts = [position.statement.translator.condition(condition, holds) for holds in (True, False)]
        except NotAffine:
            continue
        parts = zip(texts, branches, strict=True)
        return side, _cases(space, side, position.statement, source, target, relation, parts)
    return None


def _cases(
    space: Isl,
    side: int,
    statement: Instances,
    source: Position,
    target: Position,
    relation: isl.Map,
    cases: Iterator[tuple[str, Term]],
) -> Iterator[Case]:
    for text, branch in cases:
        where = space.set(f"{{ {statement.tuple_text()} : {text} }}")
        if side == 0:
            yield At(statement, branch), target, relation.intersect_domain(where)
        else:
            yield source, At(statement, branch), relation.intersect_range(where)
