"""Graphs of tensors as files: one NumPy archive with the arrays, and the graph as MessagePack."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np

from hecv.tensors.symbolic_sizes import SizeExpression, SizeProduct
from hecv.tensors.tensor_graph import Leaf, Node, Operand, Ref, SizeSymbol, SourceLine, TensorGraph, TensorType

_GRAPH: Final = "graph"
_ARRAY: Final = "array"
_REFERENCE: Final = "ref"
_SIZE: Final = "size"
_PRODUCT: Final = "product"


def write_archive(path: Path, plain: Any, arrays: Mapping[str, Any]) -> None:
    """Writes plain data (numbers, texts, lists, dictionaries) and named arrays."""
    names = list(arrays)
    packed = np.frombuffer(msgspec.msgpack.encode({"names": names, "plain": plain}), np.uint8)
    with path.open("wb") as file:
        np.savez(file, **{_GRAPH: packed}, **{f"{_ARRAY}{k}": arrays[name] for k, name in enumerate(names)})


def read_archive(path: Path) -> tuple[Any, dict[str, Any]]:
    """The inverse of `write_archive`.

    Raises: ValueError or FileNotFoundError if there is no whole archive.
    """
    try:
        with np.load(path, allow_pickle=False) as file:
            head = msgspec.msgpack.decode(file[_GRAPH].tobytes())
            return head["plain"], {name: file[f"{_ARRAY}{k}"] for k, name in enumerate(head["names"])}
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
