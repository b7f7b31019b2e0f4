"""Flat buffers of rows whose length is not known: pairs that are equal, and what each condition of reading them as
arrays of rows keeps apart."""

from __future__ import annotations

import pytest

from hecv.check import Options, check
from hecv.claim.semantic_options import Switches

TWO = "memref<?x?xf32>"
FLAT = "memref<?xf32>"
HEAD = """func.func @f(%A: memref<?x?xf32>, %O: memref<?x?xf32>, %F: memref<?xf32>, %G: memref<?xf32>,
             %n: index, %m: index, %size: index) {
  %one = arith.constant 1 : index
  %x = arith.constant 2.0 : f32
  %nm = arith.muli %n, %m : index
  %m1 = arith.addi %m, %one : index
  %nm1 = arith.muli %n, %m1 : index
"""
LOADED = "  %v = affine.load %A[%i, %j] : memref<?x?xf32>\n"
STORED = "  affine.store %v, %O[%i, %j] : memref<?x?xf32>\n"


def _nest(body: str, rows: str = "%n", columns: str = "%m", kind: str = "affine.for") -> str:
    if kind == "affine.parallel":
        return f"affine.parallel (%i, %j) = (0, 0) to ({rows}, {columns}) {{\n{body}}}\n"
    return f"affine.for %i = 0 to {rows} {{ affine.for %j = 0 to {columns} {{\n{body}}} }}\n"


def _at(expression: str, symbol: str = "%m") -> str:
    return f"  %p = affine.apply affine_map<(i, j)[m] -> ({expression})>(%i, %j)[{symbol}]\n".replace("i * m", "i * m")


def _at_row(stride: str = "%m", row: str = "%i", column: str = "%j") -> str:
    return f"  %r = arith.muli {row}, {stride} : index\n  %p = arith.addi %r, {column} : index\n"


def _function(*parts: str) -> str:
    return HEAD + "".join(parts) + "  return\n}\n"


def _verdict(source: str, target: str, *assume: str, alias: bool = False) -> str:
    options = Options(assume=assume, switches=Switches(may_overlap=alias))
    return check(source, target, ("source.mlir", "target.mlir"), options).functions[0].verdict


def _through(buffer: str, kind: str, write: str, read: str, columns: str = "%m", loops: str = "affine.for") -> str:
    """A copy of `A` to `O` through a buffer."""
    return _function(
        f"  %T = memref.alloc({buffer}) : {kind}\n",
        _nest(LOADED + write, columns=columns),
        _nest(read + STORED, columns=columns, kind=loops),
    )


def _flat(size: str = "%nm", write: str = "", read: str = "", columns: str = "%m", loops: str = "affine.for") -> str:
    write, read = write or _at_row(), read or _at_row()
    return _through(
        size,
        FLAT,
        f"{write}  memref.store %v, %T[%p] : {FLAT}\n",
        f"{read}  %w = memref.load %T[%p] : {FLAT}\n",
        columns,
        loops,
    ).replace("affine.store %v, %O", "affine.store %w, %O")


def _rows(extents: str = "%n, %m", columns: str = "%m") -> str:
    text = _through(
        extents, TWO, f"  memref.store %v, %T[%i, %j] : {TWO}\n", f"  %w = memref.load %T[%i, %j] : {TWO}\n", columns
    )
    return text.replace("affine.store %v, %O", "affine.store %w, %O")


REVERSED = "  %q = arith.subi %m, %j : index\n  %c = arith.subi %q, %one : index\n" + _at_row(column="%c")
"""The places of a row from the last on."""


@pytest.mark.parametrize(
    ("source", "target"),
    [
        (_rows(), _flat()),
        (_flat(), _rows()),
        (_rows(), _flat(write=_at_row("%n", "%j", "%i"), read=_at_row("%n", "%j", "%i"))),
        (_rows(), _flat("%nm1", _at_row("%m1"), _at_row("%m1"))),
        (_rows(), _flat(write=REVERSED, read=REVERSED)),
        (_rows(), _flat(loops="affine.parallel")),
    ],
    ids=["rows to flat", "flat to rows", "columns", "padded", "reversed", "parallel"],
)
def test_local_buffers(source: str, target: str) -> None:
    assert _verdict(source, target, "nonneg") == "equivalent"


def test_a_size_that_may_be_negative() -> None:
    """With `n = m = -1` there is one element, of which nothing is accessed; with `n = 1` there is no such buffer."""
    assert _verdict(_rows(), _flat()) == "refines"


def _update(order: str = "ij", stride: str = "%m", rows: str = "%n", columns: str = "%m", more: str = "") -> str:
    """Doubles what is in the rows of `F`, in some order of loops."""
    body = _at_row(stride) + f"  %v = memref.load %F[%p] : {FLAT}\n  %w = arith.mulf %v, %x : f32\n"
    body += f"  memref.store %w, %F[%p] : {FLAT}\n"
    if order == "ij":
        return _function(_nest(body, rows, columns), more)
    return _function(f"affine.for %j = 0 to {columns} {{ affine.for %i = 0 to {rows} {{\n{body}}} }}\n", more)


def test_arguments() -> None:
    assert _verdict(_update(), _update("ji")) == "equivalent"


BEYOND = f"  %y = memref.load %F[%nm] : {FLAT}\n"
LAST = (
    "affine.for %i = 0 to %n { affine.for %j = 0 to 1 {\n"
    + _at_row(row="%i1").replace("  %r", "  %i1 = arith.addi %i, %one : index\n  %r", 1)
    + f"  %y = memref.load %F[%p] : {FLAT}\n"
    + "} }\n"
)
"""Reads the first element of each row but the first, and the one behind the last row."""

GUARDED = "affine.if affine_set<()[m] : (m - 1 >= 0)>()[%m] {\n" + LAST + "}\n"
SQUARE = "affine.for %i = 0 to %n { affine.for %j = 0 to min affine_map<()[n, m] -> (n, m)>()[%n, %m] {\n"


def _corner(stride: str) -> str:
    """Writes a corner of rows of some length."""
    return _function(SQUARE + _at_row(stride) + f"  memref.store %x, %F[%p] : {FLAT}\n}} }}\n")


def _copied(order: str, columns: str, place: str) -> str:
    """Copies `A` to `F`, in some order of loops."""
    body = LOADED + place + f"  memref.store %v, %F[%p] : {FLAT}\n"
    if order == "ij":
        return _function(_nest(body, columns=columns))
    return _function(f"affine.for %j = 0 to {columns} {{ affine.for %i = 0 to %n {{\n{body}}} }}\n")


COLUMN = "min affine_map<()[m] -> (m, 1)>()[%m]"
ROW_LEFT = _nest(_at_row() + f"  %y = memref.load %F[%p] : {FLAT}\n", columns="%m")


def _below(order: str) -> str:
    """Copies `A` to `F`, each row from the last place of the row before on, and one place more."""
    place = "  %c = arith.subi %j, %one : index\n  %i1 = arith.addi %i, %one : index\n" + _at_row("%m", "%i1", "%c")
    return _copied(order, "%m1", place)


def _data(order: str) -> str:
    """Copies `A` to `F` as far as a column is less than what a memory holds, which was no more than `m` before."""
    place = _at_row() + f"  memref.store %v, %F[%p] : {FLAT}\n"
    body = LOADED + "  %b = memref.load %T[] : memref<index>\n  %few = arith.cmpi sle, %b, %m : index\n"
    body += "  scf.if %few {\n  memref.store %size, %T[] : memref<index>\n  %d = memref.load %T[] : memref<index>\n"
    body += f"  %less = arith.cmpi slt, %j, %d : index\n  scf.if %less {{\n{place}  }}\n"
    body += "  memref.store %b, %T[] : memref<index>\n  }\n"
    loops = "affine.for %i = 0 to %n { affine.for %j = 0 to %m1 {\n"
    if order == "ji":
        loops = "affine.for %j = 0 to %m1 { affine.for %i = 0 to %n {\n"
    start = "  %T = memref.alloc() : memref<index>\n  memref.store %m, %T[] : memref<index>\n"
    return _function(start, loops + body + "} }\n")


def _two(first: str, second: str, order: str) -> str:
    """Copies what is in `F` to `G`, and writes `F`."""
    body = {
        "copy": _at_row() + f"  %v = memref.load %{first}[%p] : {FLAT}\n  memref.store %v, %{second}[%p] : {FLAT}\n",
    }["copy"]
    if order == "ij":
        return _function(_nest(body))
    return _function("affine.for %j = 0 to %m { affine.for %i = 0 to %n {\n" + body + "} }\n")


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    ("source", "target", "assume"),
    [
        (_rows("%n, %m1", "%m1"), _flat("%nm1", columns="%m1"), "nonneg"),
        (_rows(), _flat(read=_at_row("%n")), "nonneg"),
        (_rows(), _flat("%size"), "nonneg"),
        (_rows(), _flat(read=REVERSED), "nonneg"),
        (_function(_nest(LOADED + STORED)), _flat(), "n >= m - 5"),
        (_update(), _update(rows="%m"), "nonneg"),
        (_update(), _update(more=GUARDED), "nonneg"),
        (_update(columns=COLUMN), _update(columns=COLUMN, more=ROW_LEFT), "nonneg"),
        (_copied("ij", "%m1", _at_row()), _copied("ji", "%m1", _at_row()), "nonneg"),
        (_below("ij"), _below("ji"), "nonneg"),
        (_data("ij"), _data("ji"), "nonneg"),
        (_corner("%m"), _corner("%n"), "nonneg"),
        (_rows(), _flat(loops="affine.parallel", write=_at_row("%n")), "nonneg"),
    ],
    ids=[
        "rows that overlap",
        "rows of two lengths",
        "another size",
        "reversed once",
        "negative",
        "more rows",
        "behind the last row",
        "the rest of the last row",
        "overlap, in another order",
        "overlap with the row before",
        "columns that memory counts",
        "rows of another length on each side",
        "written otherwise",
    ],
)
def test_what_differs(source: str, target: str, assume: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HECV_CROSSCHECK", "1")
    assert _verdict(source, target, assume) == "not-equivalent"


def test_arguments_that_may_overlap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HECV_CROSSCHECK", "1")
    source, target = _two("F", "G", "ij"), _two("F", "G", "ji")
    assert _verdict(source, target) == "equivalent"
    assert _verdict(source, target, alias=True) != "equivalent"


def test_a_loop_over_integers_begins_at_no_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its bound is a literal of `i32`, which is no sum of index terms, in a program that has a remainder."""
    monkeypatch.setenv("HECV_CROSSCHECK", "1")
    text = """func.func @f(%n: i32, %k: i32) -> i32 {
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      cf.br ^head(%c0, %c0 : i32, i32)
    ^head(%i: i32, %s: i32):
      %l = arith.cmpi slt, %i, %n : i32
      cf.cond_br %l, ^body, ^end
    ^body:
      %o = arith.remsi %i, %k : i32
      %a = arith.addi %s, %o : i32
      %i1 = arith.addi %i, %c1 : i32
      cf.br ^head(%i1, %a : i32, i32)
    ^end:
      return %s : i32
    }"""
    assert _verdict(text, text) == "equivalent"
    assert _verdict(text, text.replace("remsi", "remui")) == "not-equivalent"
