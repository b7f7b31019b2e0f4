"""Vector ops whose lanes that are on lie side by side in memory, and scatters to tensors."""

from __future__ import annotations

import pytest

from hecv.check import Options, check

HEAD = "(%M: memref<?xf32>, %i: index, %m: vector<3xi1>, %p: vector<3xf32>)"
KINDS = "memref<?xf32>, vector<3xi1>, vector<3xf32>"
ALL = "%k = vector.constant_mask [3] : vector<3xi1>\n"
FIRST = "%k = vector.constant_mask [2] : vector<3xi1>\n"
LAST = "%k = arith.constant dense<[false, true, true]> : vector<3xi1>\n"


def _verdict(head: str, source: str, target: str, returned: str = "") -> str:
    texts = [f"func.func @f{head} {{\n{body}\nreturn {returned}\n}}" for body in (source, target)]
    report = check(texts[0], texts[1], ("s.mlir", "t.mlir"), Options())
    assert not report.internal, report.diagnostics
    return report.functions[0].verdict


def _expand(mask: str) -> str:
    return f"%r = vector.expandload %M[%i], {mask}, %p : {KINDS} into vector<3xf32>"


def _compress(mask: str) -> str:
    return f"vector.compressstore %M[%i], {mask}, %p : {KINDS}"


@pytest.mark.parametrize(
    ("mask", "target", "verdict"),
    [
        (ALL, "%r = vector.load %M[%i] : memref<?xf32>, vector<3xf32>", "equivalent"),
        (FIRST, f"{FIRST}%r = vector.maskedload %M[%i], %k, %p : {KINDS} into vector<3xf32>", "equivalent"),
        (LAST, f"{LAST}%r = vector.maskedload %M[%i], %k, %p : {KINDS} into vector<3xf32>", "not-equivalent"),
    ],
)
def test_an_expanding_load_reads_side_by_side(mask: str, target: str, verdict: str) -> None:
    assert _verdict(f"{HEAD} -> vector<3xf32>", mask + _expand("%k"), target, "%r : vector<3xf32>") == verdict


@pytest.mark.parametrize(
    ("mask", "target", "verdict"),
    [
        (ALL, "vector.store %p, %M[%i] : memref<?xf32>, vector<3xf32>", "equivalent"),
        (FIRST, f"{FIRST}vector.maskedstore %M[%i], %k, %p : {KINDS}", "equivalent"),
        (LAST, f"{LAST}vector.maskedstore %M[%i], %k, %p : {KINDS}", "not-equivalent"),
    ],
)
def test_a_compressing_store_writes_side_by_side(mask: str, target: str, verdict: str) -> None:
    assert _verdict(HEAD, mask + _compress("%k"), target) == verdict


ENDS = "%k = arith.constant dense<[true, false, true]> : vector<3xi1>\n"
ONE_BY_ONE = """%j = affine.apply affine_map<(i) -> (i + 1)>(%i)
%a = vector.extract %p[0] : f32 from vector<3xf32>
%b = vector.extract %p[{}] : f32 from vector<3xf32>
memref.store %a, %M[%i] : memref<?xf32>
memref.store %b, %M[%j] : memref<?xf32>"""


def test_a_mask_of_literals_says_where_lanes_go() -> None:
    assert _verdict(HEAD, ENDS + _compress("%k"), ONE_BY_ONE.format(2)) == "equivalent"
    assert _verdict(HEAD, ENDS + _compress("%k"), ONE_BY_ONE.format(1)) == "not-equivalent"


def test_a_mask_of_data_packs_too() -> None:
    assert _verdict(HEAD, _compress("%m"), _compress("%m")) == "equivalent"
    assert _verdict(HEAD, _compress("%m"), f"vector.maskedstore %M[%i], %m, %p : {KINDS}") == "not-equivalent"


TENSOR = "(%T: tensor<8xf32>, %i: index, %I: vector<2xindex>, %p: vector<2xf32>, %q: vector<2xf32>) -> tensor<8xf32>"


def _scatter(values: str, mask: str = "[2]") -> str:
    return f"""
%m = vector.constant_mask {mask} : vector<2xi1>
%s = arith.addf {values} : vector<2xf32>
%r = vector.scatter %T[%i] [%I], %m, %s : tensor<8xf32>, vector<2xindex>, vector<2xi1>, vector<2xf32> -> tensor<8xf32>
"""


def test_a_scatter_to_a_tensor_makes_another_one() -> None:
    returned = "%r : tensor<8xf32>"
    assert _verdict(TENSOR, _scatter("%p, %q"), _scatter("%q, %p"), returned) == "equivalent"
    assert _verdict(TENSOR, _scatter("%p, %q"), _scatter("%p, %p"), returned) == "not-equivalent"
    assert _verdict(TENSOR, _scatter("%p, %q"), _scatter("%p, %q", "[1]"), returned) == "not-equivalent"


def test_the_index_of_a_lane_that_is_off_may_be_poison() -> None:
    """A source that is defined there is not replaced by anything."""
    source = """
%u = ub.poison : index
%J = vector.insert %u, %I [1] : index into vector<2xindex>
%m = vector.constant_mask [1] : vector<2xi1>
%n = arith.andi %m, %b : vector<2xi1>
vector.scatter %T[%i] [%J], %n, %p : memref<8xf32>, vector<2xindex>, vector<2xi1>, vector<2xf32>
"""
    head = "(%T: memref<8xf32>, %i: index, %I: vector<2xindex>, %p: vector<2xf32>, %b: vector<2xi1>)"
    assert _verdict(head, source, "") == "not-equivalent"
