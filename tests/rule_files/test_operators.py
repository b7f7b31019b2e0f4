"""The table of operators agrees with MLIR's bindings and with the meanings that hecv gives."""

from __future__ import annotations

import importlib
import inspect
import subprocess
import sys
from typing import Any

import pytest

from hecv.ops import OPERATORS
from hecv.patterns.calculus.operator_names import DECLARATIONS, FAMILIES, LISTED, families
from hecv.rules import arith, index, torch, tosa, unary_pointwise


def declared_by_mlir(dialect: str) -> dict[str, tuple[int | None, set[str]]]:
    """Operands (None where their number varies) and attributes of every op, from the signatures of the bindings."""
    module = importlib.import_module(f"torch_mlir.dialects._{dialect}_ops_gen")
    classes = [c for c in vars(module).values() if isinstance(c, type) and hasattr(c, "OPERATION_NAME")]
    return {c.OPERATION_NAME: signature(c) for c in classes if not c.__name__.endswith("Adaptor")}


def signature(op: Any) -> tuple[int | None, set[str]]:
    kinds = {n: str(p.annotation) for n, p in inspect.signature(op.__init__).parameters.items()}
    operands = [kind for kind in kinds.values() if "ir.Value" in kind]
    varies = any("Sequence" in kind or "Optional" in kind or "NoneType" in kind for kind in operands)
    results = {n for n, kind in kinds.items() if "ir.Type" in kind and "Attr" not in kind}
    attributes = {n.rstrip("_") for n, kind in kinds.items() if "ir.Value" not in kind and n not in results}
    return None if varies else len(operands), attributes - {"self", "loc", "ip", "results"}


@pytest.mark.parametrize("dialect", ["tosa", "tensor", "torch", "vector", "complex"])
def test_table_agrees_with_mlir(dialect: str) -> None:
    found = declared_by_mlir(dialect)
    for name, declared in DECLARATIONS.items():
        if name.split(".")[0] == dialect:
            assert (declared.arity, set(declared.attributes)) == found[name], name


@pytest.mark.parametrize("dialect", ["linalg", "arith", "math"])
def test_every_name_is_one_of_mlir(dialect: str) -> None:
    found = declared_by_mlir(dialect)
    assert {name for name in DECLARATIONS if name.split(".")[0] == dialect} <= found.keys()


def test_every_scalar_op_is_there() -> None:
    assert {n for n in OPERATORS if n.split(".")[0] in ("arith", "math")} <= DECLARATIONS.keys()
    assert DECLARATIONS["arith.cmpi"].attributes == ("predicate",)
    assert DECLARATIONS["arith.addui_extended"].results == 2
    assert DECLARATIONS["index.shl"].arity == 2


def test_families() -> None:
    assert {f for d in DECLARATIONS.values() for f in d.families} == FAMILIES.keys()
    assert {name for names in LISTED.values() for name in names} <= DECLARATIONS.keys()
    assert families("arith.addf") == {"binary_pointwise", "pointwise", "commutative"}
    assert families("arith.truncf") == {"pointwise", "cast"}
    assert families("arith.cmpf") == {"pointwise", "comparison"}
    assert families("tosa.matmul") == {"contraction"}
    assert families("my.op") == frozenset()
    assert tosa.exp in unary_pointwise and tosa.matmul not in unary_pointwise
    commutative = {n for n, o in OPERATORS.items() if o.facts.commutative and n in DECLARATIONS}
    assert all("commutative" in families(name) for name in commutative)


def test_names_with_dots_and_words_of_python() -> None:
    assert torch.aten.softmax.int.name == "torch.aten.softmax.int"
    assert index.and_.name == "index.and"
    assert not hasattr(arith, "addd")


def test_importing_the_language_loads_no_solver() -> None:
    script = "import sys, hecv.rules; print(sorted({m.split('.')[0] for m in sys.modules}))"
    answer = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    for heavy in ("z3", "egglog", "torch_mlir", "islpy", "numpy", "torch"):
        assert f"'{heavy}'" not in answer
