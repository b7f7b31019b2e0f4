"""Runs two graphs of tensors on input sets in a child process (`hecv.torch.graph_runner`)."""

from __future__ import annotations

import resource
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from hecv.base.diagnostics import Diagnostic, InputError, Unsupported
from hecv.capture.capture_process import run_child
from hecv.tensors.graph_files import graph_to_plain, read_archive, write_archive
from hecv.tensors.tensor_graph import TensorGraph

Values = Mapping[str, Any]
"""NumPy arrays by the name of the value; floats in f64."""


class Request(Struct, frozen=True):
    """A graph, the values of its leaves that all input sets share and those of each set (arrays, or `Scaled` ones), and
    the names of the values to return. Floats that ops compute are changed by at most `jitter`, relative, as rounding
    may change them."""

    graph: TensorGraph
    shared: Values
    sets: Sequence[Values]
    wanted: Sequence[str]
    jitter: float = 0.0


def run_graphs(
    requests: Sequence[Request], files: Sequence[str], seconds: float, megabytes: int, device: str = "cpu"
) -> list[list[dict[str, Any]]]:
    """The wanted values, for each request and each of its input sets. `files` are the user's, which may register ops;
    `device` is cpu, cuda, or auto: a GPU that torch can use, or else the CPU.

    Raises: InputError if torch cannot use the device; Unsupported if an op cannot be run.
    """
    with tempfile.TemporaryDirectory(prefix="hecv-") as folder:
        given, out = Path(folder) / "request.npz", Path(folder) / "values.npz"
        plain = {
            "graphs": [graph_to_plain(r.graph) for r in requests],
            "wanted": [list(r.wanted) for r in requests],
            "sets": len(requests[0].sets),
            "jitter": [r.jitter for r in requests],
            "device": device,
        }
        arrays = {
            f"{side}/{number}/{name}": array
            for side, request in enumerate(requests)
            for number, leaves in enumerate((*request.sets, request.shared))
            for name, array in leaves.items()
        }
        write_archive(given, plain, arrays)
        command = [sys.executable, "-m", "hecv.torch.graph_runner", str(given), str(out), *files]
        # CUDA reserves addresses for all memory that there is, of the GPU and beside it.
        limited = resource.RLIMIT_AS if device == "cpu" else resource.RLIMIT_DATA
        said = run_child(command, seconds, megabytes, limited)
        try:
            answer, found = read_archive(out)
        except (FileNotFoundError, ValueError):
            raise Unsupported(f"the process that ran both models {said}", None) from None
    if answer["refused"]:
        help_ = "use --device cpu, or a torch that is built for the GPU"
        raise InputError(Diagnostic("error", "device-unusable", answer["refused"], help=help_))
    if answer["problems"]:
        raise Unsupported(answer["problems"][0][1], None)
    values: list[list[dict[str, Any]]] = [[{} for _ in request.sets] for request in requests]
    for key, array in found.items():
        side, number, name = key.split("/", 2)
        values[int(side)][int(number)][name] = array
    return values
