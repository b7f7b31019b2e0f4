"""One network of two code bases, transformers and litgpt, with the same weights by litgpt's own converters.

Sizes are tiny; the structure is that of the published models.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
import types
from typing import Any

import torch
import transformers
from torch import nn


def _without_init(package: str) -> None:
    """Lets parts of a package be imported without its `__init__`, which imports what is not needed here."""
    spec = importlib.util.find_spec(package)
    assert spec is not None and spec.submodule_search_locations is not None
    bare = types.ModuleType(package)
    bare.__path__ = list(spec.submodule_search_locations)
    bare.__spec__ = spec
    sys.modules.setdefault(package, bare)


_without_init("litgpt")
converters = importlib.import_module("litgpt.scripts.convert_hf_checkpoint")
Config = importlib.import_module("litgpt.config").Config
GPT = importlib.import_module("litgpt.model").GPT

WIDTH, HEADS, GROUPS, HEAD, MLP, VOCAB, CONTEXT, TOKENS = 32, 4, 2, 8, 48, 64, 32, 8
LAYERS = int(os.environ.get("HECV_LAYERS", "2"))
Model = tuple[nn.Module, tuple[Any, ...]]

FAMILIES: dict[str, tuple[str, dict[str, Any], str, dict[str, Any], str]] = {
    "llama": (
        "LlamaConfig", {"rope": 5e5, "rms_norm_eps": 1e-5}, "Llama-3-8B", {}, "copy_weights_hf_llama"
    ),
    "qwen2": (
        "Qwen2Config", {"rope": 1e6, "rms_norm_eps": 1e-6}, "Qwen2.5-0.5B", {}, "copy_weights_qwen_2_5"
    ),
    "qwen3": (
        "Qwen3Config", {"rope": 1e6, "rms_norm_eps": 1e-6, "head_dim": HEAD}, "Qwen3-0.6B", {}, "copy_weights_qwen_3"
    ),
    "phi": (
        "PhiConfig",
        {"rope": 1e4, "partial": 0.5, "layer_norm_eps": 1e-5, "hidden_act": "gelu_new", "groups": HEADS},
        "phi-2",
        {"rotary_percentage": 0.5, "n_query_groups": HEADS},
        "copy_weights_phi",
    ),
    "mistral": (
        "MistralConfig",
        {"rope": 1e6, "rms_norm_eps": 1e-5, "head_dim": HEAD, "sliding_window": None},
        "Mistral-7B-v0.3",
        {},
        "copy_weights_hf_llama",
    ),
    "gemma": (
        "GemmaConfig",
        {
            "rope": 1e4, "rms_norm_eps": 1e-5, "head_dim": HEAD, "tie_word_embeddings": True,
            "hidden_act": "gelu_pytorch_tanh",
        },
        "Gemma-2b",
        {},
        "copy_weights_hf_llama",
    ),
}  # fmt: skip
"""By family: the class of the configuration in transformers with its settings, the name in litgpt with its settings,
and litgpt's converter of weights."""


class Logits(nn.Module):
    """A model of transformers as a function from token ids to logits."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return self.model(ids).logits


def _ids() -> tuple[torch.Tensor]:
    return (torch.randint(0, VOCAB, (1, TOKENS), generator=torch.Generator().manual_seed(1)),)


def _transformers(family: str) -> nn.Module:
    kind, settings, *_ = FAMILIES[family]
    settings = dict(settings)
    rope = {"rope_type": "default", "rope_theta": settings.pop("rope")}
    if "partial" in settings:
        rope["partial_rotary_factor"] = settings.pop("partial")
    config = getattr(transformers, kind)(
        vocab_size=VOCAB, hidden_size=WIDTH, intermediate_size=MLP, num_hidden_layers=LAYERS,
        num_attention_heads=HEADS, num_key_value_heads=settings.pop("groups", GROUPS), rope_parameters=rope,
        max_position_embeddings=CONTEXT, use_cache=False, pad_token_id=0, bos_token_id=0, eos_token_id=1, **settings,
    )  # fmt: skip
    model = transformers.AutoModelForCausalLM.from_config(config, attn_implementation="eager").eval()
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.normal_(0, 0.3, generator=generator)
            if "norm" in name and name.endswith("weight") and family != "gemma":
                parameter.add_(1)
    return model


def _litgpt(family: str, **changed: Any) -> nn.Module:
    *_, name, settings, converter = FAMILIES[family]
    sizes = {
        "n_layer": LAYERS, "n_embd": WIDTH, "n_head": HEADS, "n_query_groups": GROUPS, "head_size": HEAD,
        "intermediate_size": MLP, "vocab_size": VOCAB, "padded_vocab_size": VOCAB, "block_size": CONTEXT,
    }  # fmt: skip
    config = Config.from_name(name, **{**sizes, **settings, **changed})
    weights, state = dict(_transformers(family).state_dict()), {}
    getattr(converters, converter)(config, {}, state, weights)
    model = GPT(config).eval()
    model.load_state_dict(state)
    return model


def _pair(family: str) -> None:
    globals()[f"{family}_transformers"] = lambda: (Logits(_transformers(family)).eval(), _ids())
    globals()[f"{family}_litgpt"] = lambda: (_litgpt(family), _ids())


for _family in FAMILIES:
    _pair(_family)


def llama_other_base() -> Model:
    return _litgpt("llama", rope_base=499_000), _ids()


def llama_other_eps() -> Model:
    model = _litgpt("llama")
    model.transformer.h[1].norm_2.eps = 1e-6
    return model, _ids()


def llama_other_mask() -> Model:
    """In the last layer queries see all keys."""
    model = _litgpt("llama")
    attention = model.transformer.h[1].attn
    whole = torch.ones(TOKENS, TOKENS, dtype=torch.bool)
    kept = attention.scaled_dot_product_attention
    attention.scaled_dot_product_attention = lambda q, k, v, mask=None: kept(q, k, v, whole)
    return model, _ids()


def llama_other_scale() -> Model:
    return _litgpt("llama", attention_scores_scalar=9), _ids()
