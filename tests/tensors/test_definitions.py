"""Each definition of an op of PyTorch against PyTorch itself, in f64, on small tensors with boundary values."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from hecv.tensors.comprehension import leaf
from hecv.tensors.definitions import definition_of
from hecv.tensors.definitions.op_definition import DEFINITIONS, Call, Undefined
from hecv.tensors.tensor_graph import TensorType
from hecv.tensors.term_values import evaluate

torch = pytest.importorskip("torch")

NAMES = {torch.float64: "f64", torch.float32: "f32", torch.int64: "i64", torch.bool: "i1"}


def real(*shape: int) -> Any:
    """Distinct numbers of both signs, with zero and numbers beyond one."""
    count = math.prod(shape)
    values = np.linspace(-2.5, 3.0, count) if count > 1 else np.full(count, 0.75)
    return torch.tensor(np.random.default_rng(7).permutation(values).reshape(shape), dtype=torch.float64)


def positive(*shape: int) -> Any:
    return real(*shape).abs() + 0.25


def whole(*shape: int, below: int = 5) -> Any:
    return torch.tensor(np.random.default_rng(5).integers(0, below, shape))


def signed(*shape: int) -> Any:
    return whole(*shape, below=9) - 4


def truths(*shape: int) -> Any:
    return whole(*shape, below=2).bool()


def unit(*shape: int) -> Any:
    return real(*shape) / 4


X, Y, ROW = real(3, 4), real(3, 4) + 0.125, real(4)
Q, K, V = real(2, 4, 5, 8), real(2, 4, 5, 8) / 2 + 0.1, real(2, 4, 5, 8) - 1
GROUPED = real(2, 2, 5, 8)

CASES: dict[str, list[tuple[Any, ...]]] = {
    **{f"{n}.default": [(X,)] for n in ("exp", "expm1", "erf", "erfc", "exp2", "sin", "cos", "tan", "atan", "sinh")},
    **{f"{n}.default": [(X,)] for n in ("cosh", "tanh", "abs", "floor", "ceil", "trunc", "round", "neg", "sign")},
    **{f"{n}.default": [(X,)] for n in ("square", "sigmoid", "silu", "mish", "relu", "relu6", "hardsigmoid")},
    **{f"{n}.default": [(X,)] for n in ("hardswish", "reciprocal", "log_sigmoid", "isinf", "logical_not", "clone")},
    **{f"{n}.default": [(positive(3, 4),)] for n in ("log", "log1p", "log2", "log10", "sqrt", "rsqrt")},
    **{f"{n}.default": [(unit(3, 4),)] for n in ("asin", "acos", "atanh")},
    **{f"{n}.default": [(X,)] for n in ("asinh", "isnan", "positive", "ravel")},
    "acosh.default": [(positive(3, 4) + 1,)],
    **{f"{n}.default": [(X, Y), (X, ROW)] for n in ("maximum", "minimum", "atan2", "fmax", "fmin", "hypot")},
    **{f"{n}.Tensor": [(X, Y), (X, X), (X, ROW), (signed(3, 4), signed(4))] for n in ("eq", "ne", "lt", "le", "gt")},
    **{f"{n}.Scalar": [(signed(3, 4), 0), (X, 0.5)] for n in ("eq", "ne", "lt", "le", "gt", "ge")},
    **{f"{n}.default": [(truths(3, 4), truths(4))] for n in ("logical_and", "logical_or", "logical_xor")},
    "mul.Tensor": [(X, Y), (X, ROW), (signed(3, 4), signed(4)), (truths(3, 4), X), (truths(4), truths(4))],
    "mul.Scalar": [(X, 3), (signed(4), -2)],
    "add.Tensor": [(X, Y), (X, ROW, {"alpha": 2}), (truths(4), truths(4)), (signed(4), 1.5)],
    "add.Scalar": [(X, 3), (X, 3, 2)],
    "sub.Tensor": [(X, ROW), (X, Y, {"alpha": 0.5})],
    "rsub.Scalar": [(X, 1), (X, 1, 2)],
    "div.Tensor": [(X, Y), (signed(4), 4)],
    "div.Tensor_mode": [(X, Y, {"rounding_mode": m}) for m in (None, "floor", "trunc")],
    "floor_divide.default": [(X, Y), (signed(4), 3), (signed(4), -3)],
    "remainder.Scalar": [(X, 0.75), (signed(9), 4), (signed(9), -4)],
    "remainder.Tensor": [(X, Y)],
    "fmod.Scalar": [(X, 0.75)],
    "pow.Tensor_Scalar": [
        (X, 2),
        (X, 3),
        (positive(4), -0.5),
        (positive(4), 0.5),
        (positive(4), 1.5),
        (X, 0),
        (positive(4), -1),
        (positive(4), -1.5),
        (positive(4), 2.25),
    ],
    "pow.Scalar": [(2, X), (10000.0, X)],
    "pow.Tensor_Tensor": [(positive(3, 4), ROW)],
    "bitwise_and.Tensor": [(truths(3, 4), truths(4))],
    "bitwise_or.Tensor": [(truths(3, 4), truths(4))],
    "bitwise_not.default": [(truths(4),), (signed(4),)],
    "where.self": [(truths(3, 4), X, ROW)],
    "where.ScalarOther": [(truths(3, 4), X, 0.5)],
    "masked_fill.Scalar": [(X, truths(4), -1.0)],
    "masked_fill.Tensor": [(X, truths(3, 4), torch.tensor(2.0, dtype=torch.float64))],
    "clamp.default": [(X, -0.5, 0.5), (X, None, 0.5), (X, -0.5), (X, 0.5, -0.5)],
    "clamp_min.default": [(X, 0.25)],
    "clamp_max.default": [(X, 0.25)],
    "hardtanh.default": [(X,), (X, -2, 2)],
    "gelu.default": [(X,), (X, {"approximate": "tanh"})],
    "softplus.default": [(X,), (X * 20,), (X, 2, 1)],
    "elu.default": [(X,), (X, 0.5, 2.0)],
    "leaky_relu.default": [(X,), (X, 0.2)],
    "addcmul.default": [(X, Y, ROW, {"value": 0.5})],
    "addcdiv.default": [(X, Y, positive(4))],
    "lerp.Scalar": [(X, Y, 0.25)],
    "_to_copy.default": [
        (X, {"dtype": torch.int64}),
        (signed(4), {"dtype": torch.float64}),
        (X.floor(), {"dtype": torch.bool}),
        (truths(4), {"dtype": torch.int64}),
    ],
    "full_like.default": [(X, 2)],
    "zeros_like.default": [(X,)],
    "full.default": [([2, 3], 1.5), ([2], 3, {"dtype": torch.int64}), ([2], True)],
    "ones.default": [([2, 3],)],
    "scalar_tensor.default": [(2.5, {"dtype": torch.float64})],
    "arange.default": [(5,), (4.0, {"dtype": torch.float64})],
    "arange.start": [(2, 6)],
    "arange.start_step": [(0, 8, 2), (9, 0, -3), (0.0, 1.0, 0.25, {"dtype": torch.float64})],
    "view.default": [
        (X, [2, 6]),
        (X, [12]),
        (real(2, 3, 4), [6, 4]),
        (real(2, 3, 4), [2, 2, 2, 3]),
        (X, [3, 2, 2]),
        (real(6, 16), [8, 12]),
        (real(1, 4), [4]),
        (real(4), [1, 4, 1]),
        (real(1), []),
        (real(3, 0), [0]),
    ],
    "squeeze.dim": [(real(3, 1, 4), 1)],
    "unsqueeze.default": [(X, 0), (X, -1)],
    "unfold.default": [(X, 1, 2, 1), (real(2, 7, 3), 1, 3, 2), (real(5), 0, 5, 1)],
    "flatten.using_ints": [(real(2, 3, 4), 1)],
    "expand.default": [(real(3, 1), [3, 4]), (ROW, [2, 3, 4]), (real(1, 4), [-1, 4])],
    "repeat.default": [(X, [2, 1, 3])],
    "repeat_interleave.self_int": [(X, 2, 1), (X, 3, 0)],
    "permute.default": [(real(2, 3, 4), [2, 0, 1]), (real(2, 3, 4), [-1, 0, 1])],
    "transpose.int": [(real(2, 3, 4), 1, 2), (real(2, 3, 4), -3, -1)],
    "swapaxes.default": [(X, 0, 1)],
    "diagonal.default": [(X,), (X, 1), (X, -1), (real(2, 3, 4), 1, 2, 0), (real(2, 3, 4), -2, -1, 1)],
    "tensor_split.sections": [(X, 3, 1), (real(5), 2)],
    "t.default": [(X,), (ROW,)],
    "mT.default": [(real(2, 3, 4),)],
    "movedim.int": [(real(2, 3, 4), 0, 2)],
    "slice.Tensor": [(X, 1, 1, 3), (X, 0, -2, 9223372036854775807), (X, 1, 0, 4, 2), (ROW, 0, 3, 1)],
    "narrow.default": [(X, 1, 1, 2)],
    "select.int": [(X, 0, -1), (X, 1, 2)],
    "split.Tensor": [(X, 2, 1), (ROW, 3)],
    "split_with_sizes.default": [(X, [1, 3], -1)],
    "chunk.default": [(X, 2, -1), (real(5), 2)],
    "unbind.int": [(X, 1)],
    "flip.default": [(X, [1])],
    "roll.default": [(X, [1], [1]), (X, [-1, 2], [0, 1])],
    "cat.default": [([X, Y], 1), ([ROW, real(2), real(3)],), ([X[:, :1], signed(3, 2)], -1)],
    "stack.default": [([X, Y], 0), ([X, Y, X], -1)],
    "constant_pad_nd.default": [(X, [1, 2]), (X, [0, -1, 2, 0], 1.5)],
    "slice_scatter.default": [(X, real(3, 2), 1, 0, 4, 2), (X, real(1, 4), 0, 1, 2)],
    "select_scatter.default": [(X, ROW, 0, 1), (X, ROW, 0, -1)],
    "tril.default": [(X,), (X, 1), (X, -1)],
    "triu.default": [(X,), (X, 1)],
    "embedding.default": [(X, whole(2, 5, below=3))],
    "index_select.default": [(X, 1, whole(6, below=4))],
    "gather.default": [(X, 1, whole(3, 2, below=4)), (X, 0, whole(2, 3, below=3))],
    "index.Tensor": [
        (X, [whole(5, below=3)]),
        (X, [None, signed(3)]),
        (X, [whole(3, below=3), signed(3)]),
        (real(2, 3, 4), [whole(2, below=2), None, whole(2, below=4)]),
        (real(2, 3, 4), [None, whole(2, 1, below=3), whole(5, below=4)]),
    ],
    "one_hot.default": [(whole(2, 3), 5)],
    "diff.default": [(X,), (signed(6), 1, -1, torch.tensor([7])), (X, 1, 0)],
    "linear.default": [(X, real(5, 4)), (real(2, 3, 4), real(5, 4), real(5)), (ROW, real(5, 4))],
    "matmul.default": [
        (X, real(4, 5)),
        (ROW, ROW),
        (X, ROW),
        (ROW, real(4, 2)),
        (real(2, 3, 4), real(4, 5)),
        (real(2, 1, 3, 4), real(6, 4, 5)),
        (real(3, 1), real(1, 4)),
    ],
    "mm.default": [(X, real(4, 5))],
    "bmm.default": [(real(2, 3, 4), real(2, 4, 5))],
    "addmm.default": [(real(5), X, real(4, 5)), (real(3, 5), X, real(4, 5), {"beta": 0.5, "alpha": 2})],
    "baddbmm.default": [(real(2, 3, 5), real(2, 3, 4), real(2, 4, 5), {"beta": 0, "alpha": 0.25})],
    "outer.default": [(ROW, real(3))],
    "einsum.default": [("ij,kj->ik", [X, Y]), ("bhqd,bhkd->bhqk", [Q, K]), ("ij->", [X]), ("ij,j", [X, ROW])],
    "conv1d.default": [(real(2, 3, 9), real(4, 3, 3)), (real(2, 4, 9), real(6, 2, 3), real(6), [2], [1], [2], 2)],
    "conv2d.default": [
        (real(1, 2, 5, 6), real(3, 2, 2, 3), real(3)),
        (real(1, 2, 5, 6), real(2, 1, 3, 3), None, [2, 1], [1, 0], [1, 2], 2),
    ],
    "convolution.default": [(real(1, 2, 5), real(3, 2, 2), None, [1], [1], [1], False, [0], 1)],
    "scaled_dot_product_attention.default": [
        (Q, K, V),
        (Q, K, V, None, 0.0, True),
        (Q, K, V, real(5, 5)),
        (Q, K, V, torch.ones(5, 5).tril().bool()),
        (Q, GROUPED, GROUPED + 1, None, 0.0, True, {"enable_gqa": True}),
        (Q, K, V, {"scale": 0.3}),
        (real(2, 3, 6, 4), real(2, 3, 5, 4), real(2, 3, 5, 7)),
        (real(4, 3, 8), real(4, 6, 8), real(4, 6, 8), None, 0.0, True),
    ],
    "sum.default": [(X,), (truths(3, 4),)],
    "sum.dim_IntList": [(X, [1]), (X, [-1], True), (real(2, 3, 4), [0, 2])],
    "mean.dim": [(X, [-1], True), (real(2, 3, 4), [0, 2])],
    "mean.default": [(X,)],
    "amax.default": [(X, [-1]), (X, [0, 1], True)],
    "amin.default": [(X, [1])],
    "max.default": [(X,)],
    "prod.default": [(X,)],
    "prod.dim_int": [(X, 1)],
    "max.other": [(X, Y)],
    "max.dim": [(X, 1), (X, -1, True)],
    "any.dim": [(truths(3, 4), 1)],
    "all.default": [(truths(3, 4),)],
    "cumsum.default": [(X, 1), (truths(3, 4), 0), (signed(4), -1)],
    "cumprod.default": [(X, 1), (X, 0), (truths(3, 4), 0), (signed(4), -1), (real(1), 0)],
    "logcumsumexp.default": [(X, 1), (X, 0), (ROW, -1)],
    "cummax.default": [(X, 1), (X, 0)],
    "cummin.default": [(X, 1), (ROW, 0)],
    "var.correction": [(X, [1]), (X, [-1], {"correction": 0, "keepdim": True})],
    "var.dim": [(X, [1], False, True), (X, [1], True)],
    "std.correction": [(X, [1])],
    "var_mean.correction": [(X, [-1], {"correction": 0, "keepdim": True})],
    "softmax.int": [(X, -1), (X, 0), (torch.where(truths(3, 4) | (torch.arange(4) == 1), X, -math.inf), 1)],
    "_softmax.default": [(X, -1, False)],
    "log_softmax.int": [(X, 1)],
    "logsumexp.default": [(X, [1]), (X, [0], True)],
    "layer_norm.default": [(X, [4]), (X, [4], ROW, ROW + 1, 0.1), (X, [3, 4], Y)],
    "native_layer_norm.default": [(X, [4], ROW, None, 1e-5)],
    "rms_norm.default": [(X, [4]), (X, [4], ROW, 1e-6)],
    "group_norm.default": [(real(2, 6, 3), 3), (real(2, 6, 3), 2, real(6), real(6) + 1, 1e-3)],
    "batch_norm.default": [(real(2, 3, 4), real(3), real(3) + 1, real(3), positive(3), False, 0.1, 1e-5, False)],
    "avg_pool2d.default": [(real(1, 2, 6, 6), [2, 3]), (real(1, 2, 6, 6), [3], [1])],
    **{f"{n}.default": [(X,)] for n in ("alias", "contiguous", "detach", "lift_fresh_copy", "ones_like", "numpy_T")},
    "to.dtype": [(X, torch.int64), (X.floor(), torch.bool)],
    "type_as.default": [(signed(4), X)],
    "dropout.default": [(X, 0.5, False), (X, 0.0, True)],
    "copy.default": [(X, ROW), (signed(3, 4), ROW)],
    "fill.Scalar": [(X, 1.5)],
    "zeros.default": [([2, 3],)],
    "new_zeros.default": [(X, [2])],
    "new_ones.default": [(X, [2, 2])],
    "new_full.default": [(X, [2], 1.5)],
    "reshape.default": [(X, [2, -1])],
    "_unsafe_view.default": [(X, [12])],
    "unflatten.int": [(X, 1, [2, 2])],
    "expand_as.default": [(ROW, X)],
    "unsafe_split.Tensor": [(X, 3, 1)],
    "pad.default": [(X, [1, 1], "constant", 2.0)],
    "mv.default": [(X, ROW)],
    "dot.default": [(ROW, ROW + 1)],
    "_log_softmax.default": [(X, 0, False)],
    "_safe_softmax.default": [(X, -1)],
    "_fused_rms_norm.default": [(X, [4], ROW, 1e-3)],
    "min.default": [(X,)],
    "min.other": [(X, Y)],
    "min.dim": [(X, 0)],
    "__and__.Tensor": [(truths(3, 4), truths(4))],
    "__or__.Tensor": [(truths(3, 4), truths(4))],
    **{f"{n}.default": [(X, Y)] for n in ("silu_backward", "sigmoid_backward", "tanh_backward")},
    "gelu_backward.default": [(X, Y), (X, Y, {"approximate": "tanh"})],
    "threshold_backward.default": [(X, Y, 0), (X, signed(3, 4).double(), 1)],
    "_softmax_backward_data.default": [(X, unit(3, 4), -1, torch.float64)],
    "_log_softmax_backward_data.default": [(X, unit(3, 4), 0, torch.float64)],
    "native_layer_norm_backward.default": [
        (X, Y, [4], real(3, 1), positive(3, 1), ROW, ROW, [True, True, True]),
        (X, Y, [4], real(3, 1), positive(3, 1), None, None, [True, False, False]),
    ],
    "embedding_dense_backward.default": [
        (real(2, 5, 3), whole(2, 5, below=4), 4, -1, False),
        (real(5, 3), whole(5, below=4), 4, 1, False),
    ],
    "slice_backward.default": [(real(3, 2), [3, 4], 1, 0, 4, 2), (real(2, 4), [3, 4], 0, -2, 3, 1)],
    "select_backward.default": [(ROW, [3, 4], 0, -1)],
    "zero.default": [(X,)],
    "index_put.default": [
        (X, [truths(3, 4)], torch.tensor(2.0, dtype=torch.float64)),
        (X, [truths(3)], torch.tensor(2.0, dtype=torch.float64)),
        (X, [torch.tensor([2])], ROW),
        (X, [None, torch.tensor([[-1]])], real(3, 1, 1)),
        (X, [torch.tensor([2, 0, 2])], real(3, 4), True),
        (X, [torch.tensor([2, 0, -1]), torch.tensor([[1], [-2]])], real(2, 3), True),
        (real(2, 3, 4), [torch.tensor([1, 1]), None, torch.tensor([0, 3])], real(2, 3), True),
        (X, [None, torch.tensor([2, 2])], torch.tensor(2.0, dtype=torch.float64), True),
    ],
    "nll_loss_forward.default": [(X, whole(3, below=4), None, r, ignored) for r in (0, 1, 2) for ignored in (-100, 1)],
    "nll_loss_backward.default": [
        (real(1)[0], X, whole(3, below=4), None, r, i, torch.tensor(3.0, dtype=torch.float64))
        for r in (1, 2)
        for i in (-100, 1)
    ],
    "max_pool2d.default": [(real(1, 2, 6, 6), [2, 2])],
}


def called(op: Any, arguments: tuple[Any, ...]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Positional arguments with defaults filled in, and keyword arguments, as the schema has them."""
    given = dict(arguments[-1]) if arguments and isinstance(arguments[-1], dict) else {}
    plain = arguments[: len(arguments) - bool(given)]
    positional: list[Any] = []
    keywords: dict[str, Any] = {}
    for k, slot in enumerate(op._schema.arguments):
        if slot.kwarg_only:
            if slot.name in given:
                keywords[slot.name] = given[slot.name]
        else:
            positional.append(plain[k] if k < len(plain) else given.get(slot.name, slot.default_value))
    return tuple(positional), keywords


def element(tensor: Any) -> str:
    return NAMES[tensor.dtype]


@pytest.mark.parametrize("name", CASES)
def test_definition(name: str) -> None:
    packet, overload = name.split(".")
    op = getattr(getattr(torch.ops.aten, packet), overload)
    definition = definition_of(f"aten.{name}")
    assert definition is not None
    for case in CASES[name]:
        positional, keywords = called(op, case)
        result = op(*positional, **keywords)
        results = [r for r in (result if isinstance(result, tuple | list) else [result]) if r is not None]
        arrays: dict[str, Any] = {}

        def put(value: Any, arrays: dict[str, Any] = arrays) -> Any:
            if isinstance(value, torch.Tensor):
                title = f"t{len(arrays)}"
                arrays[title] = value.numpy().astype(np.float64)
                return leaf(title, tuple(value.shape), element(value))
            if isinstance(value, list | tuple):
                return tuple(map(put, value))
            return NAMES.get(value, value) if isinstance(value, torch.dtype) else value

        types = tuple(TensorType(tuple(r.shape), element(r)) for r in results)
        call = Call(f"aten.{name}", tuple(map(put, positional)), {k: put(v) for k, v in keywords.items()}, types)
        for made, expected in zip(definition(call), results, strict=True):
            assert made.shape == tuple(expected.shape), (name, case)
            if name in ("max.dim", "min.dim", "cummax.default", "cummin.default") and expected.dtype == torch.int64:
                with pytest.raises(Undefined):
                    made.generic()
                continue
            found = evaluate(made, arrays)
            np.testing.assert_allclose(found, expected.numpy().astype(np.float64), rtol=1e-12, atol=1e-12, err_msg=name)


def test_every_definition_has_a_case() -> None:
    unread = {f"aten.{n}" for n in ("empty", "empty_like", "new_empty", "empty_strided", "new_empty_strided")}
    told = {f"aten.{name}" for name in CASES} | {f"aten.{name.split('.')[0]}" for name in CASES}
    told |= unread | {"dist.reduce", "dist.concat"}  # tests/refine/test_collective_calls.py
    silent = sorted(op for op in DEFINITIONS if op not in told)
    assert silent == [], silent
