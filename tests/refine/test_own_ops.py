"""Ops of a user: with a definition alone they refine, and no law names them with a distribution; without one they are
equal for equal operands; and values that programs name."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.refine.rank_answers import PROGRAMS, answer

from hecv.base.diagnostics import InputError
from hecv.refinement import Degree
from hecv.relate.graphs.opaque_ops import OpaqueOps
from hecv.tensors.comprehension import leaf
from hecv.tensors.definitions import DEFINITIONS
from hecv.tensors.definitions.user_definitions import user_definitions
from hecv.tensors.tensor_graph import Node, Ref, TensorType

pytest.importorskip("torch")


def defined(sequential: str, distributed: str, ranks: int = 2, file: Path = PROGRAMS / "own_definitions.py") -> Degree:
    with user_definitions(str(file)) as places:
        return answer("own_ops", sequential, distributed, ranks, defined_ops=places)


@pytest.mark.parametrize("ranks", [2, 4])
def test_an_op_refines_by_its_definition_alone(ranks: int) -> None:
    found = defined("gated_mlp", "gated_ranks", ranks)
    assert found.verdict == "refines", found
    assert found.ops == {"ownlib.gated as defined": 1 + ranks}
    assert "ownlib.gated(concat(dim=1), concat(dim=1)) -> concat(dim=1)" in {str(use.law) for use in found.laws}


@pytest.mark.parametrize("distributed", ["wrong_gated_swapped", "wrong_gated_limit"])
def test_its_mistake_is_found(distributed: str) -> None:
    found = defined("gated_mlp", distributed)
    assert found.verdict == "unknown"
    assert found.blocked is not None and found.blocked.op == "ownlib.gated.default"


def test_without_its_definition_an_op_is_not_split() -> None:
    assert answer("own_ops", "gated_mlp", "gated_ranks").verdict == "unknown"


def test_an_op_by_rows_of_which_nothing_else_is_said() -> None:
    found = defined("rows", "rows_ranks")
    assert (found.verdict, found.outputs) == ("refines", {"out": "concat(out, dim=0)"})
    assert defined("rows", "wrong_rows_by_columns").verdict == "unknown"


def test_an_op_without_a_definition_is_equal_for_equal_operands() -> None:
    found = answer("own_ops", "nothing_known", "nothing_known_ranks")
    assert (found.verdict, found.outputs) == ("refines", {"out": "replicate(out)"})
    assert found.ops == {"ownlib.mixed equal for equal operands": 3}


@pytest.mark.parametrize("distributed", ["wrong_mixed_shards", "wrong_mixed_power", "wrong_mixed_operand"])
def test_an_op_without_a_definition_is_no_more(distributed: str) -> None:
    assert answer("own_ops", "nothing_known", distributed).verdict == "unknown"


def test_what_reads_no_tensor_is_no_function_of_its_operands() -> None:
    """A call may count, draw, or ask for the rank."""
    kind = (TensorType((2,), "f64"),)
    assert not OpaqueOps.covers(Node("ownlib.noise.default", (2,), {}, ("%n",), kind))
    assert OpaqueOps.covers(Node("ownlib.noise.default", (Ref("x"),), {}, ("%n",), kind))


def test_operands_that_an_op_can_tell_apart() -> None:
    ops, kind, x = OpaqueOps(), (TensorType((2,), "f64"),), leaf("x", (2,), "f64")

    def result(operand: float | bool) -> str:
        node = Node("ownlib.mixed.default", (Ref("x"), operand), {}, ("%n",), kind)
        return str(ops.results(node, {"x": x}.__getitem__)[0][0])

    assert result(2.0) == result(2.0)
    apart = [result(operand) for operand in (0.0, -0.0, 0, 1, True, 1.0)]
    assert len(set(apart)) == len(apart)


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ('"max"', '"min"', "the definition of `ownlib.gated.default` gives"),
        ("value[i] *", "value[i, 0] *", "has no values: "),
        ("call.gives(lambda *i: value", "(call.tensor(0), call.tensor(1)); (lambda *i: value", "gives [4, 8], [4, 8]"),
        ("call.at(2", "call.missing(2", "fails: AttributeError"),
        ("ownlib.gated", "aten.mm", "defined twice"),
        ("from hecv.tensors.comprehension", "from hecv.nowhere", "ModuleNotFoundError"),
        ("return call.gives", "return = call.gives", "invalid syntax"),
        ("@defines", "@(lambda *_: lambda f: f)", "defines no op"),
    ],
)
def test_a_wrong_definition_is_a_located_error(tmp_path: Path, old: str, new: str, text: str) -> None:
    file = tmp_path / "definitions.py"
    file.write_text((PROGRAMS / "own_definitions.py").read_text().replace(old, new), encoding="utf-8")
    before = dict(DEFINITIONS)
    with pytest.raises(InputError) as caught:
        defined("gated_mlp", "gated_ranks", file=file)
    (problem,) = caught.value.diagnostics
    assert text in problem.message
    assert problem.location is not None and problem.location.file == str(file)
    assert before == DEFINITIONS


def test_logged_values_have_their_names() -> None:
    found = answer("own_ops", "logged", "logged_ranks")
    assert found.verdict == "refines"
    assert found.logged["hidden"] == "concat(hidden, dim=1)"
    assert set(found.logged) == {"hidden", "doubled", "doubled.1", "result"}


def test_a_logged_value_without_a_relation() -> None:
    found = answer("own_ops", "logged", "wrong_logged_ranks")
    assert found.verdict == "unknown"
    assert found.logged["hidden"] == "concat(hidden, dim=1)"
    assert found.logged["result"] == ""


@pytest.mark.parametrize("name", ["", "a b", "x@0", "1x", "x."])
def test_what_is_no_name(name: str) -> None:
    import hecv

    with pytest.raises(ValueError, match="is no name of a tensor"):
        hecv.log_tensor(1, name)
