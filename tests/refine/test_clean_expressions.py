"""Clean expressions: read, written, valued and solved for the tensors of ranks."""

from __future__ import annotations

import numpy as np
import pytest

from hecv.refine.clean_expressions import Tensor, Unclean, array_of, comprehension_of, covers, distinct, places_in
from hecv.refine.expression_text import code_of, parse, text_of
from hecv.tensors.comprehension import leaf
from hecv.tensors.term_values import evaluate

RANKS = [0, 1]


def ranks_of(name: str) -> list[int]:
    return RANKS


TEXTS = [
    "x@0",
    "replicate(x)",
    "concat(w, dim=0)",
    "concat(w, dim=1)",
    "sum(fc1.weight)",
    "stack(x, dim=1)",
    "concat(r: slice(w@r, 0, 0, 2), dim=0)",
    "concat(x, ranks=[1, 0], dim=1)",
    "reshape(transpose(out.0@1, 0, 1), 2, 6)",
    "pad(x@0, 0, 1, 2)",
    "concat(slice(x@0, 1, 1, 3), x@1, dim=1)",
]


@pytest.mark.parametrize("text", TEXTS)
def test_what_is_read_is_written_and_has_one_value(text: str) -> None:
    found = parse(text, ranks_of)
    assert text_of(found, ranks_of) == text
    made = np.random.default_rng(1)
    arrays = {Tensor(n, r): made.standard_normal((3, 4)) for n in ("x", "w", "fc1.weight", "out.0") for r in RANKS}
    value = array_of(found, arrays.__getitem__)
    named = {f"{t.name}@{t.rank}": a for t, a in arrays.items()}
    term = comprehension_of(found, lambda t: leaf(f"{t.name}@{t.rank}", (3, 4)))
    np.testing.assert_allclose(evaluate(term, named), value)
    ranks = [{t.name: a for t, a in arrays.items() if t.rank == r} for r in RANKS]
    np.testing.assert_allclose(eval(code_of(found), {"np": np, "ranks": ranks}), value)


@pytest.mark.parametrize(
    "text", ["x@0", "concat(w, dim=0)", "concat(w, dim=1)", "stack(x, dim=1)", "reshape(transpose(x@1, 0, 1), 2, 6)"]
)
def test_tensors_are_parts_of_what_they_make(text: str) -> None:
    found = parse(text, ranks_of)
    arrays = {Tensor(n, r): np.random.default_rng(r).standard_normal((3, 4)) for n in ("x", "w") for r in RANKS}
    whole = array_of(found, arrays.__getitem__)
    parts = places_in(found, whole.shape, lambda t: (3, 4))
    assert parts
    for tensor, part in parts.items():
        np.testing.assert_array_equal(whole.reshape(-1)[part], arrays[tensor])


def test_a_sum_does_not_determine_its_parts() -> None:
    assert places_in(parse("sum(x)", ranks_of), (3, 4), lambda t: (3, 4)) is None


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("x", "names no rank"),
        ("scale(x@0, 2)", "`scale` is not clean"),
        ("concat(x)", "needs `dim=`"),
        ("x@0 + x@1", "stands behind the expression"),
        ("sum(x, dim=1)", "takes no `dim`"),
        ("slice(x@0, 1)", "takes 3 numbers"),
        ("x@5", "rank 5 has no tensor"),
        ("concat()", "needs `dim=`"),
        ("", "expected more"),
        ("concat(x@0, x@1", "found the end"),
    ],
)
def test_what_is_not_clean(text: str, why: str) -> None:
    with pytest.raises(Unclean, match=why.replace("(", r"\(")):
        parse(text, ranks_of)


def test_what_stands_twice_or_is_padded_is_no_twin() -> None:
    assert distinct(parse("concat(replicate(x), w@1, dim=0)", ranks_of)) == [Tensor("x", 0), Tensor("w", 1)]
    assert covers(parse("concat(x, dim=0)", ranks_of)) and not covers(parse("pad(x@0, 0, 1, 2)", ranks_of))
