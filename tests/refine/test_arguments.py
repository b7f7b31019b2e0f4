"""Arguments that are one in the example are not one in the program."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")


@pytest.mark.parametrize(
    ("sequential", "distributed"),
    [
        ("masked", "masked_again"),
        ("weighted", "weighted_again"),
        ("shifted_by_constant", "shifted_by_constant_again"),
        ("nested", "nested_again"),
        ("returned", "returned_again"),
        ("step", "step_again"),
        ("step", "step_as_a_result"),
    ],
)
def test_refines(sequential: str, distributed: str) -> None:
    from tests.refine.rank_answers import answer

    found = answer("arguments", sequential, distributed)
    assert found.verdict == "refines", found


@pytest.mark.parametrize(
    ("sequential", "distributed"),
    [
        ("masked", "wrong_mask"),
        ("weighted", "wrong_weighted"),
        ("shifted_by_constant", "wrong_shift"),
        ("nested", "wrong_nested"),
        ("returned", "wrong_returned"),
        ("step", "wrong_step_beside"),
    ],
)
def test_what_holds_of_the_example_alone_is_not_proved(sequential: str, distributed: str) -> None:
    from tests.refine.rank_answers import answer

    found = answer("arguments", sequential, distributed)
    assert found.verdict == "unknown", found


def test_a_write_through_another_type_is_not_read() -> None:
    from tests.refine.rank_answers import answer

    from hecv.torch.graph_capture import Unsupported

    with pytest.raises(Unsupported, match="of another type"):
        answer("arguments", "ones", "bits")
