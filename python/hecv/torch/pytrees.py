"""Pytrees: the tensors and other leaves in the arguments and results of a module."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import torch
from torch.utils import _pytree as tree

from hecv.parameters.captured_model import Path, keyed, path_of

Leaves = list[tuple[Path, Any]]
_PLAIN: Final = (bool, int, float, complex, str, type(None), type, torch.dtype, torch.device, torch.Size)


def leaves(value: object) -> Leaves:
    """The leaves of a structure with their paths, in path order."""
    found = [(path_of(path), leaf) for path, leaf in tree.tree_flatten_with_path(value)[0]]
    return sorted(found, key=lambda f: keyed(f[0]))


def result_leaves(value: object) -> Leaves:
    """The leaves of a result. An object that torch treats as a leaf is opened as the dictionary of its attributes.

    An object that may hold more than that stays a leaf.
    """
    return sorted(_opened((), value, ()), key=lambda f: keyed(f[0]))


def _opened(above: Path, value: object, around: tuple[int, ...]) -> Iterator[tuple[Path, Any]]:
    for path, leaf in leaves(value):
        place = (*above, *path)
        held = None if is_plain(leaf) or isinstance(leaf, torch.Tensor) or id(leaf) in around else _held(leaf)
        if held is None:
            yield place, leaf
            continue
        yield (*place, "class"), type(leaf).__qualname__
        for name, part in held.items():
            yield from _opened((*place, name), part, (*around, id(leaf)))


def _held(value: object) -> dict[str, Any] | None:
    """Everything that an object consists of, by name; None if it may hold more than attributes and items."""
    kind = type(value)
    slots = any(vars(k).get("__slots__") for k in kind.__mro__) or not hasattr(value, "__dict__")
    if slots or kind.__module__.partition(".")[0] == "torch" or isinstance(value, torch.nn.Module):
        return None
    if isinstance(value, dict) and kind.__basicsize__ == _Dictionary.__basicsize__:
        items = {str(key): part for key, part in value.items()}
        whole = len(items) == len(value) and not items.keys() & vars(value).keys()
        return items | vars(value) if whole else None
    return {**vars(value)} if kind.__basicsize__ == _Object.__basicsize__ else None


class _Object:
    """An object that consists of its attributes only, as its size shows: types written in C take more."""


class _Dictionary(dict[str, Any]):
    """A dictionary with attributes that consists of its items and attributes only."""


def is_plain(leaf: object) -> bool:
    """True if a leaf is a Python value or a torch name, which its text determines."""
    return isinstance(leaf, _PLAIN)


def plain_of(found: Leaves) -> tuple[str, ...]:
    """The non-tensor leaves as text, with the dictionary keys on their paths."""
    rest = [(path, leaf) for path, leaf in found if leaf is not None and not isinstance(leaf, torch.Tensor)]
    return tuple(_keys(path) + (repr(leaf) if is_plain(leaf) else type(leaf).__name__) for path, leaf in rest)


def _keys(path: Path) -> str:
    keys = ".".join(p for p in path if not isinstance(p, int))
    return f"{keys}=" if keys else ""


def tensors_of(found: Leaves) -> list[torch.Tensor]:
    """The tensors among leaves."""
    return [leaf for _, leaf in found if isinstance(leaf, torch.Tensor)]


def filled(arguments: tuple[Any, ...], tensors: Sequence[torch.Tensor]) -> tuple[Any, ...]:
    """The arguments with their tensors replaced, in the order of `leaves`."""
    paths = (path for path, leaf in leaves(arguments) if isinstance(leaf, torch.Tensor))
    given = dict(zip(paths, tensors, strict=True))
    return tree.tree_map_with_path(lambda path, leaf: given.get(path_of(path), leaf), arguments)
