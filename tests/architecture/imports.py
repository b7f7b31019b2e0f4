"""What a file of the package imports, also in functions. A file is parsed once for all tests."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple


class Import(NamedTuple):
    """A module that is imported, or of which `members`, which may be modules, are; `level` counts the dots before it.

    `for_types`: under `if TYPE_CHECKING`, so it does not run.
    """

    module: str
    members: tuple[str, ...] = ()
    level: int = 0
    for_types: bool = False

    def names(self) -> tuple[str, ...]:
        """The module and all that may be a module of it."""
        return self.module, *self.members


@cache
def of_file(file: Path) -> tuple[Import, ...]:
    """The imports of a file, in the order of its text."""
    return tuple(_of_statements(ast.parse(file.read_text(encoding="utf-8")).body, False))


def _of_statements(body: Iterable[ast.AST], for_types: bool) -> Iterator[Import]:
    for node in body:
        match node:
            case ast.Import(names=names):
                yield from (Import(alias.name, for_types=for_types) for alias in names)
            case ast.ImportFrom(module=module, names=names, level=level):
                above = module or ""
                yield Import(above, tuple(f"{above}.{alias.name}" for alias in names), level, for_types)
            case ast.expr() | ast.pattern():
                pass
            case _:
                types = for_types or (isinstance(node, ast.If) and _asks_for_types(node.test))
                for part in ("body", "orelse", "handlers", "finalbody", "cases"):
                    yield from _of_statements(getattr(node, part, ()), types)


def _asks_for_types(test: ast.expr) -> bool:
    return isinstance(test, ast.Name) and test.id == "TYPE_CHECKING"
