"""Affine ops from which MLIR's verifier does not come back are told before it is asked, and no others are refused."""

from __future__ import annotations

import pytest

from hecv.base.diagnostics import InputError
from hecv.mlir.importer import parse
from hecv.mlir.module import crash_guard
from hecv.mlir.module.verifier_hangs import DEEPEST, may_not_return

HEAD = "func.func @f(%A: memref<8xi32>, %x: i32) {\naffine.for %a0 = 0 to 8 {\n"
TAIL = "affine.store %x, %A[%a1] : memref<8xi32>\n}\nreturn\n}\n"
STEP = "%a{1} = affine.apply affine_map<(d0) -> (d0 mod 3)>(%a{0})\n"
DOUBLED = "%a{1} = affine.apply affine_map<(d0, d1) -> ((d0 + d1) mod 3)>(%a{0}, %a{0})\n"


def chain(step: str, count: int) -> str:
    return HEAD + "".join(step.format(k, k + 1) for k in range(count)) + TAIL.replace("%a1", f"%a{count}")


ENDLESS = {
    "itself": chain(STEP.format(1, 1), 1),
    "another line": chain(STEP.format(1, 1).replace(">(", ">\n("), 1),
    "generic": chain('%a1 = "affine.apply"(%a1) <{{map = affine_map<(d0) -> (d0)>}}> : (index) -> index\n', 1),
    "each other": HEAD + STEP.format(2, 1) + STEP.format(1, 2) + TAIL,
    "a second value": chain("%a1:2 = affine.delinearize_index %a1#0 into (2, 4) : index, index\n", 1).replace(
        "[%a1]", "[%a1#1]"
    ),
    "long": chain(STEP, 100 * DEEPEST),
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("text", ENDLESS.values(), ids=ENDLESS)
def test_what_ends_the_process_is_refused(text: str) -> None:
    with pytest.raises(InputError) as problem:
        parse(text, "f.mlir")
    assert problem.value.diagnostics[0].name in ("nested-too-deep", "invalid-mlir")


def test_what_takes_all_time_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crash_guard, "SECONDS", 1)
    with pytest.raises(InputError, match="their own results"):
        parse(chain(DOUBLED, 60), "f.mlir")


FINE = {
    "a short chain": chain(STEP, 20),
    "doubled a few times": chain(DOUBLED, 10),
    "no operands": HEAD + "%a3 = affine.apply affine_map<() -> (6)>()\n" + STEP.format(3, 1) + TAIL,
    "functions with the same names": chain(STEP, 1)
    + chain(STEP.format(0, 2) + STEP.format(2, 1), 1).replace("@f", "@g"),
    "a store of a value": chain(STEP, 1),
}


@pytest.mark.parametrize("text", FINE.values(), ids=FINE)
def test_others_are_parsed_at_once(text: str) -> None:
    assert not may_not_return(text)
    assert parse(text, "f.mlir")


def test_a_chain_that_the_verifier_stands_is_parsed() -> None:
    text = chain(STEP, DEEPEST + 1)
    assert may_not_return(text) and parse(text, "f.mlir")
