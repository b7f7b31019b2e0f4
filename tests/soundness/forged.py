"""Certificates that an attacker makes of right ones: well formed, under a digest of their own, and wrong."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from hecv.kernel.certificate.file_format import digest

Edit = Callable[[Any, Random], None]
"""Changes a certificate in place."""

EMPTY: tuple[dict[str, Any], ...] = (
    *({"kind": kind} for kind in ("identity", "form")),
    *({"kind": kind, "count": count} for kind in ("inputs", "elements") for count in (0, 1, 256)),
    {"kind": "aligned", "values": {"terms": [], "lemmas": [], "steps": []}},
    {"kind": "unrolled", "proof": {"kind": "results", "proofs": []}},
)
"""Proofs that tell nothing."""


def sealed(data: dict[str, Any]) -> str:
    """The certificate as text, under a digest made anew."""
    body = {name: value for name, value in data.items() if name != "digest"}
    text = json.dumps(body, separators=(",", ":"), sort_keys=True)
    return json.dumps({**body, "digest": digest(text)})


def forged(text: str, other: str, programs: tuple[str, str], random: Random) -> str:
    """The certificate `text` as one of these programs, edited, with parts of the `other` certificate; what it says of
    options stays, as those say what it means."""
    data, donor = json.loads(text), json.loads(other)
    data["source"], data["target"] = map(digest, programs)
    if random.random() < 0.1:
        return sealed(data)
    for _ in range(random.choice((1, 1, 1, 2, 3, 8))):
        edit = random.choice(EDITS)
        edit(data["functions"], random) if random.random() < 0.85 else _given(data["functions"], donor, random)
    return sealed(data)


def _given(functions: list[Any], donor: Any, random: Random) -> None:
    """A proof becomes that of another certificate, or one that tells nothing."""
    proofs = [f["proof"] for f in donor.get("functions", ())]
    for function in (f for f in functions if isinstance(f, dict)):
        function["proof"] = copy.deepcopy(random.choice((*proofs, random.choice(EMPTY))))


def _places(data: Any) -> Iterator[tuple[Any, Any]]:
    for key in list(data) if isinstance(data, dict) else range(len(data)):
        yield data, key
        if isinstance(data[key], dict | list):
            yield from _places(data[key])


def _alike(functions: Any, random: Random) -> tuple[tuple[Any, Any], tuple[Any, Any]] | None:
    """Two places whose values are of one type and field."""
    places = list(_places(functions))
    if not places:
        return None
    one = random.choice(places)
    kind = type(one[0][one[1]])
    others = [p for p in places if type(p[0][p[1]]) is kind and (isinstance(p[1], int) or p[1] == one[1])]
    return one, random.choice(others)


def _swap(functions: Any, random: Random) -> None:
    """Two values of one type change places, such as steps, numbers or names of rules."""
    found = _alike(functions, random)
    if found is not None:
        (one, key), (other, place) = found
        one[key], other[place] = copy.deepcopy(other[place]), copy.deepcopy(one[key])


def _copy(functions: Any, random: Random) -> None:
    """A value becomes another of its type."""
    found = _alike(functions, random)
    if found is not None:
        (one, key), (other, place) = found
        one[key] = copy.deepcopy(other[place])


def _drop(functions: Any, random: Random) -> None:
    """A step, an obligation or another element is left out."""
    lists = [v for v in (c[k] for c, k in _places(functions)) if isinstance(v, list) and v]
    if lists:
        chosen = random.choice(lists)
        del chosen[random.randrange(len(chosen))]


def _number(functions: Any, random: Random) -> None:
    """A number becomes one next to it, or an extreme one."""
    numbers = [(c, k) for c, k in _places(functions) if type(c[k]) is int]
    if numbers:
        one, key = random.choice(numbers)
        one[key] = random.choice((one[key] - 1, one[key] + 1, 0, -1, 2**31, 2**64, 10**30))


def _text(functions: Any, random: Random) -> None:
    """Of a text, such as a relation or an obligation, a part goes, or it says nothing."""
    texts = [(c, k) for c, k in _places(functions) if isinstance(c[k], str) and k not in ("source", "target", "kind")]
    if not texts:
        return
    one, key = random.choice(texts)
    old = one[key]
    parts = old.split(" and ")
    without = " and ".join(p for k, p in enumerate(parts) if k != random.randrange(len(parts)))
    one[key] = random.choice((without, "", old.split(":")[0] + (" }" if "{" in old else ""), "{ }", "true"))


def _null(functions: Any, random: Random) -> None:
    """What is said is not said, or a flag is the other one."""
    places = list(_places(functions))
    if places:
        one, key = random.choice(places)
        one[key] = not one[key] if isinstance(one[key], bool) else None


EDITS: tuple[Edit, ...] = (_swap, _copy, _drop, _number, _text, _null)
