"""Builds a graph of tensors from the ops of StableHLO, in ops of PyTorch: these have definitions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np
from msgspec import Struct

from hecv.tensors.graph_values import operands_of
from hecv.tensors.tensor_graph import Leaf, Node, Operand, Ref, SourceLine, TensorType

UNSIGNED: Final = ("ui8", "ui16", "ui32", "ui64")
"""Types that tensors of a graph do not have; constants of these are folded."""

FLOATS: Final = ("f16", "bf16", "f32", "f64")

Shape = tuple[int, ...]


class NotRead(Exception):
    """What a graph of tensors cannot hold; the text says what, `place` where."""

    def __init__(self, text: str, place: SourceLine | None = None) -> None:
        super().__init__(text)
        self.place: Final = place


class Value(Struct, frozen=True):
    """A value of StableHLO: its name in the graph, None for a constant that no op has needed yet. `known` are its
    elements, where they are integers or truth values that are known; `number` is that of which all elements are."""

    type: TensorType
    name: str | None = None
    known: Any = None
    number: float | None = None

    @property
    def shape(self) -> Shape:
        return self.type.shape

    @property
    def element(self) -> str:
        return self.type.element


class GraphEmitter:
    """The leaves and nodes so far. `exact` gives, for a float literal as it is stored and its type, the number that was
    rounded to it; `taken` are those that were used and differ. `logged` are values that the program names, and their
    names."""

    def __init__(self, exact: Callable[[float, str], float]) -> None:
        self.leaves: dict[str, Leaf] = {}
        self.arrays: dict[str, Any] = {}
        self.nodes: list[Node] = []
        self.place: SourceLine | None = None
        self.taken: dict[float, float] = {}
        self.logged: list[tuple[str, str]] = []
        self._exact: Final = exact
        self._filled: dict[tuple[Any, ...], str] = {}

    def leaf(self, name: str, kind: str, type_: TensorType, array: Any) -> Value:
        """A tensor that the graph is given; floats in f64."""
        if type_.element in UNSIGNED:
            raise NotRead(f"`{name}` has elements of {type_.element}", self.place)
        self.leaves[name] = Leaf(name, type_, kind)
        self.arrays[name] = np.array(array, np.float64 if type_.element in FLOATS else None)
        return Value(type_, name)

    def constant(self, array: Any, type_: TensorType) -> Value:
        """A constant: one number everywhere, integers, or a tensor of floats."""
        first = array.reshape(-1)[0] if array.size else 0
        if type_.element in FLOATS:
            if array.size and np.all((array == first) | (np.isnan(array) & np.isnan(first))):
                return Value(type_, number=self._number(float(first), type_.element))
            name = f"constant{sum(x.kind == 'constant' for x in self.leaves.values())}"
            return self.leaf(name, "constant", type_, array)
        number = first.item() if array.size and np.all(array == first) else None
        return Value(type_, known=array, number=number)

    def _number(self, stored: float, element: str) -> float:
        found = self._exact(stored, element)
        if found != stored and stored == stored:
            self.taken[stored] = found
        return found

    def name(self, value: Value) -> str:
        """The name of a value in the graph; a constant becomes one now.

        Raises: NotRead for numbers that are none.
        """
        if value.name is not None:
            return value.name
        if value.element in UNSIGNED:
            raise NotRead(f"an op reads a tensor of {value.element}", self.place)
        if value.number is not None:
            if value.number != value.number:
                raise NotRead("a program that makes NaN on purpose", self.place)
            number = bool(value.number) if value.element == "i1" else value.number
            key = value.type, number
            if key not in self._filled:
                others = {"dtype": value.element, "layout": None, "device": None, "pin_memory": None}
                self._filled[key] = self._node("aten.full.default", (value.shape, number), value.type, others)
            return self._filled[key]
        name = f"constant{sum(x.kind == 'constant' for x in self.leaves.values())}"
        return self.leaf(name, "constant", value.type, value.known).name or name

    def emit(self, op: str, operands: Sequence[Any], shape: Shape, element: str, **keywords: Operand) -> Value:
        """The result of an op; operands may be values, and lists of values."""
        type_ = TensorType(tuple(shape), element)
        return Value(type_, self._node(f"aten.{op}", tuple(map(self._operand, operands)), type_, keywords))

    def collective(self, op: str, operand: Value, type_: TensorType, **keywords: Operand) -> Value:
        """The result of an op `dist.*` on a tensor."""
        return Value(type_, self._node(f"dist.{op}", (Ref(self.name(operand)),), type_, keywords))

    def send(self, operand: Value, peer: int, tag: str) -> None:
        """Sends a tensor to another rank."""
        keywords: dict[str, Operand] = {"peer": peer, "tag": tag}
        self.nodes.append(Node("dist.send", (Ref(self.name(operand)),), keywords, (), (), self.place))

    def receive(self, type_: TensorType, peer: int, tag: str) -> Value:
        """A tensor that another rank sends."""
        return Value(type_, self._node("dist.recv", (), type_, {"peer": peer, "tag": tag}))

    def _node(self, op: str, operands: tuple[Operand, ...], type_: TensorType, keywords: Mapping[str, Operand]) -> str:
        name = f"%{len(self.nodes)}"
        self.nodes.append(Node(op, operands, dict(keywords), (name,), (type_,), self.place))
        return name

    def _operand(self, operand: Any) -> Operand:
        if isinstance(operand, Value):
            return Ref(self.name(operand))
        return tuple(map(self._operand, operand)) if isinstance(operand, (tuple, list)) else operand

    # Shapes

    def reshape(self, x: Value, shape: Sequence[int]) -> Value:
        """The same elements in row-major order."""
        if x.shape == tuple(shape):
            return x
        return self.emit("reshape.default", (x, tuple(shape)), tuple(shape), x.element)

    def permute(self, x: Value, order: Sequence[int]) -> Value:
        """Dimension k of the result is dimension `order[k]`."""
        if list(order) == list(range(len(order))):
            return x
        return self.emit("permute.default", (x, tuple(order)), tuple(x.shape[d] for d in order), x.element)

    def expand(self, x: Value, shape: Sequence[int]) -> Value:
        """Dimensions of size 1 repeated."""
        if x.shape == tuple(shape):
            return x
        return self.emit("expand.default", (x, tuple(shape)), tuple(shape), x.element, implicit=False)

    def part(self, x: Value, dim: int, start: int, stop: int, step: int = 1) -> Value:
        """Elements `start`, `start + step`, ... below `stop` of a dimension."""
        size = len(range(start, stop, step))
        if size == x.shape[dim] and step == 1:
            return x
        shape = (*x.shape[:dim], size, *x.shape[dim + 1 :])
        return self.emit("slice.Tensor", (x, dim, start, stop, step), shape, x.element)

    def full(self, number: float, shape: Shape, element: str) -> Value:
        """One number everywhere."""
        return Value(TensorType(tuple(shape), element), number=number)

    def arange(self, size: int, element: str) -> Value:
        """0, 1, ... below `size`."""
        others = {"dtype": element, "layout": None, "device": None, "pin_memory": None}
        return self.emit("arange.default", (size,), (size,), element, **others)

    def cast(self, x: Value, element: str) -> Value:
        """The same numbers as another type."""
        others = dict.fromkeys(("layout", "device", "pin_memory", "memory_format"))
        return self.emit("_to_copy.default", (x,), x.shape, element, dtype=element, non_blocking=False, **others)

    def two(self, op: str, x: Value, y: Value, element: str | None = None) -> Value:
        """An op on two tensors of one shape, by its name in PyTorch with its overload."""
        keywords: dict[str, Operand] = {"alpha": 1} if op in ("add.Tensor", "sub.Tensor") else {}
        return self.emit(op, (x, y), x.shape, element or x.element, **keywords)

    def needed(self, outputs: Sequence[str]) -> tuple[Node, ...]:
        """The nodes that outputs need, and collectives, which other ranks wait for."""
        wanted, found = set(outputs), list[Node]()
        for node in reversed(self.nodes):
            if wanted.intersection(node.results) or node.op.startswith("dist."):
                wanted.update(operands_of(node))
                found.append(node)
        return tuple(reversed(found))
