"""Scalar terms that the dataflow proof leaves over: the e-graph shows values equal, Z3 the rest.

The e-graph knows total values without flags; whether the target is poison or undefined where the source is not, is a
question apart (`hecv.smt.term_refinement`). Where the laws do not reach, Z3 is asked about the values too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from random import Random
from time import perf_counter
from typing import TYPE_CHECKING, Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from hecv.base.diagnostics import Diagnostic
from hecv.base.memo import Once
from hecv.base.term import OPAQUE, Term, TermPool, literal, postorder
from hecv.base.types import FloatType, IndexType, IntType, OpaqueType, ScalarType
from hecv.base.value import Poison, Scalar
from hecv.claim.result import RuleUse, Saturation
from hecv.claim.strategy import Strategy
from hecv.dataflow.model.instance_values import Evaluate
from hecv.dataflow.residual.scalar_refinement import Refinement, Scalars
from hecv.ops import OPERATORS, exposes, facts_about
from hecv.ops.facts.poison_conditions import LEAVES, PROPER_LEAVES
from hecv.ops.fastmath_flags import FloatMode
from hecv.program.uninterpreted import named, partial
from hecv.prove.terms.fastmath_terms import WideEvaluator, licensed_equal
from hecv.run.evaluation.exhaustive_evaluation import RULE as ALL_VALUES
from hecv.run.evaluation.exhaustive_evaluation import equal_everywhere, is_small
from hecv.run.evaluation.op_evaluation import Evaluator
from hecv.run.evaluation.softfloat import SMALL

if TYPE_CHECKING:
    from hecv.egraph.normal_forms.integer_narrowing import Widths
    from hecv.egraph.saturation.runner import Answer
    from hecv.patterns.equations.law_record import Law
    from hecv.prove.terms.user_rules import Rulebook
    from hecv.smt.term_refinement import Verdict

ENGINE_SECONDS: Final = 3.0
SOLVER_MILLISECONDS: Final = 500
MOST_SOLVED: Final = 60
"""Terms of more operators are not given to Z3 as a whole."""

TRIALS: Final = 24
"""Draws of leaves on which two terms are evaluated before anything is proved of them."""

SOLVED: Final = "smt-refinement"
ONE_WIDTH: Final = "one-width"


class Stopped(Struct, frozen=True):
    """A search that a limit ended: the rule of a user that made the most e-nodes in it, and how many, or how many it
    would have made at most."""

    reason: Literal["node-limit", "iteration-limit", "time-limit"]
    rule: str
    nodes: int


class Comparer:
    """Compares scalar terms for one pair of functions, and keeps account of what that took."""

    def __init__(
        self,
        pool: TermPool,
        index_width: int,
        strategy: Strategy,
        mode: FloatMode = "strict",
        loose: bool = False,
        laws: Once | None = None,
        expands: bool = False,
    ) -> None:
        """`mode` is that of `--fp`; `loose` tells that some float may differ by rounding all the same. `laws` may know
        the book without rules of users, which remembers nothing of what it was asked. It `expands` each `clampf` of the
        source where nothing in the target's function is one: else two uses of one could be two values."""
        self._pool = pool
        self._names: dict[int, Term] = {}
        self._width = index_width
        self._strategy = strategy
        self._book: Rulebook | None = None
        self._laws = laws or Once()
        self._rules: Counter[str] = Counter()
        self._phases: dict[str, float] = {}
        self._rounds = self._classes = self._nodes = 0
        self._mode: FloatMode = mode
        self._evaluate: Evaluate = WideEvaluator(index_width) if loose else Evaluator(index_width)
        self._loose = loose
        self._expands = expands
        self.asked = 0
        """How many questions the laws were asked."""
        self.rejected: Diagnostic | None = None
        """The error on a law of a user that turned out false."""
        self.stopped: Stopped | None = None
        """The search that a limit ended in which a rule of a user made the most."""
        usable = strategy.static or bool(strategy.rules)
        self.scalars = Scalars(pool, self._compare, self._evaluate, mode, loose) if usable else None
        """What the dataflow proof is handed; None where it may use no laws. Without those of the book neither
        licences nor normal forms nor Z3 show values equal: rules of users do."""

    def rules(self) -> tuple[RuleUse, ...]:
        """The laws that matched, and how often."""
        book = self._book
        return tuple(
            RuleUse(name, "static", uses, "proved")
            if book is None
            else RuleUse(name, book.kind(name), uses, book.evidence(name))
            for name, uses in sorted(self._rules.items())
        )

    @property
    def book(self) -> Rulebook:
        """The laws, those of users too."""
        if self._book is None:
            # The e-graph takes a tenth of a second to load, and most pairs do not need it.
            from hecv.egraph.saturation.runner import Budget
            from hecv.prove.terms.user_rules import Rulebook

            strategy = self._strategy
            budget = Budget(nodes=strategy.nodes, seconds=ENGINE_SECONDS)
            given = (strategy.rules, strategy.trust, budget, self._width, strategy.static)
            self._book = Rulebook(*given) if strategy.rules else self._laws(Rulebook, *given)
        return self._book

    def admit(self, terms: Sequence[Term], noted: Callable[[str], None]) -> Diagnostic | None:
        """Judges the rules of users that may fire on terms, `noted` is told which; the error where one is false."""
        from hecv.egraph.saturation.rule_evidence import FalseLaw
        from hecv.prove.terms.user_rules import rejection

        try:
            self.book.admit(terms, noted)
        except FalseLaw as problem:
            return rejection(problem)
        return None

    def proved_laws(self) -> tuple[Law, ...]:
        """The laws of users at the types at which they are proved."""
        return self.book.proved_laws() if self._strategy.rules else ()

    def warnings(self) -> tuple[Diagnostic, ...]:
        """What is to be said of rules of users that are not used."""
        return () if self._book is None else self._book.diagnostics()

    def notes(self) -> tuple[str, ...]:
        """What rules of users left open."""
        return () if self._book is None else tuple(self._book.notes())

    def trusted(self) -> tuple[str, ...]:
        """The rules of users that were used on less than a proof."""
        return () if self._book is None else self._book.trusted()

    def saturation(self) -> Saturation | None:
        """What the e-graph took, None where it was not asked."""
        if not self._phases:
            return None
        return Saturation(self._rounds, self._classes, self._nodes, 0, tuple(self._phases.items()))

    def _compare(self, source: Term, target: Term) -> Refinement:
        found = self._compared(source, target)
        if found.refines or not self._strategy.static:
            return found
        for rule, read in self._readings(source, target):
            other = self._compared(read, target)
            if other.refines:
                self._rules[rule] += 1
                return replace(other, converse=False)
        return found

    def _readings(self, source: Term, target: Term) -> Iterator[tuple[str, Term]]:
        """The source as ops of it may be computed where what they compute is left open, and the rule that says so."""
        if self._loose:
            from hecv.laws.floats.fastmath_licences import EXTREMUM, extrema  # few functions have flags

            yield from ((EXTREMUM, read) for _, read in extrema(self._pool, source, target))
        if not self._expands:
            return
        from hecv.laws.floats import clamp_expansion  # all rules are loaded with it

        clamped = clamp_expansion.expanded(self._pool, source, target)
        if clamped is not None:
            yield clamp_expansion.RULE, clamped

    def _compared(self, source: Term, target: Term) -> Refinement:
        started = perf_counter()
        if self._strategy.rules and self._by_trusted_rules(source, target):
            self._spend("saturate", started)
            return Refinement(True, True, True)
        ours, theirs = partial(source), partial(target)
        source, target = (named(self._pool, t, self._names) for t in (source, target))
        licensed = self._by_licence(source, target)
        if licensed is not None and theirs <= ours:
            self._spend("regroup", started)
            return replace(licensed, converse=licensed.converse and ours <= theirs)
        if self.rejected is not None or self._differ(source, target):
            self._spend("evaluate", started)
            return Refinement(False, False, False)
        self.asked += 1
        equal = self._by_width(source, target)
        if not equal[0]:
            equal = (True, True) if self._tried(source, target) else self._equal(source, target)
        self._spend("saturate", started)
        solves = self._strategy.static and (any(equal) or _is_small(source, target))
        if not equal[0] and not solves:
            return Refinement(False, False, False)
        # Z3 and the e-graph take a tenth of a second each to load, and most pairs need neither.
        from hecv.smt.term_refinement import refine

        started = perf_counter()
        forward = refine(source, target, value=not equal[0], index_width=self._width, milliseconds=SOLVER_MILLISECONDS)
        refines = _proved(forward.poison) and (equal[0] or _proved(forward.value))
        converse = False
        if refines:
            if not equal[0]:
                self._rules[SOLVED] += 1
            back = refine(target, source, value=not equal[1], index_width=self._width, milliseconds=SOLVER_MILLISECONDS)
            converse = back.holds and (equal[1] or self._strategy.static)
        self._spend("solve", started)
        # An operator without semantics is defined where the same one on the same leaves is.
        return Refinement(refines, _proved(forward.undefined) and theirs <= ours, converse and ours <= theirs)

    def _by_trusted_rules(self, source: Term, target: Term) -> bool:
        """Whether trusted rules show terms equal that are made of operators without semantics, all of them total. Such
        a rule is trusted of poison, too."""
        inner = [t for t in postorder((source, target)) if t.args]
        if self.rejected is not None or not inner or any(t.op != OPAQUE for t in inner):
            return False
        from hecv.egraph.saturation.rule_evidence import FalseLaw
        from hecv.prove.terms.user_rules import rejection

        self.asked += 1
        try:
            answer = self.book.equal(source, target, ())
        except FalseLaw as problem:
            self.rejected = rejection(problem)
            return False
        if not answer.proved or all(evidence == "proved" for evidence in answer.evidence.values()):
            return False
        self._account(answer)
        return True

    def _by_licence(self, source: Term, target: Term) -> Refinement | None:
        """How the terms compare by what `--fp` or fast-math flags allow; None where they are not shown equal."""
        if not self._strategy.static:
            return None
        found = licensed_equal(self._pool, source, target, self._mode, self._width)
        if found is None:
            return None
        from hecv.smt.term_refinement import refine

        forward = refine(found.source, found.target, index_width=self._width, milliseconds=SOLVER_MILLISECONDS)
        if not _proved(forward.poison):
            return None
        self.asked += 1
        self._rules.update(found.rules)
        converse = found.converse and refine(found.target, found.source, index_width=self._width).holds
        return Refinement(True, _proved(forward.undefined), converse)

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
            if repr(first) != repr(second) and not (self._loose and isinstance(first, float)):
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

    def _tried(self, source: Term, target: Term) -> bool:
        """Whether values are equal for all values of leaves of few bits."""
        if not (self._strategy.static and self._mode == "strict" and is_small(postorder((source, target)))):
            return False
        found = equal_everywhere(source, target, self._width)
        if found:
            self._rules[ALL_VALUES] += 1
        return found or (found is None and self._swept(source, target))

    def _by_width(self, source: Term, target: Term) -> tuple[bool, bool]:
        """Whether integers have one form in one width where the source is defined, and where the target is."""
        forms = self._in_one_width(source, target, source) if self._strategy.static else None
        if forms is None or forms.plain(source) is not forms.plain(target):
            return False, False
        self._rules[ONE_WIDTH] += 1
        if not forms.rests:
            return True, True
        back = self._in_one_width(source, target, target)
        return True, back is not None and back.plain(source) is back.plain(target)

    def _in_one_width(self, source: Term, target: Term, *defined: Term) -> Widths | None:
        """The forms of terms in one width, where those that are `defined` are so; None where no integer is cast, nor
        read with a sign."""
        if not isinstance(source.type, IntType | IndexType):
            return None
        operators = {t.op for t in postorder((source, target))}
        known = map(facts_about, operators)
        if "arith.cmpi" not in operators and not any(f.casts or f.unsigned for f in known):
            return None
        from hecv.egraph.normal_forms.integer_narrowing import in_one_width

        return in_one_width(self._pool, (source, target), self._width, defined)

    def _swept(self, source: Term, target: Term) -> bool:
        """Whether a quick sweep shows values equal, from the operands up."""
        from hecv.prove.terms.sat_sweeping import sweep_terms

        orders = postorder((source,)), postorder((target,))
        if any(exposes(t) for order in orders for t in order):
            return False
        leaves = {t.id for order in orders for t in order if t.op in LEAVES - PROPER_LEAVES}
        done, tools = sweep_terms(self._pool, orders, leaves, self._width, ENGINE_SECONDS)
        if done.became(source) is not done.became(target):
            return False
        self._rules.update(tools.prover.uses)
        return True

    def _equal(self, source: Term, target: Term) -> tuple[bool, bool]:
        """Whether laws show the values equal where the source is defined, and where the target is; of integers also by
        their forms in one width, of which all that is known of the terms holds."""
        from hecv.egraph.saturation.rule_evidence import FalseLaw
        from hecv.prove.terms.user_rules import rejection

        try:
            found = self._equal_by(source, target, lambda term: term)
            forms = self._in_one_width(source, target) if self._strategy.static and not found[0] else None
            if forms is None or (forms.plain(source) is source and forms.plain(target) is target):
                return found
            return self._equal_by(source, target, forms.plain)
        except FalseLaw as problem:
            self.rejected = rejection(problem)
            return False, False

    def _equal_by(self, source: Term, target: Term, form: Callable[[Term], Term]) -> tuple[bool, bool]:
        """Whether laws show the values of the forms equal, with the facts that hold of each term."""
        from hecv.patterns.equations.premise_facts import Fact, facts_of

        def facts(term: Term) -> Iterator[Fact]:
            for fact in facts_of(term, self._width):
                yield Fact(fact.premise, tuple(map(form, fact.args)))

        answer = self.book.equal(form(source), form(target), facts(source))
        self._account(answer)
        if not answer.used_facts:
            return answer.proved, answer.proved
        back = self.book.equal(form(target), form(source), facts(target))
        self._account(back)
        return answer.proved, back.proved

    def _account(self, answer: Answer) -> None:
        if answer.proved:
            self._rules.update(answer.rules)
        elif any(answer.grown.values()) and answer.stop_reason in ("node-limit", "iteration-limit", "time-limit"):
            rule = max(answer.grown, key=lambda name: answer.grown[name])
            if self.stopped is None or self.stopped.nodes < answer.grown[rule]:
                self.stopped = Stopped(answer.stop_reason, rule, answer.grown[rule])
        self._rounds += answer.iterations
        self._classes = max(self._classes, answer.classes)
        self._nodes = max(self._nodes, answer.nodes)

    def _spend(self, phase: str, started: float) -> None:
        self._phases[phase] = self._phases.get(phase, 0.0) + perf_counter() - started


def _drawn(kind: ScalarType, random: Random) -> Scalar | None:
    """A value of a type: a small one, one at an end of the range, or any; None where the type has no meaning here."""
    match kind:
        case IntType(width):
            small, end = random.randrange(-3, 4), (1 << (width - 1)) - random.randrange(2)
            return random.choice((small, end, random.getrandbits(width))) % (1 << width)
        case IndexType():
            return random.choice((random.randrange(-3, 4), random.randrange(-1000, 1000)))
        case FloatType(name) if kind.small:
            return random.choice(SMALL[name].values)
        case FloatType():
            return random.choice((0.0, -0.0, 1.0, random.randrange(-64, 64) / 8, float("inf"), float("nan")))
        case OpaqueType():
            return None


def _proved(verdict: Verdict | None) -> bool:
    return verdict is not None and verdict.answer == "proved"


def _is_small(source: Term, target: Term) -> bool:
    return len(postorder((source, target))) <= MOST_SOLVED
