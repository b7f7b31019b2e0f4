"""The pages: their sessions run as printed, their links and files exist, README is short."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "python" / "hecv"
FOLDERS = ("benchmarks", "docs", "examples", "lit_tests", "passes", "python", "tests")
DESIGN = sorted((ROOT / "docs" / "design").glob("*.md"))
PAGES = sorted((*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")))
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MEASURED = re.compile(r"\d+ runs?\b|\d+\.\d+ s\b")
LINK = re.compile(r"\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)")
QUOTED = re.compile(r"`((?:[\w.-]+/)*[\w-]+\.(?:py|md|mlir|cpp|h|json|txt)|(?:[\w.-]+/)+)`")
NAMED = re.compile(r"`((?:\w+/)*\w+\.py)`\s+`(\w+)`")
LLVM = "/usr/lib/llvm-22/bin"
LONGEST = 1200
"""Words of README."""


def blocks(page: Path, language: str) -> list[str]:
    return [text for kind, text in BLOCK.findall(page.read_text(encoding="utf-8")) if kind == language]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of what commands of pages name, with the virtual environment of this process and what was built."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    (tmp_path / ".venv").symlink_to(sys.prefix)
    (tmp_path / "build").symlink_to(ROOT / "build")
    return tmp_path


def run(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """The script in bash, with hecv of this checkout and the tools of LLVM."""
    path = f"{Path(sys.executable).parent}:{LLVM}:{os.environ['PATH']}"
    env = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT / "python")}
    command = ["bash", "-o", "pipefail", "-c", script]
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=300)


def session(text: str) -> list[tuple[str, str]]:
    """The commands of a session, each with what is printed after it."""
    parts = re.split(r"^\$ (.*)\n", text, flags=re.MULTILINE)
    assert parts[0] == ""
    return list(zip(parts[1::2], parts[2::2], strict=True))


@pytest.mark.parametrize("page", ["README.md", "docs/command-line.md", "docs/plugin.md"])
def test_sessions_run_as_printed(page: str, folder: Path) -> None:
    """But for numbers of runs and seconds."""
    for text in blocks(ROOT / page, "console"):
        steps = session(text)
        done = run("\n".join(f"{command}\nprintf '\\0'" for command, _ in steps), folder)
        printed = done.stdout.split("\0")[:-1]
        expected = [MEASURED.sub("#", shown) for _, shown in steps]
        assert [MEASURED.sub("#", shown) for shown in printed] == expected, done.stderr


def test_set_up_is_what_make_does() -> None:
    (text,) = blocks(ROOT / "README.md", "sh")
    first, _, second = text.strip().partition(" && ")
    assert second == "source .venv/bin/activate"
    done = subprocess.run([*first.split(), "--dry-run"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0 and "hecv check" in done.stdout


def test_the_lit_test_passes_and_a_wrong_verdict_fails_it(folder: Path) -> None:
    (text,) = blocks(ROOT / "README.md", "mlir")
    (folder / "f.mlir").write_text(text)
    lines = [line.replace("%s", "f.mlir") for line in re.findall(r"^// RUN: (.*)$", text, re.MULTILINE)]
    assert len(lines) == 2
    for line in lines:
        done = run(line, folder)
        assert done.returncode == 0, done.stderr
    for verdict, prefix in (("not equivalent", "CHECK"), ("equivalent", "WRONG")):
        answer = f"{verdict}: @f (1 run; 0.10 s)"
        assert run(f"echo '{answer}' | FileCheck f.mlir --check-prefix={prefix}", folder).returncode == 1


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target, anchor in LINK.findall(page.read_text(encoding="utf-8")):
        file = page.parent / target if target else page
        assert file.exists(), target
        if anchor:
            assert anchor in anchors(file), f"{target}#{anchor}"


@pytest.mark.parametrize("page", [*PAGES, *DESIGN], ids=lambda page: page.name)
def test_files_that_are_named_exist(page: Path) -> None:
    there = known_paths()
    named = QUOTED.findall(page.read_text(encoding="utf-8"))
    assert not [name for name in named if name.rstrip("/") not in there]


def test_the_walk_names_what_is_there() -> None:
    """Each function that it names is in the file named before it."""
    steps = NAMED.findall((ROOT / "docs" / "walk.md").read_text(encoding="utf-8"))
    assert len(steps) > 20
    for file, name in steps:
        path = PACKAGE / file if "/" in file or (PACKAGE / file).is_file() else next(PACKAGE.rglob(file))
        text = path.read_text(encoding="utf-8")
        assert re.search(rf"^\s*(?:def|class) {name}\b|^{name}\b.* = ", text, re.MULTILINE), f"{name} in {file}"


@cache
def known_paths() -> frozenset[str]:
    """The files and folders of the repository, and the ends of their paths."""
    found = set[str]()
    for top in (*ROOT.glob("*.*"), *(ROOT / name for name in FOLDERS)):
        for path in (top, *top.rglob("*")):
            parts = path.relative_to(ROOT).parts
            found |= {"/".join(parts[k:]) for k in range(len(parts))}
    return frozenset(found)


def anchors(page: Path) -> set[str]:
    titles = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_every_fault_that_was_found_is_on_its_page() -> None:
    page = (ROOT / "docs" / "found-bugs.md").read_text(encoding="utf-8")
    programs = {path.name for path in (ROOT / "lit_tests" / "found-bugs").glob("*.mlir")}
    assert {Path(target).name for target, _ in LINK.findall(page)} == programs


def test_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").split()) <= LONGEST


def test_the_index_has_every_page() -> None:
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    missing = [
        page.name for page in (ROOT / "docs").glob("*.md") if page.name != "README.md" and page.name not in index
    ]
    assert not missing
