"""Models of transformers against those of litgpt and against decoders as serving engines write them, as processes.
`make test-models` installs what that takes and runs these."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

MISSING = [name for name in ("transformers", "lightning", "litgpt") if find_spec(name) is None]
pytestmark = pytest.mark.skipif(bool(MISSING), reason=f"{', '.join(MISSING)} not installed: make test-models")

FILE = Path(__file__).parents[2] / "benchmarks" / "model_families" / "published.py"


def models(source: str, target: str, layers: int = 2) -> dict[str, Any]:
    command = [sys.executable, "-m", "hecv", "models", f"{FILE}:{source}", f"{FILE}:{target}"]
    command += ["--format=json", "--relation=equivalent", "--time-limit=600"]
    environment = {**os.environ, "HECV_LAYERS": str(layers)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=1200)
    assert done.stdout, done.stderr
    return json.loads(done.stdout)["functions"][0]


@pytest.mark.parametrize("family", ["llama", "qwen2", "qwen3", "phi", "mistral", "gemma"])
@pytest.mark.parametrize("other", ["litgpt", "sdpa"])
def test_a_family(family: str, other: str) -> None:
    report = models(f"{family}_transformers", f"{family}_{other}")
    assert (report["verdict"], report["evidence"]) == ("equivalent", "proved"), report["unknown"]
    assert report["models"]["layers"] == 2
    assert report["models"]["proved"] == report["models"]["candidates"]


@pytest.mark.parametrize("family", ["gpt2", "qwen2", "phi3", "llama", "windowed"])
def test_served(family: str) -> None:
    """Merged projections, fused norms, a rotary table, a padded vocabulary, fused or opaque attention."""
    report = models(f"{family}_flat", f"{family}_served")
    assert (report["verdict"], report["evidence"]) == ("equivalent", "proved"), report["unknown"]
    assert report["models"]["proved"] == report["models"]["candidates"]
    names = {a["id"]: a["text"] for a in report["assumptions"]}
    assert "zeros(56, 32)" in names["inputs-related"], "what is padded is said"
    assert ("opaque-op" in names) == (family == "qwen2")


def test_full_depth() -> None:
    report = models("llama_transformers", "llama_litgpt", 32)
    assert report["verdict"] == "equivalent", report["unknown"]
    assert report["models"]["layers"] == 32
    proof = report["models"]["methods"]
    assert proof["normal form"] < 60, "blocks of one kind are proved once"


MISTAKES = [
    ("llama_transformers", "llama_other_base", "(x * cos) + (rotated * sin)"),
    ("llama_transformers", "llama_other_eps", "torch.rsqrt(norm_x + self.eps)"),
    ("llama_transformers", "llama_other_mask", "F.scaled_dot_product_attention("),
    ("llama_transformers", "llama_other_scale", "F.scaled_dot_product_attention("),
    ("qwen2_transformers", "qwen2_other_base", "(x * cos) + (rotated * sin)"),
    ("qwen3_transformers", "qwen3_other_base", "(x * cos) + (rotated * sin)"),
    ("phi_transformers", "phi_other_width", "(x * cos) + (rotated * sin)"),
    ("mistral_transformers", "mistral_other_base", "(x * cos) + (rotated * sin)"),
    ("gemma_transformers", "gemma_other_gelu", "F.gelu("),
    ("gpt2_flat", "gpt2_unscaled", "F.scaled_dot_product_attention("),
    ("qwen2_flat", "qwen2_served_base", "torch.cat((first * cos"),
    ("phi3_flat", "phi3_swapped", "F.silu(up) * gate"),
    ("llama_flat", "llama_forgets", "wide.pow(2)"),
    ("llama_flat", "llama_other_head", "F.scaled_dot_product_attention("),
    ("windowed_flat", "windowed_wider", "F.scaled_dot_product_attention("),
]
"""Right models, wrong ones, and the line that the mistake is at."""


@pytest.mark.parametrize(("source", "target", "text"), MISTAKES)
def test_a_mistake(source: str, target: str, text: str) -> None:
    report = models(source, target)
    assert report["verdict"] == "not-equivalent", report["unknown"]
    where = report["localization"]["target"]
    line = Path(where["file"]).read_text(encoding="utf-8").splitlines()[where["line"] - 1]
    assert text in line
    assert "modeling_" in report["localization"]["source"]["file"]
