"""The leaves of two graphs as tensors over common names: inputs by position, parameters by the relation that was found
or given, buffers and constants by values or by a formula. Also the values on which both graphs are run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any, Final
from zlib import crc32

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from hecv.parameters.parameter_relation import (
    Concat,
    Expression,
    Own,
    Ref,
    Reshape,
    Slice,
    Transpose,
    Zeros,
    names_in,
)
from hecv.relate.graphs.graph_index import GraphIndex
from hecv.relate.state.closed_forms import ROUNDING, ClosedForm, Frequencies, exact_form, frequencies_of, table_form
from hecv.relate.state.computed_tables import computed_tables, stored_form
from hecv.relate.state.state_matching import State, StateMatcher, repeats, value_of
from hecv.tensors.comprehension import Comprehension, Scalar, leaf, scalar, select
from hecv.tensors.definitions.aten_layout import reshaped
from hecv.tensors.graph_values import operands_of
from hecv.tensors.index_terms import Index
from hecv.tensors.tensor_graph import Leaf

Leaves = Mapping[str, Comprehension]
Arrays = Mapping[str, Any]

SPREAD: Final = 0.1
"""Standard deviation of what is added to parameters whose values repeat."""

TARGET: Final = "target:"
"""What the names of leaves begin with that the target alone has."""

SCALES: Final = (1.0, 0.25)
"""Input sets on which both graphs are run, each with the factor of all parameters. Small activations show what is added
to variances."""


class Table(Struct, frozen=True):
    """A buffer that is taken as the function that it samples."""

    side: str
    name: str
    form: ClosedForm


class LeafRelation(Struct, frozen=True):
    """The leaves of the source and the target, and their values in a run.

    `parameters` are the target's parameters and buffers over the source's; `kept` are the buffers and constants of both
    sides that keep their values, `rounded` the target's that are a source's to the precision of the storage. `fresh`
    are the source's parameters with new values in the run. `inputs` pairs the inputs.
    """

    source: Leaves
    target: Leaves
    source_arrays: Arrays
    target_arrays: Arrays
    parameters: Mapping[str, Expression]
    tables: tuple[Table, ...] = ()
    kept: tuple[str, ...] = ()
    rounded: tuple[str, ...] = ()
    unmatched: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()
    fresh: tuple[str, ...] = ()

    def related(self) -> tuple[frozenset[str], frozenset[str]]:
        """The leaves of the source, and of the target, that have a counterpart."""
        ours = {n for e in self.parameters.values() for n in names_in(e)} | {
            n for t in self.tables for n in t.form.over
        }
        tables = tuple(frozenset(t.name for t in self.tables if t.side == side) for side in ("source", "target"))
        own = {name for name, expression in self.parameters.items() if isinstance(expression, Own)}
        return frozenset(ours) | tables[0], frozenset(self.parameters.keys() - own) | tables[1]


class _Side(Struct):
    """The leaves of one graph while they are related."""

    index: GraphIndex
    label: str
    prefix: str
    leaves: dict[str, Comprehension] = field(default_factory=dict[str, Comprehension])
    arrays: dict[str, Any] = field(default_factory=dict[str, Any])
    kept: list[str] = field(default_factory=list[str])

    def __post_init__(self) -> None:
        self.arrays = dict(self.index.graph.arrays)

    @property
    def left(self) -> list[Leaf]:
        """The leaves without a tensor yet."""
        return [x for x in self.index.graph.leaves if x.name not in self.leaves]

    def own(self, which: Leaf) -> Comprehension:
        """The leaf as a tensor of its own name."""
        return leaf(f"{self.prefix}{which.name}", which.type.shape, which.type.element)

    def stored(self) -> list[Leaf]:
        """The tables of floats that are a tensor of their own."""
        own = [x for x in self.index.graph.leaves if x.name in self.kept and x.type.element in ROUNDING]
        return [x for x in own if x.name in self.index.live and self.arrays[x.name].dtype.kind == "f"]

    def states(self) -> list[State]:
        uses = self.index.first_uses()
        return [
            State(x.name, x.kind, x.type.element, self.arrays[x.name], uses[x.name])
            for x in self.left
            if x.kind != "input"
        ]

    def set_form(self, name: str, form: ClosedForm) -> None:
        self.leaves[name], self.arrays[name] = form.tensor, form.array


def relate_leaves(source: GraphIndex, target: GraphIndex, given: Mapping[str, Expression]) -> LeafRelation:
    """Relates all leaves; `given` are expressions that the user stated."""
    ours, theirs = _Side(source, "source", ""), _Side(target, "target", TARGET)
    _relate_inputs(ours, theirs)
    for side in (ours, theirs):
        _set_exact(side)
    stated = {n: e for n, e in given.items() if not isinstance(e, Own)}
    wanted = [t for t in theirs.states() if not isinstance(given.get(t.name), Own)]
    relation = StateMatcher(ours.states()).relate(wanted, stated)
    for x in ours.left:
        if x.kind == "parameter":
            ours.leaves[x.name] = ours.own(x)
    fresh = _renew(ours)
    matched = {name for name in relation.expressions if name not in theirs.leaves}
    tables = _set_tables(ours, theirs, {n for e in relation.expressions.values() for n in names_in(e)}, matched)
    for x in ours.left:
        ours.leaves[x.name] = ours.own(x)
        ours.kept.append(x.name)
    for name in matched:
        expression = relation.expressions[name]
        theirs.leaves[name] = tensor_of(expression, ours.leaves)
        made = value_of(expression, ours.arrays)
        own = theirs.arrays[name]
        theirs.arrays[name] = own if not isinstance(expression, Ref) and _same_bits(made, own) else made
    for x in theirs.left:
        theirs.leaves[x.name] = theirs.own(x)
        theirs.kept.append(x.name)
    tables += _set_computed(ours, theirs, {n for e in relation.expressions.values() for n in names_in(e)})
    unmatched = tuple(name for name in relation.unmatched if name not in given)
    return LeafRelation(
        ours.leaves,
        theirs.leaves,
        ours.arrays,
        theirs.arrays,
        {**relation.expressions, **given},
        tuple(tables),
        tuple(n for side in (ours, theirs) for n in dict.fromkeys(side.kept) if n in side.index.live),
        relation.rounded,
        unmatched,
        relation.unused,
        fresh,
    )


def _same_bits(made: Any, own: Any) -> bool:
    """Whether a copy of an array need not be kept beside it."""
    if made.dtype != own.dtype or made.shape != own.shape:
        return False
    ours, theirs = (np.ascontiguousarray(a).reshape(-1).view(f"u{a.itemsize}") for a in (made, own))
    return bool(np.array_equal(ours, theirs))


def _relate_inputs(ours: _Side, theirs: _Side) -> None:
    pairs = zip(*([x for x in side.left if x.kind == "input"] for side in (ours, theirs)), strict=True)
    for mine, other in list(pairs):
        ours.leaves[mine.name] = theirs.leaves[other.name] = ours.own(mine)


def _set_exact(side: _Side) -> None:
    """Numbers, integers, booleans and masks by an exact formula. Other floats that are all one number may be a buffer
    of the other side as well, and are left."""
    for x in side.left:
        if x.kind in ("input", "parameter"):
            continue
        array = side.arrays[x.name]
        form = exact_form(array, x.type.element)
        if form is not None and (array.size == 1 or array.dtype.kind != "f" or form.kind == "mask"):
            side.set_form(x.name, form)
            side.kept.append(x.name)


def _renew(side: _Side) -> tuple[str, ...]:
    """Gives parameters whose values repeat values that do not, which are the same in each run of hecv."""
    found: list[str] = []
    for x in side.index.graph.leaves:
        array = side.arrays[x.name]
        if x.kind == "parameter" and array.dtype.kind == "f" and repeats(array):
            random = np.random.default_rng(crc32(x.name.encode()))
            side.arrays[x.name] = array + SPREAD * random.standard_normal(array.shape)
            found.append(x.name)
    return tuple(found)


def _set_tables(ours: _Side, theirs: _Side, used: set[str], matched: set[str]) -> list[Table]:
    """Buffers that the other side does not have, by the functions that they sample."""
    frequencies: list[tuple[_Side, Frequencies]] = []
    for side, skipped in ((ours, set[str]()), (theirs, matched)):
        for x in side.left:
            array = side.arrays[x.name]
            if x.name not in skipped and (x.kind != "parameter" or array.ndim < 2):
                array = array.astype(np.float64) if array.dtype.kind == "f" else array
                frequencies += [(side, f) for f in frequencies_of(x.name, array, side.own(x))]
    found: list[Table] = []
    for side, skipped in ((ours, used), (theirs, matched)):
        for x in side.left:
            if x.name not in skipped and x.kind != "parameter":
                array = side.arrays[x.name]
                others = [f for of, f in frequencies if of is not side or f.leaf != x.name]
                form = table_form(array, x.type.element, others)
                if form is not None:
                    found.append(Table(side.label, x.name, form))
                    side.set_form(x.name, form)
                    continue
                exact = exact_form(array, x.type.element)
                if exact is not None:
                    side.set_form(x.name, exact)
                    side.kept.append(x.name)
    return found


def _set_computed(ours: _Side, theirs: _Side, used: set[str]) -> list[Table]:
    """Tables without a counterpart that the other side computes, or whose frequencies it computes."""
    alone = [
        [x for x in side.stored() if x.name not in skipped and side.arrays[x.name].size > 1]
        for side, skipped in ((ours, used), (theirs, set[str]()))
    ]
    found: list[Table] = []
    arrays = {**ours.arrays, **{f"{TARGET}{name}": array for name, array in theirs.arrays.items()}}
    for side, other, tables, others in ((ours, theirs, *alone), (theirs, ours, *reversed(alone))):
        if not tables:
            continue
        without, sizes = frozenset(x.name for x in others), {side.arrays[x.name].size for x in tables}
        computed = list(computed_tables(other.index, other.leaves, arrays, without, sizes))
        frequencies = [
            replace(found, leaf=None)
            for c in computed
            for found in frequencies_of(f"`{c.name.removeprefix('%')}` of the {other.label}", c.array, c.tensor)
        ]
        for x in tables:
            array, element = side.arrays[x.name], x.type.element
            same = (stored_form(array, element, c, other.label, arrays) for c in computed if c.array.size == array.size)
            form = next((f for f in same if f is not None), None) or table_form(array, element, frequencies)
            if form is not None:
                found.append(Table(side.label, x.name, form))
                side.set_form(x.name, form)
                side.kept.remove(x.name)
    return found


def tensor_of(expression: Expression, leaves: Leaves) -> Comprehension:
    """The tensor that an expression over leaves denotes."""
    match expression:
        case Ref(name=name):
            return leaves[name]
        case Transpose(of=of, first=first, second=second):
            return _swapped(tensor_of(of, leaves), first, second)
        case Slice(of=of, dim=dim, start=start, stop=stop):
            return _sliced(tensor_of(of, leaves), dim, start, stop)
        case Reshape(of=of, shape=shape):
            whole = tensor_of(of, leaves)
            return Comprehension(shape, lambda *i: reshaped(whole, shape, i), whole.element)
        case Concat(parts=parts, dim=dim):
            return _joined([tensor_of(p, leaves) for p in parts], dim)
        case Zeros(shape=shape):
            return Comprehension(shape, lambda *_: scalar(0), "f64")
        case Own():
            raise ValueError("`value` is no expression over the source")


def _swapped(tensor: Comprehension, first: int, second: int) -> Comprehension:
    def swap(values: Sequence[Any]) -> tuple[Any, ...]:
        found = list(values)
        found[first], found[second] = found[second], found[first]
        return tuple(found)

    return Comprehension(swap(tensor.shape), lambda *i: tensor[swap(i)], tensor.element)


def _sliced(tensor: Comprehension, dim: int, start: int, stop: int) -> Comprehension:
    shape = (*tensor.shape[:dim], stop - start, *tensor.shape[dim + 1 :])
    return Comprehension(shape, lambda *i: tensor[(*i[:dim], i[dim] + start, *i[dim + 1 :])], tensor.element)


def _joined(parts: Sequence[Comprehension], dim: int) -> Comprehension:
    starts = list(accumulate((p.shape[dim] for p in parts), initial=0))

    def at(*i: Index) -> Scalar:
        def inside(k: int) -> Scalar:
            return parts[k][(*i[:dim], i[dim] - starts[k], *i[dim + 1 :])]

        found = inside(len(parts) - 1)
        for k in range(len(parts) - 2, -1, -1):
            found = select(i[dim] < starts[k + 1], inside(k), found)
        return found

    first = parts[0].shape
    return Comprehension((*first[:dim], starts[-1], *first[dim + 1 :]), at, parts[0].element)


# Inputs


def index_range(index: GraphIndex, name: str) -> tuple[int, int] | None:
    """The range, without its end, of an input that is an index into a table of embeddings."""
    for node in index.graph.nodes:
        if node.op.startswith("aten.embedding."):
            table, rows, *_ = operands_of(node)
            if index.origin(rows) == name:
                return 0, index.type_of(table).shape[0]
    return None
