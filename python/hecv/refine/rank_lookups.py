"""Are the look-ups of the ranks in range wherever those of the sequential program are? An index beyond a table is an
error when a program runs (NaN in one of JAX), and an element of nothing in a proof."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from hecv.refine.inference import Inference
from hecv.relate.graphs.graph_index import GraphIndex
from hecv.relate.graphs.lookups import IN_RANGE, Lookup, all_lookups, lookups_of, reads_all
from hecv.relate.obligations import Obligations
from hecv.tensors.algebra.leaf_facts import LeafFact
from hecv.tensors.comprehension import Comprehension, Read, Scalar, Select, compare, scalar, select
from hecv.tensors.definitions import Undefined
from hecv.tensors.graph_values import operands_of
from hecv.tensors.index_terms import Size, inside, is_empty, single_indices
from hecv.tensors.tensor_graph import Node

NO_TARGET: Final = 4
"""Which operand of `nll_loss_forward` is the class that does not count."""


class Required(Struct, frozen=True):
    """The elements of an index are at least `low` and below `extent`, or equal to `ignored`."""

    node: Node
    index: str
    low: int
    extent: int
    ignored: int | None = None

    def implies(self, other: Required) -> bool:
        """Whether the other one holds too, for all sizes."""
        with suppress(Undefined):
            return bool(
                other.low <= self.low
                and self.extent <= other.extent
                and (self.ignored is None or self.ignored == other.ignored)
            )
        return False


class OpenLookup(Struct, frozen=True):
    """A look-up of a rank that is not shown to be in range."""

    node: Node
    rank: str
    text: str


def open_lookup(
    inference: Inference, facts: Mapping[str, LeafFact], own: Collection[str], deadline: float
) -> tuple[OpenLookup | None, Mapping[str, int]]:
    """The first look-up of the ranks that may leave its table where no look-up of the sequential program does; and how
    many are assumed to be in range: of inputs that the sequential program looks up nowhere. `facts` say what is known
    of leaves without the look-ups of the ranks; `own` are the leaves that only ranks have."""
    return _RankLookups(inference, facts, own, deadline).check()


class _RankLookups:
    def __init__(
        self, inference: Inference, facts: Mapping[str, LeafFact], own: Collection[str], deadline: float
    ) -> None:
        self._inference, self._own = inference, own
        self._index, self._joined = inference.sequential, inference.joined
        self._sizes = inference.sizes
        self._ours = list(_required(self._index, bool(self._sizes)))
        self._above = self._index.above(*(r.index for r in self._ours))
        self._known: dict[str, list[Required]] = {}
        known = dict(facts)
        for required in self._ours:
            self._note(required, known)
        self._prover = Obligations(known, deadline, sizes=bool(self._sizes))

    def check(self) -> tuple[OpenLookup | None, Mapping[str, int]]:
        assumed = Counter[str]()
        for required in _required(self._joined, bool(self._sizes)):
            gap = self._gap(required)
            if gap is not None and self._is_new_input(required):
                assumed[IN_RANGE] += 1
            elif gap is not None:
                rank = required.node.results[0].rpartition("@")[2]
                text = f"rank {rank} may look up an index beyond its table, of {required.extent}"
                return OpenLookup(required.node, rank, f"{text}: {gap}" if gap else text), assumed
        return None, assumed

    def _note(self, required: Required, facts: dict[str, LeafFact]) -> None:
        """What a look-up of the sequential program says of all elements of a leaf, or of a value read as one."""
        name = self._index.origin(required.index)
        value = self._inference.read_as(name)
        if value is None or is_empty(value.shape) or isinstance(required.extent, Size):
            return
        places, element = value.generic()
        if not isinstance(element, Read):
            return
        if element.tensor not in self._index.leaves and element.tensor not in self._index.makers:
            return
        sizes = self._index.type_of(element.tensor).shape
        try:
            if not reads_all(element, dict(zip(places, value.shape, strict=True)), sizes):
                return
        except Undefined:  # whether it does depends on a size
            return
        self._known.setdefault(element.tensor, []).append(required)
        if required.ignored is not None:
            return
        low, high = required.low, required.extent - 1
        fact = facts.get(element.tensor) or LeafFact(whole=True, sizes=sizes)
        if fact.integers is not None:
            low, high = max(low, fact.integers[0]), min(high, fact.integers[1])
        facts[element.tensor] = replace(fact, integers=(low, high))

    def _gap(self, required: Required) -> str | None:
        """Why the index is not shown to be in range; none where it is."""
        owner = self._inference.part_of(self._joined.origin(required.index))
        if any(self._index.origin(r.index) == owner and r.implies(required) for r in self._ours):
            return None
        try:
            value = self._inference.joined_value(required.index)
        except Undefined as problem:
            return str(problem)
        if is_empty(value.shape):
            return None
        indices, element = value.generic()
        if isinstance(element, Read) and any(r.implies(required) for r in self._known.get(element.tensor, ())):
            return None
        try:
            beyond = select(inside(indices, value.shape), _beyond(element, required), 0)
        except Undefined as problem:
            return str(problem)
        answer = self._prover.prove((*single_indices(indices), *self._sizes), beyond, scalar(0))
        return None if answer.proved else answer.gap

    def _is_new_input(self, required: Required) -> bool:
        """Whether the elements of an input are looked up, on which no look-up of the sequential program depends."""
        try:
            value: Comprehension = self._inference.joined_value(required.index)
        except Undefined:
            return False
        element = value.generic()[1]
        if isinstance(element, Select) and isinstance(read := element.no, Read):  # as JAX counts from the end
            wrapped = select(compare("lt", read, 0), read + required.extent, read)
            element = read if wrapped is element else element
        if not isinstance(element, Read):
            return False
        leaf = self._index.leaves.get(element.tensor)
        if leaf is None:
            return element.tensor in self._own
        return leaf.kind == "input" and element.tensor not in self._above


def _required(index: GraphIndex, sizes: bool) -> Iterator[Required]:
    """What the look-ups of a graph require; of symbolic sizes also those at indices that no input changes, such as
    positions: that they are in range where a program runs says nothing of other sizes."""
    for x in all_lookups(index) if sizes else lookups_of(index):
        yield _of_lookup(x)
    for node in index.graph.nodes:
        if not node.op.startswith("aten.nll_loss_forward.") or not any(r in index.live for r in node.results):
            continue
        table, target = operands_of(node)[:2]
        ignored = node.operands[NO_TARGET]
        if sizes or target in index.varying:
            yield Required(
                node, target, 0, index.type_of(table).shape[-1], ignored if isinstance(ignored, int) else None
            )


def _of_lookup(x: Lookup) -> Required:
    return Required(x.node, x.index, x.low, x.extent)


def _beyond(element: Scalar, required: Required) -> Scalar:
    """1 where the index is out of range, else 0."""
    below, above = compare("lt", element, required.low), compare("lt", required.extent - 1, element)
    found = select(below, 1, select(above, 1, 0))
    return found if required.ignored is None else select(compare("eq", element, required.ignored), 0, found)
