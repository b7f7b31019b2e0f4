"""Local search for inputs on which terms have wanted values: a walk that changes one input at a time.

From a term without its wanted value the walk goes down, operand by operand, each time to a value of the operand for
which the operator gives what is wanted. If there is none it continues with any value.

Cites: Niemetz, Preiner, Biere, "Propagation based local search for bit-precise reasoning", FMSD 2017.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from time import process_time
from typing import Final

from hecv.base.term import Term, literal, postorder
from hecv.base.types import IntType
from hecv.base.value import Scalar
from hecv.run.evaluation.op_evaluation import Evaluator
from hecv.run.evaluation.op_inverses import inverse

SETTABLE: Final = frozenset({"arg", "read"})
MOST_STEPS: Final = 3000
CHOICES: Final = 4
"""The most operands that are tried for the one to change."""


class Reach:
    """A local search towards `goals`, all of them integers."""

    def __init__(self, goals: Mapping[Term, int], apply: Evaluator, random: Random) -> None:
        self._goals: Final = goals
        self._apply: Final = apply
        self._random: Final = random
        self._order: Final = postorder(tuple(goals))
        self._values: dict[int, Scalar] = {}
        self._open: Final[set[int]] = set()
        """The terms with an input below."""

    def inputs(self, seconds: float) -> dict[Term, Scalar] | None:
        """Values of the leaves for which all goals are met; None if none are found within `seconds`."""
        deadline = process_time() + seconds
        if not all(isinstance(t.type, IntType) for t in self._order) or not self._begin():
            return None
        for _ in range(MOST_STEPS):
            missed = [t for t, wanted in self._goals.items() if self._values[t.id] != wanted]
            if not missed:
                return {t: self._values[t.id] for t in self._order if t.op in SETTABLE}
            goal = self._random.choice(missed)
            if goal.id not in self._open or process_time() > deadline:
                return None
            leaf, value = self._down(goal, self._goals[goal])
            if not self._set(leaf, value):
                return None
        return None

    def _begin(self) -> bool:
        """Draws inputs."""
        for t in self._order:
            if t.op in SETTABLE or any(a.id in self._open for a in t.args):
                self._open.add(t.id)
        drawn = {t.id: self._drawn(t) for t in self._order if t.op in SETTABLE}
        return self._evaluate(drawn)

    def _drawn(self, term: Term) -> int:
        assert isinstance(term.type, IntType)
        return self._random.getrandbits(term.type.width)

    def _set(self, leaf: Term, value: int) -> bool:
        return self._evaluate({leaf.id: value})

    def _evaluate(self, given: Mapping[int, Scalar]) -> bool:
        """Evaluates what depends on the given leaves; false where something has no value."""
        dirty: set[int] = set()
        for term in self._order:
            value: Scalar | None
            if term.id in given:
                value = given[term.id]
            elif not term.args:
                value = self._values.get(term.id, literal(term))
            elif term.id in self._values and not any(a.id in dirty for a in term.args):
                continue
            else:
                value = self._apply(term, tuple([self._values[a.id] for a in term.args]))
            if not isinstance(value, int):
                return False
            if self._values.get(term.id) != value:
                self._values[term.id] = value
                dirty.add(term.id)
        return True

    def _down(self, term: Term, wanted: int) -> tuple[Term, int]:
        """The input to change, and its new value."""
        while term.args:
            term, wanted = self._step(term, wanted)
        return term, wanted

    def _step(self, term: Term, wanted: int) -> tuple[Term, int]:
        operands = [self._values[a.id] for a in term.args]
        ways = [k for k, a in enumerate(term.args) if a.id in self._open]
        self._random.shuffle(ways)
        for position in ways[:CHOICES]:
            found = inverse(term, wanted, position, operands, self._apply, self._random)
            if found is not None and found != operands[position]:
                return term.args[position], found
        other = term.args[ways[0]]
        return other, self._drawn(other)
