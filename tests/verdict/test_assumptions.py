"""Assumptions: what a text means, on terms and on values."""

from __future__ import annotations

import pytest

from hecv.base.diagnostics import InputError
from hecv.base.term import TermPool, show
from hecv.base.value import Buffer
from hecv.claim.assumptions import Parameter, assumed, parse_assumption
from hecv.claim.semantic_options import Switches
from hecv.mlir.importer import parse, read_function

TEXT = """
func.func @f(%n: index, %k: i8, %x: f32, %A: memref<?x4xf32>, %b: i1, %arg0: index) {
  return
}
"""
PARAMETERS = [
    Parameter(k, name, kind)
    for k, (name, kind) in enumerate(
        [("n", "index"), ("k", "i8"), ("x", "f32"), ("A", "memref<?x4xf32>"), ("b", "i1"), ("arg0", "index")]
    )
]


def holds(text: str, n: int = 0, k: int = 0, rows: int = 0, last: int = 0) -> bool:
    function = read_function(parse(TEXT, "a.mlir"), "f", TermPool())
    values = (n, k, 0.5, Buffer((rows, 4), [0.0] * (4 * rows)), 1, last)
    return all(c.holds(function, values) for c in parse_assumption(text, 1, PARAMETERS))


@pytest.mark.parametrize(
    ("text", "values", "expected"),
    [
        ("n >= 1", {"n": 1}, True),
        ("n >= 1", {"n": 0}, False),
        ("%n > 1", {"n": 1}, False),
        ("2*n + 1 <= dim(A, 0)", {"n": 2, "rows": 5}, True),
        ("2*n + 1 <= dim(A, 0)", {"n": 2, "rows": 4}, False),
        ("n == -(3 - 5) * 2", {"n": 4}, True),
        ("n = dim(A, 1)", {"n": 4}, True),
        ("3 < n", {"n": 3}, False),
        ("k < 0", {"k": 255}, True),  # integers are signed
        ("arg0 = 7", {"last": 7}, True),  # a name of the source comes before a position
        ("arg1 = 7", {"k": 7}, True),
        ("nonneg", {"n": 1, "k": 1, "last": 1}, True),
        ("nonneg", {"k": 128}, False),
        ("1 < 0", {}, False),
    ],
)
def test_values(text: str, values: dict[str, int], expected: bool) -> None:
    assert holds(text, **values) is expected


def test_term() -> None:
    pool = TermPool()
    function = read_function(parse(TEXT, "a.mlir"), "f", pool)
    (constraint,) = parse_assumption("2*n + k >= 1 + dim(A, 0)", 1, PARAMETERS)
    term = constraint.term(pool, function)
    assert term.op == "arith.cmpi" and term.attr("predicate") == "sge"
    assert "affine.linear -1" in show(term) and "dim 3 0" in show(term)


@pytest.mark.parametrize("text", ["", "n", "n >=", ">= 1", "x > 1", "b = 1", "dim(n, 0) = 1", "dim(A) = 1", "n ~ 1"])
def test_refused(text: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_assumption(text, 1, PARAMETERS)
    assert caught.value.diagnostics[0].location is not None


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (f"n > {'9' * 5000}", "more than 80 digits"),
        (f"n > {'*'.join(['9' * 80] * 100)}", "more than 80 digits"),
        (f"dim(A, {'9' * 5000}) > 0", "more than 80 digits"),
        (f"{'(' * 50_000}n", "nested more than 100 deep"),
        (f"{'-' * 50_000}n > 0", "nested more than 100 deep"),
        ("n > \u0663", "expected a number"),
    ],
)
def test_a_number_or_nest_that_is_too_large(text: str, why: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_assumption(text, 1, PARAMETERS)
    assert why in caught.value.diagnostics[0].message


def test_what_a_verdict_rests_on() -> None:
    text = """
    func.func @f(%A: memref<8xf32>, %B: memref<8xf32>, %n: index) {
      affine.for %i = 0 to 7 {
        %v = affine.load %A[%i + 1] : memref<8xf32>
        affine.store %v, %B[%i] : memref<8xf32>
      }
      return
    }
    func.func @g() {
      return
    }
    """
    module, pool = parse(text, "a.mlir"), TermPool()
    found = assumed([read_function(module, "f", pool)], (), Switches())
    assert [a.id for a in found] == ["inputs-proper", "args-distinct", "index-overflow"]
    assert [a.switch for a in found] == [None, "--alias", "--index-overflow"]
    assert assumed([read_function(module, "g", pool)], (), Switches()) == ()
