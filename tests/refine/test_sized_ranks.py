"""Programs with symbolic sizes: `refines` is for all of them, and never for the example's alone."""

from __future__ import annotations

import pytest

from hecv.base.diagnostics import InputError
from hecv.tensors.comprehension import Comprehension, leaf, real
from hecv.tensors.definitions.aten_layout import reshaped
from hecv.tensors.index_terms import Undefined, fresh, inside, single_indices, sized

from .rank_answers import answer

RIGHT = (
    ("block", "block_ranks", 2),
    ("block", "block_ranks", 4),
    ("averaged", "averaged_ranks", 2),
    ("long_table", "long_table_ranks", 2),
    ("layer", "own_tokens", 2),
    ("layer_of_four", "own_tokens", 4),
    ("gradients", "gradients_ranks", 2),
    ("flat_sum", "flat_sum_of_exchanged", 2),
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


@pytest.mark.parametrize(
    ("sequential", "ranks", "text"),
    [
        ("doubled", "doubled_up_to", "not proved"),
        ("doubled", "doubled_by_quotient", "not shown for all sizes: nonzero divisor"),
        ("table_of_most", "table_of_most_ranks", "beyond its table, of 100"),
        ("flattened", "flattened_exchanged", "no clean expression"),
    ],
)
def test_what_no_run_shows(sequential: str, ranks: str, text: str) -> None:
    """No length above 64 is run."""
    found = answer("sized", sequential, ranks)
    assert found.verdict == "unknown" and text in found.unknown


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


def test_merged_dimensions_keep_their_order() -> None:
    batch, tokens = (sized(fresh(30) + 2) for _ in range(2))
    x = leaf("x", (batch, tokens, 4))
    merged = Comprehension((batch * tokens, 4), lambda *i: reshaped(x, (batch * tokens, 4), i))
    indices, element = merged.generic()
    assert element is x[single_indices(indices)]
    back = Comprehension((batch, tokens, 4), lambda *i: reshaped(merged, (batch, tokens, 4), i))
    places, again = back.generic()
    assert again is x[places]
    for undecided in (
        lambda: reshaped(merged, (tokens, batch, 4), (fresh(2), fresh(2), fresh(4))),
        lambda: leaf("y", (tokens * batch, 4))[indices],
        lambda: indices[0] + 1,
        lambda: 1 - indices[0],
        lambda: indices[0] < 3,
        lambda: indices[0] * 2,
        lambda: batch * tokens == tokens * batch,
        lambda: real(indices[0]),
        lambda: inside((fresh(4),), (batch * tokens,)),
    ):
        with pytest.raises(Undefined):
            undecided()
