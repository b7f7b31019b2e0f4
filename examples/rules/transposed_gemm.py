"""`x y^T` as a product that takes `y` as it is, by a kernel for each type (PYPM, figure 1).

hecv rewrite examples/scores.mlir --rules examples/rules/transposed_gemm.py -o OUT
"""

from hecv.rules import op, pattern, rule, tosa


@op("my.gemm_nt_f32")
def gemm_nt_f32(x, y): ...


@op("my.gemm_nt_i8")
def gemm_nt_i8(x, y): ...


@pattern
def x_yt(x, y, zero):
    yt = tosa.transpose(y)
    assert x.rank == 3 and y.rank == 3
    assert yt.perms == (0, 2, 1)
    assert zero.value == 0
    return tosa.matmul(x, yt, zero, zero)


@rule(x_yt)
def by_kernel(x, y, zero):
    if x.elType == "f32" and y.elType == "f32":
        return gemm_nt_f32(x, y)
    elif x.elType == "i8" and y.elType == "i8":
        return gemm_nt_i8(x, y)


@rule(x_yt)
def by_matmul_t(x, y, zero):
    """For any other type: tosa has such a product, too. That it is the same is taken on trust: with `--trust`."""
    return tosa.matmul_t(x, y, zero, zero)
