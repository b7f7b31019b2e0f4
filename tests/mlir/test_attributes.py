"""Every attribute that an op has by its definition is looked at where the op is read, or is known to say nothing.

The attributes are those of the bindings, so one that a new release of MLIR gives an op is missed until it is read,
refused, or listed here.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest
from tests.mlir import ops
from torch_mlir import ir

from hecv.check import Options, check
from hecv.mlir.aliasing.memref_assumptions import HANDED_ON
from hecv.mlir.importer import parse
from hecv.mlir.read.scalar_ops import _ATTRIBUTES  # pyright: ignore[reportPrivateUsage]

SAYS_NOTHING: Final[Mapping[str, str]] = {
    "memref.alloc.alignment": "addresses are not modelled: what is allocated may lie anywhere",
    "memref.alloca.alignment": "as of memref.alloc",
    "memref.realloc.alignment": "as of memref.alloc",
    "*.nontemporal": "a hint to caches",
    "*.prefetch.*": "a hint to caches: a prefetch has no effect",
    "cf.cond_br.branch_weights": "a hint: how often each edge is taken",
    "func.call.no_inline": "a hint to the inliner",
    "func.constant.value": "read where the function is called; the probe does not",
    "scf.execute_region.no_inline": "a hint to the inliner",
    "scf.forall.mapping": "which processor runs an iteration: the language has none",
    "scf.parallel.operandSegmentSizes": "the rank of the body says it",
    "memref.all*.operandSegmentSizes": "MLIR takes symbols only of layouts that are refused with them",
    "tensor.pad.nofold": "a hint to canonicalization",
    "tensor.scatter.unique": "MLIR demands it: two slices at one place are undefined",
    "bufferization.to_tensor.*": "a copy is what the tensor is, whatever may alias or be written",
    "bufferization.to_buffer.read_only": "writing the buffer is refused",
    "bufferization.materialize_in_destination.*": "a memref is written, and a tensor is a value",
    "bufferization.alloc_tensor.memory_space": "memory spaces are not modelled",
    "vector.contract.iterator_types": "the maps say which iterators are reduced",
    "memref.atomic_rmw.kind": "read from the text: its number differs between releases of MLIR",
    "tensor.parallel_insert_slice.*": "read by `scf.forall`, as those of tensor.insert_slice",
    "vector.extract_strided_slice.sizes": "the type of the result says it",
}
"""By a pattern of the names of op and attribute, why nothing is read."""

AS_A_WHOLE: Final = (
    "linalg.*",  # MLIR's own generalization, of a copy of the op
    "complex.*",  # MLIR's own lowering, of a copy of the op
)
"""Ops that MLIR makes others of, attributes and all."""

BY_OTHERS: Final = ("func.func", "memref.global")
"""Symbols: they are read where they are used."""

HIDDEN: Final = {"affine.linearize_index": {"disjoint"}}
"""Properties that are no attributes to the bindings."""


def _lookups(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The names of attributes that are asked for from here on."""
    seen: set[str] = set()
    kind: Any = type(parse("", "empty.mlir").module.operation.attributes)

    def noting(asked: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
        def ask(self: Any, key: Any) -> Any:
            seen.add(str(key))
            return asked(self, key)

        return ask

    for name in ("__getitem__", "__contains__"):
        monkeypatch.setattr(kind, name, noting(getattr(kind, name)))
    return seen


@cache
def inherent(dialect: str) -> Mapping[str, frozenset[str]]:
    """The attributes that each op of a dialect has by its definition."""
    module = importlib.import_module(f"torch_mlir.dialects._{dialect}_ops_gen")
    classes = re.split(r"\nclass ", Path(str(module.__file__)).read_text(encoding="utf-8"))
    named = ((re.search(r'OPERATION_NAME = "([^"]+)"', text), text) for text in classes)
    asked = re.compile(r'self\.operation\.attributes\["([^"]+)"\]')
    found: dict[str, frozenset[str]] = {}
    for name, text in named:
        if name is not None:  # a class of operands has the name, and no attributes
            found[name[1]] = found.get(name[1], frozenset()).union(asked.findall(text))
    return found


def _fits(pattern: str, op: str, attribute: str) -> bool:
    return fnmatch(f"{op}.{attribute}", pattern)


def _says_nothing(op: str, attribute: str) -> bool:
    return any(_fits(pattern, op, attribute) for pattern in SAYS_NOTHING)


def _unread(dialect: str, seen: set[str]) -> Iterator[tuple[str, str]]:
    """The attributes that nobody asks for where an op is read, with the ops."""
    for op, attributes in inherent(dialect).items():
        if not attributes or op in BY_OTHERS or any(fnmatch(op, known) for known in AS_A_WHOLE):
            continue
        seen.clear()
        if ops.meaning.__wrapped__(op) != "read":  # refused, or a function of its attributes
            continue
        known = seen | (_ATTRIBUTES.keys() if dialect in ("arith", "index", "math", "ub") else set())
        yield from ((op, a) for a in sorted(attributes - known))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("dialect", ops.DIALECTS)
def test_attributes_are_read_or_say_nothing(dialect: str, monkeypatch: pytest.MonkeyPatch) -> None:
    unread = list(_unread(dialect, _lookups(monkeypatch)))
    assert [f"{op}.{a}" for op, a in unread if not _says_nothing(op, a)] == []
    stale = [p for p in SAYS_NOTHING if p.startswith(f"{dialect}.") and not any(_fits(p, *u) for u in unread)]
    assert stale == []


def _properties(op: ir.Operation) -> set[str]:
    """The names of the properties that MLIR prints of an op."""
    text = op.get_asm(print_generic_op_form=True, skip_regions=True, use_local_scope=True)
    start = text.find(" <{")
    for end in re.finditer(r"\}>", text) if start >= 0 else ():
        with suppress(ir.MLIRError), op.context:
            found = ir.DictAttr(ir.Attribute.parse(text[start + 2 : end.start() + 1]))
            return {found[k].name for k in range(len(found))}
    return set()


@pytest.mark.one_in(8)
def test_properties_that_the_bindings_hide_are_known() -> None:
    """MLIR prints all of them, and the bindings list those that are attributes."""
    hidden: dict[str, set[str]] = {}
    count = 0

    def visit(op: ir.Operation) -> ir.WalkResult:
        nonlocal count
        named = _properties(op)
        count += len(named)
        if named - set(op.attributes):
            hidden[op.name] = named - set(op.attributes)
        return ir.WalkResult.ADVANCE

    disjoint = "func.func @f(%i: index) { %r = affine.linearize_index disjoint [%i, %i] by (4, 4) : index\nreturn }"
    for text in (*map(ops.program, ops.PROBES), disjoint):
        parse(text, "probe.mlir").module.operation.walk(visit)
    assert count > 1000
    assert hidden == HIDDEN


_OF_LLVM: Final = """
arg_attrs res_attrs function_type sym_name sym_visibility callee callee_type var_callee_type
operandSegmentSizes op_bundle_sizes linkage dso_local CConv TailCallKind visibility_ comdat garbageCollector personality
section unnamed_addr alignment frame_pointer target_cpu tune_cpu target_features prefer_vector_width uwtable_kind
function_entry_count branch_weights always_inline inline_hint no_inline
optimize_none optsize minsize cold hot instrument_function_entry instrument_function_exit save_reg_params
zero_call_used_regs no_caller_saved_registers use_sample_profile modular_format builtin nobuiltin
vec_type_hint work_group_size_hint reqd_work_group_size intel_reqd_sub_group_size arm_*
"""
OF_LLVM: Final = _OF_LLVM.split()
"""What attributes of functions and calls of LLVM say that is nothing of what they compute, or not by themselves: the
convention of calls, where code lies and how it is optimised, on which processor it runs."""


@pytest.mark.parametrize("op", ["llvm.func", "llvm.call"])
def test_what_is_handed_on_to_llvm_is_looked_at(op: str) -> None:
    """MLIR's conversions hand attributes of functions and calls on."""
    own = inherent("llvm")[op]
    assert [a for a in sorted(own) if a not in HANDED_ON and not any(fnmatch(a, known) for known in OF_LLVM)] == []


MARKED = """
func.func @f(%t: tensor<?xf32>, %v: vector<5xf32>, %w: vector<5xf32>, %i: index, %c: i1) -> tensor<?xf32> {{
  %e = tensor.extract_slice %t[%i] [%i] [1] : tensor<?xf32> to tensor<?xf32>
  %r = scf.if %c -> (tensor<?xf32>) {{
    %a = vector.transfer_write %v, %e[%i] {0} : vector<5xf32>, tensor<?xf32>
    scf.yield %a : tensor<?xf32>
  }} else {{
    %b = vector.transfer_write %w, %t[%i] : vector<5xf32>, tensor<?xf32>
    scf.yield %b : tensor<?xf32>
  }}
  return %r : tensor<?xf32>
}}"""


@pytest.mark.parametrize(
    ("attributes", "verdict"),
    [
        ('{__inplace_operands_attr__ = ["none", "true", "none"]}', "equivalent"),
        ("{__mark__, __other_mark__ = 2}", "equivalent"),
        ("{in_bounds = [true]}", "unknown"),
        ("{a.mark = 1}", "unknown"),
    ],
)
def test_marks_of_passes_say_nothing(attributes: str, verdict: str) -> None:
    texts = MARKED.format(""), MARKED.format(attributes)
    assert check(texts[0], texts[1], ("s.mlir", "t.mlir"), Options(jobs=1)).verdict == verdict
