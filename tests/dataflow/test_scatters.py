"""Stores to rows from memory, `O[p[i], j] = ...`, with rows and columns in another order."""

from __future__ import annotations

import re
from typing import Final

import pytest
from tests.dataflow.test_histograms import verdict

HEAD = """func.func @f(%p: memref<?xindex>, %x: memref<?x?xT>, %o: memref<?x?xT>, %n: index, %m: index) {
%zero = arith.constant ZERO : T
"""
ROWS, COLUMNS = "affine.for %i = 0 to %n {\n", "affine.for %j = 0 to %m {\n"
LAST_ROW_FIRST = """affine.for %k = 0 to %n {
%i = affine.apply affine_map<(d0)[s0] -> (s0 - 1 - d0)>(%k)[%n]
"""
LAST_COLUMN_FIRST = LAST_ROW_FIRST.replace("%i", "%j").replace("%n", "%m")
COLUMNS_IN_FOURS = """affine.for %t = 0 to %m step 4 {
affine.for %j = affine_map<(d0) -> (d0)>(%t) to min affine_map<(d0)[s0] -> (d0 + 4, s0)>(%t)[%m] {
"""
FIRST_COLUMN = "affine.for %j = 0 to min affine_map<()[s0] -> (s0, 1)>()[%m] {\n"
OTHER_COLUMNS = "affine.for %j = 1 to %m {\n"
AT = "%at = memref.load %p[%i] : memref<?xindex>\n"
X = "%v = memref.load %x[%i, %j] : memref<?x?xT>\n"
OLD = "%w = memref.load %o[%at, %j] : memref<?x?xT>\n"
STORE = "memref.store %v, %o[%at, %j] : memref<?x?xT>\n"
COPY = AT + X + STORE
ADD = AT + X + OLD + "%s = OP %w, %v : T\n" + STORE.replace("%v", "%s")
CLEAR = AT + STORE.replace("%v", "%zero")


def f(*parts: str, op: str = "arith.addi", kind: str = "i32") -> str:
    zero = "0" if kind.startswith("i") else "0.0"
    return re.sub(r"T\b", kind, HEAD + "".join(parts)).replace("ZERO", zero).replace("OP", op) + "return\n}"


FLOATS: Final = {"op": "arith.addf", "kind": "f32"}
SAME: Final[dict[str, tuple[str, str]]] = {
    "columns outside": (f(ROWS, COLUMNS, COPY, "}}"), f(COLUMNS, ROWS, COPY, "}}")),
    "columns reversed": (f(ROWS, COLUMNS, COPY, "}}"), f(LAST_COLUMN_FIRST, ROWS, COPY, "}}")),
    "columns tiled": (f(ROWS, COLUMNS, COPY, "}}"), f(COLUMNS_IN_FOURS, ROWS, COPY, "}}}")),
    "first column first": (
        f(ROWS, COLUMNS, COPY, "}}"),
        f(FIRST_COLUMN, ROWS, COPY, "}}\n", OTHER_COLUMNS, ROWS, COPY, "}}"),
    ),
    "sums of floats, columns outside": (
        f(ROWS, COLUMNS, ADD, "}}", **FLOATS),
        f(COLUMNS, ROWS, ADD, "}}", **FLOATS),
    ),
    "quotients, columns outside": (
        f(ROWS, COLUMNS, ADD, "}}", op="arith.divf", kind="f32"),
        f(COLUMNS, ROWS, ADD, "}}", op="arith.divf", kind="f32"),
    ),
    "cleared, then summed": (
        f(ROWS, COLUMNS, CLEAR, "}}\n", ROWS, COLUMNS, ADD, "}}"),
        f(COLUMNS, ROWS, CLEAR, "}\n", ROWS, ADD, "}}"),
    ),
    "sums, rows reversed": (f(ROWS, COLUMNS, ADD, "}}"), f(COLUMNS, LAST_ROW_FIRST, ADD, "}}")),
}
WRONG: Final[dict[str, tuple[str, str]]] = {
    "rows reversed": (f(ROWS, COLUMNS, COPY, "}}"), f(COLUMNS, LAST_ROW_FIRST, COPY, "}}")),
    "sums of floats, rows reversed": (
        f(ROWS, COLUMNS, ADD, "}}", **FLOATS),
        f(COLUMNS, LAST_ROW_FIRST, ADD, "}}", **FLOATS),
    ),
    "no first column": (f(ROWS, COLUMNS, COPY, "}}"), f(OTHER_COLUMNS, ROWS, COPY, "}}")),
    "columns of another row": (
        f(ROWS, COLUMNS, COPY, "}}"),
        f(COLUMNS, ROWS, COPY.replace("%p[%i]", "%p[%j]"), "}}"),
    ),
    "cleared row by row": (
        f(ROWS, COLUMNS, CLEAR, "}}\n", ROWS, COLUMNS, ADD, "}}"),
        f(ROWS, COLUMNS, CLEAR, "}\n", COLUMNS, ADD, "}}"),
    ),
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", SAME)
def test_rows_and_columns_in_another_order(name: str) -> None:
    assert verdict(*SAME[name]) == "equivalent"


@pytest.mark.one_in(10)
@pytest.mark.parametrize("name", WRONG)
def test_another_order_that_shows_is_refuted(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HECV_CROSSCHECK", "1")
    assert verdict(*WRONG[name]) == "not-equivalent"
