"""A pair in slices: equal where each slice is, and cut only where slices have little in common."""

from __future__ import annotations

import os

import pytest
from tests.egraph.test_sweep import Recipe, make

from hecv.base.term import TermPool
from hecv.mlir.importer import parse, read_pair
from hecv.process.forked_child import Beside
from hecv.program.tree import Function
from hecv.prove.terms import sat_sweeping
from hecv.prove.terms.program_slices import sliced
from hecv.prove.terms.sat_sweeping import Begun, begin, sweep

LONG = "\n".join(
    f"%x{k + 1} = arith.xori %x{k}, %c : i32\n%x{k + 2} = arith.addi %x{k + 1}, %a : i32" for k in range(0, 40, 2)
)
LOOPS = f"""func.func @f(%A: memref<8xi32>, %B: memref<8xi32>, %c: i32) {{
  BEFORE
  affine.for %i = 0 to 8 {{
    %a = affine.load %A[%i] : memref<8xi32>
    %x0 = arith.addi %a, %a : i32
    {LONG}
    %y = arith.muli %x40, %c : i32
    affine.store %y, %A[%i] : memref<8xi32>
  }}
  affine.for %i = 0 to 8 {{
    %a = affine.load %B[%i] : memref<8xi32>
    %x0 = arith.muli %a, %c : i32
    {LONG}
    %x = arith.addi %x40, %x0 : i32
    %y = DIVIDED
    affine.store %y, %B[%i] : memref<8xi32>
  }}
  return
}}"""
PLAIN = LOOPS.replace("BEFORE", "").replace("DIVIDED", "arith.xori %x, %a : i32")


def _read(source: str, target: str) -> tuple[TermPool, tuple[Function, Function]]:
    pool = TermPool()
    return pool, read_pair((parse(source, "s"), parse(target, "t")), ("f", "f"), pool)


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Short pairs are long enough for two parts."""
    monkeypatch.setattr(sat_sweeping, "parts_of", lambda orders, cores: cores)


def _begun(pool: TermPool, functions: tuple[Function, Function]) -> Begun:
    begun = begin(pool, functions, 64, 60.0, cores=2)
    assert begun is not None
    assert begun.slices is not None
    return begun


def test_slices_are_all_statements_in_their_order() -> None:
    pair = make(Recipe("loop", 2_000, 0))
    _, functions = _read(pair.source, pair.target)
    for count in (2, 3):
        slices = sliced(functions, count)
        assert slices is not None
        assert len(slices) == count
        for side in (0, 1):
            assert tuple(s for one in slices for s in one.functions[side].body) == functions[side].body
            assert all(one.orders[side] for one in slices)


COMMON = "\n".join(["%t0 = arith.addi %c, %c : i32", *(f"%t{k + 1} = arith.muli %t{k}, %c : i32" for k in range(30))])


@pytest.mark.parametrize(
    ("before", "divided", "count"),
    [
        ("", "arith.xori %x, %a : i32", 2),
        ("%o = arith.divui %c, %c : i32", "arith.xori %x, %o : i32", None),  # undefined for all that stands behind it
        (COMMON, "arith.xori %x, %t30 : i32", None),
    ],
    ids=["apart", "undefined", "common"],
)
def test_slices_have_little_in_common(before: str, divided: str, count: int | None) -> None:
    text = LOOPS.replace("BEFORE", before).replace("DIVIDED", divided)
    text = text.replace("%y = arith.muli %x40, %c", f"%y = arith.muli %x40, {'%t30' if 't30' in divided else '%c'}")
    _, functions = _read(text, text)
    slices = sliced(functions, 2)
    assert (slices and len(slices)) == count


@pytest.mark.usefixtures("short")
def test_each_slice_has_to_be_equal() -> None:
    right = PLAIN.replace("arith.xori %x, %a", "arith.xori %a, %x")
    first = right.replace("arith.addi %a, %a", "arith.addi %a, %c")
    second = right.replace("arith.xori %a, %x", "arith.ori %a, %x")
    for target, equal in ((right, True), (first, False), (second, False)):
        pool, functions = _read(PLAIN, target)
        swept = sweep(pool, functions, 64, begun=_begun(pool, functions))
        assert swept is not None
        assert swept.equal == equal
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


@pytest.mark.usefixtures("short")
def test_a_slice_that_is_less_defined_makes_the_target_refine() -> None:
    flagged = PLAIN.replace("arith.muli %a, %c : i32", "arith.muli %a, %c overflow<nsw> : i32")
    for source, target, expected in ((flagged, PLAIN, (True, False)), (PLAIN, flagged, (False, False))):
        pool, functions = _read(source, target)
        swept = sweep(pool, functions, 64, begun=_begun(pool, functions))
        assert swept is not None
        assert (swept.equal, swept.equal and swept.converse) == expected


@pytest.mark.usefixtures("short")
def test_a_target_that_divides_in_a_slice_is_not_equal() -> None:
    traps = PLAIN.replace("arith.xori %x, %a : i32", "arith.xori %x, %a : i32\n%o = arith.divui %c, %a : i32")
    assert traps != PLAIN
    pool, functions = _read(PLAIN, traps)
    swept = sweep(pool, functions, 64, begun=_begun(pool, functions))
    assert swept is not None
    assert not swept.equal
    pool, functions = _read(traps, PLAIN)
    swept = sweep(pool, functions, 64, begun=_begun(pool, functions))
    assert swept is not None
    assert (swept.equal, swept.converse) == (True, False)


@pytest.mark.usefixtures("short")
def test_a_slice_whose_process_fails_is_swept_here(monkeypatch: pytest.MonkeyPatch) -> None:
    for target, equal in ((PLAIN, True), (PLAIN.replace("arith.xori %x", "arith.ori %x"), False)):
        pool, functions = _read(PLAIN, target)
        begun = _begun(pool, functions)
        with monkeypatch.context() as patch:
            patch.setattr(Beside, "result", lambda self: None)
            swept = sweep(pool, functions, 64, begun=begun)
        assert swept is not None
        assert swept.equal == equal


@pytest.mark.usefixtures("short")
def test_statements_at_the_end_that_have_no_terms_of_their_own() -> None:
    """They are in the last slice: what they store, and where, is compared too."""
    source = PLAIN.replace("  return", "  affine.store %c, %A[0] : memref<8xi32>\n  return")
    target = PLAIN.replace("  return", "  affine.store %c, %A[1] : memref<8xi32>\n  return")
    pool, functions = _read(source, target)
    slices = sliced(functions, 2)
    assert slices is not None
    for side in (0, 1):
        assert tuple(s for one in slices for s in one.functions[side].body) == functions[side].body
    swept = sweep(pool, functions, 64, begun=_begun(pool, functions))
    assert swept is not None
    assert not swept.equal
