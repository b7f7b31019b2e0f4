"""Proofs about a pair that was changed first: the checker makes the change that is named, and no other."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from tests.kernel.specimens import PROGRAMS
from tests.kernel.test_tampering import REFUSED, certificate, replayed, sealed

from hecv.kernel.certificate.rejection import Malformed, Rejected
from hecv.kernel.program_changes import CHANGES

pytestmark = pytest.mark.egraph

CHANGED = {
    "results": "full-unrolling",
    "threaded": "exit-normalisation",
    "asserted": "asserted-values",
    "assumed arguments": "assumed-arguments",
    "strided": "symbolic-steps",
    "ordered calls": "ordered-calls",
    "modular": "modular-conditions",
    "swap with itself": "idle-branches",
    "swap within a branch": "idle-accesses",
    "looked up": "look-ups",
    "carried range": "carried-ranges",
    "divisors": "positive-divisors",
    "divisors of one form": "positive-divisors",
}
"""Specimens whose proofs are of this kind, and the change of each."""


def _proof(name: str) -> tuple[Any, dict[str, Any]]:
    """The certificate as data, and the proof in it, which is about a changed pair."""
    data = json.loads(certificate(name))
    return data, data["functions"][0]["proof"]


def _refused(name: str, proof: dict[str, Any], *errors: type[Exception], match: str | None = None) -> None:
    """A certificate of a specimen with this proof is refused."""
    data, _ = _proof(name)
    data["functions"][0]["proof"] = proof
    with pytest.raises(errors or REFUSED, match=match):
        replayed(sealed(data), PROGRAMS[name].source, PROGRAMS[name].target)


def test_each_change_has_a_specimen() -> None:
    assert set(CHANGED.values()) == {change.name for change in CHANGES}


@pytest.mark.parametrize("name", CHANGED)
def test_the_change_is_named(name: str) -> None:
    data, proof = _proof(name)
    assert (proof["kind"], proof["change"]) == ("via", CHANGED[name])
    replayed(sealed(data), PROGRAMS[name].source, PROGRAMS[name].target)


@pytest.mark.parametrize("name", CHANGED)
def test_a_change_that_is_none(name: str) -> None:
    for change in ("", "Full-unrolling", "identity", "whatever"):
        _refused(name, {**_proof(name)[1], "change": change}, Rejected, match="no change of this name")


@pytest.mark.parametrize("name", CHANGED)
def test_another_change(name: str) -> None:
    """It does not apply, or what it makes is not what the proof is about."""
    for change in CHANGES:
        if change.name != CHANGED[name]:
            _refused(name, {**_proof(name)[1], "change": change.name})


@pytest.mark.parametrize("name", CHANGED)
def test_a_change_that_does_not_apply(name: str) -> None:
    """There is nothing to change in straight-line code without assertions."""
    why = next(change.absent for change in CHANGES if change.name == CHANGED[name])
    _refused("identity", _proof(name)[1], Rejected, match=why)


@pytest.mark.parametrize("name", CHANGED)
def test_the_proof_within_is_about_the_changed_pair(name: str) -> None:
    """It does not stand alone, nor for the proof of another specimen, nor is a proof of any kind one within."""
    _refused(name, _proof(name)[1]["proof"])
    for other in CHANGED:
        if _proof(other)[1]["proof"] != _proof(name)[1]["proof"]:
            _refused(name, {**_proof(name)[1], "proof": _proof(other)[1]["proof"]})
    for inner in _no_proofs(name):
        _refused(name, {**_proof(name)[1], "proof": inner}, Malformed)


def _no_proofs(name: str) -> Iterator[dict[str, Any]]:
    yield {}
    yield _proof(name)[1]  # a change of a changed pair
    yield {"kind": "identity"}
    yield {"kind": "inputs", "count": 1}
    yield {"kind": "results"}
    yield {"kind": "results", "proofs": [], "more": 0}


def test_a_stricter_target_says_nothing_of_the_converse() -> None:
    data, _ = _proof("divisors")
    data["verdict"] = data["functions"][0]["verdict"] = "equivalent"
    with pytest.raises(Rejected, match="the source is not shown to refine the target"):
        replayed(sealed(data), PROGRAMS["divisors"].source, PROGRAMS["divisors"].target)
