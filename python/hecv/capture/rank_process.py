"""Captures a sequential and a distributed program in child processes, one a rank (`hecv.capture.rank_worker`)."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from hecv.base.diagnostics import Diagnostic, InputError
from hecv.capture.capture_process import parse_spec, problem_of, run_child
from hecv.capture.rank_worker import FRAMEWORK, SHARDINGS, archive_of
from hecv.parameters.captured_model import Failure, from_plain
from hecv.tensors.graph_files import graph_from_plain, read_archive
from hecv.tensors.tensor_graph import TensorGraph

OF_A_RANK: Final = ("model-error", "model-crash")
"""Failures that one rank alone may have, whose number is said."""


class RankGraphs(Struct, frozen=True):
    """The graphs of all ranks. `leaves` and `outputs` are, by name, the expression over ranks that the program itself
    states of a tensor that it takes or gives, as a program of JAX does by its shardings; `framework` is torch or
    jax."""

    graphs: tuple[TensorGraph, ...]
    leaves: Mapping[str, str] = {}
    outputs: Mapping[str, str] = {}
    framework: str = "torch"


def capture_sequential(spec: str, seconds: float, megabytes: int) -> RankGraphs:
    """Captures the program named by `FILE.py:FUNCTION`, which takes no arguments, as one rank.

    Raises: InputError, Unsupported.
    """
    return _captured(spec, 0, seconds, megabytes)


def capture_ranks(spec: str, ranks: int, seconds: float, megabytes: int) -> RankGraphs:
    """Captures the programs of all ranks by `FUNCTION(rank, world_size)`, or of JAX by `FUNCTION()`.

    Raises: InputError, Unsupported.
    """
    return _captured(spec, ranks, seconds, megabytes)


def _captured(spec: str, ranks: int, seconds: float, megabytes: int) -> RankGraphs:
    file, function = parse_spec(spec)
    found: list[TensorGraph] = []
    stated: dict[str, dict[str, str]] = {}
    framework = "torch"
    with tempfile.TemporaryDirectory(prefix="hecv-") as name:
        folder = Path(name)
        command = [sys.executable, "-m", "hecv.capture.rank_worker", file, function, str(ranks), name]
        said = run_child(command, seconds, megabytes)
        for rank in range(ranks) if ranks else (-1,):
            try:
                plain, arrays = read_archive(archive_of(folder, rank))
            except (FileNotFoundError, ValueError):
                of = f" for rank {rank}" if ranks else ""
                text = f"the process that ran {spec}{of} {said}"
                hint = "run the file with python to see why"
                raise InputError(Diagnostic("error", "model-crash", text, help=hint)) from None
            if "nodes" in plain:
                stated |= plain.get(SHARDINGS, {})
                framework = plain[FRAMEWORK]
                found.append(graph_from_plain(plain, arrays))
                continue
            failure = from_plain(plain)
            assert isinstance(failure, Failure)
            if ranks and failure.name in OF_A_RANK:
                failure = replace(failure, text=f"rank {rank}: {failure.text}")
            raise problem_of(failure, file)
    return RankGraphs(tuple(found), **stated, framework=framework)
