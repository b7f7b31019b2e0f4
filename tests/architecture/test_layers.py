"""The order of rooms (docs/map.md): imports only go up, no folder is crowded, no name stands twice."""

from __future__ import annotations

import ast
from collections import defaultdict
from functools import cache
from pathlib import Path

from . import imports, package_map

PACKAGE = Path(__file__).parents[2] / "python" / "hecv"

ROOMS = (
    "base",
    "process",
    "ops",
    "program",
    "smt",
    "mlir",
    "tensors",
    "parameters",
    "torch",
    "jax",
    "capture",
    "relate",
    "refine",
    "run",
    "normal",
    "dataflow",
    "elements",
    "patterns",
    "rules",
    "laws",
    "rule_files",
    "theorems",
    "kernel",
    "claim",
    "egraph",
    "sweep",
    "refute",
    "rewrite",
    "prove",
    "verdict",
    "replaying",
    "check",
    "certificates",
    "book",
    "glossary",
    "pipeline",
    "lowered_models",
    "models",
    "refinement",
    "rewriting",
    "report",
    "explain",
    "server",
    "toolchain",
    "lit",
    "cli",
    "__main__",
)
"""A room imports from those before it alone."""

BUDGETS = {
    "__init__.py": 20,
    "__main__.py": 38,
    "base": 1517,
    "book.py": 234,
    "capture": 681,
    "certificates.py": 34,
    "check.py": 432,
    "claim": 1318,
    "cli": 1679,
    "dataflow": 7974,
    "egraph": 5974,
    "elements": 2403,
    "explain.py": 186,
    "glossary.py": 322,
    "jax": 1925,
    "kernel": 8291,
    "laws": 7332,
    "lit.py": 144,
    "lowered_models.py": 227,
    "mlir": 16500,
    "models.py": 203,
    "normal": 12414,
    "ops": 2911,
    "parameters": 812,
    "patterns": 8342,
    "pipeline.py": 420,
    "process": 648,
    "program": 3638,
    "prove": 6248,
    "refine": 3153,
    "refinement.py": 647,
    "refute": 2979,
    "relate": 4504,
    "replaying.py": 436,
    "report": 1753,
    "rewrite": 1114,
    "rewriting.py": 255,
    "rule_files": 1120,
    "rules": 73,
    "run": 8265,
    "server": 1052,
    "smt": 1653,
    "sweep": 3502,
    "tensors": 7695,
    "theorems": 3015,
    "toolchain": 1609,
    "torch": 3669,
    "verdict": 1682,
}
"""Lines that a room may have. Raising one is a decision, which the commit explains."""

AT_HOME = {
    "islpy": ("dataflow/", "kernel/", "tensors/algebra/", "theorems/", "prove/dataflow/induction_cert.py"),
    "torch_mlir": ("mlir/", "parameters/", "torch/", "jax/", "run/jit/"),
    "numpy": ("jax/", "refine/", "refinement.py", "relate/", "run/jit/", "tensors/", "torch/"),
    "torch": ("torch/", "rewrite/fx_rewriting.py"),
    "jax": ("jax/",),
    "z3": ("smt/",),
    "cvc5": ("kernel/terms/solvers.py",),
    "egglog": ("egraph/",),
}

MOST_FILES = 15


@cache
def _files() -> tuple[Path, ...]:
    return tuple(sorted(PACKAGE.rglob("*.py")))


def _name(file: Path) -> str:
    return file.relative_to(PACKAGE).as_posix()


@cache
def _imports(file: Path) -> tuple[str, ...]:
    found = list[str]()
    for one in imports.of_file(file):
        assert one.level == 0, "relative import"
        found += [name if _file(name) else one.module for name in one.members] if one.members else [one.module]
    return tuple(found)


@cache
def _file(module: str) -> Path | None:
    path = PACKAGE.parent.joinpath(*module.split("."))
    return next((f for f in (path.with_suffix(".py"), path / "__init__.py") if f.exists()), None)


def test_imports_only_go_up() -> None:
    places = {room: number for number, room in enumerate(ROOMS)}
    for file in _files():
        room = _name(file).split("/")[0].removesuffix(".py")
        for module in _imports(file):
            parts = module.split(".")
            if parts[0] == "hecv" and len(parts) > 1 and room != "__init__":
                assert places[parts[1]] <= places[room], f"{_name(file)} imports {module}"


def test_folders_of_a_room_are_in_no_circle() -> None:
    """A folder may import from another one, or be imported by it, not both: not by way of a third, either."""
    arrows = defaultdict[str, set[str]](set)
    for file in _files():
        for module in _imports(file):
            found = _file(module) if module.startswith("hecv.") else None
            if found is not None and found.name != "__init__.py" and found.parent != file.parent:
                arrows[file.parent.relative_to(PACKAGE).as_posix()].add(found.parent.relative_to(PACKAGE).as_posix())
    left = {k: v for k, v in arrows.items() if k != "."}
    while free := [k for k, v in left.items() if not v & left.keys() or not any(k in other for other in left.values())]:
        for folder in free:
            del left[folder]
    circle = {k: sorted(v & left.keys()) for k, v in left.items()}
    assert not circle


def test_each_dependency_stands_in_one_place() -> None:
    for file in _files():
        for module in _imports(file):
            homes = AT_HOME.get(module.split(".")[0])
            assert homes is None or _name(file).startswith(homes), f"{_name(file)} imports {module}"


def test_every_room_is_in_the_list() -> None:
    there = {_name(file).split("/")[0].removesuffix(".py") for file in _files()}
    assert there - {"__init__"} == set(ROOMS)


def test_no_folder_is_crowded() -> None:
    folders = defaultdict[Path, list[str]](list)
    for file in _files():
        if file.name != "__init__.py" and file.parent != PACKAGE / "cli":
            folders[file.parent].append(file.name)
    assert not {str(folder): len(names) for folder, names in folders.items() if len(names) > MOST_FILES}


def test_no_name_stands_twice() -> None:
    names = defaultdict[str, list[str]](list)
    for file in _files():
        if file.name not in ("__init__.py", "__main__.py") and file.parent != PACKAGE / "cli":
            names[file.name].append(_name(file))
    assert not [places for places in names.values() if len(places) > 1]


def test_every_folder_says_what_it_is() -> None:
    for folder in {file.parent for file in _files()}:
        assert ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))), folder


def test_rooms_are_within_their_budgets() -> None:
    lines = defaultdict[str, int](int)
    for file in _files():
        lines[_name(file).split("/")[0]] += file.read_bytes().count(b"\n")
    over = {room: (count, BUDGETS.get(room)) for room, count in lines.items() if count > BUDGETS.get(room, 0)}
    assert not over


def test_the_map_is_that_of_the_package() -> None:
    """`python tests/architecture/package_map.py > docs/map.md`."""
    text = package_map.text()
    assert (PACKAGE.parents[1] / "docs" / "map.md").read_text(encoding="utf-8") == text
    assert text.count("\n") <= 80
