"""Programs whose arguments share a name, an object or memory: what holds of the example alone is no relation."""

from __future__ import annotations

import torch
from torch import nn


def numbers(seed: int) -> torch.Tensor:
    return torch.randn(4, 4, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


X, MASK, OTHER = numbers(1), numbers(2), numbers(3)


class Masked(nn.Module):
    """A buffer and an input of one name."""

    def __init__(self, call) -> None:
        super().__init__()
        self.register_buffer("mask", MASK.clone())
        self.call = call

    def forward(self, x, mask):
        return self.call(x, self.mask, mask)


def masked():
    return Masked(lambda x, own, given: x * own + given), (X, OTHER)


def masked_again(rank, size):
    return Masked(lambda x, own, given: given + own * x), (X, OTHER)


def wrong_mask(rank, size):
    return Masked(lambda x, own, given: x * given + own), (X, OTHER)


# One tensor in the place of several


def weighted():
    return (lambda q, k, v: q * 2 + k * 3 + v), (X, X, X)


def weighted_again(rank, size):
    return (lambda q, k, v: v + k * 3 + q + q), (X, X, X)


def wrong_weighted(rank, size):
    return (lambda q, k, v: k * 2 + q * 3 + v), (X, X, X)


def shifted_by_constant():
    return (lambda x: x * 2 + X), (X,)


def shifted_by_constant_again(rank, size):
    return (lambda x: X + x + x), (X,)


def wrong_shift(rank, size):
    return (lambda x: x * 3), (X,)


# Keys with dots


def nested():
    return (lambda d: d["a.b"] * 2 + d["a"]["b"]), ({"a.b": X, "a": {"b": OTHER}},)


def nested_again(rank, size):
    return (lambda d: d["a"]["b"] + d["a.b"] + d["a.b"]), ({"a.b": X, "a": {"b": OTHER}},)


def wrong_nested(rank, size):
    return (lambda d: d["a.b"] + d["a"]["b"] * 2), ({"a.b": X, "a": {"b": OTHER}},)


def returned():
    return (lambda x: {"a.b": x * 2, "a": {"b": x * 3}}), (X,)


def returned_again(rank, size):
    return (lambda x: {"a.b": x + x, "a": {"b": x * 3}}), (X,)


def wrong_returned(rank, size):
    return (lambda x: {"a.b": x * 5, "a": {"b": x * 3}}), (X,)


# Changes in place


def step():
    return (lambda x, w: (x * 1.0, w.add_(x))[0]), (X, OTHER.clone())


def step_again(rank, size):
    return (lambda x, w: (x * 1.0, w.add_(x))[0]), (X, OTHER.clone())


def wrong_step_beside(rank, size):
    """What the tensor should be is returned, and something else is written."""

    def call(x, w):
        new = w + x
        w.mul_(0)
        return x * 1.0, new

    return call, (X, OTHER.clone())


def step_as_a_result(rank, size):
    """Nothing is changed in place: the new value is a result."""
    return (lambda x, w: (x * 1.0, w + x)), (X, OTHER.clone())


def ones():
    return (lambda x: x * 0 + 1), (X,)


def bits(rank, size):
    """Ones of integers are other numbers."""

    def call(x):
        y = x.clone()
        y.view(torch.int64).fill_(1)
        return y

    return call, (X,)
