"""The ops of tensor graphs, each defined once as a comprehension, by origin and kind."""

from hecv.tensors.definitions import (
    aten_contraction,
    aten_gradient,
    aten_layout,
    aten_pointwise,
    aten_reduction,
    collectives,
)
from hecv.tensors.definitions.op_definition import DEFINITIONS, Call, Undefined, definition_of

__all__ = [
    "DEFINITIONS",
    "Call",
    "Undefined",
    "aten_contraction",
    "aten_gradient",
    "aten_layout",
    "aten_pointwise",
    "aten_reduction",
    "collectives",
    "definition_of",
]
