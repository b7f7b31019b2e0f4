"""Loops of blocks that hand on vectors: the block that compares the counter keeps what it is given, and what it
computes stands once more after the loop. Twins take another turn, or what the loop began with."""

from __future__ import annotations

import pytest

from hecv.check import Options, check

HEAD = "(%n: index, %v: vector<4xf32>) -> vector<4xf32>"
COUNTS = "%c0 = arith.constant 0 : index\n%c4 = arith.constant 4 : index\n"
LOOP = f"""{COUNTS}%r = scf.for %i = %c0 to %n step %c4 iter_args(%x = %v) -> vector<4xf32> {{
%w = arith.mulf %x, %v : vector<4xf32>
%y = arith.addf %w, %v : vector<4xf32>
scf.yield %y : vector<4xf32>
}}
"""
LAST = f"{LOOP}return %r : vector<4xf32>"
NEXT = f"{LOOP}%q = arith.mulf %r, %v : vector<4xf32>\nreturn %q : vector<4xf32>"
BLOCKS = """cf.br ^head(%c0, %v : index, vector<4xf32>)
^head(%i: index, %x: vector<4xf32>):
%w = arith.mulf %x, %v : vector<4xf32>
%p = arith.cmpi {predicate}, %i, %n : index
cf.cond_br %p, ^body, ^end
^body:
%y = arith.addf {sum}, %v : vector<4xf32>
%j = arith.addi %i, %c4 : index
cf.br ^head(%j, %y : index, vector<4xf32>)
^end:
return {returned} : vector<4xf32>"""


def verdict(source: str, target: str) -> str:
    texts = [f"func.func @f{HEAD} {{\n{body}\n}}" for body in (source, target)]
    report = check(texts[0], texts[1], ("s.mlir", "t.mlir"), Options())
    assert not report.internal, report.diagnostics
    return report.verdict


@pytest.mark.one_in(10)
@pytest.mark.parametrize(
    ("source", "returned", "predicate", "term", "expected"),
    [
        (LAST, "%x", "slt", "%w", "equivalent"),
        (NEXT, "%w", "slt", "%w", "equivalent"),
        (LAST, "%w", "slt", "%w", "not-equivalent"),
        (NEXT, "%x", "slt", "%w", "not-equivalent"),
        (LAST, "%v", "slt", "%w", "not-equivalent"),
        (LAST, "%x", "sle", "%w", "not-equivalent"),
        (NEXT, "%w", "slt", "%x", "not-equivalent"),
    ],
)
def test_blocks_that_hand_on_vectors(
    source: str, returned: str, predicate: str, term: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HECV_CROSSCHECK", "1")
    target = COUNTS + BLOCKS.format(returned=returned, predicate=predicate, sum=term)
    assert verdict(source, target) == expected
    if expected == "equivalent":
        assert verdict(target, source) == expected
