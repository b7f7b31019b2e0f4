"""The map of the package, `docs/map.md`, from the first lines of its folders and of the modules at its top.

`python tests/architecture/package_map.py > docs/map.md`
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "python" / "hecv"

HEAD = """# The map

Each room with its first line, lowest first: a room imports only from rooms above it in this list. Folders of a room
follow it. Made by `python tests/architecture/package_map.py > docs/map.md`.

"""


def first_line(file: Path) -> str:
    """The first sentence of a module."""
    return (ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or "").partition("\n")[0]


def text() -> str:
    """The page."""
    from architecture.test_layers import ROOMS  # the order stands there

    lines = [HEAD]
    for room in ROOMS:
        folder, file = PACKAGE / room, PACKAGE / f"{room}.py"
        if file.exists():
            lines.append(f"- `{room}.py` {first_line(file)}\n")
            continue
        lines.append(f"- **`{room}/`** {first_line(folder / '__init__.py')}\n")
        inner = sorted(
            f.parent.relative_to(folder).as_posix() for f in folder.rglob("__init__.py") if f.parent != folder
        )
        if inner:
            lines.append(f"  {', '.join(f'`{name}`' for name in inner)}\n")
    return "".join(lines)


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))
    sys.stdout.write(text())
