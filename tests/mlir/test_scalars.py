"""How scalar ops are read: names, flags, synonyms, constants, indices as digits; what is refused, and where."""

from __future__ import annotations

import itertools

import pytest
from torch_mlir.dialects import _arith_ops_gen, _index_ops_gen, _math_ops_gen, _ub_ops_gen

from hecv.base.diagnostics import Unsupported
from hecv.base.term import Term, TermPool
from hecv.base.value import POISON
from hecv.mlir.importer import HANDLERS, parse, read_function
from hecv.ops import OPERATORS
from hecv.ops.index import SYNONYMS
from hecv.program.tree import Store, walk
from hecv.run.interpreter.interpreter import Excluded, Finished, Undefined, compile


def text(arguments: str, ops: str, *results: str) -> str:
    """A function `@f` whose results are `results`, each with its type."""
    values, kinds = (", ".join(r.split(" : ")[k] for r in results) for k in (0, 1))
    end = f"return {values} : {kinds}" if results else "return"
    return (
        f"func.func @f({arguments}) -> ({kinds}) {{\n{ops}\n{end}\n}}"
        if results
        else f"func.func @f({arguments}) {{\n{ops}\n{end}\n}}"
    )


def terms(arguments: str, ops: str, *results: str) -> list[Term]:
    """The terms that a function returns."""
    function = read_function(parse(text(arguments, ops, *results), "t.mlir"), "f", TermPool())
    stored = {s.memory.id: s.value for s in walk(function.body) if isinstance(s, Store)}
    return [stored[m.id] for m in function.results]


def run(arguments: str, ops: str, results: tuple[str, ...], *values: int) -> tuple[object, ...] | str:
    """What a function of scalars returns."""
    function = read_function(parse(text(arguments, ops, *results), "t.mlir"), "f", TermPool())
    match compile(function).run(values):
        case Finished(results=found):
            return found
        case Undefined():
            return "undefined"
        case Excluded(reason=reason):
            return reason
        case other:
            raise AssertionError(other)


def refused(arguments: str, ops: str) -> str:
    with pytest.raises(Unsupported) as caught:
        terms(arguments, ops)
    return f"{caught.value.location}: {caught.value.text}"


# Flags


def test_a_flag_is_told_by_its_name() -> None:
    """What is no flag of an op is a note, and not the flag with the same contents that another op of its name has."""
    divided = "%a = arith.divui %x, %y exact : i8\n%b = arith.divui %x, %z {} : i8"
    arguments, results = "%x: i8, %y: i8, %z: i8", ("%a : i8", "%b : i8")
    exact, noted = (terms(arguments, divided.format(flag), *results)[1] for flag in ("{isExact}", "{nonNeg}"))
    assert dict(exact.attrs) == {"exact": True}
    assert "exact" not in dict(noted.attrs)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("", None),
        ("fastmath<none>", None),
        ("fastmath<nnan>", "nnan"),
        ("fastmath<ninf, nnan>", "nnan,ninf"),
        ("fastmath<contract, reassoc>", "reassoc,contract"),
        ("fastmath<fast>", "reassoc,nnan,ninf,nsz,arcp,contract,afn"),
        ("to_nearest_even fastmath<nnan>", "nnan"),
    ],
)
def test_fast_math_flags(written: str, read: str | None) -> None:
    (term,) = terms("%x: f32", f"%r = arith.addf %x, %x {written} : f32", "%r : f32")
    assert term.attrs == ((("fastmath", read),) if read else ())


def test_fast_math_flags_of_other_ops() -> None:
    ops = """
    %a = math.exp %x fastmath<afn> : f32
    %b = arith.cmpf olt, %x, %x fastmath<nnan> : f32
    %s, %c = math.sincos %x fastmath<ninf> : f32
    """
    found = terms("%x: f32", ops, "%a : f32", "%b : i1", "%s : f32", "%c : f32")
    assert [dict(t.attrs)["fastmath"] for t in found] == ["afn", "nnan", "ninf", "ninf"]
    assert [t.op for t in found] == ["math.exp", "arith.cmpf", "math.sin", "math.cos"]


def test_rounding_modes() -> None:
    (up,) = terms("%x: f64", "%r = arith.truncf %x upward : f64 to f32", "%r : f32")
    (nearest,) = terms("%x: f64", "%r = arith.truncf %x to_nearest_even : f64 to f32", "%r : f32")
    assert up.attrs == (("rounding", "upward"),) and nearest.attrs == ()
    assert refused("%x: f64", "  %r = arith.mulf %x, %x upward : f64") == (
        "t.mlir:2:8: op `arith.mulf`: the rounding mode `upward` is not supported"
    )


# Constants


def test_constants() -> None:
    ops = """
    %a = arith.constant -3 : i8
    %b = index.constant -3
    %c = index.bool.constant true
    %d = arith.constant -0.0 : bf16
    %e = arith.constant 0xFFFF : f16
    %t = arith.constant true
    """
    found = terms("", ops, "%a : i8", "%b : index", "%c : i1", "%d : bf16", "%e : f16", "%t : i1")
    assert [t.attr("value") for t in found] == [253, -3, 1, (-0.0).hex(), "nan", 1]


def test_which_nan_a_constant_is() -> None:
    """The usual NaN is one term, whatever made it; any other is a term of its own."""
    ops = "".join(
        f"%c{k} = arith.constant {v} : f32\n" for k, v in enumerate(("0x7FC00000", "0x7FC00001", "0xFFC00000"))
    )
    usual, payload, negative = terms("", ops, *(f"%c{k} : f32" for k in range(3)))
    assert usual.attrs == (("value", "nan"),) and len({usual, payload, negative}) == 3


def test_poison() -> None:
    (term,) = terms("", "%r = ub.poison : f32", "%r : f32")
    assert (term.op, term.args) == ("ub.poison", ())


def test_refusals_of_formats() -> None:
    message = "t.mlir:2:8: op `arith.scaling_extf`: block-scaled formats (OCP MX) are not supported"
    assert refused("%x: f16, %s: f16", "  %r = arith.scaling_extf %x, %s : f16, f16 to f32") == message


# The index dialect

INDEX_BINARY = sorted(set(SYNONYMS) - {"index.cmp", "index.casts", "index.castu"})


@pytest.mark.parametrize("op", INDEX_BINARY)
def test_an_op_of_index_is_the_one_of_arith(op: str) -> None:
    arguments = "%a: index, %b: index"
    ops = f"%r = {op} %a, %b\n%s = {SYNONYMS[op]} %a, %b : index"
    found = terms(arguments, ops, "%r : index", "%s : index")
    assert found[0] is found[1] and found[0].op in OPERATORS


@pytest.mark.parametrize("predicate", ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"))
def test_index_cmp(predicate: str) -> None:
    ops = f"%r = index.cmp {predicate}(%a, %b)\n%s = arith.cmpi {predicate}, %a, %b : index"
    found = terms("%a: index, %b: index", ops, "%r : i1", "%s : i1")
    assert found[0] is found[1] and found[0].attr("predicate") == predicate


def test_index_casts() -> None:
    ops = """
    %a = index.casts %i : index to i8
    %b = index.castu %a : i8 to index
    %c = index.casts %a : i8 to index
    """
    assert run("%i: index", ops, ("%a : i8", "%b : index", "%c : index"), -56) == (200, 200, -56)


@pytest.mark.parametrize(
    ("op", "left", "right", "expected"),
    [
        # the reference's own examples
        ("ceildivs", 7, -2, -3),
        ("ceildivu", 6, -2, 1),
        ("divs", 6, -2, -3),
        ("divu", 6, -2, 0),
        ("floordivs", 5, -2, -3),
        ("maxs", -2, 6, 6),
        ("maxu", -2, 6, -2),
        ("mins", -2, 6, -2),
        ("minu", -2, 6, 6),
        ("rems", 6, -2, 0),
        ("remu", 6, -2, 6),
        # and what is undefined, or shifts
        ("divs", -(1 << 63), -1, "undefined"),
        ("remu", 1, 0, "undefined"),
        ("shrs", -8, 1, -4),
        ("shru", -8, 1, (1 << 63) - 4),
    ],
)
def test_index_arithmetic(op: str, left: int, right: int, expected: int | str) -> None:
    found = run("%a: index, %b: index", f"%r = index.{op} %a, %b", ("%r : index",), left, right)
    assert found == (expected if isinstance(expected, str) else (expected,))


# An index as digits


def digits(index: int, radices: tuple[int, ...]) -> tuple[int, ...]:
    """By the definition: the last radix first."""
    found: list[int] = []
    for radix in reversed(radices):
        index, digit = divmod(index, radix)
        found.append(digit)
    return (index, *reversed(found))


DELINEARIZE = [
    ("%i into (3, 4)", (3, 4), None),
    ("%i into (5, 3, 4)", (3, 4), 5),
    ("%i into (%n, 4)", ("n", 4), None),
    ("%i into (%n, %m)", ("n", "m"), None),
    ("%i into (%m, 3, %n)", (3, "n"), "m"),
]


@pytest.mark.one_in(4)
@pytest.mark.parametrize(("written", "radices", "bound"), DELINEARIZE)
def test_delinearize_index(written: str, radices: tuple[int | str, ...], bound: int | str | None) -> None:
    ops = f"%r:3 = affine.delinearize_index {written} : index, index, index"
    results = tuple(f"%r#{k} : index" for k in range(3))
    for index, n, m in itertools.product((-13, -1, 0, 5, 11, 12, 59, 60), (1, 2, 5), (1, 7)):
        named = {"n": n, "m": m}
        inner = tuple(named[r] if isinstance(r, str) else r for r in radices)
        expected = digits(index, inner)
        outer = named[bound] if isinstance(bound, str) else bound
        outside = outer is not None and not 0 <= expected[0] < outer
        found = run("%i: index, %n: index, %m: index", ops, results, index, n, m)
        assert found == ((POISON,) * 3 if outside else expected), (written, index, n, m)


@pytest.mark.parametrize(("n", "m"), ((0, 1), (-3, 1), (2, 0), (-2, -3)))
def test_a_basis_that_is_not_positive_is_undefined(n: int, m: int) -> None:
    """Also where the product of the basis is positive."""
    ops = "%r:3 = affine.delinearize_index %i into (%n, %m) : index, index, index"
    assert run("%i: index, %n: index, %m: index", ops, ("%r#0 : index",), 12, n, m) == "undefined"


def test_delinearize_index_with_one_result() -> None:
    assert run("%i: index", "%r = affine.delinearize_index %i into () : index", ("%r : index",), -4) == (-4,)
    ops = "%r = affine.delinearize_index %i into (8) : index"
    assert run("%i: index", ops, ("%r : index",), 7) == (7,)
    assert run("%i: index", ops, ("%r : index",), 8) == (POISON,)


@pytest.mark.one_in(4)
def test_linearize_index() -> None:
    arguments, results = "%x: index, %y: index, %z: index, %n: index", ("%r : index",)
    for x, y, z, n in itertools.product((-2, 0, 3), (-1, 0, 2, 4), (0, 4, 5), (1, 3)):
        plain = run(arguments, "%r = affine.linearize_index [%x, %y, %z] by (%n, 5) : index", results, x, y, z, n)
        assert plain == ((x * n + y) * 5 + z,)
        outer = run(arguments, "%r = affine.linearize_index [%x, %y, %z] by (2, %n, 5) : index", results, x, y, z, n)
        assert outer == plain
        ops = "%r = affine.linearize_index disjoint [%x, %y, %z] by (2, %n, 5) : index"
        within = x < 2 and 0 <= y < n and 0 <= z < 5
        found = run(arguments, ops, results, x, y, z, n)
        assert found == (plain if within else (POISON,)), (x, y, z, n)


# Completeness


def test_a_flag_of_another_version_of_mlir_is_refused() -> None:
    """Here it is an attribute that any op may have: it neither licenses anything nor makes poison."""
    with pytest.raises(Unsupported) as problem:
        terms("%x: i8, %y: i8", "%r = arith.ori %x, %y {isDisjoint} : i8", "%r : i8")
    assert "`isDisjoint` is no attribute of it" in problem.value.text


def test_every_op_of_the_scalar_dialects_is_read() -> None:
    """Each op that this version of MLIR has is read, or refused with a reason of its own."""
    modules = (_arith_ops_gen, _index_ops_gen, _math_ops_gen, _ub_ops_gen)
    names = {c.OPERATION_NAME for m in modules for c in vars(m).values() if hasattr(c, "OPERATION_NAME")}
    assert len(names) > 120
    assert names <= set(HANDLERS)
