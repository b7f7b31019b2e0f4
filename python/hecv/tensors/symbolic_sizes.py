"""Graphs of tensors whose sizes are symbolic: a size, or a number among operands, is an affine expression over symbols,
or a product of such where dimensions are merged.

A captured graph has `SizeExpression`s where numbers stand. With numbers for the symbols it is a graph that runs; with
`Size`s it is one that comprehensions are made of, for all values of the symbols in their ranges.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from hecv.tensors.index_terms import Index, fresh, product_size, sized
from hecv.tensors.tensor_graph import Node, SizeSymbol, Symbols, TensorGraph, TensorType

MOST_RUN: Final = 64
"""The greatest value of a symbol that is run."""


class SizeExpression(Struct, frozen=True):
    """`constant + sum of coefficient * symbol`, symbols by their names."""

    constant: int
    terms: tuple[tuple[str, int], ...]

    def text(self, called: Mapping[str, str]) -> str:
        """The expression with these names of the symbols."""
        parts = [called.get(name, name) if c == 1 else f"{c}*{called.get(name, name)}" for name, c in self.terms]
        return "+".join(parts) + (f"{self.constant:+}" if self.constant else "")

    def value(self, symbols: Mapping[str, Any]) -> Any:
        """The value for these of the symbols."""
        return sum((symbols[name] * c for name, c in self.terms), self.constant)


class SizeProduct(Struct, frozen=True):
    """A product of sizes, in the order of the dimensions that are merged."""

    factors: tuple[int | SizeExpression, ...]

    def text(self, called: Mapping[str, str]) -> str:
        """The product with these names of the symbols."""
        return "*".join(n.text(called) if isinstance(n, SizeExpression) else str(n) for n in self.factors)

    def value(self, symbols: Mapping[str, Any]) -> Any:
        """The value for these of the symbols."""
        found = [n.value(symbols) if isinstance(n, SizeExpression) else n for n in self.factors]
        return product_size([sized(n) if isinstance(n, Index) else n for n in found])


def with_sizes(
    graph: TensorGraph, value: Callable[[Any], Any], symbolic: type | tuple[type, ...] = (SizeExpression, SizeProduct)
) -> TensorGraph:
    """The graph with values in place of size expressions, or of what else is `symbolic`."""

    def of(operand: Any) -> Any:
        if isinstance(operand, symbolic):
            return value(operand)
        return tuple(map(of, operand)) if isinstance(operand, tuple) else operand

    def typed(kind: TensorType) -> TensorType:
        return TensorType(of(kind.shape), kind.element)

    def node(old: Node) -> Node:
        keywords = {key: of(operand) for key, operand in old.keywords.items()}
        return replace(old, operands=of(old.operands), keywords=keywords, types=tuple(map(typed, old.types)))

    leaves = tuple(replace(leaf, type=typed(leaf.type)) for leaf in graph.leaves)
    return replace(graph, leaves=leaves, nodes=tuple(map(node, graph.nodes)), sizes=())


def at_numbers(graph: TensorGraph, numbers: Mapping[str, int]) -> TensorGraph:
    """The graph with these values of its symbols. Example inputs are repeated, or cut, to their new sizes."""
    found = with_sizes(graph, lambda size: size.value(numbers))
    arrays = dict(found.arrays)
    for leaf in found.leaves:
        if leaf.kind == "input":
            array = np.asarray(arrays[leaf.name])
            for axis, size in enumerate(leaf.type.shape):
                array = np.take(array, np.arange(size) % max(1, array.shape[axis]), axis)
            arrays[leaf.name] = array
    return replace(found, arrays=arrays)


def for_all(symbols: Symbols) -> tuple[Callable[[TensorGraph], TensorGraph], tuple[Index, ...]]:
    """A function that gives graphs the symbols as sizes, and the index variables that these are made of."""
    values: dict[str, Index] = {}
    variables: list[Index] = []
    for symbol in symbols:
        above = fresh(symbol.most - symbol.least + 1)
        variables.append(above)
        values[symbol.name] = above + symbol.least

    def size_of(size: Any) -> Any:
        found = size.value(values)
        return sized(found) if isinstance(found, Index) else found

    return lambda graph: with_sizes(graph, size_of), tuple(variables)


def runs(symbols: Symbols, graphs: Sequence[TensorGraph]) -> tuple[list[dict[str, int]], list[dict[str, int]]]:
    """Values of the symbols for runs: few ones, and more for what these do not decide.

    The first ones are primes that divide no size of the graphs, where the ranges have such: they show what each
    dimension is made of. Then come the least, the example, some others and the greatest, of those that are run.
    """
    fixed = {n for graph in graphs for n in _numbers(graph)}
    first = dict[str, int]()
    for symbol in symbols:
        taken = fixed | set(first.values())
        places = range(symbol.least, _most_run(symbol) + 1)
        fit = [n for n in places if n > 2 and _is_prime(n) and all(m % n for m in taken)]
        first[symbol.name] = next(iter([*fit, *(n for n in places if n not in taken)]), symbol.least)
    few = [first, {s.name: s.least for s in symbols}, {s.name: s.example for s in symbols}]
    for k in range(4):
        spans = [(s, _most_run(s) - s.least) for s in symbols]
        few.append(
            {s.name: s.least + (span, 1, span // 2, span // 4)[(k + n) % 4] for n, (s, span) in enumerate(spans)}
        )
    few = [values for k, values in enumerate(few) if values not in few[:k] and _in_range(values, symbols)]
    longest = max(_most_run(s) - s.least + 1 for s in symbols)
    more = [
        {s.name: s.least + (k + n) % (_most_run(s) - s.least + 1) for n, s in enumerate(symbols)}
        for k in range(longest)
    ]
    return few, [values for values in more if values not in few]


def _in_range(values: Mapping[str, int], symbols: Symbols) -> bool:
    return all(s.least <= values[s.name] <= s.most for s in symbols)


def _most_run(symbol: SizeSymbol) -> int:
    """The greatest value that is run."""
    return min(symbol.most, max(MOST_RUN, symbol.least))


def _numbers(graph: TensorGraph) -> Iterator[int]:
    kinds = [leaf.type for leaf in graph.leaves] + [kind for node in graph.nodes for kind in node.types]
    sizes: list[Any] = [n for kind in kinds for n in kind.shape]
    yield from (n for n in sizes if isinstance(n, int) and n > 1)


def _is_prime(n: int) -> bool:
    return n > 1 and all(n % d for d in range(2, int(n**0.5) + 1))
