"""Random control flow graphs, as MLIR and as plain data that a dozen lines of Python run."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

MASK = (1 << 32) - 1


@dataclass(frozen=True, slots=True)
class Edge:
    """Where control goes, and which of the block's values it passes on."""

    target: int
    values: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Node:
    """A block: `v2 = v0 * factor + v1`, `A[v2 & 7] = v2`, `v3 = v2 ^ (what stood there before)`; it goes to the first
    edge where `v3 & mask` is 0, else to the second, if there are two. Values are numbered v0 to v3; `outer` is a value
    of a dominating block that takes the place of `v1`, by block and number. A block that is not `fueled` does not look
    at the fuel; none follows one that is `dead`: it is "unreachable", or goes to itself for ever ("spins").
    """

    factor: int
    mask: int
    edges: tuple[Edge, ...]
    outer: tuple[int, int] | None
    fueled: bool = True
    dead: str = ""


MOST_TURNS = 2_000
"""Of blocks of a run; one that takes more is taken never to end."""

Graph = tuple[Node, ...]
"""Each node gets two values and the fuel that is left; without fuel, control goes to the end."""


def graph(random: Random) -> Graph:
    """A graph of a few nodes; not every one is reducible."""
    count = random.randint(2, 9)
    nodes: list[Node] = []
    for number in range(count):
        edges = tuple(_edge(random, number, count) for _ in range(random.choice((1, 2, 2))))
        nodes.append(Node(random.choice((1, 3, 5)), random.choice((1, 2, 3)), edges, None))
    return _with_outer(tuple(nodes), random)


def _edge(random: Random, number: int, count: int) -> Edge:
    near = [min(count, number + 1), min(count, number + 2), random.randint(1, count), max(1, number - 1)]
    return Edge(random.choice(near), (random.randrange(4), random.randrange(4)))


def _with_outer(nodes: Graph, random: Random) -> Graph:
    """The graph with some values of dominating blocks used where they are not passed."""
    out: list[Node] = []
    for number, node in enumerate(nodes):
        above = [d for d in range(len(nodes)) if d != number and _dominates(nodes, d, number)]
        outer = (random.choice(above), random.randrange(4)) if above and random.random() < 0.5 else None
        out.append(replace(node, outer=outer))
    return tuple(out)


def _dominates(nodes: Graph, above: int, number: int) -> bool:
    """Whether every way from the entry to a node passes `above`."""
    seen, stack = {above}, [0] if above else []
    while stack:
        node = stack.pop()
        if node == number:
            return False
        if node not in seen and node < len(nodes):
            seen.add(node)
            stack.extend(e.target for e in nodes[node].edges)
    return True


def with_dead_ends(nodes: Graph, random: Random) -> Graph:
    """The graph where some blocks are dead ends, and most do not look at the fuel; as it is where all would be so."""
    dead = [random.choice(("", "", "unreachable", "spins")) if random.random() < 0.6 else "" for _ in nodes]
    fueled = [random.random() < 0.3 for _ in nodes]
    made = tuple(
        replace(node, edges=() if d else node.edges, fueled=f and not d, dead=d)
        for node, d, f in zip(nodes, dead, fueled, strict=True)
    )
    seen: set[int] = set()
    stack = [0]
    while stack:
        at = stack.pop()
        if at == len(made) or made[at].fueled:
            return _with_outer(made, random)
        if at not in seen:
            seen.add(at)
            stack.extend(e.target for e in made[at].edges)
    return nodes


def text(nodes: Graph) -> str:
    """The graph as a function `@f` of two integers, the fuel and an array."""
    lines = [
        "func.func @f(%x: i32, %y: i32, %fuel: i32, %A: memref<8xi32>) -> (i32, i32) {",
        "  %zero = arith.constant 0 : i32",
        "  %one = arith.constant 1 : i32",
        "  %seven = arith.constant 7 : i32",
        "  cf.br ^b0(%x, %y, %fuel : i32, i32, i32)",
    ]
    for number, node in enumerate(nodes):
        lines += _block(nodes, number, node)
    end = len(nodes)
    lines += [f"^b{end}(%r: i32, %s: i32, %left: i32):", "  return %r, %s : i32, i32", "}"]
    return "\n".join(lines)


def _block(nodes: Graph, number: int, node: Node) -> list[str]:
    k, end = number, len(nodes)
    second = f"%v{node.outer[0]}_{node.outer[1]}" if node.outer else f"%v{k}_1"
    targets = [f"^b{e.target}({_values(k, e)} : i32, i32, i32)" for e in node.edges] or [f"^n{k}"]
    branch = f"cf.br {targets[0]}" if len(targets) == 1 else f"cf.cond_br %c{k}, {targets[0]}, {targets[1]}"
    if len(targets) == 2 and node.factor == 3:
        branch = f"cf.switch %bits{k} : i32, [default: {targets[1]}, 0: {targets[0]}]"
    branch = "ub.unreachable" if node.dead == "unreachable" else branch
    out = f"^b{end}(%v{k}_2, %v{k}_3, %left{k} : i32, i32, i32)"
    go = f"cf.cond_br %go{k}, ^n{k}, {out}"
    if node.mask == 2:
        go = f"cf.switch %flag{k} : i32, [default: {out}, 8: ^n{k}]"
    if not node.fueled:
        go = f"cf.br ^n{k}"
    return [
        f"^b{k}(%v{k}_0: i32, %v{k}_1: i32, %fuel{k}: i32):",
        f"  %m{k} = arith.constant {node.mask} : i32",
        f"  %f{k} = arith.constant {node.factor} : i32",
        f"  %p{k} = arith.muli %v{k}_0, %f{k} : i32",
        f"  %v{k}_2 = arith.addi %p{k}, {second} : i32",
        f"  %i{k} = arith.andi %v{k}_2, %seven : i32",
        f"  %at{k} = arith.index_cast %i{k} : i32 to index",
        f"  %o{k} = memref.load %A[%at{k}] : memref<8xi32>",
        f"  memref.store %v{k}_2, %A[%at{k}] : memref<8xi32>",
        f"  %v{k}_3 = arith.xori %v{k}_2, %o{k} : i32",
        f"  %left{k} = arith.subi %fuel{k}, %one : i32",
        f"  %bits{k} = arith.andi %v{k}_3, %m{k} : i32",
        f"  %c{k} = arith.cmpi eq, %bits{k}, %zero : i32",
        f"  %go{k} = arith.cmpi sgt, %left{k}, %zero : i32",
        f"  %wide{k} = arith.extui %go{k} : i1 to i32",
        f"  %flag{k} = arith.addi %wide{k}, %seven : i32",
        f"  {go}",
        f"^n{k}:",
        f"  {branch}",
    ]


def _values(number: int, edge: Edge) -> str:
    return ", ".join([*(f"%v{number}_{v}" for v in edge.values), f"%left{number}"])


def run(nodes: Graph, first: int, second: int, fuel: int, array: list[int]) -> tuple[int, int, list[int]] | str:
    """What the function returns, and the array as it leaves it; where it comes to a dead end, which."""
    array, at, values = list(array), 0, (first, second)
    known: dict[tuple[int, int], int] = {}
    turns = 0
    while at < len(nodes):
        node, turns = nodes[at], turns + 1
        if turns > MOST_TURNS or node.dead:
            return node.dead or "spins"
        other = known[node.outer] if node.outer else values[1]
        third = (values[0] * node.factor + other) & MASK
        fourth = third ^ array[third & 7]
        array[third & 7] = third
        own = (*values, third, fourth)
        known |= {(at, k): v for k, v in enumerate(own)}
        fuel -= 1
        if fuel <= 0 and node.fueled:
            return third, fourth, array
        edge = node.edges[0] if len(node.edges) == 1 or fourth & node.mask == 0 else node.edges[1]
        at, values = edge.target, (own[edge.values[0]], own[edge.values[1]])
    return values[0], values[1], array
