"""Values of comprehensions on arrays, substitution, and the cache of obligations."""

from __future__ import annotations

import math

import numpy as np
import pytest

from hecv.tensors import term_values
from hecv.tensors.algebra.equality import prove_equal
from hecv.tensors.algebra.leaf_facts import LeafFact, LeafFacts, fact_of_array
from hecv.tensors.algebra.obligation_cache import ObligationCache
from hecv.tensors.algebra.verdicts import Gap, Limits, Proof
from hecv.tensors.comprehension import (
    Comprehension,
    Scalar,
    apply,
    compare,
    leaf,
    max_of,
    position,
    real,
    reduce_over,
    select,
    sum_of,
)
from hecv.tensors.index_terms import FALSE, TRUE, Index, fresh, index
from hecv.tensors.substitution import substitute
from hecv.tensors.term_values import evaluate

NUMBERS = np.random.default_rng(5)
X, W = NUMBERS.normal(size=(5, 7)), NUMBERS.normal(size=(4, 7))


def linear(x: str, w: str, k: int = 7) -> Comprehension:
    a, b = leaf(x, (5, k)), leaf(w, (4, k))
    return Comprehension((5, 4), lambda i, j: sum_of(k, lambda n: a[i, n] * b[j, n]))


def softmax(s: Comprehension) -> Comprehension:
    def at(i: Index, j: Index) -> Scalar:
        top = max_of(s.shape[1], lambda k: s[i, k])
        return apply("exp", s[i, j] - top) / sum_of(s.shape[1], lambda k: apply("exp", s[i, k] - top))

    return Comprehension(s.shape, at)


def test_matmul_and_softmax() -> None:
    found = evaluate(softmax(linear("x", "w")), {"x": X, "w": W})
    scores = np.exp(X @ W.T)
    assert np.allclose(found, scores / scores.sum(1, keepdims=True), rtol=1e-13)


@pytest.mark.parametrize("chunk", [1, 3, 50, 1 << 21])
def test_reductions_in_chunks(chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(term_values, "CHUNK", chunk)
    found = evaluate(softmax(linear("x", "w")), {"x": X, "w": W})
    scores = np.exp(X @ W.T)
    assert np.allclose(found, scores / scores.sum(1, keepdims=True), rtol=1e-13)


def test_reductions_over_variables_that_do_not_occur() -> None:
    x = leaf("x", (5, 7))
    total = Comprehension((5,), lambda i: sum_of((3, 2), lambda _, k: x[i, k]) + max_of(4, lambda _: x[i, 0]))
    assert np.allclose(evaluate(total, {"x": X}), 3 * X[:, :2].sum(1) + X[:, 0])
    power = Comprehension((5,), lambda i: reduce_over("product", [3], lambda _: x[i, 0]))
    assert np.allclose(evaluate(power, {"x": X}), X[:, 0] ** 3)


def test_sizes_of_one_and_dimensions_in_any_order() -> None:
    x = leaf("x", (5, 7))
    turned = Comprehension((7, 1, 5), lambda j, _, i: x[i, j])
    assert np.array_equal(evaluate(turned, {"x": X}), X.T[:, None, :])
    assert evaluate(Comprehension((), lambda: x[4, 6]), {"x": X}) == X[4, 6]
    assert evaluate(Comprehension((0, 3), lambda i, j: x[i, j]), {"x": X}).shape == (0, 3)


def test_what_is_read_out_of_range_is_nan_unless_it_is_guarded() -> None:
    x, ids = leaf("x", (5, 7)), leaf("ids", (3,))
    assert np.isnan(evaluate(Comprehension((6,), lambda i: x[i, 0]), {"x": X})).tolist() == [False] * 5 + [True]
    assert np.isnan(evaluate(Comprehension((1,), lambda i: x[i - 1, 0]), {"x": X})).all()
    guarded = Comprehension((6,), lambda i: select(i < 5, x[i, 0], 9))
    assert np.array_equal(evaluate(guarded, {"x": X}), [*X[:, 0], 9])
    looked = evaluate(Comprehension((3,), lambda t: x[position(ids[t]), 1]), {"x": X, "ids": np.array([4, 0, 5])})
    assert np.array_equal(looked, [X[4, 1], X[0, 1], math.nan], equal_nan=True)


def test_functions_and_comparisons() -> None:
    x = leaf("x", (7,))
    values = np.array([-2.5, -1.5, -0.5, 0.0, 0.5, 1.5, 2.5])

    def of(name: str) -> list[float]:
        return evaluate(Comprehension((7,), lambda i: apply(name, x[i])), {"x": values}).tolist()

    assert of("round") == [-2, -2, 0, 0, 0, 2, 2]
    assert of("trunc") == [-2, -1, 0, 0, 0, 1, 2]
    assert np.allclose(of("erf"), [math.erf(v) for v in values], rtol=1e-15)
    assert np.allclose(of("atan"), np.arctan(values))
    least = Comprehension((7,), lambda i: select(compare("le", x[i], 0), -1, real(i)))
    assert evaluate(least, {"x": values}).tolist() == [-1, -1, -1, -1, 4, 5, 6]


def test_opaque_functions_are_given() -> None:
    x = leaf("x", (5, 7))
    doubled = Comprehension((5,), lambda i: apply("my.op", x[i, 0]))
    assert np.array_equal(evaluate(doubled, {"x": X}, {"my.op": lambda v: 2 * v}), 2 * X[:, 0])
    with pytest.raises(KeyError):
        evaluate(doubled, {"x": X})


def test_ranges_decide_quotients_and_conditions() -> None:
    i, j = fresh(8), fresh(4)
    assert (i * 4 + j) // 4 is i
    assert (i * 4 + j) % 4 is j
    assert (i * 8 + j + 4) // 8 is i
    assert ((i * 4 + j) // 2) // 2 is i
    assert (i * 4 + j) // 8 is i // 2
    assert (i + 1) // 8 is not index(0)
    assert (i < 8) is TRUE and (i > 7) is FALSE and ((i % 4) < 4) is TRUE
    assert ((i + 7) % 8) // 8 is index(0) or evaluate(((i,), real(((i + 7) % 8) // 8)), {}).tolist() == [0] * 8


def test_substitution_renames_what_it_would_capture() -> None:
    x = leaf("x", (5, 7))
    i, k = fresh(5), fresh(5)
    inner = Comprehension((5,), lambda t: sum_of(5, lambda n: x[n, 0] * x[t, 1]))[i]
    variable, bound = i.terms[0][0], inner.variables[0]
    captured = substitute(inner, {variable: index(0) + fresh_of(bound)})
    assert evaluate(((fresh_of(bound),), captured), {"x": X}) == pytest.approx(X[:, 0].sum() * X[:, 1])
    assert evaluate(((k,), substitute(inner, {variable: k})), {"x": X}) == pytest.approx(X[:, 0].sum() * X[:, 1])


def fresh_of(variable: object) -> Index:
    from hecv.tensors.index_terms import linear as index_of

    return index_of(0, ((variable, 1),))  # pyright: ignore


def layer(n: int, scale: int = 1) -> tuple[Comprehension, Comprehension]:
    one = softmax(linear(f"layers.{n}.x", f"layers.{n}.w"))
    x, w = leaf(f"layers.{n}.x", (5, 7)), leaf(f"layers.{n}.w", (4, 7))

    def at(i: Index, j: Index) -> Scalar:
        def score(c: Index) -> Scalar:
            return apply("exp", sum_of(7, lambda k: w[c, k] * x[i, k]) * scale)

        return score(j) / sum_of(4, score)

    return one, Comprehension((5, 4), at)


def test_later_layers_are_looked_up() -> None:
    cache = ObligationCache()
    for n in range(6):
        one, other = layer(n)
        indices, left = one.generic()
        found = prove_equal(indices, left, other[indices], cache=cache)
        assert isinstance(found, Proof)
        assert {a.subject for a in found.assumptions} == {f"layers.{n}.x", f"layers.{n}.w"}
    assert cache.hits == 5


def test_gaps_of_later_layers_speak_of_their_leaves() -> None:
    cache = ObligationCache()
    texts = list[str]()
    for n in range(2):
        one, other = layer(n, scale=2)
        indices, left = one.generic()
        found = prove_equal(indices, left, other[indices], cache=cache)
        assert isinstance(found, Gap) and found.refuted
        texts.append(found.text)
    assert cache.hits == 1 and "layers.0.x[" in texts[0] and texts[1] == texts[0].replace("layers.0", "layers.1")


def test_other_facts_are_another_obligation() -> None:
    cache = ObligationCache()
    ids, x = leaf("ids", (5,)), leaf("x", (5,))
    one = Comprehension((5,), lambda t: sum_of(5, lambda v: select(compare("eq", ids[t], real(v)), x[v], 0)))
    other = Comprehension((5,), lambda t: x[position(ids[t])])
    indices, left = one.generic()
    found = [
        prove_equal(indices, left, other[indices], LeafFacts({"ids": LeafFact(integers=(0, n))}), cache=cache)
        for n in (4, 5, 4)
    ]
    assert [isinstance(f, Proof) for f in found] == [True, False, True]
    assert cache.hits == 1


def test_a_budget_is_a_gap_and_is_not_kept() -> None:
    cache = ObligationCache()
    one, other = layer(0)
    indices, left = one.generic()
    found = prove_equal(indices, left, other[indices], limits=Limits(monomials=5), cache=cache)
    assert isinstance(found, Gap) and found.budget and not found.refuted
    assert isinstance(prove_equal(indices, left, other[indices], cache=cache), Proof)


def test_facts_of_arrays() -> None:
    tri = fact_of_array(np.tril(np.ones((6, 6), dtype=bool)))
    assert tri.boolean and tri.equals is not None
    assert np.array_equal(evaluate(tri.equals, {}), np.tril(np.ones((6, 6))))
    grid = fact_of_array(np.arange(12).reshape(3, 4) * 2 + 1)
    assert grid.integers == (1, 23) and grid.equals is not None
    assert np.array_equal(evaluate(grid.equals, {}), np.arange(12).reshape(3, 4) * 2 + 1)
    for array in (np.arange(12) % 4 + 2, np.arange(12) // 3, np.array([5, 5, 5]), np.full((2, 3), 0.25)):
        found = fact_of_array(array)
        assert found.equals is not None and np.array_equal(evaluate(found.equals, {}), array)
    mask = np.triu(np.full((6, 6), -math.inf), 1)
    additive = fact_of_array(mask)
    assert additive.equals is not None and not additive.finite
    assert np.array_equal(evaluate(additive.equals, {}), mask)
    odd = fact_of_array(np.array([3, 1, 2]))
    assert odd.integers == (1, 3) and odd.equals is None and not odd.boolean
    assert not fact_of_array(np.array([0.0, -math.inf])).finite
    assert fact_of_array(np.array([0.5, 0.25])).integers is None
