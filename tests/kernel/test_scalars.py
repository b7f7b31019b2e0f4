"""Certificates of scalar code over names: what is recorded is accepted, and names that are not right are rejected."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from tests.kernel.pairs import Pair, certified, of_files, replayed

from hecv.base.term import TermPool
from hecv.dataflow.model.poison_free import Proper
from hecv.dataflow.model.scop import Instances
from hecv.dataflow.model.term_instances import At, numbered
from hecv.dataflow.model.value_dataflow import analyse
from hecv.dataflow.pair_model import Pair as Programs
from hecv.kernel.certificate.dataflow_format import Scalar
from hecv.kernel.certificate.rejection import Rejected
from hecv.kernel.certificate.term_format import Direction, Obligation, RefinementProof, TermProof
from hecv.kernel.dataflow.leaf_correspondence import Naming, Parts
from hecv.mlir.importer import read_pair

BUFFERED = """
func.func @f(%A: memref<40xi32>, %B: memref<40xi32>, %C: memref<40xi32>) {
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %t = memref.alloc() : memref<40xi32>
  affine.for %i = 0 to 40 {
    %a = affine.load %A[%i] : memref<40xi32>
    %x = arith.shrui %a, %c3 : i32
    affine.store %x, %t[%i] : memref<40xi32>
  }
  affine.for %i = 0 to 40 {
    %x = affine.load %t[%i] : memref<40xi32>
    %y = arith.muli %x, %c2 : i32
    affine.store %y, %C[%i] : memref<40xi32>
  }
  return
}"""
FORWARDED = """
func.func @f(%A: memref<40xi32>, %B: memref<40xi32>, %C: memref<40xi32>) {
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  affine.for %i = 0 to 40 {
    %a = affine.load %A[%i] : memref<40xi32>
    %x = arith.shrui %a, %c3 : i32
    %y = arith.shli %x, %c1 : i32
    affine.store %y, %C[%i] : memref<40xi32>
  }
  return
}"""
SHIFTED = """
func.func @f(%A: memref<?xi8>, %B: memref<?xi8>, %C: memref<?xi8>, %n: index) {
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xi8>
    %b = affine.load %B[%i] : memref<?xi8>
    %r = arith.shrui %a, %b : i8
    affine.store %r, %C[%i] : memref<?xi8>
  }
  return
}"""
IN_PARTS = """
func.func @f(%A: memref<?xi8>, %B: memref<?xi8>, %C: memref<?xi8>, %n: index) {
  %m = affine.max affine_map<()[s0] -> (s0, 0)>()[%n]
  %t = memref.alloc(%m) : memref<?xi8>
  affine.for %i = 0 to %n {
    %b = affine.load %B[%i] : memref<?xi8>
    %x = arith.subi %b, %b : i8
    affine.store %x, %t[%i] : memref<?xi8>
  }
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xi8>
    %b = affine.load %B[%i] : memref<?xi8>
    %x = affine.load %t[%i] : memref<?xi8>
    %y = arith.xori %x, %b : i8
    %r = arith.shrui %a, %y : i8
    affine.store %r, %C[%i] : memref<?xi8>
  }
  return
}"""

CALLED = Pair(BUFFERED, FORWARDED)
"""The read of the buffer is called by the shift of the target."""

BEHIND = Pair(SHIFTED, IN_PARTS)
"""The read of the buffer is taken for what was written, where `B` is read once more."""


@cache
def _text(pair: Pair) -> str:
    data, converse = certified(pair)
    assert replayed(data, pair) == converse
    return json.dumps(data)


def _scalar(data: Any) -> Any:
    return next(s for e in (*data["entries"], *data["arrays"]) for s in e[-1] if isinstance(s, dict))


@pytest.mark.parametrize(("pair", "part"), [(CALLED, "replaced"), (BEHIND, "behind"), (BEHIND, "same")])
def test_names_are_recorded_and_accepted(pair: Pair, part: str) -> None:
    assert any(_scalar(json.loads(_text(pair)))[part]), _text(pair)


@pytest.mark.parametrize("pair", [CALLED, BEHIND])
def test_names_say_nothing_of_another_operator(pair: Pair) -> None:
    wrong = Pair(
        pair.source, pair.target.replace("= arith.xori %x", "= arith.andi %x").replace("%c1 : i32", "%a : i32")
    )
    assert wrong != pair
    with pytest.raises(Rejected):
        replayed(json.loads(_text(pair)), wrong)


Edit = Callable[[Any], object]

CALLED_EDITS: dict[str, tuple[Edit, str]] = {
    "a leaf that is called by a leaf": (lambda s: s.update(replaced=[[0, [1], [1]]]), "called by a leaf"),
    "a part that is none": (lambda s: s.update(replaced=[[0, [1], [17]]]), "no part"),
    "another type": (lambda s: s.update(groups=[[[[0]], [[1]]]]), "several types"),
    "another operator": (lambda s: s.update(replaced=[]), "equal"),
    "a part of what was not written": (lambda s: s.update(replaced=[[0, [1, 1], [3]]]), "no part"),
}
BEHIND_EDITS: dict[str, tuple[Edit, str]] = {
    "the obligation itself": (lambda s: s.update(groups=[], replaced=[[0, [], [4]]]), "rests on itself"),
    "a name of no leaf": (lambda s: s.update(groups=[[[], [[2, 1]]]]), "of no leaf"),
    "a name of an operator": (lambda s: s.update(groups=[[[[]], [[4]]]]), "is no leaf"),
    "two names": (lambda s: s["groups"].append([[[]], [[2, 1]]]), "two names"),
    "a name of what has another": (lambda s: s.update(groups=[[[[]], [[3]]]]), "two names"),
    "what was there initially": (lambda s: s["behind"].__setitem__(1, [[2], [3]]), "not one statement wrote"),
    "what is no read": (lambda s: s["behind"].__setitem__(1, [[4]]), "no read"),
    "a leaf that is no leaf": (lambda s: s["same"].__setitem__(1, [[[2, 1], [2]]]), "no leaves"),
    "fewer equal leaves": (lambda s: s["same"].__setitem__(1, []), "equal"),
}
EDITS = [(CALLED, name, *edit) for name, edit in CALLED_EDITS.items()]
EDITS += [(BEHIND, name, *edit) for name, edit in BEHIND_EDITS.items()]


@pytest.mark.parametrize(("pair", "name", "edit", "why"), EDITS, ids=[name for _, name, _, _ in EDITS])
def test_names_that_are_not_right_are_rejected(pair: Pair, name: str, edit: Edit, why: str) -> None:
    data = json.loads(_text(pair))
    edit(_scalar(data))
    with pytest.raises(Rejected, match=why):
        replayed(data, pair)


def _read_of(statement: Instances, array: str) -> int:
    """The number of the read of an array, by the beginning of its name."""
    loads = [load for load, access in statement.reads.items() if access.array.startswith(array)]
    return next(k for k, t in enumerate(numbered(statement)) if t is loads[0])


@pytest.mark.parametrize(("place", "equal"), [("%i", True), ("%n - 1 - %i", False)])
def test_leaves_are_one_only_where_they_read_the_same(place: str, equal: bool) -> None:
    before, after = IN_PARTS.rsplit("%b = affine.load %B[%i]", 1)
    programs = _programs(Pair(SHIFTED, f"{before}%b = affine.load %B[{place}]{after}"))
    flow = analyse(programs.space, programs.target.flat)
    first, second = (s for s in flow.program.statements if s.name in ("T0", "T1"))
    assert second.value is not None
    parts = Parts(programs.space, flow, Proper(flow, 64), At(second, second.value), flow.domains[second.name], "names")
    behind = (_read_of(second, "TM"),)
    same = (*behind, _read_of(first, "A1")), (_read_of(second, "A1"),)
    if equal:
        parts.take([behind], [same])
        assert parts.first(same[1]) == same[0]
        return
    with pytest.raises(Rejected, match="from different places"):
        parts.take([behind], [same])


COUNTED = """
func.func @f(%A: memref<8xi32>, %k: i32, %B: memref<8xindex>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  scf.for %i = %c0 to %c8 step %c1 : i32 {
    %j = arith.index_cast %i : i32 to index
    %x = arith.xori %i, %k : i32
    memref.store %x, %A[%j] : memref<8xi32>
  }
  scf.for %i = %c0 to %c8 step %c1 : i32 {
    %j = arith.index_cast %i : i32 to index
    %v = memref.load %A[%j] : memref<8xi32>
    %y = arith.index_cast %v : i32 to index
    %s = arith.xori %j, %y : index
    memref.store %s, %B[%j] : memref<8xindex>
  }
  return
}"""


def test_a_counter_and_its_cast_are_two_leaves() -> None:
    """They are equal numbers of different types, and a term over both would be ill-typed."""
    programs = _programs(Pair(COUNTED, COUNTED))
    flow = analyse(programs.space, programs.source.flat)
    first, second = (s for s in flow.program.statements if s.name in ("S0", "S1"))
    assert second.value is not None
    parts = Parts(programs.space, flow, Proper(flow, 64), At(second, second.value), flow.domains[second.name], "names")
    behind = (_read_of(second, "A0"),)
    counter = next(k for k, t in enumerate(numbered(first)) if t.op == "iv")
    cast = next(k for k, t in enumerate(numbered(second)) if t is second.value.args[0])
    with pytest.raises(Rejected, match="leaves of several types are one"):
        parts.take([behind], [((*behind, counter), (cast,))])


POISON = """
func.func @f(%A: memref<40xi32>, %C: memref<40xi32>) {
  %t = memref.alloc() : memref<40xi32>
  %never = memref.alloc() : memref<40xi32>
  affine.for %i = 0 to 39 {
    %a = affine.load %A[%i] : memref<40xi32>
    %b = affine.load %A[%i + 1] : memref<40xi32>
    %x = arith.subi %a, %b : i32
    affine.store %x, %t[%i] : memref<40xi32>
  }
  affine.for %i = 0 to 39 {
    %x = affine.load %t[%i] : memref<40xi32>
    %p = affine.load %never[%i] : memref<40xi32>
    %y = arith.xori %x, %p : i32
    affine.store %y, %C[%i] : memref<40xi32>
  }
  return
}"""
PROPER = """
func.func @f(%A: memref<40xi32>, %C: memref<40xi32>) {
  affine.for %i = 0 to 39 {
    %a = affine.load %A[%i] : memref<40xi32>
    %b = affine.load %A[%i + 1] : memref<40xi32>
    %x = arith.subi %a, %b : i32
    %y = arith.xori %x, %a : i32
    affine.store %y, %C[%i] : memref<40xi32>
  }
  return
}"""


def test_no_leaf_is_called_by_an_operator_over_names_that_only_refine() -> None:
    """Both reads of the target refine the source's that is poison, and so may have its name; then their difference is
    no name for what is their difference."""
    programs = _programs(Pair(POISON, PROPER))
    flows = analyse(programs.space, programs.source.flat), analyse(programs.space, programs.target.flat)
    statements = [
        next(s for s in f.program.statements if s.name == n) for f, n in zip(flows, ("S1", "T0"), strict=True)
    ]
    parts: list[Parts] = []
    for flow, statement in zip(flows, statements, strict=True):
        assert statement.value is not None
        end = At(statement, statement.value), flow.domains[statement.name]
        parts.append(Parts(programs.space, flow, Proper(flow, 64), *end, "names"))
    buffer, never = sorted(_read_of(statements[0], a) for a in {x.array for x in statements[0].reads.values()})
    operators = {t.op: (k,) for k, t in enumerate(numbered(statements[1]))}
    reads = tuple((k,) for k, t in enumerate(numbered(statements[1])) if t.op == "load")
    proof = RefinementProof(TermProof(), Direction(None, Obligation(""), None), None)
    replaced = ((0, (buffer,), operators["arith.subi"]),)
    scalar = Scalar(((), ()), ((), ()), ((((never,),), reads),), replaced, proof)
    with pytest.raises(Rejected, match="may not have the value of its leaf"):
        Naming(programs.pool, parts[0], parts[1], programs.partial, scalar, "names")


def _programs(pair: Pair) -> Programs:
    task, pool = pair.task(), TermPool()
    return Programs(pool, *read_pair(task.modules, task.names, pool), ())


def test_what_is_so_for_all_values_is_told_of_the_whole() -> None:
    """A quotient less its dividend has one leaf, each of the two operators two, which have 256 times as many values."""
    pair = of_files("arith-emulate-unsupported-floats/small")
    data, converse = certified(pair, "quotient")
    assert converse and replayed(data, pair, "quotient")
    (lemma,) = _scalar(data)["proof"]["values"]["lemmas"]
    assert lemma["by"] == "values" and [row[0] for row in lemma["rows"]].count("leaf") == 1
