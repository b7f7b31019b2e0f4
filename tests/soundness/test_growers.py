"""Random programs of each kind are programs, often end without undefined behaviour, and have what they are for."""

from __future__ import annotations

from random import Random

import pytest

from . import bands, calls, crossed, loaded, probes, smalls, widths
from .judging import finishes
from .running import parsed
from .subjects import Subject

COUNT = 30
WORDS = {
    "widths": (
        widths.program,
        "scf.for unsigned|scf.for %|overflow<|nsw, nuw|exact|nneg|fastmath<|vector<1x|index_cast |index_castui|: i128"
        "|mulsi_extended|addui_extended|fptosi|uitofp|vector.reduction",
    ),
    "loaded": (
        loaded.program,
        "affine.for|scf.for unsigned|scf.while|memref.dim|memref.subview|affine.if|min affine_map|max affine_map"
        "|memref<0x|memref.alloc(|memref.alloca(|[] : memref<",
    ),
    "bands": (bands.program, "affine.for|scf.for|overflow<nsw>|overflow<nuw>|step 2|to %n|{\naffine.for"),
    "crossed": (
        crossed.program,
        "memref.subview|reinterpret_cast|collapse_shape|expand_shape|memref.transpose|atomic_rmw|generic_atomic_rmw"
        "|get_global|affine.parallel|affine.if|min affine_map",
    ),
    "calls": (calls.program, "call @out|call @note|call @own|call @deep|call @even|call @odd|scf.for|scf.if"),
    "smalls": (smalls.program, "f8E5M2|f8E4M3FN|FNUZ|bf16|f16 to f32|truncf|bitcast|math.|sitofp|cmpf|scf.for|nnan"),
    "probes": (
        probes.program,
        "scf.for|scf.if|index.|math.|complex.|vector.|memref.|affine.|tensor.|fastmath<",
    ),
}


@pytest.mark.one_in(8)
@pytest.mark.parametrize("kind", WORDS)
def test_programs_have_what_they_are_for(kind: str) -> None:
    program, words = WORDS[kind]
    texts = [program(Random(f"{kind} {seed}")) for seed in range(COUNT)]
    for text in texts:
        assert parsed(text)
    assert not [word for word in words.split("|") if not any(word in text for text in texts)]
    assert sum(finishes(Subject(kind, text, text)) for text in texts) > COUNT / 2
