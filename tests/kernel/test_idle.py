"""What the checker takes for writes that change nothing, against a run of all instances."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import islpy as isl
import pytest
from tests.dataflow.test_idle import ALSO_WRITTEN, ANOTHER_ELEMENT, COPIED, INTO_ARRAY, ONE_COPY, points, unchanging

from hecv.base.term import TermPool
from hecv.dataflow.model.scop import Instances
from hecv.dataflow.model.value_dataflow import Dataflow, analyse
from hecv.dataflow.pair_model import Pair as Programs
from hecv.kernel.certificate.dataflow_format import Idle
from hecv.kernel.certificate.rejection import Rejected
from hecv.kernel.dataflow.claim_lookup import Texts
from hecv.kernel.dataflow.silent_store_check import without_idle
from hecv.mlir.importer import parse, read_function

CLAIMS = 150
"""Of each program, one instance with one of a copy each."""


def _claims(programs: Programs, flow: Dataflow, random: Random) -> Iterator[tuple[str, tuple[int, ...], Idle]]:
    """Any instance of one copy with any of another."""
    copies = [s for s in programs.source.flat.statements if s.write is not None and s.value is not None]
    copies = [s for s in copies if s.value is not None and s.value.op == "load"]
    known = {s.name: [at for at, _ in points(_identity(flow.domains[s.name]))] for s in copies}
    for _ in range(CLAIMS):
        writer, copier = random.sample(copies, 2) if random.random() < 0.9 else [random.choice(copies)] * 2
        one = random.choice(known[writer.name])
        near = [at for at in known[copier.name] if at[-2] == one[-2] and at[:2] in (one[:2], at[-2:])]
        other = random.choice(near if random.random() < 0.9 else known[copier.name])
        yield writer.name, one, Idle(writer.name, copier.name, _pair(writer, one, copier, other))


def _identity(instances: isl.Set) -> isl.Map:
    return instances.identity()


def _pair(writer: Instances, one: tuple[int, ...], copier: Instances, other: tuple[int, ...]) -> str:
    names = [[f"{side}{k}" for k in range(len(at))] for side, at in (("i", one), ("j", other))]
    equal = [f"{n} = {v}" for side, at in zip(names, (one, other), strict=True) for n, v in zip(side, at, strict=True)]
    heads = [f"{s.name}[{', '.join(n)}]" for s, n in zip((writer, copier), names, strict=True)]
    return f"{{ {heads[0]} -> {heads[1]} : {' and '.join(equal)} }}"


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("text", "some"),
    [(COPIED, True), (INTO_ARRAY, True), (ANOTHER_ELEMENT, True), (ONE_COPY, True), (ALSO_WRITTEN, True)],
    ids=["copied", "into the array", "mirrored", "one copy", "one copy, and written"],
)
def test_what_is_taken_for_idle_changes_nothing(text: str, some: bool) -> None:
    text = text.replace("{\n", "{\n  %z = arith.constant 7 : i32\n", 1)
    pool = TermPool()
    function = read_function(parse(text, "f.mlir"), "f", pool)
    programs = Programs(pool, function, function, ())
    flow = analyse(programs.space, programs.source.flat)
    same = unchanging(programs.space, flow)
    accepted = refused = 0
    for name, at, claim in _claims(programs, flow, Random(text)):
        try:
            without_idle(programs.space, Texts(programs), programs.source.flat, flow.domains, ((claim,),))
        except Rejected:
            refused += 1
            continue
        accepted += 1
        assert (name, at) in same, claim
    assert bool(accepted) == some and refused > 0
