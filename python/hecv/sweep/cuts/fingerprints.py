"""Fingerprints: the values of terms on a few assignments of their leaves (EMERGE 3.2).

They propose which terms may be equal, and prove nothing. Values are total and ignore flags, as in the e-graph.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from random import Random
from typing import Final

from hecv.base.diagnostics import Unsupported
from hecv.base.term import Term, TermPool, literal
from hecv.base.types import FloatType, IndexType, IntType, OpaqueType, ScalarType
from hecv.base.value import Scalar
from hecv.ops import OPERATORS
from hecv.ops.facts.poison_conditions import without_flags
from hecv.run.evaluation.op_templates import Patterns
from hecv.run.evaluation.python_expressions import NAMESPACE, LeftOpen
from hecv.run.evaluation.softfloat import SMALL

SAMPLES: Final = 32
EDGES: Final = 12
"""The number of samples that are small numbers or ends of the range, where comparisons and shifts change."""

MODEST: Final = 16.0
NUMBERS: Final = {n: [v for v in small.values if abs(v) <= MODEST] for n, small in SMALL.items()}
"""Numbers of the 8-bit formats, of moderate size, so that most sums and products are numbers."""

Fingerprint = tuple[Scalar, ...]
Column = Callable[..., list[Scalar]]


class Fingerprints:
    """The fingerprints of the terms of one pool; each operator is compiled once, for all samples."""

    def __init__(self, index_width: int = 64, samples: int = SAMPLES, edges: int = EDGES) -> None:
        self._samples: Final = samples
        self._edges: Final = edges
        self._width: Final = index_width
        self._columns: dict[tuple[object, ...], Column | None] = {}
        self._known: dict[int, Fingerprint] = {}

    def of(self, term: Term) -> Fingerprint:
        """The fingerprint of `term`.

        Requires: those of its operands were asked for before.
        """
        found = self._known.get(term.id)
        if found is None:
            found = self._known[term.id] = self._values(term)
        return found

    def _values(self, term: Term) -> Fingerprint:
        value = literal(term)
        if value is not None:
            return (value,) * self._samples
        args = term.args
        key = (term.op, term.attrs, term.type, *[a.type for a in args])
        column = self._columns.get(key)
        if column is None and key not in self._columns:
            column = self._columns[key] = compile_column(term, self._width)
        if column is None:
            return self.drawn(term)
        try:
            return tuple(column(*[self._known[a.id] for a in args]))
        except LeftOpen:
            return self.drawn(term)

    def drawn(self, term: Term) -> Fingerprint:
        """Random values for a term without known semantics; the same ones for the same term."""
        return _drawn(term.op, term.id, term.type, self._width, self._samples, self._edges)


@lru_cache(maxsize=1024)
def _drawn(op: str, number: int, kind: ScalarType, width: int, samples: int, edges: int) -> Fingerprint:
    """The values of a term with this number: functions that are read one after the other begin with the same."""
    random = Random(f"{op} {number}")
    return tuple([draw(kind, width, k < edges, k % 4 == 3, random) for k in range(samples)])


def compile_column(term: Term, index_width: int) -> Column | None:
    """The operator at the root of `term`, without flags, on lists of values; None if it cannot be run."""
    operator = OPERATORS.get(term.op)
    if operator is None or operator.uninterpreted or not term.args:
        return None
    names = [f"a{k}" for k in range(len(term.args))]
    plain = TermPool().make(term.op, term.args, term.type, without_flags(term.attrs))
    try:
        found = Patterns(index_width).make(plain, (True,) * len(names), False)
    except Unsupported:
        return None
    text = found.value.format(*names)
    if found.f32:
        text = f"round_f32({text})"
    if isinstance(term.type, IndexType) and not operator.exact:
        half = 1 << (index_width - 1)
        text = f"(({text}) + {half}) % {2 * half} - {half}"
    columns = [f"c{k}" for k in range(len(names))]
    lists = columns[0] if len(columns) == 1 else f"zip({', '.join(columns)})"
    made = f"lambda {', '.join(columns)}: [{text} for {', '.join(names)} in {lists}]"
    return eval(made, dict(NAMESPACE))


def draw(kind: ScalarType, index_width: int, edge: bool, odd: bool, random: Random) -> Scalar:
    """A random value; odd with `odd`, so that long products are not all 0."""
    match kind:
        case FloatType(name) if kind.small:
            return random.choice(NUMBERS[name])
        case FloatType():
            return random.randrange(-64, 64) / 8
        case IndexType():
            half = 1 << (index_width - 1)
            return random.randrange(-4, 5) if edge else random.randrange(-half, half)
        case IntType(width):
            if not edge:
                return random.getrandbits(width) | (odd and width > 1)
            ends = (1 << (width - 1)) - random.randrange(2)
            return random.choice((random.randrange(-4, 5), ends)) % (1 << width)
        case OpaqueType():
            return random.getrandbits(64)
