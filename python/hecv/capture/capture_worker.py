"""The capture child: runs a user's file, `python -m hecv.capture.capture_worker FILE FUNCTION OUT FORM`.

It writes the captured model, or why there is none, to the file OUT as an archive (`hecv.tensors.graph_files`). FORM is
`graph` for a graph of tensors, which there is of torch modules alone, or `mlir`. What the user's file prints goes to
standard error.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import traceback
from collections.abc import Callable, Generator
from contextlib import contextmanager
from inspect import isfunction, signature
from pathlib import Path
from types import ModuleType
from typing import Any

from msgspec.structs import replace

from hecv.parameters.captured_model import UNSUPPORTED_SIZES, Captured, CapturedGraph, Failure, to_plain
from hecv.parameters.export_errors import explained
from hecv.tensors.graph_files import graph_to_plain, write_archive

EXTRAS = {"torch": "torch", "jax": "jax", "jaxlib": "jax", "torch_mlir": "torch"}
"""The optional dependency group that installs a package."""


class Rejected(Exception):
    """The user's file does not give a model."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.text)
        self.failure = failure


def main(file: str, function: str, out: str, form: str) -> None:
    os.dup2(2, 1)
    try:
        found = capture_file(file, function, form)
    except Rejected as problem:
        found = problem.failure
    if isinstance(found, CapturedGraph):
        plain: dict[str, Any] = {"framework": found.framework, "graph": graph_to_plain(found.graph)}
        plain |= {"fixed": found.fixed, "given": found.given, "literals": found.literals, "failed": None}
        plain["sizes"] = [[s.name, s.called, s.least, s.most, s.example] for s in found.sizes]
        if found.failed is not None:
            place = found.failed.place
            plain["failed"] = [found.failed.text, place and [place.file, place.line]]
        write_archive(Path(out), plain, found.graph.arrays)
    else:
        write_archive(Path(out), to_plain(found), {})


def capture_file(file: str, function: str, form: str) -> Captured | CapturedGraph | Failure:
    """The model that a function of a file gives, in this process.

    Raises: Rejected if it gives none.
    """
    module = guarded(file, lambda: load(file))
    make = getattr(module, function, None)
    if not callable(make):
        raise missing(file, function, module)
    _require_no_arguments(make, function)
    made, dynamic = guarded(file, make), None
    if isinstance(made, tuple) and len(made) == 3:
        made, dynamic = made[:2], made[2]
    model, arguments = model_and_arguments(made, function, make)
    line = line_of(make)
    if dynamic is not None:
        if not _is_torch(model):
            hint = "return (module, example_args) with a module of torch"
            raise Rejected(Failure("dynamic-shapes", "dynamic_shapes is for modules of torch", line, hint))
        if form != "graph":
            return Failure(UNSUPPORTED_SIZES, f"`{function}` states dynamic_shapes, and {_FIXED}", line)
    if _is_torch(model) and form == "graph":
        from hecv.torch.graph_capture import capture_graph

        with quiet():
            return _located(guarded(file, lambda: capture_graph(model, arguments, function, dynamic), line), line)
    if _is_torch(model):
        from hecv.torch.torch_capture import capture

        with quiet():
            return guarded(file, lambda: capture(model, arguments), line)
    if form == "graph":
        from hecv.jax.function_capture import capture_function

        with quiet():
            return guarded(file, lambda: capture_function(model, arguments, function), line)
    from hecv.jax.jax_capture import capture as lower_function

    with quiet():
        return guarded(file, lambda: lower_function(model, arguments), line)


def _require_no_arguments(make: Callable[..., Any], function: str) -> None:
    """Raises: Rejected if a call without arguments cannot be."""
    try:
        signature(make).bind()
    except TypeError as problem:
        text = f"`{function}` is called without arguments: {problem}"
        hint = f"a function without parameters that calls it: def model(): return {function}(...)"
        raise Rejected(Failure("not-a-model", text, line_of(make), hint)) from None
    except ValueError:  # a callable that does not show its parameters
        return


_FIXED = "`--fp strict` and `reassoc`, `--assume` and `--certificate` are for fixed shapes"


def _located(found: CapturedGraph | Failure, line: int) -> CapturedGraph | Failure:
    """A failure of no line is at the function."""
    if isinstance(found, Failure) and not found.line and found.name in ("dynamic-shapes", UNSUPPORTED_SIZES):
        return replace(found, line=line)
    return found


def missing(file: str, function: str, module: ModuleType) -> Rejected:
    """The file has no such function."""
    own = {n: v for n, v in vars(module).items() if isfunction(v) and v.__module__ == module.__name__}
    names = [n for n in own if not n.startswith("_")]
    hint = f"there are: {', '.join(names)}" if names else "it defines no function"
    return Rejected(Failure("missing-function", f"{file} has no function `{function}`", help=hint))


@contextmanager
def quiet() -> Generator[None]:
    """Silences standard error: the exception alone reports what is wrong with a model."""
    sys.stderr.flush()
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        sys.stderr.flush()
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def load(file: str) -> ModuleType:
    """The user's file as a module."""
    path = Path(file).resolve()
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise Rejected(Failure("not-python", f"{file} is no Python file", help="its name has to end in .py"))
    sys.path.insert(0, str(path.parent))
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def model_and_arguments(made: Any, function: str, make: Callable[[], Any]) -> tuple[Any, tuple[Any, ...]]:
    """The model and its arguments, as `function` returned them."""
    line = line_of(make)
    if not (isinstance(made, tuple) and len(made) == 2 and callable(made[0])):
        text = f"`{function}` does not return a model and its arguments"
        hint = "return (module, example_args), example_args a tuple of tensors"
        raise Rejected(Failure("not-a-model", text, line, hint))
    if isinstance(made[0], type):
        text = f"`{function}` returns the class `{made[0].__name__}` where a model is expected"
        hint = f"make an instance: return ({made[0].__name__}(...), example_args)"
        raise Rejected(Failure("not-a-model", text, line, hint))
    model, arguments = made
    return model, tuple(arguments) if isinstance(arguments, (tuple, list)) else (arguments,)


def _is_torch(model: Any) -> bool:
    return any(kind.__module__.startswith("torch.nn") for kind in type(model).__mro__)


def line_of(make: object) -> int:
    """The line that a function begins at; 0 if it is not known."""
    return getattr(getattr(make, "__code__", None), "co_firstlineno", 0)


def guarded(file: str, work: Callable[[], Any], line: int = 0) -> Any:
    """What `work` returns; an exception raised by the user's file becomes a user error with its line, or with this one
    where none of its own is in the traceback."""
    try:
        return work()
    except Rejected:
        raise
    except ModuleNotFoundError as problem:
        package = (problem.name or "").partition(".")[0]
        extra = EXTRAS.get(package)
        hint = f"pip install 'hecv[{extra}]'" if extra else None
        raise Rejected(Failure("package-missing", f"the package `{package}` is not installed", help=hint)) from None
    except (Exception, SystemExit) as problem:
        text = str(problem).strip().partition("\n")[0]
        message = f"{type(problem).__name__}: {text}" if text else type(problem).__name__
        text, hint = explained(problem) or (message, None)
        raise Rejected(Failure("model-error", text, _line(file, problem) or line, hint)) from None


def _line(file: str, problem: BaseException) -> int:
    """The innermost line of the user's file in an exception's traceback."""
    if isinstance(problem, SyntaxError):
        return problem.lineno or 0
    path = str(Path(file).resolve())
    frames = traceback.extract_tb(problem.__traceback__)
    return next((f.lineno or 0 for f in reversed(frames) if os.path.realpath(f.filename) == path), 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
