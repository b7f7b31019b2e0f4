"""A matrix product with the pointwise ops after it, as one op with an epilogue: of any length, an op at a time.

    hecv rewrite examples/mlp.mlir --rules examples/rules/gemm_epilogue.py -o OUT

That `apply_once` is right is shown by what MLIR lowers `tosa.abs` to.
"""

from hecv.rules import op, pattern, rule, tosa, unary_pointwise


@op("my.gemm")
def gemm(a, b, *, epilogue): ...


def plain(f):
    """`f` has no attributes and no other operands, so that its name says all."""
    return f in unary_pointwise and f != tosa.clamp and f != tosa.negate


@pattern
def product(a, b, f):
    assert plain(f)
    return f(tosa.matmul(a, b, 0.0, 0.0))


@rule(product)
def begin_epilogue(a, b, f):
    return gemm(a, b, epilogue=f.name)


@pattern
def longer(a, b, f, g):
    """`g` is the product with the epilogue that it has so far."""
    assert plain(f)
    g <= gemm(a, b)
    return f(g)


@rule(longer)
def extend_epilogue(a, b, f, g):
    return gemm(a, b, epilogue=g.epilogue + " " + f.name)


# Ops that change nothing when they are applied once more: a chain of one of them is one of them.


def idempotent(f):
    return f in (tosa.abs, tosa.ceil, tosa.floor)


@pattern
def again(x, f):
    return f(again(x, f))


@pattern
def again(x, f):
    assert idempotent(f)
    return f(f(x))


@rule(again)
def apply_once(x, f):
    return f(x)
