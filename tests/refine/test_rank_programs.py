"""Rank programs that are wrong in one place, each beside the right one: grouped heads, losses, gradients, padding,
groups, changes in place, and values that only coincide."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from tests.refine.test_layers import run

from hecv.base.diagnostics import InputError
from hecv.refine.relation_file import read_relation
from hecv.refinement import Degree, Settings, decide

pytest.importorskip("torch")

PROGRAMS = Path(__file__).parent / "programs"


def programs() -> ModuleType:
    if str(PROGRAMS) not in sys.path:
        sys.path.insert(0, str(PROGRAMS))
    import mistakes as found  # type: ignore[import-not-found]

    return found


def answer(
    sequential: str, distributed: str, ranks: int = 2, relation: str = "", made: ModuleType | None = None
) -> Degree:
    import torch.distributed as dist

    from hecv.torch.rank_capture import capture_rank, start_group

    made = made or programs()
    ours = capture_rank(*getattr(made, sequential)(), sequential)
    theirs = []
    for rank in range(ranks):
        start_group(rank, ranks)
        try:
            theirs.append(capture_rank(*getattr(made, distributed)(rank, ranks), distributed))
        finally:
            dist.destroy_process_group()
    return decide(ours, theirs, read_relation("R.toml", relation, ours, theirs), Settings(), run=run)


PADDED = '[inputs]\nx = "concat(x@0, slice(x@1, 0, 0, 3), dim=0)"\n'
ZERO = '[ranks]\n"x@1" = "pad(slice(x, 0, 4, 7), 0, 0, 1)"\n'
REPLICATED = '[outputs]\nout = "replicate(out)"\n'

REFINES = [
    ("grouped", "grouped_replicated", 4, ""),
    ("grouped", "grouped_sharded", 2, ""),
    ("loss", "loss_over_counts", 2, REPLICATED),
    ("norm_gradient", "norm_gradient_reduced", 2, REPLICATED),
    ("centred", "centred_slice", 2, PADDED),
    ("centred", "centred_zero_padding", 2, PADDED + ZERO),
    ("step", "step_reduced", 2, '[outputs]\n"w.after" = "replicate(w.after)"\n'),
    ("assigned_step", "step_reduced", 2, '[outputs]\n"w.after" = "replicate(w.after)"\n'),
    ("batch_norm", "batch_norm_again", 2, ""),
    ("product", "broadcast_in_groups", 4, REPLICATED),
    ("nothing", "nothing_otherwise", 2, REPLICATED),
    ("number", "number_again", 2, ""),
    ("product", "split_exchange", 2, ""),
    ("sums", "sums_over_two_groups", 2, ""),
    ("turned_product", "turned_in_place", 2, ""),
    ("turned_product", "squeezed_in_place", 2, ""),
    ("turned_product", "transposed_in_place", 2, ""),
]


@pytest.mark.parametrize(("sequential", "distributed", "ranks", "relation"), REFINES)
def test_refines(sequential: str, distributed: str, ranks: int, relation: str) -> None:
    found = answer(sequential, distributed, ranks, relation)
    assert found.verdict == "refines", found


UNRELATED = [
    ("grouped", "wrong_grouped_heads", 4, ""),
    ("loss", "wrong_loss_mean_of_means", 2, ""),
    ("loss_of_all", "wrong_loss_mean_that_is_equal_here", 2, ""),
    ("centred", "wrong_centred_slice", 2, PADDED),
    ("centred", "centred_zero_padding", 2, PADDED),  # nothing says that padding is 0
    ("product", "wrong_gathered_dimension", 2, ""),
    ("product", "wrong_swapped_shards", 2, ""),
    ("product_and_zeros", "wrong_bias_that_is_zero", 2, ""),
    ("biased", "wrong_bias_left_out", 2, ""),
    ("two_scales", "wrong_scales_swapped", 2, ""),
    ("assigned_step", "wrong_assigned_step", 2, ""),
    ("batch_norm", "wrong_batch_norm_momentum", 2, ""),
    ("batch_norm", "wrong_batch_norm_of_shards", 2, ""),
    ("product", "wrong_weight_changed", 2, ""),
    ("product", "wrong_broadcast_source", 4, ""),
    ("number", "wrong_number", 2, ""),
    ("turned_product", "wrong_turned_in_place", 2, ""),
]


@pytest.mark.parametrize(("sequential", "distributed", "ranks", "relation"), UNRELATED)
def test_what_does_not_hold_for_all_values_is_not_proved(
    sequential: str, distributed: str, ranks: int, relation: str
) -> None:
    assert answer(sequential, distributed, ranks, relation).verdict == "unknown"


REFUTED = [
    ("loss", "wrong_loss_mean_of_means", 2, REPLICATED),
    ("loss_of_all", "wrong_loss_averaged_twice", 2, REPLICATED),
    ("norm_gradient", "wrong_norm_gradient", 2, REPLICATED),
    ("step", "wrong_step_of_shard", 2, '[outputs]\n"w.after" = "replicate(w.after)"\n'),
    ("product", "rows", 2, '[outputs]\nout = "replicate(concat(out, dim=0), concat(out@1, out@0, dim=0))"\n'),
    (
        "product",
        "wrong_copy_on_rank_one",
        4,
        '[outputs]\nout = "concat(replicate(out, ranks=[0, 1]), replicate(out, ranks=[2, 3]), dim=0)"\n',
    ),
]


@pytest.mark.parametrize(("sequential", "distributed", "ranks", "relation"), REFUTED)
def test_an_expected_relation_that_fails_is_refuted(
    sequential: str, distributed: str, ranks: int, relation: str
) -> None:
    found = answer(sequential, distributed, ranks, relation)
    assert found.verdict == "not-equivalent" and found.counterexample is not None
    assert not np.isclose(found.counterexample.expected, found.counterexample.found)


def test_a_gradient_that_is_not_reduced_is_a_sum() -> None:
    assert dict(answer("norm_gradient", "wrong_norm_gradient").outputs) == {"out": "sum(out)"}


@pytest.mark.parametrize(
    ("sequential", "distributed", "text"),
    [
        ("sums", "wrong_groups_crossed", "another group of the same ranks"),
        ("product", "wrong_gather_targets", "gather with target 0 on rank 0, 1 on 1"),
        ("product", "wrong_gather_and_all_gather", "gather where rank 1 calls all_gather"),
        ("product", "wrong_types", "of 8x8xf64 on rank 0, of 8x8xf32 on rank 1"),
        ("product", "wrong_split_exchange", "takes 1 rows from rank 0, which gives 3"),
    ],
)
def test_ranks_that_do_not_agree(sequential: str, distributed: str, text: str) -> None:
    found = answer(sequential, distributed)
    assert found.verdict == "not-equivalent" and found.deadlock is not None
    assert text in found.deadlock.text


@pytest.mark.parametrize(
    ("distributed", "text"),
    [
        ("random_numbers", "draws random numbers"),
        ("uneven_parts", "parts that differ in size"),
        ("bits", "over ranks by bits"),
        ("masks", "over ranks by sum"),
        ("constant_changed", "no input, parameter or buffer"),
    ],
)
def test_what_has_no_meaning_here_is_said(distributed: str, text: str) -> None:
    from hecv.torch.graph_capture import Unsupported

    with pytest.raises(Unsupported, match=text):
        answer("product", distributed)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: answer("silent", "silent_again"), "there is nothing to compare"),
        (lambda: answer("centred", "centred_slice", 2, PADDED + '[ranks]\n"x@1" = "slice(x, 0, 3, 9)"\n'), "slice 3:9"),
        (lambda: answer("product", "rows", 2, "[outputs]\nout = []\n"), "neither a text nor a list"),
    ],
)
def test_what_cannot_be_asked_is_an_error(call: Callable[[], Degree], text: str) -> None:
    with pytest.raises(InputError, match=text):
        call()
