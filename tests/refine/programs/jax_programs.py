"""Programs of JAX on several devices, right and wrong, each of one that runs on one device."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

from hecv import log_tensor

T, W, INNER = 4, 8, 16
COLUMNS, ROWS, WHOLE = P(None, "tp"), P("tp", None), P()


def arrays(*shapes: tuple[int, ...]) -> tuple[Any, ...]:
    random = np.random.default_rng(1)
    return tuple(jnp.asarray(random.standard_normal(s).astype(np.float32) * 0.3) for s in shapes)


def mesh(*names: str) -> Mesh:
    devices = np.array(jax.devices())
    return Mesh(devices.reshape(2, -1) if len(names) > 1 else devices, names)


def mapped(function: Any, ins: Any, outs: Any, given: tuple[Any, ...], *names: str) -> Any:
    found = jax.shard_map(function, mesh=mesh(*(names or ("tp",))), in_specs=ins, out_specs=outs, check_vma=False)
    return found, given


# An MLP with the columns of its first product and the rows of the second on each device


def mlp(x: Any, up: Any, down: Any) -> Any:
    return jax.nn.silu(x @ up) @ down


MLP = (T, W), (W, INNER), (INNER, W)


def sequential_mlp() -> Any:
    return mlp, arrays(*MLP)


def mlp_summed() -> Any:
    return mapped(lambda x, up, down: lax.psum(mlp(x, up, down), "tp"), (WHOLE, COLUMNS, ROWS), WHOLE, arrays(*MLP))


def logged(x: Any, up: Any, down: Any) -> Any:
    """The MLP, whose hidden values have a name."""
    return log_tensor(jax.nn.silu(x @ up), "mlp.hidden") @ down


def sequential_logged() -> Any:
    return logged, arrays(*MLP)


def logged_summed() -> Any:
    return mapped(lambda *given: lax.psum(logged(*given), "tp"), (WHOLE, COLUMNS, ROWS), WHOLE, arrays(*MLP))


def logged_other() -> Any:
    """Other hidden values."""
    return mapped(lambda x, u, d: lax.psum(logged(x, u + 1, d), "tp"), (WHOLE, COLUMNS, ROWS), WHOLE, arrays(*MLP))


def logged_by_shardings() -> Any:
    layout = tuple(NamedSharding(mesh("tp"), spec) for spec in (WHOLE, COLUMNS, ROWS))
    return jax.jit(logged, in_shardings=layout, out_shardings=layout[0]), arrays(*MLP)


def gradient_of_logged(x: Any, up: Any, down: Any) -> Any:
    return jax.grad(lambda d: jnp.sum(jax.jit(logged)(x, up, d) ** 2))(down)


def sequential_logged_gradient() -> Any:
    return gradient_of_logged, arrays(*MLP)


def logged_gradient() -> Any:
    layout = tuple(NamedSharding(mesh("tp"), spec) for spec in (WHOLE, COLUMNS, ROWS))
    whole = NamedSharding(mesh("tp"), ROWS)
    return jax.jit(gradient_of_logged, in_shardings=layout, out_shardings=whole), arrays(*MLP)


def mlp_averaged() -> Any:
    return mapped(lambda x, up, down: lax.pmean(mlp(x, up, down), "tp"), (WHOLE, COLUMNS, ROWS), WHOLE, arrays(*MLP))


def mlp_by_rows() -> Any:
    """Rows of the input and of the result on each device."""

    def program(x: Any, up: Any, down: Any) -> Any:
        whole = lax.all_gather(x, "tp", axis=0, tiled=True)
        return lax.psum_scatter(mlp(whole, up, down), "tp", scatter_dimension=0, tiled=True)

    return mapped(program, (ROWS, COLUMNS, ROWS), ROWS, arrays(*MLP))


def mlp_by_own_rows() -> Any:
    """Each device takes the row block of its number out of the sum."""

    def program(x: Any, up: Any, down: Any) -> Any:
        total = lax.psum(mlp(lax.all_gather(x, "tp", axis=0, tiled=True), up, down), "tp")
        size = T // lax.axis_size("tp")
        return lax.dynamic_slice_in_dim(total, lax.axis_index("tp") * size, size)

    return mapped(program, (ROWS, COLUMNS, ROWS), ROWS, arrays(*MLP))


def mlp_by_next_rows() -> Any:
    def program(x: Any, up: Any, down: Any) -> Any:
        count = lax.axis_size("tp")
        total = lax.psum(mlp(lax.all_gather(x, "tp", axis=0, tiled=True), up, down), "tp")
        size = T // count
        return lax.dynamic_slice_in_dim(total, (lax.axis_index("tp") + 1) % count * size, size)

    return mapped(program, (ROWS, COLUMNS, ROWS), ROWS, arrays(*MLP))


def mlp_in_two_axes() -> Any:
    """Rows of the input along one axis of the mesh, the weights along the other."""

    def program(x: Any, up: Any, down: Any) -> Any:
        return lax.psum(mlp(x, up, down), "tp")

    return mapped(program, (P("dp", None), COLUMNS, ROWS), P("dp", None), arrays(*MLP), "dp", "tp")


def mlp_summed_over_the_wrong_axis() -> Any:
    def program(x: Any, up: Any, down: Any) -> Any:
        return lax.psum(mlp(x, up, down), "dp")

    return mapped(program, (P("dp", None), COLUMNS, ROWS), P("dp", None), arrays(*MLP), "dp", "tp")


def mlp_by_shardings() -> Any:
    layout = tuple(NamedSharding(mesh("tp"), spec) for spec in (ROWS, COLUMNS, ROWS))
    return jax.jit(mlp, in_shardings=layout, out_shardings=layout[0]), arrays(*MLP)


def mlp_by_shardings_in_two_axes() -> Any:
    axes = mesh("dp", "tp")
    layout = tuple(NamedSharding(axes, spec) for spec in (P("dp", None), COLUMNS, ROWS))
    return jax.jit(mlp, in_shardings=layout, out_shardings=layout[0]), arrays(*MLP)


def gelu_by_shardings() -> Any:
    layout = tuple(NamedSharding(mesh("tp"), spec) for spec in (WHOLE, COLUMNS, ROWS))
    function = jax.jit(lambda x, up, down: jax.nn.gelu(x @ up) @ down, in_shardings=layout)
    return function, arrays(*MLP)


# Its gradient, of weights in a dictionary


def loss(w: Any, x: Any) -> Any:
    return (mlp(x, w["up"], w["down"]) ** 2).sum()


def _weights() -> tuple[Any, ...]:
    x, up, down = arrays(*MLP)
    return {"up": up, "down": down}, x


def sequential_gradient() -> Any:
    return jax.grad(loss), _weights()


def _data_parallel(reduce: Any) -> Any:
    def program(w: Any, x: Any) -> Any:
        return jax.tree.map(reduce, jax.grad(loss)(w, x))

    return mapped(program, (WHOLE, ROWS), WHOLE, _weights())


def gradient_summed() -> Any:
    return _data_parallel(lambda g: lax.psum(g, "tp"))


def gradient_left() -> Any:
    return _data_parallel(lambda g: g)


# Tokens exchanged between devices, and sent around them


def turned(x: Any) -> Any:
    return jnp.tanh(x) * 2


def sequential_turned() -> Any:
    return turned, arrays((8, 8))


def turned_after_exchange() -> Any:
    def program(x: Any) -> Any:
        columns = lax.all_to_all(x, "tp", split_axis=1, concat_axis=0, tiled=True)
        return lax.all_to_all(turned(columns), "tp", split_axis=0, concat_axis=1, tiled=True)

    return mapped(program, (ROWS,), ROWS, arrays((8, 8)))


def turned_without_way_back() -> Any:
    def program(x: Any) -> Any:
        columns = lax.all_to_all(x, "tp", split_axis=1, concat_axis=0, tiled=True)
        return turned(columns).reshape(x.shape)

    return mapped(program, (ROWS,), ROWS, arrays((8, 8)))


def turned_around() -> Any:
    def program(x: Any) -> Any:
        count = lax.axis_size("tp")
        there = lax.ppermute(x, "tp", [(k, (k + 1) % count) for k in range(count)])
        return lax.ppermute(turned(there), "tp", [((k + 1) % count, k) for k in range(count)])

    return mapped(program, (ROWS,), ROWS, arrays((8, 8)))


def turned_one_too_far() -> Any:
    def program(x: Any) -> Any:
        count = lax.axis_size("tp")
        return lax.ppermute(turned(x), "tp", [(k, (k + 1) % count) for k in range(count)])

    return mapped(program, (ROWS,), ROWS, arrays((8, 8)))


# Look-ups in a table of which each device has rows

WORDS = 16


def rows(table: Any, ids: Any) -> Any:
    """NaN where there is no such row."""
    return jnp.take(table, ids, axis=0)


def sequential_words() -> Any:
    return (lambda ids, table: rows(table, ids)), _words()


def _words() -> tuple[Any, ...]:
    return jnp.asarray([3, 9, 0, 14, 6]), *arrays((WORDS, W))


def _words_by_rows(look_up: Any) -> Any:
    def program(ids: Any, table: Any) -> Any:
        each = WORDS // lax.axis_size("tp")
        ids = jnp.where(ids < 0, ids + WORDS, ids)  # as a look-up counts from the end
        own = ids - lax.axis_index("tp") * each
        return lax.psum(look_up(table, own, (own >= 0) & (own < each)), "tp")

    return mapped(program, (WHOLE, ROWS), WHOLE, _words())


def words_masked() -> Any:
    return _words_by_rows(lambda table, own, mine: jnp.where(mine[:, None], rows(table, jnp.where(mine, own, 0)), 0.0))


def words_clipped() -> Any:
    return _words_by_rows(lambda table, own, mine: jnp.where(mine[:, None], table.at[own].get(mode="clip"), 0.0))


def words_filled() -> Any:
    """What is looked up beyond the table is NaN, and left out: right in JAX, which is not shown."""
    return _words_by_rows(lambda table, own, mine: jnp.where(mine[:, None], rows(table, own), 0.0))


def words_one_off() -> Any:
    def look_up(table: Any, own: Any, mine: Any) -> Any:
        return jnp.where(mine[:, None], rows(table, jnp.where(mine, jnp.maximum(own - 1, 0), 0)), 0.0)

    return _words_by_rows(look_up)
