"""A sequential program and those of the ranks at all sizes that they state, where sizes are variables, and at some of
them, where sizes are numbers that are run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from hecv.base.diagnostics import Diagnostic, InputError
from hecv.refine.joined_graph import Joined, alone, join
from hecv.tensors.index_terms import Index
from hecv.tensors.symbolic_sizes import at_numbers, for_all, runs
from hecv.tensors.tensor_graph import SizeSymbol, Symbols, TensorGraph


class Programs(Struct, frozen=True):
    """The programs at some sizes: `at` these numbers, or at all of them, with `variables` for sizes."""

    sequential: TensorGraph
    ranks: tuple[TensorGraph, ...]
    joined: Joined
    at: Mapping[str, int] = {}
    variables: tuple[Index, ...] = ()


def stated_sizes(sequential: TensorGraph, ranks: Sequence[TensorGraph]) -> Symbols:
    """The symbols of all programs.

    Raises: InputError if two programs state one symbol in two ways.
    """
    found: dict[str, tuple[SizeSymbol, str]] = {}
    of = [("the sequential program", sequential), *((f"rank {r}", graph) for r, graph in enumerate(ranks))]
    for who, graph in of:
        for symbol in graph.sizes:
            known, before = found.setdefault(symbol.name, (symbol, who))
            if (known.least, known.most) != (symbol.least, symbol.most):
                raise _wrong(f"{before} states {known}, {who} {symbol}")
            if known.example != symbol.example:
                text = f"`{symbol.called}` is {known.example} in the example of {before}, {symbol.example} in that of"
                raise _wrong(f"{text} {who}")
    return tuple(symbol for symbol, _ in found.values())


def _wrong(text: str) -> InputError:
    hint = "all programs state the same ranges; a rank's own sizes are made of those: tokens = 2 * half"
    return InputError(Diagnostic("error", "dynamic-shapes", text, help=hint))


def at_example(graph: TensorGraph, symbols: Symbols) -> TensorGraph:
    """The graph with the sizes of the example."""
    return at_numbers(graph, {s.name: s.example for s in symbols}) if symbols else graph


def at_some_sizes(sequential: TensorGraph, ranks: Sequence[TensorGraph], symbols: Symbols) -> tuple[Programs, ...]:
    """The programs at sizes to run: the first ones tell what each dimension is made of; then come the least, those of
    the example, and the greatest that are run. Programs without symbols are as they are.

    Raises: Deadlock.
    """
    ways = runs(symbols, (sequential, *ranks))[0] if symbols else [{}]
    found: list[Programs] = []
    for at in ways:
        one, *others = (at_numbers(graph, at) if at else graph for graph in (sequential, *ranks))
        found.append(Programs(alone(one), tuple(others), join(others), at))
    return tuple(found)


def at_all_sizes(sequential: TensorGraph, ranks: Sequence[TensorGraph], symbols: Symbols) -> Programs:
    """The programs with variables for their symbols.

    Raises: Undefined if what ranks do together depends on a size; Deadlock.
    """
    symbolic, variables = for_all(symbols)
    one, *others = (symbolic(graph) for graph in (sequential, *ranks))
    return Programs(alone(one), tuple(others), join(others), variables=variables)
