"""Structured ops on operands of open shape: a shape that MLIR's verifier refuses where it sees it is undefined."""

from __future__ import annotations

from string import Template

import pytest

from hecv.check import Options, check

GENERIC = Template(
    "%r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ($map)>, affine_map<(i) -> (i)>], "
    'iterator_types = ["parallel"]} ins(%a, %b : $type<${n}xf32>, $type<${m}xf32>) outs(%o : $type<${n}xf32>) {\n'
    "^bb0(%x: f32, %y: f32, %z: f32):\n%s = arith.addf %x, %x : f32\nlinalg.yield %s : f32 }"
)
ALONE = Template(
    "%r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], "
    'iterator_types = ["parallel"]} ins(%a : $type<${n}xf32>) outs(%o : $type<${n}xf32>) {\n'
    "^bb0(%x: f32, %z: f32):\n%s = arith.addf %x, %x : f32\nlinalg.yield %s : f32 }"
)


def _verdict(head: str, source: str, target: str, returned: str) -> str:
    texts = [f"func.func @f{head} {{\n{body}\nreturn {returned}\n}}" for body in (source, target)]
    report = check(texts[0], texts[1], ("s.mlir", "t.mlir"), Options())
    assert not report.internal, report.diagnostics
    return report.verdict


def _generics(kind: str, map: str, n: str, m: str, into: str) -> tuple[str, str, str, str]:
    """The head of a function, an op with an operand that its payload does not use, one without, what is returned."""
    of_tensors = kind == "tensor"
    result = f" -> tensor<{n}xf32>" if of_tensors else ""
    texts = [t.substitute(map=map, type=kind, n=n, m=m) + result for t in (GENERIC, ALONE)]
    if not of_tensors:
        texts = [text.removeprefix("%r = ") for text in texts]
    head = f"(%a: {kind}<{n}xf32>, %b: {kind}<{m}xf32>, %o: {kind}<{n}xf32>){result}"
    if into:
        part = f"%b = tensor.extract_slice %w[0] [%k] [1] : tensor<{into}xf32> to tensor<{m}xf32>\n"
        head = head.replace(f"%b: tensor<{m}xf32>", f"%w: tensor<{into}xf32>, %k: index")
        texts = [part + text for text in texts]
    return head, texts[0], texts[1], f"%r : tensor<{n}xf32>" if of_tensors else ""


OPEN = {
    "a stride": ("tensor", "2 * i", "8", "?", ""),
    "a stride in memory": ("memref", "2 * i", "8", "?", ""),
    "an offset": ("tensor", "i + 1", "8", "?", ""),
    "a literal": ("memref", "3", "8", "?", ""),
    "an index below zero": ("tensor", "i - 1", "?", "8", ""),
    "a slice": ("tensor", "2 * i", "8", "?", "64"),
}


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", OPEN)
def test_an_operand_that_is_not_used_is_in_bounds(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """MLIR may drop the operand; a target that brings one in asks for more than the source."""
    monkeypatch.setenv("HECV_CROSSCHECK", "1")
    head, asks, plain, returned = _generics(*OPEN[name])
    assert _verdict(head, plain, asks, returned) == "not-equivalent"
    assert _verdict(head, asks, plain, returned) == "refines"


def test_an_operand_that_is_large_enough_says_nothing() -> None:
    head, asks, plain, returned = _generics("tensor", "2 * i", "8", "15", "")
    assert _verdict(head, plain, asks, returned) == "equivalent"
    head, asks, plain, returned = _generics("tensor", "7 - i", "8", "8", "")
    assert _verdict(head, plain, asks, returned) == "equivalent"


def test_an_op_that_does_not_run_demands_nothing() -> None:
    """As the verifier and the assertions of `generate-runtime-verification` have it."""
    head, asks, plain, returned = _generics("tensor", "2 * i + 3", "0", "?", "")
    assert _verdict(head, plain, asks, returned) == "equivalent"


PACK = Template("%r = linalg.pack %t$pad inner_dims_pos = [0] inner_tiles = [4] into %o : tensor<$n> -> tensor<$m>")
LOOP = Template("""
  %n = tensor.dim %t, %c0 : tensor<$n>
  %r = tensor.generate %d {
  ^bb0(%i: index, %j: index):
    %p = affine.apply affine_map<(i, j) -> (4 * i + j)>(%i, %j)
    %in = arith.cmpi slt, %p, %n : index
    %e = scf.if %in -> f32 {
      %l = tensor.extract %t[%p] : tensor<$n>
      scf.yield %l : f32
    } else {
      scf.yield %x : f32
    }
    tensor.yield %e : f32
  } : tensor<$m>
""")
ASSERT = 'cf.assert %ok, "tiles"\n'
"""What a pack demands, by a condition that is computed before."""


def _packs(pad: bool, condition: str) -> tuple[str, str, str, str]:
    """The head of a function, a pack, loops that do the same, and these where the condition holds."""
    texts = {"n": "?xf32", "m": "?x4xf32"}
    pack = PACK.substitute(texts, pad=" padding_value(%x : f32)" if pad else "")
    before = (
        "%c0 = arith.constant 0 : index\n%c4 = arith.constant 4 : index\n%d = tensor.dim %o, %c0 : tensor<?x4xf32>\n"
    )
    loop = before + LOOP.substitute(texts)
    asserted = before + f"%s = tensor.dim %t, %c0 : tensor<?xf32>\n{condition}{ASSERT}" + loop.removeprefix(before)
    return "(%t: tensor<?xf32>, %o: tensor<?x4xf32>, %x: f32) -> tensor<?x4xf32>", pack, loop, asserted


FULL = "%k = arith.muli %d, %c4 : index\n%ok = arith.cmpi eq, %k, %s : index\n"
NEEDED = "%k = affine.apply affine_map<()[s] -> (s ceildiv 4)>()[%s]\n%ok = arith.cmpi eq, %d, %k : index\n"


@pytest.mark.one_in(6)
@pytest.mark.parametrize(("pad", "condition"), [(False, FULL), (True, NEEDED)])
def test_a_pack_has_the_tiles_that_its_elements_take(
    pad: bool, condition: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HECV_CROSSCHECK", "1")
    head, pack, loop, asserted = _packs(pad, condition)
    returned = "%r : tensor<?x4xf32>"
    assert _verdict(head, loop, pack, returned) == "not-equivalent"
    assert _verdict(head, pack, loop, returned) == "refines"
    assert _verdict(head, asserted, pack, returned) == "equivalent"


@pytest.mark.one_in(6)
@pytest.mark.parametrize("weaker", ["sle", "sge"])
def test_a_pack_has_neither_more_nor_fewer_tiles(weaker: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HECV_CROSSCHECK", "1")
    for pad, condition in ((False, FULL), (True, NEEDED)):
        head, pack, _, asserted = _packs(pad, condition.replace("cmpi eq", f"cmpi {weaker}"))
        assert _verdict(head, asserted, pack, "%r : tensor<?x4xf32>") == "not-equivalent"


@pytest.mark.parametrize("op", ["pack", "unpack"])
def test_a_dimension_that_is_not_tiled_stays(op: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its extent in the destination is that in the source."""
    monkeypatch.setenv("HECV_CROSSCHECK", "1")
    types = ["8x?xf32", "2x?x4xf32"] if op == "pack" else ["2x?x4xf32", "8x?xf32"]
    made = (
        f"%r = linalg.{op} %t inner_dims_pos = [0] inner_tiles = [4] into %o : tensor<{types[0]}> -> tensor<{types[1]}>"
    )
    head = f"(%t: tensor<{types[0]}>, %o: tensor<{types[1]}>)"
    sizes = "%c1 = arith.constant 1 : index\n" + "".join(
        f"%n{k} = tensor.dim %{value}, %c1 : tensor<{types[k]}>\n" for k, value in enumerate("to")
    )
    for predicate, verdict in (("eq", "equivalent"), ("sle", "not-equivalent")):
        asserted = f"{sizes}%ok = arith.cmpi {predicate}, %n0, %n1 : index\n{ASSERT}"
        assert _verdict(head, asserted, asserted + made, "") == verdict
