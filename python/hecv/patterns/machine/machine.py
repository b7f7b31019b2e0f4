"""The algorithmic semantics: a machine that finds the matches of a definition (PYPM, section 3.3).

A `Run` is a machine's state. It is running with a substitution (`frame`: theta and phi at once), a stack of
alternatives to backtrack to (`choices`) and a continuation (what is still to match or to check); success adds to its
`answers`, and failure takes the next alternative. PYPM unfolds a definition in place, with fresh names; here a run of
the definition at that value with those arguments is asked for its answers, one by one. All who ask the same share one
run (tabling). The matches are the same, in the same order, without duplicates. Besides, nested alternates cost no
exponential time, recursion ends on graphs with cycles, and one search reuses the results of others.

On a cycle a run may ask for answers that are still to come from a run below it. Such a request is suspended, and
resumed when all else is done, until there are no new answers: the least fixpoint, which is every finite derivation.

The machine is not recursive, so Python's stack limits the depth of neither patterns nor graphs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from hecv.patterns.calculus.match_subject import Subject
from hecv.patterns.calculus.matches import Match
from hecv.patterns.calculus.pattern_ast import Definitions
from hecv.patterns.machine.machine_state import Answer, OutOfSteps, Run, Status, Table
from hecv.patterns.machine.pattern_program import Code, Program, compiled

DEPTH: Final = 10_000
STEPS: Final = 1_000_000


class Search:
    """The matches of definitions in a graph.

    `depth` limits the nesting of runs of one definition, `steps` the length of one call of `matches`. `frozen`: the
    graph does not change, so results are kept from call to call (see `forget`).

    `depth_reached` names the definitions whose limit some call has met; `out_of_steps`: some call gave up. If neither
    happened, all matches were found.
    """

    def __init__(
        self,
        definitions: Definitions | Program,
        subject: Subject,
        depth: int = DEPTH,
        steps: int = STEPS,
        frozen: bool = False,
    ) -> None:
        self.program: Final = definitions if isinstance(definitions, Program) else compiled(definitions)
        self.subject: Final = subject
        self.depth: Final = depth
        self.steps: Final = steps
        self.frozen: Final = frozen
        self.depth_reached: frozenset[str] = frozenset()
        self.out_of_steps = False
        self._kept: Table | None = None

    def matches(self, name: str, value: int) -> Iterator[Match]:
        """The distinct matches of a definition with a value, on demand, in order of preference."""
        code = self.program.codes[name]
        if not self._may_match(code, value):
            return iter(())
        return self._matches(code, value)

    def first(self, name: str, value: int) -> Match | None:
        """The preferred match."""
        return next(self.matches(name, value), None)

    def forget(self) -> None:
        """Drops all results because the graph has changed; no enumeration that was begun may go on."""
        self._kept = None

    def _may_match(self, code: Code, value: int) -> bool:
        heads = code.heads
        if heads is None:
            return True
        nodes = self.subject.nodes(value) if self._kept is None else self._kept.node_list(value)
        return any(node.operator.name in heads for node in nodes)

    def _matches(self, code: Code, value: int) -> Iterator[Match]:
        table = self._kept or Table(self.subject, self.depth)
        if self.frozen:
            self._kept = table
        root = table.find(code, value, (None,) * len(code.parameters))
        position, left = 0, self.steps
        while self._reach(table, root, position, left):
            left = table.left
            yield _match(table, code, root.answers[position])
            position += 1

    def _reach(self, table: Table, root: Run, position: int, left: int) -> bool:
        """Whether there is an answer at the position. A table that is not to be relied on is not kept."""
        table.left = left
        whole = False
        try:
            more = _reach(table, root, position)
            whole = not table.cut
        except OutOfSteps:
            self.out_of_steps = True
            more = False
        finally:
            self.depth_reached |= table.cut
            if not whole:
                self._kept = None
        return more


# Runs one after the other


def _reach(table: Table, root: Run, position: int) -> bool:
    """Whether the root has an answer at the position; runs it until it has."""
    while position >= len(root.answers):
        if root.status is Status.DONE:
            return False
        if root.status is Status.OPEN:
            _drive(table, root)
        else:
            _take_up(table)
    return True


def _drive(table: Table, root: Run) -> None:
    """Runs the root, and whom it asks, to its next answer or to its end."""
    stack = [root]
    table.enter(root)
    while stack:
        asked = stack[-1].advance()
        if asked is not None:
            stack.append(asked)
            table.enter(asked)
        else:
            table.leave(stack.pop())


def _take_up(table: Table) -> None:
    """Goes on with the requests that were put off. If none of them has a new answer, there are no more answers."""
    unfinished = [some for d in table.delayed for some in (d.run, d.asked) if some.status is Status.OPEN]
    for some in unfinished:
        _drive(table, some)
    if unfinished:
        return
    ready = [d for d in table.delayed if d.position < len(d.asked.answers) or d.asked.status is Status.DONE]
    for request in ready or table.delayed:
        request.run.resume(request if ready else None)
    taken = {id(request) for request in ready or table.delayed}
    table.delayed = [request for request in table.delayed if id(request) not in taken]


def _match(table: Table, code: Code, answer: Answer) -> Match:
    """An answer by the names of the parameters."""
    bound = [(p, value) for p, value in zip(code.parameters, answer, strict=True) if value is not None]
    terms = {p.name: value for p, value in bound if p.sort == "term"}
    functions = {p.name: table.operators[value] for p, value in bound if p.sort == "function"}
    return Match(
        terms,
        {name: operator for name, (operator, _) in functions.items()},
        {name: arity for name, (_, arity) in functions.items()},
    )
