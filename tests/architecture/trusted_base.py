"""What `hecv replay` can reach: all that it may import, also late and in functions, by room, in modules and lines.

`python tests/architecture/trusted_base.py`
"""

from __future__ import annotations

import sys
from collections import defaultdict
from functools import cache
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from architecture.imports import of_file

PACKAGES = Path(__file__).parents[2] / "python"

ROOT = "hecv.replaying"


@cache
def reached() -> frozenset[str]:
    """The names that are imported from `ROOT` on: modules, packages above them, what is imported of them, and what
    is not hecv's."""
    found, waiting = set[str](), [ROOT]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            above = name.rpartition(".")[0]
            file = file_of(name)
            waiting += [above] if above else []
            waiting += () if file is None else (n for i in of_file(file) if not i.for_types for n in i.names())
    return frozenset(found)


def file_of(module: str) -> Path | None:
    """The file of a module of hecv."""
    path = PACKAGES.joinpath(*module.split("."))
    found = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return found if module.split(".")[0] == "hecv" and found.is_file() else None


def sizes() -> dict[str, tuple[int, int]]:
    """Of each room that is reached, how many modules are, and how many lines these have."""
    found = defaultdict[str, list[int]](list)
    for file in {file for name in reached() if (file := file_of(name)) is not None}:
        found[file.relative_to(PACKAGES / "hecv").parts[0]].append(file.read_bytes().count(b"\n"))
    return {room: (len(lines), sum(lines)) for room, lines in found.items()}


def totals() -> tuple[tuple[int, int], tuple[int, int]]:
    """Modules and lines of what is reached, and of the package."""
    rooms = sizes().values()
    package = [file.read_bytes().count(b"\n") for file in (PACKAGES / "hecv").rglob("*.py")]
    return (sum(m for m, _ in rooms), sum(n for _, n in rooms)), (len(package), sum(package))


def libraries() -> set[str]:
    """What is imported that is neither Python's nor hecv's."""
    return {name.partition(".")[0] for name in reached()} - sys.stdlib_module_names - {"hecv"}


def main() -> None:
    rows = sorted(sizes().items(), key=lambda row: -row[1][1])
    everything, package = totals()
    for name, (modules, lines) in (*rows, ("all that is reached", everything), ("the package", package)):
        print(f"{name:20} {modules:4} modules {lines:7,} lines")
    print("libraries:", ", ".join(sorted(libraries())))


if __name__ == "__main__":
    main()
