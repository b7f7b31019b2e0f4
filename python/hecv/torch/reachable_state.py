"""Reachable state: everything that a module and its arguments hold, as comparable data, to see what a call changed."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterator, Mapping
from hashlib import blake2b
from types import SimpleNamespace
from typing import Any, Final

import torch

from hecv.base.threads import in_threads

Held = dict[str, Any]
"""Reachable data, by access path."""

_LITERALS: Final = (bool, int, float, complex, str, bytes, type(None))
_SEQUENCES: Final = (list, tuple, set, frozenset, deque)
_GROUPS: Final = ("_parameters", "_buffers", "_modules")
_NOTHING: Final = object()


def held(roots: Mapping[str, object], writes: bool) -> Held:
    """The tensors, numbers and texts reachable from named objects through containers and attributes; if `writes`,
    with the number of in-place writes of each tensor.

    Functions, classes, modules and objects of the standard library are assumed not to change.
    """
    found = {path: leaf for name, root in roots.items() for path, leaf in _Walk(writes).leaves(name, root)}
    tensors = {path: leaf for path, leaf in found.items() if isinstance(leaf, _Tensor)}
    return found | dict(zip(tensors, in_threads(_Tensor.described, tensors.values()), strict=True))


def changed(before: Held, after: Held) -> list[str]:
    """The access paths whose data changed or disappeared."""
    return [
        path for path in dict.fromkeys([*before, *after]) if before.get(path, _NOTHING) != after.get(path, _NOTHING)
    ]


def floats_in(root: object) -> set[str]:
    """The access paths of float tensors reachable from an object."""
    tensors = ((path, leaf) for path, leaf in held({"": root}, False).items() if isinstance(leaf, tuple))
    return {path for path, (kind, *_) in tensors if kind.is_floating_point}


class _Walk:
    """A walk that visits each object once, except tensors; an object met again is named by its first path."""

    def __init__(self, writes: bool) -> None:
        self._writes = writes
        self._met: dict[int, tuple[str, object]] = {}

    def leaves(self, path: str, value: object) -> Iterator[tuple[str, Any]]:
        waiting = [(path, value)]
        while waiting:
            place, found = waiting.pop()
            if isinstance(found, torch.Tensor):
                yield place, _Tensor(found, found._version if self._writes and not found.is_inference() else 0)
                continue
            if isinstance(found, _LITERALS):
                yield place, repr(found)
                continue
            if id(found) in self._met:
                yield place, self._met[id(found)][0]
                continue
            self._met[id(found)] = place, found  # kept alive, or another object might have its identity
            yield place, type(found).__qualname__
            waiting += reversed([(f"{place}.{name}" if place else name, part) for name, part in _parts(found)])


class _Tensor:
    """A tensor on a walk, with the number of its in-place writes."""

    def __init__(self, tensor: torch.Tensor, writes: int) -> None:
        self._tensor: Final = tensor
        self._writes: Final = writes

    def described(self) -> tuple[Any, ...]:
        """The type, a digest of the contents where the elements are held one by one, and the writes."""
        tensor, digest = self._tensor, b""
        if tensor.layout == torch.strided and not tensor.is_quantized and tensor.device.type != "meta":
            row = tensor.detach().resolve_conj().resolve_neg().cpu().contiguous().reshape(-1)
            contents: Any = (torch.view_as_real(row) if row.is_complex() else row).view(torch.uint8).numpy()
            digest = blake2b(contents).digest()
        return tensor.dtype, tuple(tensor.shape), digest, self._writes


def _parts(value: object) -> list[tuple[str, object]]:
    """The parts of an object, by name."""
    parts: list[tuple[str, object]] = []
    if isinstance(value, dict):
        parts += [(key if isinstance(key, str) else repr(key), part) for key, part in value.items()]
    elif isinstance(value, _SEQUENCES):
        parts += [(str(k), part) for k, part in enumerate(value)]
    parts += _attributes(value).items()
    if isinstance(value, torch.nn.Module):
        own = [pair for group in _GROUPS for pair in getattr(value, group).items()]
        parts = [*own, *(pair for pair in parts if pair[0] not in _GROUPS)]
    return parts


def _attributes(value: object) -> dict[str, object]:
    """The attributes of the object itself, not of its class."""
    home = type(value).__module__.partition(".")[0]
    if isinstance(value, type) or (home in sys.stdlib_module_names and not isinstance(value, SimpleNamespace)):
        return {}
    own = dict(getattr(value, "__dict__", {}))
    slots = (name for kind in type(value).__mro__ for name in _names(getattr(kind, "__slots__", ())))
    return {name: getattr(value, name) for name in slots if hasattr(value, name)} | own


def _names(slots: Any) -> tuple[str, ...]:
    return (slots,) if isinstance(slots, str) else tuple(slots)
