"""Relates the parameters and buffers of two models that are captured as MLIR, where types have to agree exactly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from msgspec import Struct

from hecv.parameters.captured_model import Tensor
from hecv.parameters.parameter_relation import Expression, Own, names_in
from hecv.relate.state.state_matching import State, StateMatcher

_FLOATS: Final = ("f", "bf")


class RelatedState(Struct, frozen=True):
    """The expression for each tensor of the target, those without one, and the source's that no expression uses."""

    expressions: Mapping[str, Expression]
    unmatched: tuple[str, ...]
    unused: tuple[str, ...]


def relate_state(source: Sequence[Tensor], target: Sequence[Tensor], given: Mapping[str, Expression]) -> RelatedState:
    """Relates all parameters and buffers, those of one element type to each other. A buffer without a counterpart is
    part of its program, with its value; so is one that a source's is to the precision of its storage only."""
    found: dict[str, Expression] = dict(given)
    for element in dict.fromkeys(t.element for t in target):
        ours, theirs = (
            [_state(number, t) for number, t in enumerate(tensors) if t.element == element]
            for tensors in (source, target)
        )
        known = {s.name for s in ours}
        stated = {n: e for n, e in found.items() if not isinstance(e, Own) and known.issuperset(names_in(e))}
        relation = StateMatcher(ours).relate([t for t in theirs if not isinstance(given.get(t.name), Own)], stated)
        found |= {n: e for n, e in relation.expressions.items() if n not in found and n not in relation.rounded}
    for tensor in target:
        if tensor.kind == "buffer":
            found.setdefault(tensor.name, Own())
    found = {t.name: found[t.name] for t in target if t.name in found}
    unmatched = tuple(t.name for t in target if t.name not in found)
    used = {name for expression in found.values() for name in names_in(expression)}
    return RelatedState(found, unmatched, tuple(t.name for t in source if t.name not in used))


def _state(number: int, tensor: Tensor) -> State:
    kind = np.float64 if tensor.element.startswith(_FLOATS) else np.int64
    array = np.array(tensor.values, kind).reshape(tensor.shape)
    return State(tensor.name, tensor.kind, tensor.element, array, number)
