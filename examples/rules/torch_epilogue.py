"""A product or convolution with the pointwise ops after it, however many, as in compilers that fuse epilogues (PYPM).

The op that the rule makes only marks what was found: it has neither the bias nor the names of the ops, which
`gemm_epilogue.py` keeps. `benchmarks/patterns.py` measures the matching.
"""

from hecv.rules import fun, op, pattern, rule, torch, unary_pointwise, var


@op("my.gemm_epilogue")
def gemm_epilogue(x, w): ...


@pattern
def gemm(x, w):
    b = var()
    return torch.aten.linear(x, w, b)


@pattern
def gemm(x, w):
    b, beta, alpha = var(), var(), var()
    return torch.aten.addmm(b, x, w, beta, alpha)


@pattern
def gemm(x, w):
    b, stride, padding, dilation, groups = var(), var(), var(), var(), var()
    return torch.aten.conv2d(x, w, b, stride, padding, dilation, groups)


@pattern
def epilogue(x, w):
    f = fun(unary_pointwise)
    return f(chain(x, w))


@pattern
def epilogue(x, w):
    """GELU says how it is computed."""
    how = var()
    return torch.aten.gelu(chain(x, w), how)


@pattern
def chain(x, w):
    return epilogue(x, w)


@pattern
def chain(x, w):
    return gemm(x, w)


@rule(epilogue)
def fuse_epilogue(x, w):
    return gemm_epilogue(x, w)
