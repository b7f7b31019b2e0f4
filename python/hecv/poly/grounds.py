"""What an induction over array dataflow rests on: all that is needed to write it down (`hecv.poly.recording`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import islpy as isl
from msgspec import Struct

from hecv.poly.computed import Computed
from hecv.poly.dataflow import Dataflow
from hecv.poly.orders import Orders
from hecv.poly.positions import Place, Position
from hecv.poly.reductions import Reductions
from hecv.poly.residual import Residual

Goal = tuple[Position, Position, isl.Map]


class Grounds(Struct, frozen=True):
    """What an induction ended with: the parameters it holds for, both dataflows, the obligations that are proved, and
    those among them by which operators are shown to be defined."""

    known: isl.Set
    flows: tuple[Dataflow, Dataflow]
    table: Mapping[tuple[Place, Place], isl.Map]
    traps: Sequence[Goal]
    orders: Orders
    computed: Computed
    residual: Residual | None
    reductions: Reductions | None
