"""What was found about two graphs of tensors, and how it is searched for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal

from msgspec import Struct

from hecv.capture.value_process import Request
from hecv.relate.mismatch import (
    Mismatch,
    OutputDifference,
)
from hecv.relate.pair_proofs import Firing, Unproved
from hecv.relate.state.leaf_relation import LeafRelation
from hecv.tensors.tensor_graph import SourceLine, Symbols

Arrays = Mapping[str, Any]

Values = tuple[Sequence[Arrays], Sequence[Arrays]]
"""The values of the source and of the target in each input set."""

Run = Callable[[Sequence[Request]], Sequence[Sequence[Arrays]]]
"""Runs graphs in f64: the wanted values for each request and input set."""


class SearchOptions(Struct, frozen=True):
    """How pairs are searched for. `known` are the keys of rules whose cones are tried first. The others are switched
    off to measure what they are worth alone: only ops that compute are looked at, values are compared where their
    moments agree, proved pairs are cuts, and obligations that differ in names alone are decided once."""

    known: frozenset[str] = frozenset()
    computing: bool = True
    moments: bool = True
    cuts: bool = True
    reuse: bool = True


USUAL: Final = SearchOptions()


class GraphRelation(Struct, frozen=True):
    """What was found about two graphs. `phases` are seconds; `lowest` counts masks with the least finite number; where
    nothing differs, `undefined` are the source's results that have NaN in them in a run. Of `results`, the target's are
    the source's where they differ by rounding alone."""

    verdict: Literal["equivalent", "not-equivalent", "unknown"]
    leaves: LeafRelation
    layers: int
    nodes: tuple[int, int]
    candidates: int
    proved: int
    methods: Mapping[str, int]
    assumed: Mapping[str, int]
    lowest: int
    phases: tuple[tuple[str, float], ...]
    unproved: Unproved | None = None
    undefined: tuple[str, ...] = ()
    place: tuple[SourceLine | None, SourceLine | None] = (None, None)
    mismatch: Mismatch | None = None
    difference: OutputDifference | None = None
    inputs: Arrays = {}
    results: tuple[Arrays, Arrays] = ({}, {})
    sizes: Symbols = ()
    """The symbols for all of whose values the verdict holds."""
    at: Mapping[str, int] = {}
    """Their values in the run that is reported."""
    ways: int = 1
    """Values of the symbols that were run."""
    fired: tuple[Firing, ...] = ()


class UnmatchedParameters(Exception):
    """Parameters of the target that are not known to be made of the source's."""

    def __init__(self, names: tuple[str, ...]) -> None:
        super().__init__(", ".join(names))
        self.names = names
