"""Rows from memory in flat views: `A[i, B[j]]` against the element at position `i*m + B[j]`."""

from __future__ import annotations

import pytest

from hecv.check import Options, check

HEAD = """func.func @f(%A: memref<SHAPExf32>, %B: memref<?xindex>, %O: memref<?x?xf32>, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
"""
VIEW = """  %rows = memref.dim %A, %c0 : memref<SHAPExf32>
  %length = memref.dim %A, %c1 : memref<SHAPExf32>
  %F = memref.collapse_shape %A [[0, 1]] : memref<SHAPExf32> into memref<FLATxf32>
"""
LOOPS = """  affine.for %i = 0 to %n { affine.for %j = 0 to %m {
    %b = affine.load %B[%j] : memref<?xindex>
BODY  } }
  return
}
"""
GATHER = "    %v = memref.load AT\n    affine.store %v, %O[%i, %j] : memref<?x?xf32>\n"
SCATTER = "    %v = affine.load %O[%i, %j] : memref<?x?xf32>\n    memref.store %v, AT\n"


def _rows(body: str, shape: str = "?x?", at: str = "%i, %b") -> str:
    text = HEAD + LOOPS.replace("BODY", body.replace("AT", f"%A[{at}] : memref<SHAPExf32>"))
    return text.replace("SHAPE", shape)


def _flat(body: str, shape: str = "?x?", stride: str = "%length", at: str = "%b", row: str = "%i") -> str:
    place = f"    %r = arith.muli {row}, {stride} : index\n    %p = arith.addi %r, {at} : index\n"
    text = HEAD + VIEW + LOOPS.replace("BODY", place + body.replace("AT", "%F[%p] : memref<FLATxf32>"))
    return text.replace("SHAPE", shape).replace("FLAT", "?" if "?" in shape else "32")


def _verdict(source: str, target: str) -> tuple[str, list[str]]:
    report = check(source, target, ("source.mlir", "target.mlir"), Options()).functions[0]
    return report.verdict, [rule.name for rule in report.rules]


@pytest.mark.one_in(12)
@pytest.mark.parametrize("shape", ["?x?", "4x8"])
@pytest.mark.parametrize("body", [GATHER, SCATTER], ids=["gather", "scatter"])
def test_the_flat_one_refines(body: str, shape: str) -> None:
    verdict, rules = _verdict(_rows(body, shape), _flat(body, shape))
    assert verdict == "refines"
    assert "place-in-row" in rules


def _computed(program: str, op: str = "andi", value: str = "5", kind: str = "i32") -> str:
    """The program with places that are computed of what is read and of a literal that is no index."""
    cast = "fptosi %w : f32 to i64" if kind == "f32" else f"bitcast %w : {kind} to {kind}"
    whole = "i64" if kind == "f32" else kind
    place = f"""    %d = affine.load %B[%j] : memref<?x{kind}>
    %five = arith.constant {value} : {kind}
    %w = arith.{op} %d, %five : {kind}
    %t = arith.{cast}
    %b = arith.index_cast %t : {whole} to index
"""
    read = "    %b = affine.load %B[%j] : memref<?xindex>\n"
    return program.replace("%B: memref<?xindex>", f"%B: memref<?x{kind}>").replace(read, place)


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("op", "value", "other", "kind"),
    [("andi", "5", "4", "i32"), ("ori", "1", "2", "i8"), ("mulf", "2.0", "3.0", "f32")],
)
def test_literals_that_are_no_index(op: str, value: str, other: str, kind: str) -> None:
    source, target, wrong = (
        _computed(program, op, number, kind)
        for program, number in ((_rows(GATHER), value), (_flat(GATHER), value), (_flat(GATHER), other))
    )
    assert _verdict(source, target)[0] == "refines"
    assert _verdict(source, wrong)[0] == "not-equivalent"


def _first(row: str) -> str:
    """The first element of a row, of which the subscript shows no place in the row."""
    body = "    %r = arith.muli %i, %m : index\n    %p = arith.addi %r, %b : index\n"
    body += "    %q = affine.apply affine_map<(d)[s] -> (d floordiv s)>(%p)[%m]\n"
    return (
        (HEAD + LOOPS.replace("BODY", body + GATHER))
        .replace("SHAPE", "?x?")
        .replace("AT", f"%A[{row}, %c0] : memref<?x?xf32>")
    )


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    ("source", "target"),
    [
        (_first("%i"), _first("%q")),
        (_flat(GATHER, "4x8"), _rows(GATHER, "4x8")),
        (_flat(GATHER), _rows(GATHER)),
        (_rows(GATHER), _flat(GATHER, stride="%rows")),
        (_rows(GATHER), _flat(GATHER, row="%j", at="%b")),
        (_rows(GATHER, at="%b, %i"), _flat(GATHER)),
        (_rows(SCATTER, "4x8"), _flat(SCATTER, "4x8", stride="%rows")),
    ],
    ids=[
        "a place that does not show",
        "beyond a row",
        "beyond a row of any length",
        "another length",
        "another row",
        "exchanged",
        "stored elsewhere",
    ],
)
def test_what_differs(source: str, target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HECV_CROSSCHECK", "1")
    assert _verdict(source, target)[0] == "not-equivalent"
