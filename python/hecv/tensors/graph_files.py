"""Graphs of tensors as files: one NumPy archive with the arrays, and the graph as MessagePack."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np

from hecv.tensors.symbolic_sizes import SizeExpression, SizeProduct
from hecv.tensors.tensor_graph import (
    Leaf,
    Node,
    Operand,
    Ref,
    Scaled,
    SizeSymbol,
    SourceLine,
    TensorGraph,
    TensorType,
)

_GRAPH: Final = "graph"
_ARRAY: Final = "array"
_REFERENCE: Final = "ref"
_SIZE: Final = "size"
_PRODUCT: Final = "product"


def write_archive(path: Path, plain: Any, arrays: Mapping[str, Any]) -> None:
    """Writes plain data (numbers, texts, lists, dictionaries) and named arrays, each array once."""
    entries: list[tuple[str, str, float | None]] = []
    stored: dict[str, Any] = {}
    places: dict[int, str] = {}
    for name, value in arrays.items():
        array, factor = (value.array, value.factor) if isinstance(value, Scaled) else (value, None)
        place = places.setdefault(id(array), f"{_ARRAY}{len(places)}")
        stored[place] = array
        entries.append((name, place, factor))
    packed = np.frombuffer(msgspec.msgpack.encode({"entries": entries, "plain": plain}), np.uint8)
    with path.open("wb") as file:
        np.savez(file, **{_GRAPH: packed}, **stored)


class ArchivedArrays(Mapping[str, Any]):
    """The arrays of an archive, each read when it is asked for."""

    def __init__(self, file: Any, entries: Sequence[tuple[str, str, float | None]]) -> None:
        self._file: Final = file
        self._entries: Final = {name: (place, factor) for name, place, factor in entries}

    def __getitem__(self, name: str) -> Any:
        place, factor = self._entries[name]
        return self._file[place] if factor is None else Scaled(self._file[place], factor)

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)


@contextmanager
def open_archive(path: Path) -> Generator[tuple[Any, ArchivedArrays]]:
    """The inverse of `write_archive`, for arrays that are not to be in memory all at once."""
    with np.load(path, allow_pickle=False) as file:
        head = msgspec.msgpack.decode(file[_GRAPH].tobytes())
        yield head["plain"], ArchivedArrays(file, head["entries"])


def read_archive(path: Path) -> tuple[Any, dict[str, Any]]:
    """The inverse of `write_archive`.

    Raises: ValueError or FileNotFoundError if there is no whole archive.
    """
    try:
        with open_archive(path) as (plain, arrays):
            return plain, dict(arrays)
    except FileNotFoundError:
        raise
    except Exception as problem:  # whatever a broken file makes the reader raise
        raise ValueError(str(problem)) from problem


def graph_to_plain(graph: TensorGraph) -> dict[str, Any]:
    """The graph without its arrays as plain data."""
    return {
        "name": graph.name,
        "leaves": [[leaf.name, _type(leaf.type), leaf.kind] for leaf in graph.leaves],
        "nodes": [_node(node) for node in graph.nodes],
        "outputs": [[name, ref.name] for name, ref in graph.outputs],
        "sizes": [[s.name, s.called, s.least, s.most, s.example] for s in graph.sizes],
    }


def graph_from_plain(data: dict[str, Any], arrays: Mapping[str, Any]) -> TensorGraph:
    """The graph of plain data and arrays."""
    return TensorGraph(
        data["name"],
        tuple(Leaf(name, _read_type(kind), role) for name, kind, role in data["leaves"]),
        tuple(map(_read_node, data["nodes"])),
        tuple((name, Ref(ref)) for name, ref in data["outputs"]),
        arrays,
        tuple(SizeSymbol(*symbol) for symbol in data["sizes"]),
    )


def _type(kind: TensorType) -> list[Any]:
    return [[_operand(n) for n in kind.shape], kind.element]


def _read_type(data: list[Any]) -> TensorType:
    return TensorType(_read_operand(data[0]), data[1])


def _node(node: Node) -> list[Any]:
    place = node.place and [node.place.file, node.place.line, node.place.text, node.place.path]
    keywords = {key: _operand(value) for key, value in node.keywords.items()}
    types = [_type(t) for t in node.types]
    return [node.op, [_operand(o) for o in node.operands], keywords, list(node.results), types, place]


def _read_node(data: list[Any]) -> Node:
    op, operands, keywords, results, types, place = data
    return Node(
        op,
        tuple(map(_read_operand, operands)),
        {key: _read_operand(value) for key, value in keywords.items()},
        tuple(results),
        tuple(map(_read_type, types)),
        place and SourceLine(*place),
    )


def _operand(value: Operand | SizeExpression | SizeProduct) -> Any:
    if isinstance(value, Ref):
        return {_REFERENCE: value.name}
    if isinstance(value, SizeExpression):
        return {_SIZE: [value.constant, value.terms]}
    if isinstance(value, SizeProduct):
        return {_PRODUCT: [_operand(n) for n in value.factors]}
    return [_operand(v) for v in value] if isinstance(value, tuple) else value


def _read_operand(value: Any) -> Any:
    if isinstance(value, dict) and _SIZE in value:
        constant, terms = value[_SIZE]
        return SizeExpression(constant, tuple((name, c) for name, c in terms))
    if isinstance(value, dict) and _PRODUCT in value:
        return SizeProduct(_read_operand(value[_PRODUCT]))
    if isinstance(value, dict):
        return Ref(value[_REFERENCE])
    return tuple(map(_read_operand, value)) if isinstance(value, list) else value
