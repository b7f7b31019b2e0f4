"""Index arithmetic that cannot leave the range of `index`, and what is proved of it under `--index-overflow wrap`."""

from __future__ import annotations

import pytest

from hecv.base.term import TermPool
from hecv.check import Options, check
from hecv.claim.assumptions import Parameter, parse_assumption
from hecv.claim.index_overflow import may_wrap
from hecv.claim.semantic_options import Switches
from hecv.mlir.importer import parse, read_function

ARGUMENTS = "%A: memref<?xf32>, %B: memref<?x?xf32>, %C: memref<?xi1>, %I: memref<4xindex>, %n: index, %m: i32, %x: f32"
EXTENTS = """%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%c2 = arith.constant 2 : index
%a = memref.dim %A, %c0 : memref<?xf32>
%b = memref.dim %B, %c0 : memref<?x?xf32>
%c = memref.dim %C, %c0 : memref<?xi1>
"""


def function(ops: str) -> str:
    return f"func.func @f({ARGUMENTS}) {{\n{EXTENTS}{ops}\nreturn\n}}"


def storing(index: str, upper: str = "%a", lower: str = "%c0", step: str = "%c1") -> str:
    """A loop that stores at what the last of the ops of `index` computes."""
    return function(
        f"scf.for %i = {lower} to {upper} step {step} {{\n{index}\nmemref.store %x, %A[%k] : memref<?xf32>\n}}"
    )


INSIDE = {
    "next": storing("%k = arith.addi %i, %c1 : index"),
    "last but": storing("%j = arith.subi %a, %i : index\n%k = arith.subi %j, %c1 : index"),
    "twice": storing("%k = arith.muli %i, %c2 : index"),
    "sum of two": storing("%k = arith.addi %i, %a : index"),
    "step of two": storing("%k = arith.addi %i, %c1 : index", step="%c2"),
    "shift": storing("%k = arith.shli %i, %c1 : index"),
    "next, of an argument": storing("%k = arith.addi %i, %c1 : index", upper="%n"),
    "cast": storing("%j = arith.index_cast %m : i32 to index\n%k = arith.muli %j, %j : index"),
    "quotient": storing("%k = affine.apply affine_map<(d0) -> (d0 floordiv 4 + 3)>(%i)"),
    "next, of two dimensions": storing("%k = arith.addi %i, %c1 : index", upper="%b"),
    "never run": storing("%k = arith.muli %n, %n : index", lower="%c2", upper="%c1"),
}
BEYOND = {
    "next of an argument": storing("%k = arith.addi %n, %c1 : index"),
    "next of an element": storing("%e = memref.load %I[%c0] : memref<4xindex>\n%k = arith.addi %e, %c1 : index"),
    "twice, of an argument": storing("%k = arith.muli %i, %c2 : index", upper="%n"),
    "twice, of bits": storing("%k = arith.muli %i, %c2 : index", upper="%c"),
    "twice, of two dimensions": storing("%k = arith.muli %i, %c2 : index", upper="%b"),
    "square": storing("%k = arith.muli %i, %i : index"),
    "shift by an unknown amount": storing("%k = arith.shli %i, %a : index"),
    "shift by much": storing("%c62 = arith.constant 62 : index\n%k = arith.shli %i, %c62 : index"),
    "far below an argument": storing(
        "%much = arith.constant 4611686018427387905 : index\n%k = arith.subi %n, %much : index"
    ),
    "step of an argument": storing("%k = arith.addi %i, %c0 : index", step="%n"),
    "step of two to an argument": storing("%k = arith.addi %i, %c0 : index", upper="%n", step="%c2"),
    "a bound": storing("%k = arith.addi %i, %c0 : index", upper="%u").replace(
        "scf.for", "%u = arith.addi %n, %c1 : index\nscf.for"
    ),
    # -1 is the greatest number there: as a signed one the loop would not run.
    "in a loop that compares unsigned": storing("%k = arith.addi %n, %c1 : index", upper="%u").replace(
        "scf.for", "%u = arith.constant -1 : index\nscf.for unsigned"
    ),
    "a condition": function("%k = arith.addi %n, %c1 : index\n%l = arith.cmpi slt, %k, %a : index\nscf.if %l {\n}"),
}


@pytest.mark.parametrize("name", INSIDE)
def test_arithmetic_within_the_range(name: str) -> None:
    assert not may_wrap(read_function(parse(INSIDE[name], "f.mlir"), "f", TermPool(), True), 64)


@pytest.mark.parametrize("name", BEYOND)
def test_arithmetic_that_may_leave_it(name: str) -> None:
    assert may_wrap(read_function(parse(BEYOND[name], "f.mlir"), "f", TermPool(), True), 64)


def test_memory_may_be_larger_than_32_bits_count() -> None:
    found = read_function(parse(INSIDE["twice"], "f.mlir"), "f", TermPool(), True)
    assert not may_wrap(found, 64) and may_wrap(found, 32)


def test_elements_that_may_overlap_take_no_bytes_of_their_own() -> None:
    strided = "memref<?xf32, strided<[?]>>"
    for text in (INSIDE["next"], INSIDE["twice"]):
        found = read_function(parse(text.replace("memref<?xf32>", strided), "f.mlir"), "f", TermPool(), True)
        assert may_wrap(found, 64) == (text is INSIDE["twice"])


ASSUMED = {
    "below a number": ("next of an argument", ("n < 100",), False),
    "from above": ("next of an argument", ("n > 100",), True),
    "by an extent": ("next of an argument", ("n <= dim(A, 0)",), False),
    "by one that is not known": ("next of an argument", ("n <= dim(C, 0)",), True),
    "by another": ("next of an argument", ("n <= m", "m <= dim(A, 0)"), False),
    "equal": ("twice, of an argument", ("2*n = dim(A, 0)",), False),
    "as a sum": ("twice, of an argument", ("n + dim(A, 0) <= 5",), False),
    "as a difference": ("twice, of an argument", ("n - dim(C, 0) <= 5",), True),
    "from below": ("twice, of an argument", ("nonneg",), True),
    "both ends": ("step of an argument", ("1 <= n", "n <= 8"), False),
    "a multiple, from above, to the end": ("next of an argument", (f"2*n <= {2**64 - 2}",), True),
    "a multiple, from above": ("next of an argument", (f"2*n <= {2**64 - 3}",), False),
    "a multiple, from below, to the end": ("far below an argument", (f"2*n >= {-(2**63)}",), True),
    "a multiple, from below": ("far below an argument", (f"2*n >= {1 - 2**63}",), False),
    "what cannot be": ("next of an argument", ("n < 0", "n > 0", "n > m"), False),
}


@pytest.mark.parametrize("name", ASSUMED)
def test_what_is_assumed_bounds_arguments(name: str) -> None:
    beyond, texts, expected = ASSUMED[name]
    pool = TermPool()
    found = read_function(parse(BEYOND[beyond], "f.mlir"), "f", pool, True)
    parameters = [Parameter(a.number, a.name, a.text or str(a.type)) for a in found.arguments]
    given = [c.term(pool, found) for k, t in enumerate(texts) for c in parse_assumption(t, k, parameters)]
    assert may_wrap(found, 64, given) == expected


@pytest.mark.parametrize(("width", "beyond"), ((64, False), (32, True)))
def test_what_is_assumed_of_an_argument_bounds_no_cast_that_drops_bits(width: int, beyond: bool) -> None:
    """Of `-2**32 + 2**31 - 1`, which is less than 100, the last 32 bits are the greatest index."""
    ops = "%i = arith.index_cast %a : i64 to index\n%c1 = arith.constant 1 : index\n%k = arith.addi %i, %c1 : index"
    pool, text = TermPool(), f"func.func @f(%a: i64, %I: memref<1xindex>) {{\n{ops}\nSTORE\nreturn\n}}"
    stored = text.replace("STORE", "%c0 = arith.constant 0 : index\nmemref.store %k, %I[%c0] : memref<1xindex>")
    found = read_function(parse(stored, "f.mlir"), "f", pool, True)
    parameters = [Parameter(a.number, a.name, a.text or str(a.type)) for a in found.arguments]
    given = [c.term(pool, found) for c in parse_assumption("a < 100", 1, parameters)]
    assert may_wrap(found, width, given) == beyond


def verdict(source: str, target: str, monkeypatch: pytest.MonkeyPatch, *assume: str) -> str:
    monkeypatch.setenv("HECV_CROSSCHECK", "1")
    monkeypatch.setenv("HECV_REPLAY", "1")
    options = Options(seconds=30, switches=Switches(index_wraps=True), assume=assume)
    report = check(source, target, ("s.mlir", "t.mlir"), options).functions[0]
    assert all(a.id != "index-overflow" for a in report.assumptions)
    return report.verdict


COPY = (
    "%v = memref.load %A[%i] : memref<?xf32>\n%w = arith.addf %v, %x : f32\nmemref.store %w, %A[%i] : memref<?xf32>\n"
)
PLAIN = function(f"scf.for %i = %c0 to %a step %c1 {{\n{COPY}}}")
TILED = function(
    "%c32 = arith.constant 32 : index\nscf.for %t = %c0 to %a step %c32 {\n%e = arith.addi %t, %c32 : index\n"
    f"%u = arith.minsi %e, %a : index\nscf.for %i = %t to %u step %c1 {{\n{COPY}}}\n}}"
)
UPSIDE = function(
    "scf.for %j = %c0 to %a step %c1 {\n%k = arith.subi %a, %j : index\n%i = arith.subi %k, %c1 : index\n" + COPY + "}"
)


def test_loops_over_extents_are_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    for target in (TILED, UPSIDE):
        assert verdict(PLAIN, target, monkeypatch) in ("equivalent", "refines")
    assert verdict(PLAIN, TILED.replace("%e = arith.addi %t", "%e = arith.addi %c1"), monkeypatch) == "not-equivalent"
    assert verdict(PLAIN, UPSIDE.replace("%k, %c1", "%k, %c0"), monkeypatch) == "not-equivalent"


def test_loops_to_an_argument_are_not_shifted(monkeypatch: pytest.MonkeyPatch) -> None:
    """To the greatest index, the shifted loop does not run."""
    source = function(f"scf.for %i = %c0 to %n step %c1 {{\n{COPY}}}")
    shifted = function(
        "%u = arith.addi %n, %c1 : index\nscf.for %j = %c1 to %u step %c1 {\n%i = arith.subi %j, %c1 : index\n"
        f"{COPY}}}"
    )
    assert verdict(source, shifted, monkeypatch) in ("unknown", "not-equivalent")
    assert verdict(source, shifted, monkeypatch, "n <= dim(A, 0)") == "equivalent"
    wrong = shifted.replace("subi %j, %c1", "subi %j, %c0")
    assert verdict(source, wrong, monkeypatch, "n <= dim(A, 0)") == "not-equivalent"
