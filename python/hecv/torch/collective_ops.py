"""Reads collectives of `torch.distributed`, functional and in place, as ops `dist.*` on the tensors of a rank, with the
ranks of their group."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import torch.distributed as dist

from hecv.tensors.definitions.op_definition import is_integer
from hecv.tensors.tensor_graph import Node, Operand, Ref, TensorType
from hecv.torch.functional_ops import FunctionalOps, View
from hecv.torch.graph_capture import Unsupported, operator_name
from hecv.torch.op_trace import Call

_REDUCTIONS: Final = ("sum", "avg", "product", "min", "max")
"""By the number of `torch.distributed.ReduceOp`."""


def is_collective(call: Call) -> bool:
    return call.target._schema.name.partition("::")[0] in ("c10d", "_c10d_functional", "_dtensor")


class CollectiveOps:
    """Reads calls of collectives into the ops of a rank."""

    def __init__(self, ops: FunctionalOps) -> None:
        self._ops = ops
        self._communicator = 0

    def read(self, call: Call) -> None:
        """The next collective.

        Raises: Unsupported.
        """
        self._ops.bind(call.made, self._collective(call.target, call))

    def _collective(self, target: Any, call: Call) -> Any:
        a, name = self._ops.arguments(target, call), target._schema.name.partition("::")[2]
        if name in ("wait_tensor", "_wrap_tensor_autograd"):
            return a["tensor"] if "tensor" in a else a["input"]
        group = _group_of(a)
        self._communicator = _communicator_of(a, group)
        base = name.removeprefix("_").rstrip("_").removesuffix("_coalesced")
        handler = getattr(self, f"_{_HANDLERS.get(base, base)}", None) if base in _HANDLERS else None
        if handler is None:
            raise Unsupported(f"the collective `{operator_name(target)}`")
        if "coalesced" in name:
            return self._coalesced(handler, a, call, group)
        return handler(a, call, group)

    @staticmethod
    def _coalesced(handler: Any, a: dict[str, Any], call: Call, group: tuple[int, ...]) -> Any:
        """One collective for each tensor of a list."""
        if "tensors" in a:
            return handler(a, call, group)
        if "output_lists" in a:
            return handler({**a, "output_tensors": a["output_lists"], "input_tensors": a["input_list"]}, call, group)
        if "outputs" in a:
            pairs = zip(a["outputs"], a["inputs"], strict=True)
            return [handler({**a, "output_tensor": o, "input_tensor": i}, call, group) for o, i in pairs]
        return [handler({**a, "input": view}, call, group) for view in a["inputs"]]

    def _joint(self, op: str, view: View | None, kind: TensorType | None, call: Call, **keywords: Operand) -> View:
        """One op `dist.*` on a tensor."""
        keywords["communicator"] = self._communicator
        operands = () if view is None else (self._ops.ref(view),)
        types = [] if kind is None else [kind]
        if kind is None:
            self._ops.nodes.append(Node(op, operands, keywords, (), (), call.place))
            return View(Ref(""), TensorType((), "i1"))
        return View(self._ops.emit(op, operands, dict(keywords), types, call)[0], kind)

    def _all_reduce(self, a: dict[str, Any], call: Call, group: tuple[int, ...]) -> Any:
        if "reduce_op" not in a or isinstance(a["reduce_op"], str):  # functional
            view: Any = a.get("input", a.get("self"))
            reduce = _reduction(a["reduce_op"], view.type)
            made = self._joint("dist.all_reduce", view, view.type, call, reduce=reduce, group=group)
            if call.target._schema.name.endswith("_"):  # pyright: ignore
                self._ops.write(view, made.ref, call)
                return view
            return made
        for view in a["tensors"]:
            reduce = _reduction(a["reduce_op"], view.type)
            made = self._joint("dist.all_reduce", view, view.type, call, reduce=reduce, group=group)
            self._ops.write(view, made.ref, call)
        return [a["tensors"], None]

    def _all_gather(self, a: dict[str, Any], call: Call, group: tuple[int, ...]) -> Any:
        if "output_tensors" in a:
            for outs, view in zip(a["output_tensors"], a["input_tensors"], strict=True):
                made = self._gathered(view, call, group)
                self._hand_out(made, outs, call)
            return [a["output_tensors"], None]
        if "output_tensor" in a:
            made = self._gathered(a["input_tensor"], call, group)
            self._ops.write(a["output_tensor"], self._shaped(made, a["output_tensor"].type, call), call)
            return [a["output_tensor"], None]
        made = self._gathered(a["input"], call, group)
        if a.get("out") is not None:
            self._ops.write(a["out"], made.ref, call)
        return made

    def _gathered(self, view: View, call: Call, group: tuple[int, ...], **target: int) -> View:
        shape = view.type.shape or (1,)
        flat = (
            view
            if view.type.shape
            else View(
                self._shaped(view, TensorType((1,), view.type.element), call), TensorType((1,), view.type.element)
            )
        )
        kind = TensorType((shape[0] * len(group), *shape[1:]), view.type.element)
        return self._joint("dist.gather" if target else "dist.all_gather", flat, kind, call, group=group, **target)

    def _shaped(self, view: View, kind: TensorType, call: Call) -> Ref:
        if view.type.shape == kind.shape:
            return self._ops.ref(view)
        return self._ops.emit("aten.view.default", (self._ops.ref(view), kind.shape), {}, [kind], call)[0]

    def _hand_out(self, whole: View, parts: list[View], call: Call) -> None:
        """Writes consecutive parts of dimension 0."""
        size = whole.type.shape[0] // len(parts)
        kind = TensorType((size, *whole.type.shape[1:]), whole.type.element)
        for k, part in enumerate(parts):
            given = (self._ops.ref(whole), 0, k * size, (k + 1) * size, 1)
            piece = View(self._ops.emit("aten.slice.Tensor", given, {}, [kind], call)[0], kind)
            self._ops.write(part, self._shaped(piece, part.type, call), call)

    def _reduce_scatter(self, a: dict[str, Any], call: Call, group: tuple[int, ...]) -> Any:
        if "input_tensors" in a:
            for out, parts in zip(a["output_tensors"], a["input_tensors"], strict=True):
                if any(p.type.shape != out.type.shape for p in parts):
                    raise Unsupported("a reduce-scatter of parts that differ in size")
                shape = (out.type.shape[0] * len(parts), *out.type.shape[1:])
                kind = TensorType(shape, out.type.element)
                whole = self._ops.emit(
                    "aten.cat.default", (tuple(self._ops.ref(p) for p in parts), 0), {}, [kind], call
                )[0]
                made = self._scattered_sum(View(whole, kind), out.type, call, group, a["reduce_op"])
                self._ops.write(out, made.ref, call)
            return [a["output_tensors"], None]
        if "output_tensor" in a:
            view, out = a["input_tensor"], a["output_tensor"]
            kind = TensorType((out.type.shape[0] * len(group), *out.type.shape[1:]), view.type.element)
            flat = View(self._shaped(view, kind, call), kind)
            made = self._scattered_sum(flat, out.type, call, group, a["reduce_op"])
            self._ops.write(out, made.ref, call)
            return [out, None]
        view = a["input"]
        kind = TensorType((view.type.shape[0] // len(group), *view.type.shape[1:]), view.type.element)
        return self._scattered_sum(view, kind, call, group, a["reduce_op"])

    def _scattered_sum(self, view: View, kind: TensorType, call: Call, group: tuple[int, ...], reduce: Any) -> View:
        return self._joint("dist.reduce_scatter", view, kind, call, reduce=_reduction(reduce, kind), group=group)

    def _all_to_all(self, a: dict[str, Any], call: Call, group: tuple[int, ...]) -> Any:
        if "output_tensors" in a:
            ins, outs = a["input_tensors"], a["output_tensors"]
            sizes = [[v.type.shape[0] for v in views] for views in (outs, ins)]
            element, rest = ins[0].type.element, ins[0].type.shape[1:]
            kind = TensorType((sum(sizes[1]), *rest), element)
            whole = self._ops.emit("aten.cat.default", (tuple(self._ops.ref(v) for v in ins), 0), {}, [kind], call)[0]
            result = TensorType((sum(sizes[0]), *rest), element)
            made = self._exchanged(View(whole, kind), result, sizes[0], sizes[1], call, group)
            start = 0
            for out, size in zip(outs, sizes[0], strict=True):
                given = (self._ops.ref(made), 0, start, start + size, 1)
                self._ops.write(out, self._ops.emit("aten.slice.Tensor", given, {}, [out.type], call)[0], call)
                start += size
            return [outs, None]
        if "output" in a:
            view, out = a["input"], a["output"]
            made = self._exchanged(view, out.type, a["output_split_sizes"], a["input_split_sizes"], call, group)
            self._ops.write(out, made.ref, call)
            return [out, None]
        view, sizes = a["input"], a["output_split_sizes"]
        kind = TensorType((sum(sizes), *view.type.shape[1:]), view.type.element)
        return self._exchanged(view, kind, sizes, a["input_split_sizes"], call, group)

    def _exchanged(self, view: View, kind: TensorType, outs: Any, ins: Any, call: Call, group: tuple[int, ...]) -> View:
        count = len(group)
        sizes = [tuple(s) or (t.shape[0] // count,) * count for s, t in ((outs, kind), (ins, view.type))]
        return self._joint("dist.all_to_all", view, kind, call, outputs=sizes[0], inputs=sizes[1], group=group)

    def _broadcast(self, a: dict[str, Any], call: Call, group: tuple[int, ...]) -> Any:
        if "tensors" in a:
            for view in a["tensors"]:
                made = self._joint("dist.broadcast", view, view.type, call, source=group[a["root_rank"]], group=group)
                self._ops.write(view, made.ref, call)
            return [a["tensors"], None]
        view: Any = a.get("input", a.get("self"))
        made = self._joint("dist.broadcast", view, view.type, call, source=group[a["src"]], group=group)
        if call.target._schema.name.endswith("_"):  # pyright: ignore
            self._ops.write(view, made.ref, call)
            return view
        return made

    def _reduce(self, a: dict[str, Any], call: Call, group: tuple[int, ...]) -> Any:
        for view in a["tensors"]:
            root = group[a["root_rank"]]
            reduce = _reduction(a["reduce_op"], view.type)
            made = self._joint("dist.reduce", view, view.type, call, reduce=reduce, target=root, group=group)
            self._ops.write(view, made.ref, call)
        return [a["tensors"], None]

    def _send(self, a: dict[str, Any], call: Call, group: tuple[int, ...]) -> Any:
        for view in a["tensors"]:
            self._joint("dist.send", view, None, call, peer=group[a["dst"]], tag=a["tag"], within=group)

    def _recv(self, a: dict[str, Any], call: Call, group: tuple[int, ...]) -> Any:
        for view in a["tensors"]:
            rest = {"tag": a["tag"], "within": group, "blocks": call.blocks}
            made = self._joint("dist.recv", None, view.type, call, peer=group[a["src"]], **rest)
            self._ops.write(view, made.ref, call)

    def _scatter(self, a: dict[str, Any], call: Call, group: tuple[int, ...]) -> Any:
        root = group[a["root_rank"]]
        for k, out in enumerate(a["output_tensors"]):
            parts = a["input_tensors"][k] if a["input_tensors"] else []
            refs = tuple(self._ops.ref(p) for p in parts)
            node_op = Node(
                "dist.scatter",
                (refs,),
                {"source": root, "group": group, "communicator": self._communicator},
                (self._ops.fresh(f"%{call.name}"),),
                (out.type,),
                call.place,
            )
            self._ops.nodes.append(node_op)
            self._ops.write(out, Ref(node_op.results[0]), call)
        return [a["output_tensors"], None]

    def _gather(self, a: dict[str, Any], call: Call, group: tuple[int, ...]) -> Any:
        root = group[a["root_rank"]]
        for k, view in enumerate(a["input_tensors"]):
            whole = self._gathered(view, call, group, target=root)
            if a["output_tensors"] and root == dist.get_rank():
                self._hand_out(whole, a["output_tensors"][k], call)
        return [a["output_tensors"], None]

    def _barrier(self, a: dict[str, Any], call: Call, group: tuple[int, ...]) -> Any:
        self._joint("dist.barrier", None, None, call, group=group)


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


def _reduction(given: Any, kind: TensorType) -> str:
    name = given.lower() if isinstance(given, str) else dict(enumerate(_REDUCTIONS)).get(given.op(), "")
    if name not in _REDUCTIONS or kind.element == "i1" or (name == "avg" and is_integer(kind.element)):
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
