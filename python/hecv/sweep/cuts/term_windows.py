"""Windows: two terms cut off at leaves, small enough to be proved by themselves.

Each side is expanded as its own program has it; a leaf is identified by its representative in the sweep, so equal parts
of both sides are one leaf. What is proved of a window holds for all values of its leaves, and so of the whole terms.
Windows of the same shape are the same question, wherever they occur.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from msgspec import Struct

from hecv.base.term import Term, TermPool
from hecv.ops.facts.poison_conditions import without_flags

MOST_NODES: Final = 30
"""The most operators of a window."""

MOST_LONE: Final = 9
"""The most leaves that only one side has; with more, the sides have too little in common."""

ROUNDS: Final = 4
"""The most times that a window is enlarged."""

Shape = tuple[tuple[object, ...], ...]


class View(Struct, frozen=True):
    """The context of windows: the representative (`place`) of a term; its `rank`, below that of its users; and whether
    it may be expanded (`opens`)."""

    place: Callable[[Term], Term]
    rank: Callable[[Term], int]
    opens: Callable[[Term], bool]

    def name(self, term: Term) -> int:
        """The name of a leaf."""
        return self.place(term).id


class Window(Struct, frozen=True):
    """The roots of both sides, and the operators of each that are inside, by id; all other terms are leaves."""

    roots: tuple[Term, Term]
    inside: tuple[frozenset[int], frozenset[int]]
    place: Callable[[Term], Term]

    def shape(self) -> Shape:
        """The window without flags, and without the names of its leaves."""
        rows: list[tuple[object, ...]] = []
        leaves: dict[int, int] = {}
        ends: list[int] = []
        for side in (0, 1):
            numbers: dict[int, int] = {}
            for term in self.nodes(side):
                if term.id in self.inside[side]:
                    numbers[term.id] = len(rows)
                    row = (term.op, without_flags(term.attrs), term.type, *[numbers[a.id] for a in term.args])
                    rows.append(row)
                    continue
                place = self.place(term)
                number = numbers[term.id] = leaves.setdefault(place.id, len(rows))
                if number == len(rows):
                    rows.append(("const", place.attrs, term.type) if place.op == "const" else ("leaf", (), term.type))
            ends.append(numbers[self.roots[side].id])
        return (*rows, tuple(ends))

    def nodes(self, side: int) -> Iterator[Term]:
        """Leaves and operators of one side, operands before users."""
        inside = self.inside[side]
        seen: set[int] = set()
        stack = [(self.roots[side], False)]
        while stack:
            term, ready = stack.pop()
            if ready:
                yield term
            elif term.id not in seen:
                seen.add(term.id)
                stack.append((term, True))
                if term.id in inside:
                    stack.extend((a, False) for a in reversed(term.args))


def terms_of_shape(pool: TermPool, shape: Shape) -> tuple[Term, Term]:
    """The two terms of a shape, over `leaf` terms that are not poison."""
    made: list[Term] = []
    for number, row in enumerate(shape[:-1]):
        op, attrs, type_, *args = row
        if op == "leaf":
            attrs = (("number", number), ("proper", True))
        operands = tuple(made[k] for k in args)  # type: ignore[index]
        made.append(pool.make(op, operands, type_, attrs))  # type: ignore[arg-type]
    first, second = shape[-1]
    return made[first], made[second]  # type: ignore[index]


def windows(source: Term, target: Term, view: View, most: int = MOST_NODES) -> Iterator[Window]:
    """Windows of two terms with at most about `most` operators, each larger than the one before.

    A window grows at the leaf of the highest rank that only one side has; when there is none, at those that both have.
    """
    grown = _Growth((source, target), view, most)
    for _ in range(ROUNDS):
        if not grown.match():
            return
        first, second = grown.inside
        yield Window((source, target), (frozenset(first), frozenset(second)), view.place)
        if not grown.deepen():
            return


class _Growth:
    def __init__(self, roots: tuple[Term, Term], view: View, most: int) -> None:
        self._view = view
        self._most = most
        self.inside: tuple[set[int], set[int]] = set(), set()
        self._leaves: tuple[dict[int, list[Term]], dict[int, list[Term]]] = {}, {}
        self._ranks: tuple[dict[int, int], dict[int, int]] = {}, {}
        """Of the leaves that open, by name."""
        for side in (0, 1):
            # The roots have one name if they are known to be equal, which here is the question.
            self._add(side, -1, roots[side])

    def match(self) -> bool:
        """Expands leaves that only one side has, and those that have such a leaf as an operand, until there are none;
        False if that is too large."""
        mine, theirs = self._leaves
        while True:
            lone = {k: r for k, r in self._ranks[0].items() if k not in theirs or k < 0}
            lone |= {k: r for k, r in self._ranks[1].items() if k not in mine or k < 0}
            if not lone:
                return True
            if self._size() >= self._most or len(lone) > MOST_LONE:
                return False
            last = max(lone, key=lone.__getitem__)
            ranks = self._ranks[0] | self._ranks[1]
            above = [k for k, r in ranks.items() if r > lone[last] and k not in lone and self._is_above(k, lone)]
            self._open(max(above, key=ranks.__getitem__) if above else last)

    def _is_above(self, name: int, lone: dict[int, int]) -> bool:
        """Whether a leaf of both sides has an operand that is a leaf of one."""
        terms = (*self._leaves[0].get(name, ()), *self._leaves[1].get(name, ()))
        return any(self._view.name(a) in lone for t in terms for a in t.args)

    def deepen(self) -> bool:
        """Expands leaves that both sides have; False if there are none.

        First those whose operands are in the window already, since that shows how they are related; if there are none,
        all.
        """
        mine = self._leaves[0]
        both = [k for k in self._ranks[0] if k in self._ranks[1]]
        near = [k for k in both if any(a.args and self._view.name(a) in mine for t in mine[k] for a in t.args)]
        if self._size() + 2 * len(near or both) > self._most:
            return False
        for k in near or both:
            self._open(k)
        return bool(both)

    def _size(self) -> int:
        return len(self.inside[0]) + len(self.inside[1])

    def _add(self, side: int, name: int, term: Term) -> None:
        """Makes a term a leaf of a side."""
        found = self._leaves[side].setdefault(name, [])
        if term in found:
            return
        found.append(term)
        ranks = self._ranks[side]
        if not self._view.opens(term):
            ranks.pop(name, None)
        elif len(found) == 1 or name in ranks:
            ranks[name] = max(ranks.get(name, 0), self._view.rank(term))

    def _open(self, name: int) -> None:
        """Opens a leaf on the sides that have it, each as its own program says."""
        for side in (0, 1):
            if name not in self._ranks[side]:
                continue
            del self._ranks[side][name]
            inside = self.inside[side]
            for term in self._leaves[side].pop(name):
                inside.add(term.id)
                for a in term.args:
                    if a.id not in inside:
                        self._add(side, self._view.name(a), a)
