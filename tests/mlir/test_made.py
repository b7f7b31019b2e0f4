"""Ops that hecv makes itself are of dialects that a context has from the start: one of another would be unknown."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import hecv
from hecv.mlir.importer import parse
from hecv.mlir.module.parsed_module import DIALECTS
from hecv.run.jit.llvm_compilation import DIALECTS as COMPILED

PACKAGE = Path(hecv.__file__).parent
OWN = {"builtin", "hecv"}


@pytest.mark.parametrize(("folder", "dialects"), [("mlir", DIALECTS), ("run/jit", COMPILED)])
def test_ops_are_of_dialects_that_are_there(folder: str, dialects: tuple[str, ...]) -> None:
    texts = [file.read_text(encoding="utf-8") for file in (PACKAGE / folder).rglob("*.py")]
    made = {name for text in texts for name in re.findall(r'Operation\.create\(\s*"(\w+)\.', text)}
    assert "func" in made and made <= {*dialects, *OWN}


def test_other_dialects_are_there_where_a_text_names_them() -> None:
    text = """func.func @f(%t: tensor<4xf32>) -> tensor<4xf32> {
  %r = "NAME"(%t) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}"""
    known = [parse(text.replace("NAME", name), "t.mlir") for name in ("tosa.exp", "my.exp")]
    assert [m.module.context.is_registered_operation("tosa.exp") for m in known] == [True, False]
    assert not any(m.module.context.is_registered_operation("my.exp") for m in known)
