"""Blocks of GPT, Llama and Qwen2 under tensor, sequence, vocabulary, expert, context, data and pipeline parallelism and
their combinations refine their sequential form; each has a twin with one mistake, whose op is named."""

from __future__ import annotations

import pytest
from tests.refine.rank_answers import answer

pytest.importorskip("torch")

TOKENS = ", ".join(f"slice(x@{r}, 0, {k}, {k + 1})" for k in range(4) for r in range(2))
EXCHANGED = f'[inputs]\nx = "concat({TOKENS}, dim=0)"\n'
NORMS = '[outputs]\nn1 = "replicate(n1)"\nn2 = "replicate(n2)"\n'

REFINES = [
    ("gpt", "gpt_tp", 2, "", {"out": "replicate(out)"}),
    ("gpt", "gpt_sp", 2, "", {"out": "concat(out, dim=0)"}),
    ("llama", "llama_tp", 2, "", {"out": "replicate(out)"}),
    ("llama", "llama_sp", 2, "", {"out": "concat(out, dim=0)"}),
    ("qwen", "qwen_tp", 2, "", {"out": "replicate(out)"}),
    ("qwen", "qwen_sp", 2, "", {"out": "concat(out, dim=0)"}),
    ("gpt", "gpt_tp", 4, "", {"out": "replicate(out)"}),
    ("llama_backward", "llama_backward_tp", 2, NORMS, {"x": "replicate(x)", "q": "concat(q, dim=0)"}),
    ("llama_backward", "llama_backward_sp", 2, NORMS, {"x": "concat(x, dim=0)", "down": "concat(down, dim=1)"}),
    ("vocabulary_loss", "vocabulary_loss_vp", 2, "", {"out": "replicate(out)"}),
    ("attention", "attention_ring", 2, "", {"out": "concat(out, dim=0)"}),
    ("experts", "experts_ep", 2, EXCHANGED, {}),
    (
        "mean_gradients",
        "mean_gradients_tp_dp",
        4,
        "",
        {"gate": "concat(replicate(gate, ranks=[0, 2]), replicate(gate, ranks=[1, 3]), dim=0)"},
    ),
    ("two_blocks", "two_blocks_tp_pp", 4, "", {"out": "replicate(out, ranks=[2, 3])"}),
]

FOUND = [
    ("gpt", "wrong_gpt_bias_before_sum", 2, "", "aten.add.Tensor"),
    ("llama", "wrong_llama_heads", 2, "", "aten.t.default"),
    ("llama", "wrong_llama_sp_order", 2, "", "aten.add.Tensor"),
    ("qwen", "wrong_qwen_bias_of_first_rank", 2, "", "aten.addmm.default"),
    ("llama_backward", "wrong_llama_backward_tp", 2, "", "aten.add.Tensor"),
    ("llama_backward", "wrong_llama_backward_sp", 2, NORMS, "aten.view.default"),
    ("vocabulary_loss", "wrong_vocabulary_offset", 2, "", "aten._log_softmax.default"),
    ("attention", "wrong_ring_scale", 2, "", "aten.mm.default"),
    ("experts", "wrong_experts_weights", 2, EXCHANGED, "aten.slice.Tensor"),
    ("mean_gradients", "wrong_gradients_summed", 4, "", "aten.mean.default"),
    ("two_blocks", "wrong_micro_batches_swapped", 4, "", "aten.mm.default"),
]


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("sequential", "distributed", "ranks", "relation", "outputs"), REFINES)
def test_a_block_refines(sequential: str, distributed: str, ranks: int, relation: str, outputs: dict[str, str]) -> None:
    found = answer("blocks", sequential, distributed, ranks, relation)
    assert found.verdict == "refines", found
    assert outputs.items() <= dict(found.outputs).items()


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("sequential", "distributed", "ranks", "relation", "op"), FOUND)
def test_a_mistake_is_found_and_its_op_named(
    sequential: str, distributed: str, ranks: int, relation: str, op: str
) -> None:
    found = answer("blocks", sequential, distributed, ranks, relation)
    assert found.verdict == ("not-equivalent" if "outputs" in relation else "unknown")
    assert found.blocked is not None and found.blocked.op == op
    assert found.blocked.place is not None and found.blocked.place.file.endswith("blocks.py")


def test_layers_that_repeat_are_proved_once() -> None:
    assert answer("blocks", "stack", "stack_tp", 4).verdict == "refines"


@pytest.mark.parametrize("what", ["factor", "power", "op", "order", "reduce", "shard"])
def test_a_last_layer_that_differs_is_found(what: str) -> None:
    found = answer("blocks", "stack", f"wrong_stack_{what}", 4)
    assert found.verdict == "unknown"
    assert found.blocked is not None


def test_a_last_layer_that_only_coincides_is_not_proved_by_the_first() -> None:
    assert answer("blocks", "scaled", "scaled_again").verdict == "refines"
    assert answer("blocks", "scaled", "wrong_scaled_swapped").verdict == "unknown"
