"""Rule files as JSON: there and back, and what is wrong with JSON that is not of the schema, at its place."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from tests.patterns.test_semantics import often, randoms, well_formed

from hecv.base.diagnostics import InputError, Location
from hecv.patterns.calculus.pattern_ast import (
    TRUE,
    Apply,
    AttributeOf,
    Branch,
    Build,
    BuildVariable,
    Compute,
    Computed,
    Constant,
    Declaration,
    Definition,
    Known,
    Parameter,
    Pattern,
    Place,
    Rule,
    RuleFile,
    Same,
    Variable,
)
from hecv.rule_files.portable_json import SCHEMA, dumps, loads, to_json
from hecv.rule_files.rule_loader import load

EXAMPLES = Path(__file__).parents[2] / "examples" / "rules"
x = Variable("x")


def file(body: Pattern, *rules: Rule) -> RuleFile:
    return RuleFile("r.py", {}, {"P": Definition("P", (Parameter("x"),), body)}, rules)


FULL = RuleFile(
    "rules/half.py",
    {
        "my.op": Declaration("my.op", None, 2, frozenset(("b", "a")), ("axis",), True, True, 0, Place("half.py", 3)),
        "my.plain": Declaration("my.plain", 2),
    },
    {
        "half": Definition("half", (Parameter("x"),), Apply("arith.divf", (x, Constant(2.0))), Place("half.py", 7)),
        "any": Definition(
            "any", (Parameter("x"), Parameter("F", "function")), Apply("my.op", (x,), (("c", (1, "a")),), 1)
        ),
    },
    (
        Rule(
            "half-to-mul",
            "half",
            (Parameter("a"),),
            (
                Branch(Compute("==", (AttributeOf("a", ("elType",)), Known("f16"))), Same("a")),
                Branch(
                    TRUE,
                    Build("arith.mulf", (Same("a"), Computed(Known(0.5))), (("k", Known(True)),), Known("f32"), 1),
                ),
            ),
            Place("half.py", 11),
        ),
    ),
)
VALID = RuleFile(FULL.path, FULL.operators, {"half": FULL.definitions["half"]}, FULL.rules)


def test_there_and_back() -> None:
    read = loads(dumps(VALID), "r.json")
    assert read == VALID
    assert list(read.operators) == list(VALID.operators)
    # Places are not part of equality.
    assert [o.place for o in read.operators.values()] == [Place("half.py", 3), None]
    assert read.definitions["half"].place == Place("half.py", 7)
    assert read.rules[0].place == Place("half.py", 11)
    assert dumps(read) == dumps(VALID)


def test_a_node_takes_a_line() -> None:
    assert '    {"kind": "apply", "op": "arith.divf", "args": [0, 1]}\n' in dumps(VALID)


@often
@given(randoms)
def test_random_definitions_there_and_back(random: Random) -> None:
    held = RuleFile("r.py", {}, well_formed(random), ())
    assert loads(dumps(held), "r.json") == held


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.stem)
def test_examples_there_and_back(path: Path) -> None:
    """Loop rules have no JSON form."""
    held = load(str(path))
    assert held.definitions or held.loops
    held = replace(held, loops=())
    assert loads(dumps(held), "r.json") == held


@pytest.mark.parametrize("value", [0.0, -0.0, 1e300, 0.1, math.inf, -math.inf, 10**30, True, 1, -1])
def test_values_there_and_back(value: float) -> None:
    read = loads(dumps(file(Apply("f", (x, Constant(value)), (("c", (value, "a")),)))), "r.json")
    body = read.definitions["P"].body
    assert isinstance(body, Apply)
    constant = body.args[1]
    assert isinstance(constant, Constant)
    for held in (constant.value, body.attrs[0][1][0]):
        assert (type(held), str(held)) == (type(value), str(value))


def test_nan_there_and_back() -> None:
    read = loads(dumps(file(Apply("f", (x, Constant(math.nan))))), "r.json").definitions["P"].body
    assert isinstance(read, Apply)
    assert isinstance(read.args[1], Constant)
    assert math.isnan(read.args[1].value)


def test_depth_is_no_limit_and_what_is_shared_stays_shared() -> None:
    deep: Pattern = x
    for _ in range(10_000):
        deep = Apply("f", (deep, deep))
    nodes = to_json(file(deep))["definitions"][0]["nodes"]
    assert len(nodes) == 10_001


def wrong(change: Callable[[dict], object], expected: str) -> None:
    """The text of `VALID`, changed, is refused with this message."""
    data = to_json(VALID)
    change(data)
    with pytest.raises(InputError) as refused:
        loads(json.dumps(data, indent=1), "r.json")
    (found,) = refused.value.diagnostics
    assert found.message == expected
    assert found.location is not None
    assert found.location.file == "r.json"


def definition(data: dict) -> dict:
    return data["definitions"][0]


CHANGES = {
    "the schema is `hecv.patterns/2`, expected `hecv.patterns/1`": lambda d: d.update(schema="hecv.patterns/2"),
    "the key `path` is missing": lambda d: d.pop("path"),
    "there is no key `more` here": lambda d: d.update(more=1),
    "there is no key `depth` here": lambda d: definition(d)["nodes"][0].update(depth=1),
    "there are no nodes of kind `tree`": lambda d: definition(d)["nodes"][0].update(kind="tree"),
    "there are no nodes of kind `['variable']`": lambda d: definition(d)["nodes"][0].update(kind=["variable"]),
    "the key `name` is missing": lambda d: definition(d)["nodes"][0].pop("name"),
    "expected text, found 1": lambda d: definition(d)["nodes"][0].update(name=1),
    "expected a list, found 1": lambda d: definition(d)["nodes"][2].update(args=1),
    "expected the position of an earlier node, found 2": lambda d: definition(d)["nodes"][2].update(args=[0, 2]),
    "expected the position of an earlier node, found true": lambda d: definition(d)["nodes"][2].update(args=[True]),
    "expected the position of an earlier node, found -1": lambda d: definition(d)["nodes"][2].update(args=[-1]),
    "node 0 is a part of the family `expression`, expected one of `replacement`": lambda d: d["rules"][0]["branches"][
        0
    ].update(replacement=0),
    "expected an integer from 0 on, found -1": lambda d: definition(d)["nodes"][2].update(result=-1),
    "expected an integer from 0 on, found true": lambda d: d["operators"][1].update(arity=True),
    "expected true or false, found 1": lambda d: d["operators"][1].update(effects=1),
    'expected one of term, function, type, found "value"': lambda d: definition(d)["parameters"][0].update(
        sort="value"
    ),
    "expected a number or a truth value": lambda d: definition(d)["nodes"][1].update(value="2.0"),
    "expected a value, found null": lambda d: definition(d)["nodes"][1].update(value=None),
    "expected `inf`, `-inf` or `nan`": lambda d: definition(d)["nodes"][1].update(value={"float": "1"}),
    "expected a name and what it is, in a list": lambda d: definition(d)["nodes"][2].update(attrs=[["c"]]),
    "expected an object, found []": lambda d: d["operators"].append([]),
    "`half` is there already": lambda d: d["definitions"].append(definition(d)),
    "`half-to-mul` is there already": lambda d: d["rules"].append(d["rules"][0]),
    "`half-to-mul` rewrites `other`, which is not defined": lambda d: d["rules"][0].update(pattern="other"),
    "a match of `half` may leave its parameter `x` open": lambda d: definition(d)["nodes"][2].update(args=[1, 1]),
}


@pytest.mark.parametrize("message", CHANGES)
def test_what_is_not_of_the_schema(message: str) -> None:
    wrong(CHANGES[message], message)


def test_messages_have_the_place_of_what_is_wrong() -> None:
    text = dumps(VALID).replace('{"kind": "constant", "value": 2.0}', '{"kind": "constant", "value": "2.0"}')
    line = next(n for n, row in enumerate(text.splitlines(), 1) if '"2.0"' in row)
    column = text.splitlines()[line - 1].index('"2.0"') + 1
    with pytest.raises(InputError) as refused:
        loads(text, "r.json")
    assert refused.value.diagnostics[0].location == Location("r.json", line, column)


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ('{"schema":\n}', "expecting value", 2),
        ('{"schema": 1, "schema": 2}', "an object has the key `schema` twice", 1),
        ('{"schema": NaN}', "`NaN` is not JSON", 1),
        ("[" * 100_000, "nested too deep", 1),
        ("[]", "expected an object, found []", 1),
        ("", "expecting value", 1),
    ],
)
def test_what_is_not_json(text: str, message: str, line: int) -> None:
    with pytest.raises(InputError) as refused:
        loads(text, "r.json")
    (found,) = refused.value.diagnostics
    assert (found.message, found.location and found.location.line) == (message, line)


def test_the_schema_is_said() -> None:
    assert to_json(FULL)["schema"] == SCHEMA == "hecv.patterns/1"
    assert to_json(FULL)["definitions"][1]["nodes"][-1]["attrs"] == [["c", [1, "a"]]]


def test_replacements_with_function_variables_there_and_back() -> None:
    made = Definition("P", (Parameter("x"), Parameter("F", "function")), Apply("f", (x,)))
    rule = Rule("r", "P", made.parameters, (Branch(TRUE, BuildVariable("F", (Same("x"),))),))
    assert to_json(RuleFile("r.py", {}, {"P": made}, (rule,)))["rules"][0]["nodes"][-1] == {
        "kind": "build-variable",
        "function": "F",
        "args": [1],
    }
