"""Collectives of StableHLO as ops `dist.*` (`hecv.refine.joined_graph`), which join along the first dimension."""

from __future__ import annotations

import re
from typing import Any, Final

import numpy as np
from jaxlib.mlir import ir

from hecv.jax.graph_emitter import GraphEmitter, NotRead, Value
from hecv.jax.sharding_layouts import mesh_of
from hecv.jax.stablehlo_ops import Op, joined_by
from hecv.tensors.tensor_graph import TensorType

COLLECTIVES: Final = ("all_reduce", "all_gather", "reduce_scatter", "all_to_all", "collective_permute")

_JOINS: Final = {"add": "sum", "maximum": "max", "minimum": "min", "multiply": "product"}
_NAME: Final = re.compile(r'name = "([^"]+)"')


def groups_of(module: Any, attribute: Any) -> list[list[int]]:
    """The groups of devices of a collective."""
    text = str(attribute)
    if "replica_group_mesh_axes" not in text:
        array = np.array(ir.DenseIntElementsAttr(attribute))
        return [[int(n) for n in row if n >= 0] for row in array.reshape(-1, array.shape[-1])]
    mesh = re.search(r"@([\w.$-]+)", text)
    if mesh is None or "sub_axis" in text:
        raise NotRead("a collective over a part of a mesh axis")
    axes, devices = mesh_of(module, mesh[1])
    order, joined = list(axes), _NAME.findall(text)
    grid = np.array(devices).reshape([axes[a] for a in order])
    moved = np.transpose(grid, [order.index(a) for a in order if a not in joined] + [order.index(a) for a in joined])
    return moved.reshape(-1, int(np.prod([axes[a] for a in joined], initial=1))).tolist()


def collective(emitter: GraphEmitter, module: Any, op: Op, rank: int, number: int) -> Value:
    """What a rank gets of a collective, the program's `number`th.

    Raises: NotRead.
    """
    (x,) = op.operands
    if op.name == "collective_permute":
        return _permuted(emitter, x, op, rank, number)
    if op.name != "all_to_all" and op.attribute("use_global_device_ids") is None:
        raise NotRead(f"{op.op.name} over replicas")
    groups = groups_of(module, op.attribute("replica_groups"))
    found = next((g for g in groups if rank in g), None)
    if found is None:
        raise NotRead(f"{op.op.name} that leaves out rank {rank}")
    group = tuple(found)
    if op.name == "all_reduce":
        return emitter.collective("all_reduce", x, op.types[0], reduce=_join(op), group=group)
    if op.name == "all_gather":
        return _along(emitter, x, op.int("all_gather_dim"), len(group), "all_gather", group=group)
    if op.name == "reduce_scatter":
        dim = op.int("scatter_dimension")
        return _along(emitter, x, dim, 1 / len(group), "reduce_scatter", reduce=_join(op), group=group)
    return _exchanged(emitter, x, op, group)


def _join(op: Op) -> str:
    join = joined_by(op)
    if join not in _JOINS or op.element == "i1":
        raise NotRead(f"{op.op.name} by {join} of {op.element}")
    return _JOINS[join]


def _front(emitter: GraphEmitter, x: Value, dim: int) -> tuple[Value, list[int]]:
    """`x` with a dimension in front, and the order that puts it back."""
    order = [dim, *(d for d in range(len(x.shape)) if d != dim)]
    return emitter.permute(x, order), [order.index(d) for d in range(len(order))]


def _along(emitter: GraphEmitter, x: Value, dim: int, factor: float, op: str, **keywords: Any) -> Value:
    moved, back = _front(emitter, x, dim)
    kind = TensorType((round(moved.shape[0] * factor), *moved.shape[1:]), x.element)
    return emitter.permute(emitter.collective(op, moved, kind, **keywords), back)


def _exchanged(emitter: GraphEmitter, x: Value, op: Op, group: tuple[int, ...]) -> Value:
    """Part k of the split dimension goes to rank k; what a rank gets is joined along another dimension."""
    split, concat, count = op.int("split_dimension"), op.int("concat_dimension"), len(group)
    moved, back = _front(emitter, x, split)
    sizes = (moved.shape[0] // count,) * count
    made = emitter.collective("all_to_all", moved, moved.type, inputs=sizes, outputs=sizes, group=group)
    parts = emitter.reshape(made, (count, sizes[0], *moved.shape[1:]))
    placed = emitter.permute(parts, [0, *(k + 1 for k in back)])
    order = [*(d + 1 for d in range(concat)), 0, *(d + 1 for d in range(concat, len(x.shape)))]
    return emitter.reshape(emitter.permute(placed, order), op.shape)


def _permuted(emitter: GraphEmitter, x: Value, op: Op, rank: int, number: int) -> Value:
    """Each rank sends to at most one and receives of at most one; where none sends there are zeros."""
    pairs = np.array(ir.DenseIntElementsAttr(op.attribute("source_target_pairs"))).reshape(-1, 2).tolist()
    tag = f"permute{number}"
    for target in (t for s, t in pairs if s == rank):
        emitter.send(x, target, tag)
    source = next((s for s, t in pairs if t == rank), None)
    return emitter.full(0, op.shape, op.element) if source is None else emitter.receive(op.types[0], source, tag)
