"""Captures the program of one rank, or the sequential one, as a graph of tensors, forward and backward.

Its ops are traced (`op_trace`) and made functional (`functional_ops`); collectives become ops `dist.*` with the ranks
of their group (`collective_ops`).
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Collection, Sequence
from contextlib import suppress
from itertools import count
from typing import Any, Final

import torch
import torch.distributed as dist
from msgspec.structs import replace
from torch import nn
from torch._decomp import get_decompositions
from torch.nn.attention import SDPBackend, sdpa_kernel

from hecv.tensors.graph_values import operands_of
from hecv.tensors.logged_tensors import logging_to, with_logged
from hecv.tensors.symbolic_sizes import with_sizes
from hecv.tensors.tensor_graph import Node, Ref, SourceLine, TensorGraph
from hecv.torch.collective_ops import CollectiveOps, is_collective
from hecv.torch.dynamic_shapes import shapes_of_tensors
from hecv.torch.functional_ops import LOGGED, FunctionalOps
from hecv.torch.graph_capture import Unsupported, array_of
from hecv.torch.op_trace import Call, OpRecorder, sharing
from hecv.torch.pytrees import filled, leaves
from hecv.torch.traced_sizes import SYMBOLIC, TracedSizes

_NORMS: Final[Any] = get_decompositions([torch.ops.aten.native_batch_norm, torch.ops.aten.native_batch_norm_backward])
"""Ops that change running statistics although their schema does not say so."""

torch.library.define(LOGGED, "(Tensor x, str name) -> Tensor")
torch.library.impl(LOGGED, "CompositeExplicitAutograd", lambda x, name: x.clone())


def start_group(rank: int, size: int) -> None:
    """Makes the default process group a fake one, in which collectives move no data."""
    from torch.testing._internal.distributed.fake_pg import FakeStore

    dist.init_process_group("fake", rank=rank, world_size=size, store=FakeStore())


def capture_rank(model: Any, arguments: tuple[Any, ...], name: str, dynamic: Any = None) -> TensorGraph:
    """The program as a graph of tensors. Inputs have the names of the parameters of `forward` (with keys and places of
    what lies in structures), parameters and buffers their paths, results `out`, `out.0`, or their keys. Values that the
    program logs (`hecv.log_tensor`) have the names that it says.

    A DTensor is the part of it that this rank has. With `dynamic` shapes, as `torch.export` takes them, sizes are
    symbolic.

    Raises: Unsupported; BadShapes if `dynamic` does not fit the arguments; SizesTakenForGranted if the program holds
    for other sizes than it states.
    """
    state = _state(model) if isinstance(model, nn.Module) else {}
    given = leaves(arguments)
    placed = [(path, t) for path, t in given if isinstance(t, torch.Tensor)]
    names = _free_names([_input_name(model, path) for path, _ in placed], state)
    inputs = {n: t for n, (_, t) in zip(names, placed, strict=True)}
    tensors = {**state, **inputs}
    parts = {n: _local(t) for n, t in tensors.items()}
    local = {n: _copied(t) if n in inputs else t for n, t in parts.items()}
    arrays = {n: array_of(t) for n, t in local.items()}  # the trace runs the program, which may change them
    sizes: TracedSizes | None = None
    if dynamic is not None:
        entries = shapes_of_tensors(model, arguments, given, dynamic)
        sizes = TracedSizes(dict(zip(inputs, entries, strict=True)), inputs)
    shape: list[tuple[Any, ...]] = []
    assigned: list[str] = []
    logged: list[torch.Tensor] = []
    recorder = OpRecorder(_NORMS)

    def log(tensor: Any, name: str) -> Any:
        with torch.no_grad():
            logged.append(torch.ops.hecv.log_tensor(_plain(tensor), name))
        return tensor

    def flat(*values: torch.Tensor) -> list[torch.Tensor]:
        held = {n: _placed(value, t) for value, (n, t) in zip(values, tensors.items(), strict=True)}
        filled_in = filled(arguments, [held[n] for n in inputs])
        if isinstance(model, nn.Module):
            made = torch.func.functional_call(model, {n: held[n] for n in state}, filled_in, tie_weights=False)
        else:
            made = model(*filled_in)
        if any(isinstance(t, SYMBOLIC) for _, t in leaves(made)):
            raise Unsupported("the program returns a size, or a number made of sizes, which is symbolic")
        found = [(path, t) for path, t in leaves(made) if isinstance(t, (torch.Tensor, bool, int, float))]
        shape[:] = [path for path, _ in found]
        assigned[:] = [n for n, t in held.items() if any(t is a for a in recorder.assigned)]
        return [_plain(t) for _, t in found] + [_plain(held[n].detach()) for n in assigned] + logged

    with logging_to(log), sdpa_kernel(SDPBackend.MATH):
        trace = recorder.trace(flat, list(local.values())) if sizes is None else sizes.trace(flat, local, _NORMS)
    ops = FunctionalOps()
    collectives = CollectiveOps(ops)
    for (n, tensor), traced in zip(tensors.items(), trace.arguments, strict=True):
        kind = "input" if n in inputs else "parameter" if isinstance(tensor, nn.Parameter) else "buffer"
        ops.give(n, kind, traced, arrays[n])
    for step in trace.steps:
        if isinstance(step, Call) and is_collective(step):
            collectives.read(step)
        else:
            ops.read(step)
    made = [ops.result(t) for t in trace.results]
    changed = ops.changed()
    _require_own_memory(changed, [[list(tensors)[k] for k in sorted(g)] for g in sharing(list(parts.values()))])
    outputs = list(zip(_free_names([_output_name(path) for path in shape]), made, strict=False))
    after = changed | dict(zip(assigned, made[len(shape) :], strict=False))
    kept = _free_names([f"{n}.after" for n in tensors if n in after], [n for n, _ in outputs])
    outputs += zip(kept, (after[n] for n in tensors if n in after), strict=True)
    nodes = _live(ops.nodes, [ref for _, ref in outputs])
    graph = TensorGraph(name, tuple(ops.leaves), tuple(nodes), tuple(outputs), ops.arrays)
    if sizes is not None:
        graph = _with_expressions(graph, sizes)
    return with_logged(graph, ops.logged)


class SizesTakenForGranted(Exception):
    """The program holds for other sizes than it states; `place` is where it takes that for granted."""

    def __init__(self, text: str, place: SourceLine | None) -> None:
        super().__init__(text)
        self.place: Final = place


def _with_expressions(graph: TensorGraph, sizes: TracedSizes) -> TensorGraph:
    """The graph with expressions for the sizes of its trace.

    Raises: SizesTakenForGranted, Unsupported.
    """
    made = with_sizes(graph, sizes.size, SYMBOLIC)
    granted = sizes.granted()
    if granted is not None:
        stated = ", ".join(map(str, sizes.symbols))
        raise SizesTakenForGranted(
            f"the program is captured for `{granted.text}` alone, and states {stated}", granted.place
        )
    return replace(made, sizes=sizes.symbols)


def _require_own_memory(changed: Collection[str], shared: Sequence[Sequence[str]]) -> None:
    """Raises: Unsupported if the program writes an argument in which another one has a part."""
    for names in shared:
        for name in names:
            if name in changed:
                others = ", ".join(f"`{n}`" for n in names if n != name)
                raise Unsupported(f"the program changes `{name}`, and {others} has a part of its memory")


def _live(nodes: Sequence[Node], outputs: Sequence[Ref]) -> list[Node]:
    """The ops that results depend on, and all that other ranks take part in."""
    needed, found = {ref.name for ref in outputs}, list[Node]()
    for node in reversed(nodes):
        if node.op.startswith("dist.") or needed.intersection(node.results):
            needed |= set(operands_of(node))
            found.append(node)
    return found[::-1]


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


def _copied(tensor: torch.Tensor) -> torch.Tensor:
    """An input as a tensor of its own: the same one in the place of two inputs, or of an input and a constant, is one
    tensor in the example alone."""
    return tensor.detach().clone().requires_grad_(tensor.requires_grad)


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


def _free_names(names: Sequence[str], taken: Collection[str] = ()) -> list[str]:
    """The names, each but once: a parameter and an input may have the same name, and keys may hold dots."""
    found = dict.fromkeys(taken)
    for name in names:
        numbered = (f"{name}.{k}" for k in count(1))
        found[name if name not in found else next(n for n in numbered if n not in found)] = None
    return list(found)[len(taken) :]


def _output_name(path: Sequence[Any]) -> str:
    return ".".join(["out", *map(str, path)] if not path or isinstance(path[0], int) else map(str, path))
