"""Cuts: windows of a term of the target and one of the source, small enough to be proved by themselves.

A fast variant of `hecv.sweep.cuts.term_windows`: one walk over each side. The target's term is expanded down to leaves
that both sides have, the source's as far as it then reaches them. A leaf that only one side has is left as it is: a
window holds for all values of its leaves, so that makes it harder to prove and never wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Mapping
from typing import Any, Final

from msgspec import Struct, field

from hecv.base.term import Term, TermPool
from hecv.sweep.cuts.operator_kinds import Kind, Kinds
from hecv.sweep.cuts.term_windows import Window

MOST_NODES: Final = 16
"""The most operators of a side that are expanded."""

DEPTH: Final = 3
"""The depth to which terms that the source has, too, are expanded."""

REACH: Final = 3
"""The depth below a term of the source at which leaves of the target are searched."""

EXTENSIONS: Final = frozenset({"arith.extui", "arith.extsi"})
MASKS: Final = frozenset({"arith.andi", "arith.ori", "arith.shrui", "arith.shrsi", "arith.shli", "arith.remui"})
"""Operators that do not have all values of their type; those in `MASKS` if one operand is a literal."""

LEAF, LITERAL = -1, -2
"""Heads of rows that are no operators."""

Row = tuple[Any, ...]
"""The number of a kind and the rows of the operands; for a leaf its type, for a literal also its value."""

Shape = tuple[Row, ...]
"""A window without names: rows, of which the last has the two roots."""


class Program(Struct, frozen=True):
    """The context of cuts: the representatives (`became`), those that only the target has (`fresh`), and the kinds."""

    became: Mapping[int, Term]
    fresh: Container[int]
    kinds: Kinds
    found: Mapping[int, Kind]
    kind_of: Callable[[Term], Kind]
    leaves: dict[int, Row] = field(default_factory=dict[int, "Row"])
    """The rows of leaves and literals."""

    def opens(self, term: Term) -> bool:
        """Whether cuts may expand a term."""
        return bool(term.args) and not (self.found.get(term.id) or self.kind_of(term)).opaque

    def leaf(self, place: Term) -> Row:
        """The row of a leaf or literal."""
        row = self.leaves.get(place.id)
        if row is None:
            kind = self.kinds.type_number(place.type)
            row = self.leaves[place.id] = (LITERAL, kind, place.attrs[0][1]) if place.op == "const" else (LEAF, kind)
        return row


def is_narrow(term: Term) -> bool:
    """Whether an operator cannot have all values of its type, for any operands."""
    return term.op in EXTENSIONS or (term.op in MASKS and any(a.op == "const" for a in term.args))


class Cut:
    """The window of one term of the target, to be compared with any term of the source."""

    __slots__ = (
        *("_end", "_goals", "_left", "_narrow", "_numbers", "_opened", "_program", "_rows", "_simplified", "_through"),
        *("leaves", "narrowed", "places", "replaced", "whole"),
    )

    def __init__(
        self,
        term: Term,
        program: Program,
        goals: Collection[int] | None = None,
        depth: int = DEPTH,
        through: Container[int] = (),
        narrow: bool = False,
        simplified: bool = False,
    ) -> None:
        """With `goals` all is opened as the target has it but for what became one of these and literals, to the given
        `depth` where the source has it, too; without, what the target has alone. What is in `through` is opened
        whatever became of it; with `narrow`, leaves that cannot have all values are. What is opened because of `goals`
        is, if `simplified`, what took a term's place."""
        self._narrow: Final = narrow
        self._simplified: Final = simplified
        self.narrowed = False
        """Whether there were any."""
        self.replaced = False
        """Whether what took a term's place was opened, and was something else."""
        self._program: Final = program
        self._rows: list[Row] = []
        self.leaves: dict[int, int] = {}
        """Leaves of the target, literals aside, by what took their place."""
        self._numbers: dict[int, int] = {}
        self._goals: Final = goals
        self._through: Final = through
        self._opened: dict[int, int] = {}
        self._left = MOST_NODES
        self.places: dict[int, Term] = {}
        """What stands for the rows of the latest shape, and for others."""
        self._end = self._target(term, depth)
        self.whole: Final = self._left > 0
        """Whether nothing was left closed for want of room: a smaller cut has more values."""

    def shape(self, source: Term, depth: int = 1) -> Shape:
        """The window with a term of the source, which is expanded at least to `depth`."""
        rows, numbers = list(self._rows), dict(self._numbers)
        self._left = MOST_NODES
        start = self._source(source, rows, numbers, depth)
        return (*rows, (start, self._end))

    def _target(self, root: Term, depth: int) -> int:
        # Most of a sweep is spent here: lookups stand in line.
        numbers, rows, program, goals, opened = self._numbers, self._rows, self._program, self._goals, self._opened
        became, fresh, through, found, places = program.became, program.fresh, self._through, program.found, self.places
        self._left -= 1
        row = [(found.get(root.id) or program.kind_of(root)).number]
        for a in root.args:
            place = became[a.id]
            name = place.id
            number = (opened.get(a.id) if opened else None) or numbers.get(name)
            if through and a.id in through and a.id not in opened and self._left > 0:
                number = opened[a.id] = self._target(a, depth)
            if number is None:
                if goals is None:
                    opens, inner = name in fresh, place
                else:
                    opens = depth > 1 and place.op != "const" and name not in goals
                    inner = place if self._simplified else a
                if (
                    opens
                    and self._left > 0
                    and inner.args
                    and not (found.get(inner.id) or program.kind_of(inner)).opaque
                ):
                    self.replaced |= inner is not a
                    number = self._target(inner, depth - (name not in fresh))
                elif self._narrow and self._left > 0 and is_narrow(place) and program.opens(place):
                    self.narrowed = True
                    number = self._target(place, 1)
                else:
                    number = len(rows)
                    places[number] = place
                    rows.append(program.leaves.get(name) or program.leaf(place))
                    if place.op != "const":
                        self.leaves[name] = number
                numbers[name] = number
            row.append(number)
        places[len(rows)] = root
        rows.append(tuple(row))
        return len(rows) - 1

    def is_leaf(self, leaf: int) -> Shape:
        """The window with one of its own leaves as the other side."""
        return (*self._rows, (self.leaves[leaf], self._end))

    def literal(self, constant: Term) -> Shape:
        """The window with a literal as the other side."""
        rows = list(self._rows)
        start = self._leaf(constant, rows)
        return (*rows, (start, self._end))

    def _source(self, term: Term, rows: list[Row], numbers: dict[int, int], depth: int) -> int:
        program = self._program
        place = program.became[term.id]
        given = (depth > 0 and term.args) or (self._left > 0 and term.id in self._through)
        number = None if given else numbers.get(place.id)
        if number is not None:
            return number
        if given:
            inner = term if program.opens(term) else None
        else:
            inner = self._reaching(term, place) if self._left > 0 and place.op != "const" else None
        if inner is None:
            number = self._leaf(place, rows)
        else:
            self._left -= 1
            row = [(program.found.get(inner.id) or program.kind_of(inner)).number]
            for a in inner.args:
                row.append(self._source(a, rows, numbers, depth - 1))
            number = len(rows)
            self.places[number] = inner
            rows.append(tuple(row))
        numbers[place.id] = number
        return number

    def _reaching(self, term: Term, place: Term) -> Term | None:
        """The term, or what took its place, where it opens and a leaf of the target stands near below."""
        program = self._program
        if program.opens(term) and self._reaches(term):
            return term
        return place if term is not place and program.opens(place) and self._reaches(place) else None

    def _reaches(self, term: Term) -> bool:
        became, leaves = self._program.became, self.leaves
        level = term.args
        for left in range(REACH, 0, -1):
            for a in level:
                if became[a.id].id in leaves:
                    return True
            level = [b for a in level for b in a.args] if left > 1 else ()
        return False

    def _leaf(self, place: Term, rows: list[Row]) -> int:
        number = len(rows)
        self.places[number] = place
        rows.append(self._program.leaves.get(place.id) or self._program.leaf(place))
        return number


def general(shape: Shape) -> Shape:
    """The shape with literals generalised to leaves: what holds of it holds of any literals."""
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
    """A window of `hecv.sweep.cuts.term_windows` as a shape; `named` collects the terms of its rows."""
    rows: list[Row] = []
    leaves: dict[int, int] = {}
    ends: list[int] = []
    for side in (0, 1):
        numbers: dict[int, int] = {}
        for term in window.nodes(side):
            if term.id in window.inside[side]:
                numbers[term.id] = len(rows)
                kind = kinds.of(term, [became.get(a.id, a) for a in term.args])
                if named is not None:
                    named[len(rows)] = term
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
