"""torch.fx graphs as plain data: numbered values, and the op that makes each.

An operator is named as in torch-mlir's torch dialect, `torch.aten.softmax.int`, and has every argument of its schema as
an operand, in order, defaults filled in. Another function is named by its path, `torch.nn.functional.gelu`, with
positional arguments as operands and the others as attributes; a method is `torch.Tensor.<name>`; a submodule is named
by its class, with its own name as the attribute `target`.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping
from typing import Any, Final

import torch
from msgspec import Struct, field
from torch import fx

Overload: Any = torch._ops.OpOverload  # pyright: ignore[reportPrivateUsage]
"""The class of torch's operators."""

Plain = int | float | bool | str | tuple["Plain", ...]

LIST: Final = "torch.prim.ListConstruct"
_LITERALS: Final = {name: f"torch.constant.{name}" for name in ("bool", "int", "float")}
NONE: Final = "torch.constant.none"
TEXT: Final = "torch.constant.str"
ELEMENTS: Final = {
    torch.float16: "f16",
    torch.bfloat16: "bf16",
    torch.float32: "f32",
    torch.float64: "f64",
    torch.bool: "i1",
    torch.int8: "si8",
    torch.uint8: "ui8",
    torch.int16: "si16",
    torch.int32: "si32",
    torch.int64: "si64",
}


class FxValue(Struct, frozen=True):
    """A result of an operator, or an input of the graph (`op` is None).

    `literal` is the Python value of a constant argument. `shape` has -1 for a symbolic extent, `None` where unknown.
    """

    op: str | None
    operands: tuple[int, ...] = ()
    attrs: tuple[tuple[str, Plain], ...] = ()
    result: int = 0
    results: int = 1
    literal: Plain | None = None
    shape: tuple[int, ...] | None = None
    element: str | None = None
    node: str = ""

    @property
    def type(self) -> str | None:
        """The type as torch-mlir writes it: `!torch.vtensor<[2,3],f32>`."""
        if self.shape is None or self.element is None:
            return None
        extents = ",".join("?" if n < 0 else str(n) for n in self.shape)
        return f"!torch.vtensor<[{extents}],{self.element}>"


class FxValues(Struct):
    """The values of a graph, in order. `of_node` has the values of each node by name, `outputs` the returned ones.

    `arguments` are the Python objects of values that are not nodes.
    """

    values: list[FxValue] = field(default_factory=list[FxValue])
    of_node: dict[str, int] = field(default_factory=dict[str, int])
    arguments: dict[int, Any] = field(default_factory=dict[int, Any])
    outputs: tuple[int, ...] = ()
    uses: list[int] = field(default_factory=list[int])


def read(graph: fx.Graph) -> FxValues:
    """The values of a graph."""
    return _Reader().read(graph)


class _Reader:
    def __init__(self) -> None:
        self._found = FxValues()
        self._literals: dict[tuple[str, Any], int] = {}

    def read(self, graph: fx.Graph) -> FxValues:
        found = self._found
        for node in graph.nodes:
            if node.op == "output":
                found.outputs = tuple(dict.fromkeys(self._argument(n) for n in _nodes(node.args)))
            else:
                found.of_node[node.name] = self._node(node)
        found.uses = [0] * len(found.values)
        for value in found.values:
            for operand in value.operands:
                found.uses[operand] += 1
        for output in found.outputs:
            found.uses[output] += 1
        return found

    def _add(self, value: FxValue) -> int:
        self._found.values.append(value)
        return len(self._found.values) - 1

    def _node(self, node: fx.Node) -> int:
        shape, element = _type_of(node)
        if node.op in ("placeholder", "get_attr"):
            return self._add(FxValue(None, shape=shape, element=element, node=node.name))
        if node.target is operator.getitem and isinstance(node.args[0], fx.Node) and isinstance(node.args[1], int):
            whole = self._found.values[self._found.of_node[node.args[0].name]]
            if whole.results > 1:
                return self._add(
                    FxValue(
                        whole.op, whole.operands, whole.attrs, node.args[1], whole.results, None, shape, element,
                        node.name,
                    )
                )  # fmt: skip
        name, arguments, others = _call(node)
        operands = tuple(self._argument(a) for a in arguments)
        attrs = tuple((k, plain(v)) for k, v in others.items())
        return self._add(FxValue(name, operands, attrs, 0, _results(node), None, shape, element, node.name))

    def _argument(self, argument: Any) -> int:
        if isinstance(argument, fx.Node):
            return self._found.of_node[argument.name]
        if isinstance(argument, (list, tuple)) and any(_nodes(argument)):
            return self._literal(FxValue(LIST, tuple(self._argument(a) for a in argument)), argument)
        literal = plain(argument)
        key = (type(argument).__name__, literal)
        if key not in self._literals:
            name = NONE if argument is None else _LITERALS.get(type(argument).__name__, TEXT)
            self._literals[key] = self._literal(FxValue(name, literal=literal, attrs=(("value", literal),)), argument)
        return self._literals[key]

    def _literal(self, value: FxValue, argument: Any) -> int:
        number = self._add(value)
        self._found.arguments[number] = argument
        return number


def _nodes(argument: Any) -> Iterator[fx.Node]:
    """The nodes in an argument, also in nested lists."""
    if isinstance(argument, fx.Node):
        yield argument
    elif isinstance(argument, (list, tuple)):
        for part in argument:
            yield from _nodes(part)


def plain(value: Any) -> Plain:
    """A constant argument as plain data; its text if it is not one of Python's own values."""
    if isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (list, tuple)):
        return tuple(plain(v) for v in value)
    return str(value)


def _call(node: fx.Node) -> tuple[str, list[Any], Mapping[str, Any]]:
    """The name of the callee of a node, its operands and its attributes."""
    target: Any = node.target
    if isinstance(target, Overload):
        return operator_name(target), _by_schema(target, node), {}
    if node.op == "call_method":
        return f"torch.Tensor.{target}", list(node.args), node.kwargs
    if node.op == "call_module":
        owner: Any = node.graph.owning_module
        kind: Any = type(owner.get_submodule(target))
        return f"{kind.__module__}.{kind.__qualname__}", list(node.args), {**node.kwargs, "target": target}
    module = getattr(target, "__module__", None) or "torch"
    return f"{module.removeprefix('_')}.{target.__name__}", list(node.args), node.kwargs


def operator_name(target: Any) -> str:
    """torch-mlir's name of an operator: `torch.aten.softmax.int`, without the overload `default`."""
    namespace, _, name = target._schema.name.partition("::")
    overload = target._schema.overload_name
    return ".".join(["torch", namespace, name, *([overload] if overload else [])])


def _by_schema(target: Any, node: fx.Node) -> list[Any]:
    """Every argument of the schema in order, with defaults for missing ones."""
    given = list(node.args)
    found: list[Any] = []
    for position, argument in enumerate(target._schema.arguments):
        if position < len(given):
            found.append(given[position])
        elif argument.name in node.kwargs:
            found.append(node.kwargs[argument.name])
        else:
            found.append(argument.default_value if argument.has_default_value() else None)
    return found


def _results(node: fx.Node) -> int:
    value = node.meta.get("val")
    return len(value) if isinstance(value, (tuple, list)) else 1


def _type_of(node: fx.Node) -> tuple[tuple[int, ...] | None, str | None]:
    value = node.meta.get("val", node.meta.get("tensor_meta"))
    if value is None or isinstance(value, (tuple, list)) or not hasattr(value, "shape"):
        return None, None
    shape = tuple(n if isinstance(n, int) else -1 for n in value.shape)
    return shape, ELEMENTS.get(value.dtype, str(value.dtype))
