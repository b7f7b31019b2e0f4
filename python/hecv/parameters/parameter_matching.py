"""Matches the parameters of two models: as a file says, by name, or by equal values.

A match is a guess and becomes an assumption of the verdict, so a wrong guess does not make a wrong verdict. Values are
compared exactly: one model's parameters are often copies of the other's, transposed, merged or split.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct, field

from hecv.parameters.captured_model import Tensor, Values
from hecv.parameters.parameter_relation import (
    Concat,
    Expression,
    Own,
    Ref,
    Reshape,
    Shape,
    Slice,
    Transpose,
    names_in,
    sliced,
    transposed,
)

MOST_TRIES: Final = 5_000
"""Sequences of parameters, at most, that are tried for a parameter that concatenates several."""


class Related(Struct, frozen=True):
    """The expression for each parameter of the target, target parameters without one, and source parameters that no
    expression uses."""

    expressions: Mapping[str, Expression]
    unmatched: tuple[str, ...]
    unused: tuple[str, ...]


class _Search(Struct):
    sources: Sequence[Tensor]
    used: set[str] = field(default_factory=set[str])
    tries: int = 0

    def of(self, target: Tensor) -> Expression | None:
        """The likeliest expression for a parameter; None if there is none."""
        for search in (self._equal, self._named, self._transposed, self._joined, self._cut, self._reshaped):
            found = next(search(target), None)
            if found is not None:
                self.used.update(names_in(found))
                return found
        return None

    def _preferred(self, target: Tensor) -> list[Tensor]:
        """The source's parameters: those of the same name first, then unused ones."""
        last = target.name.rpartition(".")[2]

        def rank(source: Tensor) -> tuple[bool, bool, bool]:
            return source.name != target.name, source.name in self.used, source.name.rpartition(".")[2] != last

        return sorted((s for s in self.sources if s.element == target.element), key=rank)

    def _equal(self, target: Tensor) -> Iterator[Expression]:
        for source in self._preferred(target):
            if source.shape == target.shape and source.values == target.values:
                yield Ref(source.name)

    def _named(self, target: Tensor) -> Iterator[Expression]:
        """A parameter of the same name and shape, whatever its values."""
        if not any(map(self._has_value, self._by_value(target))):
            yield from (Ref(s.name) for s in self.sources if (s.name, s.type) == (target.name, target.type))

    def _by_value(self, target: Tensor) -> Iterator[Iterator[Expression]]:
        yield from (search(target) for search in (self._transposed, self._joined, self._cut, self._reshaped))

    def _has_value(self, found: Iterator[Expression]) -> bool:
        return next(found, None) is not None

    def _forms(self, target: Tensor) -> Iterator[tuple[Expression, Shape, Values]]:
        """The source's parameters and their transposes."""
        for source in self._preferred(target):
            yield Ref(source.name), source.shape, source.values
            if len(source.shape) == 2:
                values = transposed(source.values, source.shape, 0, 1)
                yield Transpose(Ref(source.name), 0, 1), source.shape[::-1], values

    def _transposed(self, target: Tensor) -> Iterator[Expression]:
        for form, shape, values in self._forms(target):
            if shape == target.shape and values == target.values:
                yield form

    def _joined(self, target: Tensor) -> Iterator[Expression]:
        forms, self.tries = list(self._forms(target)), 0
        for dim in range(len(target.shape)):
            parts = self._parts(target, dim, forms, 0, frozenset())
            if parts is not None and len(parts) > 1:
                yield Concat(tuple(parts), dim)

    def _parts(
        self,
        target: Tensor,
        dim: int,
        forms: list[tuple[Expression, Shape, Values]],
        start: int,
        taken: frozenset[str],
    ) -> list[Expression] | None:
        """Parameters whose concatenation is the target from `start` on."""
        if start == target.shape[dim]:
            return []
        self.tries += 1
        if self.tries > MOST_TRIES:
            return None
        alike: set[tuple[Shape, Values]] = set()  # where one leads nowhere, others with its values do not
        for form, shape, values in forms:
            name = next(names_in(form))
            size = shape[dim] if len(shape) == len(target.shape) else 0
            if not 0 < size <= target.shape[dim] - start or name in taken or (shape, values) in alike:
                continue
            alike.add((shape, values))
            if (*target.shape[:dim], size, *target.shape[dim + 1 :]) != shape:
                continue
            if sliced(target.values, target.shape, dim, start, start + size) == values:
                rest = self._parts(target, dim, forms, start + size, taken | {name})
                if rest is not None:
                    return [form, *rest]
        return None

    def _cut(self, target: Tensor) -> Iterator[Expression]:
        for form, shape, values in self._forms(target):
            if len(shape) != len(target.shape):
                continue
            for dim, (have, want) in enumerate(zip(shape, target.shape, strict=True)):
                if (*shape[:dim], want, *shape[dim + 1 :]) != target.shape:
                    continue
                for start in range(have - want + 1):
                    if sliced(values, shape, dim, start, start + want) == target.values:
                        yield Slice(form, dim, start, start + want)

    def _reshaped(self, target: Tensor) -> Iterator[Expression]:
        for form, shape, values in self._forms(target):
            if shape != target.shape and shape and target.shape and values == target.values:
                yield Reshape(form, target.shape)


def relate(source: Sequence[Tensor], target: Sequence[Tensor], given: Mapping[str, Expression]) -> Related:
    """Relates all parameters and buffers. A buffer without a counterpart is part of its program, with its value."""
    search = _Search(source)
    for expression in given.values():
        search.used.update(names_in(expression))
    expressions: dict[str, Expression] = dict(given)
    unmatched: list[str] = []
    for tensor in target:
        found = expressions.get(tensor.name) or search.of(tensor)
        if found is not None:
            expressions[tensor.name] = found
        elif tensor.kind == "buffer":
            expressions[tensor.name] = Own()
        else:
            unmatched.append(tensor.name)
    return Related(expressions, tuple(unmatched), tuple(s.name for s in source if s.name not in search.used))
