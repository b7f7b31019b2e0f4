"""The order of layers (CONTRIBUTING.md): imports only go up, and each dependency stands in one place."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "python" / "hecv"

MAY_IMPORT = {
    "base": set[str](),
    "dialects": {"base"},
    "certificate": {"base"},
    "smt": {"base", "dialects"},
    "graph": {"base", "dialects"},
    "frontend": {"base", "dialects", "graph"},
    "execute": {"base", "dialects", "graph"},
    "poly": {"base", "dialects", "certificate", "graph"},
    "elements": {"base", "dialects", "graph", "execute"},
    "rules": {"base", "dialects", "graph", "smt", "execute", "poly"},
    "replay": {"base", "dialects", "smt", "graph", "frontend", "execute", "poly", "elements", "rules", "certificate"},
    "egraph": {"base", "dialects", "graph", "smt", "execute", "poly", "rules"},
    "rewrite": {"base", "frontend", "rules"},
    "replaying": {"base", "certificate", "frontend", "graph", "replay", "verdict"},
    "verdict": {
        "base",
        "certificate",
        "replay",
        "dialects",
        "graph",
        "frontend",
        "execute",
        "elements",
        "poly",
        "smt",
        "rules",
        "egraph",
    },
    "book": {"base", "dialects", "rules", "egraph"},
    "explain": {"base", "dialects", "smt", "egraph", "elements", "execute", "graph", "poly", "rules", "replay", "book"}
    | {"verdict"},
    "check": {"base", "certificate", "frontend", "replaying", "verdict"},
    "certificates": {"base", "certificate", "check", "frontend", "replaying", "verdict"},
    "pipeline": {"base", "frontend", "verdict", "check"},
    "models": {"base", "frontend", "execute", "verdict", "check"},
    "rewriting": {"base", "frontend", "verdict", "check", "rules", "rewrite"},
    "report": {"base", "graph", "rules", "verdict", "frontend", "check", "pipeline", "book", "rewriting"},
}

AT_HOME = {
    "islpy": ("poly/", "replay/", "rules/loops/"),
    "torch_mlir": ("frontend/", "execute/jit/"),
    "numpy": ("execute/jit/", "frontend/torch/"),
    "torch": ("frontend/torch/", "rewrite/fx.py"),
    "jax": ("frontend/jax/",),
    "z3": ("smt/",),
    "cvc5": ("replay/solver.py",),
    "egglog": ("egraph/",),
}


def _imports(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{file}: relative import"
            yield node.module


FILES = sorted(PACKAGE.rglob("*.py"))


def _name(file: Path) -> str:
    return file.relative_to(PACKAGE).as_posix()


@pytest.mark.parametrize("file", FILES, ids=_name)
def test_imports_only_go_up(file: Path) -> None:
    layer = _name(file).split("/")[0].removesuffix(".py")
    if layer not in MAY_IMPORT:
        return
    for module in _imports(file):
        parts = module.split(".")
        if parts[0] == "hecv" and len(parts) > 1 and parts[1] != layer:
            assert parts[1] in MAY_IMPORT[layer], f"{_name(file)} imports {module}"


@pytest.mark.parametrize("file", FILES, ids=_name)
def test_each_dependency_stands_in_one_place(file: Path) -> None:
    for module in _imports(file):
        homes = AT_HOME.get(module.split(".")[0])
        if homes is not None:
            assert _name(file).startswith(homes) if homes else False, f"{_name(file)} imports {module}"


def test_every_layer_exists() -> None:
    for layer in MAY_IMPORT:
        assert (PACKAGE / layer).exists() or (PACKAGE / f"{layer}.py").exists()
