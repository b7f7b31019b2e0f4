"""Programs statement by statement: what has to be equal besides values, and what never is."""

from __future__ import annotations

import pytest

from hecv.base.term import TermPool
from hecv.kernel.certificate.rejection import Rejected
from hecv.kernel.certificate.term_format import Lemma, TermProof, UseLemma
from hecv.kernel.statementwise_check import given_terms, replay_aligned
from hecv.kernel.terms.solvers import Solver
from hecv.mlir.importer import functions, parse, read_pair


def replayed(source: str, target: str, arguments: str = "%a: i32, %b: i32", result: str = "i32") -> bool:
    """Whether two bodies are equivalent by congruence alone.

    Raises: Rejected where the target does not refine the source.
    """
    texts = [f"func.func @f({arguments}) -> {result} {{\n{body}\n}}" for body in (source, target)]
    modules = parse(texts[0], "source.mlir"), parse(texts[1], "target.mlir")
    names = functions(modules[0])[0].name, functions(modules[1])[0].name
    pool = TermPool()
    return replay_aligned(pool, read_pair(modules, names, pool), TermProof(), Solver(), 64)


SUM = "%x = arith.addi %a, %b : i32\nreturn %x : i32"


def test_operands_the_other_way_round() -> None:
    assert replayed(SUM, SUM.replace("%a, %b", "%b, %a"))


def test_a_flag_less_one_way_only() -> None:
    flagged = SUM.replace(": i32", "overflow<nsw> : i32", 1)
    assert not replayed(flagged, SUM)
    with pytest.raises(Rejected, match="store 0 of the source"):
        replayed(SUM, flagged)


def test_flags_of_which_one_is_another() -> None:
    with pytest.raises(Rejected):
        replayed(SUM.replace(": i32", "overflow<nsw> : i32", 1), SUM.replace(": i32", "overflow<nuw> : i32", 1))


def test_a_flag_on_other_operands_is_another_flag() -> None:
    """`x + y` is poison, or not, where `x + y` is; `(x + y) - y` is `x` and poison where that sum is."""
    body = "%x = arith.addi %a, %b overflow<nsw> : i32\n%y = arith.xori %x, %{} : i32\nreturn %y : i32"
    assert replayed(body.format("x"), body.format("x").replace("%a, %b", "%b, %a"))
    with pytest.raises(Rejected):
        replayed(body.format("x"), body.format("b"))


def test_poison_in_one_branch_of_a_choice() -> None:
    body = """%c = arith.cmpi slt, %a, %b : i32
              %x = arith.addi %a, %b{} : i32
              %r = arith.select %c, {} : i32
              return %r : i32"""
    flag = " overflow<nsw>"
    assert replayed(body.format(flag, "%x, %a"), body.format(flag, "%x, %a"))
    assert not replayed(body.format(flag, "%x, %a"), body.format("", "%x, %a"))
    with pytest.raises(Rejected):
        replayed(body.format("", "%x, %a"), body.format(flag, "%x, %a"))


def test_a_division_has_to_be_evaluated_by_the_source() -> None:
    division = "%q = arith.divsi %a, %b : i32\n" + SUM
    assert not replayed(division, SUM)
    with pytest.raises(Rejected, match="definedness"):
        replayed(SUM, division)
    with pytest.raises(Rejected, match="definedness"):
        replayed(division, division.replace("divsi %a, %b", "divsi %b, %a"))
    assert replayed(division, division)
    with pytest.raises(Rejected, match="definedness"):
        replayed("%q = arith.divui %a, %b : i32\n" + SUM, division)


def test_a_division_by_a_literal_is_total() -> None:
    by_seven = "%c = arith.constant 7 : i32\n%q = arith.divsi %a, %c : i32\n" + SUM
    assert replayed(SUM, by_seven)
    with pytest.raises(Rejected, match="definedness"):
        replayed(SUM, by_seven.replace("constant 7", "constant 0"))


def test_a_divisor_that_may_be_poison() -> None:
    """The values are the same, and one may be poison: that is undefined in the target alone."""
    body = "%s = arith.addi %a, %b{} : i32\n%q = arith.divui %a, %s : i32\nreturn %q : i32"
    assert not replayed(body.format(" overflow<nsw>"), body.format(""))
    with pytest.raises(Rejected):
        replayed(body.format(""), body.format(" overflow<nsw>"))


def test_statements_in_another_order() -> None:
    """What `affine.store` writes last stays."""
    stores = ["affine.store %a, %m[0] : memref<2xi32>", "affine.store %b, %m[0] : memref<2xi32>"]
    end = f"\n{SUM}"
    arguments = "%a: i32, %b: i32, %m: memref<2xi32>"
    assert replayed("\n".join(stores) + end, "\n".join(stores) + end, arguments)
    for other in (stores[::-1], stores[:1], [stores[0], stores[1].replace("[0]", "[1]")]):
        with pytest.raises(Rejected):
            replayed("\n".join(stores) + end, "\n".join(other) + end, arguments)


def test_what_shows_a_nan_and_what_has_no_semantics() -> None:
    bits = "%x = arith.bitcast %a : f32 to i32\nreturn %x : i32"
    with pytest.raises(Rejected, match="which NaN"):
        replayed(bits, bits, "%a: f32")
    unknown = "%x = tosa.exp %a : (tensor<f32>) -> tensor<f32>\nreturn %x : tensor<f32>"
    with pytest.raises(Rejected, match="no semantics"):
        replayed(unknown, unknown, "%a: tensor<f32>", "tensor<f32>")


def test_memory_that_was_never_written_holds_poison() -> None:
    """`x ^ x` is 0 as a value, and poison where `x` is."""
    text = """func.func @f(%A: memref<i32>) -> i32 {{
      %m = {} : memref<i32>
      %x = memref.load %{}[] : memref<i32>
      %zero = arith.constant 0 : i32
      %y = arith.xori %x, %{} : i32
      %r = arith.ori %y, %zero : i32
      return %r : i32
    }}"""
    rows = (
        ("leaf", "i32", (("number", 0), ("proper", True)), ()),
        ("arith.xori", "i32", (), (0, 0)),
        ("const", "i32", (("value", 0),), ()),
    )
    for memory in ("A", "m"):
        source, target = (text.format("memref.alloc()", memory, operand) for operand in ("zero", "x"))
        source = source.replace("arith.xori %x", "arith.xori %zero")
        pool = TermPool()
        both = read_pair((parse(source, "source.mlir"), parse(target, "target.mlir")), ("f", "f"), pool)
        given = given_terms(pool, both)
        load = next(k for k, term in enumerate(given) if term.op == "read")
        zero = next(k for k, term in enumerate(given) if term.op == "const")
        lemma = Lemma(rows, (1, 2), "equal", "ring")
        proof = TermProof((), (lemma,), (UseLemma(0, (load,)), UseLemma(0, (zero,))))
        if memory == "A":
            assert replay_aligned(pool, both, proof, Solver(), 64)
        else:
            with pytest.raises(Rejected, match="of the source"):
                replay_aligned(pool, both, proof, Solver(), 64)
