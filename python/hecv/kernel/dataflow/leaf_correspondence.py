"""Shared names for the leaves of two terms, checked: comparing the terms becomes a question about scalar code.

A leaf is a read, an index value that isl can express, or an initial value. A read may be replaced by what one statement
wrote there; its leaves are then leaves too, at the instance that wrote. Write `a <= b` for "`a` is refined by `b`".

Theorem: suppose that a value `v(n)` is chosen for each name `n` such that `x <= v(n)` for each leaf `x` of the source
that is called `n`, and `v(n) <= y` for each leaf `y` of the target that is called `n`. Operators are monotone, so the
source is refined by the named source, and the named target by the target: what is proved of the named terms holds of
the terms. A leaf may also be called by an operator of the other side, over names that have the values of its own leaves
(`exact`), if that operator cannot be undefined, and `x <= operator` or `operator <= y`.

Choice of values: a leaf without a partner has a name of its own, and its value. In a group, each leaf of the source is
refined by each of the target, which is left to be proved; the name has the value

- of the leaves of the source that are known not to be poison, if there are any: all leaves of the target have that
  value;
- else of the target's leaf if there is one only; else of the source's if there is one only;
- else poison if all leaves of the source are, and otherwise the one value that the others and the target's have.

Reals: a name is doubtful if its leaves may be no numbers: none of the target's leaves is known to be one, and none of
the source's that is not poison. They are numbers if the source's value is made of the name, whatever is selected.

NaN: values are equal up to which NaN they are. An operator that shows which NaN has that choice as an operand of its
own, which may be any: so what is proved holds for each NaN that the leaves may be.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

import islpy as isl
from msgspec import Struct

from hecv.base.term import Term, TermPool, postorder
from hecv.base.types import FloatType, IndexType, ScalarType
from hecv.dataflow.model.isl_translation import NotAffine
from hecv.dataflow.model.poison_free import Proper
from hecv.dataflow.model.real_valued import Numbers
from hecv.dataflow.model.scop import Instances
from hecv.dataflow.model.term_instances import At, Initial, Position, numbered
from hecv.dataflow.model.value_dataflow import Dataflow, Isl, access_text
from hecv.kernel.certificate.dataflow_format import Ref, Scalar
from hecv.kernel.certificate.rejection import Rejected
from hecv.ops import exposes
from hecv.ops.facts.poison_conditions import DOUBTFUL
from hecv.ops.nondeterminism import choice_of, settled

Link = tuple[Position, isl.Map | None]
"""A part of a term, and the map from the instances at which the term is compared to the part's own."""


class _Frame(Struct, frozen=True):
    """A statement that a term depends on: its own, or one that wrote what it reads.

    `way` leads to it from the instances at which the term is compared, None if these are its own; `instances` are its
    instances.
    """

    statement: Instances
    way: isl.Map | None
    instances: isl.Set
    root: Term


class Parts:
    """The parts of one of the two terms that are compared."""

    def __init__(
        self,
        space: Isl,
        flow: Dataflow,
        proper: Proper,
        position: At | Initial,
        compared: isl.Set,
        step: str,
        to_the_bit: bool = False,
    ) -> None:
        """`compared`: the instances at which the term is compared. `to_the_bit`: the bits of floats are leaves."""
        self._to_the_bit = to_the_bit
        self._space = space
        self._flow = flow
        self._proper = proper
        self._position = position
        self._compared = compared
        self._step = step
        self._frames: dict[Ref, _Frame] = {}
        self._same: dict[Ref, Ref] = {}
        self._inner: dict[tuple[str, int], dict[int, Term]] = {}
        self._numbers: dict[tuple[str, int], dict[int, int]] = {}
        if isinstance(position, At):
            self._frames[()] = _Frame(position.statement, None, compared, position.term)

    def take(self, behind: Collection[Ref], same: Collection[tuple[Ref, Ref]]) -> None:
        """Replaces reads by what was written, and merges leaves with the same origin.

        Raises: Rejected if more than one statement wrote it, or the leaves have different origins.
        """
        for ref in sorted(behind, key=len):
            frame, term = self._at(ref)
            self._need(term.op == "load" and ref not in self._frames, f"{list(ref)} is no read")
            self._frames[ref] = self._written(frame, term)
        for ref, other in same:
            self._need(self.is_leaf(ref) and self.is_leaf(other) and other not in self._same, "these are no leaves")
            self._need(self.type(ref) == self.type(other), "leaves of several types are one")
            first, second = self._origin(*self._at(ref)), self._origin(*self._at(other))
            equal = first[0] == second[0] and bool(first[1].is_equal(second[1]))
            self._need(equal, f"{list(ref)} and {list(other)} have their values from different places")
            self._same[other] = self.first(ref)

    def root(self) -> Ref:
        """The whole term."""
        return () if isinstance(self._position, Initial) else (self._number(self._frames[()], self._position.term),)

    def first(self, ref: Ref) -> Ref:
        """The representative of all leaves with the same origin."""
        return self._same.get(ref, ref)

    def source(self, ref: Ref) -> Ref:
        """The part that a part's value comes from: for a replaced read, what was written."""
        while ref in self._frames and ref:
            (ref,) = self._operands(ref)
        return self.first(ref)

    def link(self, ref: Ref) -> Link:
        """A part as a position, with the map to its instances."""
        if not ref:
            return self._position, None
        frame, term = self._at(ref)
        return At(frame.statement, term), frame.way

    def type(self, ref: Ref) -> ScalarType:
        """The type of a part."""
        if isinstance(self._position, Initial):
            return self._flow.program.arrays[self._position.array].memory.element
        return self._at(ref)[1].type

    def is_leaf(self, ref: Ref) -> bool:
        """Whether a part is a leaf, not split further."""
        if isinstance(self._position, Initial):
            return ref == ()
        return ref not in self._frames and self._is_whole(*self._at(ref))

    def _is_whole(self, frame: _Frame, term: Term) -> bool:
        return (self._to_the_bit and exposes(term)) or _is_leaf(frame, term)

    def has_floats(self) -> bool:
        """Whether some part is a float."""
        return any(isinstance(self.type(ref), FloatType) for ref, _, _ in self.below(self.root()))

    def is_proper(self, ref: Ref) -> bool:
        """Whether a leaf is known not to be poison."""
        if isinstance(self._position, Initial):
            return not self._position.undefined
        frame, term = self._at(ref)
        return self._proper.term(frame.statement, term)

    def is_number(self, ref: Ref, numbers: Numbers) -> bool:
        """Whether a leaf is known to be a number, or is no float."""
        return not isinstance(self.type(ref), FloatType) or numbers.position(self.link(ref)[0])

    def below(self, ref: Ref) -> Iterator[tuple[Ref, Term | None, tuple[Ref, ...]]]:
        """A part and all its subterms down to the leaves, operands before users: each with its term and its operands.

        A replaced read has one operand, what was written. An initial value has no term.
        """
        if isinstance(self._position, Initial):
            yield (), None, ()
            return
        seen: set[Ref] = set()
        stack: list[tuple[Ref, bool]] = [(ref, False)]
        while stack:
            part, ready = stack.pop()
            if part in seen:
                continue
            operands = self._operands(part)
            if ready or not operands:
                seen.add(part)
                yield part, self._at(part)[1], operands
                continue
            stack.append((part, True))
            stack.extend((o, False) for o in reversed(operands))

    def _operands(self, ref: Ref) -> tuple[Ref, ...]:
        if ref in self._frames:
            frame = self._frames[ref]
            return ((*ref, self._number(frame, frame.root)),)
        frame, term = self._at(ref)
        if self._is_whole(frame, term):
            return ()
        return tuple((*ref[:-1], self._number(frame, a)) for a in term.args)

    def _at(self, ref: Ref) -> tuple[_Frame, Term]:
        """The statement of a part and its term, which is part of what is compared."""
        frame = self._frames.get(ref[:-1]) if ref else None
        term = None if frame is None else self._terms(frame).get(ref[-1])
        if frame is None or term is None:
            raise Rejected(self._step, f"there is no part {list(ref)}")
        return frame, term

    def _terms(self, frame: _Frame) -> dict[int, Term]:
        """The subterms of a frame's term, by their numbers in its statement."""
        key = frame.statement.name, frame.root.id
        if key not in self._inner:
            inner = {t.id for t in postorder((frame.root,))}
            numbers = enumerate(numbered(frame.statement))
            self._inner[key] = {k: t for k, t in numbers if t.id in inner}
            self._numbers[key] = {t.id: k for k, t in self._inner[key].items()}
        return self._inner[key]

    def _number(self, frame: _Frame, term: Term) -> int:
        self._terms(frame)
        return self._numbers[frame.statement.name, frame.root.id][term.id]

    def _written(self, frame: _Frame, load: Term) -> _Frame:
        self._require_settled(frame, load)
        for writer, pairs in self._flow.producers[frame.statement.name, load].writes:
            if frame.instances.is_subset(pairs.domain()):
                assert writer.value is not None
                way = pairs if frame.way is None else frame.way.apply_range(pairs)
                return _Frame(writer, way, frame.instances.apply(pairs), writer.value)
        raise Rejected(self._step, "not one statement wrote what is read")

    def _require_settled(self, frame: _Frame, load: Term) -> None:
        unsettled = self._flow.producers[frame.statement.name, load].unsettled
        apart = unsettled is None or bool(unsettled.is_disjoint(frame.instances))
        self._need(apart, "what memories overlap decides what is read")

    def _origin(self, frame: _Frame, leaf: Term) -> tuple[str, isl.Map]:
        """The origin of a leaf's value, by the instances at which the term is compared."""
        statement = frame.statement
        self._need(leaf.op in ("load", "iv") or isinstance(leaf.type, IndexType), "where bits are from is not known")
        if leaf.op != "load":
            text = statement.translator.index(leaf).text
            return "", self._from(frame, self._space.map(f"{{ {statement.tuple_text()} -> [{text}] }}"))
        self._require_settled(frame, leaf)
        producers = self._flow.producers[statement.name, leaf]
        if producers.initial is not None and frame.instances.is_subset(producers.initial):
            access = statement.reads[leaf]
            text = access_text(statement.tuple_text(), access, statement.domain_text())
            return access.array, self._from(frame, self._space.map(f"{{ {text} }}"))
        for writer, pairs in producers.writes:
            if frame.instances.is_subset(pairs.domain()):
                return writer.name, self._from(frame, pairs)
        raise Rejected(self._step, "a leaf has its value from several places")

    def _from(self, frame: _Frame, step: isl.Map) -> isl.Map:
        return (step if frame.way is None else frame.way.apply_range(step)).intersect_domain(self._compared)

    def _need(self, holds: bool, why: str) -> None:
        if not holds:
            raise Rejected(self._step, why)


def _is_leaf(frame: _Frame, term: Term) -> bool:
    if term.op in ("load", "iv"):
        return True
    if not isinstance(term.type, IndexType) or not term.args:
        return False
    try:
        frame.statement.translator.index(term)
    except NotAffine:
        return False
    return True


class Naming:
    """The names that a certificate gives to the leaves of two terms.

    `links`: pairs of parts; that of the source has to be refined by that of the target.
    """

    def __init__(
        self,
        pool: TermPool,
        source: Parts,
        target: Parts,
        partial: frozenset[str],
        scalar: Scalar,
        step: str,
        settles: bool = False,
        numbers: tuple[Numbers, ...] = (),
    ) -> None:
        """`settles`: the source's ops that have a choice are one function (`hecv.dataflow.pair_model.source_chooses`);
        `settled`: there are such ops. `numbers`: for each side, over the reals, what is a number.

        Raises: Rejected if the names are wrong, even if all links are proved.
        """
        self._settles = settles
        self.settled = False
        self._pool = pool
        self._parts = source, target
        self._numbers = numbers
        self._partial = partial
        self._step = step
        self._names: tuple[dict[Ref, Term], dict[Ref, Term]] = {}, {}
        self._exact: tuple[set[Ref], set[Ref]] = set(), set()
        self._choices: dict[tuple[int, str, tuple[Ref | Term, ...]], Term] = {}
        self._fresh = 0
        self.links: list[tuple[Link, Link]] = []
        for parts, behind, same in zip(self._parts, scalar.behind, scalar.same, strict=True):
            parts.take(behind, same)
        for sources, targets in scalar.groups:
            self._group(sources, targets)
        for side, leaf, operator in scalar.replaced:
            self._replace(side, leaf, operator)

    def terms(self) -> tuple[Term, Term]:
        """Both terms over names."""
        return self._named(0, self._parts[0].root()), self._named(1, self._parts[1].root())

    def _group(self, sources: tuple[Ref, ...], targets: tuple[Ref, ...]) -> None:
        """One name for leaves of the source and of the target."""
        self._need(bool(sources) and bool(targets), "a name is of no leaf")
        kinds = [self._parts[side].type(r) for side, refs in enumerate((sources, targets)) for r in refs]
        self._need(all(kind == kinds[0] for kind in kinds), "leaves of several types have one name")
        proper = {s for s in sources if self._parts[0].is_proper(s)}
        alone = len(targets) == 1
        if proper or alone:
            self._exact[0].update(proper)
            self._exact[1].update(targets)
        elif len(sources) == 1:
            self._exact[0].update(sources)
        doubtful = all(self._is_doubtful(1, t) for t in targets) and all(self._is_doubtful(0, s) for s in proper)
        name = self._name(kinds[0], bool(proper) or (alone and self._parts[1].is_proper(targets[0])), doubtful)
        for side, refs in enumerate((sources, targets)):
            for ref in refs:
                self._call(side, ref, name)
        for s in sources:
            for t in targets:
                self._link(s, t)

    def _replace(self, side: int, leaf: Ref, operator: Ref) -> None:
        """Calls a leaf by an operator of the other side."""
        other = 1 - side
        parts = self._parts[other]
        self._need(not parts.is_leaf(operator), "a leaf is called by a leaf")
        self._need(self._parts[side].type(leaf) == parts.type(operator), "the types differ")
        for ref, term, operands in parts.below(operator):
            self._need(term is not None and term.op not in self._partial, "it may be undefined")
            if operands or not parts.is_leaf(ref):
                continue
            assert term is not None
            self._need(not any(t.op in self._partial for t in postorder((term,))), "it may be undefined")
            self._named(other, ref)
            self._need(parts.first(ref) in self._exact[other], "a name may not have the value of its leaf")
        self._call(side, leaf, self._named(other, operator))
        self._link(*((leaf, operator) if side == 0 else (operator, leaf)))

    def _call(self, side: int, ref: Ref, name: Term) -> None:
        self._need(self._parts[side].is_leaf(ref), "what has a name is no leaf")
        first = self._parts[side].first(ref)
        self._need(first == ref and ref not in self._names[side], "a leaf has two names")
        self._names[side][ref] = name

    def _link(self, source: Ref, target: Ref) -> None:
        whole = source == self._parts[0].root() and target == self._parts[1].root()
        self._need(not whole, "it rests on itself")
        self.links.append((self._parts[0].link(source), self._parts[1].link(target)))

    def _named(self, side: int, root: Ref) -> Term:
        """A part over names; leaves that have none get one of their own."""
        parts = self._parts[side]
        made: dict[Ref, Term] = {}
        for ref, term, operands in parts.below(root):
            if parts.is_leaf(ref):
                made[ref] = self._own(side, parts.first(ref))
            elif term is None or not operands:
                assert term is not None
                made[ref] = term
            elif term.op == "load":
                made[ref] = made[operands[0]]
            else:
                made[ref] = self._remade(side, operands, term, tuple(made[o] for o in operands))
        return made[root]

    def _remade(self, side: int, refs: tuple[Ref, ...], term: Term, operands: tuple[Term, ...]) -> Term:
        """The operator over names, of the parts `refs`.

        An operator that shows which NaN an operand is has that choice as an operand of its own, the same one if these
        are one value: read from one place, or computed once.
        """
        one = settled(self._pool, term, operands) if self._settles and side == 0 else None
        if one is not None:
            self.settled = True
            return one
        if not exposes(term):
            return self._pool.make(term.op, operands, term.type, term.attrs)
        found = choice_of(term)
        if found is None:
            raise Rejected(self._step, f"{term.op} shows which NaN an operand is")
        op, kind = found
        whole = zip(refs, operands, strict=True)
        of = (side, op, tuple(o if o.op == "arg" else self._parts[side].source(r) for r, o in whole))
        if of not in self._choices:
            self._choices[of] = self._name(kind, True)
        return self._pool.make(op, (*operands, self._choices[of]), term.type, term.attrs)

    def _own(self, side: int, leaf: Ref) -> Term:
        if leaf not in self._names[side]:
            parts = self._parts[side]
            doubtful = self._is_doubtful(side, leaf)
            self._names[side][leaf] = self._name(parts.type(leaf), parts.is_proper(leaf), doubtful)
            self._exact[side].add(leaf)
        return self._names[side][leaf]

    def _is_doubtful(self, side: int, leaf: Ref) -> bool:
        return bool(self._numbers) and not self._parts[side].is_number(leaf, self._numbers[side])

    def _name(self, kind: ScalarType, proper: bool, doubtful: bool = False) -> Term:
        self._fresh += 1
        flags = [(name, True) for name, holds in (("proper", proper), (DOUBTFUL, doubtful)) if holds]
        return self._pool.make("leaf", (), kind, (("number", self._fresh), *flags))

    def _need(self, holds: bool, why: str) -> None:
        if not holds:
            raise Rejected(self._step, why)
