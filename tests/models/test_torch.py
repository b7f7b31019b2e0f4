"""Pairs of torch models, captured in this process: by relations, element by element, and bit by bit."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from hecv.base.diagnostics import InputError
from hecv.check import Options
from hecv.claim.result import FunctionReport
from hecv.claim.semantic_options import FloatMode, Switches
from hecv.lowered_models import compare_models
from hecv.models import compare_graphs
from hecv.parameters.captured_model import Captured, CapturedGraph, Failure
from hecv.torch.graph_capture import capture_graph
from hecv.torch.torch_capture import capture

from .test_relations import in_process
from .zoo import MODELS


@cache
def captured(name: str) -> Captured:
    found = capture(*MODELS[name]())
    assert isinstance(found, Captured), found
    return found


def decide(source: str, target: str, relation: str | None = None, floats: FloatMode = "real") -> FunctionReport:
    options = Options(switches=Switches(floats=floats), relation="equivalent")
    report = compare_models(
        (f"zoo.py:{source}", f"zoo.py:{target}"), (captured(source), captured(target)), relation, options
    )
    return report.report.functions[0]


SAME = (
    ("linear", "addmm"),
    ("separate", "merged"),
    ("merged", "separate"),
    ("mlp", "mlp_written_out"),
    ("conv", "conv_shifted"),
    ("layer_norm", "layer_norm_written_out"),
    ("softmax", "softmax_without_maximum"),
    ("attention", "attention_written_out"),
    ("narrow_head", "narrow_head_written_out"),
    ("grouped", "grouped_by_einsum"),
    ("gelu_tanh", "gelu_tanh_written_out"),
    ("normed", "normed_written_out"),
    ("running_attention", "masked_attention"),
    ("products", "products_written_out"),
    ("gated", "gated_by_cases"),
    ("losses", "losses_written_out"),
)
WRONG = (
    ("square", "square_not_transposed"),
    ("separate", "merged_in_wrong_order"),
    ("mlp", "mlp_relu"),
    ("conv", "conv_shifted_too_far"),
    ("layer_norm", "layer_norm_large_eps"),
    ("softmax", "softmax_other_axis"),
    ("attention", "attention_unscaled"),
    ("attention", "attention_sees_one_too_many"),
    ("grouped", "grouped_in_wrong_order"),
    ("running_attention", "unmasked_attention"),
    ("gated", "gated_by_wrong_cases"),
    ("losses", "losses_with_another_bound"),
    ("positive_parts", "parts_that_are_not_negative"),
    ("numbers_above_a_half", "numbers_from_a_half"),
)

EXACT = (
    ("linear", "addmm", "equivalent"),
    ("separate", "merged", "equivalent"),
    ("normed", "normed_written_out", "refines"),
    ("mlp", "mlp_written_out", "not-equivalent"),
    ("separate", "merged_in_wrong_order", "not-equivalent"),
)
"""Pairs whose floats are compared bit by bit."""


@cache
def as_graph(name: str) -> CapturedGraph:
    found = capture_graph(*MODELS[name](), name)
    assert isinstance(found, CapturedGraph), found
    return found


def decide_by_relations(source: str, target: str) -> FunctionReport:
    options = Options(switches=Switches(floats="real"), relation="equivalent")
    models = as_graph(source), as_graph(target)
    names = f"zoo.py:{source}", f"zoo.py:{target}"
    return compare_graphs(names, models, None, options, in_process).report.functions[0]


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("source", "target"), SAME)
def test_two_spellings_are_equivalent(source: str, target: str) -> None:
    report = decide_by_relations(source, target)
    assert (report.verdict, report.evidence) == ("equivalent", "proved"), report
    assert any(a.id == "floats-real" for a in report.assumptions)
    assert any(a.id == "capture-trusted" for a in report.assumptions)


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("source", "target"), WRONG)
def test_a_wrong_twin_is_refuted_with_values(source: str, target: str) -> None:
    report = decide_by_relations(source, target)
    assert report.verdict == "not-equivalent"
    found = report.counterexample
    assert found is not None
    assert (found.kind, found.engines) == ("value", ("torch",))
    assert {b.name for b in found.inputs} == {x.name for x in as_graph(source).graph.leaves if x.kind == "input"}


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("source", "target", "verdict"), EXACT)
def test_floats_bit_by_bit(source: str, target: str, verdict: str) -> None:
    report = decide(source, target, floats="strict")
    assert report.verdict == verdict
    if verdict == "not-equivalent":
        assert report.counterexample is not None
        assert report.counterexample.engines == ("interpreter", "jit")


def test_relations_that_are_found_are_told() -> None:
    def told(source: str, target: str) -> list[str]:
        return [a.text for a in decide(source, target).assumptions if a.id == "inputs-related"]

    assert told("linear", "addmm") == [
        "parameters are related: `u = transpose(w, 0, 1)`",
        "parameters are related: `c = b`",
    ]
    assert told("separate", "merged") == ["parameters are related: `qkv = concat(q, k, v, dim=0)`"]
    assert told("merged", "separate")[1] == "parameters are related: `k = slice(qkv, 0, 3, 6)`"
    assert told("mlp", "mlp_written_out") == ["parameters of one name are equal: up, b, down"]


def test_buffers_are_arguments_and_masks_are_not() -> None:
    names = {t.name: t.kind for t in captured("normed").arguments}
    assert names["norm.running_mean"] == names["shift"] == "buffer"
    assert "kept" not in names


def _relation(folder: Path, text: str) -> str:
    file = folder / "r.toml"
    file.write_text(f"[parameters]\n{text}\n", encoding="utf-8")
    return str(file)


@pytest.mark.one_in(4)
def test_a_relation_that_is_given(tmp_path: Path) -> None:
    right = _relation(tmp_path, 'qkv = "concat(q, concat(k, v), dim=0)"')
    assert decide("separate", "merged", right).verdict == "equivalent"
    wrong = _relation(tmp_path, 'qkv = "concat(k, q, v)"')
    assert decide("separate", "merged", wrong).verdict == "not-equivalent"
    assert decide("separate", "merged_in_wrong_order", wrong).verdict == "equivalent"
    parts = 'q = "split(qkv, 0, 3, 0)"\nk = "transpose(transpose(slice(qkv, 0, 3, 6)), 0, 1)"'
    assert decide("merged", "separate", _relation(tmp_path, parts)).verdict == "equivalent"
    reshaped = _relation(tmp_path, 'qkv = "reshape(concat(reshape(q, 9), reshape(k, 9), reshape(v, 9)), 9, 3)"')
    assert decide("separate", "merged", reshaped).verdict == "equivalent"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('qkv = "concat(q, k)"', "has shape [9, 3], concat(q, k, dim=0) has [6, 3]"),
        ('qkv = "concat(q, k, z)"', "the source has no parameter `z`"),
        ('qkv = "concat(q, k"', "the expression ends too early"),
        ('qkv = "roll(q)"', "`roll` with these operands is none of"),
        ('qkv = "slice(q, 0, 1, 9)"', "1 to 9 along 0 is beyond q of shape [3, 3]"),
        ('z = "q"', "the target has no parameter `z`"),
        ("qkv = 3", "is given 3, expected an expression in quotes"),
        ("qkv = ", "Invalid value"),
    ],
)
def test_relations_that_are_wrong(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        decide("separate", "merged", _relation(tmp_path, text))
    assert message in caught.value.diagnostics[0].message


def test_a_parameter_without_a_counterpart() -> None:
    report = decide("softmax", "square")
    assert report.verdict == "unknown"
    assert report.unknown is not None and report.unknown.text.endswith(": w")
    assert "--inputs R.toml" in report.help[0]


def test_inputs_that_differ() -> None:
    with pytest.raises(InputError) as caught:
        decide("softmax", "conv")
    assert caught.value.diagnostics[0].name == "signature-mismatch"


@pytest.mark.parametrize(("name", "op"), [("sorts", "tm_tensor.sort"), ("transforms", "torch.aten.fft_fft")])
def test_ops_that_do_not_lower_are_named(name: str, op: str) -> None:
    found = capture(*MODELS[name]())
    assert isinstance(found, Failure)
    assert found.unsupported
    assert op in found.text


def test_a_lowering_that_departs_from_torch_is_not_believed() -> None:
    from msgspec.structs import replace

    right = captured("softmax")
    doubled = replace(right.results[0], values=tuple(2 * v for v in right.results[0].values))
    wrong = replace(right, results=(doubled,))
    options = Options(switches=Switches(floats="real"))
    report = compare_models(("zoo.py:a", "zoo.py:b"), (right, wrong), None, options).report.functions[0]
    assert report.verdict == "unknown"
    assert report.unknown is not None and "the lowered program computes" in report.unknown.text
