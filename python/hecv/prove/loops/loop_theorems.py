"""The proof by loop theorems, as the verdict needs it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Sequence
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from hecv.base.term import Term, TermPool
from hecv.claim.result import RuleUse, Saturation
from hecv.claim.strategy import Strategy
from hecv.dataflow.model.isl_translation import NotAffine
from hecv.program.tree import Function, Loop, walk

if TYPE_CHECKING:
    from hecv.egraph.programs.theorem_rounds import Statistics, Steps
    from hecv.patterns.calculus.loop_rules import LoopRule
    from hecv.patterns.equations.law_record import Law


ALONE_SECONDS: Final = 20.0
SECONDS: Final = 5.0
"""Where the loop theorems are all there is, and where array dataflow failed before."""

LIMITS: Final = ("iteration-limit", "node-limit", "time-limit")


class Theorems(Struct, frozen=True):
    """How a proof by loop theorems ended: `stopped` says why where the programs are not `equal`, `source` and `target`
    are statements where they still differ. `most` is the theorem or law that took the most of a limit that was met."""

    equal: bool
    stopped: str
    source: int | None
    target: int | None
    rules: tuple[RuleUse, ...]
    saturation: Saturation
    most: str | None = None

    @property
    def limit(self) -> str | None:
        """The limit that ended the search, None where there was none."""
        return self.stopped if self.stopped in LIMITS else None


def prove(
    pool: TermPool,
    functions: tuple[Function, Function],
    assumptions: Sequence[Term],
    strategy: Strategy,
    users: Sequence[Law] = (),
    loops: Sequence[LoopRule] = (),
) -> Theorems | None:
    """Tries to prove that the functions are equal, by laws of `users` that are proved and by their `loops`, too; None
    where the engine fails or an assumption is not affine. Where neither has a loop that is one question to the laws."""
    if any(isinstance(s, Loop) and s.updated for f in functions for s in walk(f.body)):
        return None  # a theorem speaks of loops that race or do not
    # The e-graph and Z3 take a tenth of a second each to load, and most pairs need neither.
    from hecv.egraph.programs.theorem_rounds import Budgets, Equal, prove_by_theorems
    from hecv.egraph.session import EngineFailure
    from hecv.laws.all_laws import LAWS

    laws = (*(LAWS if strategy.static else ()), *users)
    alone = strategy.engine == "theorems" or not strategy.dynamic
    budgets = Budgets(seconds=ALONE_SECONDS) if alone else Budgets(seconds=SECONDS, without_loops=strategy.nodes)
    try:
        ended = prove_by_theorems(
            pool,
            *functions,
            assumptions,
            budgets,
            static=bool(laws),
            dynamic=strategy.dynamic,
            laws=laws,
            loops=loops,
        )
    except (EngineFailure, NotAffine):
        return None
    rules, saturation = _account(ended.statistics, {law.name for law in (*LAWS, *users)})
    if isinstance(ended, Equal):
        return Theorems(True, "proved", None, None, rules, saturation)
    return Theorems(False, ended.reason, ended.source, ended.target, rules, saturation, ended.most)


def recorded(
    pool: TermPool,
    functions: tuple[Function, Function],
    assumptions: Sequence[Term],
    strategy: Strategy,
    users: Sequence[Law] = (),
    loops: Sequence[LoopRule] = (),
) -> Steps | None:
    """What a proof that the functions are equal enters; None where none is found."""
    from hecv.egraph.programs.theorem_rounds import Equal, Steps, prove_by_theorems
    from hecv.egraph.session import EngineFailure
    from hecv.laws.all_laws import LAWS

    steps, laws = Steps(), (*(LAWS if strategy.static else ()), *users)
    static, dynamic = bool(laws), strategy.dynamic
    try:
        ended = prove_by_theorems(
            pool, *functions, assumptions, static=static, dynamic=dynamic, laws=laws, loops=loops, record=steps
        )
    except (EngineFailure, NotAffine):
        return None
    return steps if isinstance(ended, Equal) else None


def _account(taken: Statistics, laws: Container[str]) -> tuple[tuple[RuleUse, ...], Saturation]:
    from hecv.patterns.equations.law_record import rule_of

    uses = Counter[tuple[str, bool]]()
    for name, count in taken.rules.items():
        uses[rule_of(name), name in laws] += count
    rules = tuple(
        RuleUse(name, "static" if static else "dynamic", count, "proved")
        for (name, static), count in sorted(uses.items())
    )
    dynamic = sum(r.uses for r in rules if r.kind == "dynamic")
    phases = tuple(taken.seconds_by_phase.items())
    return rules, Saturation(taken.rounds, taken.classes, taken.nodes, dynamic, phases)
