"""Constants of floats that are no types of LLVM: a difference in one is confirmed by the JIT."""

from __future__ import annotations

import pytest

from hecv.check import Options, check

LISTS = [
    ("[1.5, 2.0, -3.0]", "[1.5, 2.0, -3.5]"),
    ("-1.5", "1.5"),
    ("[0.0, 1.0, -0.0]", "[0.0, 1.0, 0.0]"),
    ("[{nan}, 1.0, 2.0]", "[0.5, 1.0, 2.0]"),
]
NAN = {"bf16": "0x7FC0", "f8E4M3FN": "0x7F", "f8E5M2": "0x7E"}


EXTRACTED = {
    "tensor": "tensor.extract %c[%i] : tensor<3x{0}>",
    "vector": "vector.extract %c[%i] : {0} from vector<3x{0}>",
}


def text(kind: str, held: str, elements: str) -> str:
    return f"""func.func @f(%i: index) -> {kind} {{
  %c = arith.constant dense<{elements.format(nan=NAN[kind])}> : {held}<3x{kind}>
  %r = {EXTRACTED[held].format(kind)}
  return %r : {kind}
}}"""


@pytest.mark.one_in(4)
@pytest.mark.parametrize("kind", NAN)
@pytest.mark.parametrize("held", EXTRACTED)
@pytest.mark.parametrize(("one", "other"), LISTS)
def test_a_difference_in_a_constant_is_confirmed(kind: str, held: str, one: str, other: str) -> None:
    report = check(text(kind, held, one), text(kind, held, other), ("s.mlir", "t.mlir"), Options())
    assert report.verdict == "not-equivalent", report.functions
    assert all(f.counterexample is not None and "jit" in f.counterexample.engines for f in report.functions)
