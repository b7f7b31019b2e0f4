"""What is wrong with a rule file is said at its line, with a way on."""

from __future__ import annotations

import importlib
from pathlib import Path
from textwrap import dedent, indent

import pytest

from hecv.base.diagnostics import InputError
from hecv.rule_files.rule_loader import declared, load, loads

HEAD = "from hecv.rules import *\n"


def problems(text: str) -> str:
    """All diagnostics, as `line:column name: message`, each with its help."""
    with pytest.raises(InputError) as raised:
        loads(HEAD + text, "R.py")
    lines: list[str] = []
    for found in raised.value.diagnostics:
        assert found.severity == "error" and found.location is not None and found.location.file == "R.py"
        lines.append(f"{found.location.line}:{found.location.column} {found.name}: {found.message}")
        lines += [] if found.help is None else [indent(found.help, "  ")]
    return "\n".join(lines)


def case(name: str, text: str, expected: str) -> object:
    return pytest.param(dedent(text).lstrip("\n"), dedent(expected).strip("\n"), id=name)


CASES = [
    case(
        "syntax",
        """
        @pattern
        def p(x)
            return x
        """,
        """
        3:9 syntax: expected ':'
          a rule file is Python
        """,
    ),
    case(
        "exception",
        """
        @pattern
        def p(x):
            y = 1 / 0
            return relu(x)
        """,
        """
        4:9 rule-file: ZeroDivisionError: division by zero
        """,
    ),
    case(
        "without-a-name",
        """
        p = pattern(lambda x: tosa.exp(x))
        q = pattern(lambda x: tosa.log(x))
        """,
        """
        2:5 bad-name: a pattern needs a name, and a lambda has none
          write it as a function: def ...
        """,
    ),
    case(
        "law-that-is-no-function",
        """
        @law
        class Sum:
            pass
        @law
        async def product(x):
            return x * 1, x
        """,
        """
        2:2 bad-name: @law is for a function, not a type
          write it as: def ...
        """,
    ),
    case(
        "async",
        """
        @law
        async def product(x):
            return x * 1, x
        """,
        """
        2:2 bad-name: @law is for a function, not an async function
          write it as: def ...
        """,
    ),
    case(
        "three-sides",
        """
        @law
        def chain(x):
            return x * 1, x + 0, x
        """,
        """
        3:1 no-pattern: a law returns a pair, not a tuple of 3
          return the two sides: `return x * 2, x << 1`
        """,
    ),
    case(
        "long-integer",
        """
        @law
        def far(x):
            return x + 10**5000, x
        """,
        """
        4:12 wrong-operand: an integer of 16,610 bits
          at most 4,096 are computed
        """,
    ),
    case(
        "unused-local",
        """
        @pattern
        def p(x):
            y = var()
            return arith.negf(x)
        """,
        """
        4:1 unbound-variable: 'y' is declared and never bound
          use it in the pattern that is returned, or remove it
        """,
    ),
    case(
        "unbound-local-other-dialect",
        """
        @pattern
        def p(x):
            y = var()
            y <= arith.negf(x)
            return arith.absf(x)
        """,
        """
        6:12 unknown-op: 'arith' has no op 'arith.absf' here
          did you mean math.absf? or declare it by @op('arith.absf')
        """,
    ),
    case(
        "unbound-local",
        """
        @pattern
        def p(x):
            y = var()
            y <= arith.negf(x)
            return math.absf(x)
        """,
        """
        4:1 unbound-variable: 'y' is never bound
          it stands in no part of the pattern that is returned, nor in one that such a part is constrained to
        """,
    ),
    case(
        "unbound-parameter",
        """
        @pattern
        def p(x, z):
            return math.absf(x)
        """,
        """
        3:1 unbound-variable: 'z' is never bound
          it stands in no part of the pattern that is returned, nor in one that such a part is constrained to
        """,
    ),
    case(
        "arity",
        """
        @pattern
        def p(x):
            return math.absf(x, x)
        """,
        """
        4:12 wrong-arity: 'math.absf' takes 1 operand, not 2
          attributes are keywords
        """,
    ),
    case(
        "unknown-attribute",
        """
        @pattern
        def p(x):
            assert x.eltType == "f32"
            return math.absf(x)
        """,
        """
        4:12 unknown-attribute: a value has no attribute 'eltType'
          did you mean 'elType' or 'type'?
        """,
    ),
    case(
        "unknown-attribute-of-op",
        """
        @pattern
        def p(x):
            y = tosa.transpose(x)
            assert y.permutation == (1, 0)
            return tosa.exp(y)
        """,
        """
        5:12 unknown-attribute: 'tosa.transpose' has no attribute 'permutation'
          there are: type, elType, width, shape, rank, value, op, uses, ...
        """,
    ),
    case(
        "cycle-left",
        """
        @pattern
        def p(x):
            return p(x)
        """,
        """
        3:1 left-recursion: `p` may come back to itself at the same value, which adds no match
          let it match an operator before it calls itself
        3:1 no-base-case: `p` matches nothing: each of its alternates goes on without end
          add an alternate that does not call it: a function of the same name
        """,
    ),
    case(
        "cycle-no-base",
        """
        @pattern
        def p(x):
            return math.absf(p(x))
        """,
        """
        3:1 no-base-case: `p` matches nothing: each of its alternates goes on without end
          add an alternate that does not call it: a function of the same name
        """,
    ),
    case(
        "cycle-mutual",
        """
        @pattern
        def p(x):
            return math.absf(q(x))
        @pattern
        def q(x):
            return p(x)
        """,
        """
        3:1 no-base-case: `p` matches nothing: each of its alternates goes on without end
          add an alternate that does not call it: a function of the same name
        6:1 no-base-case: `q` matches nothing: each of its alternates goes on without end
          add an alternate that does not call it: a function of the same name
        """,
    ),
    case(
        "returns-none",
        """
        @pattern
        def p(x):
            if x.rank == 2:
                return math.absf(x)
        """,
        """
        3:1 no-pattern: the pattern returns nothing
          every path ends with `return`; `assert` says where there is no match
        """,
    ),
    case(
        "rule-unknown-name",
        """
        @rule(nope)
        def r(x):
            return x
        """,
        """
        2:7 unknown-name: 'nope' is not defined
          did you mean 'op'?
        """,
    ),
    case(
        "rule-unknown-text",
        """
        @rule("nope")
        def r(x):
            return x
        """,
        """
        3:1 unknown-pattern: there is no pattern 'nope'
          there are none
        """,
    ),
    case(
        "rule-arity",
        """
        @pattern
        def p(x):
            return math.absf(x)
        @rule(p)
        def r(x, y):
            return y
        """,
        """
        6:1 wrong-arity: parameters: 1 of the pattern, 2 of the rule
          the pattern is p(x)
        """,
    ),
    case(
        "rule-local",
        """
        @pattern
        def p(x):
            return math.absf(x)
        @rule(p)
        def r(x):
            y = var()
            return y
        """,
        """
        7:9 match-in-rule: var() in a rule stands for nothing that is matched
          it has the parameters of its pattern: make this one of them
        """,
    ),
    case(
        "duplicate-law",
        """
        @law
        def a(x): return x + 0, x
        @law
        def a(x): return x * 1, x
        """,
        """
        5:1 name-taken: there are several rules 'a'
          verdicts name rules: rename one
        """,
    ),
    case(
        "law-of-the-book",
        """
        @law
        def addi_zero(x): return x + 0, x
        """,
        """
        3:1 name-taken: 'addi-zero' is a law of hecv
          see `hecv rules addi-zero`, and rename this one
        """,
    ),
    case(
        "law-unbound",
        """
        @law
        def a(x, y): return x + 0, x + y
        """,
        """
        3:1 unbound-variable: 'y' is never bound
          it stands in no part of the pattern that is returned, nor in one that such a part is constrained to
        """,
    ),
    case(
        "too-many-paths",
        """
        @pattern
        def p(x):
            for k in range(9):
                if x.shape[k] == 1: pass
                else:
                    if x.shape[k] == 2: x = math.absf(x)
            return math.absf(x)
        """,
        """
        3:1 too-many-branches: there are more than 256 ways through this body
          split the pattern into several
        """,
    ),
    case(
        "endless-loop",
        """
        @pattern
        def p(x):
            while x.rank > 1:
                pass
            return math.absf(x)
        """,
        """
        4:11 too-many-branches: a path asks more than 1,000 conditions
          bound loops by Python numbers; patterns repeat by calling themselves
        """,
    ),
    case(
        "contradiction",
        """
        @pattern
        def p(x):
            assert x.rank == 2
            assert x.rank == 3, "three"
            return math.absf(x)
        """,
        """
        5:12 guard-never-holds: 'p' never matches: three
          no way through the body ends with `return`: conditions exclude each other, or are false
        """,
    ),
    case(
        "len",
        """
        @pattern
        def p(x):
            assert len(x.shape) == 3
            return math.absf(x)
        """,
        """
        4:12 not-known-yet: len() is a number of Python's; attributes are known at a match only
          write x.rank instead of len(x.shape)
        """,
    ),
    case(
        "exit",
        """
        import sys
        sys.exit(3)
        """,
        """
        3:1 rule-file: the rule file ends the program
          a rule file declares patterns and rules
        """,
    ),
    case(
        "raises",
        """
        raise KeyError("oh")
        """,
        """
        2:1 rule-file: KeyError: 'oh'
        """,
    ),
    case(
        "value-compared",
        """
        @pattern
        def p(x):
            if x == 2: return math.absf(x)
            return x
        """,
        """
        4:8 values-compared: a value is compared with an int
          the same value is the same variable; compare attributes: x.shape == y.shape, x.value == 2
        """,
    ),
    case(
        "set",
        """
        @pattern
        def p(x):
            assert x.elType in {"f32", "f16"}
            return math.absf(x)
        """,
        """
        4:12 not-known-yet: sets and dictionaries look at once for what they have; attributes are known at a match only
          write a tuple: x.elType in ('f16', 'f32')
        """,
    ),
    case(
        "eltype-spelling",
        """
        @pattern
        def p(x):
            assert x.elType == "float32"
            return math.absf(x)
        """,
        """
        4:12 guard-never-holds: no type of elements is 'float32'
          types are as MLIR prints them: 'f16', 'f32', 'i8', 'index'
        """,
    ),
    case(
        "keyword",
        """
        @pattern
        def p(x):
            return arith.cmpi(x, x, predicat="slt")
        """,
        """
        4:12 unknown-attribute: 'arith.cmpi' has no attribute 'predicat'
          did you mean 'predicate'?
        """,
    ),
    case(
        "unknown-op",
        """
        @pattern
        def p(x):
            return tosa.reduce(x)
        """,
        """
        4:12 unknown-op: 'tosa' has no op 'tosa.reduce' here
          did you mean torch.aten.scatter.reduce? or declare it by @op('tosa.reduce')
        """,
    ),
    case(
        "unknown-torch-op",
        """
        @pattern
        def p(x):
            return torch.aten.softmx.int(x)
        """,
        """
        4:12 unknown-op: 'torch' has no op 'torch.aten.softmx' here
          did you mean torch.aten._softmax or torch.aten.stft? or declare it by @op('torch.aten.softmx')
        """,
    ),
    case(
        "unknown-op-outside",
        """
        x = tosa.relu
        """,
        """
        2:5 unknown-op: 'tosa' has no op 'tosa.relu' here
          did you mean torch.aten.relu? or declare it by @op('tosa.relu')
        """,
    ),
    case(
        "operators",
        """
        @pattern
        def p(x):
            return arith.addf(x * 0.5, x >> 1)
        """,
        """
        4:23 wrong-operand: 0.5 in integer arithmetic
          for floats there are arith.mulf and its like
        """,
    ),
    case(
        "wrong-sort",
        """
        @pattern
        def p(x, f):
            return arith.addf(f(x), f)
        """,
        """
        4:12 wrong-sort: 'f' is both a value and an operator
          a variable that is called, or is `in` a family, stands for an operator
        """,
    ),
    case(
        "match-as-condition",
        """
        @pattern
        def p(x, f):
            assert x <= math.absf(f)
            return f(x)
        """,
        """
        4:12 match-as-condition: `x <= p` is a statement, not a condition
          write it as a statement, on a line of its own; to branch, write one pattern for each case
        """,
    ),
    case(
        "star",
        """
        @pattern
        def p(*xs):
            return f(x)
        """,
        """
        2:2 parameters: '*xs' is no variable
          parameters are plain names without defaults
        """,
    ),
    case(
        "outside",
        """
        y = var()
        """,
        """
        2:5 outside-pattern: this means something in the body of a pattern or rule only
          write it in the body of a function with @pattern, @rule or @law
        """,
    ),
    case(
        "helper",
        """
        def helper(x):
            return x.foo
        @pattern
        def p(x):
            return math.absf(x) if helper(x) else x
        """,
        """
        3:12 unknown-attribute: a value has no attribute 'foo'
          there are: type, elType, width, shape, rank, value, op, uses, ...
        """,
    ),
    case(
        "caught",
        """
        @pattern
        def p(x):
            try:
                y = math.absf(x, x)
            except Exception:
                y = math.absf(x)
            return y
        """,
        """
        5:13 wrong-arity: 'math.absf' takes 1 operand, not 2
          attributes are keywords
        """,
    ),
    case(
        "several-results",
        """
        @pattern
        def p(x):
            a, b = math.absf(x)
            return a
        """,
        """
        4:5 one-result: this is one value, not several
          declare the op with results=2
        """,
    ),
    case(
        "text",
        """
        @pattern
        def p(x):
            assert x.type == f"tensor<{x.rank}xf32>"
            return math.absf(x)
        """,
        """
        4:12 not-known-yet: 'tensor<x.rankxf32>' is no text yet
          put text together with +, as in 'tensor<4x' + x.elType + '>'
        """,
    ),
    case(
        "op-twice",
        """
        @op("my.op")
        def q(x): ...
        @op("my.op")
        def q(x): ...
        """,
        """
        4:2 name-taken: the operator 'my.op' is declared twice
          give one of them another name
        """,
    ),
    case(
        "op-with-effects",
        """
        @op("memref.load")
        def load(m, i): ...
        """,
        """
        2:2 name-taken: 'memref.load' belongs to a dialect whose ops have effects
          a declared op is taken for a function of its operands: give it a name of your own, or effects=True
        """,
    ),
    case(
        "op-that-is-no-function",
        """
        @op("stablehlo.rng")
        def random(low, high, shape): ...
        """,
        """
        2:2 name-taken: 'stablehlo.rng' is no function of its operands
          a declared op is taken for a function of its operands: give it a name of your own, or effects=True
        """,
    ),
    case(
        "op-of-other-processes",
        """
        @op("mpi.allreduce")
        def sum_of_all(x): ...
        """,
        """
        2:2 name-taken: 'mpi.allreduce' belongs to a dialect whose ops have effects
          a declared op is taken for a function of its operands: give it a name of your own, or effects=True
        """,
    ),
    case(
        "alternates-arity",
        """
        @pattern
        def p(x): return math.absf(x)
        @pattern
        def p(x, y): return math.absf(x)
        """,
        """
        4:2 wrong-arity: alternates of 'p' take different numbers of parameters
          the first one is p(x)
        """,
    ),
    case(
        "returns-literal",
        """
        @pattern
        def p(x):
            return True
        """,
        """
        3:1 unbound-variable: 'x' is never bound
          it stands in no part of the pattern that is returned, nor in one that such a part is constrained to
        """,
    ),
    case(
        "returns-tuple",
        """
        @pattern
        def p(x):
            return x, x
        """,
        """
        3:1 no-pattern: the pattern returns a tuple
          a pattern is about one value; a pair is a @law
        """,
    ),
    case(
        "rule-before-pattern",
        """
        @rule(p)
        def r(x): ...
        """,
        """
        2:7 unknown-name: 'p' is not defined
          did you mean 'op'?
        """,
    ),
    case(
        "rule-empty",
        """
        @pattern
        def p(x): return math.absf(x)
        @rule(p)
        def r(x): ...
        """,
        """
        5:1 no-pattern: the rule replaces nothing
          return what a match becomes
        """,
    ),
    case(
        "rule-calls-pattern",
        """
        @pattern
        def p(x): return math.absf(x)
        @rule(p)
        def r(x): return p(x)
        """,
        """
        5:18 match-in-rule: the pattern 'p' cannot be built
          a rule builds operators on the variables of its pattern
        """,
    ),
    case(
        "local-of-no-family",
        """
        @pattern
        def p(x):
            f = fun(arith.addf)
            return f(x)
        """,
        """
        4:9 wrong-operand: an operator is no family of operators
          there are: unary_pointwise, binary_pointwise, pointwise, commutative, comparison, cast, layout, reduction, ...
        """,
    ),
    case(
        "attribute-of-shape",
        """
        @pattern
        def p(x):
            assert x.shape.ranks == 2
            return math.absf(x)
        """,
        """
        4:12 unknown-attribute: x.shape has no attribute 'ranks'
          did you mean 'rank'?
        """,
    ),
    case(
        "loop-over-shape",
        """
        @pattern
        def p(x):
            for extent in x.shape:
                assert extent == 1
            return math.absf(x)
        """,
        """
        4:5 not-known-yet: a loop needs to know how often it runs; attributes are known at a match only
          bound it by a Python number: range(4)
        """,
    ),
    case(
        "op-family",
        """
        @op(families=["unary"])
        def fast(x): ...
        """,
        """
        2:2 unknown-family: there is no family 'unary'
          there are: unary_pointwise, binary_pointwise, pointwise, commutative, comparison, cast, layout, reduction, ...
        """,
    ),
    case(
        "op-type",
        """
        @op(type="y")
        def fast(x): ...
        """,
        """
        2:2 parameters: there is no operand 'y'
          type is one of x
        """,
    ),
    case(
        "rule-of-nothing",
        """
        @rule
        def r(x):
            return x
        """,
        """
        2:2 unknown-pattern: this rule is for no pattern
          name the pattern: @rule(half), where half is a function with @pattern
        """,
    ),
    case(
        "pattern-and-law",
        """
        @pattern
        def half(x):
            return arith.mulf(x, 0.5)
        @law
        def half(x):
            return x + x, x * 2
        """,
        """
        6:1 name-taken: 'half' is a pattern, too
          rename one of them
        """,
    ),
    case(
        "law-without-name",
        """
        @law
        def _(x):
            return x + x, x * 2
        """,
        """
        2:2 bad-name: '-' names no law: letters, digits and hyphens do
          name the function, or write @law('muli-two')
        """,
    ),
    case(
        "law-of-one-side",
        """
        @law
        def doubled(x):
            return x + x
        """,
        """
        3:1 no-pattern: a law returns a pair, not a value of the graph
          return the two sides: `return x * 2, x << 1`
        """,
    ),
    case(
        "function-arity",
        """
        @pattern
        def p(x, f):
            return f(f(x), x)
        """,
        """
        3:1 function-arity: `f` of `p` is an operator of 1 and 2 operands
          one variable stands for operators with one number of operands
        """,
    ),
    case(
        "wrong-argument",
        """
        @pattern
        def q(x, f):
            return f(x)
        @pattern
        def p(x):
            return q(x, arith.negf(x))
        """,
        """
        6:1 wrong-sort: `v` of `p` stands for a value and is used as the other kind
          a variable that is called stands for an operator, any other for a value
        """,
    ),
    case(
        "function-as-value",
        """
        @pattern
        def p(x, f):
            return f(x)
        @rule(p)
        def r(x, f):
            return arith.negf(f)
        """,
        """
        6:1 wrong-sort: 'f' is an operator in the pattern
          call it: f(x)
        """,
    ),
    case(
        "rule-of-family",
        """
        @pattern
        def p(x):
            return math.absf(x)
        @rule(p)
        def r(x):
            return unary_pointwise(x)
        """,
        """
        7:12 match-in-rule: a rule does not know which operator of 'unary_pointwise' to build
          name the operator by a function variable of the pattern
        """,
    ),
    case(
        "rule-asks-what-it-builds",
        """
        @pattern
        def p(x):
            return math.absf(x)
        @rule(p)
        def r(x):
            y = arith.negf(x)
            if y.rank == 2:
                return y
        """,
        """
        8:8 not-known-yet: .rank of what the rule builds is not known yet
          ask the variables of the pattern
        """,
    ),
    case(
        "rule-of-text",
        """
        @pattern
        def p(x):
            return math.absf(x)
        @rule(p)
        def r(x):
            return "x"
        """,
        """
        6:1 no-pattern: a str replaces nothing
          return an operator, variable or number
        """,
    ),
    case(
        "value-as-condition",
        """
        @pattern
        def p(x):
            if x:
                return math.absf(x)
            return x
        """,
        """
        4:5 value-as-condition: a value is no condition
          ask for an attribute, as in x.value == 1, or compare literals by arith.cmpi
        """,
    ),
    case(
        "unsteady",
        """
        import random
        @pattern
        def p(x):
            if x.shape[random.randrange(10**9)] == 1:
                return math.absf(x)
            return x
        """,
        """
        4:1 unsteady-body: the body asks other conditions when it is run again
          it may depend on its parameters only: no random numbers, no state that it changes
        """,
    ),
    case(
        "text-operand",
        """
        @pattern
        def p(x):
            return arith.addf(x, "1.0")
        """,
        """
        4:12 wrong-operand: a str is no value
          operands are variables, parts and numbers
        """,
    ),
    case(
        "operator-operand",
        """
        @pattern
        def p(x):
            return arith.addf(x, arith.negf)
        """,
        """
        4:12 wrong-operand: 'arith.negf' is an operator, not a value
          call it: arith.negf(...)
        """,
    ),
    case(
        "attribute-of-unmatched",
        """
        @pattern
        def p(x):
            y = math.absf(x)
            assert y.rank == 2
            return arith.negf(x)
        """,
        """
        3:1 unbound-variable: 'y' is never bound
          it stands in no part of the pattern that is returned, nor in one that such a part is constrained to
        """,
    ),
    case(
        "pattern-arity",
        """
        @pattern
        def q(x):
            return arith.negf(x)
        @pattern
        def p(x):
            return q(x, x)
        """,
        """
        7:12 wrong-arity: 'q' takes 1, not 2
          it is q(x)
        """,
    ),
    case(
        "none-compared",
        """
        @pattern
        def p(x):
            assert x.rank == None
            return math.absf(x)
        """,
        """
        4:12 guard-never-holds: an attribute is never None
          attributes are numbers, text, truth values and tuples of those
        """,
    ),
    case(
        "text-compared",
        """
        @pattern
        def p(x):
            assert x.rank == "2"
            return math.absf(x)
        """,
        """
        4:12 guard-never-holds: .rank is int, never '2'
          compare it with int
        """,
    ),
    case(
        "default",
        """
        @pattern
        def p(x=2):
            return math.absf(x)
        """,
        """
        2:2 parameters: 'x=2' is no variable
          parameters are plain names without defaults
        """,
    ),
    case(
        "order",
        """
        @pattern
        def p(x):
            assert 2 < x
            return math.absf(x)
        """,
        """
        4:12 values-compared: values have no order
          compare attributes: x.value < 8, x.rank <= 3
        """,
    ),
    case(
        "idle-equality",
        """
        @pattern
        def p(x):
            x.rank == 2
            return math.absf(x)
        """,
        """
        4:5 no-effect: this condition is not asked for
          write it as a guard: assert ...
        """,
    ),
    case(
        "idle-order",
        """
        @pattern
        def p(x):
            x.rank <= 2
            return math.absf(x)
        """,
        """
        4:1 no-effect: nothing asks for this comparison
          write it as a guard: assert ...
        """,
    ),
    case(
        "idle-membership",
        """
        @pattern
        def p(x, f):
            f in unary_pointwise
            return f(x)
        """,
        """
        4:5 no-effect: this condition is not asked for
          write it as a guard: assert ...
        """,
    ),
    case(
        "assert-of-a-tuple",
        """
        @pattern
        def p(x):
            assert (x.rank == 2, "two")
            return math.absf(x)
        """,
        """
        4:5 syntax: assertion is always true, perhaps remove parentheses?
          a rule file is Python
        """,
    ),
    case(
        "number-as-condition",
        """
        @pattern
        def p(x):
            assert x.rank
            return math.absf(x)
        """,
        """
        4:5 guard-never-holds: x.rank is no truth value
          compare it: x.rank != 0
        """,
    ),
    case(
        "predicate",
        """
        @pattern
        def p(x):
            return arith.cmpi(x, x, predicate="lt")
        """,
        """
        4:12 wrong-attribute: predicate of 'arith.cmpi' is never 'lt'
          did you mean 'ult' or 'slt'?
        """,
    ),
    case(
        "flags",
        """
        @pattern
        def p(x):
            return arith.addi(x, x, overflow="nsw,nuv")
        """,
        """
        4:12 wrong-attribute: overflow of 'arith.addi' is never 'nsw,nuv'
          did you mean 'nsw'?
        """,
    ),
    case(
        "law-without-operator",
        """
        @law
        def back(x):
            return x, x + 0
        """,
        """
        3:1 no-pattern: the left side of this law is no operator
          the left side is what is matched: an operator on the variables
        """,
    ),
    case(
        "op-of-mlir",
        """
        @op("arith.subi", commutative=True)
        def sub(x, y): ...
        """,
        """
        2:2 name-taken: 'arith.subi' is an operator of MLIR's
          it is there already: from hecv.rules import arith
        """,
    ),
    case(
        "op-without-results",
        """
        @op(results=0)
        def nothing(x): ...
        """,
        """
        2:2 parameters: 'nothing' has 0 results
          an operator gives one value or more
        """,
    ),
    case(
        "assertion-of-python",
        """
        def helper(x):
            assert isinstance(x, int)
        @pattern
        def p(x):
            helper(x)
            return math.absf(x)
        """,
        """
        3:5 guard-never-holds: 'p' never matches
          no way through the body ends with `return`: conditions exclude each other, or are false
        """,
    ),
    case(
        "law-name",
        """
        @law("two@i8")
        def two(x):
            return x + x, x * 2
        """,
        """
        2:2 bad-name: 'two@i8' names no law: letters, digits and hyphens do
          name the function, or write @law('muli-two')
        """,
    ),
    case(
        "op-name",
        """
        @op("my fused")
        def fused(x): ...
        """,
        """
        2:2 bad-name: 'my fused' names no operator
          write it as MLIR does: 'my.fused'
        """,
    ),
    case(
        "method-of-text",
        """
        @pattern
        def p(x):
            assert x.elType.startswith("f")
            return math.absf(x)
        """,
        """
        4:12 unknown-attribute: x.elType has no attribute 'startswith'
          compare it: ==, in, <
        """,
    ),
    case(
        "identity",
        """
        @pattern
        def p(x):
            assert x.elType is "f32"
            return math.absf(x)
        """,
        """
        4:12 syntax: "is" with a literal. Did you mean "=="?
          a rule file is Python
        """,
    ),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_problem(text: str, expected: str) -> None:
    assert problems(text) == expected


def test_every_problem_is_said_at_once() -> None:
    text = """
@pattern
def p(x):
    return math.absf(x, x)

@pattern
def q(x):
    return math.absf(y)
"""
    assert [line.split()[0] for line in problems(text).splitlines() if not line.startswith(" ")] == ["5:12", "9:22"]


def test_a_failed_file_leaves_nothing_behind() -> None:
    text = HEAD + "@pattern\ndef p(x):\n    return math.absf(x)\n"
    with pytest.raises(InputError):
        loads(text + "raise ValueError\n", "R.py")
    assert list(loads(text, "R.py").definitions) == ["p"]


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    binary = tmp_path / "R.py"
    binary.write_bytes(b"\xff\xfe")
    holes = tmp_path / "S.py"
    holes.write_bytes(b"x = 1\0")
    for path in (str(tmp_path / "none.py"), str(tmp_path), str(binary), str(holes)):
        with pytest.raises(InputError, match="cannot read"):
            load(path)


def test_what_a_file_imports_from_beside_it(tmp_path: Path) -> None:
    (tmp_path / "shared_patterns.py").write_text(HEAD + "@pattern\ndef half(x):\n    return arith.mulf(x, 0.5)\n")
    text = "from hecv.rules import *\nfrom shared_patterns import half\n@rule(half)\ndef r(x):\n    return x\n"
    (tmp_path / "R.py").write_text(text)
    file = load(str(tmp_path / "R.py"))
    assert list(file.definitions) == ["half"] and [r.name for r in file.rules] == ["r"]


def test_a_module_that_is_imported_has_patterns_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "imported_rules.py").write_text(HEAD + "@law\ndef twice(x):\n    return x + x, x * 2\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert list(declared(vars(importlib.import_module("imported_rules"))).definitions) == ["twice"]
    assert declared({}).definitions == {}


def test_what_a_file_prints_is_no_answer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "R.py").write_text("print('hello')\n")
    load(str(tmp_path / "R.py"))
    assert capsys.readouterr() == ("", "hello\n")


@pytest.mark.parametrize("text", ["raise BaseException('x')\n", "import sys\nsys.exit(0)\n", "raise GeneratorExit\n"])
def test_no_exception_is_a_verdict(text: str) -> None:
    """Python ends by 1 for an exception that nothing catches, which is the status of a refuted pair."""
    with pytest.raises(InputError):
        loads(text, "R.py")


def test_names_of_python_are_there_again() -> None:
    with pytest.raises(InputError, match="'len' is not defined"):
        loads("import builtins\ndel builtins.len\nlen([])\n", "R.py")
    assert len([0]) == 1


def test_a_byte_order_mark_is_no_text(tmp_path: Path) -> None:
    text = HEAD + "@law\ndef twice(x):\n    return x + x, x * 2\n"
    (tmp_path / "R.py").write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    assert list(load(str(tmp_path / "R.py")).definitions) == ["twice"]
