"""Definitions of a user's ops, in a Python file of the user:

    from hecv.tensors.comprehension import apply
    from hecv.tensors.definitions.op_definition import Call, defines

    @defines("mylib.gated")
    def gated(call: Call):
        value, gate = call.tensor(0), call.tensor(1)
        return call.gives(lambda *i: value[i] * apply("max", gate[i], 0))

A definition is all that is told of an op: how it passes through distributions is derived from it.
"""

from __future__ import annotations

import importlib.util
import linecache
import traceback
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from hecv.base.diagnostics import Diagnostic, InputError, Location
from hecv.tensors.comprehension import Comprehension
from hecv.tensors.definitions.op_definition import DEFINITIONS, Call, Definition, Undefined


@contextmanager
def user_definitions(path: str) -> Generator[Mapping[str, Location]]:
    """Adds the definitions of a file to those that are known, until the end of the context; gives the place of each.

    Raises: InputError, with the line, if the file cannot be run or defines an op twice; later, with the line, if a
    definition fails, or gives other sizes than the op.
    """
    before = dict(DEFINITIONS)
    try:
        _run(path)
        own = {op: definition for op, definition in DEFINITIONS.items() if op not in before}
        if not own:
            raise _wrong(f"{path} defines no op", Location(path, 1, 1), 'mark a function with `@defines("mylib.op")`')
        places = {op: _place(definition, path) for op, definition in own.items()}
        for op, definition in own.items():
            DEFINITIONS[op] = partial(_guarded, definition, places[op])
        yield places
    finally:
        DEFINITIONS.clear()
        DEFINITIONS.update(before)


def _run(path: str) -> None:
    spec = importlib.util.spec_from_file_location(f"{Path(path).stem}_definitions", path)
    if not Path(path).is_file() or spec is None or spec.loader is None:
        raise InputError(Diagnostic("error", "definition-error", f"{path}: no such file of Python"))
    try:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))
    except SyntaxError as problem:
        raise _wrong(str(problem.msg), Location(path, problem.lineno or 1, problem.offset or 1)) from None
    except Exception as problem:
        raise _wrong(_text(problem), _innermost(problem, path)) from None


def _guarded(definition: Definition, place: Location, call: Call) -> tuple[Comprehension, ...]:
    """What a definition gives, if it gives what the op does: for each result a comprehension of its sizes."""
    try:
        found: Any = definition(call)
        shapes = [tuple(tensor.shape) for tensor in found]
        for tensor in found:
            if 0 not in tensor.shape:
                tensor.generic()
    except Undefined:
        raise
    except Exception as problem:
        text = f"the definition of `{call.op}` fails: {_text(problem)}"
        raise _wrong(text, _innermost(problem, place.file, place.line)) from None
    wanted = [kind.shape for kind in call.types]
    if shapes != wanted:
        sizes = [", ".join(str(list(shape)) for shape in each) or "nothing" for each in (shapes, wanted)]
        raise _wrong(f"the definition of `{call.op}` gives {sizes[0]}, the op gives {sizes[1]}", place)
    return tuple(found)


def _text(problem: Exception) -> str:
    return f"{type(problem).__name__}: {str(problem).strip().partition(chr(10))[0]}"


def _innermost(problem: Exception, path: str, line: int = 1) -> Location:
    """The innermost line of a file in the traceback of an exception."""
    lines = [frame.lineno for frame in traceback.extract_tb(problem.__traceback__) if frame.filename == path]
    return Location(path, (lines or [line])[-1] or line, 1)


def _place(definition: Callable[..., Any], path: str) -> Location:
    """The line of `def`, behind the decorators."""
    code: Any = getattr(definition, "__code__", None)
    line = code.co_firstlineno if code is not None else 1
    while linecache.getline(path, line).lstrip().startswith("@"):
        line += 1
    return Location(path, line, 1)


def _wrong(text: str, place: Location, help: str | None = None) -> InputError:
    return InputError(Diagnostic("error", "definition-error", text, place, help=help))
