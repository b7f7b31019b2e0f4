"""Certificates of array dataflow: who wrote what is read, a table of obligations, and the steps that prove them.

Sets and maps are isl text with their parameters. A place is a statement and the number of a term in it
(`hecv.dataflow.model.term_instances.numbered`), or an array and -1 for its initial values. Numbers from -2 down are
reads whose producer depends on which memories overlap. `hecv.kernel.dataflow_check` states the theorem.

The steps of an obligation are a list in the order in which they are needed: each comes before the steps of the
obligations that it leaves.

| step | what it says, and what it leaves |
| --- | --- |
| `k` | the obligation is contained in entry `k` of the table |
| `none` | the relation is empty |
| `poison` | the source has no value that could differ |
| `same` | both are one literal, argument or extent |
| `index` | both are index values that isl shows equal |
| `computed` | both are index values computed with ops that wrap, and equal as integers in range |
| `initial` | both are the initial value of one element |
| `contents` | both are elements that hold the same literal of a constant memory |
| `source`, `target` | that side is a `select` on an affine condition; leaves both of its operands |
| `idle-source`, `idle-target` | that side is a `select` of one value at some instances; leaves it, and the rest |
| `operands`, `crossed` | both are one operator; leaves its operands, for `crossed` with the first two exchanged |
| `writes` | reads are replaced by what was written, or was there initially; leaves each with each |
| `overlap` | both read one element that others may overlap (see `aliased_reads`); leaves the values written to all |
| `every` | one side reads, and all that it may read is made of one byte; leaves what it reads if nothing overlaps |
| `Cases` | the relation is split into parts; leaves the same terms on each |
| `Scalar` | both are scalar code over leaves that have names; leaves what justifies the names |
| `Regrouped` | both combine the same terms by one operator, in some order; leaves the matched terms |
"""

from __future__ import annotations

from typing import Any, Final

from msgspec import Struct

from hecv.kernel.certificate.rejection import Malformed
from hecv.kernel.certificate.term_format import RefinementProof, refinement_data, refinement_from

WORDS: Final = frozenset(
    (
        "none",
        "poison",
        "same",
        "index",
        "computed",
        "initial",
        "contents",
        "source",
        "target",
        "operands",
        "crossed",
        "writes",
        "overlap",
        "every",
        "idle-source",
        "idle-target",
    )
)

Place = tuple[str, int]

Ref = tuple[int, ...]
"""A subterm, by its number in its statement; empty for an initial value.

Numbers before the last one are a path of reads: each read is replaced by what one statement wrote, and the next number
is of a term of that.
"""


class Scalar(Struct, frozen=True):
    """Two terms as scalar code over names for their leaves (`hecv.kernel.dataflow.leaf_correspondence`), which `proof`
    compares.

    `behind`: the reads, of the source and of the target, that are replaced by what was written. `same`: pairs of leaves
    with the same origin. `groups`: leaves of the source and of the target with one name. `replaced`: a side, a leaf of
    it, and the operator of the other side that stands for it.
    """

    behind: tuple[tuple[Ref, ...], tuple[Ref, ...]]
    same: tuple[tuple[tuple[Ref, Ref], ...], tuple[tuple[Ref, Ref], ...]]
    groups: tuple[tuple[tuple[Ref, ...], tuple[Ref, ...]], ...]
    replaced: tuple[tuple[int, Ref, Ref], ...]
    proof: RefinementProof


Action = tuple[str, tuple[int, ...]]
"""What an operand of a chain is.

- `stop`: a piece, combined as it is.
- `settle`: a piece where it is no neutral literal.
- `follow`: a read; one node for each statement that wrote it.
- `select`: a select on an affine condition of two nodes.
"""


class Node(Struct, frozen=True):
    """A term whose operands are combined, negated or not, at the instances that `reach` gives for each instance of the
    root. There is one action an operand."""

    place: Place
    negative: bool
    reach: str
    actions: tuple[Action, ...]


Paired = tuple[int, int, str]
"""Two pieces of bags, by their numbers, and the pairs of their instances."""


class Regrouped(Struct, frozen=True):
    """Two chains of one operator as bags (`hecv.kernel.dataflow.operand_multisets`), the root of each first.

    `family` names the operator, and `variant` numbers what is a chain (`hecv.dataflow.reductions.reassociation`).
    `cancelled`: pieces of one bag with the instances that cancel, for each root. `matches`: pieces of the source and of
    the target with the matched instances, for each key of a pair of roots.
    """

    family: str
    variant: int
    bags: tuple[tuple[Node, ...], tuple[Node, ...]]
    cancelled: tuple[tuple[Paired, ...], tuple[Paired, ...]]
    matches: tuple[Paired, ...]


class Cases(Struct, frozen=True):
    """Relations whose union contains that of the obligation."""

    parts: tuple[str, ...]


Step = int | str | Scalar | Regrouped | Cases


class Read(Struct, frozen=True):
    """The producers of one read: statements, each with the map to the instances that wrote, and the instances that read
    the initial value."""

    place: Place
    writes: tuple[tuple[str, str], ...]
    initial: str | None


class Idle(Struct, frozen=True):
    """Silent stores (`hecv.kernel.dataflow.silent_store_check`): instances of the `writer` with those of the `copier`
    whose value they write back."""

    writer: str
    copier: str
    step: str


Rounds = tuple[tuple[Idle, ...], ...]


class Entry(Struct, frozen=True):
    """The claim that the target's term refines the source's at every two instances that the relation relates, with its
    steps."""

    source: Place
    target: Place
    relation: str
    steps: tuple[Step, ...]


class DataflowProof(Struct, frozen=True):
    """A proof by array dataflow.

    `known`: the parameters for which all is proved. `reads`: those of the source and of the target, of arrays that are
    written. `arrays`: the steps for the final contents of each observable array. `idle`: silent stores of the source
    and of the target that are left out, in rounds.
    """

    known: str
    reads: tuple[tuple[Read, ...], tuple[Read, ...]]
    entries: tuple[Entry, ...]
    arrays: tuple[tuple[str, tuple[Step, ...]], ...]
    idle: tuple[Rounds, Rounds] = ((), ())


def dataflow_data(proof: DataflowProof) -> dict[str, Any]:
    """A proof as JSON data."""
    return {
        "known": proof.known,
        "idle": [[[[i.writer, i.copier, i.step] for i in found] for found in side] for side in proof.idle],
        "reads": [[[*r.place, [list(w) for w in r.writes], r.initial] for r in side] for side in proof.reads],
        "entries": [[list(e.source), list(e.target), e.relation, _steps_data(e.steps)] for e in proof.entries],
        "arrays": [[name, _steps_data(steps)] for name, steps in proof.arrays],
    }


def dataflow_from(data: Any) -> DataflowProof:
    """Parses what `dataflow_data` wrote.

    Raises: Malformed.
    """
    match data:
        case {
            "known": str(known),
            "idle": [[*first], [*second]],
            "reads": [[*source], [*target]],
            "entries": [*entries],
            "arrays": [*arrays],
            **rest,
        } if not rest:
            reads = tuple(map(_read, source)), tuple(map(_read, target))
            idle = tuple(map(_round, first)), tuple(map(_round, second))
            return DataflowProof(known, reads, tuple(map(_entry, entries)), tuple(map(_array, arrays)), idle)
        case _:
            raise Malformed("a proof by dataflow has `known`, `idle`, `reads`, `entries` and `arrays`")


def _round(data: Any) -> tuple[Idle, ...]:
    if not isinstance(data, list):
        raise Malformed("idle writes are left out in rounds")
    return tuple(map(_idle, data))


def _idle(data: Any) -> Idle:
    match data:
        case [str(writer), str(copier), str(step)]:
            return Idle(writer, copier, step)
        case _:
            raise Malformed(f"no idle writes are written {str(data)[:80]}")


def _read(data: Any) -> Read:
    match data:
        case [str(statement), int(term), [*writes], str() | None as initial]:
            return Read((statement, term), tuple(map(_write, writes)), initial)
        case _:
            raise Malformed(f"no read is written {str(data)[:80]}")


def _write(data: Any) -> tuple[str, str]:
    match data:
        case [str(statement), str(text)]:
            return statement, text
        case _:
            raise Malformed(f"no write is written {str(data)[:80]}")


def _entry(data: Any) -> Entry:
    match data:
        case [[str(left), int(one)], [str(right), int(two)], str(relation), steps]:
            return Entry((left, one), (right, two), relation, _steps(steps))
        case _:
            raise Malformed(f"no entry is written {str(data)[:80]}")


def _array(data: Any) -> tuple[str, tuple[Step, ...]]:
    match data:
        case [str(name), steps]:
            return name, _steps(steps)
        case _:
            raise Malformed(f"no array is written {str(data)[:80]}")


def _steps_data(steps: tuple[Step, ...]) -> list[Any]:
    return [_step_data(s) for s in steps]


def _step_data(step: Step) -> Any:
    match step:
        case Scalar():
            return _scalar_data(step)
        case Regrouped():
            return _regrouped_data(step)
        case Cases(parts):
            return {"cases": list(parts)}
        case _:
            return step


def _steps(data: Any) -> tuple[Step, ...]:
    if not isinstance(data, list):
        raise Malformed("steps are a list")
    return tuple(map(_step, data))


def _step(data: Any) -> Step:
    if type(data) is int or (isinstance(data, str) and data in WORDS):
        return data
    if isinstance(data, dict) and "cases" in data:
        return _cases(data)
    if isinstance(data, dict):
        return _regrouped(data) if "bags" in data else _scalar(data)
    raise Malformed(f"no step is written {str(data)[:80]}")


def _cases(data: dict[str, Any]) -> Cases:
    match data:
        case {"cases": [*parts], **rest} if not rest and all(isinstance(part, str) for part in parts):
            return Cases(tuple(parts))
        case _:
            raise Malformed("cases are texts of relations")


def _scalar_data(scalar: Scalar) -> dict[str, Any]:
    return {
        "behind": [[list(ref) for ref in side] for side in scalar.behind],
        "same": [[[list(a), list(b)] for a, b in side] for side in scalar.same],
        "groups": [[[list(ref) for ref in side] for side in group] for group in scalar.groups],
        "replaced": [[side, list(leaf), list(operator)] for side, leaf, operator in scalar.replaced],
        "proof": refinement_data(scalar.proof),
    }


def _scalar(data: dict[str, Any]) -> Scalar:
    match data:
        case {
            "behind": [source, target],
            "same": [[*first], [*second]],
            "groups": [*groups],
            "replaced": [*replaced],
            "proof": proof,
            **rest,
        } if not rest:
            same = tuple(map(_two, first)), tuple(map(_two, second))
            parts = tuple(map(_group, groups)), tuple(map(_replaced, replaced))
            return Scalar((_refs(source), _refs(target)), same, *parts, refinement_from(proof))
        case _:
            raise Malformed("scalar code has `behind`, `same`, `groups`, `replaced` and `proof`")


def _two(data: Any) -> tuple[Ref, Ref]:
    found = _refs(data)
    if len(found) != 2:
        raise Malformed("leaves are the same two by two")
    return found[0], found[1]


def _group(data: Any) -> tuple[tuple[Ref, ...], tuple[Ref, ...]]:
    match data:
        case [source, target]:
            return _refs(source), _refs(target)
        case _:
            raise Malformed("a name is of leaves of the source and of the target")


def _replaced(data: Any) -> tuple[int, Ref, Ref]:
    match data:
        case [0 | 1 as side, leaf, operator] if type(side) is int:
            return side, *_two([leaf, operator])
        case _:
            raise Malformed("a leaf that is replaced has a side")


def _refs(data: Any) -> tuple[Ref, ...]:
    if not isinstance(data, list) or not all(isinstance(r, list) and all(type(n) is int for n in r) for r in data):
        raise Malformed(f"no terms are written {str(data)[:80]}")
    return tuple(map(tuple, data))


def _regrouped_data(step: Regrouped) -> dict[str, Any]:
    return {
        "family": step.family,
        "variant": step.variant,
        "bags": [[_node_data(node) for node in bag] for bag in step.bags],
        "cancelled": [[list(c) for c in side] for side in step.cancelled],
        "matches": [list(m) for m in step.matches],
    }


def _node_data(node: Node) -> list[Any]:
    return [*node.place, node.negative, node.reach, [[name, *targets] for name, targets in node.actions]]


def _regrouped(data: dict[str, Any]) -> Regrouped:
    match data:
        case {
            "family": str(family),
            "variant": int(variant),
            "bags": [[*source], [*target]],
            "cancelled": [[*ours], [*theirs]],
            "matches": [*matches],
            **rest,
        } if not rest:
            bags = tuple(map(_node, source)), tuple(map(_node, target))
            cancelled = tuple(map(_match, ours)), tuple(map(_match, theirs))
            return Regrouped(family, variant, bags, cancelled, tuple(map(_match, matches)))
        case _:
            raise Malformed("a chain has `family`, `variant`, `bags`, `cancelled` and `matches`")


def _node(data: Any) -> Node:
    match data:
        case [str(name), int(term), bool(negative), str(reach), [*actions]]:
            return Node((name, term), negative, reach, tuple(map(_action, actions)))
        case _:
            raise Malformed(f"no node is written {str(data)[:80]}")


def _action(data: Any) -> Action:
    match data:
        case ["stop" | "follow" | "select" | "settle" as name, *targets] if all(type(n) is int for n in targets):
            return name, tuple(targets)
        case _:
            raise Malformed(f"nothing becomes of an operand by {str(data)[:80]}")


def _match(data: Any) -> Paired:
    match data:
        case [int(source), int(target), str(pairs)]:
            return source, target, pairs
        case _:
            raise Malformed(f"no pieces are written {str(data)[:80]}")
