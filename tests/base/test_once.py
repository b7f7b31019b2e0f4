"""What is kept is what the function returns, for the arguments that were asked for last."""

from __future__ import annotations

import pytest

from hecv.base.memo import KEPT, Once


def test_a_result_is_computed_once() -> None:
    asked: list[int] = []

    def square(value: int, *, plus: int = 0) -> int:
        asked.append(value)
        return value * value + plus

    once = Once()
    assert [once(square, 3), once(square, 3), once(square, 3, plus=1)] == [9, 9, 10]
    assert asked == [3, 3]


def test_what_was_not_asked_for_lately_is_forgotten() -> None:
    asked: list[int] = []
    once = Once()
    for value in (*range(KEPT), 0, KEPT, 0, 1):
        once(asked.append, value)
    assert asked == [*range(KEPT), KEPT, 1]


def test_what_is_raised_is_not_kept() -> None:
    once = Once()
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            once(divmod, 1, 0)
    assert once(divmod, 5, 3) == (1, 2)
