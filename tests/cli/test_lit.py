"""`hecv lit`: directives in files, and what becomes of them."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from .conftest import Shell

DOUBLE = """
func.func @f(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  return %0 : i32
}
"""
SHIFTED = """
func.func @f(%a: i32) -> i32 {
  %c = arith.constant 1 : i32
  %0 = arith.shli %a, %c : i32
  return %0 : i32
}
"""
SQUARE = DOUBLE.replace("addi", "muli")
FLAGGED = DOUBLE.replace(" : i32\n", " overflow<nsw> : i32\n", 1)
SUMS = """
func.func @f(%a: f32, %b: f32, %c: f32) -> f32 {
  %0 = arith.addf %a, %b : f32
  %1 = arith.addf %0, %c : f32
  return %1 : f32
}
"""
REORDERED = SUMS.replace("%a, %b :", "%c, %b :").replace("%0, %c :", "%0, %a :")
LINE = "// -----\n"


def pair(shell: Shell, name: str, source: str, target: str, head: str = "", of_source: str = "") -> None:
    folder = shell.folder / name
    folder.parent.mkdir(parents=True, exist_ok=True)
    shell.write(f"{name}.src.mlir", of_source + source.lstrip())
    shell.write(f"{name}.tgt.mlir", head + target.lstrip())


def one(shell: Shell, name: str, source: str, target: str, directive: str) -> None:
    shell.write(f"{name}.mlir", f"// HECV: {directive}\n{source.lstrip()}{LINE}{target.lstrip()}")


def test_directives_that_hold(shell: Shell) -> None:
    pair(shell, "right", DOUBLE, SHIFTED, "// HECV: equivalent\n")
    shell.write("right-bad.tgt.mlir", "// HECV: not-equivalent\n" + SQUARE)
    pair(shell, "deep/weaker", FLAGGED, DOUBLE, "//HECV: refines --relation refines\n")
    one(shell, "chunks", DOUBLE, SHIFTED, "refines")
    one(shell, "options", DOUBLE, SQUARE, "not-equivalent --assume 'a <= 9' --func f")
    one(shell, "real", SUMS, REORDERED, "equivalent --fp real")
    pair(shell, "tv/good", DOUBLE, SHIFTED, of_source="// VERIFY\n\n")
    pair(shell, "tv/any-bad", DOUBLE, SQUARE, of_source="// VERIFY-INCORRECT\n\n")
    pair(shell, "tv/told", DOUBLE, SQUARE, "//VERIFY-INCORRECT\n")
    pair(shell, "tv/sums", SUMS, REORDERED, of_source="// VERIFY\n// ARGS: -associative\n\n")
    pair(shell, "tv/skipped", "no MLIR\n", "no MLIR\n", of_source="// UNSUPPORTED\n\n")
    pair(shell, "tv/messages", DOUBLE, SQUARE, of_source='// EXPECT: "Timeout"\n\n')
    pair(shell, "no-directive", DOUBLE, SQUARE)
    shell.write("other.mlir", "// a comment on HECV\n" + DOUBLE)
    answer = shell.run("lit", ".")
    assert answer.out.startswith("12 directives: 10 passed, 0 failed, 2 skipped ("), answer
    assert (answer.status, answer.err) == (0, "")


@pytest.mark.parametrize(
    ("target", "directive", "found"),
    [
        (SQUARE, "equivalent", "expected equivalent, found not equivalent: @f: result0 is "),
        (SQUARE, "unknown", "expected unknown, found not equivalent: @f: result0 is "),
        (SHIFTED, "not-equivalent", "expected not equivalent, found equivalent: @f"),
        (FLAGGED, "refines", "expected refines, found not equivalent: @f: result0 is poison"),
        (
            SHIFTED.replace("@f", "@g", 1) + DOUBLE.replace("@f", "@h"),
            "equivalent",
            "found error: a.src.mlir:1:1: a.tgt.mlir has no public function @f",
        ),
    ],
)
def test_a_directive_that_does_not_hold(target: str, directive: str, found: str, shell: Shell) -> None:
    pair(shell, "a", DOUBLE, target, f"// HECV: {directive}\n")
    answer = shell.run("lit", "a.src.mlir", "--jobs", "1")
    lines = answer.out.splitlines()
    assert (answer.status, len(lines)) == (1, 2)
    assert lines[0].startswith("failed: a.tgt.mlir:1: ") and found in lines[0]
    assert lines[1].startswith("1 directive: 0 passed, 1 failed, 0 skipped (")


def test_equivalent_is_more_than_refines(shell: Shell) -> None:
    pair(shell, "a", FLAGGED, DOUBLE, "// HECV: equivalent\n")
    answer = shell.run("lit", "a.tgt.mlir")
    assert answer.status == 1 and "expected equivalent, found refines: @f" in answer.out


def test_several_directives_in_a_file(shell: Shell) -> None:
    one(shell, "a", SUMS, REORDERED, "not-equivalent\n// HECV: equivalent --fp reassoc\n// HECV: unknown --fp real")
    answer = shell.run("lit", "a.mlir", "--format", "json")
    report = answer.json()
    assert (answer.status, report["schema"]) == (1, "hecv.lit/1")
    assert report["directives"] == {"total": 3, "passed": 2, "failed": 1, "skipped": 0}
    assert [(r["line"], r["outcome"], r["verdict"]) for r in report["results"]] == [
        (1, "passed", "not-equivalent"),
        (2, "passed", "equivalent"),
        (3, "failed", "equivalent"),
    ]
    assert report["results"][0]["functions"][0]["counterexample"] is not None
    xml = ElementTree.fromstring(shell.run("lit", "a.mlir", "--format", "junit").out)
    assert (xml.get("tests"), xml.get("failures")) == ("3", "1")
    assert [case.get("classname") for case in xml.iter("testcase")] == ["a.mlir"] * 3


MALFORMED = {
    "equal": ("a directive expects 'equal'", 10),
    "": ("a directive does not say what is expected", 9),
    "equivalent --asume 'a > 0'": ("unrecognized arguments: --asume a > 0", 10),
    "equivalent --assume 'a > 0": ("a directive has no closing quotation", 10),
    "equivalent --fp fast": ("argument --fp: invalid choice: 'fast'", 10),
}


@pytest.mark.parametrize("directive", MALFORMED)
def test_a_malformed_directive(directive: str, shell: Shell) -> None:
    message, column = MALFORMED[directive]
    pair(shell, "a", DOUBLE, SHIFTED, f"// a comment\n// HECV: {directive}\n".replace(": \n", ":\n"))
    answer = shell.run("lit", ".")
    assert (answer.status, answer.out) == (2, "")
    assert f"error[directive-malformed]: {message}" in answer.err and f"--> a.tgt.mlir:2:{column}" in answer.err


def test_all_malformed_directives_are_told(shell: Shell) -> None:
    pair(shell, "a", DOUBLE, SHIFTED, "// HECV: equal\n")
    one(shell, "b", DOUBLE, SHIFTED + LINE + SHIFTED, "equivalent")
    pair(shell, "c", DOUBLE, SHIFTED, "// VERIFY\n", "// VERIFY-INCORRECT\n")
    shell.write("d.tgt.mlir", "// HECV: equivalent\n" + DOUBLE)
    pair(shell, "e", DOUBLE, SHIFTED, of_source="// HECV: equivalent\n")
    shell.write("f.src.mlir", "// VERIFY\n" + DOUBLE)
    answer = shell.run("lit", ".", "--format", "json")
    found = [(d["file"], d["line"], d["message"]) for d in answer.json()["diagnostics"]]
    assert answer.status == 2
    assert found == [
        ("a.tgt.mlir", 1, "a directive expects 'equal'"),
        ("b.mlir", 1, "b.mlir has 3 chunks, expected 2: the source and the target"),
        ("c.tgt.mlir", 1, "VERIFY and VERIFY-INCORRECT exclude each other"),
        (None, None, "d.tgt.mlir has no source"),
        ("e.src.mlir", 1, "a directive stands in a source"),
        ("f.src.mlir", 1, "f.src.mlir has no target"),
    ]


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("empty", "there are no directives in empty"),
        ("plain.mlir", "there are no directives in plain.mlir"),
        ("nowhere", "there is no file nowhere"),
    ],
)
def test_nothing_to_check(place: str, message: str, shell: Shell) -> None:
    (shell.folder / "empty").mkdir()
    shell.write("plain.mlir", DOUBLE)
    answer = shell.run("lit", place)
    assert (answer.status, answer.out) == (2, "") and message in answer.err
