"""Layers under all forms of parallelism refine their sequential form; one mistake is located or refuted."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from hecv.base.diagnostics import InputError
from hecv.capture.value_process import Request
from hecv.refine.relation_file import read_relation
from hecv.refinement import Degree, Settings, decide

pytest.importorskip("torch")

PROGRAMS = Path(__file__).parent / "programs"

REFINES = [
    ("mlp", "mlp_tp", {"out": "replicate(out)"}),
    (
        "mlp_backward",
        "mlp_backward_tp",
        {"gate": "concat(gate, dim=0)", "x": "replicate(x)", "down": "concat(down, dim=1)"},
    ),
    ("attention", "attention_tp", {"out": "replicate(out)"}),
    ("normed_mlp", "normed_mlp_sp", {"out": "concat(out, dim=0)"}),
    ("embedding", "embedding_vp", {"out": "replicate(out)"}),
    ("head", "head_vp", {"out": "replicate(out)"}),
    ("mean_gradient", "mean_gradient_dp", {"out": "replicate(out)"}),
    ("mean_gradient", "mean_gradient_accumulated", {"out": "replicate(out)"}),
    ("two_layers", "two_layers_pp", {"out": "out@1"}),
    ("plain_attention", "plain_attention_cp", {"out": "concat(out, dim=0)"}),
]

UNRELATED = [
    ("mlp", "wrong_mlp_bias_on_each_rank", "add"),
    ("mlp", "wrong_mlp_without_reduce", "add"),
    ("mlp", "wrong_mlp_reduced_twice", "add"),
    ("mlp_backward", "wrong_mlp_backward_without_reduce", "add"),
    ("attention", "wrong_attention_position", "mul"),
    ("embedding", "wrong_embedding_mask", "embedding"),
    ("mean_gradient", "wrong_gradient_scale", ""),
    ("two_layers", "wrong_stage_order", ""),
    ("plain_attention", "wrong_context_scale", ""),
]


def layers() -> ModuleType:
    if str(PROGRAMS) not in sys.path:
        sys.path.insert(0, str(PROGRAMS))
    import layers as found  # type: ignore[import-not-found]

    return found


def run(requests: Sequence[Request]) -> list[list[Mapping[str, Any]]]:
    from hecv.torch.graph_runner import run_graph

    return [[run_graph(r.graph, {**r.shared, **s}, frozenset(r.wanted)) for s in r.sets] for r in requests]


def answer(sequential: str, distributed: str, ranks: int = 2, relation: str = "") -> Degree:
    import torch.distributed as dist

    from hecv.torch.rank_capture import capture_rank, start_group

    programs = layers()
    ours = capture_rank(*getattr(programs, sequential)(), sequential)
    theirs = []
    for rank in range(ranks):
        start_group(rank, ranks)
        try:
            theirs.append(capture_rank(*getattr(programs, distributed)(rank, ranks), distributed))
        finally:
            dist.destroy_process_group()
    return decide(ours, theirs, read_relation("R.toml", relation, ours, theirs), Settings(), run=run)


@pytest.mark.parametrize(("sequential", "distributed", "outputs"), REFINES)
def test_refines(sequential: str, distributed: str, outputs: dict[str, str]) -> None:
    found = answer(sequential, distributed)
    assert found.verdict == "refines", found
    assert outputs.items() <= dict(found.outputs).items()


@pytest.mark.parametrize("distributed", ["mlp_tp", "attention_tp", "normed_mlp_sp", "embedding_vp"])
def test_refines_on_four_ranks(distributed: str) -> None:
    sequential = next(s for s, d, _ in REFINES if d == distributed)
    assert answer(sequential, distributed, 4).verdict == "refines"


@pytest.mark.parametrize(("sequential", "distributed", "op"), UNRELATED)
def test_a_mistake_is_located(sequential: str, distributed: str, op: str) -> None:
    found = answer(sequential, distributed)
    assert found.verdict == "unknown"
    assert found.blocked is not None and found.blocked.place is not None
    assert found.blocked.place.file.endswith("layers.py")
    assert op in found.blocked.op


def test_an_expected_relation_that_fails_is_refuted() -> None:
    found = answer("mlp", "wrong_mlp_without_reduce", relation='[outputs]\nout = "replicate(out)"\n')
    assert found.verdict == "not-equivalent" and found.counterexample is not None
    assert abs(found.counterexample.expected - found.counterexample.found) > 1e-6


def test_a_sum_that_should_be_replicated_is_refuted() -> None:
    found = answer(
        "mlp_backward", "wrong_mlp_backward_without_reduce", relation='[outputs]\nloss = "replicate(loss)"\nx = "x@0"\n'
    )
    assert found.verdict == "not-equivalent" and found.counterexample is not None
    assert found.counterexample.output == "x"


@pytest.mark.parametrize(
    ("sequential", "distributed", "text"),
    [
        ("mlp", "wrong_mlp_deadlock", "rank 0 calls all_reduce, which rank 1 never reaches"),
        ("two_layers", "wrong_stage_missing", "rank 1 waits for a tensor that rank 0 does not send"),
    ],
)
def test_ranks_that_wait_for_each_other(sequential: str, distributed: str, text: str) -> None:
    found = answer(sequential, distributed)
    assert found.verdict == "not-equivalent" and found.deadlock is not None
    assert found.deadlock.text == text
    assert found.deadlock.places[0][1] is not None


def test_rows_that_go_to_experts_and_back() -> None:
    parts = ", ".join(f"slice(x@{r}, 0, {2 * k}, {2 * k + 2})" for k in range(2) for r in range(2))
    relation = f'[inputs]\nx = "concat({parts}, dim=0)"\n[parameters]\nexperts = "concat(experts, dim=0)"\n'
    result = ", ".join(f"slice(out@{r}, 0, {2 * k}, {2 * k + 2})" for k in range(2) for r in range(2))
    found = answer("experts", "experts_ep", relation=f'{relation}[outputs]\nout = "concat({result}, dim=0)"\n')
    assert found.verdict == "refines", found


@pytest.mark.parametrize(
    ("relation", "text"),
    [
        ("[inputs]\ny = 'x@0'\n", "the sequential model has no input `y`"),
        ("[inputs]\nx = 'scale(x@0, 2)'\n", "`scale` is not clean"),
        ("[inputs]\nx = 'x@7'\n", "rank 7 has no tensor `x`"),
        ("[inputs]\nx = 'concat(x, dim=0)'\n", "`x` has sizes"),
        ("[parameters]\nbias = 'sum(bias)'\n", "the value of `bias` is not that of `sum(bias)`"),
        ("[parameters]\ngate = 'gate@0'\n", "`gate` has sizes"),
        ("[bogus]\nx = 'x@0'\n", "`bogus` is no table of a relation"),
        ("[inputs]\nx = [1]\n", "`x` is neither a text nor a list of texts"),
        ("[inputs\n", ""),
    ],
)
def test_a_bad_relation_is_an_error_with_its_line(relation: str, text: str) -> None:
    with pytest.raises(InputError) as caught:
        answer("mlp", "mlp_tp", relation=relation)
    (problem,) = caught.value.diagnostics
    assert text in problem.message
    assert problem.location is not None and problem.location.file == "R.toml"
    assert problem.location.line == (2 if "]" in relation and "bogus" not in relation else 1)


def test_outputs_are_rebuilt_by_the_code_that_is_printed() -> None:
    found = answer("normed_mlp", "normed_mlp_sp")
    ranks = [{"out": np.arange(6.0).reshape(2, 3)}, {"out": np.ones((2, 3))}]
    made = eval(found.code["out"], {"np": np, "ranks": ranks})
    assert np.array_equal(made, np.concatenate([r["out"] for r in ranks], 0))
