"""Models of transformers against those of litgpt, as processes. `make test-models` installs both and runs these."""

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

FILE = Path(__file__).with_name("third_party.py")


def models(source: str, target: str, layers: int = 2) -> dict[str, Any]:
    command = [sys.executable, "-m", "hecv", "models", f"{FILE}:{source}", f"{FILE}:{target}"]
    command += ["--format=json", "--relation=equivalent", "--time-limit=600"]
    environment = {**os.environ, "HECV_LAYERS": str(layers)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=1200)
    assert done.stdout, done.stderr
    return json.loads(done.stdout)["functions"][0]


@pytest.mark.parametrize("family", ["llama", "qwen2", "qwen3", "phi", "mistral", "gemma"])
def test_a_family(family: str) -> None:
    report = models(f"{family}_transformers", f"{family}_litgpt")
    assert (report["verdict"], report["evidence"]) == ("equivalent", "proved"), report["unknown"]
    assert report["models"]["layers"] == 2
    assert report["models"]["proved"] == report["models"]["candidates"]


def test_full_depth() -> None:
    report = models("llama_transformers", "llama_litgpt", 32)
    assert report["verdict"] == "equivalent", report["unknown"]
    assert report["models"]["layers"] == 32
    proof = report["models"]["methods"]
    assert proof["normal form"] < 60, "blocks of one kind are proved once"


@pytest.mark.parametrize(
    ("target", "text"),
    [
        ("llama_other_base", "roped = (x * cos) + (rotated * sin)"),
        ("llama_other_eps", "x_normed = x * torch.rsqrt(norm_x + self.eps)"),
        ("llama_other_mask", "F.scaled_dot_product_attention("),
        ("llama_other_scale", "F.scaled_dot_product_attention("),
    ],
)
def test_a_mistake(target: str, text: str) -> None:
    report = models("llama_transformers", target)
    assert report["verdict"] == "not-equivalent", report["unknown"]
    where = report["localization"]["target"]
    line = Path(where["file"]).read_text(encoding="utf-8").splitlines()[where["line"] - 1]
    assert text in line
    assert "modeling_llama.py" in report["localization"]["source"]["file"]
