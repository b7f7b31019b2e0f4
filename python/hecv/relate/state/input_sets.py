"""Values of the inputs of models: random numbers of some size, and numbers at which conditions change."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from hecv.relate.graphs.graph_index import GraphIndex
from hecv.relate.state.leaf_relation import SCALES, index_range
from hecv.tensors.tensor_graph import TensorGraph

CONFIRMING: Final = len(SCALES)
"""The number of the input set on which a difference has to show again."""

LARGE: Final = 8.0
"""The factor of inputs that are to reach limits (clamps, windows of values) which others do not."""

FARTHEST: Final = 1_024
"""The largest number that is tried as one at which a condition changes."""

MOST_BOUNDARIES: Final = 16
"""Numbers at which conditions change, at most, the smallest ones."""

Draw = Callable[[np.random.Generator, tuple[int, ...]], Any]
"""Floats of a shape."""


def of_size(factor: float) -> Draw:
    """Random numbers of about this size."""
    return lambda random, shape: factor * random.standard_normal(shape)


RANDOM: Final = of_size(1)


def on_boundaries(graphs: Sequence[TensorGraph]) -> Draw:
    """Numbers that ops of these graphs have as operands, of either sign, beside 0 and 1: where conditions change."""
    found = {0.0, 1.0}
    for graph in graphs:
        operands = (operand for node in graph.nodes for operand in node.operands)
        literals = [x for x in operands if isinstance(x, int | float)]
        literals += [float(graph.arrays[x.name]) for x in graph.leaves if x.kind == "constant" and not x.type.shape]
        found |= {abs(float(x)) for x in literals if abs(x) <= FARTHEST}
    near = sorted(found)[:MOST_BOUNDARIES]
    return lambda random, shape: random.choice([*near, *(-x for x in near if x)], shape)


def input_sets(index: GraphIndex, numbers: Sequence[int], draw: Draw) -> list[dict[str, Any]]:
    """Values for the inputs, one set a number, the same in each run of hecv: floats are drawn, integers random within
    the range of what they index (or of the example), booleans those of the example."""
    found: list[dict[str, Any]] = []
    for number in numbers:
        random = np.random.default_rng(number)
        values: dict[str, Any] = {}
        for x in index.graph.leaves:
            example = index.graph.arrays[x.name]
            if x.kind != "input":
                continue
            if example.dtype.kind == "f":
                values[x.name] = np.asarray(draw(random, example.shape), dtype=np.float64)
            elif example.dtype.kind == "b" or not example.size:
                values[x.name] = example
            else:
                low, high = index_range(index, x.name) or (int(example.min()), int(example.max()) + 1)
                values[x.name] = random.integers(low, high, example.shape).astype(example.dtype)
        found.append(values)
    return found
