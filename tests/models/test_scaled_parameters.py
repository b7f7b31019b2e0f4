"""Parameters are held once, as the model has them: what is made of them is read as f64, times a factor."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from hecv.capture.value_process import Request, run_graphs
from hecv.parameters.captured_model import CapturedGraph
from hecv.relate.graphs.graph_index import GraphIndex
from hecv.relate.state.leaf_relation import relate_leaves
from hecv.tensors.graph_files import open_archive, read_archive, write_archive
from hecv.tensors.tensor_graph import Scaled
from hecv.torch.graph_capture import capture_graph
from hecv.torch.graph_runner import run_graph


class Merged(nn.Module):
    def __init__(self, kind: torch.dtype = torch.float32) -> None:
        super().__init__()
        self.w = nn.Parameter(torch.randn(6, 4, generator=torch.Generator().manual_seed(2)).to(kind))

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return x @ self.w.to(x.dtype).t(), self.w


class Separate(nn.Module):
    def __init__(self, merged: Merged) -> None:
        super().__init__()
        self.a, self.b = (nn.Parameter(t.clone()) for t in merged.w.detach().split(3))

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        w = torch.cat((self.a, self.b))
        return x @ w.t(), w


def captured(model: nn.Module) -> CapturedGraph:
    found = capture_graph(model, (torch.ones(2, 4),), "model")
    assert isinstance(found, CapturedGraph), found
    return found


@pytest.mark.parametrize("kind", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_parameters_are_held_as_they_are(kind: torch.dtype) -> None:
    model = Merged(kind)
    array = captured(model).graph.arrays["w"]
    assert array.dtype == (np.float64 if kind == torch.float64 else np.float32)
    assert np.array_equal(array, model.w.detach().double().numpy())


def test_what_is_made_of_parameters_is_no_copy() -> None:
    merged = Merged()
    graphs = captured(Separate(merged)).graph, captured(merged).graph
    found = relate_leaves(*map(GraphIndex, graphs), {})
    assert found.target_arrays["w"] is graphs[1].arrays["w"]
    turned = relate_leaves(*map(GraphIndex, reversed(graphs)), {})
    assert all(turned.target_arrays[n] is graphs[0].arrays[n] for n in ("a", "b"))


def test_a_factor_is_applied_in_f64() -> None:
    graph = captured(Merged()).graph
    x, scaled = np.ones((2, 4)), Scaled(graph.arrays["w"], 0.1)
    names = [ref.name for _, ref in graph.outputs]
    expected = graph.arrays["w"].astype(np.float64) * 0.1
    inputs = {"input": x} | {leaf.name: x for leaf in graph.leaves if leaf.kind == "input"}
    here = run_graph(graph, {**inputs, "w": scaled}, frozenset(names))
    ((child,),) = run_graphs(
        [Request(graph, {"w": graph.arrays["w"]}, [{**inputs, "w": scaled}], names)], (), 120, 8192
    )
    for values in (here, child):
        assert all(values[name].dtype == np.float64 for name in names)
        assert np.array_equal(values[names[1]], expected)
        assert np.allclose(values[names[0]], x @ expected.T, rtol=1e-14)


def test_an_array_is_written_once(tmp_path: Path) -> None:
    array, path = np.arange(1000.0, dtype=np.float32), tmp_path / "arrays.npz"
    write_archive(path, {"n": 1}, {"a": array, "b": Scaled(array, 0.25), "c": array})
    assert path.stat().st_size < 2 * array.nbytes
    plain, arrays = read_archive(path)
    assert plain == {"n": 1} and list(arrays) == ["a", "b", "c"]
    assert np.array_equal(arrays["c"], array) and arrays["b"].factor == 0.25
    with open_archive(path) as (_, lazily):
        assert len(lazily) == 3 and np.array_equal(lazily["b"].array, array)
