"""Programs of Megatron-core, transformers and DTensor against their sequential forms, as processes of the command line.
`make test-models` installs the packages and runs these."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

MISSING = [name for name in ("megatron", "transformers", "accelerate") if find_spec(name) is None]
pytestmark = [
    pytest.mark.skipif(bool(MISSING), reason=f"{', '.join(MISSING)} not installed: make test-models"),
    pytest.mark.one_in(1),
]

EXAMPLES = Path(__file__).parents[2] / "examples" / "refine"


def refined(file: str, sequential: str, distributed: str, ranks: str = "2", relation: Path | None = None) -> Any:
    """The report of one process."""
    source = EXAMPLES / f"{file}.py"
    command = [sys.executable, "-m", "hecv", "refine", f"{source}:{sequential}", f"{source}:{distributed}"]
    command += ["--ranks", ranks, "--format=json", "--time-limit=600"]
    if relation is not None:
        command += ["--inputs", str(relation)]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ}, timeout=2400)
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


REFINES = [
    ("megatron_gpt", "gpt", "gpt_ranks", "2,4"),
    ("megatron_gpt", "gpt", "gpt_sequence_ranks", "2"),
    ("megatron_gpt", "gpt_gradients", "gpt_gradients_ranks", "2"),
    ("megatron_gpt", "gpt_gradients", "gpt_sequence_gradients_ranks", "2"),
    ("megatron_gpt", "gpt_loss", "gpt_loss_ranks", "2,4"),
    ("megatron_gpt", "llama", "llama_ranks", "2"),
    ("megatron_gpt", "llama_gradients", "llama_gradients_ranks", "2"),
    ("megatron_gpt", "llama_training", "llama_training_ranks", "2"),
    ("transformers_tp", "llama", "llama_ranks", "2,4"),
    ("transformers_tp", "llama", "llama_inference_ranks", "2"),
    ("dtensor_block", "sequential", "tensor_parallel", "2,4"),
    ("dtensor_block", "sequential", "sequence_parallel", "2"),
    ("dtensor_block", "sequential", "sharded", "2"),
]


@pytest.mark.parametrize(("file", "sequential", "distributed", "ranks"), REFINES)
def test_refines(file: str, sequential: str, distributed: str, ranks: str) -> None:
    report = refined(file, sequential, distributed, ranks)
    assert report["verdict"] == "refines", report.get("reason") or report


LOCATED = [
    ("megatron_gpt", "gpt", "bug_no_reduction", "fused_bias_dropout.py", "x = x + bias"),
    ("megatron_gpt", "gpt", "bug_reduced_twice", "fused_bias_dropout.py", "x = x + bias"),
    ("megatron_gpt", "gpt", "bug_scattered_dimension", "transformer_layer.py", "self.input_layernorm("),
    ("megatron_gpt", "gpt_loss", "bug_vocabulary_mask", "cross_entropy.py", "predicted_logits_1d = logits_2d["),
    ("megatron_gpt", "gpt_loss", "bug_own_maximum", "cross_entropy.py", "logits_max = torch.max("),
    ("megatron_gpt", "llama_gradients", "bug_no_input_gradient", "megatron_gpt.py", "torch.autograd.grad("),
    ("transformers_tp", "llama", "bug_no_reduction", "modeling_llama.py", "residual + hidden_states"),
    ("transformers_tp", "llama", "bug_reversed_columns", "modeling_llama.py", "self.k_proj(hidden_states)"),
    ("dtensor_block", "sequential", "bug_mean_of_part", "dtensor_block.py", "loss = "),
    ("dtensor_block", "sequential", "bug_summed", "dtensor_block.py", "loss = "),
]


@pytest.mark.parametrize(("file", "sequential", "distributed", "where", "text"), LOCATED)
def test_a_mistake_is_located(file: str, sequential: str, distributed: str, where: str, text: str) -> None:
    report = refined(file, sequential, distributed)
    assert report["verdict"] == "unknown"
    place = report["blocked"]["location"]
    assert Path(place["file"]).name == where, place
    assert text in place["text"], place


def test_a_gradient_that_is_not_reduced_is_refuted(tmp_path: Path) -> None:
    """Without an expected relation it is a sum over the ranks, which is clean."""
    name = "grad.decoder.layers.0.input_layernorm.weight"
    relation = tmp_path / "relation.toml"
    relation.write_text(f'[outputs]\n"{name}" = "replicate({name})"\n', encoding="utf-8")
    report = refined("megatron_gpt", "gpt_gradients", "bug_no_norm_gradient", "2", relation)
    assert report["verdict"] == "not-equivalent"
    assert report["counterexample"]["output"] == name
