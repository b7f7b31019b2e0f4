"""The programs of all ranks as one graph of tensors: ranks run in lock step, and a collective becomes ops on the
tensors that its ranks give.

A value `t` of rank `r` is `t@r`. What a collective gives is one value for all ranks that get the same.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import accumulate
from math import prod
from typing import Final, cast

from msgspec import Struct
from msgspec.structs import replace

from hecv.tensors.graph_values import operands_of
from hecv.tensors.tensor_graph import Leaf, Node, Operand, Ref, SourceLine, TensorGraph, TensorType

_Channel = tuple[int, int, Operand, Operand, Operand]


class Joined(Struct, frozen=True):
    """All ranks as one graph. `names` has the value of the joined graph for each value of a rank."""

    graph: TensorGraph
    names: tuple[Mapping[str, str], ...]
    """By rank: from the name of a value there to its name here."""


class Deadlock(Exception):
    """Ranks wait for each other, or call collectives that do not agree."""

    def __init__(self, text: str, places: Sequence[tuple[int, SourceLine | None]]) -> None:
        super().__init__(text)
        self.text: Final = text
        self.places: Final = tuple(places)


def named(value: str, rank: int) -> str:
    """The name in the joined graph of a value that a rank computes itself."""
    return f"{value}@{rank}"


def join(ranks: Sequence[TensorGraph]) -> Joined:
    """The joined graph.

    Raises: Deadlock.
    """
    return _Join(ranks).run()


def alone(graph: TensorGraph) -> TensorGraph:
    """A program that runs by itself: collectives over a group of one give what they are given.

    Raises: Deadlock if it waits for another rank.
    """
    names: dict[str, Ref] = {}

    def operand(given: Operand) -> Operand:
        if isinstance(given, Ref):
            return names.get(given.name, given)
        return tuple(map(operand, given)) if isinstance(given, tuple) else given

    nodes: list[Node] = []
    for node in graph.nodes:
        operands = tuple(map(operand, node.operands))
        if not node.op.startswith("dist."):
            keywords = {key: operand(given) for key, given in node.keywords.items()}
            nodes.append(replace(node, operands=operands, keywords=keywords))
        elif len(cast("tuple[int, ...]", node.keywords.get("group", ()))) != 1:
            raise Deadlock(f"the sequential program calls {_spoken(node)} with other ranks", [(0, node.place)])
        elif node.results:
            whole = operands[0][0] if isinstance(operands[0], tuple) else operands[0]
            names[node.results[0]] = cast(Ref, whole)
    outputs = tuple((name, names.get(ref.name, ref)) for name, ref in graph.outputs)
    return replace(graph, nodes=tuple(nodes), outputs=outputs)


class _Join:
    def __init__(self, ranks: Sequence[TensorGraph]) -> None:
        self._ranks = ranks
        self._at = [0] * len(ranks)
        self._names: list[dict[str, str]] = [{} for _ in ranks]
        self._types: dict[str, TensorType] = {}
        self._nodes: list[Node] = []
        self._leaves: list[Leaf] = []
        self._sent: dict[_Channel, list[str]] = defaultdict(list)
        self._posted = Counter[_Channel]()
        self._late: list[dict[str, tuple[_Channel, int, Node] | None]] = [{} for _ in ranks]
        """By rank: what it receives that is not sent yet (which of the tensors of which channel), and what it computes
        of that."""
        self._deferred: list[list[Node]] = [[] for _ in ranks]

    def run(self) -> Joined:
        for r, graph in enumerate(self._ranks):
            for leaf in graph.leaves:
                self._names[r][leaf.name] = named(leaf.name, r)
                self._types[named(leaf.name, r)] = leaf.type
                self._leaves.append(replace(leaf, name=named(leaf.name, r)))
        while any(self._next(r) is not None or self._late[r] for r in range(len(self._ranks))):
            moved = [self._advance(r) for r in range(len(self._ranks))]
            if not any(moved) and not self._meet():
                raise self._stuck()
        waiting = [key for key, sent in self._sent.items() if len(sent) > self._posted[key]]
        if waiting:
            source, target, *_ = waiting[0]
            text = f"rank {source} sends a tensor to rank {target}, which never receives it"
            raise Deadlock(text, [(source, self._last(source, "dist.send"))])
        outputs = tuple(
            (named(name, r), Ref(self._names[r][ref.name]))
            for r, g in enumerate(self._ranks)
            for name, ref in g.outputs
        )
        arrays = {named(n, r): a for r, g in enumerate(self._ranks) for n, a in g.arrays.items()}
        name = self._ranks[0].name
        graph = TensorGraph(name, tuple(self._leaves), tuple(self._nodes), outputs, arrays)
        return Joined(graph, tuple(self._names))

    # Steps

    def _next(self, rank: int) -> Node | None:
        nodes = self._ranks[rank].nodes
        return nodes[self._at[rank]] if self._at[rank] < len(nodes) else None

    def _advance(self, rank: int) -> bool:
        """Runs a rank up to its next collective; whether it went on at all. A receive that does not block waits where
        its tensor is read."""
        moved = self._catch_up(rank)
        while (node := self._next(rank)) is not None:
            if node.op == "dist.recv":
                key = _channel(cast(int, node.keywords["peer"]), rank, node)
                if node.keywords.get("blocks") and len(self._sent[key]) <= self._posted[key]:
                    return moved
                self._late[rank][node.results[0]] = key, self._posted[key], node
                self._posted[key] += 1
                self._catch_up(rank)
            elif node.op == "dist.send" and not self._is_late(rank, node):
                key = _channel(rank, cast(int, node.keywords["peer"]), node)
                self._sent[key].append(self._name(rank, node.operands[0]))
            elif node.op.startswith("dist."):
                return moved
            elif self._is_late(rank, node):
                self._late[rank] |= dict.fromkeys(node.results)
                self._deferred[rank].append(node)
            else:
                self._add(rank, node)
            self._at[rank] += 1
            moved = True
        return moved

    def _is_late(self, rank: int, node: Node) -> bool:
        """Whether a node reads what was not received yet."""
        return not self._late[rank].keys().isdisjoint(operands_of(node))

    def _catch_up(self, rank: int) -> bool:
        """Receives what was sent by now, and runs the nodes that waited for it; whether there was something."""
        late, moved = self._late[rank], False
        for name, receive in list(late.items()):
            if receive is not None and len(self._sent[receive[0]]) > receive[1]:
                key, number, node = receive
                self._receive(rank, node, self._sent[key][number], key[0])
                del late[name]
                moved = True
        for node in self._deferred[rank] if moved else ():
            if not self._is_late(rank, node):
                self._add(rank, node)
                for name in node.results:
                    del late[name]
        self._deferred[rank] = [n for n in self._deferred[rank] if self._is_late(rank, n)]
        return moved

    def _add(self, rank: int, node: Node) -> None:
        results = tuple(named(n, rank) for n in node.results)
        operands = tuple(self._operand(rank, o) for o in node.operands)
        keywords = {key: self._operand(rank, o) for key, o in node.keywords.items()}
        self._emit(replace(node, operands=operands, keywords=keywords, results=results))
        self._names[rank] |= dict(zip(node.results, results, strict=True))

    def _emit(self, node: Node) -> None:
        self._nodes.append(node)
        self._types |= dict(zip(node.results, node.types, strict=True))

    def _operand(self, rank: int, operand: Operand) -> Operand:
        if isinstance(operand, Ref):
            return Ref(self._names[rank][operand.name])
        return tuple(self._operand(rank, o) for o in operand) if isinstance(operand, tuple) else operand

    def _name(self, rank: int, operand: Operand) -> str:
        assert isinstance(operand, Ref)
        return self._names[rank][operand.name]

    def _receive(self, rank: int, node: Node, value: str, source: int) -> None:
        given, wanted = self._types[value], node.types[0]
        if given.element != wanted.element or prod(given.shape) != prod(wanted.shape):
            text = f"rank {rank} receives {wanted} from rank {source}, which sends {given}"
            raise Deadlock(text, [(rank, node.place), (source, self._last(source, "dist.send"))])
        if given.shape != wanted.shape:  # what is sent are elements in their order
            name = named(node.results[0], rank)
            value = self._one("aten.view.default", (Ref(value), wanted.shape), node, wanted, name)
        self._names[rank][node.results[0]] = value

    def _last(self, rank: int, op: str) -> SourceLine | None:
        nodes = self._ranks[rank].nodes[: self._at[rank] + 1]
        return next((n.place for n in reversed(nodes) if n.op == op), None)

    # Collectives

    def _meet(self) -> bool:
        """Runs a collective that all ranks of its group have come to; whether there is one."""
        for rank in range(len(self._ranks)):
            node = self._next(rank)
            if node is None or node.op in ("dist.recv", "dist.send"):
                continue
            group = cast("tuple[int, ...]", node.keywords["group"])
            calls = [(r, self._next(r)) for r in group]
            if any(other is None or _communicator(other) != _communicator(node) for _, other in calls):
                continue
            members = [(r, cast(Node, other)) for r, other in calls]
            if any(self._is_late(r, other) for r, other in members):
                continue
            self._agree(members)
            self._collect(members, group)
            for r, _ in members:
                self._at[r] += 1
            return True
        return False

    def _agree(self, members: Sequence[tuple[int, Node]]) -> None:
        """Raises: Deadlock, if these calls are not of one collective."""
        first, node = members[0]
        for r, other in members[1:]:
            places = [(first, node.place), (r, other.place)]
            if other.op != node.op:
                raise Deadlock(f"rank {first} calls {_spoken(node)} where rank {r} calls {_spoken(other)}", places)
            for key in ("reduce", "source", "target"):
                if other.keywords.get(key) != node.keywords.get(key):
                    text = (
                        f"{_spoken(node)} with {key} {node.keywords[key]} on rank {first}, {other.keywords[key]} on {r}"
                    )
                    raise Deadlock(text, places)
            if node.op == "dist.barrier":
                continue
            if node.op == "dist.scatter":
                ours, theirs = node.types[0], other.types[0]
            else:
                ours, theirs = (self._types[self._name(k, n.operands[0])] for k, n in ((first, node), (r, other)))
            rows = 1 if node.op == "dist.all_to_all" else 0  # parts for others may be of any number
            if (ours.element, ours.shape[rows:]) != (theirs.element, theirs.shape[rows:]):
                raise Deadlock(f"{_spoken(node)} of {ours} on rank {first}, of {theirs} on rank {r}", places)

    def _collect(self, members: Sequence[tuple[int, Node]], group: tuple[int, ...]) -> None:
        node, kind = members[0][1], members[0][1].op
        if kind == "dist.barrier":
            return
        if kind == "dist.scatter":
            self._scatter(members, group)
            return
        given = [self._name(r, n.operands[0]) for r, n in members]
        base = f"{node.results[0]}@{'+'.join(map(str, group))}"
        match kind:
            case "dist.all_reduce":
                made = self._reduced(node, given, base)
                self._give(members, [made] * len(members))
            case "dist.reduce":
                made = self._reduced(node, given, base)
                root = node.keywords["target"]
                self._give(members, [made if r == root else g for (r, _), g in zip(members, given, strict=True)])
            case "dist.all_gather" | "dist.gather":
                made = self._one("dist.concat", (tuple(map(Ref, given)), 0), node, node.types[0], base)
                self._give(members, [made] * len(members))
            case "dist.reduce_scatter":
                whole = self._reduced(node, given, f"{base}.whole")
                size = node.types[0].shape[0]
                parts = [self._part(whole, k * size, size, node, f"{base}.{k}") for k in range(len(members))]
                self._give(members, parts)
            case "dist.broadcast":
                root = node.keywords["source"]
                made = next(g for (r, _), g in zip(members, given, strict=True) if r == root)
                self._give(members, [made] * len(members))
            case "dist.all_to_all":
                self._exchange(members, given, base)
            case _:
                raise AssertionError(kind)

    def _give(self, members: Sequence[tuple[int, Node]], values: Sequence[str]) -> None:
        for (rank, node), value in zip(members, values, strict=True):
            self._names[rank][node.results[0]] = value

    def _one(self, op: str, operands: tuple[Operand, ...], node: Node, kind: TensorType, name: str) -> str:
        self._emit(Node(op, operands, {}, (name,), (kind,), node.place))
        return name

    def _reduced(self, node: Node, given: Sequence[str], name: str) -> str:
        reduce = cast(str, node.keywords["reduce"])
        return self._one("dist.reduce", (tuple(map(Ref, given)), reduce), node, self._types[given[0]], name)

    def _part(self, whole: str, start: int, size: int, node: Node, name: str) -> str:
        kind = self._types[whole]
        part = TensorType((size, *kind.shape[1:]), kind.element)
        return self._one("aten.slice.Tensor", (Ref(whole), 0, start, start + size, 1), node, part, name)

    def _exchange(self, members: Sequence[tuple[int, Node]], given: Sequence[str], base: str) -> None:
        """Each rank gets, of each rank in order, the part that is for it."""
        ins = [cast("tuple[int, ...]", n.keywords["inputs"]) for _, n in members]
        values: list[str] = []
        for k, (rank, node) in enumerate(members):
            wanted = cast("tuple[int, ...]", node.keywords["outputs"])
            for j, (other, theirs) in enumerate(members):
                if ins[j][k] != wanted[j]:
                    text = f"rank {rank} takes {wanted[j]} rows from rank {other}, which gives {ins[j][k]}"
                    raise Deadlock(text, [(rank, node.place), (other, theirs.place)])
            starts = [list(accumulate(sizes, initial=0))[k] for sizes in ins]
            parts = [
                self._part(g, s, sizes[k], node, f"{base}.{k}.{j}")
                for j, (g, s, sizes) in enumerate(zip(given, starts, ins, strict=True))
            ]
            kind = node.types[0]
            values.append(self._one("dist.concat", (tuple(map(Ref, parts)), 0), node, kind, f"{base}.{k}"))
        self._give(members, values)

    def _scatter(self, members: Sequence[tuple[int, Node]], group: tuple[int, ...]) -> None:
        root = members[0][1].keywords["source"]
        parts = next(cast("tuple[Operand, ...]", n.operands[0]) for r, n in members if r == root)
        if len(parts) != len(group):
            places = [(r, n.place) for r, n in members if r == root]
            raise Deadlock(f"rank {root} scatters {len(parts)} tensors to {len(group)} ranks", places)
        self._give(members, [self._name(cast(int, root), p) for p in parts])

    def _waited(self, rank: int) -> Node | None:
        """The receive or collective that a rank waits in; none if it has come to its end."""
        node = self._next(rank)
        if node is None or self._is_late(rank, node):
            return next((receive[2] for receive in self._late[rank].values() if receive is not None), node)
        return node

    def _stuck(self) -> Deadlock:
        """Why no rank can go on."""
        waiting = [(r, node) for r in range(len(self._ranks)) if (node := self._waited(r)) is not None]
        rank, node = waiting[0]
        places = [(r, n.place) for r, n in waiting[:2]]
        if node.op == "dist.recv":
            return Deadlock(f"rank {rank} waits for a tensor that rank {node.keywords['peer']} does not send", places)
        group = cast("tuple[int, ...]", node.keywords["group"])
        absent = next((r for r in group if self._next(r) is None), None)
        if absent is not None:
            text = f"rank {rank} calls {_spoken(node)}, which rank {absent} never reaches"
            ended = self._ranks[absent].nodes
            return Deadlock(text, [(rank, node.place), (absent, ended[-1].place if ended else None)])
        other, theirs = next((r, n) for r, n in waiting if r != rank)
        text = f"rank {rank} waits in {_spoken(node)} over {list(group)} while rank {other} waits in {_spoken(theirs)}"
        if "group" in theirs.keywords:
            text += f" over {list(cast('tuple[int, ...]', theirs.keywords['group']))}"
            if theirs.keywords["group"] == node.keywords["group"]:
                text += ", another group of the same ranks"
        return Deadlock(text, [(rank, node.place), (other, theirs.place)])


def _channel(source: int, target: int, node: Node) -> _Channel:
    """Between which ranks, in which group, and with which tag a tensor is sent."""
    return source, target, node.keywords.get("tag"), node.keywords.get("within"), node.keywords.get("communicator")


def _communicator(node: Node) -> tuple[Operand, Operand]:
    return node.keywords.get("group"), node.keywords.get("communicator")


def _spoken(node: Node) -> str:
    return node.op.removeprefix("dist.")
