"""Schedules as isl text: when each instance of a part runs, and with which values.

The texts are over parameters: arguments, extents, the variables of enclosing loops, and values that isl cannot read and
that stay the same while the schedules run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from hecv.base.term import Term, TermPool, literal, postorder, rebuild
from hecv.base.types import IndexType, IntType
from hecv.dataflow.model.isl_translation import NotAffine, Parameters, Quasi, Translator
from hecv.program.index import quasi_affine
from hecv.program.index.exact_integers import signed
from hecv.program.tree import Loop
from hecv.theorems.schedules.schedule_tree import Copy, For, Schedule, depth_of, step_of
from hecv.theorems.schedules.theorem_instance import Branch, Surroundings

OPAQUE = 1 << 40
"""The number of the first parameter that stands for a value isl cannot read; larger than any argument's number."""


class Run(Struct, frozen=True):
    """One leaf of a schedule, or several in arithmetic progression: isl texts of time, values and constraints."""

    part: int
    dims: tuple[str, ...]
    time: tuple[str, ...]
    values: tuple[str, ...]
    constraints: tuple[str, ...]


class Reading(Struct):
    """A schedule in isl: its runs, when loops over `iN` wrap, the values that isl cannot read (in a header that is
    always evaluated, or below), and the parts of which a value is a sum over `iN`."""

    runs: list[Run]
    wraps: list[tuple[tuple[str, ...], tuple[str, ...]]]
    top: set[Term]
    below: set[Term]
    sums: set[int]


class Reader:
    """Translates schedules at one place to isl."""

    def __init__(self, pool: TermPool, around: Surroundings) -> None:
        self._pool = pool
        self._depth = around.depth
        self.parameters = Parameters()
        self.opaque: dict[Term, Term] = {}
        self._free: dict[int, Quasi] = {}
        self.given = list(self._given(around))

    def _given(self, around: Surroundings) -> Iterator[str]:
        """What the surroundings say, as far as isl can hold it and memory cannot change it."""
        translator = Translator(self.parameters, self._free)
        for term in around.assumptions:
            yield translator.condition(term)
        for item in around.known:
            match item:
                case Loop():
                    yield from self._range(item)
                case Branch(condition=condition, holds=holds):
                    yield from self._try(lambda c=condition, h=holds: [self.condition(c, h)])

    def _range(self, loop: Loop) -> Iterator[str]:
        step = step_of(loop)
        self.free(loop.iv)
        value = self._free[depth_of(loop.iv)].text
        if loop.unsigned or step is None:
            return
        for bound in loop.uppers:
            yield from self._try(lambda b=bound: [f"{value} < {self._steady(b)}"])
        for bound in loop.lowers:
            yield from self._try(lambda b=bound: [f"{self._steady(b)} <= {value}"])
        if len(loop.lowers) == 1 and step > 1:
            yield from self._try(lambda: [f"({value} - ({self._steady(loop.lowers[0])})) mod {step} = 0"])

    def _try(self, texts: Callable[[], list[str]]) -> list[str]:
        try:
            return texts()
        except NotAffine:
            return []

    def _steady(self, term: Term) -> str:
        """The text of a term that means the same now as when the enclosing loop was entered."""
        if not quasi_affine.is_proper(term):
            raise NotAffine("a value that may have changed since")
        return self.text(term, {})

    def condition(self, term: Term, holds: bool) -> str:
        """The isl constraint that the i1 term equals `holds`, at any time.

        Raises: NotAffine.
        """
        if any(t.op in ("load", "read") for t in postorder((term,))):
            raise NotAffine("a value that may have changed since")
        for node in postorder((term,)):
            if node.op == "iv":
                self.free(node)
        return Translator(self.parameters, self._free).condition(term, holds)

    def free(self, iv: Term) -> None:
        """Declares the variable of an enclosing loop.

        Raises: NotAffine if it had another type before: an equality of blocks by themselves holds inside any loops,
            where these are two variables.
        """
        depth = depth_of(iv)
        if depth in self._free and iv not in self.parameters.names:
            raise NotAffine("a loop's variable of another type")
        if depth not in self._free:
            self.parameters.names[iv] = f"v{depth}"
            self._free[depth] = Quasi(f"v{depth}", False, True)

    def text(self, term: Term, own: dict[int, Quasi], found: set[Term] | None = None) -> str:
        """The isl text of a bound or value; what isl cannot read in it is added to `found`.

        Raises: NotAffine if that depends on a variable in `own`.
        """
        readable = rebuild(self._pool, term, lambda t: self._leaf(t, own, found), {})
        return Translator(self.parameters, {**self._free, **own}).index(readable).text

    def value(self, term: Term, own: dict[int, Quasi], found: set[Term]) -> str:
        """The isl text of a value that a part's variable takes; a sum over `iN` is read as exact.

        Sound if `same-iterations` and `in-type` hold: the exact sum is then a value of the other schedule, which has no
        such sums, hence in range of the type; and a sum modulo `2**N` equals the exact one if that is in range. Not so
        for a bound.
        """
        by = _added(term)
        if by is not None:
            return f"({self.value(term.args[0], own, found)} + {by})"
        return self.text(term, own, found)

    def _leaf(self, term: Term, own: dict[int, Quasi], found: set[Term] | None) -> Term | None:
        """None where isl reads the operator itself, a leaf as it is, else a parameter that stands for the term."""
        if term.op == "iv" and depth_of(term) not in own:
            self.free(term)
        if term.op in ("const", "arg", "dim", "iv"):
            return term
        if term.op in ("affine.linear", "affine.floordiv", "affine.max", "affine.min"):
            return None
        if term.op == "arith.index_cast" and term.args[0].op in ("iv", "arg"):
            return None
        if any(t.op == "read" or (t.op == "iv" and depth_of(t) in own) for t in postorder((term,))):
            raise NotAffine("a bound that changes within the nest")
        if found is not None:
            found.add(term)
        number = OPAQUE + len(self.opaque)
        return self.opaque.setdefault(term, self._pool.argument(number, term.type))

    def schedule(self, items: tuple[Schedule, ...]) -> Reading:
        """The runs of a schedule.

        Raises: NotAffine.
        """
        reading = Reading([], [], set(), set(), set())
        self._items(items, (), (), (), {}, reading)
        return reading

    def _items(
        self,
        items: tuple[Schedule, ...],
        dims: tuple[str, ...],
        time: tuple[str, ...],
        constraints: tuple[str, ...],
        own: dict[int, Quasi],
        reading: Reading,
    ) -> None:
        at = 0
        while at < len(items):
            item = items[at]
            if isinstance(item, For):
                self._for(item, dims, (*time, str(at)), constraints, own, reading)
                at += 1
                continue
            count, deltas = progression(items, at)
            first = [self.value(v, own, reading.below) for v in item.values]
            if any(_added(v) is not None for c in items[at : at + count] if isinstance(c, Copy) for v in c.values):
                reading.sums.add(item.part)
            if count == 1:
                reading.runs.append(Run(item.part, dims, (*time, str(at)), tuple(first), constraints))
            else:
                values = tuple(f"({v} + {d}*(p - {at}))" for v, d in zip(first, deltas, strict=True))
                within = (*constraints, f"{at} <= p < {at + count}")
                reading.runs.append(Run(item.part, (*dims, "p"), (*time, "p"), values, within))
            at += count

    def _for(
        self,
        item: For,
        dims: tuple[str, ...],
        time: tuple[str, ...],
        constraints: tuple[str, ...],
        own: dict[int, Quasi],
        reading: Reading,
    ) -> None:
        level = len(dims)
        dim = f"e{level}"
        found = reading.below if level else reading.top
        lowers = [self.text(t, own, found) for t in item.lowers]
        uppers = [self.text(t, own, found) for t in item.uppers]
        inside = [*constraints, *(f"{dim} < {u}" for u in uppers), *(f"{low} <= {dim}" for low in lowers)]
        if item.step > 1:
            inside.append(strided(dim, lowers, item.step))
        if isinstance(item.type, IntType):
            top = (1 << (item.type.width - 1)) - 1
            reading.wraps.append(((*dims, dim), (*inside, f"{dim} + {item.step} > {top}")))
        inner = {**own, self._depth + level: Quasi(dim, False, False)}
        self._items(item.body, (*dims, dim), (*time, dim), tuple(inside), inner, reading)


def _added(term: Term) -> int | None:
    """The literal that a value over `iN` is a sum with; None where it is no such sum."""
    if not isinstance(term.type, IntType) or term.op != "arith.addi":
        return None
    by = literal(term.args[1])
    return signed(by, term.type.width) if isinstance(by, int) else None


def strided(dim: str, lowers: list[str], step: int) -> str:
    """The constraint that `dim` is congruent to the greatest of `lowers` modulo `step`."""
    cases = [
        " and ".join([f"({dim} - ({low})) mod {step} = 0", *(f"{low} >= {other}" for other in lowers if other != low)])
        for low in lowers
    ]
    return "(" + " or ".join(f"({c})" for c in cases) + ")"


def progression(items: Sequence[Schedule], at: int) -> tuple[int, tuple[int, ...]]:
    """How many copies of one part from `at` on are in arithmetic progression, and the difference of each value."""
    first = items[at]
    assert isinstance(first, Copy)
    count, deltas = 1, ()
    while at + count < len(items):
        copy = items[at + count]
        if not isinstance(copy, Copy) or copy.part != first.part:
            break
        moves = [_distance(a, b) for a, b in zip(first.values, copy.values, strict=True)]
        if any(m is None for m in moves):
            break
        exact = tuple(m for m in moves if m is not None)
        deltas = exact if count == 1 else deltas
        if exact != tuple(d * count for d in deltas):
            break
        count += 1
    return count, deltas


def _distance(first: Term, second: Term) -> int | None:
    """`second - first` where it is a constant."""
    if first is second:
        return 0
    if not isinstance(first.type, IndexType):
        return None
    a, b = quasi_affine.linear(first), quasi_affine.linear(second)
    return b.constant - a.constant if a.terms == b.terms else None
