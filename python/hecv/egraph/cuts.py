"""Cuts: windows of a term of the target down to what the source has, and of a term of the source down to the same.

The quick case of `hecv.egraph.windows`, in one walk over each side: what the target has alone is opened, and of the
source what stands between the term and those leaves. A leaf that only one side has is left as it is: a window holds
for all values of its leaves, so that makes it harder to prove and never wrong.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any, Final

from hecv.base.term import Term, TermPool
from hecv.egraph.kinds import Kind, Kinds
from hecv.egraph.windows import Window

MOST_NODES: Final = 24
"""So many operators of a side are opened."""

REACH: Final = 3
"""So far below a term of the source are leaves of the target looked for."""

LEAF, LITERAL = -1, -2
"""Heads of rows that are no operators."""

Row = tuple[Any, ...]
"""The number of a kind and the rows of the operands; of a leaf its type, of a literal its value, too."""

Shape = tuple[Row, ...]
"""Rows with the number of a kind and the rows of the operands, leaves and literals with their type, and the last with
the two roots."""


class Cut:
    """The window of one term of the target, against any of the source."""

    def __init__(
        self,
        term: Term,
        became: Mapping[int, Term],
        fresh: Container[int],
        kinds: Kinds,
        kind_of: Mapping[int, Kind],
        depth: int = 1,
        given: bool = False,
    ) -> None:
        """`fresh` is what the target has alone; all else is opened to the given `depth`."""
        self._became: Final = became
        self._fresh: Final = fresh
        self._kinds: Final = kinds
        self._kind_of: Final = kind_of
        self._rows: list[Row] = []
        self.leaves: dict[int, int] = {}
        """Leaves of the target, literals aside, by what took their place."""
        self._numbers: dict[int, int] = {}
        self._given = given
        self._opened: dict[int, int] = {}
        self._size = 0
        self._room = 0
        self.places: dict[int, Term] = {}
        """What stands for the rows of the latest shape that are leaves, and for others."""
        self._end = self._target(term, depth)

    def shape(self, source: Term) -> Shape:
        """The window with a term of the source."""
        rows, numbers = list(self._rows), dict(self._numbers)
        self._room = MOST_NODES
        start = self._source(source, rows, numbers, True)
        return (*rows, (start, self._end))

    def _target(self, root: Term, depth: int) -> int:
        became, numbers, rows, opened = self._became, self._numbers, self._rows, self._opened
        self._size += 1
        args: list[int] = []
        for a in root.args:
            place = became[a.id]
            number = opened.get(a.id) or numbers.get(place.id)
            if number is None:
                room = self._size < MOST_NODES
                if place.id in self._fresh:
                    opens, spent = room and self._opens(place), 0
                    inner = place
                else:
                    collapsed = self._given and self.collapsed(a, place)
                    opens = room and (collapsed or depth > 1) and self._opens(a)
                    inner, spent = a, 0 if collapsed else 1
                if opens:
                    number = self._target(inner, depth - spent)
                    (numbers if inner is place else opened)[inner.id] = number
                else:
                    number = numbers[place.id] = self._leaf(place, rows)
                    if place.op != "const":
                        self.leaves[place.id] = number
            args.append(number)
        rows.append((self._kind(root).number, *args))
        return len(rows) - 1

    def is_leaf(self, leaf: int) -> Shape:
        """The window with one of its own leaves."""
        return (*self._rows, (self.leaves[leaf], self._end))

    def literal(self, constant: Term) -> Shape:
        """The window with a literal."""
        rows = list(self._rows)
        start = self._leaf(constant, rows)
        return (*rows, (start, self._end))

    def _source(self, term: Term, rows: list[Row], numbers: dict[int, int], root: bool) -> int:
        place = self._became[term.id]
        collapsed = self._given and self.collapsed(term, place)
        number = None if root and collapsed else numbers.get(place.id)
        if number is not None:
            return number
        inner = term if self._given else place
        if self._opens(inner) and (root or (self._room > 0 and self._reaches(inner, REACH))):
            self._room -= 1
            args = [self._source(a, rows, numbers, False) for a in inner.args]
            rows.append((self._kind(inner).number, *args))
            number = len(rows) - 1
        else:
            number = self._leaf(place, rows)
        numbers[place.id] = number
        return number

    def collapsed(self, term: Term, place: Term) -> bool:
        """Whether a term is one of its operands or a literal, for reasons that may not be seen from above."""
        if not term.args or place is term:
            return False
        became = self._became
        return place.op == "const" or any(
            became[b.id] is place for a in term.args for b in (a, *a.args) if b.id in became
        )

    def _reaches(self, term: Term, depth: int) -> bool:
        """Whether a leaf of the target stands near below a term."""
        became, leaves = self._became, self.leaves
        for a in term.args:
            if became[a.id].id in leaves:
                return True
        return depth > 1 and any(self._reaches(became[a.id], depth - 1) for a in term.args)

    def _leaf(self, place: Term, rows: list[Row]) -> int:
        kind = self._kinds.type_number(place.type)
        self.places[len(rows)] = place
        rows.append((LITERAL, kind, place.attrs[0][1]) if place.op == "const" else (LEAF, kind))
        return len(rows) - 1

    def _opens(self, term: Term) -> bool:
        return bool(term.args) and not self._kind(term).opaque

    def _kind(self, term: Term) -> Kind:
        kind = self._kind_of.get(term.id)
        if kind is None:
            kind = self._kinds.of(term, [self._became[a.id] for a in term.args])
        return kind


def general(shape: Shape) -> Shape:
    """The shape with literals as leaves: what holds of it holds of any literals."""
    return tuple([(LEAF, row[1]) if row[0] == LITERAL else row for row in shape])


def terms_of_shape(pool: TermPool, kinds: Kinds, shape: Shape) -> tuple[Term, Term]:
    """The two terms of a shape, over `leaf` terms that are not poison."""
    made: list[Term] = []
    for number, row in enumerate(shape[:-1]):
        if row[0] == LEAF:
            term = pool.make("leaf", (), kinds.type(row[1]), (("number", number), ("proper", True)))
        elif row[0] == LITERAL:
            term = pool.make("const", (), kinds.type(row[1]), (("value", row[2]),))
        else:
            kind = kinds.known[row[0]]
            term = pool.make(kind.op, tuple([made[k] for k in row[1:]]), kind.type, kind.attrs)
        made.append(term)
    first, second = shape[-1]
    return made[first], made[second]


def shape_of(window: Window, became: Mapping[int, Term], kinds: Kinds, named: dict[int, Term] | None = None) -> Shape:
    """A window of `hecv.egraph.windows` as a shape; `named` takes what stands for the leaves, by row."""
    rows: list[Row] = []
    leaves: dict[int, int] = {}
    ends: list[int] = []
    for side in (0, 1):
        numbers: dict[int, int] = {}
        for term in window.nodes(side):
            if term.id in window.inside[side]:
                numbers[term.id] = len(rows)
                kind = kinds.of(term, [became.get(a.id, a) for a in term.args])
                rows.append((kind.number, *[numbers[a.id] for a in term.args]))
                continue
            place = became.get(term.id, term)
            number = numbers[term.id] = leaves.setdefault(place.id, len(rows))
            if number == len(rows):
                tag = kinds.type_number(place.type)
                rows.append((LITERAL, tag, place.attrs[0][1]) if place.op == "const" else (LEAF, tag))
                if named is not None:
                    named[number] = place
        ends.append(numbers[window.roots[side].id])
    return (*rows, (ends[0], ends[1]))
