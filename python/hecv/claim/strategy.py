"""The proof strategy: how a proof is searched; it decides what is found, never what it means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from msgspec import Struct

if TYPE_CHECKING:
    from hecv.patterns.calculus.pattern_ast import RuleFile

Engine = Literal["auto", "dataflow", "theorems"]


class Strategy(Struct, frozen=True):
    """The proof strategy: `--engine`, and which rules it may use.

    `static`: the laws of single operators; without it only the user's `rules` are used. `dynamic`: what is generated
    for the pair: array dataflow and loop theorems. `nodes`: limit of the e-graph of one question. `rules`: the user's;
    those that cannot be proved are used only with `trust`. `without`: provers and passes that are left out (ablation).
    """

    engine: Engine = "auto"
    static: bool = True
    dynamic: bool = True
    nodes: int = 10_000
    rules: tuple[RuleFile, ...] = ()
    trust: bool = False
    without: frozenset[str] = frozenset()

    @property
    def declared(self) -> frozenset[str]:
        """The ops that rule files declare to be functions."""
        operators = (declaration for file in self.rules for declaration in file.operators.values())
        return frozenset(d.name for d in operators if d.place is not None and not d.effects)

    @property
    def dataflow(self) -> bool:
        """Whether array dataflow may prove the pair."""
        return self.dynamic and self.engine != "theorems"

    @property
    def theorems(self) -> bool:
        """Whether the loop theorems, or the e-graph alone, may prove the pair."""
        return self.engine != "dataflow"
