"""Whether two functions are the same program: the same statements over the same terms.

What passes leave alone is equivalent whatever its ops mean, also where no proof can hold it.
"""

from __future__ import annotations

from hecv.graph.tree import Alloc, Block, Dealloc, Evaluate, Function, If, Load, Loop, Memory, Statement, Store, Touch


def same_program(source: Function, target: Function) -> bool:
    """Whether the functions differ in nothing but names and places.

    Requires: terms of one pool. Statements and memories are numbered in the order of the text, so that the same text
    gets the same numbers; other numbers only make this answer no.
    """
    arguments = zip(source.arguments, target.arguments, strict=False)
    return (
        len(source.arguments) == len(target.arguments)
        and len(source.results) == len(target.results)
        and all(a.type == b.type and a.term is b.term and _memories(a.memory, b.memory) for a, b in arguments)
        and all(_memories(a, b) for a, b in zip(source.results, target.results, strict=True))
        and _blocks(source.body, target.body)
    )


def _memories(left: Memory | None, right: Memory | None) -> bool:
    if left is None or right is None:
        return left is right
    same = (left.id, left.kind, left.element) == (right.id, right.kind, right.element)
    return same and left.extents == right.extents


def _blocks(left: Block, right: Block) -> bool:
    return len(left) == len(right) and all(map(_statements, left, right))


def _statements(left: Statement, right: Statement) -> bool:
    if left.id != right.id:
        return False
    match left, right:
        case (Load(), Load()):
            return _memories(left.memory, right.memory) and left.indices == right.indices
        case (Store(), Store()):
            return _memories(left.memory, right.memory) and (left.indices, left.value) == (right.indices, right.value)
        case (Alloc(), Alloc()) | (Dealloc(), Dealloc()):
            return _memories(left.memory, right.memory)
        case (Evaluate(), Evaluate()):
            return left.term is right.term
        case (Touch(), Touch()):
            return (left.accesses, left.terms) == (right.accesses, right.terms)
        case (Loop(), Loop()):
            bounds = (left.iv, left.lowers, left.uppers, left.step, left.unsigned)
            return bounds == (right.iv, right.lowers, right.uppers, right.step, right.unsigned) and _blocks(
                left.body, right.body
            )
        case (If(), If()):
            return (
                (left.condition, left.exact) == (right.condition, right.exact)
                and _blocks(left.then, right.then)
                and _blocks(left.otherwise, right.otherwise)
            )
        case _:
            return False
