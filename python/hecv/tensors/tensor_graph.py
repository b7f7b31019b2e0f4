"""The graph of tensors: ops with whole tensors as operands, their attributes explicit, in topological order.

It comes from a captured PyTorch or JAX program, or from MLIR on tensors. Ops are named by their origin (`aten.linear`,
`stablehlo.add`); collectives and opaque kernels are ops like others.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct


class TensorType(Struct, frozen=True):
    """Sizes and element type (`f64`, `bf16`, `i64`, `i1`)."""

    shape: tuple[int, ...]
    element: str

    def __str__(self) -> str:
        return "x".join([*map(str, self.shape), self.element])


class SourceLine(Struct, frozen=True):
    """Where in the user's program an op was called: the innermost line that is not of the framework."""

    file: str
    line: int
    text: str = ""
    path: str = ""
    """The path of the module that was running, such as `model.layers.3.mlp`."""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class Ref(Struct, frozen=True):
    """An operand that is a value of the graph."""

    name: str


Operand = Ref | int | float | bool | str | None | tuple["Operand", ...]
"""An operand: a value, a number, a text (dtypes by their MLIR name), nothing, or a list of operands."""


class Leaf(Struct, frozen=True):
    """A tensor that the graph does not compute."""

    name: str
    type: TensorType
    kind: str
    """`input`, `parameter`, `buffer`, or `constant`."""


class Node(Struct, frozen=True):
    """One op. `results` are the names of its values, one for each tensor it returns."""

    op: str
    operands: tuple[Operand, ...]
    keywords: Mapping[str, Operand]
    results: tuple[str, ...]
    types: tuple[TensorType, ...]
    place: SourceLine | None = None


LARGEST: Final = 1 << 40
"""The greatest value of a symbol without a limit: no machine has memory for a dimension of more elements."""


class SizeSymbol(Struct, frozen=True):
    """A symbolic size: its name in the graph, what the user calls it, the least and the greatest value, and the value
    in the example."""

    name: str
    called: str
    least: int
    most: int
    example: int

    def __str__(self) -> str:
        return f"{self.called} from {self.least} to {self.most}" if self.most < LARGEST else self._open()

    def _open(self) -> str:
        return f"{self.called} from {self.least}"


Symbols = tuple[SizeSymbol, ...]


class Scaled(Struct, frozen=True):
    """An array times a factor: one copy of the array stands for all of its multiples."""

    array: Any
    factor: float


class TensorGraph(Struct, frozen=True):
    """A program on tensors. `arrays` has the value of each parameter, buffer and constant, by the name of its leaf, as
    NumPy arrays: floats in f64, parameters in f64 or in f32 if that holds their values. `sizes` are the symbols that
    sizes are expressions over, where these are no numbers (`hecv.tensors.symbolic_sizes`)."""

    name: str
    leaves: tuple[Leaf, ...]
    nodes: tuple[Node, ...]
    outputs: tuple[tuple[str, Ref], ...]
    """Name of each result (`out`, `out.0`, a key) and the value that it is."""
    arrays: Mapping[str, Any]
    sizes: Symbols = ()
