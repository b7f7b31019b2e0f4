"""GELU in the spellings that models have, as one op: by erf and by tanh, with `x / 2` and `x * 0.5`, in either order.

hecv rewrite examples/gelu.mlir --rules examples/rules/gelu.py -o OUT
"""

from hecv.rules import op, pattern, rule, tosa, var

SQRT_HALF = 0.7071067811865476
SQRT_2_OVER_PI = 0.7978845608028654


@op("my.gelu", type="x")
def gelu(x, *, approximate): ...


@pattern
def half(x):
    return times(x, 0.5)


@pattern
def half(x):
    return times(x, tosa.reciprocal(2.0))


@pattern
def times(x, y):
    return tosa.mul(x, y, 0)


@pattern
def times(x, y):
    return tosa.mul(y, x, 0)


@pattern
def plus(x, y):
    return tosa.add(x, y)


@pattern
def plus(x, y):
    return tosa.add(y, x)


def near(c, value):
    """`c` is this literal, rounded to f32."""
    assert abs(c.value - value) < 1e-7
    return c


@pattern
def normal_cdf_twice(x):
    """`1 + erf(x / sqrt(2))`"""
    c = var()
    return plus(tosa.erf(times(x, near(c, SQRT_HALF))), 1.0)


@pattern
def cube(x):
    return tosa.pow(x, 3.0)


@pattern
def cube(x):
    return times(times(x, x), x)


@pattern
def tanh_twice(x):
    """`1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3))`"""
    c, d = var(), var()
    inner = plus(x, times(cube(x), near(d, 0.044715)))
    return plus(tosa.tanh(times(inner, near(c, SQRT_2_OVER_PI))), 1.0)


@pattern
def gelu_erf(x):
    return times(half(x), normal_cdf_twice(x))


@pattern
def gelu_erf(x):
    return half(times(x, normal_cdf_twice(x)))


@pattern
def gelu_erf(x):
    return times(x, half(normal_cdf_twice(x)))


@pattern
def gelu_tanh(x):
    return times(half(x), tanh_twice(x))


@pattern
def gelu_tanh(x):
    return half(times(x, tanh_twice(x)))


@pattern
def gelu_tanh(x):
    return times(x, half(tanh_twice(x)))


@rule(gelu_erf)
def fuse_gelu(x):
    return gelu(x, approximate="none")


@rule(gelu_tanh)
def fuse_gelu_tanh(x):
    return gelu(x, approximate="tanh")
