"""Captures the program of one rank, or the sequential one, as a graph of tensors: `make_fx`, forward and backward.

Ops that change a tensor in place are replaced by functional ones here, collectives included: a write makes a new value
of the storage, and every alias is read from it anew. Collectives become ops `dist.*` with the ranks of their group.
"""

from __future__ import annotations

import inspect
import operator
import sys
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Final

import torch
import torch.distributed as dist
from msgspec.structs import replace
from torch import fx, nn
from torch._decomp import get_decompositions
from torch.fx.experimental.proxy_tensor import get_proxy_mode, make_fx
from torch.nn.attention import SDPBackend, sdpa_kernel

from hecv.tensors.graph_values import operands_of
from hecv.tensors.tensor_graph import Leaf, Node, Operand, Ref, TensorGraph, TensorType
from hecv.torch.graph_capture import (
    Unsupported,
    array_of,
    operator_name,
    place_of,
    type_of,
    user_frames,
)
from hecv.torch.logged_tensors import logging_to
from hecv.torch.module_calls import ELEMENTS
from hecv.torch.pytrees import filled, leaves

_OVERLOAD: Any = torch._ops.OpOverload  # pyright: ignore[reportPrivateUsage]

_REDUCTIONS: Final = ("sum", "avg", "product", "min", "max")
"""By the number of `torch.distributed.ReduceOp`."""

_RESHAPES: Final = ("view", "reshape", "_unsafe_view", "unsqueeze", "squeeze", "flatten", "unflatten", "_reshape_alias")
_SAME: Final = ("detach", "alias", "view_as", "lift_fresh")
_NORMS: Final[Any] = get_decompositions([torch.ops.aten.native_batch_norm, torch.ops.aten.native_batch_norm_backward])
"""Ops that change running statistics although their schema does not say so."""

_LOGGED: Final = "hecv::log_tensor"
torch.library.define(_LOGGED, "(Tensor x, str name) -> Tensor")
torch.library.impl(_LOGGED, "CompositeExplicitAutograd", lambda x, name: x.clone())


def start_group(rank: int, size: int) -> None:
    """Makes the default process group a fake one, in which collectives move no data."""
    from torch.testing._internal.distributed.fake_pg import FakeStore

    dist.init_process_group("fake", rank=rank, world_size=size, store=FakeStore())


def capture_rank(model: Any, arguments: tuple[Any, ...], name: str) -> TensorGraph:
    """The program as a graph of tensors. Inputs have the names of the parameters of `forward` (with keys and places of
    what lies in structures), parameters and buffers their paths, results `out`, `out.0`, or their keys. Values that the
    program logs (`hecv.log_tensor`) have the names that it says.

    A DTensor is the part of it that this rank has.

    Raises: Unsupported.
    """
    state = _state(model) if isinstance(model, nn.Module) else {}
    given = leaves(arguments)
    inputs = {_input_name(model, path): t for path, t in given if isinstance(t, torch.Tensor)}
    tensors = {**state, **inputs}
    local = {n: _local(t) for n, t in tensors.items()}
    arrays = {n: array_of(t) for n, t in local.items()}  # the trace runs the program, which may change them
    shape: list[tuple[Any, ...]] = []
    assigned: list[str] = []
    logged: list[torch.Tensor] = []

    def log(tensor: Any, name: str) -> None:
        with torch.no_grad():
            logged.append(torch.ops.hecv.log_tensor(_plain(tensor), name))

    def flat(*values: torch.Tensor) -> list[torch.Tensor]:
        held = {n: _placed(value, t) for value, (n, t) in zip(values, tensors.items(), strict=True)}
        filled_in = filled(arguments, [held[n] for n in inputs])
        if isinstance(model, nn.Module):
            made = torch.func.functional_call(model, {n: held[n] for n in state}, filled_in, tie_weights=False)
        else:
            made = model(*filled_in)
        found = [(path, t) for path, t in leaves(made) if isinstance(t, (torch.Tensor, bool, int, float))]
        shape[:] = [path for path, _ in found]
        assigned[:] = [n for n, t in held.items() if any(t is a for a in others)]
        return [_plain(t) for _, t in found] + [_plain(held[n].detach()) for n in assigned] + logged

    with user_frames(), logging_to(log), _data_assignments() as others, sdpa_kernel(SDPBackend.MATH):
        trace = make_fx(flat, _NORMS, tracing_mode="real", record_stack_traces=True)
        traced = trace(*local.values())
    reader = _Reader(traced)
    for n, tensor in tensors.items():
        kind = "input" if n in inputs else "parameter" if isinstance(tensor, nn.Parameter) else "buffer"
        reader.give(n, kind, local[n], arrays[n])
    made = reader.read()
    outputs = [(_output_name(path), ref) for path, ref in zip(shape, made, strict=False)]
    after = dict(reader.changed()) | dict(zip(assigned, made[len(shape) :], strict=False))
    outputs += [(f"{n}.after", after[n]) for n in tensors if n in after]
    nodes = _live(reader.nodes, [ref for _, ref in outputs])
    graph = TensorGraph(name, tuple(reader.leaves), tuple(nodes), tuple(outputs), reader.arrays)
    return _renamed(graph, reader.logged())


def _live(nodes: Sequence[Node], outputs: Sequence[Ref]) -> list[Node]:
    """The ops that results depend on, and all that other ranks take part in."""
    needed, found = {ref.name for ref in outputs}, list[Node]()
    for node in reversed(nodes):
        if node.op.startswith("dist.") or needed.intersection(node.results):
            needed |= set(operands_of(node))
            found.append(node)
    return found[::-1]


def _renamed(graph: TensorGraph, names: Mapping[str, str]) -> TensorGraph:
    """The graph with other names for some values of its ops."""

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


@contextmanager
def _data_assignments() -> Generator[list[torch.Tensor]]:
    """Lets a trace see `t.data = x`: from then on `t` is what `x` is. Gives the tensors that were assigned to."""
    kind: Any = torch.Tensor
    assigned: list[torch.Tensor] = []
    kept = torch._C.TensorBase.data  # pyright: ignore

    def assign(tensor: torch.Tensor, value: torch.Tensor) -> None:
        kept.__set__(tensor, value)
        mode = get_proxy_mode()
        if mode is None:
            return
        tracker: Any = mode.tracer.tensor_tracker
        assigned.append(tensor)
        if value in tracker:
            tracker[tensor] = tracker[value]
        elif tensor in tracker:
            del tracker[tensor]

    kind.data = property(lambda tensor: kept.__get__(tensor), assign)
    try:
        yield assigned
    finally:
        del kind.data


def _state(module: nn.Module) -> dict[str, torch.Tensor]:
    return {**dict(module.named_parameters()), **dict(module.named_buffers())}


def _is_dtensor(tensor: Any) -> bool:
    made = sys.modules.get("torch.distributed.tensor")
    return made is not None and isinstance(tensor, made.DTensor)


def _local(tensor: torch.Tensor) -> torch.Tensor:
    """What this rank has of a tensor."""
    if not _is_dtensor(tensor):
        return tensor
    part: Any = tensor
    return part.to_local().detach().requires_grad_(tensor.requires_grad)


def _placed(value: torch.Tensor, like: Any) -> torch.Tensor:
    """A part as a DTensor with the mesh and placements of another one; a plain tensor as it is."""
    if not _is_dtensor(like):
        return value
    kind: Any = sys.modules["torch.distributed.tensor"].DTensor
    mesh, placements = like.device_mesh, like.placements
    return kind.from_local(value, mesh, placements, run_check=False, shape=like.shape, stride=like.stride())


def _plain(tensor: Any) -> torch.Tensor:
    if isinstance(tensor, (bool, int, float)):
        return torch.tensor(tensor, dtype=torch.float64 if isinstance(tensor, float) else None)
    if _is_dtensor(tensor):
        tensor = tensor.to_local()
    wait = getattr(tensor, "wait", None)  # of a functional collective that is under way
    return wait() if wait is not None and type(tensor) is not torch.Tensor else tensor


def _input_name(model: Any, path: Sequence[Any]) -> str:
    function = model.forward if isinstance(model, nn.Module) else model
    first, *rest = path
    name = f"input{first}"
    with suppress(ValueError, TypeError):
        names = [p.name for p in inspect.signature(function).parameters.values() if p.kind != p.VAR_POSITIONAL]
        name = names[first] if isinstance(first, int) and first < len(names) else name
    return ".".join([name, *map(str, rest)])


def _output_name(path: Sequence[Any]) -> str:
    return ".".join(["out", *map(str, path)] if not path or isinstance(path[0], int) else map(str, path))


class _Storage:
    """A tensor that views share: how often it was written, and whether it is a constant of the program."""

    __slots__ = ("constant", "version")

    def __init__(self) -> None:
        self.version, self.constant = 0, False


class _View:
    """A value that an fx node stands for: a storage, or a view of another value."""

    __slots__ = ("made", "operands", "parent", "ref", "storage", "type", "version")

    def __init__(self, ref: Ref, kind: TensorType, parent: _View | None = None, made: Any = None) -> None:
        self.ref, self.type, self.parent = ref, kind, parent
        self.storage: _Storage = _Storage() if parent is None else parent.storage
        self.version = self.storage.version
        self.made: tuple[str, tuple[Operand, ...], fx.Node] | None = made


class _Reader:
    """Reads a traced graph. `values` has what each node stands for: a view, a number, or a list of these."""

    def __init__(self, module: fx.GraphModule) -> None:
        self._module = module
        self._values: dict[fx.Node, Any] = {}
        self._placeholders = iter([n for n in module.graph.nodes if n.op == "placeholder"])
        self._given: dict[str, _View] = {}
        self._names: set[str] = set()
        self._communicator = 0
        self._logged: list[tuple[str, str]] = []
        self.leaves: list[Leaf] = []
        self.nodes: list[Node] = []
        self.arrays: dict[str, Any] = {}

    def give(self, name: str, kind: str, tensor: torch.Tensor, array: Any) -> None:
        """The next argument of the graph, and its value before the program runs."""
        view = self._leaf(name, kind, tensor, array)
        self._values[next(self._placeholders)] = self._given[name] = view

    def _leaf(self, name: str, kind: str, tensor: torch.Tensor, array: Any) -> _View:
        found = type_of(tensor)
        self.leaves.append(Leaf(name, found, kind))
        self.arrays[name] = array
        return _View(Ref(name), found)

    def changed(self) -> list[tuple[str, Ref]]:
        """The leaves that the program writes, and their values behind it."""
        return [(n, self._ref(view)) for n, view in self._given.items() if view.storage.version]

    def logged(self) -> dict[str, str]:
        """The names that the program gives to values of its ops; what has a name already keeps it."""
        taken, found = {leaf.name for leaf in self.leaves}, dict[str, str]()
        for value, name in self._logged:
            if value in taken or value in found:
                continue
            free, count = name, 1
            while free in taken:
                free, count = f"{name}.{count}", count + 1
            taken.add(free)
            found[value] = free
        return found

    def read(self) -> list[Ref]:
        """Reads all nodes; the values that the program returns."""
        for node in self._module.graph.nodes:
            if node.op == "output":
                return [self._ref(self._values[n]) for n in node.args[0]]
            if node.op == "get_attr":
                found: Any = self._module
                for part in node.target.split("."):
                    found = getattr(found, part)
                self._values[node] = found
                if isinstance(found, torch.Tensor):
                    view = self._leaf(f"constant.{node.target}", "constant", found, array_of(found))
                    view.storage.constant = True
                    self._values[node] = view
            elif node.op == "call_function":
                self._values[node] = self._call(node)
        raise AssertionError("a graph without an output")

    # Aliases

    def _ref(self, view: _View) -> Ref:
        """The value of a view as its storage is now."""
        if view.version != view.storage.version:
            assert view.parent is not None and view.made is not None
            op, operands, node = view.made
            parent = self._ref(view.parent)
            view.ref = self._emit(op, (parent, *operands[1:]), {}, [view.type], node)[0]
            view.version = view.storage.version
        return view.ref

    def _write(self, view: _View, value: Ref, node: fx.Node) -> None:
        """Makes `value` the contents of a view, and so of its storage."""
        if view.parent is not None:
            self._ref(view.parent)
            self._write(view.parent, self._scattered(view, value, node), node)
        elif view.storage.constant:
            raise Unsupported("the program changes a tensor that is no input, parameter or buffer of it")
        else:
            view.storage.version += 1
        view.ref, view.version = value, view.storage.version

    def _scattered(self, view: _View, value: Ref, node: fx.Node) -> Ref:
        """The value of a view's parent, with `value` in the place of the view."""
        assert view.parent is not None and view.made is not None
        op, operands, _ = view.made
        parent, kind = self._ref(view.parent), view.parent.type
        name = op.split(".")[1]
        if name in _RESHAPES:
            return self._emit("aten.view.default", (value, kind.shape), {}, [kind], node)[0]
        if name in _SAME:
            return value
        if name in ("t", "transpose", "numpy_T"):
            return self._emit(op, (value, *operands[1:]), {}, [kind], node)[0]
        if name == "permute":
            order = [d % len(kind.shape) for d in operands[1]]  # pyright: ignore
            back = tuple(order.index(d) for d in range(len(order)))
            return self._emit("aten.permute.default", (value, back), {}, [kind], node)[0]
        if name in ("slice", "select"):
            return self._emit(f"aten.{name}_scatter.default", (parent, value, *operands[1:]), {}, [kind], node)[0]
        raise Unsupported(f"a write to what `{op}` gives")

    # Nodes

    def _call(self, node: fx.Node) -> Any:
        target: Any = node.target
        if target is operator.getitem:
            return self._values[node.args[0]][node.args[1]]  # pyright: ignore
        if not isinstance(target, _OVERLOAD):
            raise Unsupported(f"the program calls `{getattr(target, '__name__', target)}`")
        if target._schema.name == _LOGGED:
            view, name = self._values[node.args[0]], node.args[1]  # pyright: ignore
            self._logged.append((self._ref(view).name, str(name)))
            return view
        space = target._schema.name.partition("::")[0]
        if space in ("c10d", "_c10d_functional", "_dtensor"):
            return self._collective(target, node)
        return self._op(target, node)

    def _arguments(self, target: Any, node: fx.Node) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for position, argument in enumerate(target._schema.arguments):
            if position < len(node.args) and not argument.kwarg_only:
                value: Any = node.args[position]
            else:
                value = node.kwargs.get(argument.name, argument.default_value)
            found[argument.name] = self._value(value)
        return found

    def _value(self, value: Any) -> Any:
        if isinstance(value, fx.Node):
            return self._values[value]
        return [self._value(v) for v in value] if isinstance(value, (list, tuple)) else value

    def _operand(self, value: Any) -> Operand:
        match value:
            case _View():
                return self._ref(value)
            case bool() | int() | float() | str() | None:
                return value
            case list() | tuple():
                return tuple(self._operand(v) for v in value)
            case torch.dtype():
                return ELEMENTS.get(value, str(value))
            case torch.device() | torch.layout() | torch.memory_format():
                return str(value).removeprefix("torch.")
            case _:
                raise Unsupported(f"an operand is a `{type(value).__name__}`")

    def _op(self, target: Any, node: fx.Node) -> Any:
        arguments, schema = self._arguments(target, node), target._schema
        if torch.Tag.nondeterministic_seeded in target.tags and _draws(arguments):
            raise Unsupported(f"`{operator_name(target)}` draws random numbers")
        written = [a.name for a in schema.arguments if a.alias_info is not None and a.alias_info.is_write]
        made = node.meta.get("val")
        if torch.Tag.inplace_view in target.tags and schema.name != "aten::detach_":
            return self._reshaped(target, node, arguments)
        if written and schema.name not in ("aten::detach_", "aten::lift_fresh_copy"):
            return self._in_place(target, node, arguments, written)
        whole = list(made) if isinstance(made, (list, tuple)) else [made]
        tensors = [t for t in whole if t is not None]
        if not tensors or not all(isinstance(t, torch.Tensor) for t in tensors):
            if not schema.returns:
                return None  # a check of what the trace has fixed
            raise Unsupported(f"`{operator_name(target)}` gives a number that depends on values")
        if schema.name == "aten::as_strided":
            return self._strided(node, arguments, tensors[0])
        operands = tuple(self._operand(v) for _, v in self._split(schema, arguments, False))
        keywords = {a: self._operand(v) for a, v in self._split(schema, arguments, True)}
        name, types = operator_name(target), [type_of(t) for t in tensors]
        first: Any = next(iter(arguments.values()), None)
        shares = any(r.alias_info is not None for r in schema.returns) and isinstance(first, _View)
        if shares and isinstance(made, (list, tuple)):
            return self._parts(first, name, operands, types, node)
        refs = self._emit(name, operands, keywords, types, node)
        views = [
            _View(r, t, first if shares else None, (name, operands, node)) for r, t in zip(refs, types, strict=True)
        ]
        if not isinstance(made, (list, tuple)):
            return views[0]
        left = iter(views)
        return [None if t is None else next(left) for t in whole]

    def _reshaped(self, target: Any, node: fx.Node, arguments: dict[str, Any]) -> _View:
        """What `squeeze_`, `t_` and their like give: a view. No element of the storage changes, and what reads the
        tensor from here on reads this node."""
        view: Any = arguments["self"]
        name = operator_name(target).replace("_.", ".").replace("transpose.default", "transpose.int")
        if name.split(".")[1] not in (*_RESHAPES, "t", "transpose"):
            raise Unsupported(f"`{operator_name(target)}` changes the sizes of a tensor in place")
        if any(view is given for given in self._given.values()):
            raise Unsupported(f"`{operator_name(target)}` changes the sizes of an input or parameter in place")
        operands = tuple(self._operand(v) for v in arguments.values())
        kind = type_of(node.meta["val"])
        ref = self._emit(name, operands, {}, [kind], node)[0]
        return _View(ref, kind, view, (name, operands, node))

    def _strided(self, node: fx.Node, arguments: Mapping[str, Any], made: torch.Tensor) -> _View:
        """A view by strides that has all elements of a contiguous tensor in their order.

        Raises: Unsupported for another one.
        """
        whole: Any = node.args[0]
        source = whole.meta["val"]
        plain = source.is_contiguous() and made.is_contiguous() and made.numel() == source.numel()
        if not plain or (arguments["storage_offset"] or 0) != source.storage_offset():
            raise Unsupported("`aten.as_strided` of a part of a tensor")
        view, kind = arguments["self"], type_of(made)
        ref = self._emit("aten.view.default", (self._ref(view), kind.shape), {}, [kind], node)[0]
        return _View(ref, kind, view, ("aten.view.default", (ref, kind.shape), node))

    def _parts(
        self, whole: _View, name: str, operands: tuple[Operand, ...], types: list[TensorType], node: fx.Node
    ) -> Any:
        """The views that a split or unbind gives, each as a slice."""
        place = 1 if "unbind" in name else 2
        dim = operands[place] if len(operands) > place else 0
        assert isinstance(dim, int)
        found, start = [], 0
        axis = dim % len(whole.type.shape)
        for k, kind in enumerate(types):
            if "unbind" in name:
                op, given = "aten.select.int", (self._ref(whole), axis, k)
            else:
                op, given = "aten.slice.Tensor", (self._ref(whole), axis, start, start + kind.shape[axis], 1)
                start += kind.shape[axis]
            ref = self._emit(op, given, {}, [kind], node)[0]
            found.append(_View(ref, kind, whole, (op, given, node)))
        return found

    @staticmethod
    def _split(schema: Any, arguments: Mapping[str, Any], keyword: bool) -> list[tuple[str, Any]]:
        return [(a.name, arguments[a.name]) for a in schema.arguments if a.kwarg_only == keyword and not a.is_out]

    def _in_place(self, target: Any, node: fx.Node, arguments: dict[str, Any], written: list[str]) -> Any:
        """The functional op of the same name, and a write of its result."""
        schema = target._schema
        space, _, name = schema.name.partition("::")
        plain, overload = name.rstrip("_") if not name.startswith("__") else name, schema.overload_name
        view = arguments[written[0]]
        outs = [a.name for a in schema.arguments if a.is_out]
        if len(written) > 1 or not isinstance(view, _View):
            raise Unsupported(f"`{operator_name(target)}` writes several tensors")
        if outs:
            overload = {"out": "default", "Tensor_out": "Tensor"}.get(overload, overload.removesuffix("_out"))
        functional: Any = getattr(getattr(getattr(torch.ops, space), plain, None), overload or "default", None)
        if plain == "zero":
            functional, arguments = torch.ops.aten.zeros_like.default, {"self": view}
        if functional is None:
            raise Unsupported(f"`{operator_name(target)}` has no functional form")
        accepted: list[Any] = list(functional._schema.arguments)
        operands = tuple(self._operand(arguments.get(a.name)) for a in accepted if not a.kwarg_only)
        keywords = {a.name: self._operand(arguments.get(a.name)) for a in accepted if a.kwarg_only}
        new = self._emit(operator_name(functional), operands, keywords, [view.type], node)[0]
        self._write(view, new, node)
        return view

    def _emit(
        self,
        op: str,
        operands: tuple[Operand, ...],
        keywords: dict[str, Operand],
        types: Sequence[TensorType],
        node: fx.Node,
    ) -> list[Ref]:
        base = f"%{node.name}"
        names = [base] if len(types) == 1 else [f"{base}.{k}" for k in range(len(types))]
        fresh = [self._fresh(n) for n in names]
        self.nodes.append(Node(op, operands, keywords, tuple(fresh), tuple(types), place_of(node)))
        return [Ref(n) for n in fresh]

    def _fresh(self, name: str) -> str:
        found, count = name, 1
        while found in self._names:
            found, count = f"{name}'{count}", count + 1
        self._names.add(found)
        return found

    # Collectives

    def _collective(self, target: Any, node: fx.Node) -> Any:
        a, name = self._arguments(target, node), target._schema.name.partition("::")[2]
        if name in ("wait_tensor", "_wrap_tensor_autograd"):
            return a["tensor"] if "tensor" in a else a["input"]
        group = _group_of(a)
        self._communicator = _communicator_of(a, group)
        base = name.removeprefix("_").rstrip("_").removesuffix("_coalesced")
        handler = getattr(self, f"_{_HANDLERS.get(base, base)}", None) if base in _HANDLERS else None
        if handler is None:
            raise Unsupported(f"the collective `{operator_name(target)}`")
        if "coalesced" in name:
            return self._coalesced(handler, a, node, group)
        return handler(a, node, group)

    @staticmethod
    def _coalesced(handler: Any, a: dict[str, Any], node: fx.Node, group: tuple[int, ...]) -> Any:
        """One collective for each tensor of a list."""
        if "tensors" in a:
            return handler(a, node, group)
        if "output_lists" in a:
            return handler({**a, "output_tensors": a["output_lists"], "input_tensors": a["input_list"]}, node, group)
        if "outputs" in a:
            pairs = zip(a["outputs"], a["inputs"], strict=True)
            return [handler({**a, "output_tensor": o, "input_tensor": i}, node, group) for o, i in pairs]
        return [handler({**a, "input": view}, node, group) for view in a["inputs"]]

    def _joint(self, op: str, view: _View | None, kind: TensorType | None, node: fx.Node, **keywords: Operand) -> _View:
        """One op `dist.*` on a tensor."""
        keywords["communicator"] = self._communicator
        operands = () if view is None else (self._ref(view),)
        types = [] if kind is None else [kind]
        if kind is None:
            self.nodes.append(Node(op, operands, keywords, (), (), place_of(node)))
            return _View(Ref(""), TensorType((), "i1"))
        return _View(self._emit(op, operands, dict(keywords), types, node)[0], kind)

    def _all_reduce(self, a: dict[str, Any], node: fx.Node, group: tuple[int, ...]) -> Any:
        if "reduce_op" not in a or isinstance(a["reduce_op"], str):  # functional
            view: Any = a.get("input", a.get("self"))
            reduce = _reduction(a["reduce_op"], view.type)
            made = self._joint("dist.all_reduce", view, view.type, node, reduce=reduce, group=group)
            if node.target._schema.name.endswith("_"):  # pyright: ignore
                self._write(view, made.ref, node)
                return view
            return made
        for view in a["tensors"]:
            reduce = _reduction(a["reduce_op"], view.type)
            made = self._joint("dist.all_reduce", view, view.type, node, reduce=reduce, group=group)
            self._write(view, made.ref, node)
        return [a["tensors"], None]

    def _all_gather(self, a: dict[str, Any], node: fx.Node, group: tuple[int, ...]) -> Any:
        if "output_tensors" in a:
            for outs, view in zip(a["output_tensors"], a["input_tensors"], strict=True):
                made = self._gathered(view, node, group)
                self._hand_out(made, outs, node)
            return [a["output_tensors"], None]
        if "output_tensor" in a:
            made = self._gathered(a["input_tensor"], node, group)
            self._write(a["output_tensor"], self._shaped(made, a["output_tensor"].type, node), node)
            return [a["output_tensor"], None]
        made = self._gathered(a["input"], node, group)
        if a.get("out") is not None:
            self._write(a["out"], made.ref, node)
        return made

    def _gathered(self, view: _View, node: fx.Node, group: tuple[int, ...], **target: int) -> _View:
        shape = view.type.shape or (1,)
        flat = (
            view
            if view.type.shape
            else _View(
                self._shaped(view, TensorType((1,), view.type.element), node), TensorType((1,), view.type.element)
            )
        )
        kind = TensorType((shape[0] * len(group), *shape[1:]), view.type.element)
        return self._joint("dist.gather" if target else "dist.all_gather", flat, kind, node, group=group, **target)

    def _shaped(self, view: _View, kind: TensorType, node: fx.Node) -> Ref:
        if view.type.shape == kind.shape:
            return self._ref(view)
        return self._emit("aten.view.default", (self._ref(view), kind.shape), {}, [kind], node)[0]

    def _hand_out(self, whole: _View, parts: list[_View], node: fx.Node) -> None:
        """Writes consecutive parts of dimension 0."""
        size = whole.type.shape[0] // len(parts)
        kind = TensorType((size, *whole.type.shape[1:]), whole.type.element)
        for k, part in enumerate(parts):
            given = (self._ref(whole), 0, k * size, (k + 1) * size, 1)
            piece = _View(self._emit("aten.slice.Tensor", given, {}, [kind], node)[0], kind)
            self._write(part, self._shaped(piece, part.type, node), node)

    def _reduce_scatter(self, a: dict[str, Any], node: fx.Node, group: tuple[int, ...]) -> Any:
        if "input_tensors" in a:
            for out, parts in zip(a["output_tensors"], a["input_tensors"], strict=True):
                if any(p.type.shape != out.type.shape for p in parts):
                    raise Unsupported("a reduce-scatter of parts that differ in size")
                shape = (out.type.shape[0] * len(parts), *out.type.shape[1:])
                kind = TensorType(shape, out.type.element)
                whole = self._emit("aten.cat.default", (tuple(self._ref(p) for p in parts), 0), {}, [kind], node)[0]
                made = self._scattered_sum(_View(whole, kind), out.type, node, group, a["reduce_op"])
                self._write(out, made.ref, node)
            return [a["output_tensors"], None]
        if "output_tensor" in a:
            view, out = a["input_tensor"], a["output_tensor"]
            kind = TensorType((out.type.shape[0] * len(group), *out.type.shape[1:]), view.type.element)
            flat = _View(self._shaped(view, kind, node), kind)
            made = self._scattered_sum(flat, out.type, node, group, a["reduce_op"])
            self._write(out, made.ref, node)
            return [out, None]
        view = a["input"]
        kind = TensorType((view.type.shape[0] // len(group), *view.type.shape[1:]), view.type.element)
        return self._scattered_sum(view, kind, node, group, a["reduce_op"])

    def _scattered_sum(
        self, view: _View, kind: TensorType, node: fx.Node, group: tuple[int, ...], reduce: Any
    ) -> _View:
        return self._joint("dist.reduce_scatter", view, kind, node, reduce=_reduction(reduce, kind), group=group)

    def _all_to_all(self, a: dict[str, Any], node: fx.Node, group: tuple[int, ...]) -> Any:
        if "output_tensors" in a:
            ins, outs = a["input_tensors"], a["output_tensors"]
            sizes = [[v.type.shape[0] for v in views] for views in (outs, ins)]
            element, rest = ins[0].type.element, ins[0].type.shape[1:]
            kind = TensorType((sum(sizes[1]), *rest), element)
            whole = self._emit("aten.cat.default", (tuple(self._ref(v) for v in ins), 0), {}, [kind], node)[0]
            result = TensorType((sum(sizes[0]), *rest), element)
            made = self._exchanged(_View(whole, kind), result, sizes[0], sizes[1], node, group)
            start = 0
            for out, size in zip(outs, sizes[0], strict=True):
                given = (self._ref(made), 0, start, start + size, 1)
                self._write(out, self._emit("aten.slice.Tensor", given, {}, [out.type], node)[0], node)
                start += size
            return [outs, None]
        if "output" in a:
            view, out = a["input"], a["output"]
            made = self._exchanged(view, out.type, a["output_split_sizes"], a["input_split_sizes"], node, group)
            self._write(out, made.ref, node)
            return [out, None]
        view, sizes = a["input"], a["output_split_sizes"]
        kind = TensorType((sum(sizes), *view.type.shape[1:]), view.type.element)
        return self._exchanged(view, kind, sizes, a["input_split_sizes"], node, group)

    def _exchanged(
        self, view: _View, kind: TensorType, outs: Any, ins: Any, node: fx.Node, group: tuple[int, ...]
    ) -> _View:
        count = len(group)
        sizes = [tuple(s) or (t.shape[0] // count,) * count for s, t in ((outs, kind), (ins, view.type))]
        return self._joint("dist.all_to_all", view, kind, node, outputs=sizes[0], inputs=sizes[1], group=group)

    def _broadcast(self, a: dict[str, Any], node: fx.Node, group: tuple[int, ...]) -> Any:
        if "tensors" in a:
            for view in a["tensors"]:
                made = self._joint("dist.broadcast", view, view.type, node, source=group[a["root_rank"]], group=group)
                self._write(view, made.ref, node)
            return [a["tensors"], None]
        view: Any = a.get("input", a.get("self"))
        made = self._joint("dist.broadcast", view, view.type, node, source=group[a["src"]], group=group)
        if node.target._schema.name.endswith("_"):  # pyright: ignore
            self._write(view, made.ref, node)
            return view
        return made

    def _reduce(self, a: dict[str, Any], node: fx.Node, group: tuple[int, ...]) -> Any:
        for view in a["tensors"]:
            root = group[a["root_rank"]]
            reduce = _reduction(a["reduce_op"], view.type)
            made = self._joint("dist.reduce", view, view.type, node, reduce=reduce, target=root, group=group)
            self._write(view, made.ref, node)
        return [a["tensors"], None]

    def _send(self, a: dict[str, Any], node: fx.Node, group: tuple[int, ...]) -> Any:
        for view in a["tensors"]:
            self._joint("dist.send", view, None, node, peer=group[a["dst"]], tag=a["tag"])

    def _recv(self, a: dict[str, Any], node: fx.Node, group: tuple[int, ...]) -> Any:
        for view in a["tensors"]:
            made = self._joint("dist.recv", None, view.type, node, peer=group[a["src"]], tag=a["tag"])
            self._write(view, made.ref, node)

    def _scatter(self, a: dict[str, Any], node: fx.Node, group: tuple[int, ...]) -> Any:
        root = group[a["root_rank"]]
        for k, out in enumerate(a["output_tensors"]):
            parts = a["input_tensors"][k] if a["input_tensors"] else []
            refs = tuple(self._ref(p) for p in parts)
            node_op = Node(
                "dist.scatter",
                (refs,),
                {"source": root, "group": group, "communicator": self._communicator},
                (self._fresh(f"%{node.name}"),),
                (out.type,),
                place_of(node),
            )
            self.nodes.append(node_op)
            self._write(out, Ref(node_op.results[0]), node)
        return [a["output_tensors"], None]

    def _gather(self, a: dict[str, Any], node: fx.Node, group: tuple[int, ...]) -> Any:
        root = group[a["root_rank"]]
        for k, view in enumerate(a["input_tensors"]):
            whole = self._gathered(view, node, group, target=root)
            if a["output_tensors"] and root == dist.get_rank():
                self._hand_out(whole, a["output_tensors"][k], node)
        return [a["output_tensors"], None]

    def _barrier(self, a: dict[str, Any], node: fx.Node, group: tuple[int, ...]) -> Any:
        self._joint("dist.barrier", None, None, node, group=group)


_HANDLERS: Final = {
    **dict.fromkeys(("allreduce", "all_reduce"), "all_reduce"),
    **dict.fromkeys(
        (
            *("allgather", "allgather_base", "allgather_into_tensor"),
            *("all_gather_into_tensor", "all_gather_into_tensor_out"),
        ),
        "all_gather",
    ),
    **dict.fromkeys(("reduce_scatter", "reduce_scatter_base", "reduce_scatter_tensor"), "reduce_scatter"),
    **dict.fromkeys(("alltoall", "alltoall_base", "all_to_all_single"), "all_to_all"),
    **{name: name for name in ("broadcast", "reduce", "send", "recv", "scatter", "gather", "barrier")},
}


def _draws(arguments: Mapping[str, Any]) -> bool:
    """Whether an op that may draw random numbers does so: a dropout of nothing does not."""
    chance = arguments.get("dropout_p", arguments.get("p"))
    return chance != 0 and arguments.get("train", arguments.get("training", True)) is not False


def _reduction(given: Any, kind: TensorType) -> str:
    name = given.lower() if isinstance(given, str) else dict(enumerate(_REDUCTIONS)).get(given.op(), "")
    if name not in _REDUCTIONS or kind.element == "i1":
        raise Unsupported(f"a reduction of {kind} over ranks by {name or 'bits'}")
    return name


def _group_of(arguments: Mapping[str, Any]) -> tuple[int, ...]:
    """The ranks of the group that a collective names, in its order."""
    return tuple(dist.get_process_group_ranks(_named_group(arguments)))


def _named_group(arguments: Mapping[str, Any]) -> Any:
    found = arguments.get("process_group")
    if found is not None:
        return dist.ProcessGroup.unbox(found)
    return dist.distributed_c10d._resolve_process_group(arguments["group_name"])  # pyright: ignore


def _communicator_of(arguments: Mapping[str, Any], group: tuple[int, ...]) -> int:
    """Which of the groups of these ranks a collective names, in the order in which they were made."""
    known: Any = dist.distributed_c10d._world.pg_names  # pyright: ignore
    alike = [g for g in known if tuple(dist.get_process_group_ranks(g)) == group]
    named = _named_group(arguments).group_name
    return next((k for k, g in enumerate(alike) if g.group_name == named), 0)
