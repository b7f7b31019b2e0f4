"""A model as MLIR, with what its arguments are: what the child that captures it hands to the parent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["parameter", "buffer", "input"]
Values = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Tensor:
    """An argument or a result. `type` is MLIR's text; `values`, row-major, are those of the model or its example."""

    name: str
    kind: Kind
    shape: tuple[int, ...]
    type: str
    values: Values


@dataclass(frozen=True, slots=True)
class Captured:
    """A model whose function `main` takes `arguments`, parameters and buffers before inputs, and gives `results`, with
    the values that its own framework computes of those of the arguments."""

    framework: str
    text: str
    arguments: tuple[Tensor, ...]
    results: tuple[Tensor, ...]

    def inputs(self) -> tuple[Tensor, ...]:
        return tuple(a for a in self.arguments if a.kind == "input")

    def state(self) -> tuple[Tensor, ...]:
        """Parameters and buffers."""
        return tuple(a for a in self.arguments if a.kind != "input")


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there is no model: `unsupported` where it has an op that does not lower, else the user's error.

    `line` is in the user's file, 0 where that is not known.
    """

    name: str
    text: str
    line: int = 0
    help: str | None = None
    unsupported: bool = False


def to_plain(found: Captured | Failure) -> dict[str, Any]:
    """As JSON can hold it."""
    if isinstance(found, Failure):
        return {"failure": [found.name, found.text, found.line, found.help, found.unsupported]}
    tensors = [[_plain(t) for t in part] for part in (found.arguments, found.results)]
    return {"framework": found.framework, "text": found.text, "tensors": tensors}


def from_plain(data: dict[str, Any]) -> Captured | Failure:
    """What `to_plain` made plain."""
    if "failure" in data:
        return Failure(*data["failure"])
    arguments, results = (tuple(map(_tensor, part)) for part in data["tensors"])
    return Captured(data["framework"], data["text"], arguments, results)


def _plain(tensor: Tensor) -> list[Any]:
    return [tensor.name, tensor.kind, tensor.shape, tensor.type, tensor.values]


def _tensor(data: list[Any]) -> Tensor:
    name, kind, shape, type_, values = data
    return Tensor(name, kind, tuple(shape), type_, tuple(values))
