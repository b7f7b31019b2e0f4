"""Certificates of inductions: what is recorded is accepted, and what is wrong is rejected."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from random import Random
from typing import Any

import pytest
from tests.kernel.forging import edited, forged
from tests.kernel.pairs import PAIRS, Pair, certified, of_files, replayed

from hecv.kernel.certificate.rejection import Malformed, Rejected

EDITS = 4
"""Edits of each certificate."""

ACCEPTED = (
    "affine-data-copy-generate/tile-buffers",
    "affine-expand-index-ops/digits",
    "affine-loop-coalescing/two-loops",
    "affine-loop-fusion/stencil",
    "affine-loop-fusion/two-dimensions",
    "affine-loop-invariant-code-motion/guarded",
    "affine-loop-normalize/symbolic-bounds",
    "affine-loop-tile/dynamic-gemm",
    "affine-loop-tile/partial-tiles",
    "affine-loop-unroll-jam/cleanup",
    "affine-loop-unroll/triangular",
    "affine-parallelize/rows",
    "affine-scalrep/globals",
    "affine-scalrep/local-buffer",
    "canonicalize/scf-branches",
    "convert-linalg-to-affine-loops/matmul",
    "convert-scf-to-cf/nested",
    "convert-vector-to-scf/transfers",
    "cse/pure-ops",
    "lower-affine/if",
    "lower-affine/stored",
    "loop-invariant-code-motion/division",
    "normalize-memrefs/tiled",
    "one-shot-bufferize/scaled",
    "scf-for-loop-peeling/fill",
    "scf-for-to-while/sum",
    "test-loop-permutation/three-loops",
    "test-vector-scan-lowering/scan",
    "transform-interpreter/dynamic-tiles",
    "transform-interpreter/forall",
)

TWINS = (
    "affine-loop-fusion/producer-consumer",
    "affine-loop-fusion/sibling",
    "affine-loop-fusion/stencil",
    "affine-loop-fusion/two-dimensions",
    "affine-loop-tile/dynamic-gemm",
    "affine-loop-tile/partial-tiles",
    "affine-loop-unroll-jam/cleanup",
    "affine-loop-unroll/triangular",
    "affine-scalrep/forward-store",
    "affine-scalrep/local-buffer",
    "scf-for-to-while/sum",
    "test-loop-permutation/three-loops",
    "transform-interpreter/forall",
)


@cache
def _certified(name: str) -> tuple[str, bool]:
    data, converse = certified(of_files(name))
    return json.dumps(data), converse


def _data(name: str) -> Any:
    return json.loads(_certified(name)[0])


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", ACCEPTED)
def test_what_is_recorded_is_accepted(name: str) -> None:
    assert replayed(_data(name), of_files(name)) == _certified(name)[1]


@pytest.mark.parametrize("name", TWINS)
def test_a_proof_says_nothing_of_a_wrong_target(name: str) -> None:
    with pytest.raises(Rejected):
        replayed(_data(name), of_files(name, bad=True))


COPY = "arith.addf %4, %6"
UNROLLED = replace(
    of_files("affine-loop-unroll/iter-args"),
    target=of_files("affine-loop-unroll/iter-args").target.replace(COPY, "arith.addf %6, %4"),
)
"""With the operands of a copy exchanged: two steps that differ stay one."""

Edit = Callable[[Any], object]

EDITED: dict[str, tuple[Edit, str]] = {
    "an entry of nothing": (lambda d: _set(d["entries"][2], 2, "{ S1[i0] -> T1[j0] : 1 = 0 }"), "does not cover"),
    "an entry of more": (lambda d: _set(d["entries"][3], 2, "{ S1[i0] -> T1[j0] }"), "do not run"),
    "an entry of all instances": (lambda d: _set(d["entries"][2], 2, ALL), "elements differ|some instances"),
    "an entry that rests on itself": (lambda d: _set(d["entries"][2], 3, [2]), "to itself"),
    "an entry of other terms": (lambda d: _set(d["entries"][2], 1, ["T1", 3]), "entry"),
    "an entry of another statement": (lambda d: _set(d["entries"][2], 1, ["T2", 3]), "no relation of"),
    "an entry without steps": (lambda d: _set(d["entries"][2], 3, []), "end too early"),
    "an entry with a step more": (lambda d: d["entries"][2][3].append("none"), "nothing is left"),
    "no entry at all": (lambda d: d["entries"].clear(), "refers to no entry"),
    "one value that are two": (lambda d: _set(d["entries"][2], 3, ["same"]), "not one value"),
    "equal indices that are none": (lambda d: _set(d["entries"][2], 3, ["index"]), "no indices"),
    "a step for something else": (lambda d: _set(d["entries"][2], 3, ["poison"]), "has a value"),
    "a writer left out": (lambda d: d["reads"][0][0][2].pop(), "has its value from"),
    "another writer": (lambda d: _set(d["reads"][1][1][2][0], 0, "T0"), "no relation of"),
    "another instance that wrote": (lambda d: _set(d["reads"][1][1][2][0], 1, "{ T2[] -> T1[2] }"), "in between"),
    "an instance that does not run": (lambda d: _set(d["reads"][1][1][2][0], 1, "{ T2[] -> T1[4] }"), "write what is"),
    "a read that is left out": (lambda d: d["reads"][1].pop(), "nothing is claimed"),
    "initial contents": (lambda d: _set(d["reads"][0][0], 3, "{ S1[i0] : 0 <= i0 < 9 }"), "was written before"),
    "no array": (lambda d: d["arrays"].clear(), "same elements"),
    "no parameters": (lambda d: _set(d, "known", "{ : 1 = 0 }"), "are left out"),
    "a parameter more": (lambda d: _set(d, "known", "[p] -> { : p > 0 }"), "that the programs lack"),
    "text after a relation": (lambda d: _set(d["entries"][2], 2, d["entries"][2][2] + " or { }"), "as a whole"),
    "fractions": (lambda d: _set(d["entries"][2], 2, f"{{ Rat: {d['entries'][2][2][2:]}"), "whole numbers"),
    "an array twice": (lambda d: d["arrays"].append(d["arrays"][0]), "stands twice"),
    "a read twice": (lambda d: d["reads"][0].append(d["reads"][0][0]), "claimed of it twice"),
    "no isl": (lambda d: _set(d["entries"][2], 2, "{ S1[i0] -> "), "isl does not read it"),
}
ALL = "{ S1[i0] -> T1[j0] : 0 <= i0 < 9 and 0 <= j0 < 4 }"


def _set(data: Any, key: Any, value: object) -> None:
    data[key] = value


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", EDITED)
def test_a_wrong_part_is_named(name: str) -> None:
    edit, why = EDITED[name]
    data = json.loads(json.dumps(certified(UNROLLED)[0]))
    edit(data)
    with pytest.raises(Rejected, match=why):
        replayed(data, UNROLLED)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", TWINS)
def test_a_table_that_claims_everything_is_rejected(name: str) -> None:
    wrong = of_files(name, bad=True)
    with pytest.raises(Rejected, match=r"entry|array|bounds"):
        replayed(forged(wrong), wrong)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", TWINS)
def test_no_edit_makes_a_proof_of_a_wrong_pair(name: str) -> None:
    """Whatever is said of the pair is edited: the claims about a right target, about the wrong one, or about all
    instances. Nothing is true of it that could be accepted."""
    wrong, random = of_files(name, bad=True), Random(name)
    starts = [_data(name), forged(wrong)]
    starts.append({**_data(name), "reads": [_data(name)["reads"][0], starts[1]["reads"][1]]})
    for start in starts:
        for _ in range(EDITS):
            with pytest.raises((Rejected, Malformed)):
                replayed(edited(start, random), wrong)


def test_elements_beyond_an_array_are_read_by_no_defined_program() -> None:
    """The source reads `A` wherever it writes `R`, which may be longer; of what lies behind `A` nothing is shown."""
    texts = [(PAIRS.parent / "loops" / f"pipeline.{side}.mlir").read_text() for side in ("src", "tgt")]
    pair = Pair(texts[0], texts[1], ("nonneg",))
    data, converse = certified(pair, "dynamic")
    assert converse and replayed(data, pair, "dynamic")
    other = Pair(texts[0].replace("1.0", "2.0"), texts[1], ("nonneg",))
    with pytest.raises(Rejected):
        replayed(data, other, "dynamic")


def test_a_program_without_statements() -> None:
    """The source is undefined where an extent is negative, the target does nothing."""
    allocated = "%a = memref.alloc(%n) : memref<?xi32>\n memref.dealloc %a : memref<?xi32>\n"
    pair = Pair(f"func.func @f(%n: index) {{ {allocated} return }}", "func.func @f(%n: index) { return }")
    data, converse = certified(pair)
    assert not converse and not replayed(data, pair)
