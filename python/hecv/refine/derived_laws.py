"""The laws that the proofs derived: how an op of the sequential model passes through relations of what it reads
(GraphGuard, Figure 7, has 92 such lemmas, written by hand). No law is looked up: each is read off a proof, from the
values at which the proof ended, the relations by which these are known, and the relation that it proved.

| law | says |
| --- | --- |
| `mm(concat(dim=1), concat(dim=0)) -> sum` | the product of tensors cut along the inner dimension is a sum over ranks |
| `mm(concat(dim=1), concat(dim=0)) -> replicate, by reduce` | and all ranks have it behind an all-reduce |
| `sum after mul(replicate, concat(dim=0)) -> sum` | the proof of `sum` went past a `mul` that has no relation |
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from fractions import Fraction
from typing import Final

from msgspec import Struct

from hecv.refine.clean_expressions import Expression, Join, Pad, Reshape, Slice, Tensor, Transpose, tensors_in
from hecv.relate.graphs.graph_index import GraphIndex
from hecv.tensors.tensor_graph import SourceLine

COLLECTIVE: Final = "dist."


class Law(Struct, frozen=True):
    """One law, as one proof has it, at the sizes of the program.

    `op` and `after` are the ops of the sequential model between the value and what the proof ended at: the op that
    makes the value, and those without a relation of their own in between. `operands` are the forms of the relations of
    what it ended at, `result` that of the value, `collectives` the ops over ranks that were passed on the other side.
    """

    op: str
    after: tuple[str, ...]
    operands: tuple[str, ...]
    result: str
    collectives: tuple[str, ...]

    def __str__(self) -> str:
        after = f" after {', '.join(self.after)}" if self.after else ""
        by = f", by {', '.join(self.collectives)}" if self.collectives else ""
        return f"{self.op}{after}({', '.join(self.operands)}) -> {self.result}{by}"


class LawUse(Struct, frozen=True):
    """How often a law was used: for how many values of the sequential model, and how many of these had a proof of their
    own (the others differ from a proved one in the names of leaves only); `place` is the first of them."""

    law: Law
    values: int
    proofs: int
    place: SourceLine | None


class LawBook:
    """The laws of one inference. `given` has the relations of the tensors that the programs are given."""

    def __init__(self, sequential: GraphIndex, joined: GraphIndex, given: Mapping[str, tuple[Expression, ...]]) -> None:
        self._sequential, self._joined = sequential, joined
        self._forms: Final[dict[str, dict[str, str]]] = {}
        self._uses: Final[dict[Law, LawUse]] = {}
        for name, expressions in given.items():
            for expression in expressions:
                self.relate(name, expression, lambda t: f"{t.name}@{t.rank}")

    def relate(
        self, name: str, expression: Expression, joined: Callable[[Tensor], str], factor: Fraction = Fraction(1)
    ) -> None:
        """Notes by which relation a sequential value is known, for each tensor of the ranks in it."""
        form = form_of(expression) if factor == 1 else f"{factor} * {form_of(expression)}"
        known = self._forms.setdefault(name, {})
        for tensor in tensors_in(expression):
            known.setdefault(joined(tensor), form)

    def law(
        self,
        name: str,
        expression: Expression,
        tensors: Sequence[str],
        cuts: tuple[Container[str], Container[str]],
        factor: Fraction,
    ) -> Law | None:
        """The law that a proof of `name` = `expression` derived, whose cones ended at these cuts of both sides; none
        where the value is one that the proof ended at, or no op reads what has a relation."""
        ops, ends = _above(self._sequential, (name,), cuts[0])
        passed, met = _above(self._joined, tensors, cuts[1], tensors)
        if not ops or not ends:
            return None
        collectives = dict.fromkeys(op.removeprefix(COLLECTIVE) for op in passed if op.startswith(COLLECTIVE))
        form = form_of(expression)
        return Law(
            ops[0],
            tuple(dict.fromkeys(op for op in ops[1:] if op != ops[0])),
            tuple(self._form(end, met) for end in ends),
            form if factor == 1 else f"{factor} * {form}",
            tuple(collectives),
        )

    def _form(self, end: str, met: Sequence[str]) -> str:
        """The relation by which the other side of a proof has a value that it ended at."""
        known = self._forms.get(end, {})
        used = [known[tensor] for tensor in met if tensor in known]
        return next(iter(used or known.values()), "no tensor of a rank")

    def use(self, law: Law, name: str, again: bool) -> None:
        """Notes that a law was used for a value."""
        node = self._sequential.node_of(name)
        before = self._uses.get(law) or LawUse(law, 0, 0, node and node.place)
        self._uses[law] = LawUse(law, before.values + 1, before.proofs + (not again), before.place)

    def uses(self) -> tuple[LawUse, ...]:
        """All laws, by op, those that were used most first."""
        return tuple(sorted(self._uses.values(), key=lambda use: (use.law.op, -use.values, str(use.law))))


def _above(
    index: GraphIndex, names: Sequence[str], cuts: Container[str], opened: Container[str] = ()
) -> tuple[list[str], list[str]]:
    """The ops above cuts and leaves that these values are computed by, from the last one on, and the cuts and leaves.
    What no input or parameter changes does not count. Values that are `opened` are no cuts."""
    ops: dict[int, str] = {}
    ends: dict[str, None] = {}
    waiting, seen = list(reversed(names)), set[str]()
    while waiting:
        name = waiting.pop()
        if name in seen or name not in index.varying:
            continue
        seen.add(name)
        node = index.node_of(name)
        if node is None or (name in cuts and name not in opened):
            ends[name] = None
            continue
        number, result = index.makers[name]
        ops.setdefault(number, _op_name(node.op, result if len(node.results) > 1 else None))
        waiting += reversed(index.operands_of(name))
    return list(ops.values()), list(ends)


def _op_name(op: str, result: int | None) -> str:
    """An op without overload, and which of its results is meant."""
    if not op.startswith(COLLECTIVE):
        origin, _, rest = op.partition(".")
        op = rest.partition(".")[0] if origin == "aten" else f"{origin}.{rest.removesuffix('.default')}"
    return op if result is None else f"{op}[{result}]"


def form_of(expression: Expression) -> str:
    """A clean expression without its tensors, numbers of ranks and bounds: `concat(replicate, dim=0)`."""
    match expression:
        case Tensor():
            return "one rank"
        case Join():
            inner = dict.fromkeys(form_of(part) for part in expression.parts if not isinstance(part, Tensor))
            dim = [f"dim={expression.dim}"] if expression.kind in ("concat", "stack") else []
            inside = ", ".join([*inner, *dim])
            return f"{expression.kind}({inside})" if inside else expression.kind
        case Slice():
            return f"slice({_inside(expression.part)}dim={expression.dim})"
        case Transpose():
            return f"transpose({_inside(expression.part)}{expression.first}, {expression.second})"
        case Reshape():
            return f"reshape({_inside(expression.part).removesuffix(', ')})"
        case Pad():
            return f"pad({_inside(expression.part)}dim={expression.dim})"


def _inside(part: Expression) -> str:
    return "" if isinstance(part, Tensor) else f"{form_of(part)}, "
