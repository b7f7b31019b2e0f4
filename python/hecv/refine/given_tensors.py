"""The tensors that the programs are given: how those of the ranks and of the sequential model are related, by the
relation file, else by their values, and what they are on runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from hecv.base.diagnostics import Diagnostic, InputError, Location, Unsupported
from hecv.refine.clean_expressions import (
    Expression,
    Tensor,
    Unclean,
    array_of,
    choices,
    comprehension_of,
    covers,
    distinct,
    places_in,
    replaced,
    replications,
    shape_of,
    solved,
    tensors_in,
)
from hecv.refine.expression_text import text_of
from hecv.refine.rank_candidates import Candidates, same_values
from hecv.refine.relation_file import RelationFile
from hecv.relate.graphs.graph_index import GraphIndex
from hecv.relate.graphs.lookups import input_ranges
from hecv.tensors.comprehension import Comprehension, leaf, real, scalar
from hecv.tensors.index_terms import Undefined
from hecv.tensors.tensor_graph import Leaf, TensorGraph
from hecv.tensors.term_values import evaluate

_IN_TERMS: Final = "state the sizes of the ranks in terms of those of the sequential model: tokens = 2 * half"

_STATE: Final = ("parameter", "buffer", "constant")

_RANDOM: Final = 20_260_101
"""Seed of the values of the second input set."""


class GivenTensors(Struct, frozen=True):
    """What the tensors that the programs are given are, as comprehensions and on two input sets.

    `found` has the relation of each sequential tensor; `alone` the tensors of either side that none relates.
    """

    sequential: Mapping[str, Comprehension]
    ranks: Mapping[Tensor, Comprehension]
    found: Mapping[str, tuple[Expression, ...]]
    alone: tuple[str, ...]
    sets: tuple[tuple[Mapping[str, Any], Mapping[Tensor, Any]], ...]


def relate_given(sequential: TensorGraph, ranks: Sequence[TensorGraph], given: RelationFile) -> GivenTensors:
    """Relates the leaves of all programs.

    Raises: InputError if example values contradict the file, or an input has no relation.
    """
    return _Leaves(sequential, ranks, given).relate()


def given_at(
    sequential: TensorGraph,
    ranks: Sequence[TensorGraph],
    given: RelationFile,
    found: Mapping[str, tuple[Expression, ...]],
) -> GivenTensors:
    """The tensors as comprehensions over symbolic sizes, of which these relations hold. There are no input sets.

    Raises: InputError if a relation does not hold of all sizes.
    """
    return _Leaves(sequential, ranks, given).at_all_sizes(found)


def values_at(
    sequential: TensorGraph,
    ranks: Sequence[TensorGraph],
    given: RelationFile,
    found: Mapping[str, tuple[Expression, ...]],
    at: Mapping[str, int],
) -> tuple[tuple[Mapping[str, Any], Mapping[Tensor, Any]], ...]:
    """Two input sets at sizes that are numbers, of which these relations hold: of the example's values, and random
    ones.

    Raises: InputError if a relation does not hold of these sizes; Unsupported if there are no such values.
    """
    return _Leaves(sequential, ranks, given).sets(found, at)


def sizes_text(at: Mapping[str, int]) -> str:
    """Symbolic sizes and their values: `batch = 3, tokens = 5`."""
    return ", ".join(f"{name} = {value}" for name, value in at.items())


class _Leaves:
    def __init__(self, sequential: TensorGraph, ranks: Sequence[TensorGraph], given: RelationFile) -> None:
        self._sequential, self._ranks, self._given = sequential, ranks, given
        self._arrays = {Tensor(n, r): a for r, g in enumerate(ranks) for n, a in g.arrays.items()}
        self._kinds = {Tensor(x.name, r): x for r, g in enumerate(ranks) for x in g.leaves}
        names = [{x.name: f"{x.name}@{r}" for x in g.leaves} for r, g in enumerate(ranks)]
        runs = [{f"{t.name}@{t.rank}": a for t, a in self._arrays.items()}]
        self._candidates = Candidates(names, runs)
        self._places: Final[dict[Hashable, Mapping[int, Any] | None]] = {}

    def relate(self) -> GivenTensors:
        found: dict[str, tuple[Expression, ...]] = {}
        for x in self._sequential.leaves:
            lines = self._given.leaves.get(x.name)
            found[x.name] = self._checked(x.name, lines) if lines is not None else self._found(x)
        sequential, ranks = self._tensors(found, self._told())
        related = {t for lines in found.values() for e in lines for t in tensors_in(e)}
        alone = [x.name for x in self._sequential.leaves if not found[x.name] and x.kind != "constant"]
        alone += [
            f"{t.name}@{t.rank}"
            for t, x in self._kinds.items()
            if t not in related and t not in self._given.ranks and x.kind != "constant"
        ]
        return GivenTensors(sequential, ranks, found, tuple(alone), (self._examples(), self._random(found)))

    def at_all_sizes(self, found: Mapping[str, tuple[Expression, ...]]) -> GivenTensors:
        for x in self._sequential.leaves:
            for expression in found[x.name]:
                self._require_sizes(x, expression)
        try:
            sequential, ranks = self._tensors(found, self._told_at_all_sizes())
        except (Undefined, Unclean) as problem:
            raise _wrong(f"a relation of what is given does not hold of all sizes: {problem}", None) from None
        return GivenTensors(sequential, ranks, found, (), ())

    def _require_sizes(self, x: Leaf, expression: Expression) -> None:
        text, place = text_of(expression, self._ranks_of), self._given.places.get(x.name)
        try:
            if shape_of(expression, self._shape) == x.type.shape:
                return
            why = ""
        except (Undefined, Unclean) as problem:
            why = f": {problem}"
        raise _wrong(f"`{text}` has not the sizes of `{x.name}` for all sizes{why}", place, _IN_TERMS)

    def sets(
        self, found: Mapping[str, tuple[Expression, ...]], at: Mapping[str, int]
    ) -> tuple[tuple[Mapping[str, Any], Mapping[Tensor, Any]], ...]:
        ours, theirs = dict(self._sequential.arrays), dict(self._arrays)
        inputs = [x.name for x in self._sequential.leaves if x.kind == "input"]
        for name in inputs:
            for expression in found[name]:
                self._require_shape(name, expression, at)
                theirs |= self._parts_of(expression, ours[name]) or {}
            if found[name]:
                ours[name] = array_of(found[name][0], theirs.__getitem__)
        self._arrays = theirs
        self._sequential = replace(self._sequential, arrays=ours)
        sets = (self._examples(), self._random(found))
        for own, others in sets:
            for name in inputs:
                if not all(self._holds(own[name], e, others) for e in found[name]):
                    raise Unsupported(f"`{name}` has no values at other sizes of which all its relations hold", None)
        return sets

    def _require_shape(self, name: str, expression: Expression, at: Mapping[str, int]) -> None:
        text, shape = text_of(expression, self._ranks_of), self._sequential.arrays[name].shape
        try:
            made = f"has {list(shape_of(expression, self._shape))}"
        except Unclean as problem:
            made = f"has none: {problem}"
        if made != f"has {list(shape)}":
            told = f"where {sizes_text(at)}, `{name}` has sizes {list(shape)}, `{text}` {made}"
            raise _wrong(told, self._given.places.get(name), _IN_TERMS)

    @staticmethod
    def _holds(whole: Any, expression: Expression, arrays: Mapping[Tensor, Any]) -> bool:
        made = [array_of(e, arrays.__getitem__) for e in choices(expression)]
        return all(m.shape == whole.shape and same_values(whole, m) for m in made)

    def _tensors(
        self, found: Mapping[str, tuple[Expression, ...]], told: Iterator[tuple[Tensor, Comprehension]]
    ) -> tuple[dict[str, Comprehension], dict[Tensor, Comprehension]]:
        """The leaves of both sides as comprehensions."""
        sequential: dict[str, Comprehension] = {}
        ranks: dict[Tensor, Comprehension] = dict(told)
        for x in self._sequential.leaves:
            number = literal(self._sequential.arrays[x.name]) if x.kind == "constant" else None
            whole = number or leaf(x.name, x.type.shape, x.type.element)
            sequential[x.name] = self._solve(whole, found[x.name], ranks)
        for tensor, x in self._kinds.items():
            if tensor not in ranks:
                number = literal(self._arrays[tensor]) if x.kind == "constant" else None
                ranks[tensor] = number or leaf(f"{tensor.name}@{tensor.rank}", x.type.shape, x.type.element)
        return sequential, ranks

    # Relations

    def _ranks_of(self, name: str) -> list[int]:
        return [r for r in range(len(self._ranks)) if not name or Tensor(name, r) in self._arrays]

    def _checked(self, name: str, lines: tuple[Expression, ...]) -> tuple[Expression, ...]:
        mine, place = self._sequential.arrays[name], self._given.places.get(name)
        for expression in lines:
            text = text_of(expression, self._ranks_of)
            try:
                made = array_of(expression, self._arrays.__getitem__)
            except Unclean as problem:
                raise _wrong(f"`{name}` = `{text}`: {problem}", place) from None
            if made.shape != mine.shape:
                raise _wrong(f"`{name}` has sizes {list(mine.shape)}, `{text}` has {list(made.shape)}", place)
            if not same_values(mine, made):
                hint = "the values that the files give, of parameters and of examples, have to agree with the relation"
                raise _wrong(f"the value of `{name}` is not that of `{text}`", place, hint)
            for join in replications(expression):
                arrays = [array_of(p, self._arrays.__getitem__) for p in join.parts]
                if not all(a.shape == arrays[0].shape and same_values(arrays[0], a) for a in arrays):
                    raise _wrong(f"`{text_of(join, self._ranks_of)}` is not equal on these ranks, in `{name}`", place)
        return lines

    def _found(self, x: Leaf) -> tuple[Expression, ...]:
        """Relations by value, those of tensors of the same name first."""
        array = self._sequential.arrays[x.name]
        if not array.size:
            return ()
        kinds = {k.kind for t, k in self._kinds.items() if t.name == x.name}
        own = self._candidates.of_family(x.name, [array]) if not kinds or x.kind in kinds else []
        found = own or [e for e in self._candidates.of([array], x.name) if self._same_kind(e, x.kind)]
        if not found and x.kind == "input":
            hint = f'a line under [inputs], such as "{x.name}" = "concat({x.name}, dim=0)"'
            raise _wrong(f"no relation of the input `{x.name}` to tensors of the ranks was given or found", None, hint)
        return tuple(found[:1])

    def _same_kind(self, expression: Expression, kind: str) -> bool:
        """Whether values of one kind are compared: an input is no parameter, and a constant of a program, which has one
        value only, is neither."""
        alike = {"input": ("input",), "parameter": ("parameter", "buffer"), "constant": ("constant", "buffer")}
        return all(self._kinds[t].kind in alike.get(kind, tuple(_STATE)) for t in tensors_in(expression))

    def _told(self) -> Iterator[tuple[Tensor, Comprehension]]:
        """What the table [ranks] says."""
        shapes = {x.name: x.type for x in self._sequential.leaves}
        for tensor, what in self._given.ranks.items():
            kind, name = self._kinds[tensor].type, f"{tensor.name}@{tensor.rank}"
            place = self._given.places.get(name)
            if isinstance(what, int | float):
                value = np.full(kind.shape, what)
                told = Comprehension(kind.shape, lambda *_, w=what: scalar(w), kind.element)
            else:
                try:
                    value = array_of(what, lambda t: self._sequential.arrays[t.name])
                except Unclean as problem:
                    raise _wrong(f"[ranks] `{name}`: {problem}", place) from None
                told = comprehension_of(what, lambda t: leaf(t.name, shapes[t.name].shape, shapes[t.name].element))
            if value.shape != self._arrays[tensor].shape or not same_values(self._arrays[tensor], value):
                raise _wrong(f"the value of `{name}` is not what [ranks] says", place)
            yield tensor, told

    def _told_at_all_sizes(self) -> Iterator[tuple[Tensor, Comprehension]]:
        """The tensors of ranks that the table [ranks] determines, with symbolic sizes."""
        shapes = {x.name: x.type for x in self._sequential.leaves}
        for tensor, what in self._given.ranks.items():
            kind, name = self._kinds[tensor].type, f"{tensor.name}@{tensor.rank}"
            if isinstance(what, int | float):
                told = Comprehension(kind.shape, lambda *_, w=what: scalar(w), kind.element)
            else:
                told = comprehension_of(what, lambda t: leaf(t.name, shapes[t.name].shape, shapes[t.name].element))
            if told.shape != kind.shape:
                raise _wrong(f"[ranks] `{name}`: not of its sizes for all sizes", self._given.places.get(name))
            yield tensor, told

    def _shape(self, tensor: Tensor) -> tuple[int, ...]:
        return self._kinds[tensor].type.shape

    def _solve(
        self, whole: Comprehension, lines: Sequence[Expression], ranks: dict[Tensor, Comprehension]
    ) -> Comprehension:
        """The sequential tensor; the tensors of ranks that it determines are noted. Where a relation does not determine
        them, the sequential tensor is what the relation says of them. What a relation pads is 0."""
        free: Comprehension | None = None
        for expression in lines:
            padded = None if covers(expression) else solved(expression, whole, self._shape)
            if padded is not None:  # around its parts it is 0
                whole = comprehension_of(expression, padded.__getitem__)
        parts = [solved(e, whole, self._shape, self._given.ranks) for e in lines]
        for expression, found in zip(lines, parts, strict=True):
            if found is None and free is None:
                found = self._independent(expression) or {}
                free = comprehension_of(expression, lambda t, f=found: f.get(t) or self._leaf(t))
            for tensor, part in (found or {}).items():
                ranks.setdefault(tensor, part)
        return whole if free is None or any(parts) else free

    def _leaf(self, tensor: Tensor) -> Comprehension:
        return leaf(f"{tensor.name}@{tensor.rank}", self._shape(tensor), self._kinds[tensor].type.element)

    def _independent(self, expression: Expression) -> Mapping[Tensor, Comprehension] | None:
        """The tensors of an expression, each as itself, but for those that it calls equal to others: these are what the
        others say. None where it does not determine them."""
        found = {tensor: self._leaf(tensor) for tensor in distinct(expression)}
        for join in replications(expression):
            first, *others = join.parts
            whole = comprehension_of(first, found.__getitem__)
            for part in others:
                same = solved(part, whole, self._shape)
                if same is None:
                    return None
                found = {**same, **found}
        return found

    # Values

    def _examples(self) -> tuple[Mapping[str, Any], Mapping[Tensor, Any]]:
        return self._sequential.arrays, self._arrays

    def _random(self, found: Mapping[str, Sequence[Expression]]) -> tuple[Mapping[str, Any], Mapping[Tensor, Any]]:
        """Random values of which all relations hold. Constants, buffers and what the file says of ranks stay as they
        are, and so do tensors that are related in several ways at once."""
        made, spans = np.random.default_rng(_RANDOM), input_ranges(GraphIndex(self._sequential))
        ours, theirs = dict(self._sequential.arrays), dict(self._arrays)
        uses = Counter(t for lines in found.values() for e in lines for t in tensors_in(e))
        said = [what for what in self._given.ranks.values() if not isinstance(what, int | float)]
        told = {t.name for what in said for t in tensors_in(what)}
        for x in self._sequential.leaves:
            lines = found[x.name]
            if (
                x.kind in ("constant", "buffer")
                or x.name in told
                or any(uses[t] > 1 for e in lines for t in tensors_in(e))
            ):
                continue
            whole = _drawn(made, ours[x.name], spans.get(x.name))
            parts = [self._parts_of(e, whole) for e in lines]
            drawn = {t: a for p in parts if p is not None for t, a in p.items()}
            if all(p is not None for p in parts):
                given = [array_of(e, drawn.__getitem__) for e in lines] or [whole]
                if all(np.array_equal(given[0], other) for other in given):
                    ours[x.name] = given[0]  # what is padded is 0
                    theirs |= drawn
            elif len(lines) == 1 and (free := self._independent(lines[0])) is not None:
                own = {f"{t.name}@{t.rank}": _drawn(made, theirs[t]) for t in distinct(lines[0])}
                theirs |= {t: evaluate(part, own).astype(theirs[t].dtype) for t, part in free.items()}
                ours[x.name] = array_of(lines[0], theirs.__getitem__)
        return ours, theirs

    def _parts_of(self, expression: Expression, whole: Any) -> Mapping[Tensor, Any] | None:
        """The tensors of an expression with this value; none where it does not determine them."""
        tensors = list(dict.fromkeys(tensors_in(expression)))
        numbers = {t: Tensor("", k) for k, t in enumerate(tensors)}
        form = replaced(expression, numbers.__getitem__), whole.shape, tuple(map(self._shape, tensors))
        if form not in self._places:
            found = places_in(expression, whole.shape, self._shape)
            self._places[form] = None if found is None else {numbers[t].rank: at for t, at in found.items()}
        places = self._places[form]
        return None if places is None else {tensors[k]: whole.reshape(-1)[at] for k, at in places.items()}


def _drawn(made: Any, array: Any, bounds: tuple[int, int] | None = None) -> Any:
    """Random values; of look-ups each row as often as the others. Other integers and masks stay as they are: they have
    a range that the values do not show."""
    if bounds is not None:
        rows = np.resize(made.permutation(np.arange(bounds[0], bounds[1] + 1)), array.size)
        return rows.reshape(array.shape).astype(array.dtype)
    if array.dtype == np.bool_ or array.dtype.kind in "iu":
        return array
    return made.standard_normal(array.shape)


def literal(array: Any) -> Comprehension | None:
    """An array of one number, or of `a * i + b` along one dimension, as a comprehension; none for another one."""
    element = "i1" if array.dtype == np.bool_ else "i64" if array.dtype.kind in "iu" else "f64"
    if not array.size or array.dtype == np.bool_:
        return None
    flat = array.reshape(-1)
    if np.all(flat == flat[0]) and np.isfinite(flat[0]):
        number = flat[0].item()
        return Comprehension(array.shape, lambda *_: scalar(number), element)
    long = [d for d, n in enumerate(array.shape) if n > 1]
    if len(long) == 1 and element == "i64":
        start, step = int(flat[0]), int(flat[1]) - int(flat[0])
        if np.array_equal(flat, start + step * np.arange(flat.size)):
            return Comprehension(array.shape, lambda *i: real(i[long[0]] * step + start), element)
    return None


def _wrong(text: str, place: Location | None, help: str | None = None) -> InputError:
    return InputError(Diagnostic("error", "relation-error", text, place, help=help))
