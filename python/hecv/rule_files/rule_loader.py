"""Reads rule files: Python that declares operators, patterns, rules and laws."""

from __future__ import annotations

import ast
import builtins
import contextlib
import linecache
import sys
import warnings
from collections.abc import Generator, Mapping
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, Final

from hecv.base.diagnostics import Diagnostic, InputError, Location
from hecv.base.recursion_limit import usual_depth
from hecv.laws.all_laws import BOOK
from hecv.patterns.calculus.pattern_ast import RuleFile
from hecv.patterns.tracing.decorators import REGISTRY, Registry
from hecv.rule_files.declarations import collect
from hecv.rule_files.error_locations import described, location

TAKEN: Final = frozenset(law.name for law in BOOK)
"""The names of the laws of the book."""

BYTE_ORDER_MARK: Final = "\ufeff"


def load(path: str) -> RuleFile:
    """The declarations of a rule file, which is run as a program of the user's own.

    Raises: InputError if it cannot be read or run, or if what it declares is wrong, at its lines.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else "it is not UTF-8 text"
        raise InputError(Diagnostic("error", "unreadable", f"cannot read {path}: {reason}")) from None
    if not text.strip():
        raise InputError(Diagnostic("error", "file-empty", f"{path} is empty", help="a rule file declares rules"))
    if "\0" in text:
        raise InputError(Diagnostic("error", "unreadable", f"cannot read {path}: it is binary, with a NUL byte"))
    return loads(text, path)


def loads(text: str, path: str) -> RuleFile:
    """The declarations of a rule file's text; `path` is its name in messages."""
    text = text.removeprefix(BYTE_ORDER_MARK)
    registry = Registry(path)
    module = ModuleType(Path(path).stem)
    vars(module).update({"__file__": path, REGISTRY: registry})
    linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)
    try:
        with _surroundings(path), usual_depth():
            exec(_compiled(text, path), vars(module))
            return collect(registry, TAKEN)
    except (InputError, KeyboardInterrupt):
        raise
    except BaseException as problem:
        place = location(problem, path) or Location(path, 1, 1)
        raise InputError(described(problem, place)) from None
    finally:
        linecache.cache.pop(path, None)


IDLE: Final = 'assertion is always true|"is( not)?" with'
"""Python's warnings that say nothing about a match."""


def _compiled(text: str, path: str) -> CodeType:
    """The code of a rule file.

    Raises: SyntaxError, also where Python only warns (`assert (a, b)` always holds); InputError for conditions that
    stand as statements.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("error", IDLE, SyntaxWarning)
        tree = ast.parse(text, path)
        code = compile(tree, path, "exec", dont_inherit=True)
    idle = [node for node in ast.walk(tree) if isinstance(node, ast.Expr) and _is_condition(node.value)]
    if idle:
        places = [Location(path, node.lineno, node.col_offset + 1) for node in idle]
        hint = "write it as a guard: assert ..."
        raise InputError(
            *[Diagnostic("error", "no-effect", "this condition is not asked for", p, hint) for p in places]
        )
    return code


def _is_condition(value: ast.expr) -> bool:
    """A condition, other than `x <= p`, which may be a match constraint."""
    if isinstance(value, ast.Compare):
        return not (len(value.ops) == 1 and isinstance(value.ops[0], ast.LtE))
    return isinstance(value, ast.BoolOp) or (isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.Not))


def declared(namespace: Mapping[str, Any]) -> RuleFile:
    """The declarations of a Python module that was imported and not loaded; `namespace` are its globals.

    Raises: InputError if they are wrong.
    """
    found = namespace.get(REGISTRY)
    return collect(found if isinstance(found, Registry) else Registry(str(namespace.get("__file__", "module"))), TAKEN)


@contextlib.contextmanager
def _surroundings(path: str) -> Generator[None]:
    """The file may import what stands beside it; what it prints goes to stderr, as stdout has the answer, and what it
    does to Python's own names stays with it."""
    before, known = list(sys.path), vars(builtins)
    names = known.copy()
    sys.path.insert(0, str(Path(path).resolve().parent))
    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield
    finally:
        known.update(names)
        sys.path[:] = before
