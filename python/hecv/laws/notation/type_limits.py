"""The least and greatest values of a type, as laws write them."""

from __future__ import annotations

from typing import Any


def least(x: Any) -> Any:
    """The least signed value of the type of `x`."""
    return -(1 << (x.width - 1))


def greatest(x: Any) -> Any:
    """The greatest signed value of the type of `x`."""
    return (1 << (x.width - 1)) - 1
