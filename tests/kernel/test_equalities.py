"""Proofs about terms: what is a proof is accepted, and what looks like one is rejected by the step that fails."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from hecv.base.term import Term, TermPool
from hecv.base.types import INDEX, FloatType, IntType
from hecv.kernel.certificate.rejection import Malformed, Rejected
from hecv.kernel.certificate.term_format import Fold, Lemma, Step, TermProof, UseLaw, UseLemma
from hecv.kernel.certificate.term_rows import made, rows_of
from hecv.kernel.terms.equality_derivation import Equalities
from hecv.kernel.terms.solvers import Solver
from hecv.kernel.terms.term_polynomials import Polynomials

I32 = IntType(32)


class Terms:
    """Makes terms of one pool, and asks what a proof shows about them."""

    def __init__(self) -> None:
        self.pool = TermPool()

    def arg(self, number: int, kind: IntType | FloatType = I32) -> Term:
        return self.pool.argument(number, kind)

    def number(self, value: int) -> Term:
        return self.pool.integer(value, I32)

    def op(self, name: str, *args: Term, kind: IntType | FloatType | None = None, **attrs: str) -> Term:
        return self.pool.make(f"arith.{name}", args, kind or args[0].type, tuple(attrs.items()))

    def known(self, given: list[Term], *steps: Step, lemmas: tuple[Lemma, ...] = (), typed: bool = True) -> Equalities:
        """What a proof shows; where lemmas are `typed`, there are terms that have their operators."""
        more = [term for found in lemmas if typed for term in made(self.pool, found.rows)]
        return Equalities(self.pool, [*given, *more], TermProof((), lemmas, steps), Solver(), 64)

    def equal(self, given: list[Term], *steps: Step, lemmas: tuple[Lemma, ...] = ()) -> bool:
        """Whether the last two of the given terms are shown equal."""
        closure = self.known(given, *steps, lemmas=lemmas).closure
        return closure.same(closure.value(given[-2]), closure.value(given[-1]))


@pytest.fixture
def t() -> Terms:
    return Terms()


def lemma(left: Term, right: Term, ring: bool = False) -> Lemma:
    """The lemma that two terms over `leaf` terms are equal, with its text where it has one."""
    rows, numbers = rows_of((left, right))
    found = Lemma(rows, (numbers[left.id], numbers[right.id]), "equal", "ring" if ring else "smt")
    return found if ring else replace(found, text=Solver().questions.equal(left, right) or "")


def leaves(t: Terms, *kinds: IntType | FloatType) -> list[Term]:
    found: list[Term] = []
    for number, kind in enumerate(kinds or (I32, I32)):
        found.append(t.pool.make("leaf", (), kind, (("number", number), ("proper", True))))
    return found


def test_nothing_stands_twice(t: Terms) -> None:
    x, y = t.arg(0), t.arg(1)
    given, (a, b) = [x, y, t.op("addi", x, y)], leaves(t)
    told = lemma(t.op("addi", a, b), t.op("addi", b, a), ring=True)
    use = UseLemma(0, (0, 1))
    t.known(given, use, lemmas=(told,))
    with pytest.raises(Malformed, match="a step of the proof stands twice"):
        t.known(given, use, use, lemmas=(told,))
    with pytest.raises(Malformed, match="has a row twice"):
        t.known(given, use, lemmas=(replace(told, rows=(*told.rows, told.rows[-1])),))


# Congruence


def test_operands_of_a_sum_may_be_exchanged(t: Terms) -> None:
    x, y = t.arg(0), t.arg(1)
    assert t.equal([t.op("addi", x, y), t.op("addi", y, x)])
    assert not t.equal([t.op("subi", x, y), t.op("subi", y, x)])


def test_flags_are_no_part_of_a_value(t: Terms) -> None:
    x, y = t.arg(0), t.arg(1)
    assert t.equal([t.op("addi", x, y, overflow="nsw"), t.op("addi", x, y)])


def test_a_licence_is_part_of_a_value(t: Terms) -> None:
    kind = FloatType("f32")
    x, y = t.arg(0, kind), t.arg(1, kind)
    assert not t.equal([t.op("addf", x, y, fastmath="reassoc"), t.op("addf", x, y)])
    assert t.equal([t.op("addf", x, y, fastmath="nnan"), t.op("addf", x, y)])


def test_exact_integers_are_no_bit_vectors(t: Terms) -> None:
    """A sum that wraps is the exact sum modulo `2**64`; half of the one is not half of the other."""
    exact = (("coefficients", (1, 1)), ("constant", 0))

    def sums(x: Term) -> list[Term]:
        return [t.pool.make("affine.linear", (x, x), INDEX, exact), t.pool.make("arith.addi", (x, x), INDEX)]

    x = t.pool.argument(0, INDEX)
    halves = [t.pool.make("affine.floordiv", (s,), INDEX, (("divisor", 2),)) for s in sums(x)]
    closure = t.known([*sums(x), *halves]).closure
    closure.union(*map(closure.value, sums(x)))
    assert not closure.same(*map(closure.value, halves))


def test_the_bits_of_an_exact_integer_stand_for_another(t: Terms) -> None:
    """An eighth of `4 * x` is no eighth of `4 * x + 0`, which wraps, though both have the same bits."""
    x = t.pool.make("leaf", (), INDEX, (("number", 0), ("proper", True)))
    four = t.pool.make("affine.linear", (x,), INDEX, (("coefficients", (4,)), ("constant", 0)))
    wrapped = t.pool.make("arith.addi", (four, t.pool.integer(0)), INDEX)
    eighths = [t.pool.make("affine.floordiv", (s,), INDEX, (("divisor", 8),)) for s in (four, wrapped)]
    assert Polynomials(64).same(four, wrapped) and not Polynomials(64).same(*eighths)
    assert Polynomials(64).same(eighths[0], eighths[0])


# Lemmas


def test_a_lemma_by_z3_and_one_by_polynomials(t: Terms) -> None:
    a, b = leaves(t)
    shift = lemma(t.op("shli", a, t.number(3)), t.op("muli", a, t.number(8)))
    square = lemma(
        t.op("muli", t.op("addi", a, b), t.op("addi", a, b)),
        t.op(
            "addi",
            t.op("addi", t.op("muli", a, a), t.op("muli", b, b)),
            t.op("shli", t.op("muli", a, b), t.number(0)),
        ),
    )
    x, y = t.arg(0), t.arg(1)
    given = [x, y, t.op("shli", x, t.number(3)), t.op("muli", x, t.number(8))]
    assert t.equal(given, UseLemma(0, (0,)), lemmas=(shift,))
    assert not t.equal(given, UseLemma(0, (1,)), lemmas=(shift,))
    with pytest.raises(Rejected, match="lemma 0: z3 does not show"):
        t.equal(given, UseLemma(0, (0, 1)), lemmas=(square,))


def test_a_polynomial_that_is_not_the_same(t: Terms) -> None:
    a, b = leaves(t)
    wrong = lemma(t.op("muli", a, b), t.op("addi", a, b), ring=True)
    with pytest.raises(Rejected, match="different polynomials"):
        t.known([t.arg(0), t.arg(1)], UseLemma(0, (0, 1)), lemmas=(wrong,))


@pytest.mark.parametrize(
    "left, right",
    [
        (("subi", ("addi", 0, 1), 1), 0),
        (("xori", ("andi", 0, 1), ("ori", 0, 1)), ("xori", 0, 1)),
        (("muli", ("addi", 0, 1), ("subi", 0, 1)), ("subi", ("muli", 0, 0), ("muli", 1, 1))),
        (("divui", ("addi", 0, 1), 1), ("divui", ("addi", 1, 0), 1)),
        (("xori", 0, -1), ("subi", -1, 0)),
        (("addi", ("xori", 0, 1), ("muli", ("andi", 0, 1), 2)), ("addi", 0, 1)),
        (("subi", ("addi", 0, 1), ("andi", 0, 1)), ("ori", 0, 1)),
        (("ori", ("muli", 0, 0), 1), ("addi", ("andi", ("muli", 0, 0), ("xori", 1, -1)), 1)),
        (("xori", ("ori", 0, 1), -1), ("subi", ("andi", 0, 1), ("addi", ("addi", 0, 1), 17))),
        (
            ("xori", ("xori", 0, -1), ("andi", 0, 1)),
            ("xori", ("subi", ("subi", 0, 0), ("subi", 0, 15)), ("andi", 1, 0)),
        ),
        (("shli", ("addi", 0, 1), 3), ("addi", ("muli", 0, 8), ("shli", 1, 3))),
        (("subi", ("xori", ("addi", 0, 1), -1), 0), ("subi", ("subi", -1, 1), ("addi", 0, 0))),
    ],
)
def test_polynomials_say_what_z3_says(t: Terms, left: object, right: object) -> None:
    """At four bits, where Z3 multiplies in no time."""
    kind = IntType(4)
    both = leaves(t, kind, kind)

    def grown(tree: object) -> Term:
        if isinstance(tree, int):
            return both[tree] if tree in (0, 1) else t.pool.integer(tree % 16, kind)
        return t.op(tree[0], *map(grown, tree[1:]))  # type: ignore[index]

    for ring in (True, False):
        found = lemma(grown(left), grown(right), ring)
        given = [t.arg(0, kind), t.arg(1, kind)]
        leaves_used = sum(1 for op, *_ in found.rows if op == "leaf")
        t.known(given, UseLemma(0, tuple(range(leaves_used))), lemmas=(found,))


def test_the_obligation_is_made_anew(t: Terms) -> None:
    (a, _) = leaves(t)
    right = lemma(t.op("shli", a, t.number(3)), t.op("muli", a, t.number(8)))
    for text in ("(assert false)\n(check-sat)\n", right.text.replace("3", "4"), right.text + "\n", ""):
        with pytest.raises(Rejected, match="not the one that the programs give"):
            t.known([t.arg(0)], UseLemma(0, (0,)), lemmas=(replace(right, text=text),))


def test_a_lemma_about_what_may_be_poison_is_none(t: Terms) -> None:
    a = t.pool.make("leaf", (), I32, (("number", 0),))
    with pytest.raises(Malformed, match="a leaf that is not the next one"):
        t.known([t.arg(0)], UseLemma(0, (0,)), lemmas=(lemma(a, t.op("addi", a, t.number(0)), ring=True),))


def test_terms_of_other_types_are_no_instance(t: Terms) -> None:
    (a, _) = leaves(t)
    zero = lemma(a, t.op("addi", a, t.number(0)), ring=True)
    with pytest.raises(Rejected, match="not of the types"):
        t.known([t.arg(0, IntType(8))], UseLemma(0, (0,)), lemmas=(zero,))


def test_an_operator_has_to_be_at_types_that_it_can_have(t: Terms) -> None:
    """Polynomials of an i32 that is made of i64 would show that everything times `2**32` is 0."""
    wide = IntType(64)
    a = t.pool.make("leaf", (), wide, (("number", 0), ("proper", True)))
    cut = t.op("addi", t.op("muli", a, t.pool.integer(1 << 32, wide)), t.number(0), kind=I32)
    nothing = lemma(t.op("addi", cut, t.pool.integer(0, wide), kind=wide), t.pool.integer(0, wide), ring=True)
    for typed, why in ((False, "not at types"), (True, "different polynomials")):
        with pytest.raises(Rejected, match=why):
            t.known([t.arg(0, wide)], UseLemma(0, (0,)), lemmas=(nothing,), typed=typed)


@pytest.mark.parametrize("value", [1 << 32, -1, "0x1.0p+0", True])
def test_a_literal_is_one_of_its_type(t: Terms, value: int | str) -> None:
    (a, _) = leaves(t)
    wrong = t.op("addi", a, t.pool.make("const", (), I32, (("value", value),)))
    with pytest.raises(Rejected, match="no literal of type i32"):
        t.known([t.arg(0)], UseLemma(0, (0,)), lemmas=(lemma(wrong, wrong, ring=True),), typed=False)


def test_a_term_or_lemma_that_there_is_not(t: Terms) -> None:
    (a, _) = leaves(t)
    zero = lemma(a, t.op("addi", a, t.number(0)), ring=True)
    for step in (UseLemma(0, (70,)), UseLemma(1, (0,)), UseLemma(0, (-1,)), Fold(90)):
        with pytest.raises(Malformed, match="that there is not"):
            t.known([t.arg(0)], step, lemmas=(zero,))


def test_a_lemma_that_no_step_uses(t: Terms) -> None:
    (a, _) = leaves(t)
    with pytest.raises(Rejected, match="no step uses it"):
        t.known([t.arg(0)], lemmas=(lemma(a, t.op("addi", a, t.number(0)), ring=True),))


def test_two_literals_are_never_equal(t: Terms) -> None:
    """Were a lemma shown that is false, this would say so at last."""
    known = t.known([t.number(1), t.number(2)])
    with pytest.raises(Rejected, match="two literals"):
        known.closure.union(known.closure.value(t.number(1)), known.closure.value(t.number(2)))


# Laws


def law(name: str, kind: str = "i32", **terms: int) -> UseLaw:
    return UseLaw(name, (kind,), tuple(sorted(terms.items())))


def test_a_law_of_the_book(t: Terms) -> None:
    x, y = t.arg(0), t.arg(1)
    given = [x, y, t.op("andi", x, t.op("ori", x, y)), x]
    assert not t.equal(given)
    assert t.equal(given, law("andi-absorbs", x=0, y=1))
    assert not t.equal(given, law("andi-absorbs", x=1, y=0))


@pytest.mark.parametrize(
    "step, why",
    [
        (law("no-such-law", x=0), "no equation of the book"),
        (law("andi-absorbs", x=0), "not those that the law asks for"),
        (law("andi-absorbs", x=0, y=1, z=1), "not those that the law asks for"),
        (law("andi-absorbs", "f32", x=0, y=1), "says nothing at these types"),
        (law("andi-absorbs", "i8", x=0, y=1), "not those that the law asks for"),
    ],
)
def test_no_law(t: Terms, step: UseLaw, why: str) -> None:
    with pytest.raises(Rejected, match=why):
        t.known([t.arg(0), t.arg(1)], step)


def test_a_law_holds_where_its_side_condition_does(t: Terms) -> None:
    """`(x << 20) << 20` is 0, and `x << 40` is what a shift by too much is."""
    x = t.arg(0)

    def shifted(one: int, two: int) -> list[Term]:
        j, k, both = map(t.number, (one, two, one + two))
        return [x, j, k, t.op("shli", t.op("shli", x, j), k), t.op("shli", x, both)]

    step = law("shli-shli", x=0, j=1, k=2)
    assert t.equal(shifted(3, 4), step)
    with pytest.raises(Rejected, match="its side condition does not hold"):
        t.equal(shifted(20, 20), step)
    with pytest.raises(Rejected, match="j has to be a literal"):
        t.equal(shifted(3, 4), law("shli-shli", x=0, j=0, k=2))


@pytest.mark.parametrize("name", ["ori-disjoint", "minsi-by-sign", "average-down-signed"])
def test_a_law_with_premises_is_no_equation(t: Terms, name: str) -> None:
    """`x | y` is `x + y` where no bit is in both."""
    with pytest.raises(Rejected, match="the law has premises"):
        t.known([t.arg(0), t.arg(1)], law(name, x=0, y=1))


def test_a_law_that_holds_one_way_is_no_equation(t: Terms) -> None:
    from hecv.laws.all_laws import REFINEMENTS

    for found in REFINEMENTS:
        with pytest.raises(Rejected, match="no equation of the book"):
            t.known([t.arg(0), t.arg(1)], UseLaw(found.name, ("i32",) * found.arity, ()))


# Literals


def test_an_operator_on_literals(t: Terms) -> None:
    one, two = t.number(1), t.number(2)
    total = t.op("addi", one, two)
    assert t.equal([one, two, total, t.number(3)], Fold(2))
    assert not t.equal([one, two, total, t.number(4)], Fold(2))
    with pytest.raises(Rejected, match="not known to be a literal"):
        t.known([t.op("addi", one, t.arg(0))], Fold(0))
    with pytest.raises(Rejected, match="not computed from literals"):
        kind = FloatType("f32")
        half = t.pool.real(0.5, kind)
        t.known([t.op("addf", half, half)], Fold(0))
