"""Proofs that a while computes what a formula does: integers of any width, for any number of turns.

The theorem. Let `x` be the values of what a loop carries, `a` those at first, and `E` what the other program computes.
If `G(a) = E`, and wherever the loop goes on `G(x') = G(x)` of the values `x'` after a turn, then `G` of the values at
the end is `E`; so the loop computes `E` if its result is `G` wherever it ends. Z3 is asked all of that, for all values.
That the loop ends is shown by a value that, wherever the loop goes on, becomes less, or greater, as an unsigned number.
Without that, the loop may still be refined: an input on which the source does not end says nothing.

`G` is only guessed: `E` of what the loop began with, now, and what was accumulated so far (`n + ctpop(x)`).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, product
from random import Random
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from hecv.base.term import Term, TermPool, literal, postorder, rebuild
from hecv.base.types import BOOL, IntType
from hecv.base.value import Scalar
from hecv.claim.assumptions import of_calls
from hecv.claim.result import RuleUse
from hecv.claim.semantic_options import unproved
from hecv.normal.summaries.transition_system import Guess, Turning, accumulating, computed, guessed, turning
from hecv.program.read_write_sets import number
from hecv.prove.pair.pair_context import Case
from hecv.prove.pair.prover import Budget, Shown
from hecv.run.evaluation.op_evaluation import Evaluator

if TYPE_CHECKING:
    from hecv.kernel.certificate.closed_form_format import Invariant

RULE: Final = "while-invariant"
MAY_NOT_END: Final = "the source is not shown to end wherever the target does"

MILLISECONDS: Final = 3000
"""For each question to Z3."""
TRIALS: Final = 40
"""Draws of values on which a guess is tried."""
MOST_GUESSES: Final = 64


def prove_closed(case: Case, budget: Budget) -> Shown | None:
    """The proof; None where there is none, where neither or both have a while, or a switch excludes it."""
    switches = case.task.switches
    if unproved(case.functions, switches, case.constrain) is not None:
        return None
    for side in (0, 1):
        loop, formula = turning(case.pool, case.functions[side]), computed(case.pool, case.functions[1 - side])
        if loop is None or formula is None or len(loop.results) != len(formula):
            continue
        prover = _Prover(case.pool, loop, switches.index_width)
        guesses = [prover.invariant(*pair) for pair in zip(loop.results, formula, strict=True)]
        found = tuple([guess for guess in guesses if guess is not None])
        if len(found) < len(guesses):
            return None
        falls = prover.falling()
        if side == 1 and falls is None:
            return None
        rules = (RuleUse(RULE, "dynamic", len(formula), "proved"),)
        one_way, assumptions = None if falls is not None else MAY_NOT_END, of_calls(case.functions)
        return Shown("invariant", rules, one_way, Closed(side, found, falls), assumptions=assumptions)
    return None


def certify(case: Case, shown: Shown) -> tuple[Invariant, bool]:
    """The certificate of what `prove_closed` showed."""
    from hecv.prove.whiles import closed_form_cert  # few functions have such loops

    return closed_form_cert.certify(case, shown.found)


class Closed(Struct, frozen=True):
    """What was shown: that the function on this `side` computes what the other one does, by a guess for each result;
    and which variable falls, or rises, by a predicate, None where none is known to."""

    side: int
    guesses: tuple[Guess, ...]
    falls: tuple[int, str] | None


class _Prover:
    """Proves what one loop computes."""

    def __init__(self, pool: TermPool, loop: Turning, index_width: int) -> None:
        self._pool = pool
        self._loop = loop
        self._width = index_width
        self._evaluate = Evaluator(index_width)

    def invariant(self, result: Term, formula: Term) -> Guess | None:
        """A guess by which a result is what the formula is of the arguments, wherever the loop ends."""
        for guess in islice(self._guesses(formula), MOST_GUESSES):
            made = guessed(self._pool, self._loop, formula, guess)
            if made is not None and self._is_invariant(made, result, formula):
                return guess
        return None

    def falling(self) -> tuple[int, str] | None:
        """A variable that shows that the loop ends."""
        for place, (variable, after) in enumerate(zip(self._loop.variables, self._loop.following, strict=True)):
            for predicate in ("ult", "ugt"):
                falls = self._pool.make("arith.cmpi", (after, variable), BOOL, (("predicate", predicate),))
                if self._holds(self._if(True, falls), self._if(True, self._pool.integer(1, BOOL))):
                    return place, predicate
        return None

    def _guesses(self, formula: Term) -> Iterator[Guess]:
        loop = self._loop
        arguments = [t for t in postorder((formula,)) if t.op == "arg"]
        places = [[*(k for k, a in enumerate(loop.first) if a is argument), None] for argument in arguments]
        for chosen in product(*places):
            both = zip(arguments, chosen, strict=True)
            now = tuple([(number(a, "number"), place) for a, place in both if place is not None])
            yield Guess(now)
            for place, variable in enumerate(loop.variables):
                if variable.type == formula.type and place not in chosen:
                    yield from (Guess(now, (op, place)) for op in accumulating())

    def _is_invariant(self, guess: Term, result: Term, formula: Term) -> bool:
        loop = self._loop
        begun = self._with(guess, dict(zip(loop.variables, loop.first, strict=True)))
        turned = self._with(guess, dict(zip(loop.variables, loop.following, strict=True)))
        questions = (
            (begun, formula),
            (self._if(True, turned), self._if(True, guess)),
            (self._if(False, result), self._if(False, guess)),
        )
        return all(self._seem_equal(*q) for q in questions) and all(self._holds(*q) for q in questions)

    def _if(self, goes_on: bool, value: Term) -> Term:
        """A value where the loop goes on, or where it ends, and zero elsewhere."""
        zero = self._pool.integer(0, value.type)
        values = (value, zero) if goes_on else (zero, value)
        return self._pool.make("arith.select", (self._loop.condition, *values), value.type)

    def _with(self, term: Term, given: dict[Term, Term]) -> Term:
        return rebuild(self._pool, term, given.get, {})

    def _seem_equal(self, one: Term, other: Term) -> bool:
        """Whether values do not tell two terms apart."""
        order = postorder((one, other))
        for trial in range(TRIALS):
            random, values = Random(trial), dict[int, Scalar | None]()
            for term in order:
                known = literal(term)
                operands = [v for v in (values[a.id] for a in term.args) if v is not None]
                values[term.id] = (
                    known
                    if known is not None
                    else self._evaluate(term, tuple(operands))
                    if term.args
                    else _drawn(term, random)
                )
            if values[one.id] != values[other.id]:
                return False
        return True

    def _holds(self, one: Term, other: Term) -> bool:
        """Whether Z3 shows two terms equal."""
        from hecv.smt.term_refinement import refine  # it takes a tenth of a second to load, and few functions need it

        found = refine(one, other, value=True, index_width=self._width, milliseconds=MILLISECONDS)
        return found.value is not None and found.holds


def _drawn(term: Term, random: Random) -> int:
    assert isinstance(term.type, IntType)
    bits = random.choice((random.randrange(4), random.getrandbits(term.type.width), (1 << term.type.width) - 1))
    return bits % (1 << term.type.width)
