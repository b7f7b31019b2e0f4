"""What layers repeat is decided once, proofs and failures; no call of an opaque op is taken for another."""

from __future__ import annotations

from pathlib import Path
from runpy import run_path
from time import perf_counter

import pytest
from tests.refine.rank_answers import run

from hecv.refine.inference import Inference
from hecv.refine.relation_file import RelationFile
from hecv.refinement import Settings, decide
from hecv.relate.graphs.cone_keys import ConeKeys
from hecv.relate.graphs.cones import Cones
from hecv.relate.graphs.graph_index import GraphIndex
from hecv.relate.graphs.opaque_ops import OpaqueOps
from hecv.tensors.comprehension import leaf
from hecv.tensors.definitions import Undefined
from hecv.tensors.tensor_graph import Leaf, Node, Ref, TensorGraph, TensorType

KIND = TensorType((4,), "f64")


def asked(monkeypatch: pytest.MonkeyPatch, layers: int) -> int:
    """How often two terms are compared for a model of so many layers on two ranks."""
    pytest.importorskip("torch")
    import torch.distributed as dist

    from hecv.torch.rank_capture import capture_rank, start_group

    model = run_path(str(Path(__file__).parents[2] / "benchmarks" / "refine.py"))["model"]
    sequential = capture_rank(*model(layers, 4), "sequential")
    ranks = []
    for rank in range(2):
        start_group(rank, 2)
        try:
            ranks.append(capture_rank(*model(layers, 4, rank, 2), "ranks"))
        finally:
            dist.destroy_process_group()
    calls, compare = [0], Inference._asked

    def counted(self, *call):
        calls[0] += 1
        return compare(self, *call)

    with monkeypatch.context() as patched:
        patched.setattr(Inference, "_asked", counted)
        found = decide(sequential, ranks, RelationFile(), Settings(), run=run)
    assert found.verdict == "refines"
    return calls[0]


def test_more_layers_need_no_more_comparisons(monkeypatch: pytest.MonkeyPatch) -> None:
    assert asked(monkeypatch, 3) == asked(monkeypatch, 5)


def cones(*inputs: str, opaque: OpaqueOps) -> Cones:
    """`f_x = mylib.f(x)` of each input x."""
    nodes = tuple(Node("mylib.f", (Ref(x),), {}, (f"f_{x}",), (KIND,)) for x in inputs)
    leaves = tuple(Leaf(x, KIND, "input") for x in inputs)
    graph = TensorGraph("f", leaves, nodes, tuple((x, Ref(f"f_{x}")) for x in inputs), {})
    return Cones(GraphIndex(graph), {x: leaf(x, KIND.shape) for x in inputs}, opaque)


def test_a_result_of_an_opaque_op_is_that_of_its_own_operands_alone() -> None:
    """`f(x) = f(x)` holds, `f(y) = f(z)` does not, though the first side is read as a leaf in both."""
    graph, keys = cones("x", "y", "z", opaque=OpaqueOps()), ConeKeys(lambda name: ())

    def key(first: str, second: str):
        made = keys.new()
        made.read(keys.pattern(graph.value(f"f_{first}", {})[0]))
        made.add(graph, f"f_{second}", {})
        return made.made(())

    assert key("x", "x") == key("y", "y") == key("z", "z")
    assert key("x", "x") != key("y", "z")
    assert key("x", "y") == key("z", "x")


def test_no_element_is_built_after_the_deadline() -> None:
    node = Node("aten.neg.default", (Ref("x"),), {}, ("y",), (KIND,))
    graph = TensorGraph("negated", (Leaf("x", KIND, "input"),), (node,), (("out", Ref("y")),), {})
    for deadline, ends in ((perf_counter() - 1, True), (perf_counter() + 100, False)):
        value, _ = Cones(GraphIndex(graph), {"x": leaf("x", (4,))}, None, deadline).value("y", {})
        if ends:
            with pytest.raises(Undefined, match="the time limit"):
                value.generic()
        else:
            value.generic()
