"""A captured model: its MLIR text and a description of its arguments, as the capturing child sends it to the parent."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from msgspec import Struct

Kind = Literal["parameter", "buffer", "input"]
Values = tuple[float, ...]
Path = tuple[int | str, ...]
"""Where a leaf stands in a structure: keys of dictionaries and names of fields, and, as `int`, places in sequences."""


class Tensor(Struct, frozen=True):
    """An argument or a result. `type` is MLIR's text; `values`, row-major, are those of the model or its example."""

    name: str
    kind: Kind
    shape: tuple[int, ...]
    type: str
    values: Values

    @property
    def element(self) -> str:
        """The type of its elements, as MLIR's text."""
        return self.type.rstrip(">").rpartition("x")[2].removeprefix("tensor<")


class Captured(Struct, frozen=True):
    """A model whose function `main` takes `arguments`, parameters and buffers before inputs, and gives `results`, with
    the values that its own framework computes of those of the arguments.

    Inputs and results that stand in dictionaries are in the order of their keys, and named by them (`named`). `fixed`
    are the arguments and `given` the results that are no tensors, as text: they are part of the program. So are the
    tensors `constant`, which a module holds and names neither parameters nor buffers.
    """

    framework: str
    text: str
    arguments: tuple[Tensor, ...]
    results: tuple[Tensor, ...]
    fixed: tuple[str, ...] = ()
    given: tuple[str, ...] = ()
    constant: tuple[str, ...] = ()

    def inputs(self) -> tuple[Tensor, ...]:
        return tuple(a for a in self.arguments if a.kind == "input")

    def keys(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """By which keys inputs and results stand in dictionaries; nothing where none does."""
        found = [[t.name.partition(".")[2] for t in tensors] for tensors in (self.inputs(), self.results)]
        inputs, results = (tuple(names) if any(names) else () for names in found)
        return inputs, results

    def state(self) -> tuple[Tensor, ...]:
        """Parameters and buffers."""
        return tuple(a for a in self.arguments if a.kind != "input")


class Failure(Struct, frozen=True):
    """Why there is no model: `unsupported` where it has an op that does not lower, else the user's error.

    `line` is in the user's file, 0 where that is not known.
    """

    name: str
    text: str
    line: int = 0
    help: str | None = None
    unsupported: bool = False


def path_of(keys: Iterable[Any]) -> Path:
    """The path that torch or JAX gives as objects: keys of dictionaries, names of fields, places in sequences."""
    return tuple(getattr(k, "idx", str(getattr(k, "key", getattr(k, "name", k)))) for k in keys)


def keyed(path: Path) -> tuple[tuple[bool, int, str], ...]:
    """The order of the leaves of a structure: by their places, and below a dictionary by their keys."""
    return tuple((False, p, "") if isinstance(p, int) else (True, 0, p) for p in path)


def named(kind: str, number: int, path: Path) -> str:
    """The name of an input or result, with the keys of the dictionaries that it stands in."""
    keys = [p for p in path if not isinstance(p, int)]
    return f"{kind}{number}.{'.'.join(keys)}" if keys else f"{kind}{number}"


def to_plain(found: Captured | Failure) -> dict[str, Any]:
    """As JSON can hold it."""
    if isinstance(found, Failure):
        return {"failure": [found.name, found.text, found.line, found.help, found.unsupported]}
    tensors = [[_plain(t) for t in part] for part in (found.arguments, found.results)]
    plain = [found.fixed, found.given, found.constant]
    return {"framework": found.framework, "text": found.text, "tensors": tensors, "plain": plain}


def from_plain(data: dict[str, Any]) -> Captured | Failure:
    """What `to_plain` made plain."""
    if "failure" in data:
        return Failure(*data["failure"])
    arguments, results = (tuple(map(_tensor, part)) for part in data["tensors"])
    fixed, given, constant = map(tuple, data["plain"])
    return Captured(data["framework"], data["text"], arguments, results, fixed, given, constant)


def _plain(tensor: Tensor) -> list[Any]:
    return [tensor.name, tensor.kind, tensor.shape, tensor.type, tensor.values]


def _tensor(data: list[Any]) -> Tensor:
    name, kind, shape, type_, values = data
    return Tensor(name, kind, tuple(shape), type_, tuple(values))
