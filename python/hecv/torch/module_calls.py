"""One call of a torch module: what it changes, draws, or takes and returns that has no counterpart in a program."""

from __future__ import annotations

import pickle
import random
import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

import numpy as np
import torch
from msgspec import Struct
from torch import nn

from hecv.parameters.captured_model import Failure
from hecv.torch.pytrees import Leaves, filled, is_plain, leaves, plain_of, result_leaves, tensors_of
from hecv.torch.reachable_state import Held, changed, held

ELEMENTS: Final = {
    torch.float16: "f16",
    torch.bfloat16: "bf16",
    torch.float32: "f32",
    torch.float64: "f64",
    torch.bool: "i1",
    torch.int8: "i8",
    torch.int16: "i16",
    torch.int32: "i32",
    torch.int64: "i64",
}


class ModuleCall(Struct):
    """The leaves of the arguments, copies of the tensors among them, and the leaves of the results."""

    given: Leaves
    tensors: list[torch.Tensor]
    results: Leaves

    @property
    def plain(self) -> tuple[str, ...]:
        """The non-tensor results as text."""
        return plain_of(self.results)


def call_module(
    module: nn.Module, state: Mapping[str, torch.Tensor], arguments: tuple[Any, ...]
) -> ModuleCall | Failure:
    """Calls a module with parameters and buffers of these values, and checks that nothing of the call is lost in an
    exported program: side effects, random numbers, and what is no tensor of a supported type."""
    warnings.simplefilter("ignore", FutureWarning)  # of torch about itself
    given = leaves(arguments)
    # Two arguments that are one tensor would be one in the exported program.
    tensors = [t.detach().clone() for t in tensors_of(given)]
    with torch.no_grad():
        made = _called(module, state, filled(arguments, [t.clone() for t in tensors]))
        if isinstance(made, Failure):
            return made
        refused = _refusal([*state.values(), *tensors], arguments, made)
        if refused:
            return Failure("unsupported-op", refused, unsupported=True)
        # What is kept of the example may be what was there before; of other inputs it is not.
        with suppress(Exception):
            again = _called(module, state, filled(arguments, [_other(t) for t in tensors]))
            if isinstance(again, Failure):
                return again
    return ModuleCall(given, tensors, result_leaves(made))


def uncalled(arguments: tuple[Any, ...]) -> ModuleCall:
    """A call without results."""
    given = leaves(arguments)
    return ModuleCall(given, [t.detach().clone() for t in tensors_of(given)], [])


def same_plain_results(call: ModuleCall, noted: Sequence[tuple[str, ...]]) -> Failure | None:
    """A failure if the exported program notes other non-tensor results than the call gave."""
    if set(noted) == {call.plain}:
        return None
    text = f"the module returns {', '.join(call.plain)} beside tensors, which is not the same for all values of tensors"
    return Failure("unsupported-op", text, unsupported=True)


def _called(module: nn.Module, state: Mapping[str, torch.Tensor], arguments: tuple[Any, ...]) -> object | Failure:
    """The result of the module, if the call has no side effects."""
    # Who assigns to a parameter or buffer changes the dictionary.
    copies = {name: t.clone() for name, t in state.items()}
    before, drawn = _held(module, copies, arguments), _random()
    made = torch.func.functional_call(module, copies, arguments)
    names = changed(before, _held(module, copies, arguments))
    if names:
        text = f"the module changes {', '.join(names)}, and what is left there is not compared"
        return Failure("unsupported-op", text, unsupported=True)
    if drawn != _random():
        return Failure(
            "unsupported-op", "the module draws random numbers: for dropout, call .eval() first", unsupported=True
        )
    return made


def _other(tensor: torch.Tensor) -> torch.Tensor:
    """A tensor of other values that is valid in its place: integer values are permuted, so that indices stay in
    range."""
    if tensor.is_floating_point():
        return -tensor - 1
    return ~tensor if tensor.dtype == torch.bool else tensor.flatten().flip(0).reshape(tensor.shape)


def _held(module: nn.Module, state: Mapping[str, torch.Tensor], arguments: tuple[Any, ...]) -> Held:
    """Everything that a call may change."""
    return held({"": module}, False) | held({**state, "arguments": arguments}, True)


def _random() -> tuple[Any, ...]:
    """The state of the random number generators."""
    return random.getstate(), torch.get_rng_state().tolist(), pickle.dumps(np.random.get_state(legacy=False))


def _refusal(tensors: Sequence[torch.Tensor], arguments: tuple[Any, ...], made: object) -> str | None:
    """The part of a call that has no counterpart in MLIR."""
    results = result_leaves(made)
    for tensor in (*tensors, *tensors_of(results)):
        if tensor.dtype not in ELEMENTS:
            return f"tensors of {tensor.dtype} are not supported"
    for _, leaf in results:
        if not is_plain(leaf) and not isinstance(leaf, torch.Tensor):
            return f"the module returns a `{type(leaf).__name__}`, and what is in it is not compared"
    for found in (leaves(arguments), results):
        if len({path for path, _ in found}) < len(found):
            return "a dictionary has several keys that are written alike"
    return None
