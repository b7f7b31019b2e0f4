"""Every law is proved at every type at which it may fire."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from hecv.base.types import INDEX, FloatType
from hecv.laws.all_laws import BOOK, DERIVED, LAWS, REFINEMENTS
from hecv.laws.audit.law_audit import Audit, TypeAudit, audit, audit_book, audit_law, kinds_at, worst
from hecv.laws.notation.subject_book import Book
from hecv.patterns.equations.equations import Kind, kind_of
from hecv.patterns.equations.law_record import WIDTHS, Law, integer
from hecv.rules import arith

NARROW = kinds_at((1, 2, 4, 8), ("f16", "bf16", "f32"))
MIDDLE = kinds_at((16, 32), ())
WIDEST = kinds_at((64,), ())
INDICES = [kind_of(INDEX, width) for width in (32, 64)]


def expected(law: Law) -> str:
    return "refines" if law.refines else "proved"


def failures(law: Law, found: Iterable[TypeAudit]) -> list[str]:
    """What is not proved."""
    wrong = [t for t in found if t.audit.result not in (expected(law), "inapplicable")]
    return [f"{law.name}@{','.join(t.types)}: {t.audit.result} {t.audit.model} {t.audit.reason}" for t in wrong]


@pytest.mark.parametrize("law", BOOK, ids=lambda law: law.name)
def test_law_holds(law: Law) -> None:
    """At narrow types and at middle widths, in all combinations; and somewhere its conditions hold."""
    found = [t for kinds in (NARROW, MIDDLE) for t in audit_law(law, kinds, 20_000).types]
    if not any(t.audit.result == expected(law) for t in found):
        found += audit_law(law, kinds_at((1, 8, 32)), 20_000).types
    assert not failures(law, found)
    assert expected(law) in {t.audit.result for t in found}


@pytest.mark.long
@pytest.mark.parametrize("law", BOOK[::3], ids=lambda law: law.name)
def test_law_holds_at_all_types(law: Law) -> None:
    """All widths together: casts combine them. Every third law is five minutes; `hecv rules --audit` has all."""
    every = [*NARROW, *MIDDLE, *WIDEST, Kind(FloatType("f64"), 0)]
    assert not failures(law, audit_law(law, every, 30_000).types)
    for index in INDICES:
        kinds = [integer(1), integer(8), integer(32), integer(64), index]
        assert not failures(law, audit_law(law, kinds, 30_000).types)


def test_names_are_unique_and_kebab_case() -> None:
    names = [law.name for law in BOOK]
    assert len(set(names)) == len(names)
    assert all(name == name.lower() and "_" not in name and " " not in name for name in names)


def test_the_parts_of_the_book() -> None:
    assert {law.name for law in BOOK} == {law.name for part in (LAWS, DERIVED, REFINEMENTS) for law in part}
    assert len(BOOK) == len(LAWS) + len(DERIVED) + len(REFINEMENTS)
    assert not any(law.refines or law.derived for law in LAWS)


def test_a_law_knows_where_it_stands() -> None:
    law = next(law for law in LAWS if law.name == "addi-zero")
    file, line = law.place.rsplit(":", 1)
    assert file.endswith("laws/integers/modular_arithmetic.py")
    assert "addi-zero" in Path(file).read_text(encoding="utf-8").splitlines()[int(line) - 1]


def test_a_law_fires_only_where_it_is_proved() -> None:
    law = next(law for law in LAWS if law.name == "andi-zero")
    assert {kind.width for kind in map(integer, range(1, 130)) if law.instance([kind])} == set(WIDTHS)


def test_a_law_proved_over_the_integers_fires_at_every_width_but_one() -> None:
    law = next(law for law in LAWS if law.name == "divui-remui-sum")
    assert {kind.width for kind in map(integer, range(1, 130)) if law.instance([kind])} == set(range(2, 130))


# What an audit says

samples = Book("any")
one_way = Book("any", refines=True)
I8 = integer(8)


@samples.law("holds")
def _(x, k):
    assert k.literal
    return x << k, x * (1 << k)


@samples.law("does-not-hold")
def _(x):
    return arith.divui(x, x), 1


@samples.law("condition-never-holds")
def _(x, c):
    assert arith.cmpi(c, c, predicate="ult")
    return x + c, x


@samples.law("beyond-the-solver", widths=(64,))
def _(x, y):
    return arith.remui(arith.remui(x, y), y), arith.remui(x, y)


@samples.law("beyond-the-solver-and-wrong", widths=(64,))
def _(x, y, z):
    return arith.divui(x * y * z, x * y), z


@samples.law("product-of-sums-of-floats", formats=("f64",))
def _(x, y, z):
    return arith.mulf(arith.addf(x, y), z), arith.addf(arith.mulf(x, z), arith.mulf(y, z))


@one_way.law("divides-itself")
def _(x):
    return arith.divui(x, x), 1


@one_way.law("adds-a-flag")
def _(x, y):
    return x + y, arith.addi(x, y, overflow="nsw")


@one_way.law("evaluates-a-quotient")
def _(x, y):
    return x * y, arith.divui(x * y, 1) + (arith.divui(x, y) - arith.divui(x, y))


@one_way.law("logic-from-choice")
def _(p, q):
    return arith.select(p, q, False), p & q


@one_way.law("divides-itself-signed", integral="signed")
def _(x):
    return arith.divsi(x, x), 1


@one_way.law("divides-itself-to-nothing", integral="signed")
def _(x):
    return arith.remsi(x, x), arith.divsi(x, x)


@one_way.law("divides-itself-by-flags", integral="signed")
def _(x):
    """The values are equal wherever the left side is defined; that of the least number is poison on the right."""
    zero = arith.remsi(x, x)
    return zero, arith.subi(
        zero, arith.subi(x, x, overflow="nsw") + arith.subi(arith.addi(x, x, overflow="nsw"), x + x)
    )


@one_way.law("divides-later", integral="signed")
def _(x, y):
    """The values are equal as total ones; the right side is undefined where `y` is zero."""
    return x + y, arith.addi(x + y, arith.subi(arith.divsi(x, y), arith.divsi(x, y)))


def said(name: str, kind: Kind = I8, milliseconds: int = 3_000) -> Audit:
    law = next(law for law in (*samples.laws, *one_way.laws) if law.name == name)
    instance = law.instance([kind] if law.arity else [])
    assert instance is not None
    return audit(instance, milliseconds)


def test_proved() -> None:
    assert said("holds").result == "proved"


def test_failed_with_values() -> None:
    found = said("does-not-hold")
    assert (found.result, found.model) == ("failed", {"x": 0})


def test_inapplicable() -> None:
    assert said("condition-never-holds").result == "inapplicable"


def test_tested_where_the_solver_gives_up() -> None:
    found = said("beyond-the-solver", integer(64), 1)
    assert (found.result, found.how) == ("tested", "random")
    assert found.reason


def test_values_refute_what_the_solver_does_not() -> None:
    found = said("beyond-the-solver-and-wrong", integer(64), 1)
    assert (found.result, found.how) == ("failed", "random")
    found = said("product-of-sums-of-floats", Kind(FloatType("f64"), 0), 1)
    assert (found.result, found.how) == ("failed", "random")


def test_one_way() -> None:
    assert said("divides-itself").result == "refines"


@pytest.mark.parametrize("bits", [8, 64])
def test_one_way_over_the_integers(bits: int) -> None:
    found = said("divides-itself-signed", integer(bits))
    assert (found.result, found.how) == ("refines", "integers")


@pytest.mark.parametrize("name", ["divides-itself-to-nothing", "divides-itself-by-flags", "divides-later"])
def test_one_way_over_the_integers_is_no_more_than_equal_values(name: str) -> None:
    """Values where the left side is defined, and apart from these poison and what is undefined."""
    assert said(name).result == "failed"


def test_one_way_with_a_flag_too_many() -> None:
    found = said("adds-a-flag")
    assert found.result == "failed"
    assert found.model is not None and {"x", "y"} <= set(found.model)


def test_one_way_to_undefined_behaviour() -> None:
    assert said("evaluates-a-quotient").result == "failed"


def test_one_way_to_poison() -> None:
    """What is not chosen may be poison."""
    found = said("logic-from-choice")
    assert (found.result, found.model) == ("failed", {"p": 0, "q": "poison"})


def test_audit_of_laws() -> None:
    found = audit_book([law for law in samples.laws if law.name in ("holds", "does-not-hold")], (4, 8), 3_000, ())
    assert [(rule.name, rule.kind, rule.audit, rule.widths) for rule in found] == [
        ("holds", "static", "proved", (4, 8)),
        ("does-not-hold", "static", "failed", (4, 8)),
    ]
    assert [t.types for t in found[0].types] == [("i4",), ("i8",)]


def test_the_worst_counts() -> None:
    assert worst(["proved", "inapplicable"]) == "proved"
    assert worst(["proved", "tested", "unknown"]) == "unknown"
    assert worst(["unknown", "failed"]) == "failed"
    assert worst([]) == "inapplicable"


def test_laws_of_index_are_audited_at_index() -> None:
    law = next(law for law in LAWS if law.name == "cmpi-slt-of-index-cast")
    assert audit_law(law, kinds_at((8,), ()), 3_000).audit == "proved"
