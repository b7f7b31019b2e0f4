"""Inputs aimed at a difference that shows on few: where a term of the target looks like one of the source, and is not
shown to be, Z3 is asked for what they differ on.

The first such terms come first: little is below them, and what differs there goes through the rest as any value does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final

from hecv.base.term import Term, literal, postorder
from hecv.base.value import Buffer, Scalar, Value
from hecv.execute.evaluate import Evaluator
from hecv.execute.interpreter import number_of
from hecv.graph.tree import Block, Function, If, Load, Loop, While
from hecv.verdict.overlap import changed

Became = Callable[[Term], Term]

SECONDS: Final = 6.0
MILLISECONDS: Final = 500
"""For one question, as `hecv.smt.prove` counts."""

MOST_PAIRS: Final = 40
ALIKE: Final = 2
"""So many terms of the source that look like one of the target are asked about."""

LARGEST: Final = 4000
"""Of terms with more below them Z3 is not asked."""


def suspects(orders: tuple[Sequence[Term], Sequence[Term]], became: Became, width: int) -> Iterator[tuple[Term, Term]]:
    """Terms of the source and of the target with the same fingerprint that are not known to be equal, in the order of
    the target; `became` says what took the place of a term.

    Requires: operands come before users.
    """
    # Most checks need no fingerprints.
    from hecv.egraph.fingerprints import Fingerprints

    source, target = orders
    prints = Fingerprints(width)
    known = {became(t).id for t in source}
    alike: dict[object, list[Term]] = {}
    for term in source:
        alike.setdefault((term.type, prints.of(term)), []).append(term)
    for term in target:
        found = alike.get((term.type, prints.of(term)), ())
        if term.args and became(term).id not in known:
            yield from ((other, term) for other in found[-ALIKE:])


def models(
    orders: tuple[Sequence[Term], Sequence[Term]], became: Became, width: int
) -> Iterator[dict[Term, Scalar] | None]:
    """Values of leaves for which suspects differ, None for a pair of which Z3 knows none."""
    from hecv.smt.difference import differing

    for first, second in islice(suspects(orders, became, width), MOST_PAIRS):
        few = len(postorder((first, second))) <= LARGEST
        yield differing(first, second, width, MILLISECONDS) if few else None


class Aim:
    """Puts the values of leaves where a function reads them: in its arguments, and in the elements that its loads read
    in the first iteration of the loops around them."""

    def __init__(self, function: Function, index_width: int) -> None:
        self._function: Final = function
        self._apply: Final = Evaluator(index_width)
        self._loads: Final[dict[int, tuple[Load, tuple[Loop, ...]]]] = {}
        self._enter(function.body, ())

    def _enter(self, block: Block, around: tuple[Loop, ...]) -> None:
        for s in block:
            match s:
                case Load():
                    self._loads[s.id] = s, around
                case Loop():
                    self._enter(s.body, (*around, s))
                case If():
                    self._enter((*s.then, *s.otherwise), around)
                case While():
                    self._enter((*s.before, *s.after), around)
                case _:
                    pass

    def arguments(self, given: tuple[Value, ...], leaves: Mapping[Term, Scalar]) -> tuple[Value, ...]:
        """`given` with these values in place of what is there, as far as leaves are inputs."""
        numbers = {a.number: n for n, a in enumerate(self._function.inputs()) if a.memory is None}
        found = list(given)
        for leaf, value in leaves.items():
            if leaf.op == "arg":
                found[numbers[number_of(leaf, "number")]] = value
        known = {a.term: v for a, v in zip(self._function.inputs(), found, strict=True) if a.term is not None}
        made = tuple(found)
        for leaf, value in leaves.items():
            if leaf.op == "read":
                made = self._with_element(made, number_of(leaf, "load"), {**known, **leaves}, value)
        return made

    def _with_element(
        self, given: tuple[Value, ...], load: int, known: Mapping[Term, Value], value: Scalar
    ) -> tuple[Value, ...]:
        """`given` with `value` where a load reads; as they are where that is no element of an input, or not known."""
        s, around = self._loads[load]
        inputs = self._function.inputs()
        number = next((n for n, a in enumerate(inputs) if a.memory is not None and a.memory.id == s.memory.id), None)
        if number is None:
            return given
        buffer, values = given[number], dict(known)
        assert isinstance(buffer, Buffer)
        for loop in around:
            lowers = [self._value(t, values) for t in loop.lowers]
            if loop.iv not in values and all(isinstance(v, int) for v in lowers):
                values[loop.iv] = max(v for v in lowers if isinstance(v, int))
        position = 0
        for index, extent in zip(s.indices, buffer.shape, strict=True):
            at = self._value(index, values)
            if not isinstance(at, int) or not 0 <= at < extent:
                return given
            position = position * extent + at
        data = [*buffer.data[:position], value, *buffer.data[position + 1 :]]
        return changed(given, number, Buffer(buffer.shape, data))

    def _value(self, root: Term, known: Mapping[Term, Value]) -> Value | None:
        """The value of a term; None where a leaf is not known, or it is undefined."""
        values: dict[int, Scalar] = {}
        for term in postorder((root,)):
            found = known.get(term, literal(term))
            if found is None and term.args and all(a.id in values for a in term.args):
                found = self._apply(term, tuple(values[a.id] for a in term.args))
            if found is None or isinstance(found, Buffer):
                return None
            values[term.id] = found
        return values[root.id]
