"""The evidence of an induction over array dataflow: what its certificate is made from
(`hecv.prove.dataflow.induction_cert`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import islpy as isl
from msgspec import Struct

from hecv.dataflow.induction.commutative_matching import Orders
from hecv.dataflow.induction.wrapping_indices import Computed
from hecv.dataflow.model.term_instances import Place, Position
from hecv.dataflow.model.value_dataflow import Dataflow
from hecv.dataflow.reductions.reduction_equality import Reductions
from hecv.dataflow.residual.scalar_residual import Residual

Goal = tuple[Position, Position, isl.Map]


class Grounds(Struct, frozen=True):
    """The outcome of an induction: the parameters it holds for, both dataflows, the proved obligations, and those among
    them that show operators to be defined."""

    known: isl.Set
    flows: tuple[Dataflow, Dataflow]
    table: Mapping[tuple[Place, Place], isl.Map]
    traps: Sequence[Goal]
    orders: Orders
    computed: Computed
    residual: Residual | None
    reductions: Reductions | None
