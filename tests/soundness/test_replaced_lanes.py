"""Vectors in which branches replace lanes, one by one, as lowerings of masked and gathered reads write them: in all
other lanes the branch is no choice. Twins replace another lane, under another condition, or by another element."""

from __future__ import annotations

import pytest

from hecv.check import Options, check
from hecv.claim.result import Report

HEAD = "(%A: memref<?xf32>, %o: index, %i: vector<3xindex>, %m: vector<3xi1>, %p: vector<3xf32>) -> vector<3xf32>"
RIGHT = ((0, 0, 0), (1, 1, 1), (2, 2, 2))
WRONG = {
    "another lane": ((0, 0, 0), (1, 1, 1), (2, 2, 1)),
    "another condition": ((0, 0, 0), (1, 0, 1), (2, 2, 2)),
    "another element": ((0, 0, 0), (0, 1, 1), (2, 2, 2)),
    "a lane less": ((0, 0, 0), (1, 1, 1)),
}
MASKED = """%r = vector.maskedload %A[%o], %m, %p : memref<?xf32>, vector<3xi1>, vector<3xf32> into vector<3xf32>
return %r : vector<3xf32>"""
GATHERED = """%z = arith.constant 0 : index
%r = vector.gather %A[%z][%i], %m, %p
: memref<?xf32>, vector<3xindex>, vector<3xi1>, vector<3xf32> into vector<3xf32>
return %r : vector<3xf32>"""
MASKED_ELEMENT = "%c{k} = arith.constant {element} : index\n%e{k} = arith.addi %o, %c{k} : index"
GATHERED_ELEMENT = "%e{k} = vector.extract %i[{element}] : index from vector<3xindex>"
REPLACED = """%b{k} = vector.extract %m[{bit}] : i1 from vector<3xi1>
%v{k} = scf.if %b{k} -> (vector<3xf32>) {{
%x = memref.load %A[%e{k}] : memref<?xf32>
%y = vector.insert %x, {before} [{lane}] : f32 into vector<3xf32>
scf.yield %y : vector<3xf32>
}} else {{
scf.yield {before} : vector<3xf32>
}}"""


def replaced(element: str, lanes: tuple[tuple[int, int, int], ...]) -> str:
    """A branch for each lane, which replaces it where a bit says so, by an element."""
    lines: list[str] = []
    for k, (number, bit, lane) in enumerate(lanes):
        before = f"%v{k - 1}" if k else "%p"
        lines.append(f"{element}\n{REPLACED}".format(k=k, element=number, bit=bit, lane=lane, before=before))
    return "\n".join([*lines, f"return %v{len(lanes) - 1} : vector<3xf32>"])


PAIRS = {"masked": (MASKED, MASKED_ELEMENT), "gathered": (GATHERED, GATHERED_ELEMENT)}


def compared(source: str, target: str) -> Report:
    texts = [f"func.func @f{HEAD} {{\n{body}\n}}" for body in (source, target)]
    report = check(texts[0], texts[1], ("s.mlir", "t.mlir"), Options())
    assert not report.internal, report.diagnostics
    return report


def verdict(source: str, target: str) -> str:
    return compared(source, target).verdict


@pytest.mark.one_in(6)
@pytest.mark.parametrize("pair", PAIRS)
def test_lanes_that_branches_replace(pair: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also replayed: its certificate says where a choice is none."""
    monkeypatch.setenv("HECV_REPLAY", "1")
    source, element = PAIRS[pair]
    for pair_of in ((source, replaced(element, RIGHT)), (replaced(element, RIGHT), source)):
        report = compared(*pair_of)
        assert report.verdict == "equivalent"
        assert report.functions[0].uncertified is None


@pytest.mark.one_in(8)
@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("wrong", WRONG)
def test_lanes_that_are_replaced_otherwise(pair: str, wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HECV_CROSSCHECK", "1")
    source, element = PAIRS[pair]
    assert verdict(source, replaced(element, WRONG[wrong])) == "not-equivalent"


CHOICE = """%x = vector.extract %p[1] : f32 from vector<3xf32>
%v = vector.insert %x, %p [0] : f32 into vector<3xf32>
%w = vector.insert %x, %v [1] : f32 into vector<3xf32>
{condition}
%r = arith.select %c, %v, %w : vector<3xf32>
return %r : vector<3xf32>"""
NO_CHOICE = """%x = vector.extract %p[1] : f32 from vector<3xf32>
%v = vector.insert %x, %p [0] : f32 into vector<3xf32>
return %v : vector<3xf32>"""
POISON = """%h = arith.index_cast %o : index to i32
%k = arith.constant 32 : i32
%s = arith.shli %h, %k : i32
%c = arith.cmpi slt, %s, %h : i32"""


@pytest.mark.parametrize(
    ("condition", "expected"), [("%c = vector.extract %m[1] : i1 from vector<3xi1>", True), (POISON, False)]
)
def test_a_choice_by_poison_is_poison(condition: str, expected: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HECV_CROSSCHECK", "1")
    found = verdict(NO_CHOICE, CHOICE.format(condition=condition))
    assert (found == "equivalent") if expected else (found == "not-equivalent")
