"""Models of transformers against those of litgpt, against themselves with fused attention, and against decoders as
serving engines write them, with wrong twins. `make test-models` installs what that takes and runs these."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

MISSING = [name for name in ("transformers", "lightning", "litgpt") if find_spec(name) is None]
pytestmark = pytest.mark.skipif(bool(MISSING), reason=f"{', '.join(MISSING)} not installed: make test-models")

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
FILE = BENCHMARKS / "model_families" / "published.py"
LAYERS = 2

LITGPT = ("llama", "qwen2", "qwen3", "phi", "mistral", "gemma")
SERVED = ("gpt2", "qwen2", "phi3", "llama", "windowed")
RIGHT = (
    *(f"{family}: transformers, litgpt" for family in LITGPT),
    *(f"{family}: eager, sdpa" for family in LITGPT),
    *(f"{family}: transformers, serving" for family in SERVED),
)
MORE = (
    *("llama31", "windowed", "pythia", "falcon7", "falcon40", "stablelm", "olmo2", "phi4"),
    *("gemma_default", "gemma2", "gemma3"),
)
"""Families that differ from the others in one thing: keys in groups, tables of several frequencies, windows."""
WRONG = (
    *("llama_other_base", "llama_other_eps", "llama_other_mask", "llama_other_scale", "qwen2_other_base"),
    *("qwen3_other_base", "phi_other_width", "mistral_other_base", "gemma_published"),
    "gemma_other_gelu",
    *("gpt2_unscaled", "qwen2_served_base", "phi3_swapped", "llama_forgets", "llama_other_head", "windowed_wider"),
)


@cache
def benchmark() -> Any:
    """`benchmarks/models.py`, which imports transformers."""
    spec = importlib.util.spec_from_file_location("benchmark_of_models", BENCHMARKS / "models.py")
    assert spec is not None and spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@cache
def pairs() -> dict[str, Any]:
    module = benchmark()
    return {p.name: p for p in module.pairs(dict.fromkeys(module.DEPTHS, LAYERS), (), LAYERS)}


def test_all_pairs_are_here() -> None:
    assert sorted(pairs()) == sorted((*RIGHT, *WRONG))


@pytest.mark.parametrize("name", RIGHT)
def test_a_family(name: str) -> None:
    pair = pairs()[name]
    row = benchmark().decide(pair.source, pair.target)
    assert (row["verdict"], row["layers"]) == ("equivalent", LAYERS), row
    assert row["proved"] == row["pairs"]
    assert ("opaque-op" in row["assumptions"]) == (name == "qwen2: transformers, serving")


@pytest.mark.parametrize("family", MORE)
def test_one_more_family(family: str) -> None:
    module = benchmark()
    row = module.decide(module.published_model(family, LAYERS), module.litgpt_model(family, LAYERS))
    assert row["verdict"] == "equivalent", row
    assert row["proved"] == row["pairs"]


@pytest.mark.parametrize(
    ("family", "changed", "line"),
    [
        ("gemma3", {"rope_indices": [0, 1]}, "roped = (x * cos) + (rotated * sin)"),
        ("gemma3", {"rope_local_base_freq": 9_000}, "roped = (x * cos) + (rotated * sin)"),
        ("falcon40", {"rope_base": 9_000}, "roped = (x * cos) + (rotated * sin)"),
    ],
)
def test_another_table(family: str, changed: dict[str, Any], line: str) -> None:
    module = benchmark()
    row = module.decide(module.published_model(family, LAYERS), module.litgpt_model(family, LAYERS, **changed))
    assert row["verdict"] == "not-equivalent", row
    assert line in row["target"], row


@pytest.mark.parametrize("name", WRONG)
def test_a_mistake(name: str) -> None:
    pair = pairs()[name]
    row = benchmark().decide(pair.source, pair.target)
    assert row["verdict"] == "not-equivalent", row
    assert benchmark().as_expected(pair, row), "the line of the mistake"
    assert row["source"].startswith(("modeling_", "activations.py"))


# As processes


def models(source: str, target: str, layers: int) -> dict[str, Any]:
    command = [sys.executable, "-m", "hecv", "models", f"{FILE}:{source}", f"{FILE}:{target}"]
    command += ["--format=json", "--relation=equivalent", "--time-limit=600"]
    environment = {**os.environ, "HECV_LAYERS": str(layers)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=1200)
    assert done.stdout, done.stderr
    return json.loads(done.stdout)["functions"][0]


def test_full_depth() -> None:
    report = models("llama_transformers", "llama_litgpt", 32)
    assert (report["verdict"], report["evidence"]) == ("equivalent", "proved"), report["unknown"]
    assert report["models"]["layers"] == 32
    proof = report["models"]["methods"]
    assert proof["normal form"] < 60, "blocks of one kind are proved once"


def test_a_padded_vocabulary_and_opaque_attention_are_said() -> None:
    report = models("qwen2_flat", "qwen2_served", LAYERS)
    assert report["verdict"] == "equivalent", report["unknown"]
    texts = {a["id"]: a["text"] for a in report["assumptions"]}
    assert "zeros(56, 32)" in texts["inputs-related"]
    assert "opaque-op" in texts or any("without a definition" in text for text in texts.values())


def test_a_mistake_is_located() -> None:
    report = models("llama_flat", "llama_other_head", LAYERS)
    assert report["verdict"] == "not-equivalent", report["unknown"]
    assert Path(report["localization"]["target"]["file"]).name == "serving.py"
    assert "modeling_llama.py" in report["localization"]["source"]["file"]
