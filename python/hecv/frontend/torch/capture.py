"""A torch module as MLIR: torch.export, and torch-mlir's lowering to linalg on tensors.

Parameters and buffers become arguments, in the order of their names in the module, before the inputs. Four things of
the lowering are put right here: buffers that are not saved with the module have no name in an exported program unless
they are taken for saved ones; torch-mlir's own GELU by tanh has a constant that is off by 2e-4; sums of all that came
before (`cumsum`, `cumprod`), which it lowers to no linalg, are written out; and `erfc`, which it does not know, is
`1 - erf`.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate
from typing import Any, Final

import torch
from torch import nn
from torch.utils import _pytree as tree
from torch_mlir import fx, ir
from torch_mlir.extras.fx_decomp_util import get_decomposition_table
from torch_mlir.passmanager import PassManager

from hecv.frontend.models.captured import Captured, Failure, Kind, Path, Tensor, keyed, named, path_of
from hecv.frontend.resources import expand

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
_PARTIAL: Final = (
    "builtin.module(func.func(convert-torch-to-tmtensor,convert-torch-to-linalg,convert-torch-to-scf,"
    "convert-torch-to-arith,canonicalize))"
)
_LEFT: Final = re.compile(r"\b(?:tm_tensor|torch)\.[a-z_][\w.]*(?= |\b\()")
_PLACE: Final = re.compile(r'"([^"]*)":(\d+)')


class _WithState(nn.Module):
    """A module as a function of its parameters and buffers by name, and of the tensors among its arguments."""

    def __init__(self, module: nn.Module, arguments: tuple[Any, ...]) -> None:
        super().__init__()
        # In a tuple it is not a submodule: this one has no state of its own.
        self.call: tuple[nn.Module, tuple[Any, ...]] = module, arguments

    def forward(self, state: dict[str, torch.Tensor], *tensors: torch.Tensor) -> list[torch.Tensor]:
        module, arguments = self.call
        made = torch.func.functional_call(module, state, _filled(arguments, tensors))
        return [t for _, t in _tensors(made)]


def capture(module: nn.Module, arguments: tuple[Any, ...]) -> Captured | Failure:
    """The module as MLIR, and what it computes of the arguments."""
    warnings.simplefilter("ignore", FutureWarning)  # of torch about itself
    for part in module.modules():
        part._non_persistent_buffers_set = set()  # pyright: ignore[reportPrivateUsage]
    held = dict(_state(module))
    # Two arguments that are one tensor would be one in the exported program.
    state = {name: tensor.detach().clone() for name, (tensor, _) in held.items()}
    inputs = [(path, leaf.detach().clone()) for path, leaf in _tensors(arguments)]
    tensors = [t for _, t in inputs]
    with torch.no_grad():
        copies = {name: t.clone() for name, t in state.items()}
        given = [t.clone() for t in tensors]
        made = torch.func.functional_call(module, copies, _filled(arguments, given))
        called = {**copies, **{f"input{k}": t for k, t in enumerate(given)}}
        changed = [name for name, t in called.items() if t._version]
        if changed:
            text = f"the module changes {', '.join(changed)} in place, and what is left there is not compared"
            return Failure("unsupported-op", text, unsupported=True)
        program = torch.export.export(_WithState(module, arguments), (state, *tensors))
    text = _lowered(program)
    if isinstance(text, Failure):
        return text
    ours = [_tensor(name, kind, state[name]) for name, (_, kind) in held.items()]
    ours += [_tensor(named("input", k, path), "input", t) for k, (path, t) in enumerate(inputs)]
    theirs = tuple(_tensor(named("result", k, path), "input", r) for k, (path, r) in enumerate(_tensors(made)))
    return Captured("torch", text, tuple(ours), theirs, _plain(arguments), _plain(made))


def _leaves(value: object) -> list[tuple[Path, Any]]:
    """The leaves of a structure with their paths."""
    found = [(path_of(path), leaf) for path, leaf in tree.tree_flatten_with_path(value)[0]]
    return sorted(found, key=lambda f: keyed(f[0]))


def _tensors(value: object) -> list[tuple[Path, torch.Tensor]]:
    return [(path, leaf) for path, leaf in _leaves(value) if isinstance(leaf, torch.Tensor)]


def _filled(arguments: tuple[Any, ...], tensors: Sequence[torch.Tensor]) -> tuple[Any, ...]:
    """The arguments with other tensors, which are in the order of `_leaves`."""
    given = {path: t for (path, _), t in zip(_tensors(arguments), tensors, strict=True)}
    return tree.tree_map_with_path(lambda path, leaf: given.get(path_of(path), leaf), arguments)


def _plain(value: object) -> tuple[str, ...]:
    """What is there beside tensors, as text."""
    rest = [leaf for _, leaf in _leaves(value) if leaf is not None and not isinstance(leaf, torch.Tensor)]
    return tuple(repr(leaf) if isinstance(leaf, bool | int | float | str) else type(leaf).__name__ for leaf in rest)


def _state(module: nn.Module) -> Iterator[tuple[str, tuple[torch.Tensor, Kind]]]:
    """Parameters, and buffers of floats: what else a module has is part of its program."""
    for name, parameter in module.named_parameters():
        yield name, (parameter, "parameter")
    for name, buffer in module.named_buffers():
        if buffer.is_floating_point():
            yield name, (buffer, "buffer")


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
    """What is combined of all elements up to each one along a dimension, in their order."""
    x = x.to(dtype or (x.dtype if x.is_floating_point() else torch.int64))
    if x.dim() == 0 or x.shape[dim] == 0:
        return x
    return torch.stack(list(accumulate(x.unbind(dim), combine)), dim)


def _unsupported(program: Any, table: Mapping[Any, Any]) -> Failure | None:
    """The first op that is left when all that can be lowered is."""
    try:
        module = fx.export_and_import(program, output_type="torch", decomposition_table=dict(table))
    except Exception as problem:
        return _refused(str(problem))
    with module.context:
        PassManager.parse(_PARTIAL).run(module.operation)
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
