"""`hecv doctor`: what it names, what it says of what is missing, too old or broken, and its exit status."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from itertools import chain
from pathlib import Path

import pytest

from hecv.cli.doctor import LIBRARIES, Finding, Library, as_text, fits, healthy, inspected, plugin

from .conftest import PACKAGE, Shell

PROJECT = Path(__file__).parents[2] / "pyproject.toml"

NAMED = {
    *("python", "hecv", "mlir", "egglog", "islpy", "z3", "cvc5", "numpy", "msgspec", "torch", "jax", "transformers"),
    *("mlir-opt", "FileCheck", "pass plugin"),
}
KEYS = ["name", "required", "state", "version", "needed_by", "get", "problem", "path"]


def test_all_that_is_required_is_here(shell: Shell) -> None:
    answer = shell.run("doctor", "--format", "json")
    found = answer.json()
    assert (answer.status, found["schema"], found["healthy"]) == (0, "hecv.doctor/1", True)
    assert {part["name"] for part in found["parts"]} >= NAMED
    for part in found["parts"]:
        assert list(part) == KEYS
        assert part["needed_by"] and part["get"]
        assert not part["required"] or (part["state"] == "present" and part["version"])


def test_as_text(shell: Shell) -> None:
    answer = shell.run("doctor")
    lines = answer.out.splitlines()
    assert answer.status == 0 and lines[0] == "required" and lines[-1] == "all that is required is there"
    assert {line[2:].partition("  ")[0] for line in lines if line.startswith("  ")} >= NAMED


def test_a_required_library_that_cannot_be_loaded(shell: Shell) -> None:
    """Installed is not enough: a shared object may be missing, or crash."""
    for name, text in (("islpy", "raise ImportError('no libisl')"), ("z3", "import os; os.abort()")):
        (shell.folder / name).mkdir()
        shell.write(f"{name}/__init__.py", text)
    env = {**os.environ, "PYTHONPATH": f"{shell.folder}:{PACKAGE}"}
    done = subprocess.run([sys.executable, "-m", "hecv", "doctor"], env=env, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and done.stdout.endswith("not usable: islpy, z3\n")
    assert "broken\n    = ImportError: no libisl\n    = needed by: proofs about loops\n    = get it: pip" in done.stdout
    assert "= loading it ended with status -6" in done.stdout


def test_versions_are_compared_by_their_numbers() -> None:
    assert fits("13.2.0", ">=13.2,<14") and fits("13.10", ">=13.2,<14") and fits("2.13.0+cpu", ">=2.13")
    assert not fits("14.0", ">=13.2,<14") and not fits("13.1.9", ">=13.2,<14") and not fits("unknown", ">=1")


ISL = Library("islpy", "islpy", ">=2026.2", "proofs about loops", "pip install 'islpy>=2026.2'", "islpy")
CVC5 = Library("cvc5", "cvc5", ">=1.3", "hecv replay --solver cvc5", "pip install 'hecv[cvc5]'")


@pytest.mark.parametrize(("version", "state"), [(None, "missing"), ("2025.1", "unfit"), ("2026.2.2", "present")])
def test_what_is_required_decides_the_status(version: str | None, state: str) -> None:
    found = inspected(ISL, version, None)
    assert found.state == state and healthy([found]) == (state == "present")
    assert healthy([inspected(CVC5, version, None)])


def test_what_is_missing_comes_with_who_needs_it_and_how_to_get_it() -> None:
    text = as_text([inspected(ISL, "2026.2.2", None), inspected(CVC5, None, None)])
    assert text == (
        "required\n"
        "  islpy  2026.2.2\n"
        "optional\n"
        "  cvc5   missing\n"
        "    = needed by: hecv replay --solver cvc5\n"
        "    = get it: pip install 'hecv[cvc5]'\n"
        "all that is required is there\n"
    )
    assert "version 2025.1, expected >=2026.2" in as_text([inspected(ISL, "2025.1", None)])


def test_a_plugin_that_mlir_opt_does_not_load(tmp_path: Path) -> None:
    file = tmp_path / "HecvPasses.so"
    assert plugin(file, "mlir-opt-22").state == "missing"
    file.write_bytes(b"no shared object")
    for optimizer in ("mlir-opt-22", None, str(tmp_path / "nowhere")):
        found: Finding = plugin(file, optimizer)
        assert (found.state, found.get, found.required) == ("broken", "make plugin", False)


def test_the_table_is_that_of_the_project() -> None:
    """Each requirement of pyproject.toml has a row with the same bounds, and what every install brings is required."""
    project = tomllib.loads(PROJECT.read_text())["project"]
    every = chain(project["dependencies"], *project["optional-dependencies"].values())
    assert set(every) == {one.distribution + one.accepts for one in LIBRARIES}
    assert set(project["dependencies"]) == {one.distribution + one.accepts for one in LIBRARIES if one.required}
