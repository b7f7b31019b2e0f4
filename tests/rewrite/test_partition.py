"""Parts of a program: none overlap, the greatest are taken, each becomes a function that is called in its place."""

from __future__ import annotations

from functools import partial

import pytest

from hecv.base.diagnostics import InputError
from hecv.mlir.ssa.ssa_printer import Outline, outlined
from hecv.patterns.machine.machine import Search
from hecv.rewrite.graph_partitioning import Parts, partition
from hecv.rewrite.rewrite_limits import Watch

from .programs import body, program, rules

KIND = "tensor<4xf32>"
ONE = f"({KIND}) -> {KIND}"
TWO = f"({KIND}, {KIND}) -> {KIND}"

CHAINS = rules(
    """
    @pattern
    def chain(x, f):
        assert f in unary_pointwise
        return f(chain(x, f))

    @pattern
    def chain(x, f):
        assert f in unary_pointwise
        return f(x)

    @pattern
    def capped(x, f):
        assert f in unary_pointwise
        return tosa.exp(chain(x, f))

    @pattern
    def activated(x, y):
        return tosa.exp(tosa.add(x, y))

    @pattern
    def shifted(x):
        return tosa.sub(tosa.exp(x), 1.0)

    @pattern
    def any_exp(x):
        y = var()
        return tosa.exp(tosa.add(x, y))

    @op("some.read", effects=True)
    def some_read(x): ...

    @pattern
    def after_read(x):
        return tosa.exp(some_read(x))
    """
)


def parts(ops: str, pattern: str, *results: str) -> list[str]:
    """The parts as the names of their ops."""
    found = program(f"%x: {KIND}, %y: {KIND}", ops, *results)
    return [" ".join(found.op(n).name for n in p.meaning.ops) for p in partition(found, CHAINS, pattern).parts]


def written(ops: str, pattern: str, *results: str) -> str:
    """The program with its parts as functions."""
    found = program(f"%x: {KIND}, %y: {KIND}", ops, *results)
    chosen = partition(found, CHAINS, pattern).parts
    return outlined(found, [Outline(f"part_{k}", p.meaning, p.operands) for k, p in enumerate(chosen)])


def test_the_greatest_part_is_taken() -> None:
    ops = (
        f"%a = tosa.abs %x : {ONE}\n%b = tosa.abs %a : {ONE}\n%c = tosa.exp %b : {ONE}\n"
        f"%d = tosa.exp %c : {ONE}\n%e = tosa.add %d, %y : {TWO}"
    )
    assert parts(ops, "chain", f"%e : {KIND}") == ["tosa.abs tosa.abs", "tosa.exp tosa.exp"]


def test_parts_do_not_overlap() -> None:
    """Both exponentials are of one sum: the later one has it."""
    first = f"%s = tosa.add %x, %y : {TWO}\n%e = tosa.exp %s : {ONE}\n"
    ops = first + f"%t = tosa.add %e, %y : {TWO}\n%f = tosa.exp %t : {ONE}"
    assert parts(ops, "activated", f"%f : {KIND}") == ["tosa.add tosa.exp", "tosa.add tosa.exp"]
    ops = first + f"%f = tosa.exp %s : {ONE}\n%r = tosa.add %e, %f : {TWO}"
    assert parts(ops, "activated", f"%r : {KIND}") == ["tosa.add tosa.exp"]


def test_a_part_becomes_a_function() -> None:
    ops = (
        '%one = "tosa.const"() <{values = dense<1.0> : tensor<1xf32>}> : () -> tensor<1xf32>\n'
        f"%e = tosa.exp %x : {ONE}\n%r = tosa.sub %e, %one : ({KIND}, tensor<1xf32>) -> {KIND}\n"
        f"%f = tosa.exp %y : {ONE}\n%s = tosa.sub %f, %one : ({KIND}, tensor<1xf32>) -> {KIND}\n"
        f"%t = tosa.add %r, %f : {TWO}\n%u = tosa.add %t, %s : {TWO}"
    )
    printed = written(ops, "shifted", f"%u : {KIND}")
    assert body(printed) == [
        f"%r = call @part_0(%x) : {ONE}",
        f"%f = tosa.exp %y : {ONE}",  # it has another use
        f"%s = call @part_1(%y) : {ONE}",
        f"%t = tosa.add %r, %f : {TWO}",
        f"%u = tosa.add %t, %s : {TWO}",
        f"return %u : {KIND}",
    ]
    assert printed.count("tosa.const") == 2 and "func.func private @part_1(%y: tensor<4xf32>)" in printed


def test_values_besides_the_variables_are_given_too() -> None:
    ops = f"%s = tosa.add %x, %y : {TWO}\n%e = tosa.exp %s : {ONE}"
    printed = written(ops, "any_exp", f"%e : {KIND}")
    assert f"%e = call @part_0(%x, %y) : {TWO}" in printed
    printed = written(f"%s = tosa.add %x, %x : {TWO}\n%e = tosa.exp %s : {ONE}", "activated", f"%e : {KIND}")
    assert f"%e = call @part_0(%x) : {ONE}" in printed


def test_a_part_has_no_effects() -> None:
    """The read would move past the write."""
    ops = f'%c = "some.read"(%x) : {ONE}\n"some.write"(%x) : ({KIND}) -> ()\n%e = tosa.exp %c : {ONE}'
    assert parts(ops, "after_read", f"%e : {KIND}") == []


def test_a_pattern_that_is_not_there() -> None:
    with pytest.raises(InputError) as caught:
        parts(f"%e = tosa.exp %x : {ONE}", "chains", f"%e : {KIND}")
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.name == "missing-pattern" and "chain, capped" in str(diagnostic.help)


def test_time_is_a_limit() -> None:
    found = program(f"%x: {KIND}, %y: {KIND}", f"%e = tosa.exp %x : {ONE}", f"%e : {KIND}")
    assert partition(found, CHAINS, "chain", Watch(deadline=0.0)) == Parts(limit="time-limit")


def test_a_chain_longer_than_patterns_may_be_nested(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a chain the greatest part is found, as what is below an op is known when it is looked at. Where only the last
    op asks for the chain, it is too deep, and that is told."""
    monkeypatch.setattr("hecv.rewrite.graph_partitioning.Search", partial(Search, depth=10))
    ops = "\n".join(f"%v{k} = tosa.abs %{f'v{k - 1}' if k else 'x'} : {ONE}" for k in range(20))
    ops += f"\n%e = tosa.exp %v19 : {ONE}"
    found = program(f"%x: {KIND}, %y: {KIND}", ops, f"%e : {KIND}")
    whole = partition(found, CHAINS, "chain")
    assert [len(part.meaning.ops) for part in whole.parts] == [20, 1] and not whole.notes
    capped = partition(found, CHAINS, "capped")
    assert [len(part.meaning.ops) for part in capped.parts] == [11]
    assert [note.message for note in capped.notes] == [
        "pattern 'chain' is nested more than 10 deep: not all matches were looked for"
    ]
