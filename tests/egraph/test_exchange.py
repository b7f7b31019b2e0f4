"""What processes tell each other arrives whole or not at all, and what arrives is as if it had been found here."""

from __future__ import annotations

import os

from hecv.base.types import IntType
from hecv.process.forked_child import Beside
from hecv.sweep.cut_sweeping.shape_exchange import Exchange, Line, Message
from hecv.sweep.cut_sweeping.shape_prover import Facts, ShapeProver
from hecv.sweep.cuts.leaf_cuts import LEAF, LITERAL, Shape

I8 = IntType(8)
SIZES = 0, 1
"""No kind, one type."""


def _shape(facts: Facts, literal: int) -> Shape:
    """A leaf and a literal."""
    number = facts.kinds.type_number(I8)
    return ((LEAF, number), (LITERAL, number, literal), (0, 1))


def test_messages_go_to_all_others_in_order() -> None:
    exchange = Exchange(3)
    lines = [exchange.line(k, SIZES) for k in range(3)]
    facts = Facts(64)
    told: list[Message] = [(_shape(facts, k), "sweep-normal-form" if k % 2 else None) for k in range(100)]
    for message in told:
        lines[1].tell(message)
    assert [list(line.heard()) for line in lines] == [told, [], told]
    assert [list(line.heard()) for line in lines] == [[], [], []]
    exchange.close()
    exchange.close()


def test_what_has_no_room_is_lost_and_nothing_else() -> None:
    exchange = Exchange(2)
    facts = Facts(64)
    said, heard = exchange.line(0, SIZES), exchange.line(1, SIZES)
    long = tuple([(LEAF, 0)] * 3_000)
    said.tell((long, None))
    for k in range(60_000):
        said.tell((_shape(facts, k), None))
    found = [m for _ in range(100) for m in heard.heard()]
    assert found == [(_shape(facts, k), None) for k in range(len(found))]
    assert 1_000 < len(found) < 60_000
    said.tell((_shape(facts, 7), "smt-window"))
    assert list(heard.heard()) == [(_shape(facts, 7), "smt-window")]
    exchange.close()
    said.tell((_shape(facts, 7), None))  # nobody is left
    assert list(heard.heard()) == []


def test_a_message_that_is_read_in_two_parts_is_one() -> None:
    exchange = Exchange(2)
    facts = Facts(64)
    reader, writer = os.pipe2(os.O_NONBLOCK)
    exchange.line(1, SIZES).tell((_shape(facts, 1), None))
    data = os.read(exchange.files()[0], 1 << 16)
    line = Line(reader, (), SIZES)
    os.write(writer, data[:5])
    assert list(line.heard()) == []
    os.write(writer, data[5:] + data)
    assert list(line.heard()) == [(_shape(facts, 1), None)] * 2
    for end in (reader, writer):
        os.close(end)
    exchange.close()


def test_a_process_beside_hears_and_tells() -> None:
    exchange = Exchange(2)
    facts = Facts(64)
    exchange.line(0, SIZES).tell((_shape(facts, 3), "smt-window"))

    def work() -> list[Message]:
        line = exchange.line(1, SIZES)
        line.tell((_shape(facts, 4), None))
        return list(line.heard())

    assert Beside(work, files=exchange.files()).result() == [(_shape(facts, 3), "smt-window")]
    assert list(exchange.line(0, SIZES).heard()) == [(_shape(facts, 4), None)]
    exchange.close()


def test_what_another_has_decided_is_not_decided_again() -> None:
    exchange, facts = Exchange(2), Facts(64)
    prover = ShapeProver(facts, lambda: True)
    prover.line = exchange.line(0, SIZES)
    number = facts.kinds.type_number(I8)
    shape = ((LEAF, number), (LEAF, number), (0, 0))
    other = ((LEAF, number), (LEAF, number), (1, 1))
    exchange.line(1, SIZES).tell((shape, "told"))
    exchange.line(1, SIZES).tell((other, None))
    assert prover(shape) and prover.uses == {"told": 1}
    assert not prover(other)
    assert list(exchange.line(1, SIZES).heard()) == []
    exchange.close()


def test_what_another_may_read_otherwise_is_not_told() -> None:
    exchange, facts = Exchange(2), Facts(64)
    prover = ShapeProver(facts, lambda: True)
    number = facts.kinds.type_number(I8)
    shape = ((LEAF, number), (LEAF, number), (1, 1))
    prover.line = exchange.line(0, facts.kinds.sizes())
    assert prover(shape)
    assert [m[0] for m in exchange.line(1, SIZES).heard()] == [shape]
    facts.kinds.type_number(IntType(9))
    assert prover(((LEAF, number), (0, 0)))
    assert list(exchange.line(1, SIZES).heard()) == []
    exchange.close()
