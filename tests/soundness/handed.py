"""Random control flow graphs whose blocks hand on views of memrefs and vectors, as MLIR and as plain data that a dozen
lines of Python run."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

MASK = (1 << 32) - 1
VIEW = "memref<4xi32, strided<[1], offset: ?>>"
TYPES = f"i32, i32, i32, {VIEW}, {VIEW}, vector<2xi32>"
WAYS = ("select", "if", "A", "B", "A", "B", "first", "second")
Array = list[int]
View = tuple[str, int]
"""The array, and where the view begins."""


@dataclass(frozen=True, slots=True)
class Edge:
    """Where control goes, and which of the block's values, views and vectors it passes on."""

    target: int
    values: tuple[int, int]
    views: tuple[int, int]
    vector: int


@dataclass(frozen=True, slots=True)
class Node:
    """A block on values v0 and v1, views m0 and m1 and a vector w0.

    It computes `v2 = v0 * factor + v1`, `m0[v2 & 3] = v2`, `w1 = w0 + v2`, `v3 = (v2 ^ (what stood there before)) +
    w1[1]`, and m2 in a `way`: m0 or m1, as `v3 & 1` is 0 or not, by "select" or "if"; 4 elements of "A" or "B" from
    `v3 & 3` on; or the "first" or "second" of its views. It goes to edge 1 or 2 where `v3 & 3` is as great, if there is
    one, else to edge 0. `outer` and `outer_view` take the place of v1 and m1: of a dominating block, by block and
    number.
    """

    factor: int
    way: str
    edges: tuple[Edge, ...]
    outer: tuple[int, int] | None = None
    outer_view: tuple[int, int] | None = None


Graph = tuple[Node, ...]
"""Each node has the fuel that is left, at first its last four bits; without fuel, control goes to the end, which writes
to both views."""


def graph(random: Random) -> Graph:
    """A graph of a few nodes, of which one in some is not reducible."""
    count = random.randint(2, 6)
    targets = [_targets(random, number, count) for number in range(count)]
    nodes: list[Node] = []
    for number, own in enumerate(targets):
        above = [d for d in range(count) if d != number and _dominates(targets, d, number)]
        outer, view = ((random.choice(above), random.randrange(k)) if above else None for k in (4, 3))
        edges = tuple(_edge(random, target) for target in own)
        kept = (outer if random.random() < 0.3 else None, view if random.random() < 0.4 else None)
        nodes.append(Node(random.choice((1, 3, 5)), random.choice(WAYS), edges, *kept))
    return tuple(nodes)


def _targets(random: Random, number: int, count: int) -> list[int]:
    back = random.randint(1, count) if random.random() < 0.3 else max(1, number - random.choice((0, 0, 1, 2)))
    near = (min(count, number + 1), min(count, number + 2), back)
    return [random.choice(near) for _ in range(random.choice((1, 2, 2, 2, 3)))]


def _edge(random: Random, target: int) -> Edge:
    views = random.choice(((0, 1), (1, 0), (random.randrange(3), random.randrange(3))))
    return Edge(target, (random.randrange(4), random.randrange(4)), views, random.randrange(2))


def _dominates(targets: list[list[int]], above: int, number: int) -> bool:
    """Whether every way from the entry to a node passes `above`."""
    seen, stack = {above}, [0] if above else []
    while stack:
        node = stack.pop()
        if node == number:
            return False
        if node not in seen and node < len(targets):
            seen.add(node)
            stack.extend(targets[node])
    return True


# Text


def text(nodes: Graph) -> str:
    """The graph as a function `@f` of two integers, the fuel and two arrays."""
    array, end = "memref<8xi32>", len(nodes)
    lines = [
        f"func.func @f(%x: i32, %y: i32, %fuel: i32, %A: {array}, %B: {array}) -> (i32, i32, i32) {{",
        *(f"  %{name} = arith.constant {k} : i32" for k, name in enumerate(("zero", "one", "two", "three"))),
        *(f"  %at{k} = arith.constant {k} : index" for k in range(4)),
        "  %start = arith.constant dense<[7, 0]> : vector<2xi32>",
        f"  %a = memref.subview %A[%at0] [4] [1] : {array} to {VIEW}",
        f"  %b = memref.subview %B[%at3] [4] [1] : {array} to {VIEW}",
        "  %most = arith.constant 15 : i32",
        "  %few = arith.andi %fuel, %most : i32",
        f"  cf.br ^b0(%x, %y, %few, %a, %b, %start : {TYPES})",
    ]
    for number, node in enumerate(nodes):
        lines += _block(number, node, end)
    return "\n".join(
        [
            *lines,
            f"^b{end}(%r: i32, %s: i32, %left: i32, %u: {VIEW}, %v: {VIEW}, %w: vector<2xi32>):",
            f"  %old = memref.load %u[%at1] : {VIEW}",
            f"  memref.store %s, %v[%at2] : {VIEW}",
            "  %sum = vector.extract %w[0] : i32 from vector<2xi32>",
            "  return %r, %old, %sum : i32, i32, i32",
            "}",
            "",
        ]
    )


def _block(k: int, node: Node, end: int) -> list[str]:
    second = f"%v{node.outer[0]}_{node.outer[1]}" if node.outer else f"%v{k}_1"
    targets = [f"^b{e.target}({_passed(k, node, e)} : {TYPES})" for e in node.edges]
    branch = f"cf.br {targets[0]}"
    if len(targets) == 2:
        branch = f"cf.cond_br %is{k}, {targets[1]}, {targets[0]}"
    elif len(targets) == 3:
        branch = f"cf.switch %bits{k} : i32, [default: {targets[0]}, 1: {targets[1]}, 2: {targets[2]}]"
    out = f"^b{end}(%v{k}_2, %v{k}_3, %left{k}, %m{k}_0, {_view(k, node, 1)}, %w{k}_1 : {TYPES})"
    return [
        f"^b{k}(%v{k}_0: i32, %v{k}_1: i32, %fuel{k}: i32, %m{k}_0: {VIEW}, %m{k}_1: {VIEW}, %w{k}_0: vector<2xi32>):",
        f"  %f{k} = arith.constant {node.factor} : i32",
        f"  %p{k} = arith.muli %v{k}_0, %f{k} : i32",
        f"  %v{k}_2 = arith.addi %p{k}, {second} : i32",
        f"  %i{k} = arith.andi %v{k}_2, %three : i32",
        f"  %at{k}i = arith.index_cast %i{k} : i32 to index",
        f"  %o{k} = memref.load %m{k}_0[%at{k}i] : {VIEW}",
        f"  memref.store %v{k}_2, %m{k}_0[%at{k}i] : {VIEW}",
        f"  %x{k} = arith.xori %v{k}_2, %o{k} : i32",
        f"  %s{k} = vector.broadcast %v{k}_2 : i32 to vector<2xi32>",
        f"  %w{k}_1 = arith.addi %w{k}_0, %s{k} : vector<2xi32>",
        f"  %l{k} = vector.extract %w{k}_1[1] : i32 from vector<2xi32>",
        f"  %v{k}_3 = arith.addi %x{k}, %l{k} : i32",
        f"  %bits{k} = arith.andi %v{k}_3, %three : i32",
        f"  %is{k} = arith.cmpi eq, %bits{k}, %one : i32",
        f"  %low{k} = arith.andi %v{k}_3, %one : i32",
        f"  %even{k} = arith.cmpi eq, %low{k}, %zero : i32",
        f"  %j{k} = arith.index_cast %bits{k} : i32 to index",
        *_made(k, node),
        f"  %left{k} = arith.subi %fuel{k}, %one : i32",
        f"  %go{k} = arith.cmpi sgt, %left{k}, %zero : i32",
        f"  cf.cond_br %go{k}, ^n{k}, {out}",
        f"^n{k}:",
        f"  {branch}",
    ]


def _made(k: int, node: Node) -> list[str]:
    """The view m2, if it has a name of its own."""
    first, second = _view(k, node, 0), _view(k, node, 1)
    match node.way:
        case "select":
            return [f"  %m{k}_2 = arith.select %even{k}, {first}, {second} : {VIEW}"]
        case "if":
            ways = f"scf.yield {first} : {VIEW} }} else {{ scf.yield {second} : {VIEW} }}"
            return [f"  %m{k}_2 = scf.if %even{k} -> ({VIEW}) {{ {ways}"]
        case "A" | "B":
            return [f"  %m{k}_2 = memref.subview %{node.way}[%j{k}] [4] [1] : memref<8xi32> to {VIEW}"]
        case way:
            view = first if way == "first" else second
            return [f"  %m{k}_2 = memref.cast {view} : {VIEW} to {VIEW}"]


def _view(k: int, node: Node, number: int) -> str:
    """The name of a view in a block."""
    if number == 1 and node.outer_view:
        return f"%m{node.outer_view[0]}_{node.outer_view[1]}"
    return f"%m{k}_{number}"


def _passed(k: int, node: Node, edge: Edge) -> str:
    values = (f"%v{k}_{v}" for v in edge.values)
    views = (_view(k, node, v) for v in edge.views)
    return ", ".join([*values, f"%left{k}", *views, f"%w{k}_{edge.vector}"])


# Runs


def run(nodes: Graph, first: int, second: int, fuel: int, arrays: dict[str, Array]) -> tuple[int, int, int]:
    """What the function returns; the arrays become as it leaves them."""
    # Of vectors the second element is enough: the first is greater by 7.
    at, values, views, vector = 0, (first, second), (("A", 0), ("B", 3)), 0
    fuel &= 15
    known: dict[tuple[int, int], int] = {}
    seen: dict[tuple[int, int], View] = {}
    while at < len(nodes):
        node = nodes[at]
        third = (values[0] * node.factor + (known[node.outer] if node.outer else values[1])) & MASK
        name, start = views[0]
        old, arrays[name][start + (third & 3)] = arrays[name][start + (third & 3)], third
        vectors = (vector, (vector + third) & MASK)
        fourth = ((third ^ old) + vectors[1]) & MASK
        own, given = (*values, third, fourth), (views[0], seen[node.outer_view] if node.outer_view else views[1])
        chosen = (*given, _run_way(node.way, given, fourth))
        known |= {(at, k): v for k, v in enumerate(own)}
        seen |= {(at, k): v for k, v in enumerate((*views, chosen[2]))}
        fuel -= 1
        if fuel <= 0:
            values, views, vector = (third, fourth), given, vectors[1]
            break
        taken = fourth & 3
        edge = node.edges[taken if taken in range(1, len(node.edges)) else 0]
        at, values = edge.target, (own[edge.values[0]], own[edge.values[1]])
        views, vector = (chosen[edge.views[0]], chosen[edge.views[1]]), vectors[edge.vector]
    (name, start), (other, begin) = views
    old = arrays[name][start + 1]
    arrays[other][begin + 2] = values[1]
    return values[0], old, (vector + 7) & MASK


def _run_way(way: str, given: tuple[View, View], value: int) -> View:
    if way in ("A", "B"):
        return way, value & 3
    if way in ("first", "second"):
        return given[way == "second"]
    return given[value & 1]
