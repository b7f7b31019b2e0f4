"""What is added and taken away again is left out of a sum only where that changes nothing."""

from __future__ import annotations

import pytest
from tests.kernel.pairs import Pair, certified, replayed

from hecv.claim.semantic_options import Switches
from hecv.dataflow.model.real_valued import Numbers
from hecv.dataflow.residual.scalar_residual import Residual
from hecv.egraph.normal_forms import float_equality
from hecv.kernel.certificate.file_format import Options
from hecv.kernel.certificate.rejection import Rejected, Uncertified
from soundness.test_conditions import function, proof

SUM = """  %y = memref.load %B[%c0] : memref<4xTYPE>
  %z = memref.load %B[%c1] : memref<4xTYPE>
  %x = ADD %y, %z : TYPE
  memref.store %x, %C[%c0] : memref<4xTYPE>
"""
TWICE = """  %cell = memref.alloca() : memref<TYPE>
  %y = memref.load %B[%c0] : memref<4xTYPE>
  %z = memref.load %B[%c1] : memref<4xTYPE>
  %x = ADD %y, %z : TYPE
  memref.store %x, %cell[] : memref<TYPE>
  affine.for %i = 0 to 4 {
    %v = affine.load %A[%i] : memref<4xTYPE>
    FIRST
    %o = memref.load %cell[] : memref<TYPE>
    %s = ADD %o, %w : TYPE
    memref.store %s, %cell[] : memref<TYPE>
  }
  BETWEEN
  affine.for %i = 0 to 4 {
    %v = affine.load %A[%i] : memref<4xTYPE>
    SECOND
    %o = memref.load %cell[] : memref<TYPE>
    %s = SUB %o, %w : TYPE
    memref.store %s, %cell[] : memref<TYPE>
  }
  %r = memref.load %cell[] : memref<TYPE>
  memref.store %r, %C[%c0] : memref<4xTYPE>
"""


def shown(
    first: str,
    second: str = "",
    between: str = "",
    kind: str = "i32",
    ops: tuple[str, str] = ("arith.addi", "arith.subi"),
    switches: Switches = Switches(),  # noqa: B008
    before: str = "",
    constants: str = "",
) -> str | None:
    """What shows that a sum to which `first` is added in a loop, and from which `second` is taken in another, is as it
    was."""
    target = before + TWICE.replace("FIRST", first).replace("SECOND", second or first).replace("BETWEEN", between)
    names = ", ".join(f"%{name}: memref<4xTYPE>" for name in "ABC")
    bodies = SUM, target
    # The store is one on both sides, so that only the sum differs.
    source, other = (function(names, (between if body is SUM else "") + body) for body in bodies)
    texts = (constants + t.replace("ADD", ops[0]).replace("SUB", ops[1]).replace("TYPE", kind) for t in (source, other))
    return proof(*texts, switches)


SQUARE = "%w = arith.muli %v, %v : i32"
SHIFT = "%n = arith.constant 1 : i32\n    %w = arith.shli %n, %v : i32"
FLAGGED = "%w = arith.muli %v, %v overflow<nsw> : i32"
FLOAT = "%w = arith.mulf %v, %v : f32"
FLOATS = "arith.addf", "arith.subf"


def test_what_cancels_is_left_out() -> None:
    assert shown(SQUARE) == "array dataflow"
    assert shown(SQUARE, ops=("arith.xori", "arith.xori")) == "array dataflow"


@pytest.mark.parametrize("term", [SHIFT, FLAGGED])
def test_what_may_be_poison_does_not_cancel(term: str) -> None:
    assert shown(term) is None


def test_what_was_stored_over_does_not_cancel() -> None:
    store = "%five = arith.constant 5 : i32\n  memref.store %five, %A[%c1] : memref<4xi32>"
    assert shown(SQUARE, between=store) is None


def test_only_equal_terms_cancel() -> None:
    assert shown(SQUARE, "%w = arith.muli %v, %x : i32") is None
    assert shown(SQUARE, "%w = arith.addi %v, %v : i32") is None


def test_what_is_added_does_not_cancel_what_is_added() -> None:
    assert shown(SQUARE, ops=("arith.addi", "arith.addi")) is None
    assert shown(SQUARE, ops=("arith.ori", "arith.ori")) is None


QUOTIENT = "%w = arith.divf %x, %v : f32"
ROOT = "%w = math.sqrt %v : f32"
INFINITE = "%big = arith.constant 0x7F800000 : f32\n    %w = arith.mulf %v, %big : f32"
QUOTIENTS = """  %held = memref.alloca() : memref<4xf32>
  affine.for %i = 0 to 4 {
    %v = affine.load %A[%i] : memref<4xf32>
    %q = arith.divf %v, %v : f32
    affine.store %q, %held[%i] : memref<4xf32>
  }
"""
HELD = "%w = affine.load %held[%i] : memref<4xf32>"
CONSTANT = 'memref.global "private" constant @k : memref<4xf32> = dense<[1.0, 2.0, 0x7F800000, 4.0]>\n'
NAMED = "  %held = memref.get_global @k : memref<4xf32>\n"


@pytest.mark.egraph
@pytest.mark.parametrize(
    ("term", "before", "constants"),
    [(QUOTIENT, "", ""), (ROOT, "", ""), (INFINITE, "", ""), (HELD, QUOTIENTS, ""), (HELD, NAMED, CONSTANT)],
)
def test_what_may_be_no_real_number_does_not_cancel(
    term: str, before: str, constants: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def found() -> str | None:
        return shown(term, before=before, kind="f32", ops=FLOATS, switches=Switches(floats="real"), constants=constants)

    assert found() is None
    monkeypatch.setattr(Numbers, "term", lambda self, statement, term: True)
    assert found() == "array dataflow"


@pytest.mark.egraph
def test_constants_that_are_numbers_cancel() -> None:
    constants, real = CONSTANT.replace("0x7F800000", "3.0"), Switches(floats="real")
    found = shown(HELD, before=NAMED, kind="f32", ops=FLOATS, switches=real, constants=constants)
    assert found == "array dataflow"


IN_PASSING = """  affine.for %i = 0 to 4 {
    %v = affine.load %A[%i] : memref<4xf32>
    %w = affine.load %held[3 - %i] : memref<4xf32>
    %s = arith.addf %v, %w : f32
    %d = arith.subf %s, %w : f32
    affine.store %d, %C[%i] : memref<4xf32>
  }
"""
ALONE = """  %one = arith.constant 1.0 : f32
  affine.for %i = 0 to 4 {
    %v = affine.load %A[%i] : memref<4xf32>
    %d = arith.mulf %v, %one : f32
    affine.store %d, %C[%i] : memref<4xf32>
  }
"""
NO_DOUBTS = lambda self, *sides: (frozenset(), frozenset())  # noqa: E731
IN_PLACES = {
    "quotients": QUOTIENTS.replace("divf %v, %v", "divf %one, %v"),
    "a-constant": NAMED,
    "copies-of-a-constant": """  %k = memref.get_global @k : memref<4xf32>
  %held = memref.alloca() : memref<4xf32>
  affine.for %i = 0 to 4 {
    %v = affine.load %k[%i] : memref<4xf32>
    affine.store %v, %held[%i] : memref<4xf32>
  }
""",
}


def in_passing(places: str) -> tuple[str, str]:
    """The elements of a memory, and the same with what another holds added and taken away."""
    one = "  %one = arith.constant 1.0 : f32\n"
    names = ", ".join(f"%{name}: memref<4xf32>" for name in "AC")
    source, target = (function(names, body) for body in (ALONE, one + places + IN_PASSING))
    return CONSTANT + source, CONSTANT + target


@pytest.mark.egraph
@pytest.mark.parametrize("name", IN_PLACES)
def test_a_read_that_may_be_no_real_number_is_not_left_out(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    texts, real = in_passing(IN_PLACES[name]), Switches(floats="real")
    assert proof(*texts, real) is None
    monkeypatch.setattr(Residual, "_doubts", NO_DOUBTS)
    assert proof(*texts, real) == "array dataflow"
    made, _ = certified(Pair(*texts), switches=real)
    with pytest.raises(Rejected, match="may have no value"):
        replayed(made, Pair(*texts), options=Options(floats="real"))


@pytest.mark.egraph
def test_a_source_that_may_make_no_real_number_is_refined() -> None:
    texts, real = in_passing(IN_PLACES["quotients"]), Switches(floats="real")
    assert proof(texts[1], texts[0], real) == "refines"
    made, converse = certified(Pair(texts[1], texts[0]), switches=real)
    assert (converse, replayed(made, Pair(texts[1], texts[0]), options=Options(floats="real"))) == (False, False)


READ_BY_BOTH = """  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to 4 {
    %v = affine.load %A[%i] : memref<4xf32>
    %w = affine.load %held[3 - %i] : memref<4xf32>
    %c = arith.cmpf ogt, %v, %one : f32
    TERMS
    affine.store %d, %C[%i] : memref<4xf32>
  }
"""
CHOSEN = "%d = arith.select %c, %w, %zero : f32"
WRONGLY_CHOSEN = "%n = arith.mulf %w, %zero : f32\n    %d = arith.select %c, %w, %n : f32"
FOUR = "  %four = arith.constant 4.0 : f32\n"
DOUBLED = "%d = arith.addf %w, %w : f32", "%two = arith.addf %one, %one : f32\n    %d = arith.mulf %w, %two : f32"


def read_by_both(first: str, second: str, held: str = QUOTIENTS) -> tuple[str, str]:
    """Functions that make `first` or `second` of the elements of A and of what is held."""
    bodies = (held + READ_BY_BOTH.replace("TERMS", terms) for terms in (first, second))
    source, target = (function("%A: memref<4xf32>, %C: memref<4xf32>", body) for body in bodies)
    return source, target


@pytest.mark.egraph
def test_a_read_that_may_be_no_real_number_is_not_computed_with_where_another_is_selected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """`select(c, q, q * 0)` is no number where `q` is none and not selected."""
    texts, real = read_by_both(CHOSEN, WRONGLY_CHOSEN), Switches(floats="real")
    assert proof(*texts, real) is None
    monkeypatch.setattr(Residual, "_doubts", NO_DOUBTS)
    assert proof(*texts, real) == "array dataflow"
    made, _ = certified(Pair(*texts), switches=real)
    with pytest.raises(Rejected, match="may have no value"):
        replayed(made, Pair(*texts), options=Options(floats="real"))


INFINITE_OR_0 = "%o = arith.cmpf une, %v, %one : f32\n    %d = arith.select %o, %inf, %zero : f32"
INFINITE_OR_NONE = INFINITE_OR_0.replace("%zero", "%n").replace("\n", "\n    %n = arith.mulf %inf, %zero : f32\n")


@pytest.mark.egraph
def test_an_infinite_literal_is_not_computed_with_where_another_is_selected(monkeypatch: pytest.MonkeyPatch) -> None:
    """`select(c, inf, inf * 0)` is no number where the infinity is not selected."""
    held = QUOTIENTS + "  %inf = arith.constant 0x7F800000 : f32\n"
    texts, real = read_by_both(INFINITE_OR_0, INFINITE_OR_NONE, held), Switches(floats="real")
    assert proof(*texts, real) is None
    monkeypatch.setattr(float_equality, "_doubtful", lambda dag: frozenset())
    assert proof(*texts, real) == "array dataflow"
    with pytest.raises(Uncertified, match="`const` may have no value"):  # as the replayer has it
        certified(Pair(*texts), switches=real)


@pytest.mark.egraph
@pytest.mark.parametrize(
    "texts",
    [
        read_by_both(*DOUBLED),
        read_by_both(CHOSEN, WRONGLY_CHOSEN, QUOTIENTS.replace("divf %v, %v", "mulf %v, %v")),
        read_by_both(CHOSEN, WRONGLY_CHOSEN, FOUR + QUOTIENTS.replace("divf %v, %v", "divf %v, %four")),
    ],
    ids=["made-of-it", "a-product", "a-quotient-by-a-literal"],
)
def test_a_read_that_is_a_real_number_is_computed_with(texts: tuple[str, str]) -> None:
    real = Switches(floats="real")
    assert proof(*texts, real) == "array dataflow"
    made, converse = certified(Pair(*texts), switches=real)
    assert (converse, replayed(made, Pair(*texts), options=Options(floats="real"))) == (True, True)


@pytest.mark.egraph
def test_floats_cancel_as_real_numbers_only() -> None:
    modes = ("strict", None), ("reassoc", None), ("real", "array dataflow")
    found = [(mode, shown(FLOAT, kind="f32", ops=FLOATS, switches=Switches(floats=mode))) for mode, _ in modes]
    assert found == list(modes)
