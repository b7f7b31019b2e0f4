"""Python code for `Loop` and `While`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from hecv.base.diagnostics import Unsupported
from hecv.base.term import Term
from hecv.base.types import IndexType, IntType
from hecv.program.tree import Block, If, Loop, While, walk
from hecv.run.codegen.access_code import allocates
from hecv.run.codegen.batched_bodies import Batches
from hecv.run.codegen.code_scopes import Bound
from hecv.run.evaluation.index_intervals import natural_interval

LOOPS: Final = 18  # Python allows 20 nested loops in one function


class _Header(Struct, frozen=True):
    """The evaluated header of a loop: exact bounds, the name of the loop variable, and the greatest value of its type.

    A `whole` loop contains no loop and no allocation, and is charged at its start.
    """

    name: str
    lower: Bound
    upper: Bound
    step: Bound
    whole: bool
    greatest: int


class Loops(Batches):
    """Code for loops: bounds as exact integers, steps, and the charge for iterations."""

    loops = 0
    backwards = False
    """True if parallel loops run from their last iteration to the first."""

    def statements(self, block: Block) -> None:
        """Emits the statements of a block in order."""
        raise NotImplementedError

    def repetition(self, s: While) -> None:
        """Emits a `While`; see its docstring for the meaning."""

        def emit() -> None:
            self.line(f"left -= {weight((*s.before, *s.after))}")
            self.line("if left < 0: return Exhausted(budget)")
            self.statements(s.before)
            self.statement = s.id
            condition = self.term(s.condition)
            if s.condition.id in self.poison:
                self.undefined(f"{condition.text} is POISON", "branch on poison")
            self.line(f"if not {condition.text}: break")
            self.statements(s.after)

        body = self.repeated(emit)
        self.line("while True:")
        self.scopes[-1].lines.extend(body)

    def repeated(self, emit: Callable[[], None]) -> list[str]:
        """The lines of the body of a loop."""
        if self.loops >= LOOPS:
            raise Unsupported(f"loops nested more than {LOOPS} deep", None)
        self.loops += 1
        statement = self.statement
        body = self.nested(emit)
        self.statement = statement
        self.loops -= 1
        return body

    def loop(self, s: Loop) -> None:
        """Emits a `Loop`; see its docstring for the meaning."""
        header = self.header(s)
        step = "" if header.step.text == "1" else f", {header.step.text}"
        iterations = f"range({header.lower.text}, {header.upper.text}{step})"
        if not self._by_columns(s, header, iterations):
            self._as_text(s, header, iterations)
        if header.whole:
            self.line("if left < 0: return Exhausted(budget)")
        self.last_increment(header)

    def _by_columns(self, s: Loop, header: _Header, iterations: str) -> bool:
        """Emits a loop whose body runs in batches; False if it cannot."""
        iv = self.running(s, header)
        if not header.whole or iv.text != header.name:
            return False
        body = self.batched(s, iv)
        if body is None:
            return False
        self.charge(s, header)
        self.run_batch(body, iterations)
        return True

    def _as_text(self, s: Loop, header: _Header, iterations: str) -> None:
        """Emits a loop whose body is Python text."""

        def emit() -> None:
            self.enter(s, header)
            self.statements(s.body)

        if s.parallel:
            self.races.enter(s, header.name, self.line)
        body = self.repeated(emit)
        if s.parallel:
            self.races.leave()
        if header.whole:
            self.charge(s, header)
        if s.parallel and self.backwards:
            iterations = f"reversed({iterations})"
        self.line(f"for {header.name} in {iterations}:")
        self.scopes[-1].lines.extend(body)

    def header(self, s: Loop) -> _Header:
        """Evaluates the bounds and step of a loop as exact integers."""
        lower = self.extremum(s, s.lowers, "max", "lower bound")
        upper = self.extremum(s, s.uppers, "min", "upper bound")
        step = self.interpreted(s, s.step, "step")
        if step.low <= 0:
            self.undefined(f"{step.text} <= 0", "the step of a loop is not positive")
        whole = not any(isinstance(x, Loop | While) or allocates(x) for x in walk(s.body))
        if whole:
            name = self.fresh("u")
            self.line(f"{name} = {upper.text}")
            upper = replace(upper, text=name)
        return _Header(self.fresh("i"), lower, upper, step, whole, _greatest(s, self.limit))

    def extremum(self, s: Loop, terms: tuple[Term, ...], op: str, role: str) -> Bound:
        """The greatest lower or the least upper bound."""
        values = [self.interpreted(s, t, role) for t in terms]
        if len(values) == 1:
            return values[0]
        choose = max if op == "max" else min
        name = self.fresh("t")
        self.line(f"{name} = {op}({', '.join(v.text for v in values)})")
        return Bound(name, choose(v.low for v in values), choose(v.high for v in values), len(self.scopes) - 1)

    def interpreted(self, s: Loop, term: Term, role: str) -> Bound:
        """A bound or step as the exact integer it denotes, signed or unsigned as the loop says."""
        value = self.number(term, f"{role} of a loop")
        greatest = _greatest(s, self.limit)
        half, mask = (greatest + 1, 2 * greatest + 1) if not s.unsigned else (0, greatest)
        if isinstance(term.type, IndexType):
            if not s.unsigned or value.low >= 0:
                return value
            text, low, high = f"{value.text} & {mask}", 0, mask
        else:
            if s.unsigned or value.high < half:
                return value
            text, low, high = f"({value.text} ^ {half}) - {half}", -half, half - 1
        name = self.fresh("t")
        self.line(f"{name} = {text}")
        return Bound(name, low, high, len(self.scopes) - 1)

    def enter(self, s: Loop, header: _Header) -> None:
        """Begins the body: charges one iteration and encodes the induction variable."""
        if not header.whole:
            self.line(f"left -= {weight(s.body)}")
            self.line("if left < 0: return Exhausted(budget)")
        iv = self.running(s, header)
        if iv.text != header.name:
            name = self.fresh("i")
            self.line(f"{name} = {iv.text}")
            iv = replace(iv, text=name)
        self.keep(s.iv, iv)
        self.below[s.iv.id] = set() if s.unsigned else {t.id for t in s.uppers} - self.loading

    def running(self, s: Loop, header: _Header) -> Bound:
        """The encoded induction variable in the body."""
        low, high, depth = header.lower.low, max(header.lower.low, header.upper.high - 1), len(self.scopes) - 1
        if isinstance(s.iv.type, IndexType) and high >= self.limit:
            text = f"({header.name} ^ {self.limit}) - {self.limit}"
            return Bound(text, -self.limit, self.limit - 1, depth)
        if isinstance(s.iv.type, IntType) and low < 0:
            low, high = natural_interval(s.iv.type, self.limit)
            return Bound(f"{header.name} & {high}", low, high, depth)
        return Bound(header.name, low, high, depth)

    def charge(self, s: Loop, header: _Header) -> None:
        """Charges all iterations of an innermost loop, and shortens the loop if the budget ends within it."""
        lower, upper, step = header.lower.text, header.upper.text, header.step.text
        cost = weight(s.body)
        trips = f"({upper} - {lower})" if step == "1" else f"(({upper} - {lower} + {step} - 1) // {step})"
        self.line(f"if {lower} < {upper}:")
        self.line(f" left -= {trips} * {cost}")
        self.line(f" if left < 0: {upper} += left // {cost} * {step}")

    def last_increment(self, header: _Header) -> None:
        """Emits the check that the induction variable does not wrap after the last iteration."""
        lower, upper, step = header.lower, header.upper, header.step
        if step.text == "1" or upper.high + step.high - 1 <= header.greatest:
            return
        last = f"{lower.text} + ({upper.text} - {lower.text} + {step.text} - 1) // {step.text} * {step.text}"
        wraps = f"{lower.text} < {upper.text} and {last} > {header.greatest}"
        self.undefined(wraps, "the last increment of a loop wraps")


def _greatest(s: Loop, limit: int) -> int:
    half = limit if not isinstance(s.iv.type, IntType) else 1 << (s.iv.type.width - 1)
    return 2 * half - 1 if s.unsigned else half - 1


def weight(block: Block) -> int:
    """The steps charged for one run of a block: its statements without those in loops, at least one."""
    count = 0
    stack = list(block)
    while stack:
        s = stack.pop()
        count += 1
        if isinstance(s, If):
            stack.extend((*s.then, *s.otherwise))
    return max(count, 1)
