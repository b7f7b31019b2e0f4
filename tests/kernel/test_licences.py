"""What flags let a source be computed as, in proofs: each needs its flag on all arithmetic, and says nothing of the
converse."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from hecv.base.term import Term, TermPool, rebuild
from hecv.base.types import BOOL, FloatType
from hecv.dataflow.residual.scalar_refinement import Refinement
from hecv.kernel.certificate.rejection import Malformed, Rejected
from hecv.kernel.certificate.term_format import (
    Direction,
    Obligation,
    Reading,
    RefinementProof,
    TermProof,
    refinement_data,
    refinement_from,
)
from hecv.kernel.terms.fastmath_readings import read
from hecv.kernel.terms.refinement_check import check_refinement
from hecv.kernel.terms.solvers import Solver
from hecv.prove.terms.scalar_cert import certify_refinement

POOL, F32 = TermPool(), FloatType("f32")
X, Y, Z = (POOL.make("leaf", (), F32, (("number", k), ("proper", True))) for k in range(3))
TWO, ZERO = POOL.real(2.0, F32), POOL.real(0.0, F32)


def op(name: str, *args: Term, flags: str = "") -> Term:
    prefix = "math" if name == "fma" else "arith"
    return POOL.make(f"{prefix}.{name}", args, F32, (("fastmath", flags),) if flags else ())


def product_and_sum(one: str, other: str) -> Term:
    return op("addf", op("mulf", X, Y, flags=one), Z, flags=other)


FUSED, CONTRACTED = op("fma", X, Y, Z), product_and_sum("contract", "contract")
FIRST: Reading = "arithmetic", ((4, "addf-contract", 0),)
"""Leaves and the product are numbered before the sum."""
EMPTY = Direction(Obligation(""), Obligation(""), None)


def shown(
    source: Term, target: Term, *readings: Reading, strict: bool = True, back: Direction | None = None
) -> tuple[bool, bool, bool]:
    """What a proof shows that both are one term where the source is read so. Raises: Rejected, Malformed."""
    proof = refinement_from(refinement_data(RefinementProof(TermProof(), EMPTY, back, readings)))
    return check_refinement(POOL, source, target, proof, Solver(), 64, strict)


def test_a_licence_says_nothing_of_the_converse() -> None:
    assert shown(FUSED, FUSED, back=EMPTY) == (True, True, True)
    assert shown(CONTRACTED, FUSED, FIRST, back=EMPTY) == (True, True, False)
    assert shown(CONTRACTED, op("fma", X, Y, Z, flags="contract"), FIRST) == (True, True, False)
    assert shown(product_and_sum("fast", "fast"), op("fma", X, Y, Z, flags="fast"), FIRST)[0]


@pytest.mark.parametrize(
    ("source", "target", "reading"),
    [
        pytest.param(product_and_sum("", ""), FUSED, FIRST, id="no flag"),
        pytest.param(product_and_sum("contract", ""), FUSED, FIRST, id="a flag of the product"),
        pytest.param(product_and_sum("", "contract"), FUSED, FIRST, id="a flag of the sum"),
        pytest.param(product_and_sum("nsz", "nsz"), FUSED, FIRST, id="another flag"),
        pytest.param(CONTRACTED, op("fma", X, Y, Z, flags="contract,nsz"), FIRST, id="a flag of the target"),
        pytest.param(FUSED, product_and_sum("contract", "contract"), FIRST, id="the converse"),
        pytest.param(CONTRACTED, op("fma", X, Z, Y), FIRST, id="another fma"),
        pytest.param(CONTRACTED, FUSED, ("arithmetic", ()), id="no step"),
        pytest.param(CONTRACTED, FUSED, ("arithmetic", FIRST[1] * 2), id="a step twice"),
        pytest.param(CONTRACTED, FUSED, ("arithmetic", ((4, "addf-contract", 9),)), id="no such way"),
        pytest.param(CONTRACTED, FUSED, ("arithmetic", ((4, "addf-contract", -1),)), id="a way before the first"),
        pytest.param(CONTRACTED, FUSED, ("arithmetic", ((3, "addf-contract", 0),)), id="another op"),
        pytest.param(CONTRACTED, FUSED, ("arithmetic", ((5, "addf-contract", 0),)), id="no such op"),
        pytest.param(CONTRACTED, FUSED, ("arithmetic", ((4, "sum-contract", 0),)), id="no such law"),
        pytest.param(CONTRACTED, FUSED, ("geometry", FIRST[1]), id="no such reading"),
    ],
)
def test_a_reading_that_is_none(source: Term, target: Term, reading: Reading) -> None:
    with pytest.raises(Rejected):
        shown(source, target, reading)


def test_flags_of_the_target_are_of_the_term_that_is_read() -> None:
    """`2 * x + y` that may be contracted is finite where `x + x` is not; both have one value as their ops say."""
    flags = "contract"
    source = op("addf", op("addf", X, X, flags=flags), Y, flags=flags)
    target = op("addf", op("mulf", X, TWO, flags=flags), Y, flags=flags)
    with pytest.raises(Rejected, match="flags of the target"):
        read(POOL, source, target, (("arithmetic", ()),))
    plain = op("addf", op("mulf", X, TWO), Y)
    assert read(POOL, source, plain, (("arithmetic", ()),)) == (op("addf", op("addf", X, X), Y), plain)


def test_floats_that_are_rounded_otherwise() -> None:
    with pytest.raises(Rejected, match="may be rounded otherwise"):
        shown(CONTRACTED, FUSED, FIRST, strict=False)


def test_extrema_of_numbers() -> None:
    least, other = op("maxnumf", X, Y, flags="nnan,nsz"), op("maximumf", X, Y)
    assert shown(least, other, ("plain", ())) == (True, True, False)
    for source in (op("maxnumf", X, Y), op("maxnumf", X, Y, flags="nnan"), op("minnumf", X, Y, flags="nnan,nsz")):
        with pytest.raises(Rejected):
            shown(source, other, ("plain", ()))
    with pytest.raises(Rejected, match="nothing is read as"):
        shown(least, other, ("plain", FIRST[1]))
    with pytest.raises(Rejected):
        shown(least, other, ("second", ()))


@pytest.mark.egraph
@pytest.mark.parametrize(
    ("source", "target"),
    [
        (CONTRACTED, FUSED),
        (op("mulf", op("addf", X, ZERO, flags="nsz"), Y, flags="nsz"), op("mulf", X, Y)),
        (op("divf", X, Y, flags="arcp"), op("mulf", X, op("divf", POOL.real(1.0, F32), Y))),
        (op("addf", op("maximumf", X, Y, flags="nnan,nsz"), Z), op("addf", op("maxnumf", X, Y, flags="nnan,nsz"), Z)),
        (
            op("subf", op("mulf", X, op("maxnumf", Y, Z, flags="nnan,nsz"), flags="contract"), X, flags="contract"),
            op("fma", X, op("maximumf", Y, Z, flags="nnan,nsz"), op("negf", X)),
        ),
    ],
)
def test_what_flags_allow_is_written_down(source: Term, target: Term) -> None:
    proof = certify_refinement(POOL, source, target, Refinement(True, True, False), 64)
    assert proof.readings
    assert refinement_from(refinement_data(proof)) == proof
    assert check_refinement(POOL, source, target, proof, Solver(), 64) == (True, True, False)
    with pytest.raises(Rejected):
        check_refinement(POOL, source, target, replace(proof, readings=()), Solver(), 64)


@pytest.mark.parametrize(
    "readings", [[], {}, [["arithmetic"]], [["arithmetic", [[0, "x"]]]], [[1, []]], [["a", [[True, "x", 0]]]]]
)
def test_what_is_no_reading(readings: object) -> None:
    data = refinement_data(RefinementProof(TermProof(), EMPTY, None))
    with pytest.raises(Malformed):
        refinement_from({**data, "readings": readings})


# Over the reals

REALS: Reading = "reals", ()
BIT = POOL.make("leaf", (), BOOL, (("number", 7), ("proper", True)))
ONE = POOL.real(1.0, F32)


def over_reals(source: Term, target: Term, back: Direction | None = EMPTY) -> tuple[bool, bool, bool]:
    """What is shown of two terms over the reals. Raises: Rejected."""
    proof = RefinementProof(TermProof(), EMPTY, back, (REALS,))
    return check_refinement(POOL, source, target, proof, Solver(), 64, False, True)


def test_one_expression_over_the_reals() -> None:
    both = op("mulf", op("addf", X, Y), Z), op("addf", op("mulf", X, Z), op("mulf", Y, Z))
    assert over_reals(*both) == (True, True, True)
    assert over_reals(op("divf", X, X), ONE) == (True, True, False)  # 0 / 0 has no value
    for wrong in (op("addf", op("mulf", X, Z), Y), op("mulf", op("subf", X, Y), Z)):
        with pytest.raises(Rejected, match="not equal"):
            over_reals(both[0], wrong)
    with pytest.raises(Rejected, match="may have no value"):
        over_reals(ONE, op("divf", X, X))


def test_a_literal_is_the_number_that_it_is() -> None:
    """It is assumed of proofs about elements alone that 0.333333343 is 1/3, and nothing is that exp(-inf) is 0."""
    quarter, third, infinite = (POOL.real(value, F32) for value in (0.25, 11184811 * 2.0**-25, float("-inf")))
    assert over_reals(op("mulf", X, quarter), op("divf", X, POOL.real(4.0, F32))) == (True, True, True)
    with pytest.raises(Rejected, match="not equal"):
        over_reals(op("mulf", X, third), op("divf", X, POOL.real(3.0, F32)))
    with pytest.raises(Rejected, match="not equal"):
        over_reals(POOL.make("math.exp", (infinite,), F32), ZERO)
    assert over_reals(
        op("mulf", op("addf", X, Y), infinite), op("addf", op("mulf", X, infinite), op("mulf", Y, infinite))
    )


def test_only_where_floats_are_reals() -> None:
    both = op("mulf", op("addf", X, Y), Z), op("addf", op("mulf", X, Z), op("mulf", Y, Z))
    for strict in (True, False):
        with pytest.raises(Rejected):
            shown(*both, REALS, strict=strict)
    for readings in ((REALS, REALS), (("reals", FIRST[1]),), (REALS, FIRST), ()):
        proof = RefinementProof(TermProof(), EMPTY, None, readings)
        with pytest.raises(Rejected):
            check_refinement(POOL, *both, proof, Solver(), 64, False, True)


def test_over_the_reals_poison_is_what_it_is() -> None:
    """The number that is not selected may be poison."""
    first, second = (POOL.make("leaf", (), F32, (("number", k),)) for k in (8, 9))
    chosen = POOL.make("arith.select", (BIT, first, second), F32)
    bit = POOL.make("arith.uitofp", (BIT,), F32)
    summed = op("addf", op("mulf", bit, first), op("mulf", op("subf", ONE, bit), second))
    with pytest.raises(Rejected, match="the obligation is not the one"):
        over_reals(chosen, summed, None)
    proper = {first: X, second: Y}
    source, target = (rebuild(POOL, term, proper.get, {}) for term in (chosen, summed))
    assert over_reals(source, target, None)[0]
