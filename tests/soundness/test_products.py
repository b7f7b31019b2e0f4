"""Sums of products of vectors: which are fused, which are not, and which a source leaves open."""

from __future__ import annotations

import pytest

from hecv.check import Options, check

MAPS = """#a = affine_map<(i, j, k) -> (i, k)>
#b = affine_map<(i, j, k) -> (k, j)>
#c = affine_map<(i, j, k) -> (i, j)>
"""
HEAD = "func.func @f(%a: vector<2x3xf32>, %b: vector<3x4xf32>, %c: vector<2x4xf32>) -> vector<2x4xf32> {\n"
CONTRACT = f"""{MAPS}{HEAD}  %r = vector.contract {{indexing_maps = [#a, #b, #c],
    iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}} %a, %b, %c
    : vector<2x3xf32>, vector<3x4xf32> into vector<2x4xf32>
  return %r : vector<2x4xf32>
}}"""


def rows(fused: bool, last: int = 2) -> str:
    """The product by rows, of which the last is number `last`."""
    body, so_far = "  %t = vector.transpose %a, [1, 0] : vector<2x3xf32> to vector<3x2xf32>\n", "%c"
    for k in range(3):
        row = min(k, last)
        body += f"  %a{k} = vector.extract %t[{row}] : vector<2xf32> from vector<3x2xf32>\n"
        body += f"  %b{k} = vector.extract %b[{k}] : vector<4xf32> from vector<3x4xf32>\n"
        if fused:
            body += f"  %s{k} = vector.outerproduct %a{k}, %b{k}, {so_far} : vector<2xf32>, vector<4xf32>\n"
        else:
            body += f"  %o{k} = vector.outerproduct %a{k}, %b{k} : vector<2xf32>, vector<4xf32>\n"
            body += f"  %s{k} = arith.addf {so_far}, %o{k} : vector<2x4xf32>\n"
        so_far = f"%s{k}"
    return f"{HEAD}{body}  return {so_far} : vector<2x4xf32>\n}}"


def verdict(source: str, target: str) -> str:
    return check(source, target, ("source.mlir", "target.mlir"), Options()).verdict


def assumptions(source: str, target: str) -> list[str]:
    (found,) = check(source, target, ("source.mlir", "target.mlir"), Options()).functions
    return [a.id for a in found.assumptions]


OUTER = """func.func @f(%a: vector<2xf32>, %b: vector<2xf32>, %c: vector<2x2xf32>) -> vector<2x2xf32> {{
  {0}
  return %r : vector<2x2xf32>
}}"""
ADDED = "%r = vector.outerproduct %a, %b, %c {kind = #vector.kind<add>} : vector<2xf32>, vector<2xf32>"
WIDE = """%y = vector.broadcast %b : vector<2xf32> to vector<2x2xf32>
  %w = vector.broadcast %a : vector<2xf32> to vector<2x2xf32>
  %x = vector.transpose %w, [1, 0] : vector<2x2xf32> to vector<2x2xf32>
"""
APART = f"{WIDE}  %p = arith.mulf %x, %y : vector<2x2xf32>\n  %r = arith.addf %p, %c : vector<2x2xf32>"
FUSED = f"{WIDE}  %r = vector.fma %x, %y, %c : vector<2x2xf32>"


def test_an_outer_product_that_is_added_to_is_fused() -> None:
    assert verdict(OUTER.format(ADDED), OUTER.format(FUSED)) == "equivalent"
    assert verdict(OUTER.format(ADDED), OUTER.format(APART)) == "not-equivalent"


def test_integers_and_other_kinds_are_not() -> None:
    kinds = {"add": "addi", "mul": "muli", "maxsi": "maxsi"}
    for kind, op in kinds.items():
        added = ADDED.replace("<add>", f"<{kind}>").replace("f32", "i32")
        apart = APART.replace("mulf", "muli").replace("addf", op).replace("f32", "i32")
        source, target = (OUTER.replace("f32", "i32").format(body) for body in (added, apart))
        assert verdict(source, target) == "equivalent"
    largest = (ADDED.replace("<add>", "<maximumf>"), APART.replace("addf", "maximumf"))
    assert verdict(*map(OUTER.format, largest)) == "equivalent"


@pytest.mark.parametrize("fused", [True, False])
def test_a_contraction_that_was_lowered_may_be_either(fused: bool) -> None:
    assert verdict(CONTRACT, rows(fused)) == "refines"
    assert verdict(CONTRACT, rows(fused, last=1)) == "not-equivalent"


def test_a_contraction_that_something_became_rounds_its_products() -> None:
    assert verdict(rows(False), CONTRACT) == "equivalent"
    assert verdict(rows(True), CONTRACT) != "equivalent"
    assert "contract-rounds" in assumptions(rows(False), CONTRACT)
    assert "contract-rounds" not in assumptions(CONTRACT, rows(False))
    assert verdict(CONTRACT, CONTRACT) == "equivalent"
