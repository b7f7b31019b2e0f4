"""Each family of transformers with its attention written out (eager) against torch's fused one (sdpa).

`python benchmarks/transformers_eager_sdpa.py [FAMILY ...]` writes `transformers_eager_sdpa.json`, row after row: a run
that ends early goes on where it ended. Models have two layers, tiny widths and random weights; each family is compared
in its default configuration, in others, and with padding behind the tokens, and some with padding before them. It needs
transformers (`make test-models`).
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, Literal

import torch
import transformers
from msgspec import Struct
from torch import nn

sys.path.insert(0, str(Path(__file__).parent / "model_families"))
from deciding import Make, decide
from published import token_ids, with_weights

HERE: Final = Path(__file__).parent
TOKENS, PADDING, PIXELS = 7, 2, 8

SIZES: Final[Mapping[str, Any]] = {
    "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 8,
    "intermediate_size": 48, "vocab_size": 72, "max_position_embeddings": 32, "embedding_size": 16, "ffn_dim": 48,
    "word_embed_proj_dim": 32, "max_source_positions": 16, "rotary_dim": 4, "encoder_layers": 2, "decoder_layers": 2,
    "encoder_attention_heads": 4, "decoder_attention_heads": 4, "encoder_ffn_dim": 48, "decoder_ffn_dim": 48,
    "d_model": 32, "d_kv": 8, "d_ff": 48, "num_layers": 2, "num_heads": 4, "image_size": PIXELS, "patch_size": 4,
    "moe_intermediate_size": 16, "shared_expert_intermediate_size": 16, "num_experts": 4, "num_local_experts": 4,
    "num_experts_per_tok": 2, "n_routed_experts": 4, "kv_lora_rank": 8, "q_lora_rank": 8, "qk_nope_head_dim": 4,
    "qk_rope_head_dim": 4, "v_head_dim": 8, "n_group": 1, "topk_group": 1, "first_k_dense_replace": 1,
    "head_size": 8, "global_head_dim": 8, "n_inner": 64,
}  # fmt: skip
"""What a configuration that has these is given."""

FIXED: Final[Mapping[str, Any]] = {"use_cache": False, "pad_token_id": 0, "bos_token_id": 0, "eos_token_id": 1}

Kind = Literal["decoder", "encoder", "vision"]


class Family(Struct, frozen=True):
    """A family: its name in transformers, what it is, configurations other than the default, and sizes of its own."""

    name: str
    kind: Kind
    others: Mapping[str, Mapping[str, Any]] = {}
    default: Mapping[str, Any] = {}


def _rotary(kind: str, **more: Any) -> dict[str, Any]:
    return {"rope_parameters": {"rope_type": kind, "rope_theta": 1e4, **more}}


LINEAR: Final = _rotary("linear", factor=4.0)
YARN: Final = _rotary("yarn", factor=4.0, original_max_position_embeddings=8)
LLAMA3: Final = _rotary(
    "llama3", factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, original_max_position_embeddings=8
)
PARTIAL: Final = _rotary("default", partial_rotary_factor=0.5)
MIXED: Final = {"sliding_window": 3, "layer_types": ["sliding_attention", "full_attention"]}
LATER: Final = {"use_sliding_window": True, "sliding_window": 3, "max_window_layers": 1}

FAMILIES: Final = (
    Family("Llama", "decoder", {"biases": {"attention_bias": True, "mlp_bias": True}, "linear": LINEAR,
                                "yarn": YARN, "llama3": LLAMA3, "wide heads": {"head_dim": 16},
                                "one group": {"num_key_value_heads": 1}}),
    Family("Mistral", "decoder", {"window": {"sliding_window": 3}}),
    Family("Qwen2", "decoder", {"window": LATER}),
    Family("Qwen3", "decoder", {"bias": {"attention_bias": True},
                                "window": LATER}),
    Family("Phi", "decoder", {"norms": {"qk_layernorm": True}, "partial": PARTIAL}),
    Family("Phi3", "decoder", {"window": {"sliding_window": 3},
                               "partial": PARTIAL}),
    Family("Gemma", "decoder", {"wide heads": {"head_dim": 16}}),
    Family("Gemma3Text", "decoder", {"window": MIXED,
                                     "scale": {"query_pre_attn_scalar": 16},
                                     "both ways": {"use_bidirectional_attention": True, "sliding_window": 3}}),
    Family("GPT2", "decoder", {"by layer": {"scale_attn_by_inverse_layer_idx": True},
                               "no scale": {"scale_attn_weights": False}, "upcast": {"reorder_and_upcast_attn": True},
                               "relu": {"activation_function": "relu"}}),
    Family("GPTNeoX", "decoder", {"sequential": {"use_parallel_residual": False},
                                  "no bias": {"attention_bias": False}}),
    Family("GPTBigCode", "decoder", {"many heads": {"multi_query": False}, "no scale": {"scale_attn_weights": False}}),
    Family("GPTJ", "decoder"),
    Family("CodeGen", "decoder"),
    Family("Falcon", "decoder", {"alibi": {"alibi": True}, "new": {"new_decoder_architecture": True, "num_kv_heads": 2},
                                 "alibi, many heads": {"alibi": True, "multi_query": False},
                                 "sequential": {"parallel_attn": False}, "many heads": {"multi_query": False}}),
    Family("OPT", "decoder", {"norm after": {"do_layer_norm_before": False}, "no bias": {"enable_bias": False}}),
    Family("BioGpt", "decoder", {"scaled": {"scale_embedding": False}}),
    Family("CTRL", "decoder"),
    Family("StableLm", "decoder", {"norms": {"qk_layernorm": True}, "parallel": {"use_parallel_residual": True},
                                   "bias": {"use_qkv_bias": True}}),
    Family("Starcoder2", "decoder", {"window": {"sliding_window": 3}, "no bias": {"use_bias": False}}),
    Family("Cohere", "decoder", {"norms": {"use_qk_norm": True}}),
    Family("Cohere2", "decoder", {"window": MIXED}),
    Family("Olmo", "decoder", {"clipped": {"clip_qkv": 0.5}}),
    Family("Olmo2", "decoder"),
    Family("Olmo3", "decoder", {"window": MIXED}),
    Family("Granite", "decoder", {"factors": {"attention_multiplier": 0.3, "residual_multiplier": 0.5,
                                              "embedding_multiplier": 2.0, "logits_scaling": 3.0}}),
    Family("Glm", "decoder"),
    Family("Glm4", "decoder"),
    Family("Nemotron", "decoder"),
    Family("Persimmon", "decoder", {"no norms": {"qk_layernorm": False}}),
    Family("Helium", "decoder"),
    Family("SmolLM3", "decoder", {"no rotary": {"no_rope_layers": [1, 0]}}),
    Family("Exaone4", "decoder", {"window": MIXED}),
    Family("Arcee", "decoder"),
    Family("Apertus", "decoder"),
    Family("BitNet", "decoder"),
    Family("DiffLlama", "decoder"),
    Family("Doge", "decoder"),
    Family("Ernie4_5", "decoder"),
    Family("HunYuanDenseV1", "decoder"),
    Family("SeedOss", "decoder"),
    Family("Mixtral", "decoder", {"window": {"sliding_window": 3}}),
    Family("Qwen3Moe", "decoder"),
    Family("DeepseekV3", "decoder", default={"head_dim": 4, "num_key_value_heads": 4}),
    Family("Bert", "encoder", {"decoder": {"is_decoder": True}}),
    Family("Roberta", "encoder"),
    Family("XLMRoberta", "encoder"),
    Family("Electra", "encoder"),
    Family("Albert", "encoder"),
    Family("DistilBert", "encoder", {"sinusoidal": {"sinusoidal_pos_embds": True}}),
    Family("Esm", "encoder", {"rotary": {"position_embedding_type": "rotary"}}),
    Family("LayoutLM", "encoder"),
    Family("ModernBert", "encoder", {"window": {"local_attention": 4, "global_attn_every_n_layers": 2}}),
    Family("ViT", "vision", {"no bias": {"qkv_bias": False}}),
    Family("DeiT", "vision"),
    Family("Beit", "vision", {"relative": {"use_relative_position_bias": True},
                              "shared": {"use_shared_relative_position_bias": True}}),
    Family("Dinov2", "vision", {"gated": {"use_swiglu_ffn": True}}),
    Family("SiglipVision", "vision"),
    Family("CLIPVision", "vision"),
    Family("VideoMAE", "vision"),
    Family("IJepa", "vision"),
)  # fmt: skip


Padding = Literal["", "behind", "before", "before, read"]
"""Where hidden tokens are. Those before all others see none but hidden ones; `read` leaves out their results."""

BEFORE: Final = ("Llama", "Qwen2", "GPT2", "Falcon")
"""Families that are compared with padding before the tokens, too."""

SEEN: Final[Mapping[Padding, slice]] = {
    "behind": slice(0, TOKENS - PADDING), "before": slice(PADDING, TOKENS), "before, read": slice(PADDING, TOKENS)
}  # fmt: skip


class Result(nn.Module):
    """A model as a function from token ids, or pixels, to its first result. The mask that hides padding is part of the
    module."""

    def __init__(self, model: nn.Module, kind: Kind, padding: Padding) -> None:
        super().__init__()
        self.model = model
        self.kind = kind
        self.mask = None
        if padding:
            self.mask = torch.zeros(1, TOKENS, dtype=torch.int64)
            self.mask[:, SEEN[padding]] = 1
        self.read = SEEN[padding] if padding == "before, read" else slice(None)

    def forward(self, given: torch.Tensor) -> torch.Tensor:
        if self.kind == "vision":
            return self.model(pixel_values=given)[0]
        return self.model(given, attention_mask=self.mask)[0][:, self.read]


def variants(family: Family) -> Iterator[tuple[str, Mapping[str, Any], Padding]]:
    """The configurations of a family: a name, settings, and where there is padding."""
    yield "default", {}, ""
    for name, settings in family.others.items():
        yield name, settings, ""
    if family.kind != "vision":
        yield "padded", {}, "behind"
    if family.name in BEFORE:
        yield "padded before", {}, "before"
        yield "padded before, read", {}, "before, read"


def model(family: Family, settings: Mapping[str, Any], attention: str) -> nn.Module:
    """The model of a family with these settings."""
    kind = getattr(transformers, f"{family.name}Config")
    plain = kind()
    computed = {name for name in SIZES if isinstance(getattr(kind, name, None), property)}
    sizes = {n: value for n, value in {**SIZES, **FIXED}.items() if hasattr(plain, n) and n not in computed}
    config = kind(**{**sizes, **family.default, **settings})
    made = transformers.AutoModelForCausalLM if family.kind == "decoder" else transformers.AutoModel
    return with_weights(made.from_config(config, attn_implementation=attention))


def _make(family: Family, settings: Mapping[str, Any], padding: Padding, attention: str) -> Make:
    pixels = torch.zeros((1, 16, 3, PIXELS, PIXELS) if family.name == "VideoMAE" else (1, 3, PIXELS, PIXELS))
    given = (pixels,) if family.kind == "vision" else token_ids(1, TOKENS)
    return lambda: (Result(model(family, settings, attention), family.kind, padding).eval(), given)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("families", nargs="*", help="names of families (default: all)")
    parser.add_argument("--name", default="", help="only configurations with this in their name")
    parser.add_argument("--again", metavar="VERDICT", default="", help="also rows that have this verdict")
    parser.add_argument("--out", type=Path, default=HERE / "transformers_eager_sdpa.json")
    options = parser.parse_args()
    transformers.utils.logging.set_verbosity_error()
    rows = json.loads(options.out.read_text(encoding="utf-8")) if options.out.exists() else {}
    chosen = [f for f in FAMILIES if not options.families or f.name in options.families]
    # The default of each family comes first, padding last.
    work = [
        (bool(variant[2]), k > 0, family, variant) for family in chosen for k, variant in enumerate(variants(family))
    ]
    for _, _, family, (name, settings, padding) in sorted(work, key=lambda w: w[:2]):
        if options.name not in name:
            continue
        key = f"{family.name}: {name}"
        if key not in rows or rows[key]["verdict"] == options.again:
            load = round(os.getloadavg()[0], 1)
            pair = [_make(family, settings, padding, attention) for attention in ("eager", "sdpa")]
            rows[key] = {"load": load} | decide(pair[0], pair[1], seconds=60)
            part = options.out.with_suffix(".part")
            part.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
            part.replace(options.out)
        _show(key, rows[key])
    return 0


def _show(name: str, row: Mapping[str, Any]) -> None:
    counts = f"{row.get('proved', 0)}/{row.get('pairs', 0)}"
    said = row.get("note", row.get("difference", ""))
    print(
        f"{name:32} {row['verdict']:15} {counts:>9} {row.get('seconds', {}).get('proof', 0):6.2f}  {said}", flush=True
    )


if __name__ == "__main__":
    sys.exit(main())
