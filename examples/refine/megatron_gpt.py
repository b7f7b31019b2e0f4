"""GPTModel of Megatron-core under tensor and sequence parallelism against the same model on one rank:

    hecv refine megatron_gpt.py:gpt megatron_gpt.py:gpt_ranks --ranks 2,4

`gpt` has LayerNorm, GELU and biases; `llama` RMSNorm, SwiGLU, rotary positions and two groups of heads for keys and
values. `*_loss` ends in Megatron's vocabulary-parallel cross entropy; `*_training` returns the gradients of all
parameters as well, `*_sequence*` shards activations by the sequence and finalizes gradients as Megatron does. Programs
called `bug_*` have one function of Megatron replaced.

Install: pip install torch==2.13.0 megatron-core==0.16.1
"""

import contextlib
import warnings
from importlib import import_module
from typing import Any
from unittest import mock

import torch
import torch.distributed as dist
from torch import nn

warnings.filterwarnings("ignore")
_new_group = dist.new_group
dist.new_group = lambda *args, **given: _new_group(*args, **{**given, "backend": dist.get_backend()})
torch.cuda.current_device = lambda: "cpu"

import megatron.core.transformer.transformer_block as transformer_block  # noqa: E402
from megatron.core import parallel_state  # noqa: E402
from megatron.core.distributed import DistributedDataParallelConfig  # noqa: E402
from megatron.core.models.gpt.gpt_layer_specs import get_gpt_layer_local_spec  # noqa: E402
from megatron.core.models.gpt.gpt_model import GPTModel  # noqa: E402
from megatron.core.tensor_parallel import cross_entropy, layers, mappings, random  # noqa: E402
from megatron.core.tensor_parallel.utils import VocabUtility  # noqa: E402
from megatron.core.transformer.transformer_config import TransformerConfig  # noqa: E402

finalization = import_module("megatron.core.distributed.finalize_model_grads")
random.CudaRNGStatesTracker.fork = lambda self, name=None: contextlib.nullcontext()

LAYERS, WIDTH, HEADS, GROUPS, INNER, VOCABULARY, TOKENS = 2, 32, 4, 2, 64, 64, 8


class SequenceNorm:
    """Megatron's wrapper of torch's norms refuses sequence parallelism; this is the norm with its parameters marked."""

    def __new__(cls, config: TransformerConfig, hidden_size: int, eps: float = 1e-5, **_: Any) -> nn.Module:
        norm = (nn.RMSNorm if config.normalization == "RMSNorm" else nn.LayerNorm)(hidden_size, eps=eps)
        for parameter in norm.parameters():
            parameter.sequence_parallel = config.sequence_parallel
        return norm


transformer_block.LayerNormImpl = SequenceNorm


def made(size: int, llama: bool, sequence: bool) -> GPTModel:
    """The model of one rank, with weights that are not set yet."""
    config = TransformerConfig(
        num_layers=LAYERS,
        hidden_size=WIDTH,
        num_attention_heads=HEADS,
        num_query_groups=GROUPS if llama else HEADS,
        ffn_hidden_size=INNER,
        normalization="RMSNorm" if llama else "LayerNorm",
        gated_linear_unit=llama,
        add_bias_linear=not llama,
        activation_func=nn.functional.silu if llama else nn.functional.gelu,
        tensor_model_parallel_size=size,
        sequence_parallel=sequence,
        use_cpu_initialization=True,
        attention_dropout=0.0,
        hidden_dropout=0.0,
        masked_softmax_fusion=False,
        bias_activation_fusion=False,
        bias_dropout_fusion=False,
        gradient_accumulation_fusion=False,
    )
    spec = get_gpt_layer_local_spec(normalization=config.normalization)
    spec.submodules.input_layernorm = spec.submodules.pre_mlp_layernorm = SequenceNorm
    return GPTModel(
        config,
        spec,
        VOCABULARY,
        2 * TOKENS,
        position_embedding_type="rope",
        rotary_base=10000,
        parallel_output=True,
        share_embeddings_and_output_weights=False,
    ).eval()


def split(name: str) -> int | None:
    """The dimension by which a parameter is sharded; None if every rank has it."""
    if any(part in name for part in ("word_embeddings", "output_layer", "linear_qkv", "linear_fc1")):
        return 0
    return 1 if name.endswith(("linear_proj.weight", "linear_fc2.weight")) else None


def shard(name: str, whole: torch.Tensor, rank: int, size: int, llama: bool) -> torch.Tensor:
    """What a rank has of a parameter."""
    dim = split(name)
    if dim is None:
        return whole
    halves = whole.chunk(2) if llama and "linear_fc1" in name else (whole,)  # gate, then up
    return torch.cat([half.chunk(size, dim)[rank] for half in halves])


class Program(nn.Module):
    """The model of one rank with its shards of random weights; its results are logits or losses, and gradients."""

    def __init__(self, rank: int, size: int, llama: bool, sequence: bool, gradients: bool) -> None:
        super().__init__()
        parallel_state.initialize_model_parallel(tensor_model_parallel_size=size, create_gloo_process_groups=False)
        self.model = made(size, llama, sequence)
        self.model.ddp_config = DistributedDataParallelConfig()
        self.gradients = gradients
        self.marked = {n for n, p in self.model.named_parameters() if getattr(p, "sequence_parallel", False)}
        generator = torch.Generator().manual_seed(0)
        with torch.no_grad():
            for name, parameter in self.model.named_parameters():
                shape = [n * size if dim == split(name) else n for dim, n in enumerate(parameter.shape)]
                whole = torch.randn(shape, generator=generator) * 0.3 + (1.0 if "norm.weight" in name else 0.0)
                parameter.copy_(shard(name, whole, rank, size, llama))

    def forward(self, ids: torch.Tensor, labels: torch.Tensor | None = None) -> Any:
        position = torch.arange(TOKENS)[None]
        mask = torch.ones(1, 1, TOKENS, TOKENS).triu(1).bool()
        result = self.model(ids, position, mask, labels=labels)
        if not self.gradients:
            return result
        parameters = dict(self.model.named_parameters())
        found = torch.autograd.grad(result.sum(), list(parameters.values()))
        for (name, parameter), gradient in zip(parameters.items(), found, strict=True):
            parameter.main_grad, parameter.sequence_parallel = gradient, name in self.marked
        finalization._allreduce_non_tensor_model_parallel_grads([self.model], self.model.config)
        return {"out": result.detach(), "grad": {name: p.main_grad for name, p in parameters.items()}}


def program(rank: int, size: int, *kinds: str) -> tuple[nn.Module, tuple[torch.Tensor, ...]]:
    """The program of a rank and its example arguments."""
    torch.manual_seed(1)
    ids, labels = torch.randint(VOCABULARY, (1, TOKENS)), torch.randint(VOCABULARY, (1, TOKENS))
    found = Program(rank, size, "llama" in kinds, "sequence" in kinds, "gradients" in kinds)
    return found, (ids, labels) if "loss" in kinds else (ids,)


def gpt():
    return program(0, 1)


def gpt_ranks(rank: int, size: int):
    return program(rank, size)


def gpt_sequence_ranks(rank: int, size: int):
    return program(rank, size, "sequence")


def gpt_gradients():
    return program(0, 1, "gradients")


def gpt_gradients_ranks(rank: int, size: int):
    return program(rank, size, "gradients")


def gpt_sequence_gradients_ranks(rank: int, size: int):
    return program(rank, size, "gradients", "sequence")


def gpt_loss():
    return program(0, 1, "loss")


def gpt_loss_ranks(rank: int, size: int):
    return program(rank, size, "loss")


def llama():
    return program(0, 1, "llama")


def llama_ranks(rank: int, size: int):
    return program(rank, size, "llama")


def llama_gradients():
    return program(0, 1, "llama", "gradients")


def llama_gradients_ranks(rank: int, size: int):
    return program(rank, size, "llama", "gradients")


def llama_training():
    return program(0, 1, "llama", "gradients", "loss")


def llama_training_ranks(rank: int, size: int):
    return program(rank, size, "llama", "gradients", "loss", "sequence")


def replaced_in_rows(reduce: Any) -> None:
    """Replaces what row-parallel layers do with their partial sums."""
    forward = layers.RowParallelLinear.forward

    def run(self: Any, x: torch.Tensor) -> Any:
        with mock.patch.object(layers, "reduce_from_tensor_model_parallel_region", reduce):
            return forward(self, x)

    layers.RowParallelLinear.forward = run


def bug_no_reduction(rank: int, size: int):
    """Row-parallel layers do not add up their partial sums."""
    replaced_in_rows(lambda x, group=None: x)
    return program(rank, size)


def bug_reduced_twice(rank: int, size: int):
    """Row-parallel layers add up what is a sum already."""
    reduce = layers.reduce_from_tensor_model_parallel_region
    replaced_in_rows(lambda x, group=None: reduce(reduce(x, group=group), group=group))
    return program(rank, size)


def bug_no_input_gradient(rank: int, size: int):
    """The last block's first linear layer does not add up the gradients of its input."""
    found, arguments = program(rank, size, "llama", "gradients")
    layer = found.model.decoder.layers[-1].mlp.linear_fc1
    layer.allreduce_dgrad, layer.disable_grad_reduce = False, True
    return found, arguments


def bug_no_norm_gradient(rank: int, size: int):
    """Gradients of norm weights under sequence parallelism stay partial sums."""
    finalization._allreduce_non_tensor_model_parallel_grads = lambda model, config: None
    return program(rank, size, "gradients", "sequence")


def bug_scattered_dimension(rank: int, size: int):
    """Under sequence parallelism ranks take each other's part of the sequence."""
    scatter = mappings._reduce_scatter_along_first_dim
    mappings._reduce_scatter_along_first_dim = lambda x, *given, **named: scatter(
        torch.cat(x.chunk(size)[::-1]), *given, **named
    )
    return program(rank, size, "sequence")


class ShiftedVocabulary(VocabUtility):
    @staticmethod
    def vocab_range_from_per_partition_vocab_size(per_partition_vocab_size: int, rank: int, world_size: int):
        first, last = VocabUtility.vocab_range_from_per_partition_vocab_size(per_partition_vocab_size, rank, world_size)
        return first, last - 1


def bug_vocabulary_mask(rank: int, size: int):
    """The loss takes the last word of each rank's part of the vocabulary for another rank's."""
    cross_entropy.VocabUtility = ShiftedVocabulary
    return program(rank, size, "loss")


def bug_own_maximum(rank: int, size: int):
    """The loss takes the greatest logit of each rank instead of that of all."""
    reduce, most = dist.all_reduce, dist.ReduceOp.MAX
    dist.all_reduce = lambda x, op=dist.ReduceOp.SUM, **named: None if op == most else reduce(x, op=op, **named)
    return program(rank, size, "loss")
