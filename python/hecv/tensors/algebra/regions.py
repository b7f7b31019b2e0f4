"""Regions: sets of index values, the domains of monomials. Boxes are kept as bounds, all else as a set of isl.

The dimensions of a region are variables, and positions (integers read from a tensor), which are treated as variables
of their own. Regions with the same elements are the same object within one `Regions`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import count
from math import prod
from typing import Any, Final, cast

import islpy as isl

from hecv.tensors.index_terms import Atom, Index, Quotient, Variable, index, linear

Bound = int | None
Box = tuple[tuple[Bound, Bound], ...]
Ranges = Callable[[Atom], tuple[Bound, Bound]]
"""The least and greatest value of a variable or position in any context; None where there is none."""

OPERATIONS: Final = 2_000_000
"""Steps that isl may take for one proof: about a second."""

_NUMBERS: Final = count()
_SET: Final = isl.dim_type.set


class Region:
    """A set of values of `dims`. `box` has the bounds of each, if the region is the product of intervals."""

    __slots__ = ("box", "dims", "hull", "number", "set")

    def __init__(self, dims: tuple[Atom, ...], box: Box | None, hull: Box, elements: Any) -> None:
        self.dims: Final = dims
        self.box: Final = box
        self.hull: Final = hull
        """Bounds of each dimension."""
        self.set: Any = elements
        self.number: Final = next(_NUMBERS)

    def bounds(self, dim: Atom) -> tuple[Bound, Bound]:
        return self.hull[self.dims.index(dim)] if dim in self.dims else (None, None)

    def __repr__(self) -> str:
        if self.box is not None:
            return " and ".join(f"{lo} <= {d!r} <= {hi}" for d, (lo, hi) in zip(self.dims, self.box, strict=True))
        elements = self.set
        for n in range(len(self.dims)):
            elements = elements.set_dim_name(_SET, n, f"d{n}")
        text = str(elements)
        for n, d in reversed(list(enumerate(self.dims))):
            text = text.replace(f"d{n}", repr(d))
        return text[text.index(":") + 1 :].rstrip(" }").strip() if ":" in text else text


class Regions:
    """All regions of one proof, with an isl context of their own."""

    def __init__(self, ranges: Ranges) -> None:
        self.ranges: Final = ranges
        self.context: Final = isl.Context()
        self.context.set_max_operations(OPERATIONS)
        self._boxes: Final[dict[Any, Region]] = {}
        self._sets: Final[dict[Any, list[Region]]] = {}
        self._halves: Final[dict[Index, Region]] = {}
        self._pairs: Final[dict[Any, Any]] = {}
        self.whole: Final = self._box((), ())
        self.empty: Final = Region((), None, (), None)

    # Making

    def _box(self, dims: tuple[Atom, ...], box: Box) -> Region:
        found = self._boxes.get((dims, box))
        if found is None:
            self._boxes[dims, box] = found = Region(dims, box, box, None)
        return found

    def interval(self, dim: Atom, low: int, high: int) -> Region:
        """`low <= dim <= high`."""
        return self._made_box([(dim, (low, high))])

    def _made_box(self, sides: Sequence[tuple[Atom, tuple[Bound, Bound]]]) -> Region:
        kept: list[tuple[Atom, tuple[Bound, Bound]]] = []
        for dim, (low, high) in sides:
            least, most = self.ranges(dim)
            low = least if low is None else low if least is None else max(low, least)
            high = most if high is None else high if most is None else min(high, most)
            if low is not None and high is not None and low > high:
                return self.empty
            if (low, high) != (least, most):
                kept.append((dim, (low, high)))
        kept.sort(key=lambda side: side[0].number)
        return self._box(tuple(d for d, _ in kept), tuple(b for _, b in kept))

    def half(self, value: Index) -> Region:
        """`value >= 0`."""
        found = self._halves.get(value)
        if found is None:
            self._halves[value] = found = self._half(value)
        return found

    def _half(self, value: Index) -> Region:
        if not value.terms:
            return self.whole if value.constant >= 0 else self.empty
        if len(value.terms) == 1 and not isinstance(value.terms[0][0], Quotient):
            dim, c = value.terms[0]
            return self._made_box([(dim, (-(value.constant // c), None) if c > 0 else (None, value.constant // -c))])
        dims = atoms_of([value])
        text = self._text(value, {d: n for n, d in enumerate(dims)})
        return self._made(dims, self._read(f"{{ [{_names(dims)}] : {text} >= 0 }}"))

    def _read(self, text: str) -> Any:
        return isl.Set.read_from_str(self.context, text)

    def _text(self, value: Index, place: Mapping[Atom, int]) -> str:
        texts = [str(value.constant)]
        for atom, c in value.terms:
            inner = (
                f"floor(({self._text(atom.dividend, place)})/{atom.divisor})" if isinstance(atom, Quotient) else None
            )
            texts.append(f"{c} * {inner or f'd{place[atom]}'}")
        return "(" + " + ".join(texts) + ")"

    def elements(self, region: Region) -> Any:
        """The isl set of a region."""
        if region.set is None:
            parts = [f"{lo} <= d{n}" for n, (lo, _) in enumerate(region.hull) if lo is not None]
            parts += [f"d{n} <= {hi}" for n, (_, hi) in enumerate(region.hull) if hi is not None]
            where = f" : {' and '.join(parts)}" if parts else ""
            falsum = " : 1 = 0" if region is self.empty else where
            region.set = self._read(f"{{ [{_names(region.dims)}]{falsum} }}")
        return region.set

    def _made(self, dims: tuple[Atom, ...], elements: Any) -> Region:
        """The region of an isl set: dimensions that do not count are dropped, boxes recognised."""
        for n, dim in enumerate(dims):
            elements = self._bounded(elements, n, *self.ranges(dim))
        elements = elements.coalesce()
        if elements.is_empty():
            return self.empty
        for n in reversed(range(len(dims))):
            free = elements.project_out(_SET, n, 1)
            if self._bounded(free.insert_dims(_SET, n, 1), n, *self.ranges(dims[n])).is_equal(elements):
                elements, dims = free, (*dims[:n], *dims[n + 1 :])
        order = sorted(range(len(dims)), key=lambda n: dims[n].number)
        if order != list(range(len(dims))):
            names = ", ".join(f"d{n}" for n in order)
            elements = elements.apply(isl.Map.read_from_str(self.context, f"{{ [{_names(dims)}] -> [{names}] }}"))
            dims = tuple(dims[n] for n in order)
        hull = tuple((_number(elements.dim_min_val(n)), _number(elements.dim_max_val(n))) for n in range(len(dims)))
        box = self._made_box(list(zip(dims, hull, strict=True)))
        if self._on(box, dims).is_equal(elements):
            return box
        known = self._sets.setdefault((dims, hull), [])
        for region in known:
            if region.set.is_equal(elements):
                return region
        known.append(Region(dims, None, hull, elements))
        return known[-1]

    def _bounded(self, elements: Any, place: int, low: Bound, high: Bound) -> Any:
        if low is not None:
            elements = elements.lower_bound_val(_SET, place, low)
        return elements if high is None else elements.upper_bound_val(_SET, place, high)

    def _on(self, region: Region, dims: tuple[Atom, ...]) -> Any:
        """The isl set of a region over more dimensions, in their ranges."""
        elements, own = self.elements(region), list(region.dims)
        if region.dims == dims:
            return elements
        for n, dim in enumerate(dims):
            if n >= len(own) or own[n] is not dim:
                elements = self._bounded(elements.insert_dims(_SET, n, 1), n, *self.ranges(dim))
                own.insert(n, dim)
        assert tuple(own) == dims, "dimensions are in the order of their numbers"
        return elements

    # Set operations

    def _both(self, one: Region, other: Region, operation: Callable[[Any, Any], Any]) -> Region:
        dims = tuple(sorted({*one.dims, *other.dims}, key=lambda d: d.number))
        return self._made(dims, operation(self._on(one, dims), self._on(other, dims)))

    def _memo(self, name: str, one: Region, other: Region, operation: Callable[[Any, Any], Any]) -> Region:
        found = self._pairs.get((name, one, other))
        if found is None:
            self._pairs[name, one, other] = found = self._both(one, other, operation)
        return found

    def meet(self, one: Region, other: Region) -> Region:
        if one is self.empty or other is self.empty:
            return self.empty
        if one is self.whole or other is self.whole or one is other:
            return other if one is self.whole else one
        if one.box is not None and other.box is not None:
            sides: dict[Atom, tuple[Bound, Bound]] = dict(zip(one.dims, one.box, strict=True))
            for dim, (low, high) in zip(other.dims, other.box, strict=True):
                least, most = sides.get(dim, (None, None))
                low = least if low is None else low if least is None else max(low, least)
                high = most if high is None else high if most is None else min(high, most)
                sides[dim] = low, high
            return self._made_box(list(sides.items()))
        return self._memo("meet", one, other, lambda a, b: a.intersect(b))

    def join(self, one: Region, other: Region) -> Region:
        if one is self.empty or other is self.empty or one is other:
            return other if one is self.empty else one
        if (
            one.box is not None
            and other.box is not None
            and one.dims == other.dims
            and len(differ := [n for n, (a, b) in enumerate(zip(one.box, other.box, strict=True)) if a != b]) == 1
        ):
            n = differ[0]
            (low, high), (least, most) = sorted([one.box[n], other.box[n]], key=lambda b: (b[0] is not None, b[0] or 0))
            if high is not None and least is not None and least <= high + 1:
                upper = None if most is None else max(high, most)
                return self._made_box([(d, (low, upper) if m == n else one.box[m]) for m, d in enumerate(one.dims)])
        return self._memo("join", one, other, lambda a, b: a.union(b))

    def minus(self, one: Region, other: Region) -> Region:
        if one is other or one is self.empty or other is self.whole:
            return self.empty
        if other is self.empty or self._apart(one, other):
            return one
        return self._memo("minus", one, other, lambda a, b: a.subtract(b))

    def _apart(self, one: Region, other: Region) -> bool:
        """Whether the bounds of some dimension show that no element is common."""
        for dim, (low, high) in zip(one.dims, one.hull, strict=True):
            if dim in other.dims:
                least, most = other.bounds(dim)
                if (high is not None and least is not None and high < least) or (
                    low is not None and most is not None and most < low
                ):
                    return True
        return False

    def disjoint(self, one: Region, other: Region) -> bool:
        return self._apart(one, other) or self.meet(one, other) is self.empty

    def within(self, one: Region, other: Region) -> bool:
        return other is self.whole or self.meet(one, other) is one

    def project(self, region: Region, dims: Sequence[Atom]) -> Region:
        """The values of the other dimensions for which there are values of `dims` in the region."""
        if region is self.empty or not any(d in region.dims for d in dims):
            return region
        if region.box is not None:
            sides = [(d, b) for d, b in zip(region.dims, region.box, strict=True) if d not in dims]
            return self._made_box(sides)
        key = ("project", region, frozenset(dims))
        if key not in self._pairs:
            elements = self.elements(region)
            for n in reversed(range(len(region.dims))):
                if region.dims[n] in dims:
                    elements = elements.project_out(_SET, n, 1)
            self._pairs[key] = self._made(tuple(d for d in region.dims if d not in dims), elements)
        return self._pairs[key]

    def relative(self, region: Region, context: Region) -> Region:
        """A region that has the same elements in `context`, without dimensions that do not count there."""
        inside = self.meet(region, context)
        for dim in region.dims:
            if dim in context.dims:
                less = self.project(inside, [dim])
                if self.meet(less, context) is inside:
                    inside, region = self.meet(less, context), less
        return region

    def rename(self, region: Region, atoms: Mapping[Atom, Index]) -> Region:
        """The region in which each of these dimensions is an index: `{y : atoms(y) in region}`."""
        if not any(d in atoms for d in region.dims):
            return region
        new = [atoms[d] if d in atoms else linear(0, ((d, 1),)) for d in region.dims]
        if region.box is not None:
            total = self.whole
            for value, (low, high) in zip(new, region.box, strict=True):
                total = total if low is None else self.meet(total, self.half(value - low))
                total = total if high is None else self.meet(total, self.half(index(high) - value))
            return total
        dims = atoms_of(new)
        place = {d: n for n, d in enumerate(dims)}
        image = ", ".join(f"({self._text(value, place)})" for value in new)
        aff = isl.MultiAff.read_from_str(self.context, f"{{ [{_names(dims)}] -> [{image}] }}")
        return self._made(dims, self.elements(region).preimage_multi_aff(aff))

    def solve(self, region: Region, dim: Atom) -> Index | None:
        """The only value of `dim` in the region as an index of the other dimensions, if it has only one."""
        if dim not in region.dims:
            return None
        low, high = region.bounds(dim)
        if low is not None and low == high:
            return index(low)
        key = ("solve", region, dim)
        if key not in self._pairs:
            self._pairs[key] = self._solve(region, dim) if region.box is None else None
        return self._pairs[key]

    def _solve(self, region: Region, dim: Atom) -> Index | None:
        n = region.dims.index(dim)
        others = tuple(d for d in region.dims if d is not dim)
        relation = isl.Map.from_range(self.elements(region)).move_dims(
            isl.dim_type.in_, 0, isl.dim_type.out, n + 1, len(others) - n
        )
        relation = relation.move_dims(isl.dim_type.in_, 0, isl.dim_type.out, 0, n)
        if not relation.is_single_valued():
            return None
        pieces: list[Any] = []
        isl.PwMultiAff.from_map(relation).foreach_piece(lambda _, aff: pieces.append(aff.get_at(0)))
        return _index_of(pieces[0], others) if len(pieces) == 1 else None

    def extent(self, region: Region, value: Index) -> tuple[Bound, Bound]:
        """Bounds of an index in a region, by those of each dimension."""
        low = high = cast(Bound, value.constant)
        for atom, c in value.terms:
            if isinstance(atom, Quotient):
                least, most = self.extent(region, atom.dividend)
                least = None if least is None else least // atom.divisor
                most = None if most is None else most // atom.divisor
            else:
                least, most = region.bounds(atom) if atom in region.dims else self.ranges(atom)
            if c < 0:
                least, most = most, least
            low = None if low is None or least is None else low + c * least
            high = None if high is None or most is None else high + c * most
        return low, high

    def pieces(self, region: Region) -> list[Region]:
        """Convex regions, whose union this one is."""
        if region.box is not None:
            return [region]
        found: list[Any] = []
        self.elements(region).make_disjoint().coalesce().foreach_basic_set(found.append)
        return [self._made(region.dims, isl.Set.from_basic_set(part)) for part in found]

    def size(self, region: Region, dim: Atom) -> int | None:
        """How many values `dim` has in the region, if that does not depend on the other dimensions."""
        low, high = region.bounds(dim)
        if low is None or high is None:
            return None
        if region.box is not None:
            return high - low + 1
        rest = self.project(region, [dim])
        return high - low + 1 if self.meet(rest, self.interval(dim, low, high)) is region else None


def atoms_of(values: Sequence[Index]) -> tuple[Atom, ...]:
    """The variables and positions in indices, in the order of their numbers."""
    found: set[Atom] = set()

    def visit(value: Index) -> None:
        for atom, _ in value.terms:
            if isinstance(atom, Quotient):
                visit(atom.dividend)
            else:
                found.add(atom)

    for value in values:
        visit(value)
    return tuple(sorted(found, key=lambda a: a.number))


def extents(atom: Atom) -> tuple[Bound, Bound]:
    """The range of a variable by its extent; a variable of extent 0 and a position have none."""
    return (0, atom.extent - 1) if isinstance(atom, Variable) and atom.extent > 0 else (None, None)


def volume(region: Region, dims: Sequence[Atom]) -> int | None:
    """How many values these dimensions have in a box; None if one is unbounded."""
    sides = [region.bounds(d) for d in dims]
    return prod(hi - lo + 1 for lo, hi in cast(Any, sides)) if all(None not in s for s in sides) else None


def _names(dims: Sequence[Atom]) -> str:
    return ", ".join(f"d{n}" for n in range(len(dims)))


def _number(value: Any) -> int | None:
    return int(value.to_python()) if value.is_int() else None


def _index_of(aff: Any, dims: Sequence[Atom]) -> Index | None:
    """An affine expression of isl as an index, if it is one with whole coefficients and quotients by numbers."""
    if not aff.get_denominator_val().is_one():
        return None
    total = index(int(aff.get_constant_val().to_python()))
    for n, dim in enumerate(dims):
        total += linear(0, ((dim, 1),)) * int(aff.get_coefficient_val(isl.dim_type.in_, n).to_python())
    for n in range(aff.dim(isl.dim_type.div)):
        c = aff.get_coefficient_val(isl.dim_type.div, n)
        if c.is_zero():
            continue
        inner = aff.get_div(n)
        divisor = int(inner.get_denominator_val().to_python())
        dividend = _index_of(inner.scale_val(isl.Val.int_from_si(aff.get_ctx(), divisor)), dims)
        if dividend is None:
            return None
        total += (dividend // divisor) * int(c.to_python())
    return total
