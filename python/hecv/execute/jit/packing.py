"""Lowers `linalg.pack` and `linalg.unpack` to other ops on tensors: MLIR has transform ops for it, and no pass."""

from __future__ import annotations

from typing import Any, Final

from torch_mlir import ir  # pyright: ignore[reportMissingTypeStubs]

from hecv.execute.jit.outcome import Refused

# The bindings are typed in small part.
IR: Any = ir

_SCRIPT: Final = """
module attributes {transform.with_named_sequence} {
  transform.named_sequence @lower(%root: !transform.any_op) {
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
    transform.yield
  }
}
"""


def lower_packing(module: Any) -> None:
    """Lowers the packs and unpacks of a module, in place.

    Raises: Refused where MLIR does not.
    """
    text = str(module)
    if "linalg.pack" not in text and "linalg.unpack" not in text:
        return
    # Importing it takes time, and few programs pack.
    from torch_mlir.dialects.transform import interpreter  # pyright: ignore

    script = IR.Module.parse(_SCRIPT, module.context)
    sequence = script.body.operations[0]
    try:
        interpreter.apply_named_sequence(module.operation, sequence.operation, script)  # pyright: ignore
    except (IR.MLIRError, ValueError, RuntimeError) as error:
        raise Refused(f"could not lower a pack: {str(error).splitlines()[0]}") from error
