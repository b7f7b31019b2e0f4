"""The leaves, literals and operators that two compared terms are made of."""

from __future__ import annotations

from collections.abc import Callable

import islpy as isl
from msgspec import Struct, field

from hecv.base.term import Term
from hecv.base.types import IndexType, ScalarType
from hecv.base.value import Poison, Scalar
from hecv.dataflow.model.instance_values import Instance
from hecv.dataflow.model.isl_translation import NotAffine
from hecv.dataflow.model.scop import Instances
from hecv.dataflow.model.term_instances import At, Position
from hecv.ops import exposes

Prove = Callable[[Position, Position, isl.Map], bool]
"""Proves that a part of the source is refined by a part of the target, at related instances."""

Vector = tuple[Scalar | None, ...]

Path = tuple[int, ...]
"""A path of reads: from a term to what was written, to what was written where that reads, and so on."""


class Frame(Struct, frozen=True):
    """An instance of a statement that a compared term depends on: its own, or one that wrote what it reads.

    `way` leads from the instances of the compared term to these, None if they are the same; `instances` are those at
    the samples. `names` are the statements on the way.
    """

    statement: Instances
    way: isl.Map | None
    instances: tuple[Instance | None, ...]
    path: Path
    names: tuple[str, ...]


class Part(Struct, frozen=True):
    """A leaf, a literal or an operator of one of the two terms, and its values at the samples.

    `frame` is None for an initial value. `args` are the parts that are its operands, or arguments of the function.
    `proper`: a leaf is known not to be poison. `partial`: an operator in it may be undefined. `also`: leaves that have
    the same origin, and so the same value.
    """

    position: Position
    frame: Frame | None
    type: ScalarType
    values: Vector
    leaf: bool
    proper: bool
    partial: bool = False
    args: tuple[int | Term, ...] = ()
    also: list[tuple[Frame, Term]] = field(default_factory=list["tuple[Frame, Term]"])


def is_leaf(at: At, to_the_bit: bool = False) -> bool:
    """Whether a term is a leaf: it reads memory, isl can express it, or it is the bits of a float where floats are
    compared `to_the_bit`."""
    term = at.term
    if term.op in ("load", "iv") or (to_the_bit and exposes(term)):
        return True
    if not isinstance(term.type, IndexType) or not term.args:
        return False
    try:
        at.statement.translator.index(term)
    except NotAffine:
        return False
    return True


def compatible(source: Vector, target: Vector) -> bool:
    """Whether no sample value shows that the target does not refine the source."""
    pairs = zip(source, target, strict=True)
    return all(a is None or b is None or isinstance(a, Poison) or repr(a) == repr(b) for a, b in pairs)


def linked(source: Part, target: Part, relation: isl.Map) -> tuple[Position, Position, isl.Map]:
    """The obligation that a part of the source is refined by a part of the target, each at its own instances."""
    if source.frame is not None and source.frame.way is not None:
        relation = relation.apply_domain(source.frame.way)
    if target.frame is not None and target.frame.way is not None:
        relation = relation.apply_range(target.frame.way)
    return source.position, target.position, relation
