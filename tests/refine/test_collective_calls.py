"""Collectives: what the joined graph of all ranks computes against processes that move data (gloo on CPU, one process a
rank), and relations through buffers that collectives write."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from hecv.capture.value_process import Request
from hecv.refine.joined_graph import join

pytest.importorskip("torch")

SIZE = 2
SECONDS = 240
"""Until the processes are ended."""

PROGRAMS = (
    "collective_calls:calls",
    "collective_calls:functional_calls",
    "collective_calls:coalesced_calls",
    "layers:mlp_backward_tp",
)
"""Run in one pair of processes, for most of the time is the import of torch."""

FOLDER = Path(__file__).parent / "programs"


def processes(folder: Path) -> list[Mapping[str, Any]]:
    """The results of each rank in a process of its own."""
    path = os.pathsep.join([str(FOLDER), *filter(None, sys.path)])
    environment = {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1"}
    command = [sys.executable, str(FOLDER / "collective_calls.py")]
    ranks = [
        subprocess.Popen(
            [*command, str(rank), str(SIZE), str(folder / "store"), str(folder / f"{rank}.npz"), *PROGRAMS],
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(SIZE)
    ]
    try:
        said = [rank.communicate(timeout=SECONDS)[1] for rank in ranks]
    finally:
        for rank in ranks:
            rank.kill()
    assert [rank.returncode for rank in ranks] == [0] * SIZE, said
    return [np.load(folder / f"{rank}.npz") for rank in range(SIZE)]


def calls() -> ModuleType:
    if str(FOLDER) not in sys.path:
        sys.path.insert(0, str(FOLDER))
    return import_module("collective_calls")


def in_lock_step(program: str) -> list[dict[str, Any]]:
    """The results of each rank by the joined graph."""
    import torch.distributed as dist
    from tests.refine.test_layers import run

    from hecv.torch.rank_capture import capture_rank, start_group

    calls()
    module, _, function = program.partition(":")
    graphs = []
    for rank in range(SIZE):
        start_group(rank, SIZE)
        try:
            graphs.append(capture_rank(*getattr(import_module(module), function)(rank, SIZE), function))
        finally:
            dist.destroy_process_group()
    joined = join(graphs)
    wanted = [ref.name for _, ref in joined.graph.outputs]
    given = {name: np.asarray(array, np.float64) for name, array in joined.graph.arrays.items()}
    values = {**given, **run([Request(joined.graph, {}, [given], wanted)])[0][0]}
    found: list[dict[str, Any]] = [{} for _ in graphs]
    for name, ref in joined.graph.outputs:
        output, _, rank = name.rpartition("@")
        found[int(rank)][output] = values[ref.name]
    return found


def test_the_joined_graph_computes_what_processes_do(tmp_path: Path) -> None:
    theirs = processes(tmp_path)
    compared = 0
    for program in PROGRAMS:
        for rank, outputs in enumerate(in_lock_step(program)):
            names = {n.partition("/")[2] for n in theirs[rank].files if n.startswith(f"{program}/")}  # type: ignore[attr-defined]
            assert names == set(outputs)
            for name, array in outputs.items():
                expected = theirs[rank][f"{program}/{name}"]
                assert array.shape == expected.shape, (program, rank, name)
                np.testing.assert_allclose(array, expected, rtol=1e-6, atol=1e-6, err_msg=f"{program}, {rank}, {name}")
                compared += 1
    assert compared > 2 * len(PROGRAMS)


@pytest.mark.parametrize(
    ("distributed", "verdict"),
    [
        ("buffer", "refines"),
        ("buffer_of_columns", "refines"),
        ("wrong_buffer", "unknown"),
        ("wrong_unwritten_buffer", "unknown"),
    ],
)
def test_what_is_gathered_into_parts_of_a_buffer(distributed: str, verdict: str) -> None:
    from tests.refine.test_rank_programs import answer

    assert answer("whole_product", distributed, made=calls()).verdict == verdict
