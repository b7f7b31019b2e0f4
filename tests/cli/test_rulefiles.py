"""Rule files that loop, crash, exit or take all memory end as diagnostics, at their lines."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.conftest import Shell

from hecv.base.diagnostics import InputError
from hecv.cli.rulefiles import load_rules
from hecv.process.worker_pool import Limits
from hecv.rule_files.rule_loader import load

SHORT = Limits(1.0, 256)

LATE = "the rule file was stopped: the time limit of 1 s was reached"
GONE = "the rule file does not come to its end: the process"

ENDLESS = """from hecv.rules import law
@law
def double(x):
    while True:
        pass
    return x + x, x << 1
"""

UNCATCHABLE = """
while True:
    try:
        pass
    except BaseException:
        pass
"""

GROWING = """
kept = []
while True:
    kept.append("x" * 10**6)
"""

CASES = {
    "loops": (ENDLESS, (4, 5), LATE),
    "loops-and-catches": (UNCATCHABLE, (2, 3, 4), LATE),
    "computes-in-c": ("\n\nn = 10 ** 10 ** 9\n", (3,), LATE),
    "allocates": (GROWING, (4,), "MemoryError"),
    "leaves": (
        "import os\nos._exit(0)\n",
        (1,),
        f"{GONE} ended with status 0",
    ),
    "fails to say why": ("class E(Exception):\n    def __str__(self): raise ValueError\nraise E\n", (3,), "E"),
    "exits": ("import sys\nsys.exit(0)\n", (2,), "the rule file ends the program"),
    "crashes": (
        "import ctypes\nctypes.string_at(0)\n",
        (2,),
        f"{GONE} crashed with SIGSEGV",
    ),
}


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", CASES)
def test_ends_as_a_diagnostic(name: str, tmp_path: Path) -> None:
    text, lines, message = CASES[name]
    path = tmp_path / "R.py"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as refused:
        load_rules([str(path)], SHORT)
    (found,) = refused.value.diagnostics
    assert found.message == message
    assert found.location is not None and found.location.file == str(path) and found.location.line in lines


def test_what_comes_back_is_what_the_file_declares() -> None:
    path = "examples/rules/datapath.py"
    (found,) = load_rules([path, path])
    assert found == load(path)


def test_each_verb_exits_2(shell: Shell) -> None:
    rules = shell.write("R.py", "import os\nos.write(1, b'out')\nos._exit(0)\n")
    file = shell.write("a.mlir", "func.func @f(%a: i8) -> i8 {\n  return %a : i8\n}\n")
    for verb in (
        ("check", file, file, "--rules", rules),
        ("opt", file, "--pass-pipeline=builtin.module(cse)", "--rules", rules),
        ("rewrite", file, "--rules", rules, "-o", "b.mlir"),
        ("rules", "--rules", rules),
    ):
        answer = shell.run(*verb)
        assert answer.status == 2
        assert "does not come to its end" in answer.err
        assert not answer.out
