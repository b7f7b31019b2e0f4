"""What a trace of a rank sees beside ops: values that leave torch, memory that tensors share, and errors of a rank."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")


def captured(call: Callable[..., Any], *arguments: Any) -> Any:
    from hecv.torch.rank_capture import capture_rank

    return capture_rank(call, arguments, "call")


def swallowed(x: Any) -> Any:
    try:
        return x * 2 if x.sum() > 0 else x
    except RuntimeError:
        return x * 3


@pytest.mark.parametrize(
    "call",
    [
        lambda x: torch.from_numpy(x.numpy()) * 2,
        lambda x: torch.tensor(np.asarray(x)) * 2,
        lambda x: x * x.tolist()[0],
        lambda x: torch.from_dlpack(x * 1) * 2,
        lambda x: torch.from_dlpack(torch.utils.dlpack.to_dlpack(x * 1)) * 2,
        lambda x: torch.FloatTensor([x[0], 2.0]) * x.sum(),
        lambda x: x * x[1].item(),
        lambda x: x if torch.equal(x, x + 1) else x * 2,
        lambda x: x[x > 1].sum(),
        lambda x: x.nonzero() * 2,
        lambda x: x * torch.tensor([x.sum(), 2.0]).sum(),
        lambda x: x * torch.as_tensor((x.mean(), x.detach()[1])).sum(),
        lambda x: x * x.new_tensor([[x[0]], [x[1]]]).sum(),
        lambda x: x * torch.Tensor([x[0], x[1]]).sum(),
        swallowed,
    ],
)
def test_values_of_arguments_end_a_trace(call: Callable[..., Any]) -> None:
    with pytest.raises(RuntimeError):
        captured(call, torch.arange(3.0))


def test_values_of_constants_are_read() -> None:
    def call(x: Any) -> Any:
        chosen = torch.arange(3)[torch.tensor([True, False, True])]
        two = torch.FloatTensor([torch.tensor(2.0), 1.0]).type(torch.FloatTensor)[0].item()
        assert isinstance(x, torch.FloatTensor)
        return x * two + float(chosen.numpy()[1]) + torch.arange(4).tolist()[3]

    graph = captured(call, torch.arange(3.0))
    assert [n.op for n in graph.nodes][-1] == "aten.add.Tensor"
    assert [n.operands[1] for n in graph.nodes if n.op in ("aten.mul.Tensor", "aten.add.Tensor")] == [2.0, 2.0, 3]


def test_a_constant_that_an_argument_was_written_to_is_none() -> None:
    def call(x: Any) -> Any:
        one = torch.tensor(1.0)
        view = one.view(1)
        one.add_(x.sum())
        return x * view.item()

    with pytest.raises(RuntimeError):
        captured(call, torch.arange(3.0))


def test_memory_that_numpy_has_is_not_written_with_an_argument() -> None:
    from hecv.torch.graph_capture import Unsupported

    def call(x: Any) -> Any:
        zeros = torch.zeros(3)
        array = zeros[1:].numpy()
        zeros.copy_(x)
        return x * float(array[0])

    with pytest.raises(Unsupported, match="NumPy has the memory"):
        captured(call, torch.arange(3.0))


def test_a_list_of_constants_becomes_a_tensor() -> None:
    graph = captured(lambda x: x * torch.tensor([torch.tensor(2.0), 3.0, 4.0]), torch.arange(3.0))
    assert [n.op for n in graph.nodes][-1] == "aten.mul.Tensor"


def test_a_parameter_of_a_computed_tensor_is_an_alias() -> None:
    def call(x: Any) -> Any:
        y = x * 2
        p = torch.nn.Parameter(y)
        y.add_(x)
        return p.detach() * 3

    graph = captured(call, torch.arange(3.0))
    assert not [leaf for leaf in graph.leaves if leaf.kind == "constant"]
    assert graph.nodes[0].op == "aten.mul.Tensor" and "aten.add.Tensor" in [n.op for n in graph.nodes]


def test_a_write_to_memory_of_two_arguments_is_unsupported() -> None:
    from hecv.torch.graph_capture import Unsupported

    whole = torch.zeros(4)
    with pytest.raises(Unsupported, match="has a part of its memory"):
        captured(lambda a, b: a.add_(1) + b[0], whole[:3], whole[2:])
    assert captured(lambda a, b: a.add_(1) + b[0], whole[:2], whole[2:]).outputs


def test_strides_from_another_offset_are_unsupported() -> None:
    from hecv.torch.graph_capture import Unsupported

    with pytest.raises(Unsupported, match="as_strided"):
        captured(lambda x: (x * 1)[2:].as_strided((2,), (1,), 0), torch.arange(4.0))
    assert captured(lambda x: (x * 1)[2:].as_strided((2, 1), (1, 1), 2), torch.arange(4.0)).outputs


def test_a_number_of_ranks_that_fails_leaves_the_answers_for_others(
    tmp_path: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    from hecv.cli.main import main

    file = tmp_path / "programs.py"
    file.write_text(
        "import os, torch\n"
        "def whole():\n    return (lambda x: x * 2), (torch.ones(4),)\n"
        "def ranks(rank, size):\n"
        "    def call(x):\n"
        "        if size == 3 and rank == 1:\n            raise ValueError('bad shard')\n"
        "        if size == 4 and rank == 2:\n            os._exit(3)\n"
        "        return x * 2\n"
        "    return call, (torch.ones(4),)\n"
    )
    assert main(["refine", f"{file}:whole", f"{file}:ranks", "--ranks", "1,3,4"]) == 2
    said = " ".join("".join(capfd.readouterr()).split())
    assert "refines: ranks on 1 rank" in said
    assert "on 3 ranks: rank 1: ValueError: bad shard" in said and "programs.py:7" in said.replace(" ", "")
    assert "on 4 ranks: rank 2: the process that ran it ended with status 3" in said
