"""`cf.switch` on integers of all widths, against a chain of comparisons."""

from __future__ import annotations

import pytest

from hecv.check import Options, check

CASES = [
    ("i2", (1, -2)),
    ("i3", (3, -4, 0)),
    ("i8", (-128, 127)),
    ("i32", (-1, 7)),
    ("i64", (-9223372036854775808, 5)),
    ("i128", (7, -3)),
]


def switched(kind: str, cases: tuple[int, ...]) -> str:
    values = "".join(f"%v{k} = arith.constant {k} : i32\n" for k in range(len(cases)))
    edges = "".join(f",\n{case}: ^end(%v{k} : i32)" for k, case in enumerate(cases))
    return (
        f"func.func @f(%x: {kind}) -> i32 {{\n%d = arith.constant 9 : i32\n{values}"
        f"cf.switch %x : {kind}, [\ndefault: ^end(%d : i32){edges}\n]\n^end(%r: i32):\nreturn %r : i32\n}}\n"
    )


def compared(kind: str, cases: tuple[int, ...]) -> str:
    text, last = f"func.func @f(%x: {kind}) -> i32 {{\n%d = arith.constant 9 : i32\n", "%d"
    for k, case in enumerate(cases):
        text += f"%v{k} = arith.constant {k} : i32\n%k{k} = arith.constant {case} : {kind}\n"
        text += f"%c{k} = arith.cmpi eq, %x, %k{k} : {kind}\n%r{k} = arith.select %c{k}, %v{k}, {last} : i32\n"
        last = f"%r{k}"
    return f"{text}return {last} : i32\n}}\n"


@pytest.mark.one_in(6)
@pytest.mark.parametrize(("kind", "cases"), CASES)
def test_a_switch_is_a_chain_of_comparisons(kind: str, cases: tuple[int, ...]) -> None:
    for others, verdict in ((cases, "equivalent"), (cases[::-1], "not-equivalent")):
        report = check(switched(kind, cases), compared(kind, others), ("s.mlir", "t.mlir"), Options())
        assert report.verdict == verdict, (others, report.diagnostics)


@pytest.mark.parametrize("kind", ["i8", "i128"])
def test_two_cases_of_one_value_are_unsupported(kind: str) -> None:
    """Which edge is taken LangRef does not say; LLVM refuses such a switch."""
    report = check(switched(kind, (3, 3)), compared(kind, (3,)), ("s.mlir", "t.mlir"), Options())
    assert report.verdict == "unknown"
    assert any("two cases are of one value" in f.unknown.text for f in report.functions if f.unknown)
