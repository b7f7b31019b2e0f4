"""Llama of transformers under its own tensor-parallel plan against the same model on one rank:

    hecv refine transformers_tp.py:llama transformers_tp.py:llama_ranks --ranks 2,4

`*_inference` runs without gradients, where transformers calls other collectives. Programs called `bug_*` have one
function of transformers, or one shard, replaced.

Install: pip install torch==2.13.0 transformers==5.24.0 safetensors==0.8.0 accelerate==1.15.0
"""

import os
import tempfile
from typing import Any

import torch
import torch.distributed as dist
import transformers
import transformers.masking_utils
from torch import nn
from transformers.distributed import DistributedConfig, tensor_parallel

transformers.utils.logging.set_verbosity_error()
transformers.utils.logging.disable_progress_bar()
transformers.masking_utils.is_tracing = lambda tensor=None: True  # it would read a value of what is traced

CONFIG = transformers.LlamaConfig(
    vocab_size=64,
    hidden_size=32,
    intermediate_size=64,
    num_hidden_layers=2,
    num_attention_heads=8,
    num_key_value_heads=4,
    max_position_embeddings=32,
    use_cache=False,
)


def whole() -> nn.Module:
    """The model on one rank, with random weights."""
    model = transformers.AutoModelForCausalLM.from_config(CONFIG, attn_implementation="eager").eval()
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for name, p in model.named_parameters():
            p.normal_(1 if "norm" in name else 0, 0.3, generator=generator)
    return model


class Logits(nn.Module):
    """The logits of a model, by itself or with gradients off."""

    def __init__(self, model: nn.Module, gradients: bool = True) -> None:
        super().__init__()
        self.model, self.gradients = model, gradients

    def forward(self, ids: torch.Tensor) -> Any:
        with torch.set_grad_enabled(self.gradients):
            return self.model(ids).logits


def ids() -> tuple[torch.Tensor]:
    return (torch.randint(64, (1, 8), generator=torch.Generator().manual_seed(1)),)


def of_rank(rank: int, size: int) -> nn.Module:
    """The model of one rank, loaded from a checkpoint as transformers does it."""
    os.environ.update(RANK=str(rank), WORLD_SIZE=str(size), LOCAL_RANK=str(rank))
    os.environ.update(MASTER_ADDR="localhost", MASTER_PORT="29500")
    with tempfile.TemporaryDirectory() as folder:
        main, dist.get_rank = dist.get_rank, lambda group=None: 0  # only rank 0 writes a checkpoint
        whole().save_pretrained(folder)
        dist.get_rank = main
        config = DistributedConfig(tp_size=size)
        return transformers.AutoModelForCausalLM.from_pretrained(
            folder, distributed_config=config, attn_implementation="eager"
        ).eval()


def llama():
    return Logits(whole()), ids()


def llama_ranks(rank: int, size: int):
    return Logits(of_rank(rank, size)), ids()


def llama_inference_ranks(rank: int, size: int):
    return Logits(of_rank(rank, size), gradients=False), ids()


def bug_no_reduction(rank: int, size: int):
    """Row-parallel layers take the partial sum of a rank for the whole."""
    tensor_parallel.RowwiseParallel.transform_output_post_forward = lambda self, module, output, mesh: output.to_local()
    return Logits(of_rank(rank, size)), ids()


def bug_reversed_columns(rank: int, size: int):
    """A rank loads another one's shard of the keys."""
    found = of_rank(rank, size)
    weights = whole().model.layers[0].self_attn.k_proj.weight
    with torch.no_grad():
        found.model.layers[0].self_attn.k_proj.weight.to_local().copy_(weights.chunk(size)[size - 1 - rank])
    return Logits(found), ids()
