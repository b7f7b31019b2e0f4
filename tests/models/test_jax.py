"""Models in JAX against each other and against torch, decided by relations between the values of their graphs."""

from __future__ import annotations

from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from hecv.check import Options
from hecv.claim.result import FunctionReport
from hecv.claim.semantic_options import Switches
from hecv.jax.function_capture import capture_function
from hecv.jax.jax_capture import capture
from hecv.models import compare_graphs
from hecv.parameters.captured_model import CapturedGraph, Failure
from hecv.torch.graph_capture import capture_graph

from . import jax_styles as styles
from .test_relations import in_process


@cache
def captured(name: str) -> CapturedGraph:
    if name in styles.JAX:
        make, function = styles.JAX[name]
        found = capture_function(*make(function), name)
    else:
        found = capture_graph(*styles.TORCH[name](), name)
    assert isinstance(found, CapturedGraph), found
    return found


def decide(source: str, target: str) -> FunctionReport:
    options = Options(switches=Switches(floats="real"), relation="equivalent")
    models = captured(source), captured(target)
    return compare_graphs((f"a.py:{source}", f"b.py:{target}"), models, None, options, in_process).report.functions[0]


SAME = (
    ("perceptron", "perceptron_written_out"),
    ("perceptron", "torch_perceptron"),
    ("torch_perceptron", "perceptron_written_out"),
    ("convolved", "torch_convolved"),
    ("torch_convolved", "convolved"),
    ("block", "block_by_indexing"),
    ("block_by_indexing", "block"),
    ("block", "torch_block"),
    ("torch_block", "block_by_indexing"),
)


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("source", "target"), SAME)
def test_one_network_in_two_spellings(source: str, target: str) -> None:
    report = decide(source, target)
    assert (report.verdict, report.evidence) == ("equivalent", "proved"), report
    assert report.models is not None
    assert report.models.proved == report.models.candidates


WRONG = (
    ("perceptron", "perceptron_exact", "hidden = jax.nn.gelu"),
    ("torch_perceptron", "perceptron_exact", "hidden = jax.nn.gelu"),
    ("torch_convolved", "convolved_before_the_edge", "return jnp.transpose(jnp.roll("),
    ("convolved", "convolved_before_the_edge", "return jnp.transpose(jnp.roll("),
    ("block", "block_unscaled", "scores = jnp.einsum"),
    ("torch_block", "block_unscaled", "scores = jnp.einsum"),
)


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("source", "target", "line"), WRONG)
def test_a_mistake_is_located(source: str, target: str, line: str) -> None:
    report = decide(source, target)
    assert report.verdict == "not-equivalent", report
    where = report.localization
    assert where is not None and where.target is not None
    location = where.target.location
    with open(location.file, encoding="utf-8") as file:
        assert file.readlines()[location.line - 1].strip().startswith(line)
    assert location.file == styles.__file__


def test_an_index_that_only_the_target_looks_up_unclamped_is_assumed_to_be_in_range() -> None:
    """Indexing in JAX clamps; `jnp.take` fills with NaN, and torch stops."""
    assumed = {a.id for a in decide("block_by_indexing", "torch_block").assumptions}
    assert "index-in-range" in assumed
    assert "index-in-range" not in {a.id for a in decide("torch_block", "block_by_indexing").assumptions}
    assert "index-in-range" not in {a.id for a in decide("block", "block_by_indexing").assumptions}


def _pooled(x: Any) -> Any:
    return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (2,), (2,), "VALID").sum()


def _drawn(x: Any) -> Any:
    return x + jax.lax.rng_uniform(0.0, 1.0, (4,)) - jax.lax.rng_uniform(0.0, 1.0, (4,))


@pytest.mark.parametrize(("function", "op"), [(_drawn, "rng"), (jax.grad(_pooled), "select_and_scatter")])
def test_what_neither_graphs_nor_the_lowering_hold(function: Any, op: str) -> None:
    """The lowering draws the same numbers twice, and compares the first element with what was never written."""
    given = (jnp.arange(4.0),)
    for found, text in (
        (capture_function(function, given, "f"), "no definition of"),
        (capture(function, given), "else"),
    ):
        assert isinstance(found, Failure)
        assert found.unsupported and text in found.text and f"stablehlo.{op}" in found.text
