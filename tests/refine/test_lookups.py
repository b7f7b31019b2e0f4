"""Look-ups of ranks are in range wherever those of the sequential program are, or it is said."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")

PADDED = '[parameters]\ntable = "concat(table@0, table@1, table@2, slice(table@3, 0, 0, 1), dim=0)"\n'


@pytest.mark.parametrize(
    ("sequential", "distributed", "ranks", "relation"),
    [
        ("words", "words_vp", 2, ""),
        ("words", "words_clamped", 2, ""),
        ("words", "words_put", 2, ""),
        ("labels", "labels_vp", 2, ""),
        ("mean_loss", "mean_loss_dp", 2, ""),
        ("tiered", "tiered_dp", 2, ""),
        ("halved", "halved_dp", 2, ""),
        ("few_words", "padded_vp", 4, PADDED),
        ("head", "head_padded", 4, PADDED),
    ],
)
def test_refines(sequential: str, distributed: str, ranks: int, relation: str) -> None:
    from tests.refine.rank_answers import answer

    found = answer("lookups", sequential, distributed, ranks, relation)
    assert found.verdict == "refines", found
    assert "index in range" not in found.assumptions


@pytest.mark.parametrize(
    ("sequential", "distributed", "ranks", "relation"),
    [
        ("words", "wrong_border", 2, ""),
        ("words", "wrong_words_put", 2, ""),
        ("labels", "wrong_labels", 2, ""),
        ("compared", "wrong_looked_up_next", 2, ""),
        ("few_words", "wrong_padded_row", 4, PADDED),
        ("few_words", "wrong_padded_last", 4, PADDED),
        ("head", "wrong_head_padded", 4, PADDED),
    ],
)
def test_mistakes_do_not_refine(sequential: str, distributed: str, ranks: int, relation: str) -> None:
    from tests.refine.rank_answers import answer

    found = answer("lookups", sequential, distributed, ranks, relation)
    assert found.verdict == "unknown", found


def test_where_a_rank_leaves_its_table_is_said() -> None:
    from tests.refine.rank_answers import answer

    found = answer("lookups", "words", "wrong_border")
    assert found.unknown.startswith("rank 0 may look up an index beyond its table, of 20")
    assert found.blocked is not None and found.blocked.looks_up
    assert found.blocked.place is not None and "F.embedding" in found.blocked.place.text


def test_an_index_that_ranks_alone_look_up_is_assumed_to_be_in_range() -> None:
    from tests.refine.rank_answers import answer

    found = answer("lookups", "doubled", "doubled_and_looked_up")
    assert found.verdict == "refines"
    assert found.assumptions["index in range"] == 4


@pytest.mark.parametrize(("part", "known"), [(slice(None), {"ids": (-10, 9)}), (slice(0, 4), {}), (slice(2, 6), {})])
def test_a_look_up_of_some_words_says_nothing_of_the_others(part: slice, known: dict[str, tuple[int, int]]) -> None:
    import torch
    from tests.refine.rank_answers import programs

    from hecv.relate.graphs.graph_index import GraphIndex
    from hecv.relate.graphs.lookups import input_ranges
    from hecv.torch.rank_capture import capture_rank

    def call(ids: torch.Tensor, table: torch.Tensor) -> torch.Tensor:
        some = ids[part]
        return torch.nn.functional.embedding(torch.where(some < 0, some + 10, some), table)

    made = programs("lookups")
    graph = capture_rank(call, (made.IDS, made.TABLE), "call")
    assert input_ranges(GraphIndex(graph)) == known
