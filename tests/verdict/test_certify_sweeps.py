"""Sweeps of random datapaths are written down whole: what they found is accepted by the checker."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from hecv.check import Options, check
from hecv.kernel.certificate.file_format import Aligned

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))

from datapath_pairs import Recipe, make

RECIPES = [Recipe("function", 300, seed, careful=careful) for seed in range(3) for careful in (False, True)]


@pytest.mark.one_in(6)
@pytest.mark.parametrize("recipe", RECIPES, ids=lambda r: r.name)
def test_a_sweep_has_a_certificate(recipe: Recipe) -> None:
    made = make(recipe)
    report = check(made.source, made.target, ("source.mlir", "target.mlir"), Options(recording=True))
    found = report.functions[0]
    assert report.verdict == "equivalent"
    assert found.certificate is not None, found.uncertified
    assert isinstance(found.certificate.proof, Aligned)
