"""The laws that a refinement reports: read off its proofs, the same for any number of ranks, and none where there is no
proof."""

from __future__ import annotations

import pytest
from tests.refine.rank_answers import answer

from hecv.refine.derived_laws import form_of
from hecv.refine.expression_text import parse

pytest.importorskip("torch")


def laws(*call: str, ranks: int = 2) -> dict[str, tuple[int, int]]:
    return {str(use.law): (use.values, use.proofs) for use in answer(*call, ranks=ranks).laws}


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("x@1", "one rank"),
        ("replicate(x)", "replicate"),
        ("concat(x, dim=1)", "concat(dim=1)"),
        ("sum(x)", "sum"),
        ("concat(replicate(x, ranks=[0, 1]), replicate(x, ranks=[2, 3]), dim=0)", "concat(replicate, dim=0)"),
        ("concat(r: slice(x@r, 1, 0, 2), dim=0)", "concat(slice(dim=1), dim=0)"),
        ("reshape(stack(x, dim=1), 8, 3)", "reshape(stack(dim=1))"),
        ("transpose(sum(x), 0, 1)", "transpose(sum, 0, 1)"),
        ("pad(x@0, 0, 1, 2)", "pad(dim=0)"),
    ],
)
def test_a_form_has_no_tensors_and_bounds(text: str, form: str) -> None:
    assert form_of(parse(text, lambda name: range(4))) == form


def test_laws_are_the_same_for_any_number_of_ranks() -> None:
    two, four = laws("blocks", "stack", "stack_tp"), laws("blocks", "stack", "stack_tp", ranks=4)
    assert two == four
    assert two["mm(replicate, concat(dim=1)) -> concat(dim=1)"] == (3, 1)
    assert two["mm(concat(dim=1), concat(dim=0)) -> replicate, by reduce"] == (3, 1)


def test_laws_of_a_block() -> None:
    found = laws("blocks", "gpt", "gpt_tp")
    assert {
        "addmm(concat(dim=0), replicate, concat(dim=1)) -> concat(dim=1)",
        "bmm(concat(dim=0), concat(dim=0)) -> concat(dim=0)",
        "gelu(concat(dim=1)) -> concat(dim=1)",
        "native_layer_norm[0](replicate, replicate, replicate) -> replicate",
    } <= set(found)


def test_a_sum_is_carried_to_where_it_is_reduced() -> None:
    found = laws("published", "auxiliary", "auxiliary_tp")
    assert "sum(concat(dim=1)) -> sum" in found
    assert any(law.endswith("-> replicate, by reduce") and " after " in law for law in found)


def test_a_mistake_has_no_law_at_its_op() -> None:
    right, wrong = laws("published", "merged", "merged_tp"), laws("published", "merged", "wrong_merged_order")
    assert any(law.startswith("silu(") for law in right)
    assert not any(law.startswith("silu(") for law in wrong)
    assert set(wrong) < set(right)
