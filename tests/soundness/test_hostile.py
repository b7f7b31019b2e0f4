"""Hostile input: within the limits there is an answer or a diagnostic, never a traceback."""

from __future__ import annotations

from contextlib import suppress
from random import Random

import pytest

from hecv.check import Options, check, meaning_of
from hecv.claim.result import Report
from hecv.kernel.certificate.file_format import render
from hecv.kernel.certificate.rejection import Malformed
from hecv.process.worker_pool import Limits
from hecv.replaying import Refused, certificate_of, replay

from .forged import forged
from .hostile import PLAIN, Case, adversarial, spoiled
from .odd import UNUSUAL, crossed, encoded, generic, with_function

OPTIONS = Options(seconds=8.0, megabytes=4096)
CASES = tuple(adversarial(20))


def text(contents: bytes) -> str:
    return contents.decode("utf-8", "replace")


def require_answer(report: Report) -> None:
    """An error is one of the input, told by its name and place."""
    found = [*report.diagnostics, *(d for f in report.functions for d in f.diagnostics)]
    assert not report.internal and not any("Traceback" in d.message for d in found), found
    assert report.verdict != "error" or found
    for function in report.functions:
        assert function.verdict != "not-equivalent" or function.counterexample is not None


@pytest.mark.one_in(24)
@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_adversarial(case: Case) -> None:
    require_answer(check(text(case.source), text(case.target), ("s.mlir", "t.mlir"), OPTIONS))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("first", range(0, 60, 20))
def test_spoiled(first: int) -> None:
    for seed in range(first, first + 20):
        require_answer(check(PLAIN, spoiled(PLAIN, Random(seed)), ("s.mlir", "t.mlir"), OPTIONS))


@pytest.mark.long
def test_many_spoiled() -> None:
    for seed in range(1_000, 2_500):
        require_answer(check(PLAIN, spoiled(PLAIN, Random(seed)), ("s.mlir", "t.mlir"), OPTIONS))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("number", range(len(UNUSUAL)))
def test_unusual_dialects(number: int) -> None:
    for made in (UNUSUAL[number], generic(UNUSUAL[number])):
        require_answer(check(UNUSUAL[number], made, ("s.mlir", "t.mlir"), OPTIONS))


@pytest.mark.one_in(8)
@pytest.mark.parametrize("first", range(0, 60, 20))
def test_odd_texts(first: int) -> None:
    for seed in range(first, first + 20):
        random = Random(seed)
        other = random.choice(UNUSUAL)
        odd = (crossed(PLAIN, other, random), with_function(PLAIN, other, random), encoded(PLAIN, random))
        for made in odd:
            contents = made.encode(errors="surrogatepass")
            require_answer(check(PLAIN, text(contents), ("s.mlir", "t.mlir"), OPTIONS))


def test_forged_certificates() -> None:
    """What is made of a right certificate is well formed, seldom the same, and never one of other programs."""
    wrong = PLAIN.replace("%v, %x", "%v, %v")
    report = check(PLAIN, PLAIN.replace("%v, %x", "%x, %v"), ("s.mlir", "t.mlir"), Options(recording=True))
    proofs = [f.certificate for f in report.functions if f.certificate is not None]
    text = render(certificate_of((PLAIN, wrong), meaning_of(Options()), proofs))
    for seed in range(40):
        made = forged(text, text, (PLAIN, wrong), Random(seed))
        with suppress(Malformed):
            found = replay(made, (PLAIN, wrong), ("s.mlir", "t.mlir"), "z3", Limits(8.0, 4096))
            assert isinstance(found, Refused)
