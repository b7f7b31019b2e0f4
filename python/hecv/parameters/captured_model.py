"""A captured model: its MLIR text and a description of its arguments, as the capturing child sends it to the parent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from hecv.tensors.symbolic_sizes import at_numbers
from hecv.tensors.tensor_graph import SourceLine, Symbols, TensorGraph

Kind = Literal["parameter", "buffer", "input"]
Values = tuple[float, ...]
Path = tuple[int | str, ...]
"""The position of a leaf in a structure: dictionary keys and field names, and sequence indices as `int`."""


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
    """A model captured as MLIR: function `main` takes `arguments` (parameters and buffers, then inputs) and gives
    `results`.

    The results have the values that the framework computed from the values of the arguments. Inputs and results in
    dictionaries are in the order of their keys and named by them (`named`). Non-tensor arguments (`fixed`) and results
    (`given`) are kept as text: they are part of the program. So are the tensors `constant`, which a module holds but
    names neither parameters nor buffers.
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
        """The dictionary keys of inputs and of results; empty if there are none."""
        found = [[t.name.partition(".")[2] for t in tensors] for tensors in (self.inputs(), self.results)]
        inputs, results = (tuple(names) if any(names) else () for names in found)
        return inputs, results

    def state(self) -> tuple[Tensor, ...]:
        """Parameters and buffers."""
        return tuple(a for a in self.arguments if a.kind != "input")


class FailedRun(Struct, frozen=True):
    """The exception of a model that looks up an index that is out of range, and the user's line."""

    text: str
    place: SourceLine | None


class CapturedGraph(Struct, frozen=True):
    """A model captured as a graph of tensors; `fixed` and `given` are its non-tensor arguments and results, as text.

    `literals` are the float literals that were taken for another number, which had been rounded to them. `failed`: it
    does not run on its example arguments. `sizes` are the symbols among the sizes of the graph.
    """

    framework: str
    graph: TensorGraph
    fixed: tuple[str, ...] = ()
    given: tuple[str, ...] = ()
    failed: FailedRun | None = None
    literals: tuple[str, ...] = ()
    sizes: Symbols = ()

    def at(self, numbers: Mapping[str, int]) -> CapturedGraph:
        """The model with these values of its symbols."""
        return replace(self, graph=at_numbers(self.graph, numbers), sizes=())


UNSUPPORTED_SIZES: Final = "unsupported-sizes"
"""The name of the failure of a model with symbolic sizes that no graph holds."""


class Failure(Struct, frozen=True):
    """Why there is no model. `unsupported`: it has an op that is not lowered; otherwise it is the user's error.

    `line` is in `file`, which is the user's if it is not named, and 0 if unknown.
    """

    name: str
    text: str
    line: int = 0
    help: str | None = None
    unsupported: bool = False
    file: str = ""


def path_of(keys: Iterable[Any]) -> Path:
    """The path that torch or JAX gives as objects: dictionary keys, field names, sequence indices."""
    return tuple(getattr(k, "idx", str(getattr(k, "key", getattr(k, "name", k)))) for k in keys)


def keyed(path: Path) -> tuple[tuple[bool, int, str], ...]:
    """The sort key of a leaf: by position, and in a dictionary by key."""
    return tuple((False, p, "") if isinstance(p, int) else (True, 0, p) for p in path)


def named(kind: str, number: int, path: Path) -> str:
    """The name of an input or result, with the dictionary keys on its path."""
    keys = [p for p in path if not isinstance(p, int)]
    return f"{kind}{number}.{'.'.join(keys)}" if keys else f"{kind}{number}"


def to_plain(found: Captured | Failure) -> dict[str, Any]:
    """The model as JSON data."""
    if isinstance(found, Failure):
        return {"failure": [found.name, found.text, found.line, found.help, found.unsupported, found.file]}
    tensors = [[_plain(t) for t in part] for part in (found.arguments, found.results)]
    plain = [found.fixed, found.given, found.constant]
    return {"framework": found.framework, "text": found.text, "tensors": tensors, "plain": plain}


def from_plain(data: dict[str, Any]) -> Captured | Failure:
    """The inverse of `to_plain`."""
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
