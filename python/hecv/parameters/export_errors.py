"""What exceptions of torch's export mean, and what to write instead."""

from __future__ import annotations

from typing import Final

_BRANCH: Final = (
    "control flow depends on the values of tensors",
    "use torch.where to choose between values, torch.cond between functions, loops of a fixed number of iterations",
)
_NUMBER: Final = (
    "a number, as a size or how often a loop runs, depends on the values of tensors",
    "make it one that does not depend on tensors, or compute all elements and choose by torch.where",
)
_OUTSIDE: Final = (
    "values of tensors leave torch, as by numpy()",
    "compute them by functions of torch: what the example computes elsewhere is no part of the model",
)

_KINDS: Final = (
    ("Could not guard on data-dependent expression", _BRANCH),
    ("Could not extract specialized integer from data-dependent expression", _NUMBER),
    ("_local_scalar_dense", _NUMBER),
    ("DynamicOutputShapeException", _NUMBER),
    (".numpy() is not supported", _OUTSIDE),
)
"""Parts of the names and texts of exceptions, and what they mean."""


def explained(problem: BaseException) -> tuple[str, str] | None:
    """What an exception of the export means, and what helps; none if its own text says that."""
    text = f"{type(problem).__name__}: {problem}"
    return next((meaning for part, meaning in _KINDS if part in text), None)
