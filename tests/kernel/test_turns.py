"""The checker of proofs by induction over the turns of a while: what it refuses although each part is shown."""

from __future__ import annotations

import pytest
from tests.kernel.pairs import Pair
from tests.kernel.specimens import TURNS

from hecv.base.term import TermPool
from hecv.kernel.certificate.file_format import Dataflow, Turns
from hecv.kernel.certificate.rejection import Rejected
from hecv.kernel.dataflow_check import Shown
from hecv.kernel.while_induction_check import are_comparable, carries_poison, replay_turns
from hecv.mlir.importer import parse, read_function, read_pair
from hecv.normal.summaries.cutpoints import cut
from hecv.program.tree import Function
from hecv.prove.pair.pair_context import Case
from hecv.prove.whiles.while_induction_cert import certify

UNTOLD = Dataflow(None)


def _case(source: str, target: str) -> Case:
    return Case(Pair(source, target).task(), lambda stage, runs: None)


def _proof(carried: tuple[int, ...], left: tuple[int, ...]) -> Turns:
    return Turns(carried, left, None, (UNTOLD, UNTOLD, UNTOLD))


def _scratch(value: str) -> str:
    """The loop adds what was stored before it."""
    return f"""func.func @f(%a: i32, %b: i32) -> i32 {{
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %m = memref.alloc() : memref<i32>
      memref.store %{value}, %m[] : memref<i32>
      %r:2 = scf.while (%x = %a, %y = %b) : (i32, i32) -> (i32, i32) {{
        %c = arith.cmpi ne, %y, %zero : i32
        scf.condition(%c) %x, %y : i32, i32
      }} do {{
      ^bb0(%x: i32, %y: i32):
        %k = memref.load %m[] : memref<i32>
        %p = arith.addi %x, %k : i32
        %q = arith.shrui %y, %one : i32
        scf.yield %p, %q : i32, i32
      }}
      return %r#0 : i32
    }}"""


def test_which_states_belong_together_matters() -> None:
    case = _case(TURNS.source, TURNS.target)
    assert certify(case.anew(), _proof((1, 0), (0,)))[1]
    for carried, left in (((0, 1), (0,)), ((1, 0), (1,)), ((1, 1), (0,)), ((1,), (0,)), ((1, 0), ())):
        with pytest.raises(Exception, match=r"not proved again|not every state"):
            certify(case.anew(), _proof(carried, left))


def test_memory_that_another_part_writes_is_no_state() -> None:
    """Each part is new memory to itself: what is read of it is not known, so that any target would do."""
    for value in ("a", "b"):
        with pytest.raises(Rejected, match="may read of memory of its own what it has not written"):
            certify(_case(_scratch("a"), _scratch(value)).anew(), _proof((0, 1), (0,)))


def test_what_is_carried_is_never_poison() -> None:
    source = TURNS.source.replace("addi %n, %m", "addi %n, %m overflow<nsw>")
    with pytest.raises(Rejected, match="what the source carries from turn to turn may be poison"):
        certify(_case(source, TURNS.target).anew(), _proof((1, 0), (0,)))
    target = TURNS.target.replace("addi %m, %n", "addi %m, %n overflow<nsw>")
    with pytest.raises(Exception, match="not proved again"):
        certify(_case(TURNS.source, target).anew(), _proof((1, 0), (0,)))


@pytest.mark.parametrize("initialised", [True, False])
@pytest.mark.parametrize("converse", [True, False])
def test_what_is_shown_of_the_parts(converse: bool, initialised: bool) -> None:
    task, pool = Pair(TURNS.source, TURNS.target).task(), TermPool()
    functions = read_pair(task.modules, task.names, pool)
    asked: list[tuple[Function, Function]] = []

    def check(both: tuple[Function, Function], proof: Dataflow) -> Shown:
        asked.append(both)
        return Shown(converse or len(asked) != 2, initialised or len(asked) != 3)

    proof = _proof((1, 0), (0,))
    if initialised:
        assert replay_turns(pool, functions, proof, 64, check) == converse
    else:
        with pytest.raises(Rejected, match="after: it may read"):
            replay_turns(pool, functions, proof, 64, check)
    assert len(asked) == 3


LOOPED = """func.func @f(%A: memref<i32>, %a: i32, %u: f32, %v: f32) -> i32 {{
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      {before}
      %r:2 = scf.while (%x = %a, %y = %zero) : (i32, i32) -> (i32, i32) {{
        %c = arith.cmpi ne, %x, %zero : i32
        scf.condition(%c) %x, %y : i32, i32
      }} do {{
      ^bb0(%x: i32, %y: i32):
        %half = arith.shrui %x, %one : i32
        {turn}
        scf.yield %half, {carried} : i32, i32
      }}
      return %r#1 : i32
    }}"""
SUM = "%s = arith.addi %y, %x{} : i32"
STORED = f"{SUM}\nmemref.store %s, %A[] : memref<i32>"
LOADED = "%m = memref.alloc() : memref<i32>\n%w = memref.load %m[] : memref<i32>"


def _looped(before: str = "", turn: str = "", carried: str = "%y") -> tuple[TermPool, Function]:
    pool = TermPool()
    text = LOOPED.format(before=before, turn=turn, carried=carried)
    return pool, read_function(parse(text, "f.mlir"), "f", pool)


@pytest.mark.parametrize(
    ("before", "turn", "carried", "proper"),
    [
        ("", SUM.format(""), "%s", True),
        ("", SUM.format(" overflow<nsw>"), "%s", False),
        ("", STORED.format(""), "%y", True),
        ("", STORED.format(" overflow<nsw>"), "%y", False),
        ("%w = memref.load %A[] : memref<i32>", "", "%w", True),
        (LOADED, "", "%w", False),
        (LOADED, "%t = arith.cmpi eq, %x, %w : i32\nscf.if %t { memref.store %x, %A[] : memref<i32> }", "%y", False),
    ],
    ids=["a sum", "a flag", "stored", "a flag, stored", "loaded", "never written, carried", "never written"],
)
def test_what_may_be_poison_at_a_cut(before: str, turn: str, carried: str, proper: bool) -> None:
    pool, function = _looped(before, turn, carried)
    at = cut(pool, function, function.body)
    assert at is not None and carries_poison(pool, at, 64, False) != proper


@pytest.mark.parametrize(
    ("op", "compared"),
    [
        ("arith.addf %u, %v", True),
        ("arith.addf %u, %v fastmath<reassoc>", False),
        ("arith.maxnumf %u, %v", False),
        ("math.copysign %u, %v", False),
    ],
)
def test_floats_of_which_each_part_may_make_another(op: str, compared: bool) -> None:
    stored = f"%z = {op} : f32\n%p = arith.cmpf olt, %z, %u : f32\n%n = arith.extui %p : i1 to i32"
    function = _looped(turn=stored, carried="%n")[1]
    assert are_comparable((function, function)) == compared


def test_a_function_without_such_a_loop_is_not_cut() -> None:
    text = "func.func @f(%a: i32) -> i32 {\nreturn %a : i32\n}"
    with pytest.raises(Rejected, match="there is no while to cut at"):
        certify(_case(text, text).anew(), _proof((), ()))
