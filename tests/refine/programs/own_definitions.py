"""Definitions of ops of `own_ops.py`. No distribution is named."""

from hecv.tensors.comprehension import apply
from hecv.tensors.definitions.op_definition import Call, defines


@defines("ownlib.gated")
def gated(call: Call):
    value, gate, limit = call.tensor(0), call.tensor(1), call.at(2, "limit")
    return call.gives(lambda *i: value[i] * apply("max", gate[i], limit))


@defines("ownlib.ranked")
def ranked(call: Call):
    """Some function of a row and of a place in it."""
    x = call.tensor(0)
    return call.gives(lambda i, j: apply("ownlib.ranked", *(x[i, k] for k in range(x.shape[1])), x[i, j]))
