"""What is the text of a certificate, whatever it says."""

from __future__ import annotations

import json
import re

import pytest
from tests.kernel.test_tampering import certificate

from hecv.kernel.certificate.file_format import read
from hecv.kernel.certificate.rejection import Malformed


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", "null", '{"schema":"hecv.certificate/1"}', "[" * 100_000, '{"a":' * 50_000, "1e999"]
)
def test_what_is_no_certificate(text: str) -> None:
    with pytest.raises(Malformed):
        read(text)


def _doubled(text: str, place: int) -> str:
    """The text of a certificate with another value for the key at `place`, before the one that it has. A reader of JSON
    that takes the last of two sees nothing of it."""
    key = text[place : text.index(":", place) + 1]
    return f"{text[:place]}{key}0,{text[place:]}"


@pytest.mark.parametrize("name", ["lemmas", "loop", "turns"])
def test_no_key_stands_twice(name: str) -> None:
    text = certificate(name)
    places = [found.start() for found in re.finditer(r'"\w+":', text)]
    assert len(places) > 10
    for place in places:
        changed = _doubled(text, place)
        assert json.loads(changed) == json.loads(text)
        with pytest.raises(Malformed, match="a key twice"):
            read(changed)


@pytest.mark.parametrize("constant", ["NaN", "Infinity", "-Infinity"])
def test_a_number_is_one_of_json(constant: str) -> None:
    with pytest.raises(Malformed, match="is not JSON"):
        read(certificate("lemmas").replace('"schema"', f'"more":{constant},"schema"', 1))
