"""What MLIR says of effects, asked of its passes: each kind of op against what its documentation says."""

from __future__ import annotations

import pytest

from hecv.mlir.module.parsed_module import parse
from hecv.mlir.module.purity import Purity

PROGRAM = """
func.func @f(%t: tensor<4xf32>, %m: memref<4xf32>, %i: index, %x: i32, %y: f32, %v: !torch.vtensor<[4],f32>) {
  "test.use"() : () -> ()
  OP
  return
}
func.func private @g(tensor<4xf32>) -> tensor<4xf32>
"""

GENERIC = """%e = tensor.empty() : tensor<4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
    outs(%e : tensor<4xf32>) {
  ^bb0(%o: f32):
    INSIDE
    linalg.yield %y : f32
  } -> tensor<4xf32>"""

FREE_AND_TOTAL = {
    "arith.addi": "%r = arith.addi %x, %x : i32",
    "arith.addf": "%r = arith.addf %t, %t : tensor<4xf32>",
    "tosa.const": '%r = "tosa.const"() <{values = dense<0.0> : tensor<4xf32>}> : () -> tensor<4xf32>',
    "linalg.generic": GENERIC.replace("INSIDE", ""),
    "stablehlo.add": "%r = stablehlo.add %t, %t : tensor<4xf32>",
    "math.exp": "%r = math.exp %y : f32",
}
FREE = {
    # MLIR does not speculate what checks shapes; hecv takes it to be total, and says so in the verdict.
    "tosa.add": "%r = tosa.add %t, %t : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>",
    "arith.divsi": "%r = arith.divsi %x, %x : i32",
    "tensor.dim": "%r = tensor.dim %t, %i : tensor<4xf32>",
}
NOT_FREE = {
    "memref.load": "%r = memref.load %m[%i] : memref<4xf32>",
    "memref.alloc": "%r = memref.alloc() : memref<4xf32>",
    "vector.load": "%r = vector.load %m[%i] : memref<4xf32>, vector<4xf32>",
    "func.call": "%r = func.call @g(%t) : (tensor<4xf32>) -> tensor<4xf32>",
    "test.op": '%r = "test.op"(%t) : (tensor<4xf32>) -> tensor<4xf32>',
    "torch.aten.relu": "%r = torch.aten.relu %v : !torch.vtensor<[4],f32> -> !torch.vtensor<[4],f32>",
    "linalg.generic": GENERIC.replace("INSIDE", "memref.store %y, %m[%i] : memref<4xf32>"),
    "scf.execute_region": """%r = scf.execute_region -> f32 {
    %l = memref.load %m[%i] : memref<4xf32>
    scf.yield %l : f32
  }""",
}
"""An op that MLIR knows nothing of counts as one with effects, `torch.aten` too."""


def answers(name: str, text: str) -> tuple[bool, bool]:
    """Whether the op is free of effects, and whether it may be speculated; asked twice, as the answer is kept."""
    module = parse(PROGRAM.replace("OP", text), "p.mlir")
    purity = Purity(module.module.context)
    ops = [view.operation for view in module.symbols["f"].regions[0].blocks[0].operations]
    op = next(o for o in ops if o.name == name)
    found = purity.is_free(op), purity.is_speculatable(op)
    assert found == (purity.is_free(op), purity.is_speculatable(op))
    assert [view.operation for view in module.symbols["f"].regions[0].blocks[0].operations] == ops
    return found


@pytest.mark.parametrize("name", FREE_AND_TOTAL)
def test_free_and_total(name: str) -> None:
    assert answers(name, FREE_AND_TOTAL[name]) == (True, True)


@pytest.mark.parametrize("name", FREE)
def test_free_but_not_total(name: str) -> None:
    assert answers(name, FREE[name]) == (True, False)


@pytest.mark.parametrize("name", NOT_FREE)
def test_not_free(name: str) -> None:
    assert answers(name, NOT_FREE[name]) == (False, False)
