"""Models of transformers, and the same networks by litgpt and by `serving`, with the same weights.

Sizes are tiny; the structure is that of the published models. A function of this file that `hecv models` can be given
is `FAMILY_KIND`, as `llama_transformers` and `llama_litgpt`; the environment's HECV_LAYERS is the number of layers.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import os
import sys
import types
from collections.abc import Callable, Mapping
from copy import copy
from pathlib import Path
from typing import Any

import torch
import transformers
from torch import nn
from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS

sys.path.insert(0, str(Path(__file__).parent))
from serving import Decoder, LearnedDecoder, Mistake, opaque_attention, padded

WIDTH, HEADS, GROUPS, HEAD, MLP, VOCAB, CONTEXT, TOKENS = 32, 4, 2, 8, 48, 72, 32, 8
Model = tuple[nn.Module, tuple[Any, ...]]


class Logits(nn.Module):
    """A model of transformers as a function from token ids to logits; `flat` for one sequence without a batch."""

    def __init__(self, model: nn.Module, flat: bool = False) -> None:
        super().__init__()
        self.model = model
        self.flat = flat

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return self.model(ids[None]).logits[0] if self.flat else self.model(ids).logits


def token_ids(*shape: int) -> tuple[torch.Tensor]:
    """Example arguments of a text model."""
    return (torch.randint(0, VOCAB, shape, generator=torch.Generator().manual_seed(1)),)


def with_weights(model: nn.Module, norms_of_ones: bool = True) -> nn.Module:
    """The model with random weights, the same in each run; weights of norms are near one, or near zero where the norm
    adds one."""
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.normal_(0, 0.3, generator=generator)
            if norms_of_ones and ("norm" in name.lower() or ".ln_" in name) and name.endswith("weight"):
                parameter.add_(1)
    return model.eval()


def rotary(base: float, **more: Any) -> dict[str, Any]:
    """The setting of transformers for a rotary embedding."""
    return {"rope_parameters": {"rope_type": "default", "rope_theta": base, **more}}


def _as_opaque(
    module: nn.Module, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: None, scaling: float, **_: Any
) -> tuple[torch.Tensor, None]:
    """Attention of transformers, [1, heads, N, d], by the opaque kernel of `serving`."""
    assert mask is None
    q, k, v = (t[0].transpose(0, 1).contiguous() for t in (q, k, v))
    return opaque_attention(q, k, v, scaling)[None], None


ALL_ATTENTION_FUNCTIONS.register("opaque", _as_opaque)

SETTINGS: dict[str, tuple[str, dict[str, Any]]] = {
    "llama": ("Llama", {**rotary(5e5), "rms_norm_eps": 1e-5}),
    "qwen2": ("Qwen2", {**rotary(1e6), "rms_norm_eps": 1e-6}),
    "qwen3": ("Qwen3", {**rotary(1e6), "rms_norm_eps": 1e-6, "head_dim": HEAD}),
    "phi": (
        "Phi",
        {
            **rotary(1e4, partial_rotary_factor=0.5), "layer_norm_eps": 1e-5, "hidden_act": "gelu_new",
            "num_key_value_heads": HEADS,
        },
    ),
    "mistral": ("Mistral", {**rotary(1e6), "rms_norm_eps": 1e-5, "head_dim": HEAD, "sliding_window": None}),
    "gemma": (
        "Gemma",
        {
            **rotary(1e4), "rms_norm_eps": 1e-5, "head_dim": HEAD, "tie_word_embeddings": True,
            "hidden_act": "gelu_pytorch_tanh",
        },
    ),
    "gpt2": ("GPT2", {"n_positions": CONTEXT, "n_embd": WIDTH, "n_head": HEADS, "n_inner": 4 * WIDTH}),
    "phi3": ("Phi3", {**rotary(1e4, partial_rotary_factor=0.5), "rms_norm_eps": 1e-5, "sliding_window": None}),
    "windowed": ("Mistral", {**rotary(1e4), "rms_norm_eps": 1e-5, "head_dim": HEAD, "sliding_window": 5}),
    "llama31": (
        "Llama",
        {
            "rms_norm_eps": 1e-5,
            "rope_parameters": {
                "rope_type": "llama3", "rope_theta": 5e5, "factor": 8.0, "low_freq_factor": 1.0,
                "high_freq_factor": 4.0, "original_max_position_embeddings": 8,
            },
        },
    ),
    "pythia": ("GPTNeoX", {**rotary(1e4, partial_rotary_factor=0.5), "intermediate_size": 4 * WIDTH}),
    "falcon7": ("Falcon", {"ffn_hidden_size": 4 * WIDTH}),
    "falcon40": ("Falcon", {"ffn_hidden_size": 4 * WIDTH, "new_decoder_architecture": True, "num_kv_heads": GROUPS}),
    "stablelm": ("StableLm", {**rotary(1e4, partial_rotary_factor=0.5), "num_key_value_heads": HEADS}),
    "olmo2": ("Olmo2", {**rotary(5e5), "rms_norm_eps": 1e-6, "num_key_value_heads": HEADS}),
    "phi4": ("Phi3", {**rotary(2.5e5), "sliding_window": None}),
    "gemma2": ("Gemma2", {**rotary(1e4), "head_dim": HEAD, "sliding_window": 4}),
    "gemma3": (
        "Gemma3Text",
        {"head_dim": HEAD, "sliding_window": 4, "layer_types": ["sliding_attention", "full_attention"]},
    ),
    "gemma_default": ("Gemma", {**rotary(1e4), "head_dim": HEAD, "hidden_act": "gelu_pytorch_tanh"}),
}  # fmt: skip
"""By family: the name in transformers and the settings of its own. `windowed` is Mistral with its window; what the
Gemmas do not set is as transformers has it."""


def transformers_model(family: str, layers: int, attention: str = "eager") -> nn.Module:
    """A family in the code of transformers, as a model that returns logits and more."""
    name, settings = SETTINGS[family]
    common = {
        "vocab_size": VOCAB, "hidden_size": WIDTH, "intermediate_size": MLP, "num_hidden_layers": layers,
        "num_attention_heads": HEADS, "num_key_value_heads": GROUPS, "max_position_embeddings": CONTEXT,
        "use_cache": False, "pad_token_id": 0, "bos_token_id": 0, "eos_token_id": 1,
    }  # fmt: skip
    if family == "gpt2":
        common = {"vocab_size": VOCAB, "n_layer": layers, "use_cache": False, "bos_token_id": 0, "eos_token_id": 1}
    config = getattr(transformers, f"{name}Config")(**{**common, **settings})
    model = transformers.AutoModelForCausalLM.from_config(config, attn_implementation=attention)
    return with_weights(model, not family.startswith("gemma"))


# litgpt


def _without_init(package: str) -> None:
    """Lets parts of a package be imported without its `__init__`, which imports what is not needed here."""
    spec = importlib.util.find_spec(package)
    assert spec is not None and spec.submodule_search_locations is not None
    bare = types.ModuleType(package)
    bare.__path__ = list(spec.submodule_search_locations)
    bare.__spec__ = spec
    sys.modules.setdefault(package, bare)


LITGPT: dict[str, tuple[str, dict[str, Any], str]] = {
    "llama": ("Llama-3-8B", {}, "copy_weights_hf_llama"),
    "qwen2": ("Qwen2.5-0.5B", {}, "copy_weights_qwen_2_5"),
    "qwen3": ("Qwen3-0.6B", {}, "copy_weights_qwen_3"),
    "phi": ("phi-2", {"rotary_percentage": 0.5, "n_query_groups": HEADS}, "copy_weights_phi"),
    "mistral": ("Mistral-7B-v0.3", {}, "copy_weights_hf_llama"),
    "gemma": ("Gemma-2b", {}, "copy_weights_hf_llama"),
}
"""By family: the name in litgpt, its settings, and litgpt's converter of weights."""

_LATER = {"norm_eps": 1e-6, "sliding_window_size": 4, "sliding_window_indices": [1, 0]}
MORE_LITGPT: dict[str, tuple[str, dict[str, Any], str]] = {
    "llama31": (
        "Llama-3.1-8B",
        {
            "rope_adjustments": {
                "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_seq_len": 8
            }
        },
        "copy_weights_hf_llama",
    ),
    "windowed": ("Mistral-7B-v0.1", {"sliding_window_size": 5}, "copy_weights_hf_llama"),
    "pythia": (
        "pythia-14m", {"intermediate_size": 4 * WIDTH, "n_query_groups": HEADS, "rotary_percentage": 0.5},
        "copy_weights_gpt_neox",
    ),
    "falcon7": ("falcon-7b", {"intermediate_size": 4 * WIDTH, "n_query_groups": 1}, "copy_weights_falcon"),
    "falcon40": ("falcon-40b", {"intermediate_size": 4 * WIDTH}, "copy_weights_falcon"),
    "stablelm": (
        "stablelm-3b-4e1t", {"n_query_groups": HEADS, "rotary_percentage": 0.5}, "copy_weights_hf_llama"
    ),
    "olmo2": ("OLMo-2-1124-7B", {"n_query_groups": HEADS}, "copy_weights_olmo2"),
    "phi4": ("phi-4", {}, "copy_weights_phi"),
    "gemma_default": ("Gemma-2b", {"norm_eps": 1e-6}, "copy_weights_hf_llama"),
    "gemma2": ("Gemma-2-2b", _LATER, "copy_weights_gemma_2"),
    "gemma3": ("Gemma-3-1b-it", {**_LATER, "rope_indices": [1, 0]}, "copy_weights_gemma_3"),
}  # fmt: skip
"""Families that are compared at two layers alone. Of the Gemmas litgpt does not have the `norm_eps` that they have."""


def litgpt_model(family: str, layers: int, **changed: Any) -> nn.Module:
    """A family in the code of litgpt, with the weights of transformers' by litgpt's converter."""
    _without_init("litgpt")
    converters = importlib.import_module("litgpt.scripts.convert_hf_checkpoint")
    name, settings, converter = {**MORE_LITGPT, **LITGPT}[family]
    sizes = {
        "n_layer": layers, "n_embd": WIDTH, "n_head": HEADS, "n_query_groups": GROUPS, "head_size": HEAD,
        "intermediate_size": MLP, "vocab_size": VOCAB, "padded_vocab_size": VOCAB, "block_size": CONTEXT,
    }  # fmt: skip
    config = importlib.import_module("litgpt.config").Config.from_name(name, **{**sizes, **settings, **changed})
    # litgpt knows the name that the head of GPT-NeoX has in checkpoints.
    renamed = {"lm_head.weight": "embed_out.weight"} if converter == "copy_weights_gpt_neox" else {}
    weights = {renamed.get(n, n): value for n, value in transformers_model(family, layers).state_dict().items()}
    state: dict[str, torch.Tensor] = {}
    convert, merged = getattr(converters, converter), dict[Any, Any]()
    others = {"config": config, "qkv_weights": merged, "state_dict": state, "hf_weights": weights}
    wanted = inspect.signature(convert).parameters
    convert(**{key: value for key, value in others.items() if key in wanted})
    model = importlib.import_module("litgpt.model").GPT(config).eval()
    model.load_state_dict(state)
    return model


def _wrong_eps(layers: int) -> nn.Module:
    model = litgpt_model("llama", layers)
    model.transformer.h[-1].norm_2.eps = 1e-6
    return model


def _wrong_mask(layers: int) -> nn.Module:
    """In the last layer queries see all keys."""
    model = litgpt_model("llama", layers)
    attention = model.transformer.h[-1].attn
    whole = torch.ones(TOKENS, TOKENS, dtype=torch.bool)
    kept = attention.scaled_dot_product_attention
    attention.scaled_dot_product_attention = lambda q, k, v, mask=None: kept(q, k, v, whole)
    return model


def _wrong_activation(layers: int) -> nn.Module:
    """In the last layer the error function in the place of its approximation."""
    model = litgpt_model("gemma", layers)
    mlp = model.transformer.h[-1].mlp
    mlp.config = copy(mlp.config)
    mlp.config.gelu_approximate = "none"
    return model


WRONG_LITGPT: Mapping[str, tuple[str, Callable[[int], nn.Module], str]] = {
    "llama_other_base": ("llama", lambda n: litgpt_model("llama", n, rope_base=400_000), "(x * cos) + (rotated * sin)"),
    "llama_other_eps": ("llama", _wrong_eps, "torch.rsqrt(norm_x + self.eps)"),
    "llama_other_mask": ("llama", _wrong_mask, "F.scaled_dot_product_attention("),
    "llama_other_scale": (
        "llama", lambda n: litgpt_model("llama", n, attention_scores_scalar=9), "F.scaled_dot_product_attention("
    ),
    "qwen2_other_base": ("qwen2", lambda n: litgpt_model("qwen2", n, rope_base=10_000), "(x * cos) + (rotated * sin)"),
    "qwen3_other_base": ("qwen3", lambda n: litgpt_model("qwen3", n, rope_base=10_000), "(x * cos) + (rotated * sin)"),
    "phi_other_width": ("phi", lambda n: litgpt_model("phi", n, rotary_percentage=0.25), "rotated"),
    "mistral_other_base": (
        "mistral", lambda n: litgpt_model("mistral", n, rope_base=10_000), "(x * cos) + (rotated * sin)"
    ),
    "gemma_published": (
        "gemma_default", lambda n: litgpt_model("gemma_default", n, norm_eps=1e-5), "torch.rsqrt(norm_x + self.eps)"
    ),
    "gemma_other_gelu": ("gemma", _wrong_activation, "F.gelu("),
}  # fmt: skip
"""Wrong models: the family, the model, and the line that the mistake is at."""


# Serving


SERVED: dict[str, dict[str, Any]] = {
    "gpt2": {"eps": 1e-5, "mlp": 4 * WIDTH, "groups": HEADS, "qkv_bias": True, "out_bias": True},
    "qwen2": {"eps": 1e-6, "base": 1e6, "qkv_bias": True, "opaque": True},
    "phi3": {"eps": 1e-5, "base": 1e4, "rotary": HEAD // 2},
    "llama": {"eps": 1e-5, "base": 5e5},
    "windowed": {"eps": 1e-5, "base": 1e4, "window": 5},
}
"""By family: how it is served."""


def served_model(
    family: str, layers: int, mistake: Mistake = "none", weights: Mapping[str, torch.Tensor] | None = None
) -> nn.Module:
    """A family in the code of `serving`, with the weights of transformers', or with these of one of its models."""
    sizes = {
        "width": WIDTH, "heads": HEADS, "groups": GROUPS, "head": HEAD, "mlp": MLP, "vocab": VOCAB, "context": CONTEXT,
        **SERVED[family],
    }  # fmt: skip
    kind = LearnedDecoder if family == "gpt2" else Decoder
    model = kind(sizes, layers, mistake).eval()
    weights = transformers_model(family, layers).state_dict() if weights is None else weights
    model.load_state_dict(_learned(weights, layers) if family == "gpt2" else _gated(weights, layers))
    return model


def _rows(table: torch.Tensor) -> torch.Tensor:
    """An embedding with rows of zeros behind it."""
    return torch.cat((table, torch.zeros(padded(len(table)) - len(table), table.shape[1])))


def _gated(weights: Mapping[str, torch.Tensor], layers: int) -> dict[str, torch.Tensor]:
    found = {
        "embedding.weight": _rows(weights["model.embed_tokens.weight"]),
        "norm.weight": weights["model.norm.weight"],
        "head.weight": _rows(weights["lm_head.weight"]),
    }
    for k in range(layers):
        theirs, ours = f"model.layers.{k}", f"blocks.{k}"
        found |= {
            f"{ours}.first.weight": weights[f"{theirs}.input_layernorm.weight"],
            f"{ours}.second.weight": weights[f"{theirs}.post_attention_layernorm.weight"],
            f"{ours}.attention.out.weight": weights[f"{theirs}.self_attn.o_proj.weight"],
            f"{ours}.mlp.down.weight": weights[f"{theirs}.mlp.down_proj.weight"],
        }
        for name, merged, parts in (
            ("attention.qkv", "self_attn.qkv_proj", ("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj")),
            ("mlp.gate_up", "mlp.gate_up_proj", ("mlp.gate_proj", "mlp.up_proj")),
        ):
            for kind in ("weight", "bias"):
                names = [n for n in (merged, *parts) if f"{theirs}.{n}.{kind}" in weights]
                if names:
                    found[f"{ours}.{name}.{kind}"] = torch.cat([weights[f"{theirs}.{n}.{kind}"] for n in names])
    return found


def _learned(weights: Mapping[str, torch.Tensor], layers: int) -> dict[str, torch.Tensor]:
    found = {
        "embedding.weight": _rows(weights["transformer.wte.weight"]),
        "places.weight": weights["transformer.wpe.weight"],
    }
    names = {
        "first": "ln_1", "second": "ln_2", "attention.qkv": "attn.c_attn", "attention.out": "attn.c_proj",
        "up": "mlp.c_fc", "down": "mlp.c_proj",
    }  # fmt: skip
    for kind in ("weight", "bias"):
        found[f"norm.{kind}"] = weights[f"transformer.ln_f.{kind}"]
        for k in range(layers):
            for ours, theirs in names.items():
                value = weights[f"transformer.h.{k}.{theirs}.{kind}"]
                found[f"blocks.{k}.{ours}.{kind}"] = value.T.contiguous() if value.ndim == 2 else value
    return found


WRONG_SERVED: Mapping[str, tuple[str, Mistake, str]] = {
    "gpt2_unscaled": ("gpt2", "scale", "F.scaled_dot_product_attention("),
    "qwen2_served_base": ("qwen2", "base", "torch.cat((first * cos"),
    "phi3_swapped": ("phi3", "swapped", "F.silu(up) * gate"),
    "llama_forgets": ("llama", "residual", "wide.pow(2)"),
    "llama_other_head": ("llama", "head", "F.scaled_dot_product_attention("),
    "windowed_wider": ("windowed", "window", "F.scaled_dot_product_attention("),
}
"""Wrong served models: the family, the mistake, and the line that it is at."""


# Functions for `hecv models`


def _functions() -> dict[str, Callable[[], Model]]:
    layers = int(os.environ.get("HECV_LAYERS", "2"))
    batch, flat = token_ids(1, TOKENS), token_ids(TOKENS)
    found: dict[str, Callable[[], Model]] = {}
    for family in SETTINGS:
        found[f"{family}_transformers"] = lambda f=family: (Logits(transformers_model(f, layers)), batch)
        found[f"{family}_sdpa"] = lambda f=family: (Logits(transformers_model(f, layers, "sdpa")), batch)
    for family in (*LITGPT, *MORE_LITGPT):
        found[f"{family}_litgpt"] = lambda f=family: (litgpt_model(f, layers), batch)
    for family, sizes in SERVED.items():
        kind = "opaque" if sizes.get("opaque") else "eager"
        found[f"{family}_flat"] = lambda f=family, k=kind: (Logits(transformers_model(f, layers, k), True), flat)
        found[f"{family}_served"] = lambda f=family: (served_model(f, layers), flat)
    for name, (_, make, _) in WRONG_LITGPT.items():
        found[name] = lambda m=make: (m(layers), batch)
    for name, (family, mistake, _) in WRONG_SERVED.items():
        found[name] = lambda f=family, m=mistake: (served_model(f, layers, m), flat)
    return found


globals().update(_functions())
