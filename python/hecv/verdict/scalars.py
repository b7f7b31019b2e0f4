"""Scalar terms that the dataflow proof leaves over: the e-graph shows values equal, Z3 the rest.

The e-graph knows total values without flags; whether the target is poison or undefined where the source is not, is a
question apart (`hecv.smt.refine`). Where the laws do not reach, Z3 is asked about the values too.
"""

from __future__ import annotations

from collections import Counter
from random import Random
from time import perf_counter
from typing import TYPE_CHECKING, Final

from hecv.base.term import Term, TermPool, literal, postorder
from hecv.base.types import FloatType, IndexType, IntType, ScalarType
from hecv.base.value import Poison, Scalar
from hecv.dialects import OPERATORS
from hecv.execute.evaluate import Evaluator
from hecv.poly.residual import Refinement, Scalars
from hecv.verdict.result import RuleUse, Saturation
from hecv.verdict.strategy import Strategy

if TYPE_CHECKING:
    from hecv.egraph.saturate import Answer, TermEngine
    from hecv.smt.refine import Verdict

ENGINE_SECONDS: Final = 3.0
SOLVER_MILLISECONDS: Final = 500
MOST_SOLVED: Final = 60
"""Terms of more operators are not given to Z3 as a whole."""

TRIALS: Final = 24
"""Draws of leaves on which two terms are evaluated before anything is proved of them."""

SOLVED: Final = "smt-refinement"


class Comparer:
    """Compares scalar terms for one pair of functions, and keeps account of what that took."""

    def __init__(self, pool: TermPool, index_width: int, strategy: Strategy) -> None:
        self._width = index_width
        self._strategy = strategy
        self._engine: TermEngine | None = None
        self._rules: Counter[str] = Counter()
        self._phases: dict[str, float] = {}
        self._rounds = self._classes = self._nodes = 0
        self._evaluate = Evaluator(index_width)
        self.asked = 0
        """How many questions the laws were asked."""
        self.scalars = Scalars(pool, self._compare, self._evaluate) if strategy.static else None
        """What the dataflow proof is handed; None where it may use no laws."""

    def rules(self) -> tuple[RuleUse, ...]:
        """The laws that matched, and how often."""
        return tuple(RuleUse(name, "static", uses, "proved") for name, uses in sorted(self._rules.items()))

    def saturation(self) -> Saturation | None:
        """What the e-graph took, None where it was not asked."""
        if not self._phases:
            return None
        return Saturation(self._rounds, self._classes, self._nodes, 0, tuple(self._phases.items()))

    def _compare(self, source: Term, target: Term) -> Refinement:
        started = perf_counter()
        if self._differ(source, target):
            self._spend("evaluate", started)
            return Refinement(False, False, False)
        self.asked += 1
        equal = self._equal(source, target)
        self._spend("saturate", started)
        if equal == (False, False) and not _is_small(source, target):
            return Refinement(False, False, False)
        # Z3 and the e-graph take a tenth of a second each to load, and most pairs need neither.
        from hecv.smt.refine import refine

        started = perf_counter()
        forward = refine(source, target, value=not equal[0], index_width=self._width, milliseconds=SOLVER_MILLISECONDS)
        refines = _proved(forward.poison) and (equal[0] or _proved(forward.value))
        converse = False
        if refines:
            if not equal[0]:
                self._rules[SOLVED] += 1
            back = refine(target, source, value=not equal[1], index_width=self._width, milliseconds=SOLVER_MILLISECONDS)
            converse = back.holds
        self._spend("solve", started)
        return Refinement(refines, _proved(forward.undefined), converse)

    def _differ(self, source: Term, target: Term) -> bool:
        """Whether some values of the leaves show that the target does not refine the source."""
        order = postorder((source, target))
        for number in range(TRIALS):
            random = Random(number)
            values: dict[int, Scalar | None] = {}
            for term in order:
                values[term.id] = self._value(term, values, random)
            first, second = values[source.id], values[target.id]
            if first is None or second is None or isinstance(first, Poison):
                continue
            if repr(first) != repr(second):
                return True
        return False

    def _value(self, term: Term, values: dict[int, Scalar | None], random: Random) -> Scalar | None:
        known = literal(term)
        if known is not None:
            return known
        if not term.args and term.op not in OPERATORS:
            return _drawn(term.type, random)
        operands = [v for v in (values[a.id] for a in term.args) if v is not None]
        return self._evaluate(term, tuple(operands)) if len(operands) == len(term.args) else None

    def _equal(self, source: Term, target: Term) -> tuple[bool, bool]:
        """Whether laws show the values equal where the source is defined, and where the target is."""
        from hecv.egraph.saturate import Budget, TermEngine
        from hecv.rules.facts import facts_of
        from hecv.rules.laws import LAWS

        if self._engine is None:
            budget = Budget(nodes=self._strategy.nodes, seconds=ENGINE_SECONDS)
            self._engine = TermEngine(LAWS, budget, self._width)
        answer = self._engine.equal(source, target, facts_of(source, self._width))
        self._account(answer)
        if not answer.used_facts:
            return answer.proved, answer.proved
        back = self._engine.equal(target, source, facts_of(target, self._width))
        self._account(back)
        return answer.proved, back.proved

    def _account(self, answer: Answer) -> None:
        if answer.proved:
            self._rules.update(answer.rules)
        self._rounds += answer.iterations
        self._classes = max(self._classes, answer.classes)
        self._nodes = max(self._nodes, answer.nodes)

    def _spend(self, phase: str, started: float) -> None:
        self._phases[phase] = self._phases.get(phase, 0.0) + perf_counter() - started


def _drawn(kind: ScalarType, random: Random) -> Scalar:
    """A value of a type: a small one, one at an end of the range, or any."""
    match kind:
        case IntType(width):
            small, end = random.randrange(-3, 4), (1 << (width - 1)) - random.randrange(2)
            return random.choice((small, end, random.getrandbits(width))) % (1 << width)
        case IndexType():
            return random.choice((random.randrange(-3, 4), random.randrange(-1000, 1000)))
        case FloatType():
            return random.choice((0.0, -0.0, 1.0, random.randrange(-64, 64) / 8, float("inf"), float("nan")))


def _proved(verdict: Verdict | None) -> bool:
    return verdict is not None and verdict.answer == "proved"


def _is_small(source: Term, target: Term) -> bool:
    return len(postorder((source, target))) <= MOST_SOLVED
