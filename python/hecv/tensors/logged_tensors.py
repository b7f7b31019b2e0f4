"""Names that a user's program gives to tensors: `hecv.log_tensor(x, "hidden")`. Reports call the value so, and say how
it is related. Outside a capture nothing happens. This module imports nothing of torch or JAX."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final, TypeVar

from msgspec.structs import replace

from hecv.tensors.tensor_graph import Operand, Ref, TensorGraph

T = TypeVar("T")

_NAME: Final = re.compile(r"[A-Za-z_]\w*(\.\w+)*")

Sink = Callable[[Any, str], Any]
"""Notes a tensor and its name, and returns the tensor."""

_SINK: Final[ContextVar[Sink | None]] = ContextVar("sink", default=None)


def log_tensor(tensor: T, name: str) -> T:
    """Names a tensor of a program that `hecv refine` captures, and returns it. A name that is given again, as in a
    loop, gets a number: `hidden`, `hidden.1`.

    Raises: ValueError if the name is not made of letters, digits, `_` and dots.
    """
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name!r} is no name of a tensor: use letters, digits, `_` and dots, such as `mlp.hidden`")
    sink = _SINK.get()
    return tensor if sink is None else sink(tensor, name)


@contextmanager
def logging_to(sink: Sink) -> Generator[None]:
    """Gives what is logged to `sink`."""
    kept = _SINK.set(sink)
    try:
        yield
    finally:
        _SINK.reset(kept)


def with_logged(graph: TensorGraph, logged: Sequence[tuple[str, str]]) -> TensorGraph:
    """The graph in which values have the names that the program gave them; `logged` are values and their names. What
    has a name already keeps it, as leaves do; no other value of the graph loses its own."""
    leaves, names = {leaf.name for leaf in graph.leaves}, dict[str, str]()
    taken = leaves.union(*(node.results for node in graph.nodes))
    for value, name in logged:
        if value in leaves or value in names:
            continue
        free, count = name, 1
        while free in taken and free != value:
            free, count = f"{name}.{count}", count + 1
        taken.add(free)
        names[value] = free

    def operand(given: Operand) -> Operand:
        if isinstance(given, Ref):
            return Ref(names.get(given.name, given.name))
        return tuple(map(operand, given)) if isinstance(given, tuple) else given

    nodes = tuple(
        replace(
            node,
            operands=tuple(map(operand, node.operands)),
            keywords={key: operand(given) for key, given in node.keywords.items()},
            results=tuple(names.get(n, n) for n in node.results),
        )
        for node in graph.nodes
    )
    return replace(graph, nodes=nodes, outputs=tuple((n, Ref(names.get(r.name, r.name))) for n, r in graph.outputs))
