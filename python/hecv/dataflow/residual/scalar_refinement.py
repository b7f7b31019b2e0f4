"""Refinement of scalar terms over shared leaves: how two terms compare, and how they are compared and evaluated."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from hecv.base.term import Term, TermPool
from hecv.dataflow.model.instance_values import Evaluate
from hecv.ops.fastmath_flags import FloatMode


class Refinement(Struct, frozen=True):
    """The relation of two scalar terms over the same leaves.

    `refines`: wherever the source is neither undefined nor poison, the target has the same value and is not poison.
    `defined`: the target is undefined only where the source is. `converse`: both hold with the sides exchanged.
    """

    refines: bool
    defined: bool
    converse: bool


class Scalars(Struct, frozen=True):
    """How scalar terms are compared and evaluated; passed in by the rooms above.

    `compare` gets two terms over literals, arguments, extents and `leaf` terms, which may have any value and may be
    poison: a leaf of the target's is poison only where the same leaf of the source's is. `mode` is the float mode;
    `loose`: floats that are nearly equal may be equal.
    """

    pool: TermPool
    compare: Callable[[Term, Term], Refinement]
    evaluate: Evaluate
    mode: FloatMode = "strict"
    loose: bool = False
