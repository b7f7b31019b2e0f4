"""Greedy rewriting: order, guards, types, uses, effects, blocks, what ends it, and what introduced ops stand for."""

from __future__ import annotations

import pytest

from hecv.base.diagnostics import InputError
from hecv.mlir.ssa.ssa_printer import text
from hecv.patterns.calculus.pattern_ast import RuleFile
from hecv.rewrite.greedy_rewriting import Endless, Rewritten, rewrite
from hecv.rewrite.rewrite_limits import Watch

from .programs import body, program, rules

KIND = "tensor<4xf32>"

HALF = rules(
    """
    @pattern
    def half(x):
        return arith.divf(x, 2.0)

    @pattern
    def half(x):
        return arith.mulf(x, 0.5)

    @rule(half)
    def half_to_mul(x):
        return arith.mulf(x, 0.5)
    """
)


def rewritten(file: RuleFile, arguments: str, ops: str, *results: str, others: str = "") -> tuple[Rewritten, list[str]]:
    """How rewriting went, and the ops that are left."""
    found = program(arguments, ops, *results, file=file, others=others)
    outcome = rewrite(found, file)
    return outcome, body(text(found))


def test_a_rule_that_changes_nothing_is_not_applied() -> None:
    """The second alternate is what the rule makes: it is left as it is, and rewriting ends."""
    ops = "%two = arith.constant 2.0 : f32\n%y = arith.divf %x, %two : f32\n%z = arith.negf %y : f32"
    outcome, left = rewritten(HALF, "%x: f32", ops, "%z : f32")
    assert outcome.uses == {"half-to-mul": 1} and outcome.endless is None and not outcome.notes
    assert left == [
        "%cst = arith.constant 5.000000e-01 : f32",
        "%y = arith.mulf %x, %cst : f32",
        "%z = arith.negf %y : f32",
        "return %z : f32",
    ]


@pytest.mark.parametrize(
    ("kind", "literal"), [("tensor<2x3xf16>", "dense<2.0>"), ("vector<4xf64>", "dense<2.0>"), ("bf16", "2.0")]
)
def test_literals_have_the_type_of_their_neighbours(kind: str, literal: str) -> None:
    ops = f"%two = arith.constant {literal} : {kind}\n%y = arith.divf %x, %two : {kind}"
    outcome, left = rewritten(HALF, f"%x: {kind}", ops, f"%y : {kind}")
    assert outcome.uses == {"half-to-mul": 1}
    assert f"%y = arith.mulf %x, %cst : {kind}" in left and left[0].endswith(f": {kind}") and "5.0" in left[0]


def test_the_first_rule_in_the_file_wins() -> None:
    file = rules(
        """
        @pattern
        def double(x):
            return arith.addi(x, x)

        @rule(double)
        def narrow_only(x):
            if x.width <= 8: return arith.muli(x, 2)

        @rule(double)
        def by_shift(x):
            return arith.shli(x, 1)
        """
    )
    for width, name in ((8, "muli"), (32, "shli")):
        outcome, left = rewritten(file, f"%x: i{width}", f"%y = arith.addi %x, %x : i{width}", f"%y : i{width}")
        assert list(outcome.uses) == ["narrow-only" if width == 8 else "by-shift"]
        assert left[1].startswith(f"%y = arith.{name} %x,")


def test_the_first_pattern_in_the_file_wins() -> None:
    """Whatever the order of their rules."""
    file = rules(
        """
        @pattern
        def double(x):
            return arith.muli(x, 2)

        @pattern
        def product(x, y):
            return arith.muli(x, y)

        @rule(product)
        def turn(x, y):
            return arith.addi(x, y)

        @rule(double)
        def by_shift(x):
            return x << 1

        @law
        def square(x):
            return arith.muli(x, x), x
        """
    )
    assert [rule.name for rule in file.rules] == ["by-shift", "turn", "square"]
    ops = "%two = arith.constant 2 : i8\n%y = arith.muli %x, %two : i8\n%z = arith.muli %x, %y : i8"
    outcome, _ = rewritten(file, "%x: i8", ops, "%z : i8")
    assert outcome.uses == {"by-shift": 1, "turn": 1}


def test_inner_values_with_other_uses_stay() -> None:
    file = rules(
        """
        @op("my.fused")
        def fused(x, y): ...

        @pattern
        def product(x, y):
            return tosa.exp(tosa.add(x, y))

        @rule(product)
        def fuse(x, y):
            return fused(x, y)
        """
    )
    kind = "tensor<4xf32>"
    pair = f"({kind}, {kind}) -> {kind}"
    ops = f"%s = tosa.add %x, %y : {pair}\n%e = tosa.exp %s : ({kind}) -> {kind}"
    outcome, left = rewritten(file, f"%x: {kind}, %y: {kind}", ops, f"%e : {kind}", f"%s : {kind}")
    assert outcome.uses == {"fuse": 1}
    assert left[:2] == [f"%s = tosa.add %x, %y : {pair}", f'%e = "my.fused"(%x, %y) : {pair}']
    outcome, left = rewritten(file, f"%x: {kind}, %y: {kind}", ops, f"%e : {kind}")
    assert left[0] == f'%e = "my.fused"(%x, %y) : {pair}'


def test_rewriting_without_end_is_stopped_and_named() -> None:
    file = rules(
        """
        @pattern
        def plus(x, y):
            return arith.addi(x, y)

        @rule(plus)
        def turn(x, y):
            return arith.addi(y, x)
        """
    )
    found = program("%x: i8, %y: i8", "%z = arith.addi %x, %y : i8", "%z : i8")
    outcome = rewrite(found, file, most=50)
    assert outcome.endless is not None and outcome.endless.rules == ("turn",) and outcome.endless.rewrites == 50


def test_blocks_at_any_depth_and_patterns_within_one() -> None:
    """The square is made in the loop, its root outside: no match; both in the loop: a match, with an outer operand."""
    file = rules(
        """
        @pattern
        def negated(x):
            return arith.negf(arith.negf(x))

        @rule(negated)
        def twice(x):
            return x
        """
    )
    loop = """
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %o = arith.negf %x : f32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (f32) {
      %across = arith.negf %o : f32
      %p = arith.negf %a : f32
      %q = arith.negf %p : f32
      %s = arith.addf %q, %across : f32
      scf.yield %s : f32
    }
    """
    outcome, left = rewritten(file, "%x: f32, %n: index", loop, "%r : f32")
    assert outcome.uses == {"twice": 1}
    assert "%s = arith.addf %a, %across : f32" in left and "%across = arith.negf %o : f32" in left


def test_what_is_not_declared_passes_through() -> None:
    ops = (
        '%u = "some.op"(%x) {note = [1, "a"], flag} : (f32) -> f32\n'
        "%two = arith.constant 2.0 : f32\n%y = arith.divf %u, %two : f32\n"
        '"some.effect"(%y) ({\n^bb0(%k: index):\n  "some.end"(%k) : (index) -> ()\n}) : (f32) -> ()'
    )
    outcome, left = rewritten(HALF, "%x: f32", ops, "%y : f32")
    assert outcome.uses == {"half-to-mul": 1}
    assert '%u = "some.op"(%x) {flag, note = [1, "a"]} : (f32) -> f32' in left
    assert '"some.effect"(%y) ({' in left and '"some.end"(%k) : (index) -> ()' in left


def test_what_is_in_an_op_that_is_not_declared_is_not_rewritten() -> None:
    """What the op makes of its regions is not known; what these take from outside is rewritten."""
    half = "arith.divf %{}, %two : f32"
    ops = (
        f"%two = arith.constant 2.0 : f32\n%y = {half.format('x')}\n"
        f'%r = "some.op"(%y) ({{\n^bb0(%k: f32):\n%z = {half.format("k")}\n%s = arith.addf %z, %y : f32\n'
        f'"some.end"(%s) : (f32) -> ()\n}}) : (f32) -> f32\n%w = {half.format("r")}'
    )
    outcome, left = rewritten(HALF, "%x: f32", ops, "%w : f32")
    assert outcome.uses == {"half-to-mul": 2}
    assert "%z = arith.divf %k, %two : f32" in left and "%s = arith.addf %z, %y : f32" in left
    assert [line for line in left if "mulf" in line] == [
        "%y = arith.mulf %x, %cst : f32",
        "%w = arith.mulf %r, %cst_0 : f32",
    ]


EFFECTS = rules(
    """
    @op("my.load_exp")
    def load_exp(x): ...

    @pattern
    def applied(x):
        return tosa.exp(x)

    @rule(applied)
    def fuse(x):
        return load_exp(x)

    @op("my.twice")
    def twice(x): ...

    @pattern
    def read(x):
        y = var()
        assert y.op == "some.read"
        y <= some_read(x)
        return tosa.log(y)

    @op("some.read", effects=True)
    def some_read(x): ...

    @rule(read)
    def move_read(x):
        return twice(x)
    """
)


def test_a_match_with_effects_is_left_alone() -> None:
    """What reads memory would be moved to where the introduced op stands, past the store between."""
    kind = "tensor<4xf32>"
    ops = (
        f'%v = "some.read"(%x) : ({kind}) -> {kind}\n"some.write"(%x) : ({kind}) -> ()\n'
        f"%y = tosa.log %v : ({kind}) -> {kind}"
    )
    outcome, left = rewritten(EFFECTS, f"%x: {kind}", ops, f"%y : {kind}")
    assert not outcome.uses and "%y = tosa.log %v" in left[2]
    (note,) = outcome.notes
    assert "'move-read' is not applied here: `some.read` in the match may have effects" in note.message
    assert note.location is not None and note.location.line == 4


def test_an_op_with_effects_is_not_made() -> None:
    file = rules(
        """
        @op("some.read", effects=True)
        def some_read(x): ...

        @pattern
        def log(x):
            return tosa.log(x)

        @rule(log)
        def read_instead(x):
            return some_read(x)
        """
    )
    outcome, left = rewritten(file, f"%x: {KIND}", f"%y = tosa.log %x : ({KIND}) -> {KIND}", f"%y : {KIND}")
    assert not outcome.uses and left[0].startswith("%y = tosa.log %x")
    assert "`some.read` in the replacement may have effects" in outcome.notes[0].message


def test_effects_keep_their_order() -> None:
    kind = "tensor<4xf32>"
    ops = (
        f'%v = "some.read"(%x) : ({kind}) -> {kind}\n%y = tosa.exp %v : ({kind}) -> {kind}\n'
        f'"some.write"(%y) : ({kind}) -> ()\n%w = "some.read"(%x) : ({kind}) -> {kind}\n'
        f"%z = tosa.exp %w : ({kind}) -> {kind}"
    )
    outcome, left = rewritten(EFFECTS, f"%x: {kind}", ops, f"%z : {kind}")
    assert outcome.uses == {"fuse": 2}
    assert [line.split('"')[1] for line in left[:-1]] == [
        *("some.read", "my.load_exp", "some.write", "some.read", "my.load_exp"),
    ]


def test_a_dead_read_is_not_erased() -> None:
    """An op that is not known to have no effects stays when what used it is replaced."""
    file = rules(
        """
        @pattern
        def nothing(x):
            return arith.muli(x, 0)

        @rule(nothing)
        def zero(x):
            return arith.subi(0, 0)
        """
    )
    ops = '%v = "some.read"() : () -> i8\n%c = arith.constant 0 : i8\n%y = arith.muli %v, %c : i8'
    outcome, left = rewritten(file, "", ops, "%y : i8")
    assert outcome.uses == {"zero": 1} and '%v = "some.read"() : () -> i8' in left
    assert not any("muli" in line for line in left)


@pytest.mark.parametrize(
    ("replacement", "message"),
    [
        (
            "tosa.cast(x, type='tensor<4xf16>')",
            "puts a value of type tensor<4xf16> in place of one of type tensor<4xf32>",
        ),
        ("tosa.exp(x, type='tensor<5xf32>')", "makes an op that is none: 'tosa.exp' op requires the same shape"),
        ("tosa.exp(x, type='no type')", "makes an op that is none: `no type` is no type"),
    ],
)
def test_what_is_no_replacement_is_an_error_at_the_rule(replacement: str, message: str) -> None:
    file = rules(
        f"""
        @pattern
        def log(x):
            return tosa.log(x)

        @rule(log)
        def wrong(x):
            return {replacement}
        """
    )
    with pytest.raises(InputError) as caught:
        rewritten(
            file, "%x: tensor<4xf32>", "%y = tosa.log %x : (tensor<4xf32>) -> tensor<4xf32>", "%y : tensor<4xf32>"
        )
    (diagnostic,) = caught.value.diagnostics
    assert message in diagnostic.message and "'wrong'" in diagnostic.message
    assert diagnostic.location is not None and diagnostic.location.file == "r.py"


FUSED = rules(
    """
    @op
    def kernel(x, y): ...

    @pattern
    def sum(x, y):
        return tosa.exp(tosa.add(x, y))

    @rule(sum)
    def by_kernel(x, y):
        return kernel(x, y)

    @op("my.chain")
    def chain(x, *, depth): ...

    @pattern
    def first(x):
        return tosa.tanh(tosa.tanh(x))

    @rule(first)
    def begin(x):
        return chain(x, depth=2)

    @pattern
    def longer(x, g):
        g <= chain(x)
        return tosa.tanh(g)

    @rule(longer)
    def extend(x, g):
        return chain(x, depth=g.depth + 1)
    """
)
ADD = f"tosa.add %x, %y : ({KIND}, {KIND}) -> {KIND}"


def test_a_function_is_called_by_a_declaration_for_its_type() -> None:
    other = "tensor<8xf32>"
    ops = (
        f"%s = {ADD}\n%e = tosa.exp %s : ({KIND}) -> {KIND}\n"
        f"%t = tosa.add %u, %u : ({other}, {other}) -> {other}\n%g = tosa.exp %t : ({other}) -> {other}"
    )
    taken = f"func.func private @kernel__1({KIND}) -> {KIND}"
    found = program(
        f"%x: {KIND}, %y: {KIND}, %u: {other}", ops, f"%e : {KIND}", f"%g : {other}", file=FUSED, others=taken
    )
    assert rewrite(found, FUSED).uses == {"by-kernel": 2}
    printed = text(found)
    assert "%e = call @kernel(%x, %y)" in printed and "%g = call @kernel__2(%u, %u)" in printed
    assert f"func.func private @kernel({KIND}, {KIND}) -> {KIND}" in printed
    assert f"func.func private @kernel__2({other}, {other}) -> {other}" in printed
    expanded = text(found, found.meanings)
    assert "@kernel(" not in expanded and "@kernel__2" not in expanded and "@kernel__1" in expanded
    assert body(expanded)[:4] == [
        f"%s = {ADD}",
        f"%e = tosa.exp %s : ({KIND}) -> {KIND}",
        f"%t = tosa.add %u, %u : ({other}, {other}) -> {other}",
        f"%g = tosa.exp %t : ({other}) -> {other}",
    ]


def test_an_introduced_op_may_stand_for_introduced_ops() -> None:
    """What it stands for is written out to the last."""
    ops = "\n".join(
        f"%{name} = tosa.tanh %{of} : ({KIND}) -> {KIND}" for of, name in zip("xabcd", "abcde", strict=True)
    )
    found = program(f"%x: {KIND}", ops, f"%e : {KIND}", file=FUSED)
    assert rewrite(found, FUSED).uses == {"begin": 1, "extend": 3}
    assert body(text(found))[0] == f'%e = "my.chain"(%x) {{depth = 5 : i64}} : ({KIND}) -> {KIND}'
    assert sum("tosa.tanh" in line for line in body(text(found, found.meanings))) == 5


def test_a_match_of_which_the_op_is_not_given_all() -> None:
    """It is replaced, and nothing can show that this is right."""
    file = rules(
        """
        @op("my.only_x")
        def only_x(x): ...

        @pattern
        def sum(x, y):
            return tosa.exp(tosa.add(x, y))

        @rule(sum)
        def forget(x, y):
            return only_x(x)
        """
    )
    ops = f"%s = {ADD}\n%e = tosa.exp %s : ({KIND}) -> {KIND}"
    found = program(f"%x: {KIND}, %y: {KIND}", ops, f"%e : {KIND}", file=file)
    outcome = rewrite(found, file)
    assert outcome.uses == {"forget": 1} and not found.meanings
    assert "it is not given %y" in outcome.notes[0].message


def test_one_op_stands_for_one_function() -> None:
    """Two spellings, one op: written out as the first, so that the check has to show the second equal to it."""
    file = rules(
        """
        @op("my.scaled")
        def scaled(x): ...

        @pattern
        def scale(x):
            return tosa.mul(x, 2.0, 0)

        @pattern
        def scale(x):
            return tosa.add(x, x)

        @rule(scale)
        def fuse(x):
            return scaled(x)
        """
    )
    ops = (
        '%z = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>\n'
        '%two = "tosa.const"() <{values = dense<2.0> : tensor<1xf32>}> : () -> tensor<1xf32>\n'
        f"%m = tosa.mul %x, %two, %z : ({KIND}, tensor<1xf32>, tensor<1xi8>) -> {KIND}\n"
        f"%a = tosa.add %m, %m : ({KIND}, {KIND}) -> {KIND}"
    )
    found = program(f"%x: {KIND}", ops, f"%a : {KIND}", file=file)
    outcome = rewrite(found, file)
    assert outcome.uses == {"fuse": 2} and outcome.spellings == {"fuse": 1}
    assert "`my.scaled` stands for something else here than at" in outcome.notes[0].message
    assert sum("tosa.mul" in line for line in body(text(found, found.meanings))) == 2
    own = body(text(found, found.meanings | found.replaced))
    assert sum("tosa.mul" in line for line in own) == 1 and sum("tosa.add" in line for line in own) == 1


def test_linalg_gets_its_payload() -> None:
    file = rules(
        """
        @pattern
        def twice(x, out):
            return linalg.exp(linalg.log(x, out), out)

        @rule(twice)
        def once(x, out):
            return linalg.negf(x, out)
        """
    )
    ops = (
        f"%e = tensor.empty() : {KIND}\n%l = linalg.log ins(%x : {KIND}) outs(%e : {KIND}) -> {KIND}\n"
        f"%m = linalg.exp ins(%l : {KIND}) outs(%e : {KIND}) -> {KIND}"
    )
    outcome, left = rewritten(file, f"%x: {KIND}", ops, f"%m : {KIND}")
    assert outcome.uses == {"once": 1}
    assert left[1] == f"%m = linalg.negf ins(%x : {KIND}) outs(%e : {KIND}) -> {KIND}"


def test_an_op_that_the_input_has_stands_for_no_match() -> None:
    """What it means there is not known to be what the rule replaces by it."""
    file = rules(
        """
        @op("my.f", type="x")
        def f(x): ...
        @pattern
        def p(x): return arith.negf(x)
        @rule(p)
        def r(x): return f(x)
        """
    )
    for first, known in (("arith.addf %x, %x : f32", True), ('"my.f"(%x) : (f32) -> f32', False)):
        found = program("%x: f32", f"%a = {first}\n%b = arith.negf %x : f32", "%a : f32", "%b : f32", file=file)
        outcome = rewrite(found, file)
        assert outcome.uses == {"r": 1}
        assert bool(found.meanings) is known and any("the input has" in n.message for n in outcome.notes) is not known


def test_a_result_that_nothing_uses_is_left_alone() -> None:
    """The op stays for its other result; rewriting the sum again and again would not end."""
    file = rules(
        """
        @pattern
        def low(x, y):
            total, carry = arith.addui_extended(x, y)
            return total

        @rule(low)
        def plain_sum(x, y):
            return x + y
        """
    )
    ops = "%s, %c = arith.addui_extended %x, %y : i32, i1"
    outcome, left = rewritten(file, "%x: i32, %y: i32", ops, "%s : i32", "%c : i1")
    assert outcome.uses == {"plain-sum": 1} and outcome.endless is None
    assert [line.partition(" = ")[2].split()[0] for line in left[:-1]] == ["arith.addi", "arith.addui_extended"]


def test_a_replacement_has_an_op_once() -> None:
    """Both results of one op, and a part that stands there twice."""
    file = rules(
        """
        @pattern
        def parts(x, y):
            low, high = arith.mului_extended(x, y)
            return low + high

        @rule(parts)
        def turned(x, y):
            low, high = arith.mului_extended(y, x)
            return (low ^ (x - y)) | (high ^ (x - y))
        """
    )
    ops = "%l, %h = arith.mului_extended %x, %y : i32\n%s = arith.addi %l, %h : i32"
    _, left = rewritten(file, "%x: i32, %y: i32", ops, "%s : i32")
    kinds = [line.partition(" = ")[2].split()[0].partition(".")[2] for line in left[:-1]]
    assert kinds == ["mului_extended", "subi", "xori", "xori", "ori"]


GROWING = """
@pattern
def total(x, y):
    return x + y

@rule(total)
def grow(x, y):
    return (x + y) + 0
"""


def test_time_is_a_limit() -> None:
    file = rules(GROWING)
    ops = "%a = arith.addi %x, %y : i32"
    found = program("%x: i32, %y: i32", ops, "%a : i32", file=file)
    outcome = rewrite(found, file, watch=Watch(deadline=0.0))
    assert outcome.endless is not None and outcome.endless.limit == "time-limit" and outcome.endless.rules == ("grow",)
    assert 0 < outcome.endless.rewrites < 100


def test_memory_is_a_limit() -> None:
    file = rules(GROWING)
    found = program("%x: i32, %y: i32", "%a = arith.addi %x, %y : i32", "%a : i32", file=file)
    outcome = rewrite(found, file, watch=Watch(megabytes=1))
    assert outcome.endless is not None and outcome.endless.limit == "memory-limit"


def test_a_long_program_may_have_many_rewrites() -> None:
    """Each op is rewritten once: more rewrites than a rule that does not end may have in a short program."""
    file = rules(
        """
        @pattern
        def negated(x):
            return arith.negf(x)

        @rule(negated)
        def by_product(x):
            return arith.mulf(x, -1.0)
        """
    )
    ops = "\n".join(f"%y{k} = arith.negf %x : f32" for k in range(50))
    found = program("%x: f32", ops, "%y0 : f32", file=file)
    outcome = rewrite(found, file, 20)
    assert outcome.endless == Endless(("by-product",), 20, again=False)
    assert rewrite(program("%x: f32", ops, "%y0 : f32", file=file), file).uses == {"by-product": 50}


def test_what_grows_is_not_compared_to_its_end() -> None:
    """Sums of what each rewrite made: to look for a change in all that is below took a power of their number."""
    file = rules(GROWING)
    found = program("%x: i32, %y: i32", "%a = arith.addi %x, %y : i32", "%a : i32", file=file)
    outcome = rewrite(found, file, 600)
    assert outcome.endless == Endless(("grow",), 600)


NOT_WRAPPING = ("", " overflow<nsw>", " overflow<nuw>", " overflow<nsw, nuw>")


@pytest.mark.parametrize(
    ("body_", "applied"),
    [
        ("return arith.addi(x, y, overflow='nsw')", [False, True, False, False]),
        ("return arith.addi(x, y, overflow='nuw, nsw')", [False, False, False, True]),
        ("s = arith.addi(x, y); assert 'nsw' in s.overflow; return s", [False, True, False, True]),
        ("s = arith.addi(x, y); assert s.overflow == 'none'; return s", [True, False, False, False]),
        ("return arith.addi(x, y)", [True, True, True, True]),
    ],
)
def test_flags_are_one_attribute_and_asked_for_one_by_one_by_guards(body_: str, applied: list[bool]) -> None:
    lines = "".join(f"    {line}\n" for line in body_.split("; "))
    file = rules(f"@pattern\ndef total(x, y):\n{lines}@rule(total)\ndef less(x, y):\n    return arith.subi(x, y)\n")
    found = [
        rewritten(file, "%x: i32, %y: i32", f"%s = arith.addi %x, %y{flags} : i32", "%s : i32")[0].uses
        for flags in NOT_WRAPPING
    ]
    assert [uses == {"less": 1} for uses in found] == applied
