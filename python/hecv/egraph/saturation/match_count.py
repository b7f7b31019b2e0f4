"""An upper bound on the matches of a law, computed before an iteration that cannot be interrupted."""

from __future__ import annotations

from hecv.egraph.saturation.law_compiler import symbol_of
from hecv.egraph.session import Classes, Session
from hecv.egraph.total_terms import literal_symbol
from hecv.patterns.equations.equations import Number, Operation, Pattern


def most_matches(session: Session, classes: Classes, side: Pattern) -> int:
    """An upper bound of the matches of a pattern: a variable that occurs twice counts as two."""
    counter = _Counter(session, classes)
    return sum(counter.count(side, home) for home in range(len(classes.nodes)))


class _Counter:
    def __init__(self, session: Session, classes: Classes) -> None:
        self._session = session
        self._classes = classes
        self._known: dict[tuple[int, int], int] = {}

    def count(self, side: Pattern, home: int) -> int:
        """The matches of a pattern at a class."""
        if not isinstance(side, Operation | Number):
            return 1
        key = (id(side), home)
        if key not in self._known:
            self._known[key] = self._count(side, home)
        return self._known[key]

    def _count(self, side: Operation | Number, home: int) -> int:
        nodes = self._classes.nodes[home]
        if isinstance(side, Number):
            value = float.fromhex(side.value) if isinstance(side.value, str) else side.value
            symbol = self._session.symbol(literal_symbol(value, side.kind.type))
            return int(any(node.symbol == symbol for node in nodes))
        symbol, total = self._session.symbol(symbol_of(side)), 0
        for node in nodes:
            if node.symbol != symbol:
                continue
            ways = 1
            for part, operand in zip(side.args, node.args, strict=True):
                ways *= self.count(part, operand)
            total += ways
        return total
