"""Certificates about functions with short loops copied out."""

from __future__ import annotations

import json

import pytest
from tests.replay.test_tampering import NAMES, replayed, sealed
from tests.verdict.test_unrolling import PAIRS

from hecv.certificate.errors import Malformed, Rejected
from hecv.certificate.format import digest, render
from hecv.check import Options, check, meaning_of
from hecv.replaying import certificate_of

SOURCE, RIGHT, WRONG = PAIRS["power"]


@pytest.mark.egraph
def test_what_is_copied_out_is_replayed() -> None:
    options = Options(recording=True)
    (report,) = check(SOURCE, RIGHT, NAMES, options).functions
    assert report.certificate is not None
    text = render(certificate_of((SOURCE, RIGHT), meaning_of(options), [report.certificate]))
    data = json.loads(text)
    assert data["functions"][0]["proof"]["kind"] == "unrolled"
    replayed(text, SOURCE, RIGHT)
    with pytest.raises((Rejected, Malformed)):
        replayed(sealed({**data, "target": digest(WRONG)}), SOURCE, WRONG)
    data["functions"][0]["proof"] = data["functions"][0]["proof"]["proof"]  # about the loops themselves
    with pytest.raises((Rejected, Malformed)):
        replayed(sealed(data), SOURCE, RIGHT)
    straight = sealed({**json.loads(text), "source": digest(RIGHT)})  # no loop on either side
    with pytest.raises((Rejected, Malformed)):
        replayed(straight, RIGHT, RIGHT)
