"""Mistakes that were published of distributed programs: each is found and its op named; the right twin refines.

docs/refine.md has the table with what was published where.
"""

from __future__ import annotations

import pytest
from tests.refine.rank_answers import answer

pytest.importorskip("torch")

GATHERED = ", ".join(f"slice(qkv@{r}, 0, {a}, {b})" for a, b in ((0, 8), (8, 12), (12, 16)) for r in (0, 1))
LOADED = f'[parameters]\nqkv = "concat({GATHERED}, dim=0)"\n'
PADDED = '[parameters]\ntable = "concat(r: slice(table@r, 0, 0, 8), dim=0)"\n'
REPLICATED = '[outputs]\nout = "replicate(out)"\n'

REFINES = [
    ("rotary", "rotary_sp", "", "concat(out, dim=0)"),
    ("rotary_forward", "rotary_forward_sp", "", "concat(out, dim=0)"),
    ("auxiliary", "auxiliary_tp", "", "replicate(out)"),
    ("uneven", "uneven_sp", "", "replicate(out)"),
    ("expert", "expert_replicated", "", "concat(out, dim=0)"),
    ("norm", "norm_sp", REPLICATED, "replicate(out)"),
    ("mean_gradient", "accumulated", "", "replicate(out)"),
    ("grouped_weight", "grouped_weight_by_groups", "", "concat(out, dim=0)"),
    ("grouped_weight", "grouped_weight_regrouped", LOADED, "concat(out, dim=0)"),
    ("merged", "merged_tp", "", "replicate(out)"),
    ("head", "head_cut", PADDED, "replicate(out)"),
    ("balance", "balance_dp", "", "replicate(out)"),
    ("mixture", "mixture_ep", "", "replicate(out)"),
]

FOUND = [
    ("rotary", "wrong_rotary_backward", "", "aten.mul.Tensor"),
    ("rotary_forward", "wrong_rotary_offset", "", "aten.mul.Tensor"),
    ("auxiliary", "wrong_auxiliary_scale", "", "aten.add.Tensor"),
    ("uneven", "wrong_slice_of_padding", "", "aten.slice.Tensor"),
    ("expert", "wrong_expert_sharded", "", "aten.mm.default"),
    ("norm", "wrong_norm", REPLICATED, "aten.native_layer_norm_backward.default"),
    ("norm", "wrong_replicated_gradient", "", "dist.reduce"),
    ("mean_gradient", "wrong_accumulated", "", "aten.mm.default"),
    ("grouped_weight", "wrong_grouped_weight", LOADED, "aten.view.default"),
    ("merged", "wrong_merged_rows", "", "aten.silu.default"),
    ("merged", "wrong_merged_order", "", "aten.silu.default"),
    ("head", "wrong_head_padded", PADDED, "aten.slice.Tensor"),
    ("balance", "wrong_counts_overwritten", "", "aten._softmax_backward_data.default"),
    ("mixture", "wrong_shared_expert", "", "aten.add.Tensor"),
]


@pytest.mark.parametrize(("sequential", "distributed", "relation", "output"), REFINES)
def test_the_right_program_refines(sequential: str, distributed: str, relation: str, output: str) -> None:
    found = answer("published", sequential, distributed, relation=relation)
    assert found.verdict == "refines", found
    assert dict(found.outputs) == {"out": output}


@pytest.mark.parametrize(("sequential", "distributed", "relation", "op"), FOUND)
def test_the_mistake_is_found_and_its_op_named(sequential: str, distributed: str, relation: str, op: str) -> None:
    found = answer("published", sequential, distributed, relation=relation)
    assert found.verdict == ("not-equivalent" if "outputs" in relation else "unknown")
    assert found.blocked is not None and found.blocked.op == op
    assert found.blocked.place is not None and found.blocked.place.file.endswith(("published.py", "layers.py"))
