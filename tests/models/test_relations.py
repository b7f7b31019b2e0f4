"""Pairs of torch models decided by relations between the values of their graphs of tensors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn

from hecv.capture.value_process import Request
from hecv.check import Options
from hecv.claim.result import FunctionReport
from hecv.claim.semantic_options import Switches
from hecv.models import compare_graphs
from hecv.parameters.captured_model import CapturedGraph
from hecv.tensors.tensor_graph import Leaf, Node, Ref, TensorGraph, TensorType
from hecv.torch.graph_capture import capture_graph
from hecv.torch.graph_runner import among, run_graph

from . import llama_styles as styles

Model = tuple[nn.Module, tuple[Any, ...]]


def in_process(requests: Sequence[Request]) -> list[list[dict[str, Any]]]:
    return [[_run(r, inputs) for inputs in r.sets] for r in requests]


def _run(request: Request, inputs: Mapping[str, Any]) -> dict[str, Any]:
    return run_graph(request.graph, {**request.shared, **inputs}, frozenset(request.wanted), request.jitter)


@cache
def captured(make: Callable[[], Model]) -> CapturedGraph:
    found = capture_graph(*make(), make.__name__)
    assert isinstance(found, CapturedGraph), found
    return found


def decide(source: Callable[[], Model], target: Callable[[], Model]) -> FunctionReport:
    options = Options(switches=Switches(floats="real"), relation="equivalent")
    names = f"source.py:{source.__name__}", f"target.py:{target.__name__}"
    report = compare_graphs(names, (captured(source), captured(target)), None, options, in_process)
    return report.report.functions[0]


def assumed(report: FunctionReport) -> set[str]:
    return {a.id for a in report.assumptions}


def test_two_styles_of_one_model() -> None:
    report = decide(styles.written, styles.served)
    assert (report.verdict, report.evidence) == ("equivalent", "proved"), report
    assert {"table-sampled", "mask-infinite", "inputs-related"} <= assumed(report)
    assert report.models is not None
    assert report.models.layers == 2
    assert report.models.proved == report.models.candidates > 30
    assert dict(report.models.parameters)["layers.0.qkv.weight"] == (
        "concat(layers.0.attention.q_proj.weight, layers.0.attention.k_proj.weight, "
        "layers.0.attention.v_proj.weight, dim=0)"
    )


def test_the_styles_in_the_other_order() -> None:
    report = decide(styles.served, styles.written)
    assert report.verdict == "equivalent", report
    assert dict(report.models.parameters)["layers.1.up_proj.weight"] == "slice(layers.1.gate_up.weight, 0, 24, 48)"


WRONG = (
    (styles.wrong_eps, "aten.rms_norm"),
    (styles.wrong_pairs, "aten.mul.Tensor"),
    (styles.wrong_window, "aten.scaled_dot_product_attention"),
    (styles.wrong_scale, "aten.scaled_dot_product_attention"),
    (styles.wrong_gate, "aten.silu"),
    (styles.wrong_base, "aten.mul.Tensor"),
)


@pytest.mark.parametrize(("target", "op"), WRONG)
def test_a_mistake_is_located(target: Callable[[], Model], op: str) -> None:
    report = decide(styles.written, target)
    assert report.verdict == "not-equivalent", report
    assert report.counterexample is not None
    assert report.counterexample.engines == ("torch",)
    where = report.localization
    assert where is not None
    assert where.source is not None
    assert where.target is not None
    assert where.target.op == op
    assert where.target.location.file == where.source.location.file == styles.__file__
    layer = "layers.0" if target is styles.wrong_base else "layers.1"
    assert layer in where.because


@pytest.mark.parametrize("make", [styles.written, styles.served])
def test_a_model_against_itself(make: Callable[[], Model]) -> None:
    assert decide(make, make).verdict == "equivalent"


# Parameters


class Linears(nn.Module):
    """Linear layers by name, applied in turn."""

    def __init__(self, **layers: tuple[torch.Tensor, torch.Tensor | None]) -> None:
        super().__init__()
        for name, (weight, bias) in layers.items():
            layer = nn.Linear(weight.shape[1], weight.shape[0], bias is not None)
            layer.weight = nn.Parameter(weight.clone().contiguous())
            if bias is not None:
                layer.bias = nn.Parameter(bias.clone())
            self.add_module(name, layer)


class Parallel(Linears):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.cat([layer(x) for layer in self.children()], -1)


class Interleaved(Linears):
    """Rows of two layers in turn, two at a time."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        (layer,) = self.children()
        return layer(x).view(-1, 2, 2, 2).transpose(1, 2).flatten(1)


def _weights(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(sum(shape)))


A, B, BIAS = _weights(4, 3), _weights(4, 3) * 2 + 1, torch.zeros(4)
X = _weights(5, 3)


def parallel() -> Model:
    return Parallel(a=(A, BIAS), b=(B, BIAS)), (X,)


def merged() -> Model:
    return Parallel(ab=(torch.cat((A, B)), torch.cat((BIAS, BIAS)))), (X,)


def merged_in_wrong_order() -> Model:
    return Parallel(ab=(torch.cat((B, A)), torch.cat((BIAS, BIAS)))), (X,)


def without_bias() -> Model:
    return Parallel(a=(A, None), b=(B, None)), (X,)


def interleaved() -> Model:
    return Interleaved(ab=(torch.stack((A.view(2, 2, 3), B.view(2, 2, 3)), 1).reshape(8, 3), None)), (X,)


def interleaved_by_one() -> Model:
    return Interleaved(ab=(torch.stack((A, B), 1).reshape(8, 3), None)), (X,)


def test_merged_biases_that_are_all_zero() -> None:
    report = decide(parallel, merged)
    assert report.verdict == "equivalent", report
    assert dict(report.models.parameters)["ab.bias"] == "concat(a.bias, b.bias, dim=0)"


def test_rows_in_another_order_are_another_model() -> None:
    assert decide(parallel, merged_in_wrong_order).verdict == "not-equivalent"


def test_zero_biases_are_not_no_biases() -> None:
    """A bias of the source is any bias, not the zeros that it happens to be."""
    assert decide(parallel, without_bias).verdict == "not-equivalent"


def test_interleaved_rows() -> None:
    assert decide(without_bias, interleaved).verdict == "equivalent"
    assert decide(without_bias, interleaved_by_one).verdict == "not-equivalent"


# Buffers


class Masked(nn.Module):
    """Attention under a mask that is a buffer, or torch's own mask."""

    mask: torch.Tensor

    def __init__(self, mask: torch.Tensor | None) -> None:
        super().__init__()
        self.causal = mask is None
        if mask is not None:
            self.register_buffer("mask", mask)

    def forward(self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        if self.causal:
            return F.scaled_dot_product_attention(q, k, v, is_causal=True)
        scores = q @ k.transpose(-1, -2) * 4**-0.5
        boolean = self.mask.dtype == torch.bool
        masked = torch.where(self.mask, scores, float("-inf")) if boolean else scores + self.mask
        return F.softmax(masked, -1) @ v


QKV = tuple(_weights(2, 5, 4) * k for k in (1, 2, 3))


def causal() -> Model:
    return Masked(None), QKV


def boolean_mask() -> Model:
    return Masked(torch.ones(5, 5, dtype=torch.bool).tril()), QKV


def infinite_mask() -> Model:
    return Masked(torch.full((5, 5), float("-inf")).triu(1)), QKV


def lowest_mask() -> Model:
    return Masked(torch.full((5, 5), torch.finfo(torch.float32).min).triu(1)), QKV


def mask_too_wide() -> Model:
    return Masked(torch.ones(5, 5, dtype=torch.bool).tril(1)), QKV


@pytest.mark.parametrize("target", [boolean_mask, infinite_mask, lowest_mask])
def test_masks_in_buffers(target: Callable[[], Model]) -> None:
    report = decide(causal, target)
    assert report.verdict == "equivalent", report
    assert "buffers-constant" in assumed(report)


def test_a_mask_that_admits_one_key_too_many() -> None:
    assert decide(causal, mask_too_wide).verdict == "not-equivalent"


class Scaled(nn.Module):
    """A product with a buffer that the other model may have, too."""

    by: torch.Tensor

    def __init__(self, by: torch.Tensor) -> None:
        super().__init__()
        self.register_buffer("by", by)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.by


def scaled() -> Model:
    return Scaled(torch.tensor([1.5, 2.5, 3.25])), (X,)


def scaled_and_rounded() -> Model:
    return Scaled(torch.tensor([1.5, 2.5, 3.25]) * (1 + 2.0**-22)), (X,)


def scaled_otherwise() -> Model:
    return Scaled(torch.tensor([1.5, 2.5, 3.2501])), (X,)


def test_a_buffer_may_differ_by_the_rounding_of_its_storage() -> None:
    report = decide(scaled, scaled_and_rounded)
    assert report.verdict == "equivalent", report
    assert "buffers-rounded" in assumed(report)


def test_a_buffer_that_differs_by_more() -> None:
    assert decide(scaled, scaled_otherwise).verdict == "not-equivalent"


# In-place ops, masks that are multiplied


class InPlace(nn.Module):
    def __init__(self, written: bool) -> None:
        super().__init__()
        self.written = written

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.written:
            y = torch.zeros_like(x)
            y[:, 1:].add_(x[:, 1:]).mul_(2.0)
            return y
        return torch.cat((torch.zeros(5, 1), x[:, 1:] * 2), 1)


def in_place() -> Model:
    return InPlace(True), (X,)


def functional() -> Model:
    return InPlace(False), (X,)


def test_ops_in_place() -> None:
    assert decide(in_place, functional).verdict == "equivalent"


class Multiplied(nn.Module):
    """A mask of zeros that is multiplied by the least finite number: that is no minus infinity."""

    def __init__(self, twice: bool) -> None:
        super().__init__()
        self.twice = twice

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        least = torch.full((), torch.finfo(torch.float32).min)
        return x + torch.zeros(3) * least if self.twice else x + 0


def multiplied() -> Model:
    return Multiplied(True), (X,)


def added() -> Model:
    return Multiplied(False), (X,)


def test_a_least_number_that_is_multiplied_by_zero() -> None:
    report = decide(multiplied, added)
    assert report.verdict in ("equivalent", "unknown"), report
    assert "mask-infinite" not in assumed(report)


class Clipped(nn.Module):
    """A clamp that acts on large activations alone."""

    def __init__(self, clipped: bool) -> None:
        super().__init__()
        self.weight, self.clipped = nn.Parameter(A.clone()), clipped

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = F.linear(x, self.weight)
        return y.clamp(-1.5, 1.5) if self.clipped else y


def clipped() -> Model:
    return Clipped(True), (X,)


def not_clipped() -> Model:
    return Clipped(False), (X,)


def test_a_difference_on_one_input_set_is_confirmed_on_another() -> None:
    report = decide(clipped, not_clipped)
    assert report.verdict == "not-equivalent", report


# Opaque ops


@torch.library.custom_op("hecv_test::kernel", mutates_args=())
def kernel(x: torch.Tensor, scale: float) -> torch.Tensor:
    return torch.sin(x * scale)


@kernel.register_fake
def _(x: torch.Tensor, scale: float) -> torch.Tensor:
    return torch.empty_like(x)


class Kernel(nn.Module):
    def __init__(self, merged: bool, scale: float = 2.0) -> None:
        super().__init__()
        self.weight, self.merged, self.scale = nn.Parameter(A.clone()), merged, scale

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = F.linear(x, self.weight) if self.merged else x @ self.weight.t()
        return torch.ops.hecv_test.kernel(y, self.scale)


def kernel_of_product() -> Model:
    return Kernel(False), (X,)


def kernel_of_linear() -> Model:
    return Kernel(True), (X,)


def kernel_of_other_scale() -> Model:
    return Kernel(True, 2.5), (X,)


def test_an_opaque_op_of_equal_operands() -> None:
    report = decide(kernel_of_product, kernel_of_linear)
    assert report.verdict == "equivalent", report
    assert dict(report.models.methods)["congruence"] == 1


def test_an_opaque_op_with_another_attribute() -> None:
    assert decide(kernel_of_product, kernel_of_other_scale).verdict == "not-equivalent"


# Values


def test_values_that_are_among_others() -> None:
    """Both ways of looking find the same."""
    random = torch.Generator().manual_seed(0)
    for case in range(60):
        values = torch.randint(0, 30, (5, 1 + case % 7), generator=random).double()
        elements = torch.randint(-5, 20, (1 + 5 * case,), generator=random).double()
        if case % 3 == 0:
            values[0, 0] = elements[0] = float("nan")
        if case % 5 == 0:
            values[1, 0] = float("inf")
        assert torch.equal(among(values, elements), torch.isin(values, elements))
    assert among(torch.zeros(0), torch.ones(3)).shape == (0,)


def test_a_number_that_is_no_array_is_a_leaf() -> None:
    number = Leaf("x", TensorType((), "f64"), "constant")
    graph = TensorGraph("f", (number,), (Node("aten.neg.default", (Ref("x"),), {}, ("y",), (number.type,)),), (), {})
    assert run_graph(graph, {"x": np.float64(2.0)}, frozenset(["y"]))["y"] == -2.0
