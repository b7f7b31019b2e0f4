"""A causal transformer block in JAX: on one device, under `shard_map` with its collectives written by hand, and under
shardings alone, by which XLA's partitioner writes them. `unreduced` forgets the sum over the devices of its MLP."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

TOKENS, WIDTH, HEAD, HEADS, INNER = 4, 8, 2, 4, 16
SHAPES = {
    "query": (WIDTH, HEADS * HEAD),
    "key": (WIDTH, HEADS * HEAD),
    "value": (WIDTH, HEADS * HEAD),
    "project": (HEADS * HEAD, WIDTH),
    "up": (WIDTH, INNER),
    "down": (INNER, WIDTH),
    "gain": (WIDTH,),
}
COLUMNS, ROWS = P(None, "tp"), P("tp", None)
LAYOUT = {"query": COLUMNS, "key": COLUMNS, "value": COLUMNS, "project": ROWS, "up": COLUMNS, "down": ROWS, "gain": P()}


def norm(x, gain):
    return x * jax.lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-6) * gain


def attend(w, x):
    """The heads that the weights hold."""
    q, k, v = (jnp.reshape(x @ w[name], (TOKENS, -1, HEAD)) for name in ("query", "key", "value"))
    scores = jnp.einsum("qhd,khd->hqk", q, k) * HEAD**-0.5
    scores = jnp.where(jnp.tril(jnp.ones((TOKENS, TOKENS), bool)), scores, -jnp.inf)
    heads = jnp.einsum("hqk,khd->qhd", jax.nn.softmax(scores, -1), v)
    return heads.reshape(TOKENS, -1) @ w["project"]


def block(w, x):
    x = x + attend(w, norm(x, w["gain"]))
    return x + jax.nn.silu(norm(x, w["gain"]) @ w["up"]) @ w["down"]


def block_of_device(w, x):
    x = x + jax.lax.psum(attend(w, norm(x, w["gain"])), "tp")
    part = jax.nn.silu(norm(x, w["gain"]) @ w["up"]) @ w["down"]
    return x + jax.lax.psum(part, "tp")


def block_unreduced(w, x):
    x = x + jax.lax.psum(attend(w, norm(x, w["gain"])), "tp")
    return x + jax.nn.silu(norm(x, w["gain"]) @ w["up"]) @ w["down"]


def arguments():
    keys = jax.random.split(jax.random.key(0), len(SHAPES) + 1)
    weights = {name: jax.random.normal(k, shape) * 0.3 for k, (name, shape) in zip(keys, SHAPES.items(), strict=False)}
    return weights, jax.random.normal(keys[-1], (TOKENS, WIDTH))


def mesh():
    return Mesh(np.array(jax.devices()), ("tp",))


def mapped(function):
    return jax.shard_map(function, mesh=mesh(), in_specs=(LAYOUT, P()), out_specs=P(), check_vma=False), arguments()


def sequential():
    return block, arguments()


def sharded():
    return mapped(block_of_device)


def unreduced():
    return mapped(block_unreduced)


def partitioned():
    layout = jax.tree.map(lambda spec: NamedSharding(mesh(), spec), LAYOUT, is_leaf=lambda x: isinstance(x, P))
    whole = NamedSharding(mesh(), P())
    return jax.jit(block, in_shardings=(layout, whole), out_shardings=whole), arguments()
