"""Each case of a test with many has its day."""

from __future__ import annotations

import pytest

import rotation


class Case:
    """What `rotation` asks of a case."""

    def __init__(self, nodeid: str, period: int | None) -> None:
        self.nodeid, self.period, self.late = nodeid, period, False

    def get_closest_marker(self, name: str) -> pytest.Mark | None:
        assert name == "one_in"
        return None if self.period is None else pytest.mark.one_in(self.period).mark

    def add_marker(self, mark: pytest.MarkDecorator) -> None:
        assert mark.name == "long"
        self.late = True


def of_a_day(day: int, monkeypatch: pytest.MonkeyPatch, *groups: tuple[str, int, int | None]) -> list[str]:
    """The cases that are not `long` on a day."""
    monkeypatch.setenv(rotation.SWITCH, str(day))
    cases = [Case(f"{name}[{k}]", period) for name, count, period in groups for k in range(count)]
    rotation.postpone(cases)  # type: ignore[arg-type]
    return [c.nodeid for c in cases if not c.late]


@pytest.mark.parametrize(("count", "period"), [(1, 4), (2, 5), (7, 3), (40, 13)])
def test_each_case_runs_once_in_a_round(count: int, period: int, monkeypatch: pytest.MonkeyPatch) -> None:
    days = [of_a_day(day, monkeypatch, ("t.py::test_a", count, period)) for day in range(100, 100 + period)]
    assert sorted(case for day in days for case in day) == sorted(f"t.py::test_a[{k}]" for k in range(count))
    assert {len(day) for day in days} <= {count // period, -(-count // period)}


def test_what_is_not_marked_runs_each_day(monkeypatch: pytest.MonkeyPatch) -> None:
    groups = ("t.py::test_a", 2, None), ("t.py::test_b", 3, 3), ("t.py::test_c", 4, None)
    found = of_a_day(7, monkeypatch, *groups)
    assert found[:2] == ["t.py::test_a[0]", "t.py::test_a[1]"] and len(found) == 4


def test_a_day_can_be_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(rotation.SWITCH, "12")
    assert rotation.today() == 12
    monkeypatch.delenv(rotation.SWITCH)
    assert rotation.today() > 20_000


def test_of_many_cases_a_part_runs_each_day_unless_told_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    many = 3 * rotation.DAYS
    days = [of_a_day(day, monkeypatch, ("t.py::test_a", many, None)) for day in range(50, 50 + rotation.DAYS)]
    assert {len(day) for day in days} == {3} and len({case for day in days for case in day}) == many
    assert len(of_a_day(50, monkeypatch, ("t.py::test_a", many, 1))) == many
