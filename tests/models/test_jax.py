"""Functions of JAX that are captured, and those that have no counterpart in MLIR."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from hecv.jax.jax_capture import capture
from hecv.parameters.captured_model import Captured, Failure

X = jnp.arange(4.0)


def _pooled(x: Any) -> Any:
    return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (2,), (2,), "VALID").sum()


def _drawn(x: Any) -> Any:
    return x + jax.lax.rng_uniform(0.0, 1.0, (4,)) - jax.lax.rng_uniform(0.0, 1.0, (4,))


def test_a_function_is_captured() -> None:
    found = capture(lambda w, x: w["scale"] * x, ({"scale": X}, X))
    assert isinstance(found, Captured)
    assert [(t.name, t.kind) for t in found.arguments] == [("scale", "parameter"), ("input0", "input")]


@pytest.mark.parametrize(
    ("function", "given", "text"),
    [
        # The lowering draws the same numbers twice, and compares the first element with what was never written.
        (_drawn, X, "makes something else of stablehlo.rng"),
        (jax.grad(_pooled), X, "makes something else of stablehlo.select_and_scatter"),
        (lambda x: x + 1, X.astype(jnp.uint8), "arrays of uint8 are not supported"),
        (lambda x: x.astype(jnp.complex64), X, "arrays of complex64 are not supported"),
        (lambda k: jax.random.uniform(k, (3,)), jax.random.key(0), "arrays of key<fry> are not supported"),
    ],
)
def test_what_has_no_counterpart(function: Callable[..., Any], given: Any, text: str) -> None:
    found = capture(function, (given,))
    assert isinstance(found, Failure)
    assert found.unsupported and text in found.text
