"""Programs with symbolic sizes: `refines` is for all of them, and never for the example's alone."""

from __future__ import annotations

import pytest

from hecv.base.diagnostics import InputError

from .rank_answers import answer

RIGHT = (
    ("block", "block_ranks", 2),
    ("block", "block_ranks", 4),
    ("averaged", "averaged_ranks", 2),
    ("long_table", "long_table_ranks", 2),
    ("layer", "own_tokens", 2),
    ("layer_of_four", "own_tokens", 4),
    ("gradients", "gradients_ranks", 2),
)

RIGHT_FOR_THE_EXAMPLE = (
    ("averaged", "averaged_by_number"),
    ("block", "masked_by_number"),
    ("layer", "start_of_example"),
    ("layer", "start_of_none"),
)


@pytest.mark.parametrize(("sequential", "ranks", "degree"), RIGHT)
def test_for_all_sizes(sequential: str, ranks: str, degree: int) -> None:
    found = answer("sized", sequential, ranks, degree)
    assert found.verdict == "refines", (found.unknown, found.blocked)
    assert {s.called for s in found.sizes} in ({"batch", "tokens"}, {"batch", "part"})
    assert all(s.least == 2 for s in found.sizes)
    assert len({tuple(at.values()) for at in found.ways}) > 2


@pytest.mark.parametrize(("sequential", "ranks"), RIGHT_FOR_THE_EXAMPLE)
def test_for_the_size_of_the_example_alone(sequential: str, ranks: str) -> None:
    found = answer("sized", sequential, ranks)
    assert found.verdict == "unknown" and found.blocked is not None


def test_an_expected_relation_that_fails_at_other_sizes() -> None:
    found = answer("sized", "averaged", "averaged_by_number", relation='[outputs]\nout = "replicate(out)"')
    assert found.verdict == "not-equivalent" and found.counterexample is not None
    assert found.counterexample.at["tokens"] != 6


def test_a_gradient_that_is_not_reduced() -> None:
    found = answer("sized", "gradients", "gradients_not_reduced", relation='[outputs]\n"d.norm" = "replicate(d.norm)"')
    assert found.verdict == "not-equivalent"


def test_a_table_that_is_shorter_than_the_longest_input() -> None:
    with pytest.raises(Exception, match="out of range"):
        answer("sized", "short_table", "short_table_ranks")


@pytest.mark.parametrize(("ranks", "text"), [("reshaped_by_number", "tokens"), ("of_one_length", "tokens == 6")])
def test_what_a_trace_takes_for_granted(ranks: str, text: str) -> None:
    from hecv.torch.rank_capture import SizesTakenForGranted

    with pytest.raises(SizesTakenForGranted, match=text) as problem:
        answer("sized", "block", ranks)
    assert problem.value.place is not None and problem.value.place.file.endswith("sized.py")


def test_two_ranges_of_one_size() -> None:
    with pytest.raises(InputError, match="tokens from 2 to 16"):
        answer("sized", "block", "other_range")


def test_sizes_of_ranks_that_are_not_those_of_the_sequential_program() -> None:
    with pytest.raises(InputError, match="`x` has sizes"):
        answer("sized", "layer", "other_name")


def test_a_result_that_is_a_size() -> None:
    with pytest.raises(Exception, match="returns a size"):
        answer("sized", "returns_a_size", "returns_a_size_ranks")
