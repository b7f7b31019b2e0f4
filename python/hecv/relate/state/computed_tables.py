"""Tables that one side stores and the other computes: values that ops compute of constants, and the stored ones that
they are to the precision of the storage."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from math import prod
from typing import Any, Final

import numpy as np
from msgspec import Struct

from hecv.relate.graphs.cones import Cones
from hecv.relate.graphs.graph_index import GraphIndex
from hecv.relate.state.closed_forms import ROUNDING, ClosedForm
from hecv.tensors.comprehension import Comprehension
from hecv.tensors.definitions import Undefined
from hecv.tensors.definitions.aten_layout import reshaped
from hecv.tensors.term_values import evaluate

LARGEST: Final = 1 << 22
"""Elements, at most, of a computed table."""

TRIALS: Final = 6
"""Evaluations with random rounding."""

SPARE: Final = 4
"""How many times more than random rounding makes of it a table is off, at most."""

MOST_ROUNDING: Final = 1e-2
"""Difference, at most, relative to the largest element, whatever rounding may make of it."""


class ComputedTable(Struct, frozen=True):
    """A value that ops compute of constants: its name, its elements by the definitions of the ops, and as numbers."""

    name: str
    tensor: Comprehension
    array: Any


def computed_tables(
    index: GraphIndex,
    leaves: Mapping[str, Comprehension],
    arrays: Mapping[str, Any],
    without: frozenset[str],
    sizes: Collection[int],
) -> Iterator[ComputedTable]:
    """The floats that ops compute of constants other than `without`, if they have one of these sizes or one dimension
    alone; `arrays` has what `leaves` read."""
    cones = Cones(index, leaves)
    for node in index.graph.nodes:
        for name, kind in zip(node.results, node.types, strict=True):
            size = prod(kind.shape)
            if name in index.varying or name not in index.live or "f" not in kind.element or not 1 < size <= LARGEST:
                continue
            if (size not in sizes and size != max(kind.shape)) or index.above(name) & without:
                continue
            with suppress(Undefined, KeyError):
                tensor, _ = cones.value(name, {})
                yield ComputedTable(name, tensor, np.array(evaluate(tensor, arrays)))


def _rounding(tensor: Comprehension, arrays: Mapping[str, Any], exact: Any, unit: float) -> Any:
    """The largest difference, element by element, that rounding by `unit`, relative, after each function made in some
    trials."""
    random = np.random.default_rng(0)

    def rounded(array: Any) -> Any:
        return array * (1 + unit * random.choice((-1.0, 1.0), array.shape))

    with np.errstate(invalid="ignore"):
        found = [np.abs(evaluate(tensor, arrays, rounded=rounded) - exact) for _ in range(TRIALS)]
    return np.nan_to_num(np.max(found, axis=0))


def stored_form(
    array: Any, element: str, table: ComputedTable, side: str, arrays: Mapping[str, Any]
) -> ClosedForm | None:
    """The table as what a stored array is, if it has its elements in order, to the precision of the storage."""
    exact = table.array.reshape(array.shape)
    finite = np.isfinite(exact)
    largest = MOST_ROUNDING * np.abs(exact).max(where=finite, initial=0.0)
    with np.errstate(invalid="ignore"):
        away = np.where(array == exact, 0.0, np.abs(array - exact))
    if not largest or not (away <= largest).all():
        return None
    unit = 2.0**-53 if element == "f64" else 2.0**-24  # narrower tables are computed in f32
    rounding = _rounding(table.tensor, arrays, table.array, unit).reshape(array.shape)
    allowed = ROUNDING[element] * np.abs(exact) + SPARE * rounding
    if not (away <= np.where(finite, np.minimum(allowed, largest), 0.0)).all():
        return None
    made = Comprehension(array.shape, lambda *i: reshaped(table.tensor, array.shape, i), table.tensor.element)
    text = f"what the {side} computes as `{table.name.removeprefix('%')}`"
    return ClosedForm("table", made, exact, text, (), float(away.max()))
