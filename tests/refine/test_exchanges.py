"""Ranks that send and receive: a receive that does not block waits where its tensor is read, and no tensor is taken for
one of another group or type."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")


@pytest.mark.parametrize(
    ("sequential", "distributed", "ranks"),
    [
        ("shifted", "received_first", 2),
        ("shifted_by_a_part", "received_first", 4),
        ("shifted", "received_into_rows", 2),
        ("shifted", "sent_flat", 2),
        ("total", "received_and_reduced", 2),
        ("negative", "crossed_groups", 2),
    ],
)
def test_refines(sequential: str, distributed: str, ranks: int) -> None:
    from tests.refine.rank_answers import answer

    found = answer("exchanges", sequential, distributed, ranks)
    assert found.verdict == "refines", found


@pytest.mark.parametrize(
    ("sequential", "distributed", "ranks"),
    [("shifted_by_a_part", "wrong_direction", 4), ("same", "crossed_groups", 2)],
)
def test_what_another_rank_or_group_has_is_no_substitute(sequential: str, distributed: str, ranks: int) -> None:
    from tests.refine.rank_answers import answer

    found = answer("exchanges", sequential, distributed, ranks)
    assert found.verdict == "unknown", found


@pytest.mark.parametrize(
    ("distributed", "text"),
    [
        ("wrong_received_before_sent", "rank 0 waits for a tensor that rank 1 does not send"),
        ("wrong_read_before_sent", "rank 0 waits for a tensor that rank 1 does not send"),
        ("wrong_never_sent", "rank 0 waits for a tensor that rank 1 does not send"),
        ("wrong_type", "rank 1 receives 2x3xf32 from rank 0, which sends 2x3xf64"),
        ("whole_exchange", "all_to_all of 2x3xf64 on rank 0, of 2x2xf64 on rank 1"),
    ],
)
def test_ranks_that_do_not_agree(distributed: str, text: str) -> None:
    from tests.refine.rank_answers import answer

    found = answer("exchanges", "shifted", distributed)
    assert found.verdict == "not-equivalent" and found.deadlock is not None, found
    assert found.deadlock.text == text


def test_a_mean_of_integers_over_ranks_is_not_read() -> None:
    from tests.refine.rank_answers import answer

    from hecv.torch.graph_capture import Unsupported

    with pytest.raises(Unsupported, match="i64 over ranks by avg"):
        answer("exchanges", "shifted", "integer_mean")
