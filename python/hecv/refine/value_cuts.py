"""What related values are read as from then on: a sequential value as a leaf of its own, tensors of ranks as parts of
it. Proofs end at them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from fractions import Fraction
from typing import Final

from msgspec import Struct

from hecv.refine.clean_expressions import (
    Expression,
    Tensor,
    Unclean,
    covers,
    distinct,
    replaced,
    shape_of,
    solved,
    tensors_in,
)
from hecv.relate.graphs.cone_keys import ConeKeys, Pattern
from hecv.relate.graphs.cones import Cones
from hecv.tensors.comprehension import Comprehension, Read, Real, RealLiteral, Reduce, Scalar, leaf
from hecv.tensors.definitions import Undefined
from hecv.tensors.definitions.op_definition import is_integer
from hecv.tensors.substitution import subterms

ONE: Final = Fraction(1)

LONGEST_OF_INTEGERS: Final = 64
"""Terms, at most, of an index or a mask that is read by its definition."""

Shape = tuple[int, ...]


class Form(Struct, frozen=True):
    """A clean expression but for the names of its tensors, as a number, and these tensors in order; the sizes of its
    value, none if they do not fit."""

    number: int
    tensors: tuple[Tensor, ...]
    size: Shape | None


class Whole(Struct, frozen=True):
    """What a sequential value is read as: its pattern, its sizes and type of elements; of one that is read by its
    definition, the places of its leaves among those of its cone."""

    number: int
    shape: Shape
    element: str
    kept: tuple[int, ...] | None


class ValueCuts:
    """The related values of both graphs, by what they are read as. `ours` are sequential ones, `theirs` those of the
    joined graph."""

    def __init__(self, sequential: Cones, joined: Cones, keys: ConeKeys) -> None:
        self._cones, self._joined, self._keys = sequential, joined, keys
        self.ours: Final[dict[str, Comprehension]] = {}
        self.theirs: Final[dict[str, Comprehension]] = {}
        self._owners: Final[dict[str, tuple[str, Fraction]]] = {}
        """By tensor of a rank: the sequential value of which it is read as a part, and the multiple of it."""
        self._sizes: Final[dict[int, Shape | None]] = {}
        self._solvable: Final[dict[Hashable, tuple[int, ...] | None]] = {}
        self._wholes: Final[dict[Hashable, Whole]] = {}
        self._twins: Final[dict[Hashable, bool]] = {}

    def form(self, expression: Expression, names: Callable[[Tensor], str]) -> Form:
        """The form of an expression whose tensors have these names in the joined graph."""
        tensors = tuple(dict.fromkeys(tensors_in(expression)))
        places = {t: Tensor("", k) for k, t in enumerate(tensors)}
        shapes = {t: self._joined.index.type_of(names(t)).shape for t in tensors}
        number = self._keys.number(("form", replaced(expression, places.__getitem__), tuple(shapes.values())))
        if number not in self._sizes:
            try:
                self._sizes[number] = shape_of(expression, shapes.__getitem__)
            except (Unclean, Undefined):
                self._sizes[number] = None
        return Form(number, tensors, self._sizes[number])

    def cut(self, name: str, expression: Expression, names: Callable[[Tensor], str], factor: Fraction = ONE) -> None:
        """Reads the tensors of an expression as parts of the sequential value times a factor, where it determines
        them."""
        form = self.form(expression, names)
        shape = self._cones.index.type_of(name).shape
        try:
            if not self._solves(expression, form, names, shape):
                return
            whole = self.ours.get(name) or self._twin(expression, form, names, factor) or self._leaf(name)
        except Undefined:  # which part it is depends on a size
            return
        self.ours[name] = whole
        for tensor, part in self._parts(expression, form, names, whole, factor).items():
            joined, index = names(tensor), self._joined.index
            if joined in index.makers and joined in index.varying and joined not in self.theirs:
                self.theirs[joined] = part
                self._owners[joined] = name, factor

    def part_of(self, name: str) -> str | None:
        """The sequential value of which a value of the joined graph is a part."""
        owner, factor = self._owners.get(name, (None, ONE))
        return owner if factor == 1 else None

    # Parts

    def _solves(
        self, expression: Expression, form: Form, names: Callable[[Tensor], str], shape: Shape
    ) -> tuple[int, ...] | None:
        """The places in the form of the tensors that an expression with a value of these sizes determines."""
        key = form.number, shape
        if key not in self._solvable:
            found = solved(expression, leaf("", shape), lambda tensor: self._joined.index.type_of(names(tensor)).shape)
            self._solvable[key] = None if found is None else tuple(map(form.tensors.index, found))
        return self._solvable[key]

    def _parts(
        self,
        expression: Expression,
        form: Form,
        names: Callable[[Tensor], str],
        whole: Comprehension,
        factor: Fraction,
    ) -> Mapping[Tensor, Comprehension]:
        """The tensors that the expression determines, as parts of a value times a factor; they are made when they are
        read."""
        shapes = {t: self._joined.index.type_of(names(t)).shape for t in form.tensors}
        made = dict[Tensor, Comprehension]()

        def part(tensor: Tensor) -> Comprehension:
            if not made:
                made.update(solved(expression, scaled(whole, factor), shapes.__getitem__) or {})
            return made[tensor]

        found: dict[Tensor, Comprehension] = {}
        for place in self._solves(expression, form, names, whole.shape) or ():
            tensor = form.tensors[place]
            found[tensor] = Comprehension(shapes[tensor], lambda *i, t=tensor: part(t)[i], whole.element)
            self._keys.derive(found[tensor], whole, (form.number, place, factor))
        return found

    def _twin(
        self, expression: Expression, form: Form, names: Callable[[Tensor], str], factor: Fraction
    ) -> Comprehension | None:
        """What another sequential value, or a multiple of it, is read as, where the expression has its parts."""
        joined = [names(t) for t in distinct(expression)]
        owners = {self._owners.get(name) for name in joined}
        owner = owners.pop() if len(owners) == 1 else None
        if owner is None or len(set(joined)) < len(joined) or not covers(expression):
            return None  # a part that stands twice says nothing of the elements at its other place
        other = self.ours[owner[0]]
        whole = scaled(other, owner[1] / factor)
        if form.size != whole.shape:
            return None
        places = self._solves(expression, form, names, whole.shape)
        if not places or any(names(form.tensors[k]) not in self.theirs for k in places):
            return None
        key = self._keys.new()
        for tensor in (other, *(self.theirs[names(form.tensors[k])] for k in places)):
            key.read(self._keys.pattern(tensor))
        made = key.made((form.number, owner[1], factor))
        if made not in self._twins:
            found = self._parts(expression, form, names, whole, factor)
            self._twins[made] = all(_is_same(part, self.theirs[names(t)]) for t, part in found.items())
        return whole if self._twins[made] else None

    # Sequential values

    def _leaf(self, name: str) -> Comprehension:
        """What a related value is read as from now on: an element of its own, unless it only moves elements, or is an
        index or a mask that is computed from integers."""
        try:
            key = self._keys.new()
            key.add(self._cones, name, self.ours)
            made = key.made(tuple(map(self._is_integer, key.leaves)))
        except Undefined:
            value, _ = self._cones.value(name, self.ours)
            return value if self._is_kept(value) else leaf(name, value.shape, value.element)
        if made not in self._wholes:
            value, _ = self._cones.value(name, self.ours)
            kept = self._is_kept(value)
            pattern = self._keys.pattern(value if kept else leaf(name, value.shape, value.element))
            if kept and not set(pattern.leaves) <= set(key.leaves):
                return value
            places = tuple(map(key.leaves.index, pattern.leaves)) if kept else None
            self._wholes[made] = Whole(pattern.number, value.shape, value.element, places)
        whole = self._wholes[made]
        if whole.kept is None:
            found, leaves = leaf(name, whole.shape, whole.element), (name,)
        else:
            found, leaves = self._cones.value(name, self.ours)[0], tuple(key.leaves[k] for k in whole.kept)
        self._keys.assign(found, Pattern(whole.number, leaves))
        return found

    def _is_kept(self, value: Comprehension) -> bool:
        element = value.generic()[1]
        plain = isinstance(element, Read | RealLiteral | Real)
        return plain or (is_integer(value.element) and self._is_of_integers(element))

    def is_arithmetic(self, name: str) -> bool:
        """Whether a sequential value is an index or a mask that is computed from integers."""
        try:
            value, _ = self._cones.value(name, self.ours)
        except Undefined:
            return False
        return is_integer(value.element) and self._is_of_integers(value.generic()[1])

    def _is_of_integers(self, element: Scalar) -> bool:
        """Whether a term is short and reads nothing but integers."""
        terms = subterms(element)
        if len(terms) > LONGEST_OF_INTEGERS or any(isinstance(t, Reduce) for t in terms):
            return False
        return all(self._is_integer(t.tensor) for t in terms if isinstance(t, Read))

    def _is_integer(self, leaf: str) -> bool:
        """Whether a leaf of terms is a value of the sequential program, of integers."""
        index = self._cones.index
        return (leaf in index.makers or leaf in index.leaves) and is_integer(index.type_of(leaf).element)


def scaled(value: Comprehension, factor: Fraction) -> Comprehension:
    """A tensor times a number."""
    if factor == 1:
        return value
    return Comprehension(value.shape, lambda *i: value[i] * factor, value.element)


def _is_same(one: Comprehension, other: Comprehension) -> bool:
    indices, element = one.generic()
    return other[indices] is element
