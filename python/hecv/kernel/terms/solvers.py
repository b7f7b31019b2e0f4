"""The solvers that decide proof obligations: Z3, and cvc5 as a second opinion."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, Literal

from hecv.kernel.certificate.rejection import Rejected

if TYPE_CHECKING:
    from hecv.smt.smtlib import Questions

Name = Literal["z3", "cvc5"]

MILLISECONDS: Final = 20_000
"""The time limit of a question; longer than any search has, so that a busy machine finds the proof again."""


class Solver:
    """Proves obligations, as SMT-LIB texts that have no model; each text is asked once."""

    def __init__(
        self, name: Name = "z3", index_width: int = 64, milliseconds: int = MILLISECONDS, trusting: bool = False
    ) -> None:
        """With `trusting`, what a rule of a user says may be taken on trust."""
        self._trusting: Final = trusting
        self.trusted: Final[dict[tuple[str, str], str]] = {}
        """What was taken on trust: the rules of users and their instances, with what the certificate says of each."""
        self._index_width: Final = index_width
        self._milliseconds: Final = milliseconds
        self._questions: Questions | None = None
        self._ask: Callable[[str], bool] | None = None
        self._known: Final[set[str]] = set()
        self._name: Final = name
        self.asked: Final[Counter[str]] = Counter()

    @property
    def questions(self) -> Questions:
        """Builds the SMT-LIB questions anew."""
        if self._questions is None:
            # Z3 takes a tenth of a second to load, and many certificates have no obligation for it.
            from hecv.smt.smtlib import Questions

            self._questions = Questions(self._index_width)
        return self._questions

    def require(self, step: str, given: str, made: str | None) -> None:
        """Checks that an obligation `given` by a certificate is the one that the checker has `made` itself, and that
        the solver proves it.

        Raises: Rejected.
        """
        if made is None:
            raise Rejected(step, "the terms have no form in SMT-LIB")
        if given != made:
            raise Rejected(step, "the obligation is not the one that the programs give")
        if made in self._known:
            return
        self.asked[self._name] += 1
        if self._ask is None:
            self._ask = (_by_cvc5 if self._name == "cvc5" else _by_z3)(self._milliseconds)
        if not self._ask(made):
            raise Rejected(step, f"{self._name} does not show the obligation")
        self._known.add(made)

    def trust(self, step: str, rule: str, instance: str, known: str) -> None:
        """Accepts an instance of a user's rule on trust; `known` is what the certificate says of the rule.

        Raises: Rejected unless the user allows trust.
        """
        if not self._trusting:
            raise Rejected(step, f"the rule '{rule}' is {known}, not proved (--trust)")
        self.trusted[rule, instance] = known


def _by_z3(milliseconds: int) -> Callable[[str], bool]:
    from hecv.smt.smtlib import TextSolver

    solver = TextSolver()
    return lambda text: solver.has_no_model(text, milliseconds)


def _by_cvc5(milliseconds: int) -> Callable[[str], bool]:
    import cvc5

    from hecv.smt.z3_goals import PATIENCE

    made: Any = cvc5

    def ask(text: str) -> bool:
        solver = made.Solver()
        solver.setOption("tlimit-per", str(milliseconds * PATIENCE))
        parser = made.InputParser(solver)
        parser.setStringInput(made.InputLanguage.SMT_LIB_2_6, "(set-logic ALL)\n" + standard(text), "obligation")
        symbols = parser.getSymbolManager()
        answer = ""
        while True:
            command = parser.nextCommand()
            if command.isNull():
                return answer.strip() == "unsat"
            answer = str(command.invoke(solver, symbols)) or answer

    return ask


def standard(text: str) -> str:
    """A text of Z3 in standard SMT-LIB: Z3 has predicates of its own for products that do not overflow."""
    for own, name in (("bvumul_noovfl", "bvumulo"), ("bvsmul_noovfl", "bvsmulo"), ("bvsmul_noudfl", "bvsmulo")):
        text = _negated(text, own, name)
    return text


def _negated(text: str, own: str, name: str) -> str:
    start = text.find(f"({own} ")
    while start >= 0:
        end = _closing(text, start)
        text = f"{text[:start]}(not ({name}{text[start + len(own) + 1 : end + 1]}){text[end + 1 :]}"
        start = text.find(f"({own} ", start)
    return text


def _closing(text: str, start: int) -> int:
    """Where the parenthesis at `start` ends; names in bars have none that count."""
    depth, quoted = 0, False
    for place in range(start, len(text)):
        character = text[place]
        quoted ^= character == "|"
        if not quoted:
            depth += {"(": 1, ")": -1}.get(character, 0)
            if not depth:
                return place
    raise AssertionError("Z3 closes what it opens")
