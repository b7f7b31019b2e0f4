"""`make demo-models` prints what it should: its commands, in this process."""

from __future__ import annotations

import importlib.util
import re
from functools import cache
from pathlib import Path
from typing import Any

from hecv.check import Options
from hecv.claim.semantic_options import Switches
from hecv.models import compare_graphs
from hecv.parameters.captured_model import CapturedGraph
from hecv.report.formats import FORMATS, Checked, Page
from hecv.torch.graph_capture import capture_graph

from .test_relations import in_process

ROOT = Path(__file__).resolve().parents[2]
DECODER = "examples/models/decoder.py"


@cache
def module_of(file: str) -> Any:
    spec = importlib.util.spec_from_file_location(Path(file).stem, ROOT / file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@cache
def captured(spec: str) -> CapturedGraph:
    file, _, name = spec.partition(":")
    found = capture_graph(*getattr(module_of(file), name)(), name)
    assert isinstance(found, CapturedGraph), found
    return found


def printed(source: str, target: str) -> str:
    options = Options(switches=Switches(floats="real"), relation="equivalent")
    found = compare_graphs((source, target), (captured(source), captured(target)), None, options, in_process)
    answer = Checked(found.report, found.texts, (source, target))
    return FORMATS["text"]("verdict", answer, Page(dict)).out


def test_the_demo_shows_an_equivalence_and_a_located_bug() -> None:
    demo = (ROOT / "Makefile").read_text().partition("\ndemo-models:")[2].partition("\n\n")[0]
    commands = re.findall(r"hecv models (\S+) ([^;\s]+)", demo)
    assert len(commands) == 2
    first, second = (printed(*command) for command in commands)
    assert first.startswith("equivalent: @reference (proved;")
    assert "concat(q0, k0, v0, dim=0)" in first
    assert second.startswith("not equivalent: @reference")
    assert "made = F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=scale)" in second
    assert "scores = self.rotated(q) @ self.rotated(k).transpose(-1, -2) / SIZE**0.5 / (n + 1)" in second


def test_a_table_that_is_too_short_is_shown() -> None:
    text = printed(f"{DECODER}:reference", f"{DECODER}:short")
    assert text.startswith("not equivalent: @reference")
    assert "target   undefined: index 6 is out of range: `aten.index_select` reads a dimension of size 6" in text
    assert "cos, sin = self.cache.index_select(0, torch.arange(TOKENS)).chunk(2, -1)" in text
