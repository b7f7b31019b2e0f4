"""`hecv.lit.wrap(config)`: a lit suite passes as before, and its runs are validated; `hecv report` sums them up."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest

import hecv.lit
from hecv.check import Options, failed
from hecv.claim.result import Report
from hecv.toolchain import run_validation
from hecv.toolchain.run_record import Run
from hecv.toolchain.run_summary import Checked, Record, Why, reasons
from hecv.toolchain.tool_command import MARKER

from .conftest import CHUNKS, HECV, MLIR_OPT, PACKAGE, SUMS, Bench

LLVM = str(Path(MLIR_OPT).parent)

CONFIG = """
import os, sys
import lit.formats
{first}
config.name = "small"
config.test_format = lit.formats.ShTest()
config.test_format.execute_external = {external}
config.excludes = ["sums.mlir", "chunks.mlir"]
config.suffixes = [".mlir"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.test_source_root, "out")
config.environment["PATH"] = os.pathsep.join([config.test_source_root, {llvm!r}, os.environ["PATH"]])
config.substitutions.append(("%opt", "{llvm}/mlir-opt --mlir-print-local-scope"))
config.substitutions.append((r"(?<![./-])\\\\bFileCheck\\\\b", "{llvm}/FileCheck"))
{last}
"""

WRAP = 'import hecv.lit; hecv.lit.wrap(config, tools=("mlir-opt", "wrong-opt"))'

TESTS = {
    "pipe": "// RUN: mlir-opt %s -cse | FileCheck %s\n// CHECK: @twice\n" + SUMS,
    "stdin": "// RUN: cat %s | mlir-opt --cse | mlir-opt --canonicalize | FileCheck %s\n// CHECK: @twice\n" + SUMS,
    "file": "// RUN: %opt -sccp %s -o %t && FileCheck %s < %t\n// CHECK: @twice\n" + SUMS,
    "split": "// RUN: mlir-opt %s -split-input-file -canonicalize | FileCheck %s\n// CHECK: @second\n" + CHUNKS,
    "fails": "// RUN: not mlir-opt %s 2>&1 | FileCheck %s\n// CHECK: error: expected non-function\nfunc.func @f( {\n",
    "messages": "// RUN: mlir-opt %s -verify-diagnostics\n// expected-error@+1 {{expected}}\nfunc.func @f( {\n",
    "wrong": "// RUN: wrong-opt %s -cse | FileCheck %s\n// CHECK: arith.subi\n" + SUMS,
}


def suite(bench: Bench, first: str = "", last: str = WRAP, external: bool = False) -> str:
    """Runs the tests of the suite by lit; what lit prints."""
    for name, text in TESTS.items():
        bench.write(f"{name}.mlir", text)
    bench.write("lit.cfg.py", CONFIG.format(first=first, last=last, external=external, llvm=LLVM))
    ran = bench.shell(f"{Path(sys.executable).parent}/lit -j2 -v .")
    assert ran.returncode == 0, ran.stdout.decode()
    return ran.stdout.decode()


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("first", "last", "external"), [("", WRAP, False), (WRAP, "", False), ("", WRAP, True)])
def test_a_whole_suite(first: str, last: str, external: bool, bench: Bench) -> None:
    assert f"Passed: {len(TESTS)} (100.00%)" in suite(bench, first, last, external)
    folder = bench.folder / ("hecv-reports" if first else "out/hecv-reports")
    records = [json.loads(path.read_text()) for path in folder.glob("*.json")]
    commands = {Path(r["command"][0]).name for r in records}
    assert commands == {"mlir-opt", "wrong-opt"} and len(records) == 8
    told = bench.shell(f"{HECV} report {folder}")
    assert told.returncode == 1
    lines = told.stdout.decode().splitlines()
    assert re.match(r"refuted: @twice by .*wrong-opt .*wrong.mlir -cse$", lines[0])
    assert lines[1].startswith("  input    arg0 = ") and lines[3].startswith("   = note: run in ")
    assert lines[4:] == [
        "8 runs: 6 validated, 2 not",
        "12 functions: 4 validated, 7 identical, 1 refuted, 0 unknown, 0 left out",
        "not decided, the commonest reasons:",
        "  1  run: --verify-diagnostics checks messages, not a program",
        "  1  run: the tool failed with exit status 1",
    ]


def test_a_suite_fails_if_it_is_to(bench: Bench) -> None:
    last = WRAP.replace('"))', '"), reports="reports", fail=True)')
    with pytest.raises(AssertionError, match="Failed: 1 "):
        suite(bench, last=last)
    assert len(bench.records()) == 8


def test_the_formats_of_a_summary(bench: Bench) -> None:
    for line in ("$T wrong-opt sums.mlir -cse", "$T mlir-opt sums.mlir -cse", "$T mlir-opt sums.mlir --version"):
        bench.wrapped(line)
    answer = bench.shell(f"{HECV} report reports --format json")
    summary = json.loads(answer.stdout)
    assert (answer.returncode, summary["schema"]) == (1, "hecv.summary/1")
    assert summary["runs"] == {"total": 3, "validated": 2, "not_validated": 1}
    assert summary["functions"] == {
        "total": 4,
        "validated": 1,
        "identical": 2,
        "refuted": 1,
        "unknown": 0,
        "left_out": 0,
    }
    (refuted,) = summary["refuted"]
    assert (refuted["function"], refuted["command"]) == ("twice", ["wrong-opt", "sums.mlir", "-cse"])
    xml = ElementTree.fromstring(bench.shell(f"{HECV} report reports --format junit").stdout)
    assert (xml.get("tests"), xml.get("failures"), xml.get("skipped")) == ("5", "1", "1")
    failed = next(case for case in xml.iter("testcase") if case.find("failure") is not None)
    assert (failed.get("classname"), failed.get("name")) == ("wrong-opt sums.mlir -cse", "@twice")


@pytest.mark.parametrize(
    ("name", "text", "place"),
    [
        ("broken.json", '{\n "schema": }', "reports/broken.json:2:12"),
        ("other.json", '{"schema": "hecv.verdict/1", "command": [], "validated": true}', "reports/other.json:1:1"),
        ("wrong.json", '{"schema": "hecv.run/1", "command": "mlir-opt", "validated": true}', "reports/wrong.json:1:1"),
    ],
)
def test_a_report_that_cannot_be_read(name: str, text: str, place: str, bench: Bench) -> None:
    bench.write(f"reports/{name}", text)
    answer = bench.shell(f"{HECV} report reports")
    assert answer.returncode == 2 and answer.stdout == b""
    assert f"error[report-unreadable]: reports/{name} is no report" in answer.stderr.decode()
    assert f"--> {place}" in answer.stderr.decode()


def test_a_folder_without_reports(bench: Bench) -> None:
    bench.reports.mkdir()
    answer = bench.shell(f"{HECV} report reports")
    assert answer.returncode == 0 and answer.stdout.startswith(b"no reports in reports: name it in HECV_REPORT_DIR")


def test_a_folder_that_is_not_there(bench: Bench) -> None:
    for folder, kind in (("nowhere", "does not exist"), ("sums.mlir", "is a file")):
        answer = bench.shell(f"{HECV} report {folder}")
        assert answer.returncode == 2 and f"the folder {folder} {kind}" in answer.stderr.decode()


def test_shims_stand_for_tools_in_substitutions(tmp_path: Path) -> None:
    """A tool stands as a word: not inside of another name, and not where the path has a space."""
    spaced = tmp_path / "with space" / "mlir-opt"
    spaced.parent.mkdir()
    spaced.write_text("#!/bin/sh\n")
    values = [
        f"{MLIR_OPT} --cse",
        f"not --crash {MLIR_OPT}",
        f'"{MLIR_OPT}"',
        f"{MLIR_OPT}-wrapper",
        f'"{spaced}"',
        "my-mlir-opt",
        "mlir-opt-22 --cse" if Path("/usr/bin/mlir-opt-22").exists() else "mlir-opt --cse",
    ]
    environment = {"PATH": f"{LLVM}:/usr/bin"}
    config = SimpleNamespace(
        test_exec_root=str(tmp_path), environment=environment, substitutions=[("%a", value) for value in values]
    )
    hecv.lit.wrap(config)
    once = [value for _, value in config.substitutions]
    hecv.lit.wrap(config)
    assert [value for _, value in config.substitutions] == once
    shims = f"{tmp_path}/hecv-shims/"
    assert [shims in value for value in once] == [True, True, True, False, False, False, True]
    assert once[1].startswith(f"not --crash {shims}") and once[3:6] == values[3:6]
    assert environment["PATH"] == f"{shims}path:{LLVM}:/usr/bin"
    assert environment["HECV_REPORT_DIR"] == f"{tmp_path}/hecv-reports"


def test_tools_are_a_sequence_of_names() -> None:
    with pytest.raises(ValueError, match="not 'mlir-opt'"):
        hecv.lit.wrap(SimpleNamespace(test_exec_root="/", environment={}, substitutions=[]), "mlir-opt")


def test_what_lit_and_shims_import_is_light(bench: Bench) -> None:
    slow = ("msgspec", "argparse", "torch_mlir", "subprocess")
    for module in ("hecv.lit", "hecv.toolchain.tool_run"):
        code = f"import sys, {module}; print([name for name in {slow!r} if name in sys.modules])"
        assert bench.shell(f'PYTHONPATH={PACKAGE} {sys.executable} -c "{code}"').stdout == b"[]\n"


def test_functions_that_a_time_limit_stopped_have_one_reason() -> None:
    """Whatever share of the run's time each had."""
    texts = [f"the time limit of {s} s was reached while proving by sat-sweeping" for s in ("1", "5.35714", "20")]
    stopped = tuple(Checked(name="f", verdict="unknown", unknown=Why("budget", text)) for text in texts)
    record = Record(schema="hecv.run/1", command=("mlir-opt",), validated=True, functions=stopped)
    assert reasons([record]) == [("function: budget: the time limit was reached while proving by sat-sweeping", 3)]


def test_chunks_take_more_than_their_share_of_the_time_that_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """Most take less, and those that need more get it; all together have the time of the run."""
    given: list[float] = []

    def checked(modules: object, options: Options) -> Report:
        given.append(options.seconds)
        return failed((), options)

    monkeypatch.setattr(run_validation, "check_modules", checked)
    chunks = [f"func.func @f() -> i32 {{\n%c = arith.constant {k} : i32\nreturn %c : i32\n}}\n" for k in range(16)]
    source, target = (f"{MARKER}\n".join(texts).encode() for texts in (chunks, [*chunks[1:], chunks[0]]))
    names = "s.mlir", "t.mlir"
    run = Run(["mlir-opt"], "mlir-opt", names, source, target, 0, MARKER, MARKER, limit=64.0)
    run_validation.examined(run)
    assert len(given) == 16 and 15 < given[0] <= 16 and given[:12] == sorted(given[:12]) and max(given) <= 64
    given.clear()
    run_validation.examined(run._replace(each=7.0))
    assert given == [7.0] * 16
