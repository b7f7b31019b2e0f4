"""Arrays that never hold poison where they are read, and which operators are therefore poison-free or defined."""

from __future__ import annotations

from hecv.base.term import Term, postorder
from hecv.base.theory import FALSE
from hecv.dataflow.model.scop import Instances
from hecv.dataflow.model.value_dataflow import Dataflow, undefined_at_first
from hecv.ops.facts.nonzero_divisors import is_safe
from hecv.ops.facts.poison_conditions import Shapes


class Proper:
    """The poison-free arrays of one program, as far as the operators of what is written to them show it.

    It is the greatest such set. Sound by induction over time: if all writes of poison-free operands are poison-free, no
    array in the set ever holds poison.
    """

    def __init__(self, flow: Dataflow, index_width: int) -> None:
        self._shapes = Shapes(index_width)
        self._flow = flow
        self._arrays: set[str] | None = None

    def term(self, statement: Instances, term: Term) -> bool:
        """Whether `term` is known not to be poison at every instance of `statement`."""
        if self._arrays is None:
            self._arrays = self._greatest()
        return self._is_proper(statement, term, self._arrays)

    def defined(self, statement: Instances, term: Term) -> bool:
        """Whether the operator at the root of `term` is defined at every instance of `statement`, because of its
        literals, of operands that are not poison, or of a divisor that is neither poison nor zero."""
        if self._shapes.of(term, (False,) * len(term.args)).ub is FALSE:
            return True
        operands = tuple(self.term(statement, a) for a in term.args)
        return self._shapes.of(term, operands).ub is FALSE or (all(operands) and is_safe(term))

    def _greatest(self) -> set[str]:
        arrays = set(self._flow.program.arrays) - _uninitialised(self._flow)
        arrays -= self._flow.program.mixed()
        changed = True
        while changed:
            changed = False
            for statement in self._flow.program.statements:
                if statement.write is None or statement.write.array not in arrays:
                    continue
                assert statement.value is not None
                if not self._is_proper(statement, statement.value, arrays):
                    arrays -= self._reached(statement.write.array)
                    changed = True
        return arrays

    def _reached(self, array: str) -> set[str]:
        """The array, what may overlap it, what may overlap that, and so on."""
        found, pending = {array}, [array]
        while pending:
            more = {*self._flow.program.overlapping(pending.pop())} - found
            found |= more
            pending += more
        return found

    def _is_proper(self, statement: Instances, term: Term, arrays: set[str]) -> bool:
        proper: dict[int, bool] = {}
        for node in postorder((term,)):
            if node.op == "load":
                proper[node.id] = statement.reads[node].array in arrays
                continue
            # Operators that are undefined or poison for an operand that is poison are so by their own conditions.
            operands = tuple(proper[a.id] for a in node.args)
            poison = self._shapes.of(node, operands).poison
            proper[node.id] = poison is FALSE
        return proper[term.id]


def _uninitialised(flow: Dataflow) -> set[str]:
    """The arrays of which some read may find nothing written."""
    return {
        access.array
        for statement in flow.program.statements
        for load, access in statement.reads.items()
        if undefined_at_first(flow.program, access.array) and flow.producers[statement.name, load].initial is not None
    }
