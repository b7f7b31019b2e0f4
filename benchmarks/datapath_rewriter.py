"""Datapaths as a graph of integer operators, and random rewrites of them by facts of arithmetic.

This file is independent of what it tests: it has its own operators, its own evaluation and its own facts. A rewrite
takes one node and gives another way to compute it; `wrong` ways compute something else.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from random import Random

COMMUTATIVE = frozenset({"addi", "muli", "andi", "ori", "xori", "minsi", "maxsi", "minui", "maxui"})
ASSOCIATIVE = COMMUTATIVE
SWAPPED = {
    **{"eq": "eq", "ne": "ne", "slt": "sgt", "sle": "sge", "sgt": "slt", "sge": "sle"},
    **{"ult": "ugt", "ule": "uge", "ugt": "ult", "uge": "ule"},
}
NEGATED = {
    **{"eq": "ne", "ne": "eq", "slt": "sge", "sle": "sgt", "sgt": "sle", "sge": "slt"},
    **{"ult": "uge", "ule": "ugt", "ugt": "ule", "uge": "ult"},
}


@dataclass(frozen=True, slots=True)
class Node:
    """An operator on earlier nodes, an `input` or a `constant`; `value` is the literal of a constant, the number of an
    input; `predicate` that of a comparison; `flag` an overflow flag."""

    op: str
    width: int
    args: tuple[int, ...] = ()
    value: int = 0
    predicate: str = ""
    flag: str = ""


@dataclass(slots=True)
class Datapath:
    """Nodes in order, operands before users; `outputs` are positions of nodes."""

    nodes: list[Node] = field(default_factory=list[Node])
    outputs: list[int] = field(default_factory=list[int])
    _known: dict[Node, int] = field(default_factory=dict[Node, int])

    def add(self, node: Node, fresh: bool = False) -> int:
        """The position of a node: a new one where it is `fresh`, else of the same node where there is one."""
        if not fresh and node in self._known:
            return self._known[node]
        self.nodes.append(node)
        self._known[node] = len(self.nodes) - 1
        return len(self.nodes) - 1

    def constant(self, value: int, width: int) -> int:
        """The position of a literal."""
        return self.add(Node("constant", width, (), value % (1 << width)))


# Evaluation


def signed(value: int, width: int) -> int:
    """The two's complement value of a residue."""
    return value - (1 << width) if value >> (width - 1) else value


def _quotient(x: int, y: int) -> int:
    return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


def evaluate(path: Datapath, inputs: Sequence[int]) -> list[int]:
    """The outputs on these inputs, all residues.

    Raises: ZeroDivisionError where the datapath divides by zero, which a wrong step may make of one that never does.
    """
    values: list[int] = []
    for node in path.nodes:
        if node.op == "input":
            values.append(inputs[node.value])
        else:
            values.append(apply(node, [values[a] for a in node.args], [path.nodes[a].width for a in node.args]))
    return [values[k] for k in path.outputs]


def apply(node: Node, args: Sequence[int], widths: Sequence[int]) -> int:
    """One operator on residues."""
    width, top = node.width, (1 << node.width) - 1
    if node.op == "constant":
        return node.value
    if node.op == "select":
        return args[1] if args[0] else args[2]
    if node.op in ("extui", "extsi", "trunci"):
        return (signed(args[0], widths[0]) if node.op == "extsi" else args[0]) & top
    x, y = args
    a, b = signed(x, widths[0]), signed(y, widths[1])
    match node.op:
        case "addi":
            return (x + y) & top
        case "subi":
            return (x - y) & top
        case "muli":
            return (x * y) & top
        case "andi":
            return x & y
        case "ori":
            return x | y
        case "xori":
            return x ^ y
        case "shli":
            return (x << y) & top
        case "shrui":
            return x >> y
        case "shrsi":
            return (a >> y) & top
        case "divui":
            return x // y
        case "remui":
            return x % y
        case "divsi":
            return _quotient(a, b) & top
        case "minsi" | "maxsi":
            return (x if a < b else y) if node.op == "minsi" else (x if a > b else y)
        case "minui" | "maxui":
            return min(x, y) if node.op == "minui" else max(x, y)
        case "cmpi":
            return int(_compare(node.predicate, (x, y), (a, b)))
        case _:
            raise ValueError(f"{node.op} on {width} bits")


def _compare(predicate: str, residues: tuple[int, int], numbers: tuple[int, int]) -> bool:
    x, y = residues if predicate[0] == "u" else numbers
    found = {"lt": x < y, "le": x <= y, "gt": x > y, "ge": x >= y}
    return found.get(predicate[1:], (x == y) == (predicate == "eq"))


# Rewrites

Way = Callable[["Rewriter", Node], int | None]
"""Another way to compute a node of the target; the position of the result, None where it does not apply."""


class Rewriter:
    """Copies a datapath node by node, some of them in another way."""

    def __init__(self, source: Datapath, random: Random, rate: float) -> None:
        self.random = random
        self.target = Datapath()
        self.steps = 0
        self._source = source
        self._rate = rate
        self._copied: set[int] = set()

    def run(self, wrong_at: int | None = None) -> Datapath:
        """The target; at node `wrong_at` of the source, or the first after it that allows, one wrong step is made.

        Raises: ValueError where none could be made.
        """
        places: list[int] = []
        for number, node in enumerate(self._source.nodes):
            moved = replace(node, args=tuple(places[a] for a in node.args))
            place = None
            if wrong_at is not None and number >= wrong_at:
                place = self._attempt(moved, WRONG)
                wrong_at = wrong_at if place is None else None
            if place is None and self.random.random() < self._rate:
                place = self._rewritten(moved)
            if place is None:
                place = self.target.add(moved)
                self._copied.add(place)
            places.append(place)
        if wrong_at is not None:
            raise ValueError("no node allows a wrong step")
        self.target.outputs = [places[k] for k in self._source.outputs]
        return self.target

    def _rewritten(self, node: Node) -> int | None:
        place = self._attempt(node, WAYS)
        if place is not None:
            self.steps += 1
            # A step on a step: the new root may be computed in another way again.
            if self.random.random() < 0.3:
                again = self._attempt(self.target.nodes[place], WAYS)
                self.steps += again is not None
                place = place if again is None else again
        return place

    def _attempt(self, node: Node, ways: dict[str, tuple[Way, ...]]) -> int | None:
        known = list(ways.get(node.op, ()))
        self.random.shuffle(known)
        for way in known:
            place = way(self, node)
            if place is not None:
                return place
        return None

    # What ways are made of

    def node(self, place: int) -> Node:
        """The node of the target at a place."""
        return self.target.nodes[place]

    def child(self, place: int) -> Node:
        """The node at a place if it stands there as in the source; what a rewrite made is an operator without name."""
        node = self.node(place)
        return node if place in self._copied else Node("", node.width)

    def make(self, op: str, width: int, *args: int, predicate: str = "") -> int:
        """A new operator."""
        return self.target.add(Node(op, width, args, predicate=predicate))

    def constant(self, value: int, width: int) -> int:
        """A literal."""
        return self.target.constant(value, width)

    def literal(self, place: int) -> int | None:
        """The value of a literal."""
        node = self.node(place)
        return node.value if node.op == "constant" else None

    def complement(self, place: int) -> int:
        """All bits inverted."""
        width = self.node(place).width
        return self.make("xori", width, place, self.constant(-1, width))


def _commuted(r: Rewriter, n: Node) -> int | None:
    return r.make(n.op, n.width, n.args[1], n.args[0]) if n.args[0] != n.args[1] else None


def _associated(r: Rewriter, n: Node) -> int | None:
    left, right = (r.child(a) for a in n.args)
    if left.op == n.op:
        return r.make(n.op, n.width, left.args[0], r.make(n.op, n.width, left.args[1], n.args[1]))
    if right.op == n.op:
        return r.make(n.op, n.width, r.make(n.op, n.width, n.args[0], right.args[0]), right.args[1])
    return None


def _sum_by_carry(r: Rewriter, n: Node) -> int | None:
    x, y = n.args
    carry = r.make("shli", n.width, r.make("andi", n.width, x, y), r.constant(1, n.width))
    return r.make("addi", n.width, r.make("xori", n.width, x, y), carry) if n.width > 1 else None


def _sum_by_union(r: Rewriter, n: Node) -> int | None:
    x, y = n.args
    return r.make("addi", n.width, r.make("ori", n.width, x, y), r.make("andi", n.width, x, y))


def _sum_by_difference(r: Rewriter, n: Node) -> int | None:
    negative = r.make("subi", n.width, r.constant(0, n.width), n.args[1])
    return r.make("subi", n.width, n.args[0], negative)


def _sum_in_two(r: Rewriter, n: Node) -> int | None:
    value = r.literal(n.args[1])
    if value is None:
        return None
    part = r.random.randrange(1 << n.width)
    first = r.make("addi", n.width, n.args[0], r.constant(part, n.width))
    return r.make("addi", n.width, first, r.constant(value - part, n.width))


def _difference_by_sum(r: Rewriter, n: Node) -> int | None:
    one = r.constant(1, n.width)
    return r.make("addi", n.width, r.make("addi", n.width, n.args[0], r.complement(n.args[1])), one)


def _difference_inverted(r: Rewriter, n: Node) -> int | None:
    return r.complement(r.make("addi", n.width, r.complement(n.args[0]), n.args[1]))


def _product_of_sum(r: Rewriter, n: Node) -> int | None:
    for one, other in (n.args, n.args[::-1]):
        inner = r.child(other)
        if inner.op in ("addi", "subi"):
            parts = [r.make("muli", n.width, one, a) for a in inner.args]
            return r.make(inner.op, n.width, *parts)
    return None


def _product_by_shifts(r: Rewriter, n: Node) -> int | None:
    """A product with a literal of at most three bits as a sum of shifts."""
    value = r.literal(n.args[1])
    if value is None or not 1 <= value.bit_count() <= 3:
        return None
    bits = [k for k in range(n.width) if value >> k & 1]
    parts = [r.make("shli", n.width, n.args[0], r.constant(k, n.width)) if k else n.args[0] for k in bits]
    total = parts[0]
    for part in parts[1:]:
        total = r.make("addi", n.width, total, part)
    return total


def _shift_by_product(r: Rewriter, n: Node) -> int | None:
    amount = r.literal(n.args[1])
    return None if amount is None else r.make("muli", n.width, n.args[0], r.constant(1 << amount, n.width))


def _xor_by_difference(r: Rewriter, n: Node) -> int | None:
    x, y = n.args
    return r.make("subi", n.width, r.make("ori", n.width, x, y), r.make("andi", n.width, x, y))


def _xor_by_union(r: Rewriter, n: Node) -> int | None:
    x, y = n.args
    return r.make("andi", n.width, r.make("ori", n.width, x, y), r.complement(r.make("andi", n.width, x, y)))


def _dual(r: Rewriter, n: Node) -> int | None:
    """De Morgan's."""
    other = "ori" if n.op == "andi" else "andi"
    return r.complement(r.make(other, n.width, *map(r.complement, n.args)))


def _and_by_difference(r: Rewriter, n: Node) -> int | None:
    x, y = n.args
    return r.make("subi", n.width, x, r.make("andi", n.width, x, r.complement(y)))


def _or_by_sum(r: Rewriter, n: Node) -> int | None:
    x, y = n.args
    return r.make("addi", n.width, r.make("andi", n.width, x, r.complement(y)), y)


def _and_of_union(r: Rewriter, n: Node) -> int | None:
    for one, other in (n.args, n.args[::-1]):
        inner = r.child(other)
        if inner.op in ("ori", "xori"):
            return r.make(inner.op, n.width, *[r.make("andi", n.width, one, a) for a in inner.args])
    return None


def _extremum_by_choice(r: Rewriter, n: Node) -> int | None:
    least, kind = n.op[:3] == "min", n.op[3]
    predicate = kind + r.random.choice(("lt", "le") if least else ("gt", "ge"))
    return r.make("select", n.width, r.make("cmpi", 1, *n.args, predicate=predicate), *n.args)


def _choice_turned(r: Rewriter, n: Node) -> int | None:
    return r.make("select", n.width, r.complement(n.args[0]), n.args[2], n.args[1])


def _choice_by_mask(r: Rewriter, n: Node) -> int | None:
    condition, yes, no = n.args
    mask = condition if n.width == 1 else r.make("extsi", n.width, condition)
    return r.make("xori", n.width, no, r.make("andi", n.width, r.make("xori", n.width, yes, no), mask))


def _comparison_swapped(r: Rewriter, n: Node) -> int | None:
    return r.make("cmpi", 1, n.args[1], n.args[0], predicate=SWAPPED[n.predicate])


def _comparison_negated(r: Rewriter, n: Node) -> int | None:
    return r.complement(r.make("cmpi", 1, *n.args, predicate=NEGATED[n.predicate]))


def _comparison_unsigned(r: Rewriter, n: Node) -> int | None:
    """Signed order is unsigned order with the sign bits flipped."""
    if n.predicate[0] != "s":
        return None
    width = r.node(n.args[0]).width
    sign = r.constant(1 << (width - 1), width)
    flipped = [r.make("xori", width, a, sign) for a in n.args]
    return r.make("cmpi", 1, *flipped, predicate="u" + n.predicate[1:])


def _equality_by_zero(r: Rewriter, n: Node) -> int | None:
    if n.predicate not in ("eq", "ne"):
        return None
    width = r.node(n.args[0]).width
    apart = r.make(r.random.choice(("xori", "subi")), width, *n.args)
    return r.make("cmpi", 1, apart, r.constant(0, width), predicate=n.predicate)


def _extension_of_truncation(r: Rewriter, n: Node) -> int | None:
    inner = r.child(n.args[0])
    if inner.op != "trunci" or r.node(inner.args[0]).width != n.width:
        return None
    return r.make("andi", n.width, inner.args[0], r.constant((1 << inner.width) - 1, n.width))


def _extension_of_bits(r: Rewriter, n: Node) -> int | None:
    inner = r.child(n.args[0])
    if inner.op not in ("andi", "ori", "xori"):
        return None
    return r.make(inner.op, n.width, *[r.make(n.op, n.width, a) for a in inner.args])


def _extension_by_choice(r: Rewriter, n: Node) -> int | None:
    if r.node(n.args[0]).width != 1:
        return None
    yes = r.constant(1 if n.op == "extui" else -1, n.width)
    return r.make("select", n.width, n.args[0], yes, r.constant(0, n.width))


def _sign_extension_by_offset(r: Rewriter, n: Node) -> int | None:
    inner = r.node(n.args[0]).width
    sign = r.constant(1 << (inner - 1), n.width)
    return r.make("subi", n.width, r.make("xori", n.width, r.make("extui", n.width, n.args[0]), sign), sign)


def _truncated_parts(r: Rewriter, n: Node) -> int | None:
    inner = r.child(n.args[0])
    if inner.op not in ("addi", "subi", "muli", "andi", "ori", "xori"):
        return None
    return r.make(inner.op, n.width, *[r.make("trunci", n.width, a) for a in inner.args])


def _arithmetic_shift_by_offset(r: Rewriter, n: Node) -> int | None:
    amount = r.literal(n.args[1])
    if amount is None:
        return None
    sign = 1 << (n.width - 1)
    moved = r.make("shrui", n.width, r.make("xori", n.width, n.args[0], r.constant(sign, n.width)), n.args[1])
    return r.make("subi", n.width, moved, r.constant(sign >> amount, n.width))


def _shift_by_quotient(r: Rewriter, n: Node) -> int | None:
    amount = r.literal(n.args[1])
    if amount is None or amount > n.width - 2:
        return None
    return r.make("divui", n.width, n.args[0], r.constant(1 << amount, n.width))


def _power(r: Rewriter, n: Node) -> int | None:
    """The exponent of a divisor that is a power of two below the sign bit."""
    value = r.literal(n.args[1])
    if value is None or value.bit_count() != 1 or not 1 < value < 1 << (n.width - 1):
        return None
    return value.bit_length() - 1


def _quotient_by_shift(r: Rewriter, n: Node) -> int | None:
    power = _power(r, n)
    return None if power is None else r.make("shrui", n.width, n.args[0], r.constant(power, n.width))


def _remainder_by_mask(r: Rewriter, n: Node) -> int | None:
    power = _power(r, n)
    return None if power is None else r.make("andi", n.width, n.args[0], r.constant((1 << power) - 1, n.width))


def _signed_quotient_by_shift(r: Rewriter, n: Node) -> int | None:
    """Rounding to zero is rounding down of what is first raised by the divisor less one where it is negative."""
    power, width = _power(r, n), n.width
    if power is None:
        return None
    ones = r.make("shrsi", width, n.args[0], r.constant(width - 1, width))
    raised = r.make("addi", width, n.args[0], r.make("shrui", width, ones, r.constant(width - power, width)))
    return r.make("shrsi", width, raised, r.constant(power, width))


WAYS: dict[str, tuple[Way, ...]] = {
    "addi": (_commuted, _associated, _sum_by_carry, _sum_by_union, _sum_by_difference, _sum_in_two),
    "subi": (_difference_by_sum, _difference_inverted),
    "muli": (_commuted, _associated, _product_of_sum, _product_by_shifts),
    "shli": (_shift_by_product,),
    "shrui": (_shift_by_quotient,),
    "shrsi": (_arithmetic_shift_by_offset,),
    "xori": (_commuted, _associated, _xor_by_difference, _xor_by_union),
    "andi": (_commuted, _associated, _dual, _and_by_difference, _and_of_union),
    "ori": (_commuted, _associated, _dual, _or_by_sum),
    **dict.fromkeys(("minsi", "maxsi", "minui", "maxui"), (_commuted, _associated, _extremum_by_choice)),
    "select": (_choice_turned, _choice_by_mask),
    "cmpi": (_comparison_swapped, _comparison_negated, _comparison_unsigned, _equality_by_zero),
    "extui": (_extension_of_truncation, _extension_of_bits, _extension_by_choice),
    "extsi": (_extension_by_choice, _extension_of_bits, _sign_extension_by_offset),
    "trunci": (_truncated_parts,),
    "divui": (_quotient_by_shift,),
    "remui": (_remainder_by_mask,),
    "divsi": (_signed_quotient_by_shift,),
}
"""Other ways to compute an operator, by its name."""


# Wrong ways: each computes something else on some operands


def _plus_one(r: Rewriter, n: Node) -> int | None:
    return r.make("addi", n.width, r.make(n.op, n.width, *n.args), r.constant(1, n.width))


def _exchanged(r: Rewriter, n: Node) -> int | None:
    return r.make(n.op, n.width, n.args[1], n.args[0]) if n.args[0] != n.args[1] else None


def _instead(op: str) -> Way:
    return lambda r, n: r.make(op, n.width, *n.args)


def _next_amount(r: Rewriter, n: Node) -> int | None:
    amount = r.literal(n.args[1])
    if amount is None:
        return None
    return r.make(n.op, n.width, n.args[0], r.constant(amount + 1 if amount + 1 < n.width else amount - 1, n.width))


def _other_predicate(r: Rewriter, n: Node) -> int | None:
    return r.make("cmpi", 1, *n.args, predicate=NEGATED[n.predicate])


def _branches_exchanged(r: Rewriter, n: Node) -> int | None:
    return r.make("select", n.width, n.args[0], n.args[2], n.args[1]) if n.args[1] != n.args[2] else None


WRONG: dict[str, tuple[Way, ...]] = {
    "addi": (_plus_one, _instead("ori"), _instead("subi")),
    "subi": (_exchanged, _plus_one),
    "muli": (_plus_one,),
    "shli": (_next_amount,),
    "shrui": (_next_amount, _instead("shrsi")),
    "shrsi": (_next_amount, _instead("shrui")),
    "xori": (_instead("ori"), _plus_one),
    "andi": (_instead("ori"),),
    "ori": (_instead("andi"), _plus_one),
    "minsi": (_instead("minui"), _instead("maxsi")),
    "maxsi": (_instead("maxui"), _instead("minsi")),
    "minui": (_instead("minsi"), _instead("maxui")),
    "maxui": (_instead("maxsi"), _instead("minui")),
    "select": (_branches_exchanged,),
    "cmpi": (_other_predicate,),
    "extui": (_instead("extsi"),),
    "extsi": (_instead("extui"),),
}
