"""The names that a program gives to values of a graph."""

from __future__ import annotations

import pytest

from hecv.tensors.logged_tensors import with_logged
from hecv.tensors.tensor_graph import Leaf, Node, Ref, TensorGraph, TensorType

KIND = TensorType((2,), "f64")
GRAPH = TensorGraph(
    "program",
    (Leaf("x", KIND, "input"),),
    tuple(Node("aten.neg", (Ref(a),), {}, (b,), (KIND,)) for a, b in (("x", "v0"), ("v0", "v1"), ("v1", "v2"))),
    (("out", Ref("v2")),),
    {},
)


@pytest.mark.parametrize(
    ("logged", "results"),
    [
        ([("v0", "hidden"), ("v1", "hidden")], ["hidden", "hidden.1", "v2"]),
        ([("v0", "v1")], ["v1.1", "v1", "v2"]),
        ([("v0", "v0"), ("v1", "x")], ["v0", "x.1", "v2"]),
        ([("v0", "v1"), ("v1", "v0"), ("v0", "again")], ["v1.1", "v0.1", "v2"]),
        ([("x", "given"), ("v2", "made")], ["v0", "v1", "made"]),
    ],
)
def test_each_value_has_a_name_of_its_own(logged: list[tuple[str, str]], results: list[str]) -> None:
    found = with_logged(GRAPH, logged)
    assert [r for node in found.nodes for r in node.results] == results
    assert [node.operands for node in found.nodes] == [(Ref(n),) for n in ("x", *results[:2])]
    assert found.outputs == (("out", Ref(results[-1])),)
