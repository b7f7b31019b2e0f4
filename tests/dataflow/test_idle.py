"""Writes that change nothing: dataflow without them, and proofs that need it."""

from __future__ import annotations

from collections.abc import Iterator

import islpy as isl
import pytest

from hecv.base.term import TermPool
from hecv.check import Options, check
from hecv.claim.semantic_options import Switches
from hecv.dataflow.model.silent_stores import without_idle_writes
from hecv.dataflow.model.value_dataflow import Dataflow, Isl, Writer, analyse, elements_of, whole
from hecv.dataflow.pair_model import Pair
from hecv.mlir.importer import parse, read_function

IN_PLACE = """func.func @f(%C: memref<5x3xi32>, %B: memref<5x3xi32>) {
  affine.for %i = 0 to 5 { affine.for %j = 0 to 3 { affine.for %k = 0 to affine_map<(d0) -> (d0)>(%i) {
    %c = affine.load %C[%k, %j] : memref<5x3xi32>
    %b = affine.load %B[%i, %j] : memref<5x3xi32>
    %s = arith.muli %c, %b : i32
    affine.store %s, %C[%k, %j] : memref<5x3xi32>
  } } }
  return
}"""
IN = """%L = memref.alloc() : memref<5x3xi32>
    affine.for %r = 0 to 5 { affine.for %q = 0 to 3 {
      %x = affine.load %C[%r, %q] : memref<5x3xi32>
      affine.store %x, %L[%r, %q] : memref<5x3xi32>
    } }"""
OUT = """affine.for %r = 0 to 5 { affine.for %q = 0 to 3 {
      %x = affine.load %L[%r, %q] : memref<5x3xi32>
      affine.store %x, %C[%r, %q] : memref<5x3xi32>
    } }"""
COPIED = f"""func.func @f(%C: memref<5x3xi32>, %B: memref<5x3xi32>) {{
  affine.for %i = 0 to 5 {{ affine.for %j = 0 to 3 {{
    {IN}
    affine.for %k = 0 to affine_map<(d0) -> (d0)>(%i) {{
      %c = affine.load %L[%k, %j] : memref<5x3xi32>
      %b = affine.load %B[%i, %j] : memref<5x3xi32>
      %s = arith.muli %c, %b : i32
      affine.store %s, %L[%k, %j] : memref<5x3xi32>
    }}
    {OUT}
  }} }}
  return
}}"""
INTO_ARRAY = COPIED.replace("affine.store %s, %L", "affine.store %s, %C")
ANOTHER_ELEMENT = COPIED.replace("affine.load %C[%r, %q]", "affine.load %C[%r, 2 - %q]")
ONE_COPY = COPIED.replace(IN, "").replace("  affine.for %i = 0 to 5", IN + "\n  affine.for %i = 0 to 5", 1)
ALSO_WRITTEN = ONE_COPY.replace(
    "    affine.for %k", "affine.store %z, %C[4, %j] : memref<5x3xi32>\n    affine.for %k", 1
)


def _verdict(source: str, target: str) -> str:
    return check(source, target, ("s.mlir", "t.mlir"), Options(jobs=1)).functions[0].verdict


@pytest.mark.one_in(2)
def test_a_whole_array_that_is_copied_in_and_out_of_each_iteration() -> None:
    assert _verdict(IN_PLACE, COPIED) == "equivalent"


@pytest.mark.parametrize("target", [INTO_ARRAY, ANOTHER_ELEMENT], ids=["changes are undone", "mirrored"])
def test_copies_that_change_something(target: str) -> None:
    assert _verdict(IN_PLACE, target) == "not-equivalent"


def points(relation: isl.Map) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """The pairs of a finite relation."""
    found: list[isl.Point] = []
    count = relation.dim(isl.dim_type.in_)
    relation.wrap().foreach_point(found.append)
    for point in found:
        numbers = tuple(
            whole(point.get_coordinate_val(isl.dim_type.set, k)) for k in range(point.get_space().dim(isl.dim_type.set))
        )
        yield numbers[:count], numbers[count:]


def unchanging(space: Isl, flow: Dataflow) -> set[tuple[str, tuple[int, ...]]]:
    """The instances of writes that change nothing, by running all instances one by one: what is computed is a token,
    what is copied is the token that is there."""
    events: list[tuple[tuple[int, ...], Writer, tuple[int, ...], tuple[str, tuple[int, ...]]]] = []
    for name, found in flow.writers.items():
        for writer in found:
            times = dict(points(writer.time))
            events += [(times[at], writer, at, (name, element)) for element, at in points(writer.instances)]
    memory: dict[tuple[str, tuple[int, ...]], object] = {}
    reads: dict[str, dict[tuple[int, ...], tuple[int, ...]]] = {}
    same: set[tuple[str, tuple[int, ...]]] = set()
    for _, writer, at, element in sorted(events, key=lambda event: event[0]):
        statement, value = writer.statement, writer.statement.value
        token: object = (statement.name, at)
        if value is not None and value.op == "load":
            access = statement.reads[value]
            if statement.name not in reads:
                reads[statement.name] = dict(points(elements_of(space, statement, access)))
            place = (access.array, reads[statement.name][at])
            token = memory.get(place, place)
        if memory.get(element, element) == token:
            same.add((statement.name, at))
        memory[element] = token
    return same


def _dropped_that_change(text: str) -> tuple[int, int]:
    """How many instances of writes are left out, and how many of these change what their element holds."""
    pool = TermPool()
    function = read_function(parse(text, "f.mlir"), "f", pool)
    space = (pair := Pair(pool, function, function, ())).space
    whole_flow = analyse(space, pair.source.flat)
    flow = without_idle_writes(space, whole_flow)
    left: set[tuple[str, tuple[int, ...]]] = set()
    for name, found in whole_flow.writers.items():
        for writer, kept in zip(found, flow.writers[name], strict=True):
            left |= {(writer.statement.name, at) for _, at in points(writer.instances.subtract(kept.instances))}
    return len(left), len(left - unchanging(space, whole_flow))


@pytest.mark.parametrize(
    ("text", "some"),
    [(COPIED, True), (INTO_ARRAY, True), (ANOTHER_ELEMENT, True), (ONE_COPY, True), (ALSO_WRITTEN, True)],
    ids=["copied", "into the array", "mirrored", "one copy", "one copy, and written"],
)
def test_what_is_left_out_changes_nothing(text: str, some: bool) -> None:
    left, changed = _dropped_that_change(text.replace("{\n", "{\n  %z = arith.constant 7 : i32\n", 1))
    assert (left > 0) == some and changed == 0


def _loop(value: str, place: str) -> str:
    return f"""affine.for %i = 0 to 8 {{
      %x = affine.load %{value}[%i] : memref<8xi32>
      %y = arith.addi %x, %one : i32
      affine.store %{"y" if place == "C" else "x"}, %{place}[%i] : memref<8xi32>
    }}"""


def _there_and_back(*loops: tuple[str, str]) -> str:
    arguments = ", ".join(f"%{name}: memref<8xi32>" for name in "XBCD")
    head = "%one = arith.constant 1 : i32\n%A = memref.alloc() : memref<8xi32>"
    return f"func.func @f({arguments}) {{\n{head}\n" + "\n".join(_loop(*one) for one in loops) + "\nreturn\n}"


def test_a_copy_that_may_be_overwritten_where_it_lies(monkeypatch: pytest.MonkeyPatch) -> None:
    """`B` may hold what was written to `C` when it is copied back."""
    monkeypatch.setenv("HECV_CROSSCHECK", "1")
    source = _there_and_back(("X", "A"), ("A", "B"), ("A", "C"), ("B", "A"), ("A", "D"))
    target = _there_and_back(("X", "A"), ("A", "B"), ("A", "C"), ("A", "D"))
    for overlap, verdict in ((False, "equivalent"), (True, "not-equivalent")):
        options = Options(jobs=1, switches=Switches(may_overlap=overlap))
        assert check(source, target, ("s.mlir", "t.mlir"), options).functions[0].verdict == verdict
