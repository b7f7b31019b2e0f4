"""Every law is proved at every type at which it may fire."""

from __future__ import annotations

from pathlib import Path

import pytest

from hecv.base.types import INDEX, FloatType
from hecv.rules.audit import audit
from hecv.rules.language import Kind, kind_of
from hecv.rules.law import FORMATS, WIDTHS, Law, integer
from hecv.rules.laws import LAWS

NARROW = [integer(width) for width in (1, 2, 4, 8)]
MIDDLE = [integer(width) for width in (16, 32)]
WIDEST = [integer(64)]
INDICES = [kind_of(INDEX, width) for width in (32, 64)]
SMALL_FLOATS = [Kind(FloatType(name), 0) for name in ("f16", "f32")]
FLOATS = [Kind(FloatType(name), 0) for name in FORMATS]


def _failures(law: Law, kinds: list[Kind], milliseconds: int) -> list[str]:
    found = [(instance.name, audit(instance, milliseconds)) for instance in law.instances(kinds)]
    return [f"{name}: {a.result} {a.model}" for name, a in found if a.result not in ("proved", "inapplicable")]


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.name)
def test_law_holds_at_narrow_types(law: Law) -> None:
    assert not _failures(law, [*NARROW, *SMALL_FLOATS], 20_000)


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.name)
def test_law_holds_at_middle_widths(law: Law) -> None:
    assert not _failures(law, MIDDLE, 20_000)


@pytest.mark.long
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.name)
def test_law_holds_at_all_types(law: Law) -> None:
    """All widths together: casts combine them."""
    every = [*NARROW, *MIDDLE, *WIDEST, *FLOATS]
    assert not _failures(law, every, 30_000)
    for index in INDICES:
        assert not _failures(law, [integer(1), integer(8), integer(32), integer(64), index], 30_000)


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.name)
def test_law_is_proved_somewhere(law: Law) -> None:
    """A law whose condition never holds would be proved of nothing."""
    kinds = [integer(1), integer(2), integer(8), integer(16), kind_of(INDEX, 64), *FLOATS]
    assert any(audit(instance, 30_000).result == "proved" for instance in law.instances(kinds))


def test_names_are_unique_and_kebab_case() -> None:
    names = [law.name for law in LAWS]
    assert len(set(names)) == len(names)
    assert all(name == name.lower() and "_" not in name and " " not in name for name in names)


def test_a_law_knows_where_it_stands() -> None:
    law = next(law for law in LAWS if law.name == "addi-zero")
    file, line = law.place.rsplit(":", 1)
    assert file.endswith("integers.py")
    assert "addi-zero" in Path(file).read_text(encoding="utf-8").splitlines()[int(line) - 1]


def test_a_law_fires_only_where_it_is_proved() -> None:
    law = next(law for law in LAWS if law.name == "andi-zero")
    assert {kind.width for kind in map(integer, range(1, 130)) if law.instance([kind])} == set(WIDTHS)


def test_a_law_proved_over_the_integers_fires_at_every_width_but_one() -> None:
    law = next(law for law in LAWS if law.name == "divui-remui-sum")
    assert {kind.width for kind in map(integer, range(1, 130)) if law.instance([kind])} == set(range(2, 130))
