"""Lowers `linalg.pack`, `unpack`, `softmax`, `winograd_*` and `vector.scan`, for which MLIR has no pass.

MLIR has transform ops for them.
"""

from __future__ import annotations

from typing import Any, Final

from torch_mlir import ir  # pyright: ignore[reportMissingTypeStubs]

from hecv.run.jit.abi.jit_outcome import Refused

# The bindings are typed in small part.
IR: Any = ir

_PACKS: Final = """
    %pack = transform.structured.match ops{["linalg.pack"]} in %root
      : (!transform.any_op) -> !transform.op<"linalg.pack">
    %a, %b, %c = transform.structured.lower_pack %pack
      : (!transform.op<"linalg.pack">)
      -> (!transform.op<"tensor.pad">, !transform.op<"tensor.expand_shape">, !transform.op<"linalg.transpose">)
    %unpack = transform.structured.match ops{["linalg.unpack"]} in %root
      : (!transform.any_op) -> !transform.op<"linalg.unpack">
    %d, %e, %f, %g, %h = transform.structured.lower_unpack %unpack
      : (!transform.op<"linalg.unpack">)
      -> (!transform.op<"tensor.empty">, !transform.op<"linalg.transpose">, !transform.op<"tensor.collapse_shape">,
          !transform.op<"tensor.extract_slice">, !transform.op<"linalg.copy">)
"""

_SCANS: Final = """
    %functions = transform.structured.match ops{["func.func"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.apply_patterns to %functions { transform.apply_patterns.vector.lower_scan } : !transform.any_op
"""

_SOFTMAX: Final = """
    %softmax = transform.structured.match ops{["linalg.softmax"]} in %root : (!transform.any_op) -> !transform.any_op
    %decomposed = transform.structured.decompose_interface %softmax : (!transform.any_op) -> !transform.any_op
"""

_WINOGRAD: Final = "".join(
    f"""
    %{what} = transform.structured.match ops{{["linalg.winograd_{what}_transform"]}} in %root
      : (!transform.any_op) -> !transform.any_op
    %{what}_products = transform.structured.decompose_winograd_op %{what} : (!transform.any_op) -> !transform.any_op
"""
    for what in ("filter", "input", "output")
)

_LOWERINGS: Final = {
    "linalg.pack": _PACKS,
    "linalg.unpack": _PACKS,
    "vector.scan": _SCANS,
    "linalg.softmax": _SOFTMAX,
    "linalg.winograd_": _WINOGRAD,
}
"""The transform that lowers each op. Patterns also fold, so they are applied to nothing else."""


def lower_by_transforms(module: Any, text: str) -> None:
    """Lowers these ops of a module, in place; `text` is what the module was parsed from.

    Raises: Refused if MLIR does not lower one.
    """
    steps = dict.fromkeys(lowering for op, lowering in _LOWERINGS.items() if op in text)
    if not steps:
        return
    # Importing it takes time, and few programs have such ops.
    from torch_mlir.dialects.transform import interpreter  # pyright: ignore

    sequence = f"transform.named_sequence @lower(%root: !transform.any_op) {{ {''.join(steps)} transform.yield }}"
    script = IR.Module.parse(f"module attributes {{transform.with_named_sequence}} {{ {sequence} }}", module.context)
    (lower,) = script.body.operations
    try:
        interpreter.apply_named_sequence(module.operation, lower.operation, script)  # pyright: ignore
    except (IR.MLIRError, ValueError, RuntimeError) as error:
        raise Refused(f"could not lower by transform ops: {str(error).splitlines()[0]}") from error
