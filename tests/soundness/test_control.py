"""Control flow in other clothes: random programs as blocks and branches, as while loops, and lifted again.

The lowered program, read by the interpreter, refines the original; and its normal form, in which counted loops are
loops again, does the same as what was read.
"""

from __future__ import annotations

from itertools import islice
from random import Random

import pytest

from hecv.base.term import TermPool
from hecv.run.interpreter.interpreter import compile

from .programs import PassFailed, Taste, program, transformed
from .running import STEPS, conclusive, inputs, read, unrefined
from .test_normal_form import disagreement

TASTE = Taste(data_conditions=0.3, traps=0.1, uninitialised=0.1, flags=0.05, indirect=0.2, index_data=0.3, scf=0.4)
LOWERINGS = (
    "lower-affine,convert-scf-to-cf",
    "lower-affine,convert-scf-to-cf,canonicalize",
    "lower-affine,convert-scf-to-cf,lift-cf-to-scf",
    "lower-affine,convert-scf-to-cf,canonicalize,cse,lift-cf-to-scf,canonicalize",
    "lower-affine,scf-for-to-while",
    "lower-affine,scf-for-to-while,canonicalize,convert-scf-to-cf",
    "affine-parallelize,lower-affine,canonicalize",
)


def check_seed(seed: int) -> None:
    random = Random(seed)
    text = program(seed, TASTE)
    passes = random.choice(LOWERINGS)
    try:
        lowered = transformed(text, passes)
    except PassFailed:
        return
    source, target = (compile(read(t, TermPool())) for t in (text, lowered))
    for arguments in islice(inputs(source.function, random), 8):
        ends = source.run(arguments, STEPS), target.run(arguments, 2 * STEPS)
        wrong = unrefined(*ends) if conclusive(*ends) else None
        assert wrong is None, f"{passes}: {wrong}\n{arguments}\n{text}\n{lowered}"
    assert disagreement(lowered, random, 8) is None, f"{passes}\n{text}\n{lowered}"


@pytest.mark.one_in(8)
@pytest.mark.parametrize("first", range(0, 100, 10))
def test_lowered_programs_refine_their_source(first: int) -> None:
    for seed in range(first, first + 10):
        check_seed(seed)


@pytest.mark.long
@pytest.mark.parametrize("first", range(1000, 2500, 100))
def test_many_lowered_programs_refine_their_source(first: int) -> None:
    for seed in range(first, first + 100):
        check_seed(seed)
