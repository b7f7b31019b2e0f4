"""Exchanges with unequal splits, and parts of unequal size that are padded."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")

EXPERTS = '[inputs]\nx = "concat(x@0, x@1, dim=0)"\nw = "stack(w, dim=0)"\n'
ROWS = '[inputs]\nx = "concat(x@0, x@1, dim=0)"\n'


@pytest.mark.parametrize(
    ("sequential", "distributed", "relation", "output"),
    [
        ("experts", "experts_exchanged", EXPERTS, "concat(out, dim=0)"),
        ("experts", "experts_exchanged_functional", EXPERTS, "concat(out, dim=0)"),
        ("tanh", "tanh_padded", ROWS, "replicate(out)"),
    ],
)
def test_refines(sequential: str, distributed: str, relation: str, output: str) -> None:
    from tests.refine.rank_answers import answer

    found = answer("uneven", sequential, distributed, 2, relation)
    assert (found.verdict, dict(found.outputs)) == ("refines", {"out": output}), found


@pytest.mark.parametrize(
    ("sequential", "distributed", "relation", "verdict"),
    [
        ("experts", "wrong_experts_back", EXPERTS, "unknown"),
        ("tanh", "wrong_tanh_padded", ROWS, "unknown"),
        ("experts", "wrong_experts_back", EXPERTS + '[outputs]\nout = "concat(out, dim=0)"\n', "not-equivalent"),
        ("tanh", "wrong_tanh_padded", ROWS + '[outputs]\nout = "replicate(out)"\n', "not-equivalent"),
        ("experts", "wrong_experts_splits", EXPERTS, "not-equivalent"),
    ],
)
def test_mistakes_do_not_refine(sequential: str, distributed: str, relation: str, verdict: str) -> None:
    from tests.refine.rank_answers import answer

    assert answer("uneven", sequential, distributed, 2, relation).verdict == verdict


def test_parts_that_the_relation_swaps_are_refused() -> None:
    from tests.refine.rank_answers import answer

    from hecv.base.diagnostics import InputError

    with pytest.raises(InputError, match="the value of `w` is not that of"):
        answer("uneven", "experts", "wrong_experts_swapped", 2, EXPERTS)
