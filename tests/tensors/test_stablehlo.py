"""Ops of StableHLO as JAX emits them, read as ops of PyTorch and run, against JAX itself, in f64."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from hecv.jax.function_capture import capture_function
from hecv.parameters.captured_model import CapturedGraph, Failure
from hecv.relate.graphs.cones import defined
from hecv.tensors.comprehension import leaf
from hecv.tensors.graph_values import operands_of
from hecv.torch.graph_runner import run_graph

X = np.random.default_rng(7).permutation(np.linspace(-2.5, 3.0, 12)).reshape(3, 4)
I = np.array([1, 2, 0])  # noqa: E741
SIGNED = np.array([-3, 4, 7])
PICTURE = np.linspace(-1, 1, 2 * 6 * 5 * 4).reshape(2, 6, 5, 4)
KERNEL = np.sin(np.arange(3 * 2 * 4 * 6.0)).reshape(3, 2, 4, 6)
LAYOUT = ("NHWC", "HWIO", "NHWC")


def convolve(x: Any, k: Any, **how: Any) -> Any:
    given = {"window_strides": (1, 1), "padding": "SAME", "dimension_numbers": LAYOUT, **how}
    return lax.conv_general_dilated(x, k, **given)


def pooled(kind: Any, start: float, *window: Any) -> Callable[[Any], Any]:
    return lambda x: lax.reduce_window(x, start, kind, *window)


POINTWISE = (
    *("sin", "cos", "tan", "tanh", "exp", "expm1", "abs", "sign", "floor", "ceil", "round", "cbrt", "arctan"),
    *("sinh", "cosh", "square", "isfinite", "negative"),
)
ACTIVATIONS = ("relu", "silu", "gelu", "elu", "softplus", "sigmoid", "log_sigmoid", "hard_swish", "leaky_relu", "mish")

CASES: dict[str, tuple[Any, ...]] = {
    **{name: (getattr(jnp, name), X) for name in POINTWISE},
    **{f"nn.{name}": (getattr(jax.nn, name), X) for name in ACTIVATIONS},
    "rounding": (lambda x: (jnp.round(x * 2) / 2, lax.round(x * 2), x // 0.7, jnp.mod(x, 0.7), jnp.fmod(x, 0.7)), X),
    "logarithms": (lambda x: (jnp.log(x), jnp.log1p(x), jnp.sqrt(x), lax.rsqrt(x), x**2.5), np.abs(X) + 0.1),
    "erf": (lambda x: (lax.erf(x), lax.erfc(x), jax.nn.gelu(x, approximate=False)), X),
    "powers": (lambda x: (x**3, 2.0**x, jnp.arctan2(x, x[:, ::-1])), X),
    "bounds": (lambda x: (jnp.clip(x, -1, 1), jnp.minimum(x, 0.2), jnp.maximum(x, x.T[0][:, None].T[:, :1])), X),
    "integers": (lambda i: (i // 2, i % 2, -i * i, jnp.abs(i), i.astype(float) / 2, lax.div(i, 2)), SIGNED),
    "truths": (lambda x: ((x > 0) & (x < 2), (x > 0) | (x < -1), ~(x > 0), (x > 0) ^ (x > 1), x.astype(int)), X),
    "reductions": (
        lambda x: (x.sum(0), x.max(), x.min(1), x.prod(1), (x > 0).any(), (x > 0).all(0), x.mean(), x.var(1)), X,
    ),
    "reduction from a number": (lambda x: (jnp.max(x, 1, initial=0.5), jnp.sum(x, initial=2.0)), X),
    "norms": (lambda x: (jax.nn.softmax(x), jax.nn.logsumexp(x, 0), jax.nn.standardize(x)), X),
    "running sums": (lambda x: (jnp.cumsum(x, 1), lax.cumsum(x, 0, reverse=True)), X),
    "running products": (lambda x: (jnp.cumprod(x, 1), lax.cumprod(x, 0, reverse=True)), X),
    "products": (lambda x: (x @ x.T, jnp.einsum("ij,kj->ki", x, x), jnp.vdot(x, x), jnp.outer(x[0], x[1])), X),
    "batched products": (lambda x: jnp.einsum("bik,bkj->jbi", x.reshape(3, 2, 2), x.reshape(3, 2, 2)), X),
    "layouts": (
        lambda x: (x.T, x.reshape(2, 6), x[::-1], x[1:, ::2], jnp.roll(x, 1, 0), jnp.tile(x, (2, 1)), x[None, :, None]),
        X,
    ),
    "joins": (lambda x: (jnp.concatenate([x, x[:1]]), jnp.stack([x, x], 1), jnp.repeat(x, 2, 0)), X),
    "padding": (lambda x: (lax.pad(x, 0.5, ((1, 0, 1), (-1, 2, 0))), jnp.pad(x, 1)), X),
    "iota": (lambda x: x + jnp.arange(4) + lax.broadcasted_iota(float, (3, 4), 0), X),
    "masks": (lambda x: (jnp.tril(x), jnp.triu(x, 1), jnp.where(x > 0, x, -jnp.inf) > -1), X),
    "rows": (lambda x, i: (x[i], x[:, i], x.reshape(3, 2, 2)[i], jnp.take(x, i, axis=0), x[i - 3]), X, I),
    "rows that are clamped": (lambda x, i: jnp.take(x, i * 5, axis=1, mode="clip"), X, I),
    "places": (lambda x, i: (x[i, i], jnp.take_along_axis(x, i[:, None], 1)), X, I),
    "one-hot": (lambda i: jax.nn.one_hot(i, 5), I),
    "slices": (lambda x, i: lax.dynamic_slice(x, (i[0], i[1] * 3), (2, 2)), X, I),
    "slices at known places": (lambda x: lax.dynamic_slice(x, (1, 7), (2, 2)), X),
    "writes": (lambda x: lax.dynamic_update_slice(x, x[:2, :2] * 2, (1, 1)), X),
    "scan": (lambda x: lax.scan(lambda c, w: (jnp.tanh(c @ w), c.sum()), x, jnp.ones((3, 4, 4)) / 5), X),
    "loop": (lambda x: lax.fori_loop(0, 3, lambda i, c: c * jnp.sin(c) + i, x), X),
    "branches": (lambda x, i: lax.switch(i[1], [lambda y: y * 2, lambda y: y + 1, lambda y: -y], x), X, I),
    "two branches": (lambda x, i: lax.cond(i[0] > 3, lambda y: y * 2, lambda y: y + 1, x), X, I),
    "convolution": (convolve, PICTURE, KERNEL),
    "convolution with strides": (lambda x, k: convolve(x, k, window_strides=(2, 1), padding="VALID"), PICTURE, KERNEL),
    "convolution with dilation": (
        lambda x, k: convolve(x, k, rhs_dilation=(2, 1), padding=((2, 1), (1, 0))), PICTURE, KERNEL,
    ),
    "convolution by groups": (lambda x, k: convolve(x, k, feature_group_count=2), PICTURE, KERNEL[:, :, :2]),
    "transposed convolution": (lambda x, k: lax.conv_transpose(x, k, (2, 2), "SAME"), PICTURE, KERNEL),
    "gradient of a convolution": (jax.grad(lambda x, k: (convolve(x, k) ** 2).sum(), (0, 1)), PICTURE, KERNEL),
    "gradient of a softmax": (jax.grad(lambda x: (jax.nn.softmax(x @ x.T) @ x).sum()), X),
    "maximum of windows": (pooled(lax.max, -jnp.inf, (2, 2), (1, 2), "SAME"), X),
    "sums of windows": (pooled(lax.add, 0.0, (2, 2), (1, 2), ((1, 0), (0, 1)), None, (2, 1)), X),
    "attention": (
        lambda x: jax.nn.dot_product_attention(*[x.reshape(1, 3, 2, 2) * n for n in (1, 2, 3)], is_causal=True), X,
    ),
    "calls": (lambda x: (jax.checkpoint(jnp.sin)(x), jax.vmap(lambda r: r @ r)(x), jax.jit(jnp.tanh)(x)), X),
    "shared values": (lambda x: [x, x, x * 2], X),
}  # fmt: skip


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", CASES)
def test_a_program_means_what_jax_computes(name: str) -> None:
    function, *given = CASES[name]
    with jax.enable_x64(True):
        arguments = tuple(map(jnp.asarray, given))
        found = capture_function(function, arguments, "f")
        expected = [np.asarray(x) for x in jax.tree_util.tree_leaves(function(*arguments))]
    assert isinstance(found, CapturedGraph), found
    graph = found.graph
    values = run_graph(graph, dict(graph.arrays), frozenset(ref.name for _, ref in graph.outputs))
    for (_, ref), array in zip(graph.outputs, expected, strict=True):
        np.testing.assert_allclose(values[ref.name], array, 1e-6, 1e-6)  # attention computes in f32
        assert values[ref.name].dtype == array.dtype
    types = {x.name: x.type for x in graph.leaves}
    for node in graph.nodes:
        operands = {n: leaf(n, types[n].shape, types[n].element) for n in operands_of(node)}
        defined(node, operands.__getitem__)  # raises Undefined for an op without a definition
        types |= dict(zip(node.results, node.types, strict=True))


REFUSED: dict[str, tuple[Any, ...]] = {
    "makes NaN on purpose": (lambda x: jnp.where(x > 0, x, jnp.nan), X),
    "no definition of stablehlo.sort": (jnp.sort, X),
    "number of iterations depends on data": (lambda x: lax.while_loop(lambda y: y[0, 0] < 9, jnp.exp, x), X),
    "arrays of uint8 are not supported": (lambda x: x + 1, X.astype(np.uint8)),
    "arrays of complex64 are not supported": (lambda x: x.astype(jnp.complex64), X),
    "arrays of key<fry> are not supported": (lambda k: jax.random.uniform(k, (3,)), None),
    "no definition of stablehlo.shift_right_logical": (lambda x: x + jax.random.normal(jax.random.key(0), (4,)), X),
    "a write at a place that is data": (lambda x, i: lax.dynamic_update_slice(x, x[:2, :2], (i[0], 0)), X, I),
}  # fmt: skip


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_not_read_is_said(text: str) -> None:
    function, *given = REFUSED[text]
    arguments = (jax.random.key(0),) if given[0] is None else tuple(map(jnp.asarray, given))
    found = capture_function(function, arguments, "f")
    assert isinstance(found, Failure)
    assert found.unsupported and text in found.text


def test_a_fill_that_is_not_where_an_index_is_out_of_range() -> None:
    """NaN beyond row 1 of three: another function than the look-up."""

    def narrow(x: Any, i: Any) -> Any:
        rows = jnp.take(x, i, axis=0, mode="clip")
        return jnp.where(((i >= 0) & (i <= 1))[:, None], rows, jnp.nan)

    found = capture_function(narrow, (jnp.asarray(X), jnp.asarray(I)), "f")
    assert isinstance(found, Failure) and "NaN" in found.text


def test_literals_are_the_numbers_that_were_rounded() -> None:
    found = capture_function(lambda x: x * 8**-0.5 + 0.1 + 0.25, (jnp.asarray(X, jnp.float32),), "f")
    assert isinstance(found, CapturedGraph)
    numbers = [node.operands[1] for node in found.graph.nodes if node.op == "aten.full.default"]
    assert numbers == [8**-0.5, 0.1, 0.25]
    assert len(found.literals) == 2
