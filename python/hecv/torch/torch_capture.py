"""Captures a torch module as MLIR: torch.export, then torch-mlir's lowering to linalg on tensors.

Parameters and buffers become arguments before the inputs, in the order of their names in the module. Four defects of
the export and the lowering are repaired here:

- buffers that are not saved with the module have no name in an exported program; they are treated as saved ones;
- torch-mlir's tanh GELU has a constant that is off by 2e-4;
- `cumsum` and `cumprod`, which it does not lower to linalg, are written out;
- `erfc`, which it does not know, is written as `1 - erf`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import accumulate
from typing import Any, Final

import torch
from torch import nn
from torch_mlir import fx, ir
from torch_mlir.extras.fx_decomp_util import get_decomposition_table
from torch_mlir.passmanager import PassManager

from hecv.mlir.module.dense_resources import expand
from hecv.parameters.captured_model import Captured, Failure, Kind, Tensor, named
from hecv.torch.module_calls import ELEMENTS, call_module, same_plain_results
from hecv.torch.pytrees import filled, plain_of, result_leaves, tensors_of
from hecv.torch.reachable_state import floats_in

_PARTIAL: Final = (
    "builtin.module(func.func(convert-torch-to-tmtensor,convert-torch-to-linalg,convert-torch-to-scf,"
    "convert-torch-to-arith,canonicalize))"
)
_LEFT: Final = re.compile(r"\b(?:tm_tensor|torch)\.[a-z_][\w.]*(?= |\b\()")
_PLACE: Final = re.compile(r'"([^"]*)":(\d+)')


class _WithState(nn.Module):
    """A module as a function of its parameters and buffers by name, and of its tensor arguments.

    Non-tensor results are passed to `note`.
    """

    def __init__(self, module: nn.Module, arguments: tuple[Any, ...], note: Callable[[tuple[str, ...]], None]) -> None:
        super().__init__()
        # In a tuple it is not a submodule: this one has no state of its own.
        self.call: tuple[nn.Module, tuple[Any, ...]] = module, arguments
        self.note = note

    def forward(self, state: dict[str, torch.Tensor], *tensors: torch.Tensor) -> list[torch.Tensor]:
        module, arguments = self.call
        made = torch.func.functional_call(module, state, filled(arguments, tensors))
        found = result_leaves(made)
        self.note(plain_of(found))
        return tensors_of(found)


def capture(module: nn.Module, arguments: tuple[Any, ...]) -> Captured | Failure:
    """The module as MLIR, with what it computes on the arguments."""
    for part in module.modules():
        part._non_persistent_buffers_set = set()  # pyright: ignore[reportPrivateUsage]
    own, constant = dict(_state(module)), _constant(module)
    state = {name: tensor.detach().clone() for name, (tensor, _) in own.items()}
    call = call_module(module, state, arguments)
    if isinstance(call, Failure):
        return call
    noted: list[tuple[str, ...]] = []
    with torch.no_grad():
        program = torch.export.export(_WithState(module, arguments, noted.append), (state, *call.tensors))
    other = same_plain_results(call, noted)
    if other is not None:
        return other
    text = _lowered(program)
    if isinstance(text, Failure):
        return text
    ours = [_tensor(name, kind, state[name]) for name, (_, kind) in own.items()]
    paths = (path for path, leaf in call.given if isinstance(leaf, torch.Tensor))
    ours += [
        _tensor(named("input", k, path), "input", t)
        for k, (path, t) in enumerate(zip(paths, call.tensors, strict=True))
    ]
    returned = [(path, leaf) for path, leaf in call.results if isinstance(leaf, torch.Tensor)]
    theirs = tuple(_tensor(named("result", k, path), "input", t) for k, (path, t) in enumerate(returned))
    return Captured("torch", text, tuple(ours), theirs, plain_of(call.given), call.plain, constant)


def _state(module: nn.Module) -> Iterator[tuple[str, tuple[torch.Tensor, Kind]]]:
    """Parameters, and float buffers; everything else that a module holds is part of its program."""
    for name, parameter in module.named_parameters():
        yield name, (parameter, "parameter")
    for name, buffer in module.named_buffers():
        if buffer.is_floating_point():
            yield name, (buffer, "buffer")


def _constant(module: nn.Module) -> tuple[str, ...]:
    """The paths of float tensors that are neither parameters nor buffers, as in layers kept in a list."""
    named = [*module.named_parameters(remove_duplicate=False), *module.named_buffers(remove_duplicate=False)]
    return tuple(sorted(floats_in(module) - {name for name, _ in named}))


def _tensor(name: str, kind: Kind, tensor: torch.Tensor) -> Tensor:
    element = ELEMENTS.get(tensor.dtype, str(tensor.dtype))
    shape = tuple(tensor.shape)
    values = (
        tuple(float(x) for x in tensor.detach().double().flatten().tolist()) if element in ELEMENTS.values() else ()
    )
    return Tensor(name, kind, shape, f"tensor<{''.join(f'{n}x' for n in shape)}{element}>", values)


# Lowering


def _lowered(program: Any) -> str | Failure:
    table: dict[Any, Callable[..., Any]] = dict(get_decomposition_table())
    table |= {torch.ops.aten.gelu.default: _gelu, torch.ops.aten.cumsum.default: partial(_running, torch.add)}
    table |= {torch.ops.aten.cumprod.default: partial(_running, torch.mul), torch.ops.aten.erfc.default: _erfc}
    try:
        module = fx.export_and_import(program, output_type="linalg-on-tensors", decomposition_table=table)
        expand(module)
        text = str(module)
        left = _LEFT.search(text)
        if left is None:
            return text
        return Failure("unsupported-op", f"torch-mlir's lowering leaves {left[0]}", unsupported=True)
    except Exception as problem:
        found = _unsupported(program, table)
        return found or Failure("lowering-failed", f"torch-mlir does not lower it: {_first(problem)}", unsupported=True)


def _gelu(x: torch.Tensor, *, approximate: str = "none") -> torch.Tensor:
    """GELU by its definition."""
    if approximate == "none":
        return x * (1 + torch.erf(x * math.sqrt(0.5))) * 0.5
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)))


def _erfc(x: torch.Tensor) -> torch.Tensor:
    """The complementary error function."""
    return 1 - torch.erf(x)


def _running(
    combine: Callable[[torch.Tensor, torch.Tensor], torch.Tensor],
    x: torch.Tensor,
    dim: int,
    *,
    dtype: torch.dtype | None = None,
) -> torch.Tensor:
    """Prefix scan: for each element along a dimension, the combination of all elements up to it, in order."""
    x = x.to(dtype or (x.dtype if x.is_floating_point() else torch.int64))
    if x.dim() == 0 or x.shape[dim] == 0:
        return x
    return torch.stack(list(accumulate(x.unbind(dim), combine)), dim)


def _unsupported(program: Any, table: Mapping[Any, Any]) -> Failure | None:
    """The first op left after everything that can be lowered is."""
    try:
        module = fx.export_and_import(program, output_type="torch", decomposition_table=dict(table))
    except Exception as problem:
        return _refused(str(problem))
    try:
        with module.context:
            PassManager.parse(_PARTIAL).run(module.operation)
    except ir.MLIRError:
        return None  # no op is to blame alone
    left = [op for op in _operations(module.operation) if op.name.startswith(("torch.aten.", "torch.operator"))]
    if not left:
        return None
    op = left[0]
    name = str(ir.StringAttr(op.attributes["name"]).value) if op.name == "torch.operator" else op.name
    place = _PLACE.search(str(op.location))
    return Failure("unsupported-op", f"torch-mlir does not lower {name}", int(place[2]) if place else 0, None, True)


def _refused(text: str) -> Failure:
    found = re.search(r"torch\.aten\.[\w.]+|torch\.operator \"[^\"]*\"|aten::[\w.]+", text)
    what = found[0] if found else text.strip().partition("\n")[0]
    return Failure("unsupported-op", f"torch-mlir does not import {what}", unsupported=True)


def _operations(op: ir.Operation) -> Iterator[ir.Operation]:
    for region in op.regions:
        for block in region:
            for inner in block.operations:
                yield inner.operation
                yield from _operations(inner.operation)


def _first(problem: BaseException) -> str:
    return str(problem).strip().partition("\n")[0]
