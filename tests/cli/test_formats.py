"""SARIF and JUnit: one result or case for each function, at places that exist, in the form that other tools demand."""

from __future__ import annotations

from typing import Any
from xml.etree.ElementTree import Element, fromstring

import pytest

from hecv.report.formats import FORMATS

from .conftest import Shell
from .programs import ADD, FIRST, UNROLL

TWO = ADD + FIRST.replace("@f", "@g")
WRONG = FIRST + FIRST.replace("@f", "@g")
OPEN = ADD.replace("@f", "@h").replace("arith.addi", "llvm.or disjoint")
LEVELS = ("none", "note", "warning", "error")


def sarif(shell: Shell, *arguments: str) -> tuple[int, dict[str, Any]]:
    """The exit status and the run of a log, whose form is checked."""
    answer = shell.run(*arguments, "--format", "sarif")
    assert answer.err == ""
    log = answer.json()
    assert log["version"] == "2.1.0" and "sarif-schema-2.1.0" in log["$schema"]
    (run,) = log["runs"]
    _require_form(run)
    return answer.status, run


def _require_form(run: dict[str, Any]) -> None:
    """What the schema requires of a run, and what code scanning requires more: a place for each result."""
    driver = run["tool"]["driver"]
    assert driver["name"] == "hecv" and driver["version"]
    rules = [rule["id"] for rule in driver["rules"]]
    assert len(rules) == len(set(rules)) and all(rule["shortDescription"]["text"] for rule in driver["rules"])
    for result in run["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"] and result["level"] in LEVELS
        assert result["message"]["text"] and result["locations"]
        for place in (*result["locations"], *result.get("relatedLocations", ())):
            physical = place["physicalLocation"]
            assert physical["artifactLocation"]["uri"] and physical["region"]["startLine"] >= 1
            assert physical["region"]["startColumn"] >= 1
    (invocation,) = run["invocations"]
    assert isinstance(invocation["executionSuccessful"], bool)
    for notification in invocation["toolExecutionNotifications"]:
        assert notification["message"]["text"] and rules[notification["descriptor"]["index"]]


def test_sarif_of_a_pair(shell: Shell) -> None:
    files = shell.write("src.mlir", TWO + OPEN), shell.write("tgt.mlir", WRONG + OPEN)
    status, run = sarif(shell, "check", *files)
    assert status == 1 and run["invocations"][0]["executionSuccessful"]
    found = {r["locations"][0]["logicalLocations"][0]["name"]: r for r in run["results"]}
    assert {name: (r["ruleId"], r["level"]) for name, r in found.items()} == {
        "f": ("not-equivalent", "error"),
        "h": ("unknown", "warning"),
    }
    text = found["f"]["message"]["text"]
    assert text.startswith("@f is not equivalent: result0 is ") and "\n  input    %a = " in text
    places = [p["physicalLocation"]["artifactLocation"]["uri"] for p in found["f"]["relatedLocations"]]
    assert "src.mlir" in places
    assert "llvm.or" in found["h"]["message"]["text"] and "help: " in found["h"]["message"]["text"]
    assert run["properties"]["holds"] == ["@g (src.mlir -> tgt.mlir)"]


def test_sarif_of_a_pipeline_is_about_the_file_that_went_in(shell: Shell) -> None:
    file = shell.write("in.mlir", UNROLL)
    status, run = sarif(shell, "opt", file, "--pass-pipeline=cse,affine-loop-unroll{unroll-factor=2},canonicalize")
    (result,) = run["results"]
    assert status == 1 and result["ruleId"] == "not-equivalent"
    assert result["properties"]["group"] == "pass 2: affine-loop-unroll{unroll-factor=2}"
    place = result["locations"][0]["physicalLocation"]
    assert (place["artifactLocation"]["uri"], place["region"]["startLine"]) == ("in.mlir", 1)


def test_sarif_of_bad_input(shell: Shell) -> None:
    good, bad = shell.write("a b.mlir", ADD), shell.write("b.mlir", ADD.replace("%a, %b :", "%a, %c :"))
    status, run = sarif(shell, "check", good, bad)
    assert status == 2 and not run["invocations"][0]["executionSuccessful"]
    assert [(r["ruleId"], r["level"]) for r in run["results"]] == [("parse-error", "error")]
    status, run = sarif(shell, "check", good, "nowhere.mlir")
    assert status == 2 and run["results"] == []
    assert run["invocations"][0]["toolExecutionNotifications"][0]["descriptor"]["id"] == "file-not-found"
    status, run = sarif(shell, "check", good)
    assert status == 2 and run["invocations"][0]["toolExecutionNotifications"][0]["descriptor"]["id"] == "usage"


def test_names_of_files_are_uris(shell: Shell) -> None:
    files = shell.write("a b#.mlir", ADD), shell.write("ä.mlir", FIRST)
    _, run = sarif(shell, "check", *files)
    (result,) = run["results"]
    found = [result["locations"][0], *result["relatedLocations"]]
    names = {p["physicalLocation"]["artifactLocation"]["uri"] for p in found}
    assert names == {"a%20b%23.mlir", "%C3%A4.mlir"}


def junit(shell: Shell, *arguments: str) -> tuple[int, Element]:
    answer = shell.run(*arguments, "--format=junit")
    assert answer.err == ""
    root = fromstring(answer.out)
    for suite in (root, *root):
        cases = [*suite.iter("testcase")]
        assert int(suite.attrib["tests"]) == len(cases)
        for tag, count in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
            assert int(suite.attrib[count]) == sum(case.find(tag) is not None for case in cases)
    return answer.status, root


def ends(root: Element) -> dict[tuple[str, str], str | None]:
    """How each case ended, by its suite and its name."""
    found: dict[tuple[str, str], str | None] = {}
    for case in root.iter("testcase"):
        end = next(iter(case), None)
        found[case.attrib["classname"], case.attrib["name"]] = None if end is None else end.tag
    return found


def test_junit_of_a_pair(shell: Shell) -> None:
    files = shell.write("src.mlir", TWO + OPEN), shell.write("tgt.mlir", WRONG + OPEN)
    status, root = junit(shell, "check", *files)
    group = "src.mlir -> tgt.mlir"
    assert status == 1 and ends(root) == {(group, "@f"): "failure", (group, "@g"): None, (group, "@h"): "error"}


def test_junit_of_a_pipeline(shell: Shell) -> None:
    file = shell.write("in.mlir", TWO)
    status, root = junit(shell, "opt", file, "--pass-pipeline=cse,convert-func-to-llvm,canonicalize")
    assert status == 3
    assert ends(root) == {
        ("pass 1: cse", "@f"): None,
        ("pass 1: cse", "@g"): None,
        ("pass 2: convert-func-to-llvm", "@f"): "error",
        ("pass 2: convert-func-to-llvm", "@g"): None,
        ("pass 3: canonicalize", "canonicalize"): "skipped",
    }


def test_junit_of_names_with_control_characters(shell: Shell) -> None:
    """XML has no such characters, not even written as references."""
    program = ADD.replace("@f", r'@"f\01\0A<"')
    files = shell.write("a.mlir", program), shell.write("b.mlir", program)
    status, root = junit(shell, "check", *files)
    (case,) = root.iter("testcase")
    assert status == 0 and case.attrib["name"] == "@f\\u0001\\u000a<"


LINE = "// -----\n"
CHUNKS = TWO + LINE + TWO + OPEN, TWO + LINE + WRONG + OPEN
"""Files of two programs; in the second, `@f` is refuted and `@h` unknown."""


def test_sarif_of_chunks(shell: Shell) -> None:
    files = shell.write("src.mlir", CHUNKS[0]), shell.write("tgt.mlir", CHUNKS[1])
    status, run = sarif(shell, "check", *files)
    assert status == 1
    found = {r["locations"][0]["logicalLocations"][0]["name"]: r for r in run["results"]}
    assert {name: r["ruleId"] for name, r in found.items()} == {
        "chunk 2: @f": "not-equivalent",
        "chunk 2: @h": "unknown",
    }
    assert found["chunk 2: @f"]["message"]["text"].startswith("chunk 2: @f is not equivalent: result0 is ")
    first = CHUNKS[1].partition(LINE)[0].count("\n") + 1
    for result in run["results"]:
        for place in (*result["locations"], *result["relatedLocations"]):
            assert place["physicalLocation"]["region"]["startLine"] > first
    holds = [f"{name} (src.mlir -> tgt.mlir)" for name in ("chunk 1: @f", "chunk 1: @g", "chunk 2: @g")]
    assert run["properties"]["holds"] == holds


def test_junit_of_chunks(shell: Shell) -> None:
    files = shell.write("src.mlir", CHUNKS[0]), shell.write("tgt.mlir", CHUNKS[1])
    status, root = junit(shell, "check", *files)
    names = {"chunk 1: @f": None, "chunk 1: @g": None}
    names |= {"chunk 2: @f": "failure", "chunk 2: @g": None, "chunk 2: @h": "error"}
    assert status == 1 and ends(root) == {("src.mlir -> tgt.mlir", name): end for name, end in names.items()}


def test_formats_of_a_pipeline_of_chunks(shell: Shell) -> None:
    file = shell.write("in.mlir", ADD + LINE + UNROLL + FIRST.replace("@f", "@g"))
    passes = "affine-loop-unroll{unroll-factor=2},convert-func-to-llvm,canonicalize"
    status, root = junit(shell, "opt", file, f"--pass-pipeline={passes}")
    first, second, third = (f"pass {k}: {one}" for k, one in enumerate(passes.split(","), 1))
    assert status == 1
    assert ends(root) == {
        (first, "chunk 1: @f"): None,
        (first, "chunk 2: @unroll"): "failure",
        (first, "chunk 2: @g"): None,
        (second, "chunk 1: @f"): "error",
        (second, "chunk 2: @unroll"): "error",
        (second, "chunk 2: @g"): None,
        (third, "canonicalize"): "skipped",
    }
    _, run = sarif(shell, "opt", file, f"--pass-pipeline={passes}")
    places = {
        r["locations"][0]["logicalLocations"][0]["name"]: r["locations"][0]["physicalLocation"]["region"]["startLine"]
        for r in run["results"]
        if r["ruleId"] == "unknown"
    }
    lines = (ADD + LINE + UNROLL).lstrip().split("\n")
    starts = [k for k, line in enumerate(lines, 1) if "func.func" in line]
    assert (places["chunk 1: @f"], places["chunk 2: @unroll"]) == tuple(starts)


RULES = """
from hecv.rules import arith, law

@law
def good(x, y):
    return x + y, y + x

@law
def bad(x, y):
    return x - y, y - x
"""


@pytest.mark.one_in(2)
@pytest.mark.parametrize("form", ["sarif", "junit"])
def test_audits(shell: Shell, form: str) -> None:
    arguments = ("rules", "--audit", "--widths=4", "--rules", shell.write("R.py", RULES))
    if form == "sarif":
        status, run = sarif(shell, *arguments)
        assert [(r["ruleId"], r["level"]) for r in run["results"]] == [("failed", "error")]
    else:
        status, root = junit(shell, *arguments)
        assert [*ends(root).values()] == [None, "failure"]
    assert status == 1


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_has_the_status_of_the_verdict(shell: Shell, form: str) -> None:
    files = shell.write("src.mlir", ADD), shell.write("tgt.mlir", FIRST)
    for target, status in ((files[0], 0), (files[1], 1), ("nowhere.mlir", 2)):
        answer = shell.run("check", files[0], target, "--format", form)
        assert answer.status == status and (answer.out or form == "text")
