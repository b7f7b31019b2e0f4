"""The capture child of a distributed program, `python -m hecv.capture.rank_worker FILE FUNCTION RANKS FOLDER`.

It forks a process a rank, each of which makes a fake process group, runs the user's file, and writes the graph of the
rank, or why there is none, to a file in FOLDER (`archive_of`). RANKS is their number; 0 is a sequential program, whose
function takes no arguments.

A program of JAX has all ranks at once: its function takes no arguments either, and one process writes the graphs of
all ranks, the first of them with what its shardings say (`hecv.jax.sharded_capture`).
"""

from __future__ import annotations

import ast
import os
import re
import signal
import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from hecv.capture.capture_worker import Rejected, guarded, line_of, load, missing, model_and_arguments, quiet
from hecv.parameters.captured_model import Failure, to_plain
from hecv.tensors.graph_files import graph_to_plain, write_archive

SHARDINGS = "shardings"
FRAMEWORK = "framework"

AT_ONCE = 2
"""Ranks, at most, that are captured at a time."""


def archive_of(folder: Path, rank: int) -> Path:
    """The file of a rank; -1 is the sequential program."""
    return folder / ("sequential.npz" if rank < 0 else f"rank{rank}.npz")


def main(file: str, function: str, ranks: str, folder: str) -> None:
    os.dup2(2, 1)
    size = int(ranks)
    if size and takes_nothing(file, function):
        capture_all(file, function, size, Path(folder))
        return
    for name in ("torch.distributed", "torch.fx.experimental.proxy_tensor", "hecv.torch.rank_capture"):
        with suppress(ModuleNotFoundError):  # which each rank says
            import_module(name)  # once, before the forks
    running: list[tuple[int, int]] = []
    for rank in range(size) if size else (-1,):
        if len(running) == AT_ONCE:
            _ended(*running.pop(0), Path(folder))
        child = os.fork()
        if not child:
            _rank(file, function, rank, size, archive_of(Path(folder), rank))
            os._exit(0)
        running.append((child, rank))
    for child, rank in running:
        _ended(child, rank, Path(folder))


def _ended(child: int, rank: int, folder: Path) -> None:
    """Waits for the process of a rank. One that ended before it wrote leaves how it ended."""
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status or not archive_of(folder, rank).exists():
        said = f"crashed with {signal.Signals(-status).name}" if status < 0 else f"ended with status {status}"
        failure = Failure("model-crash", f"the process that ran it {said}", help="run the file with python to see why")
        write_archive(archive_of(folder, rank), to_plain(failure), {})


def takes_nothing(file: str, function: str) -> bool:
    """Whether a file defines a function of this name without parameters."""
    try:
        tree = ast.parse(Path(file).read_bytes())
    except (OSError, SyntaxError, ValueError):
        return False  # which each rank says
    defined = [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == function]
    return bool(defined) and not any(vars(defined[-1].args)[k] for k in ("posonlyargs", "args", "vararg", "kwonlyargs"))


def _rank(file: str, function: str, rank: int, size: int, out: Path) -> None:
    try:
        found, framework = guarded(file, lambda: _graph(file, function, rank, size))
    except Rejected as problem:
        write_archive(out, to_plain(problem.failure), {})
        return
    write_archive(out, graph_to_plain(found) | {FRAMEWORK: framework}, found.arrays)


def capture_all(file: str, function: str, size: int, folder: Path) -> None:
    """Writes the archives of all ranks of a program of JAX."""
    try:
        found = guarded(file, lambda: _sharded(file, function, size))
    except Rejected as problem:
        write_archive(archive_of(folder, 0), to_plain(problem.failure), {})
        return
    stated = {SHARDINGS: {"leaves": found.leaves, "outputs": found.outputs}, FRAMEWORK: "jax"}
    for number, graph in enumerate(found.graphs):
        write_archive(archive_of(folder, number), graph_to_plain(graph) | stated, graph.arrays)


def _sharded(file: str, function: str, size: int) -> Any:
    flags = re.sub(r"--xla_force_host_platform_device_count=\d+", "", os.environ.get("XLA_FLAGS", ""))
    os.environ["XLA_FLAGS"] = f"{flags} --xla_force_host_platform_device_count={size}".strip()
    os.environ["JAX_PLATFORMS"] = "cpu"  # both before JAX is imported
    from hecv.jax.sharded_capture import capture_sharded

    module = load(file)
    make = getattr(module, function)
    made = make()
    if isinstance(made, tuple) and len(made) == 3:
        raise Rejected(Failure("dynamic-shapes", "dynamic_shapes is for programs of torch", line_of(make)))
    model, examples = model_and_arguments(made, function, make)
    with quiet():
        return _whole(capture_sharded(model, examples, function, size))


def _whole(found: Any) -> Any:
    if isinstance(found, Failure):
        raise Rejected(found)
    return found


def _graph(file: str, function: str, rank: int, size: int) -> tuple[Any, str]:
    """The graph of a rank, and the framework of its program."""
    from hecv.torch.dynamic_shapes import DOCUMENTED, BadShapes
    from hecv.torch.graph_capture import Unsupported
    from hecv.torch.rank_capture import SizesTakenForGranted, capture_rank, start_group

    start_group(max(rank, 0), max(size, 1))
    module = load(file)
    make = getattr(module, function, None)
    if not callable(make):
        raise missing(file, function, module)
    arguments = () if rank < 0 else (rank, size)
    made, dynamic = make(*arguments), None
    if isinstance(made, tuple) and len(made) == 3:
        made, dynamic = made[:2], made[2]
    model, examples = model_and_arguments(made, function, make)
    line = line_of(make)
    if dynamic is not None and "jax" in sys.modules and _is_of_jax(examples):
        raise Rejected(Failure("dynamic-shapes", "dynamic_shapes is for programs of torch", line))
    if rank < 0 and "jax" in sys.modules:
        from hecv.jax.sharded_capture import capture_alone, is_of_jax

        if is_of_jax(examples):
            with quiet():
                return _whole(capture_alone(model, examples, function)), "jax"
    try:
        with quiet():
            return capture_rank(model, examples, function, dynamic), "torch"
    except BadShapes as problem:
        raise Rejected(Failure("dynamic-shapes", str(problem), line, DOCUMENTED)) from None
    except SizesTakenForGranted as problem:
        raise Rejected(_granted(problem, file, line)) from None
    except Unsupported as problem:
        raise Rejected(Failure("unsupported-op", str(problem), unsupported=True)) from None


def _granted(problem: Any, file: str, line: int) -> Failure:
    """A program that holds for other sizes than it states, at the line where it takes that for granted."""
    place, text = problem.place, str(problem)
    if place is not None and os.path.realpath(place.file) == os.path.realpath(file):
        line = place.line
    elif place is not None:
        text += f", at {place}"
    return Failure("dynamic-shapes", text, line, "state sizes for which it holds, or compute with those of the inputs")


def _is_of_jax(examples: Any) -> bool:
    from hecv.jax.sharded_capture import is_of_jax

    return is_of_jax(examples)


if __name__ == "__main__":
    main(*sys.argv[1:])
