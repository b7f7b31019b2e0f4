"""Which part of a tensor each device has, by Shardy's and by XLA's notation; the tensor as an expression over ranks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise, product
from typing import Any, Final

import numpy as np
from jaxlib.mlir import ir

from hecv.jax.graph_emitter import NotRead

Part = tuple[tuple[int, int], ...]
"""The start and stop of each dimension."""

_AXIS: Final = re.compile(r'"([^"]+)"\s*=\s*(\d+)')
_DEVICES: Final = re.compile(r"device_ids=\[([\d, ]*)\]")
_SHARDING: Final = re.compile(r"<@([\w.$-]+), \[([^\]]*)\]([^<>]*)>")
_TILED: Final = re.compile(
    r"\{devices=\[([\d,]+)\](?:<=\[([\d,]+)\](?:T\(([\d,]+)\))?|([\d,]+))"
    r"( last_tile_dim_replicate| last_tile_dims=\{replicated\})?\}"
)
_REPLICATED: Final = ("{replicated}", "")


def mesh_of(module: Any, name: str) -> tuple[dict[str, int], list[int]]:
    """The axes of a mesh with their sizes, and its devices in row-major order.

    Raises: NotRead.
    """
    for op in module.body.operations:
        if op.operation.name == "sdy.mesh" and ir.StringAttr(op.operation.attributes["sym_name"]).value == name:
            text = str(op.operation.attributes["mesh"])
            axes = {axis: int(size) for axis, size in _AXIS.findall(text)}
            listed = _DEVICES.search(text)
            count = int(np.prod(list(axes.values()), initial=1))
            return axes, [int(n) for n in listed[1].split(",")] if listed else list(range(count))
    raise NotRead(f"there is no mesh @{name}")


def parts_of_shardings(module: Any, attribute: Any, shapes: Sequence[Sequence[int]]) -> list[list[Part]]:
    """For each tensor of `#sdy.sharding_per_value<[...]>`, the part of each device.

    Raises: NotRead.
    """
    found = list(_SHARDING.finditer(str(attribute)))
    if len(found) != len(shapes) or ":(" in str(attribute) or "unreduced" in str(attribute):
        raise NotRead(f"shardings {attribute}")
    made: list[list[Part]] = []
    for sharding, shape in zip(found, shapes, strict=True):
        axes, devices = mesh_of(module, sharding[1])
        cut = [re.findall(r'"([^"]+)"', each) for each in re.findall(r"\{([^{}]*)\}", sharding[2])]
        parts: dict[int, Part] = {}
        for device, place in zip(devices, product(*map(range, axes.values())), strict=True):
            at = dict(zip(axes, place, strict=True))
            parts[device] = _part(shape, [[(at[a], axes[a]) for a in names] for names in cut])
        made.append([parts[device] for device in range(len(devices))])
    return made


def _part(shape: Sequence[int], digits: Sequence[Sequence[tuple[int, int]]]) -> Part:
    """The part with these digits of each dimension, of which each has a base."""
    found: list[tuple[int, int]] = []
    for d, size in enumerate(shape):
        number, count = 0, 1
        for digit, base in digits[d] if d < len(digits) else ():
            number, count = number * base + digit, count * base
        if size % count:
            raise NotRead(f"a dimension of size {size} in {count} parts")
        found.append((number * size // count, (number + 1) * size // count))
    return tuple(found)


def parts_of_tiles(text: str, shape: Sequence[int], devices: int) -> list[Part]:
    """The part of each device by XLA's notation, as `{devices=[1,4]<=[4]}`.

    Raises: NotRead.
    """
    if text in _REPLICATED:
        return [tuple((0, size) for size in shape)] * devices
    tiled = _TILED.fullmatch(text)
    if tiled is None:
        raise NotRead(f"a sharding {text}")
    tiles = [int(n) for n in tiled[1].split(",")]
    if tiled[4] is not None:
        order = np.array([int(n) for n in tiled[4].split(",")])
    else:
        grid = [int(n) for n in tiled[2].split(",")]
        order = np.arange(devices).reshape(grid)
        if tiled[3] is not None:
            order = np.transpose(order, [int(n) for n in tiled[3].split(",")])
    found: dict[int, Part] = {}
    for place, device in np.ndenumerate(order.reshape(tiles)):
        found[int(device)] = _part(shape, [[(k, n)] for k, n in zip(place, tiles, strict=True)][: len(shape)])
    return [found[device] for device in range(devices)]


def assembled(parts: Sequence[Part], name: str) -> str | None:
    """The expression over ranks of a tensor of which rank k has `parts[k]`; None if the parts are no grid."""
    return _assembled(list(range(len(parts))), parts, name)


def _assembled(ranks: list[int], parts: Sequence[Part], name: str) -> str | None:
    if len({parts[r] for r in ranks}) == 1:
        each = [f"{name}@{r}" for r in ranks]
        return each[0] if len(each) == 1 else f"replicate({', '.join(each)})"
    dim = next(d for d in range(len(parts[0])) if len({parts[r][d] for r in ranks}) > 1)
    spans = sorted({parts[r][dim] for r in ranks})
    if any(a[1] != b[0] for a, b in pairwise(spans)):
        return None
    inner = [_assembled([r for r in ranks if parts[r][dim] == span], parts, name) for span in spans]
    return None if None in inner else f"concat({', '.join(p for p in inner if p)}, dim={dim})"


def cut(array: Any, part: Part) -> Any:
    """The part of an array."""
    return array[tuple(slice(start, stop) for start, stop in part)]
