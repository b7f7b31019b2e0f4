"""Edits of torch.fx graphs."""

from __future__ import annotations

import operator
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from inspect import signature
from typing import Any, Final

import torch
from torch import fx

from hecv.torch.fx_graph import FxValues, Overload, Plain, operator_name

Implementations = Mapping[str, Callable[..., Any]]
"""Implementations of the operators declared in a rule file, by name."""


CHANGING = frozenset(
    ("setitem", "delitem", "iadd", "iand", "iconcat", "ifloordiv", "ilshift", "imatmul", "imod", "imul", "ior", "ipow")
) | {"irshift", "isub", "itruediv", "ixor"}
"""Functions of Python's operators that modify an operand."""

DRAWING = (
    "rand",
    "dropout",
    "bernoulli",
    "multinomial",
    "normal",
    "poisson",
    "binomial",
    "rrelu",
    "gumbel",
    "fractional",
)
"""Words in the names of functions that draw random numbers."""


class Unknown(Exception):
    """There is no known function of this name; the text says so."""


def resolve(name: str, implementations: Implementations) -> Any:
    """The function that a node calls to compute the operator `name`.

    Raises: Unknown.
    """
    if name in implementations:
        return implementations[name]
    head, *rest = name.split(".")
    if head != "torch" or not rest:
        raise Unknown(f"no implementation of operator {name} is given")
    packet: Any = getattr(torch.ops, rest[0], None) if len(rest) > 1 else None
    packet = getattr(packet, rest[1], None) if packet is not None else None
    overload: Any = getattr(packet, rest[2] if len(rest) > 2 else "default", None)
    if isinstance(overload, Overload) and operator_name(overload) == name:
        return overload
    found: Any = torch
    for part in rest:
        found = getattr(found, part, None)
    if not callable(found):
        raise Unknown(f"torch has no operator {name}")
    return found


class Editor:
    """Edits of one graph whose values have been read."""

    def __init__(self, module: fx.GraphModule, values: FxValues, implementations: Implementations) -> None:
        self.graph = module.graph
        self._values = values
        self._implementations = implementations
        self._nodes = {node.name: node for node in self.graph.nodes}
        self._positions = {name: k for k, name in enumerate(self._nodes)}
        self._effects = [k for k, node in enumerate(self._nodes.values()) if has_effects(node)]
        self._writes = [k for k, node in enumerate(self._nodes.values()) if has_effects(node) and not _only_draws(node)]

    def node(self, value: int) -> fx.Node | None:
        """The node of a value; None for a constant argument."""
        return self._nodes.get(self._values.values[value].node)

    def moves_across_effects(self, inner: Sequence[int], root: int) -> bool:
        """True if something between the first of `inner` and `root` writes memory or draws random numbers.

        Computing all of it at `root` may then give other values.
        """
        nodes = [n for n in map(self.node, [*inner, root]) if n is not None and n.op not in ("placeholder", "get_attr")]
        places = [self._positions[n.name] for n in nodes]
        first = bisect_left(self._effects, min(places))
        return first < len(self._effects) and self._effects[first] <= max(places)

    def shares_what_is_written(self, root: fx.Node, name: str | None) -> bool:
        """True if a write after `root` could become visible elsewhere because of the replacement.

        That is so if something is written after `root`, and `root`, or what the operator `name` makes in its place, may
        share memory with other values. None as `name` means an operand, which is no operator.

        Raises: Unknown.
        """
        later = bisect_left(self._writes, self._positions[root.name])
        if later == len(self._writes):
            return False
        return name is None or not (is_new(root.target) and is_new(resolve(name, self._implementations)))

    def argument(self, value: int) -> Any:
        """A value as an argument of a call."""
        node = self.node(value)
        return self._values.arguments[value] if node is None else node

    def call(self, name: str, operands: Sequence[Any], attrs: Sequence[tuple[str, Plain]], like: fx.Node) -> fx.Node:
        """A new node before `like` that computes the operator.

        Raises: Unknown.
        """
        target = resolve(name, self._implementations)
        arguments: tuple[Any, ...] = tuple(operands)
        others: dict[str, Any] = dict(attrs)
        if isinstance(target, Overload):
            schema: Any = target._schema
            declared = schema.arguments
            named = {a.name: v for a, v in zip(declared, operands, strict=False) if a.kwarg_only}
            arguments = tuple(v for a, v in zip(declared, operands, strict=False) if not a.kwarg_only)
            others = {**named, **others}
        with self.graph.inserting_before(like):
            made = self.graph.call_function(target, arguments, others)
        made.meta = {k: v for k, v in like.meta.items() if k in ("stack_trace", "nn_module_stack")}
        value = _meta(target, arguments, others)
        if value is not None:
            made.meta["val"] = value
        return made

    def replace(self, root: fx.Node, by: Any) -> None:
        """Replaces uses of `root` by `by`, a node or a constant."""
        if isinstance(by, fx.Node):
            if "val" in root.meta:
                by.meta.setdefault("val", root.meta["val"])
            root.replace_all_uses_with(by)
            return
        for user in list(root.users):
            user.args = fx.map_arg(user.args, lambda n: by if n is root else n)
            user.kwargs = fx.map_arg(user.kwargs, lambda n: by if n is root else n)

    def erase_unused(self, values: Sequence[int]) -> None:
        """Erases unused nodes among these values, users first."""
        nodes = {n.name: n for n in map(self.node, values) if n is not None}
        for node in sorted(nodes.values(), key=lambda n: self._positions[n.name], reverse=True):
            if not node.users and not has_effects(node) and node.op not in ("placeholder", "output"):
                self.graph.erase_node(node)


def has_effects(node: fx.Node) -> bool:
    """True if the node may write memory or draw random numbers, as far as torch knows; a call of unknown Python
    does."""
    if node.op in ("placeholder", "get_attr", "output"):
        return False
    target: Any = node.target
    if isinstance(target, Overload):
        random = torch.Tag.nondeterministic_seeded in target.tags and not _is_evaluated(target, node)
        return target._schema.is_mutable or random or _updates(node)
    if node.op == "call_function":
        known = (getattr(target, "__module__", None) or "torch").startswith(("torch", "_operator", "math"))
        return not known or _writes(node) or _draws(node) or _updates(node)
    if node.op == "call_module":
        owner: Any = node.graph.owning_module
        module: Any = owner.get_submodule(target)
        return module.training or not type(module).__module__.startswith("torch.nn")
    return _writes(node) or _draws(node)


def is_new(target: Any) -> bool:
    """True if the result of a torch function is in memory of its own.

    Its schema states no alias, and it is not a composite, whose schema need not state one.
    """
    if isinstance(target, Overload):
        overloads = [target]
    elif (getattr(target, "__module__", None) or "torch").startswith(("torch", "_operator")):
        name = str(getattr(target, "__name__", "_"))
        packet: Any = getattr(torch.ops.aten, _OTHERWISE.get(name, name).strip("_") or "_", None)
        overloads = [] if packet is None else [getattr(packet, n) for n in packet.overloads()]
        # What the dispatcher does not know is of TorchScript's numbers.
        overloads = [o for o in overloads if _HAS_KERNEL(o.name()) and not o._schema.is_mutable]
    else:
        return False
    return bool(overloads) and not any(map(_may_be_view, overloads))


_OTHERWISE: Final = {"truediv": "div", "floordiv": "floor_divide", "mod": "remainder", "invert": "bitwise_not"}
"""Functions of Python's operators that have another name in torch."""


def _may_be_view(overload: Any) -> bool:
    returned = any(r.alias_info is not None for r in overload._schema.returns)
    return returned or overload.has_kernel_for_dispatch_key(_COMPOSITE) or overload._schema.name == "aten::_unsafe_view"


_COMPOSITE: Final = torch._C.DispatchKey.CompositeImplicitAutograd  # pyright: ignore[reportPrivateUsage]
_HAS_KERNEL: Final = torch._C._dispatch_has_kernel  # pyright: ignore[reportPrivateUsage]


def _only_draws(node: fx.Node) -> bool:
    """True if the node draws random numbers and writes nothing."""
    target: Any = node.target
    if _updates(node):
        return False
    if isinstance(target, Overload):
        return not target._schema.is_mutable
    known = node.op == "call_method" or (getattr(target, "__module__", None) or "torch").startswith("torch")
    return node.op != "call_module" and known and not _writes(node)


def _writes(node: fx.Node) -> bool:
    """True if a function or method of torch or Python modifies an operand."""
    name = node.target if isinstance(node.target, str) else getattr(node.target, "__name__", "_")
    if name.endswith("_") or node.kwargs.get("inplace", False) is not False or node.kwargs.get("out") is not None:
        return True
    return getattr(operator, name, None) is node.target and name in CHANGING


def _updates(node: fx.Node) -> bool:
    """True if a norm updates the statistics that it is given, which its schema does not say."""
    target: Any = node.target
    name = str(target._schema.name if isinstance(target, Overload) else getattr(target, "__name__", ""))
    if not any(word in name for word in ("batch_norm", "instance_norm")):
        return False
    if isinstance(target, Overload):
        named = {a.name: v for a, v in zip(target._schema.arguments, node.args, strict=False)} | dict(node.kwargs)
    else:
        try:
            given = signature(target).bind(*node.args, **node.kwargs)
        except (TypeError, ValueError):  # a method, or written in C
            return True
        given.apply_defaults()
        named = given.arguments
    if named.get("running_mean", node) is None:
        return False
    return named.get("training", named.get("use_input_stats")) is not False


def _draws(node: fx.Node) -> bool:
    """True if a function or method of torch draws random numbers."""
    name = node.target if isinstance(node.target, str) else getattr(node.target, "__name__", "")
    return any(word in name for word in DRAWING) and node.kwargs.get("training") is not False


def _is_evaluated(target: Any, node: fx.Node) -> bool:
    """True if the operator is called in evaluation mode, and so draws nothing."""
    given = {a.name: v for a, v in zip(target._schema.arguments, node.args, strict=False)} | dict(node.kwargs)
    return given.get("train", given.get("training")) is False


def _meta(target: Any, arguments: Sequence[Any], others: Mapping[str, Any]) -> Any:
    """The metadata value that `torch.export` would record for the call; None if unknown."""

    def held(node: fx.Node) -> Any:
        return node.meta["val"]

    try:
        return target(*fx.map_arg(tuple(arguments), held), **fx.map_arg(dict(others), held))
    except Exception:  # whatever a user's function raises on tensors without data
        return None
