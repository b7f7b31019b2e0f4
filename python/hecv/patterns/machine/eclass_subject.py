"""E-classes as a subject of patterns: a value is a class, and may be made by several operators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from hecv.base.term import OPAQUE, OPAQUE_PARTIAL, Attributes, TermPool
from hecv.base.types import FloatType
from hecv.patterns.calculus.match_subject import Node, Operator
from hecv.patterns.calculus.operator_names import families
from hecv.patterns.calculus.pattern_ast import Declaration, Value
from hecv.patterns.calculus.type_inference import options
from hecv.patterns.equations.equations import Kind, Scalar
from hecv.patterns.machine.term_subject import TermSubject

LEAVES: Final = frozenset({"arg", "dim", "iv", "read", "load", "leaf", "const"})


@dataclass(frozen=True, slots=True)
class Member:
    """An e-node: the operator by its name in terms, and the classes of its operands."""

    op: str
    attrs: Attributes
    args: tuple[int, ...]

    @property
    def name(self) -> str:
        """The operator by its name in programs."""
        return str(dict(self.attrs)["name"]) if self.op in (OPAQUE, OPAQUE_PARTIAL) else self.op

    @property
    def result(self) -> int:
        """Which result of the operator this is."""
        found = dict(self.attrs).get("result", 0)
        return found if isinstance(found, int) else 0

    @property
    def node(self) -> Node:
        """The e-node in the view of patterns."""
        hidden = ("name", "key", "result") if self.op in (OPAQUE, OPAQUE_PARTIAL) else ("result",)
        kept = tuple(a for a in self.attrs if a[0] not in hidden)
        several = "result" in dict(self.attrs) or (
            self.op not in (OPAQUE, OPAQUE_PARTIAL) and "result" in options(self.op)
        )
        return Node(Operator(self.name, kept), self.args, self.result, 2 if several else 1)


class ClassSubject:
    """E-classes by number: their e-nodes, types and literal values.

    A type is None if values have none here; such a class has no e-node that a pattern could name.
    """

    def __init__(
        self,
        members: Sequence[Sequence[Member]],
        kinds: Sequence[Kind | None],
        literals: Sequence[Scalar | None],
        declared: Mapping[str, Declaration],
    ) -> None:
        self.members: Final = members
        self.kinds: Final = kinds
        self.literals: Final = literals
        self._declared: Final = declared
        self._nodes: Final[dict[int, tuple[Node, ...]]] = {}

    def nodes(self, value: int) -> tuple[Node, ...]:
        """The operators that make the class."""
        if value not in self._nodes:
            self._nodes[value] = tuple(m.node for m in self.members[value])
        return self._nodes[value]

    def is_literal(self, value: int, literal: int | float | bool) -> bool:
        """Whether the class is of a literal equal to `literal`."""
        kind, known = self.kinds[value], self.literals[value]
        if kind is None or known is None:
            return False
        return self._subject(value).is_literal(0, literal)

    def attribute(self, value: int, path: tuple[str, ...]) -> Value | None:
        """What is known of the class; attributes of the operator only if it has a single e-node."""
        kind = self.kinds[value]
        if kind is None or path == ("uses",):
            return None
        if path == ("width",):
            return _bits(kind)
        nodes = self.nodes(value)
        if path == ("op",):
            return nodes[0].operator.name if len(nodes) == 1 else None
        if len(path) == 1 and path[0] not in ("type", "elType", "value", "shape", "rank"):
            return dict(nodes[0].operator.attrs).get(path[0]) if len(nodes) == 1 else None
        return self._subject(value).attribute(0, path)

    def families(self, operator: Operator, arity: int) -> frozenset[str]:
        """The families that an operator belongs to."""
        return families(operator.name, self._declared)

    @cached_property
    def _known(self) -> dict[int, TermSubject]:
        return {}

    def _subject(self, value: int) -> TermSubject:
        """A term with the type and, where it is known, the value of the class, alone in a pool as term 0."""
        if value not in self._known:
            kind, known, pool = self.kinds[value], self.literals[value], TermPool()
            assert kind is not None
            attribute = known.hex() if isinstance(known, float) else known
            term = (
                pool.make("leaf", (), kind.type)
                if attribute is None
                else pool.make("const", (), kind.type, (("value", attribute),))
            )
            self._known[value] = TermSubject([term])
        return self._known[value]


def _bits(kind: Kind) -> int | None:
    if isinstance(kind.type, FloatType):
        return {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}.get(kind.type.name)
    return kind.width or None
