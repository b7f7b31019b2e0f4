"""Captures a JAX function as MLIR: traced to StableHLO, then lowered to linalg on tensors.

A dictionary among the arguments holds parameters, named by the path of their keys; any other array is an input.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

import jax
import jax.numpy as jnp
from torch_mlir import ir
from torch_mlir._mlir_libs import _stablehlo
from torch_mlir.dialects import torch as torch_dialect
from torch_mlir.passmanager import PassManager

from hecv.jax.function_capture import ELEMENTS, argument_names, unknown_element
from hecv.mlir.passes.dialect_lowering import MISREAD
from hecv.parameters.captured_model import Captured, Failure, Kind, Tensor, named, path_of

_LOWERING: Final = (
    "builtin.module(inline,func.func(chlo-legalize-to-stablehlo),canonicalize,func.func(stablehlo-legalize-to-linalg,"
    "convert-elementwise-to-linalg),canonicalize,cse,symbol-dce)"
)
_ERF: Final = re.compile(r"chlo\.(erfc?) (%[\w#]+) : (tensor<[^>]*>) -> tensor<[^>]*>")
"""StableHLO has no error function: its lowering approximates it, while MLIR's own op is the function."""
_OP: Final = re.compile(r"\bstablehlo\.[\w-]+")


def capture(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Captured | Failure:
    """The function as MLIR, with what it computes on the arguments."""
    leaves = jax.tree_util.tree_flatten_with_path(arguments)[0]
    results = jax.tree_util.tree_flatten_with_path(function(*arguments))[0]
    unknown = unknown_element([leaf for _, leaf in (*leaves, *results)])
    if unknown is not None:
        return Failure("unsupported-op", f"arrays of {unknown} are not supported", unsupported=True)
    names = argument_names([path for path, _ in leaves], arguments)
    taken = [_tensor(*name, jnp.asarray(leaf)) for name, (_, leaf) in zip(names, leaves, strict=True)]
    # Parameters first, whatever their place: so they are in every model.
    order = sorted(range(len(taken)), key=lambda k: taken[k].kind == "input")
    structure = jax.tree_util.tree_structure(arguments)
    arrays = [leaf for _, leaf in leaves]

    def flat(*given: Any) -> Any:
        back = dict(zip(order, given, strict=True))
        return function(*jax.tree_util.tree_unflatten(structure, [back[k] for k in range(len(back))]))

    lowered = jax.jit(flat, keep_unused=True).lower(*(arrays[k] for k in order))
    text = _linalg(lowered.as_text())
    if isinstance(text, Failure):
        return text
    made = tuple(
        _tensor(named("result", k, path_of(path)), "input", jnp.asarray(r)) for k, (path, r) in enumerate(results)
    )
    return Captured("jax", text, tuple(taken[k] for k in order), made)


def _tensor(name: str, kind: Kind, array: Any) -> Tensor:
    element = ELEMENTS.get(str(array.dtype), str(array.dtype))
    shape = tuple(int(n) for n in array.shape)
    values = tuple(float(x) for x in array.flatten().tolist())
    return Tensor(name, kind, shape, f"tensor<{''.join(f'{n}x' for n in shape)}{element}>", values)


def _linalg(text: str) -> str | Failure:
    misread = next((name for name in _OP.findall(text) if name in MISREAD), None)
    if misread is not None:
        return Failure("unsupported-op", f"the lowering to linalg makes something else of {misread}", unsupported=True)
    context = ir.Context()
    torch_dialect.register_dialect(context)
    _stablehlo.register_dialect(context)
    _stablehlo.register_stablehlo_passes()
    with context:
        # The pass loads the dialect chlo, which cannot be registered by itself.
        PassManager.parse("builtin.module(func.func(convert-torch-to-stablehlo))").run(
            ir.Module.parse("module {}").operation
        )
        module = ir.Module.parse(_ERF.sub(r"math.\1 \2 : \3", text))
        try:
            PassManager.parse(_LOWERING).run(module.operation)
        except ir.MLIRError as problem:
            found = re.search(r"(?:stablehlo|chlo)\.\w+", str(problem))
            what = found[0] if found else str(problem).partition("\n")[0]
            return Failure("unsupported-op", f"the lowering to linalg does not know {what}", unsupported=True)
        left = re.search(r"\b(?:stablehlo|chlo)\.\w+", str(module))
        if left is not None:
            return Failure("unsupported-op", f"the lowering to linalg leaves {left[0]}", unsupported=True)
        return str(module)
