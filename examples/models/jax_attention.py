"""The attention head of `attention.py` in JAX, with parameters of the same names."""

import jax
import jax.numpy as jnp

TOKENS, WIDTH = 3, 4


def head(parameters, x, scale):
    q, k, v = (x @ parameters[f"{name}.weight"].T + parameters[f"{name}.bias"] for name in "qkv")
    row = jnp.arange(TOKENS)
    scores = jnp.where(row[:, None] >= row, q @ jnp.swapaxes(k, -1, -2) * scale, -jnp.inf)
    return jax.nn.softmax(scores) @ v


def arguments():
    keys = iter(jax.random.split(jax.random.key(0), 7))
    parameters = {}
    for name in "qkv":
        parameters[f"{name}.weight"] = jax.random.normal(next(keys), (WIDTH, WIDTH))
        parameters[f"{name}.bias"] = jax.random.normal(next(keys), (WIDTH,))
    return parameters, jax.random.normal(next(keys), (1, TOKENS, WIDTH))


def scaled():
    return lambda parameters, x: head(parameters, x, WIDTH**-0.5), arguments()


def unscaled():
    """Scores are not divided by the root of the width: wrong."""
    return lambda parameters, x: head(parameters, x, 1.0), arguments()
