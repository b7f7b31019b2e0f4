"""Index values that `affine` computes and that are stored, cast or returned, against `arith`, which wraps or has flags.

What an affine expression computes on the way does not overflow, by assumption, so inputs on which it does are no
matter; but only where it is computed, and only what it computes.
"""

from __future__ import annotations

import pytest
from tests.soundness.test_conditions import proof

from hecv.claim.semantic_options import Switches

MAPS = "#quarter = affine_map<(d0) -> (d0 * 4)>\n#part = affine_map<(d0)[s0] -> ((d0 + s0) floordiv 7)>\n"


def pair(arguments: str, source: str, target: str, result: str) -> str | None:
    texts = (f"{MAPS}func.func @f({arguments}) -> {result} {{\n{body}\n}}\n" for body in (source, target))
    return proof(*texts)


PARTS = """  %c7 = arith.constant 7 : index
  %c0 = arith.constant 0 : index
  %m1 = arith.constant -1 : index
  %s = arith.addi %i, %n : index
  %l = arith.cmpi slt, %s, %c0 : index
  %a = arith.subi %m1, %s : index
  %b = arith.select %l, %a, %s : index
  %q = arith.divsi %b, %c7 : index
  %o = arith.subi %m1, %q : index
  %r = arith.select %l, %o, %q : index
"""


@pytest.mark.parametrize(
    ("source", "target"),
    [
        (
            "%r = affine.apply affine_map<(d0)[s0] -> (d0 * 4 - s0)>(%i)[%n]\n return %r : index",
            "%c4 = arith.constant 4 : index\n %m = arith.muli %i, %c4 overflow<nsw> : index\n"
            "%r = arith.subi %m, %n : index\n return %r : index",
        ),
        ("%r = affine.apply #part(%i)[%n]\n return %r : index", f"{PARTS}  return %r : index"),
        (
            "%r = affine.min affine_map<(d0)[s0] -> (s0 - d0, 16)>(%i)[%n]\n return %r : index",
            "%c16 = arith.constant 16 : index\n %s = arith.subi %n, %i : index\n"
            "%r = arith.minsi %s, %c16 : index\n return %r : index",
        ),
        (
            "%r = affine.apply affine_map<(d0) -> (d0 mod 4)>(%i)\n return %r : index",
            "%c4 = arith.constant 4 : index\n %c0 = arith.constant 0 : index\n %m = arith.remsi %i, %c4 : index\n"
            "%l = arith.cmpi slt, %m, %c0 : index\n %p = arith.addi %m, %c4 overflow<nsw> : index\n"
            "%r = arith.select %l, %p, %m : index\n return %r : index",
        ),
        (
            "%r = affine.linearize_index [%i, %n] by (3, 5) : index\n return %r : index",
            "%c5 = arith.constant 5 : index\n %m = arith.muli %i, %c5 overflow<nsw> : index\n"
            "%r = arith.addi %m, %n overflow<nsw> : index\n return %r : index",
        ),
    ],
    ids=["product", "quotient", "min", "remainder", "linearized"],
)
def test_what_overflows_in_affine_is_no_matter(source: str, target: str) -> None:
    arguments = "%i: index, %n: index"
    assert pair(arguments, source, target, "index") == "array dataflow"
    assert pair(arguments, target, source, "index") == "array dataflow"


NOTED = """  %c4 = arith.constant 4 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
"""
QUARTER = "%q = affine.apply #quarter(%i)\n memref.store %q, %A[%c0] : memref<1xindex>\n"
PRODUCT = "%q = arith.muli %i, %c4 overflow<nsw> : index\n"
ZERO = "%z = arith.subi %q, %q : index\n return %z : index"


def test_zero_by_a_product_that_the_source_computes() -> None:
    source = f"{NOTED}{QUARTER} return %c0 : index"
    target = f"{NOTED}{PRODUCT}memref.store %q, %A[%c0] : memref<1xindex>\n{ZERO}"
    assert pair("%i: index, %A: memref<1xindex>", source, target, "index") == "array dataflow"


@pytest.mark.parametrize(
    ("around", "arguments"),
    [
        ("scf.if %c", "%c: i1"),
        ("affine.if affine_set<(d0) : (d0 - 1 >= 0)>(%n)", "%n: index"),
        ("affine.for %k = 0 to %n", "%n: index"),
        ("scf.for %k = %c0 to %n step %c1", "%n: index"),
    ],
)
def test_a_product_that_the_source_may_not_compute(around: str, arguments: str) -> None:
    """Where `4 * i` overflows the target gives poison: the source does not compute it with `n = 0`."""
    given = f"{arguments}, %i: index, %A: memref<1xindex>"
    source = f"{NOTED}{around} {{\n{QUARTER}}}\n return %c0 : index"
    target = f"{NOTED}{PRODUCT}{around} {{\nmemref.store %q, %A[%c0] : memref<1xindex>\n}}\n{ZERO}"
    assert pair(given, source, target, "index") is None


def test_what_is_composed_is_not_computed() -> None:
    """`(x - n) + (x - n) + n` is `2 * x - n` but computes no `2 * x`, which overflows with `x = n = 2**62`."""
    source = """  %d = affine.apply affine_map<(d0, d1) -> (d0 - d1)>(%x, %n)
  %e = affine.apply affine_map<(d0, d1) -> (d0 + d1)>(%d, %n)
  %r = affine.apply affine_map<(d0, d1) -> (d0 + d1)>(%d, %e)
  return %r : index"""
    target = """  %c2 = arith.constant 2 : index
  %m = arith.muli %x, %c2 FLAG : index
  %r = arith.subi %m, %n : index
  return %r : index"""
    given = "%x: index, %n: index"
    assert pair(given, source, target.replace("FLAG", ""), "index") == "array dataflow"
    assert pair(given, source, target.replace("FLAG", "overflow<nsw>"), "index") is None


def test_an_affine_expression_of_the_target_excuses_only_the_source() -> None:
    """That the target computes `4 * i` in `affine` does not excuse what else it does where that overflows."""
    source = f"{NOTED}memref.store %c0, %A[%c0] : memref<1xindex>\n return %c0 : index"
    target = f"""{NOTED}{QUARTER}memref.store %c0, %A[%c0] : memref<1xindex>
  %m = arith.muli %i, %c4 overflow<nsw> : index
  %z = arith.subi %m, %m : index
  return %z : index"""
    assert pair("%i: index, %A: memref<1xindex>", source, target, "index") is None


def test_a_wrong_remainder() -> None:
    source = "%r = affine.apply affine_map<(d0) -> (d0 mod 4)>(%i)\n return %r : index"
    target = "%c4 = arith.constant 4 : index\n %r = arith.remsi %i, %c4 : index\n return %r : index"
    assert pair("%i: index", source, target, "index") is None


EXACT = """  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
"""


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    "body",
    [
        # With itself, a quotient that is poison compares as poison.
        "%q = arith.divsi %i, %c4 exact : index\n %l = arith.cmpi sge, %q, %q : index\n scf.if %l {\n }",
        "%q = arith.divui %i, %n exact : index\n %l = arith.cmpi uge, %q, %c0 : index\n scf.if %l {\n }",
        "%q = arith.divui %i, %c4 exact : index\n scf.for %k = %q to %q step %c1 {\n }",
    ],
    ids=["compared", "compared-unsigned", "bound"],
)
def test_a_quotient_that_is_said_to_be_exact_is_no_number_where_it_is_not(body: str) -> None:
    branching, plain = (
        f"func.func @f(%i: index, %n: index) {{\n{EXACT}{text}\n  return\n}}\n"
        for text in (body, body.replace(" exact", ""))
    )
    assert proof(plain, branching) is None
    assert proof(branching, plain) == "refines"


@pytest.mark.parametrize(
    ("product", "index_width"),
    [
        ("%b = arith.constant 4294967296 : index\n %d = arith.muli %b, %b : index", 64),
        ("%b = arith.constant 4611686018427387904 : index\n %d = arith.addi %b, %b : index", 64),
        ("%b = arith.constant 65536 : index\n %d = arith.muli %b, %b : index", 32),
        ("%b = arith.constant 30 : index\n %d = arith.shli %c4, %b : index", 32),
    ],
    ids=["product", "sum", "product-of-32-bits", "shifted"],
)
def test_a_literal_beyond_the_range_of_index_is_none(product: str, index_width: int) -> None:
    store = "  memref.store %c1, %A[%c0] : memref<4xindex>\n"
    branch = f"  %l = arith.cmpi slt, %c0, %d : index\n  scf.if %l {{\n{store}  }}\n"
    branching, always = (
        f"func.func @f(%p: i1, %A: memref<4xindex>) {{\n{EXACT}{product}\n  scf.if %p {{\n{body}  }}\n  return\n}}\n"
        for body in (branch, store)
    )
    for pair in ((branching, always), (always, branching)):
        assert proof(*pair, Switches(index_width=index_width)) is None
