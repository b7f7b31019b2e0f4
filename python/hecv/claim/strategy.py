"""How a proof is sought; it decides what is found, never what it means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from msgspec import Struct

if TYPE_CHECKING:
    from hecv.patterns.calculus.pattern_ast import RuleFile

Engine = Literal["auto", "dataflow", "theorems"]


class Strategy(Struct, frozen=True):
    """`--engine`, and which rules it may use.

    `static` are the laws of single operators, without which those of `rules` are alone; `dynamic` what is generated for
    the pair at hand: array dataflow and loop theorems. `nodes` bounds the e-graph of one question. `rules` are the
    user's; those that cannot be proved are used only with `trust`. Provers and passes whose names are in `without` are
    left out, for ablation.
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
        """The ops that rule files say are functions."""
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
