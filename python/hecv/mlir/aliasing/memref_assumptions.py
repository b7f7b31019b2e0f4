"""Assumptions that a function states about its memrefs: no overlap, and alignment.

No overlap is `memref.distinct_objects` or the attribute `llvm.noalias`, alignment `memref.assume_alignment`; where they
do not hold the program is undefined or poison. Inputs that break the source's statements are excluded, which is an
assumption of the verdict. So the target may state what the source states, and no more. A statement made only in some
executions says nothing of the others: it is unsupported.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Final

from torch_mlir import ir

from hecv.base.diagnostics import Unsupported
from hecv.mlir.module.parsed_module import ParsedModule, locate
from hecv.mlir.module.purity import readable
from hecv.mlir.read.function_reader import Handler, Reader
from hecv.program.structural_equality import same_program
from hecv.program.tree import Function, Memory, MemoryKind

LARGEST_ALIGNMENT = 64
"""Bytes; inputs of runs are aligned to this."""

_LLVM: Final = "llvm."
_NOALIAS: Final = "llvm.noalias"
_NOT_SAID: Final = frozenset({"llvm.emit_c_interface", "llvm.linkage"})
"""Attributes of functions that say nothing about their behaviour."""
_HANDED_ON: Final = (
    "access_groups alias_scopes noalias_scopes tbaa trap_func_name allocsize approx_func_fp_math convergent "
    "default_func_attrs denormal_fp_math denormal_fp_math_f32 denormal_fpenv fastmathFlags fp_contract memory_effects "
    "no_infs_fp_math no_nans_fp_math no_signed_zeros_fp_math no_unwind nobuiltins nocallback noduplicate noreturn "
    "op_bundle_tags passthrough reciprocal_estimates returns_twice unsafe_fp_math vscale_range will_return"
)
HANDED_ON: Final = frozenset(_HANDED_ON.split())
"""Attributes without a dialect that MLIR's lowering of functions and calls copies to LLVM, where they state
behaviour. Some say how floats are computed: this is no promise that the other program could do without."""

_KEPT: Final = frozenset(
    f"llvm.{name}"
    for name in "align inreg noalias nocapture nofree nonnull noundef signext zeroext".split()  # noqa: SIM905
) | {"convergent", "no_unwind", "nobuiltins", "will_return"}
"""Attributes that carry over from a function to one that refines it, and that runs respect. Neither is known of
others: under `llvm.readonly` no element may be written, not even with its own value, and float modes change ops."""


def _read_distinct(reader: Reader, op: ir.Operation) -> None:
    """Example: `%a, %b = memref.distinct_objects %A, %B : memref<8xf32>, memref<8xf32>`."""
    _require_certain(reader, op)
    views = [reader.view(op, operand) for operand in op.operands]
    for one, other in combinations((v.memory for v in views), 2):
        if one is other:
            reader.reject(op, f"two operands are of %{one.name}")
        _part(reader, op, one, other)
    for result, view in zip(op.results, views, strict=True):
        reader.views[result] = view


def _require_certain(reader: Reader, op: ir.Operation) -> None:
    if not reader.runs_once(op):
        reader.reject(
            op, "in a branch, a loop or an inlined call, it holds in some executions only, which is not supported"
        )


def _part(reader: Reader, op: ir.Operation, one: Memory, other: Memory) -> None:
    """Notes that two memories do not overlap, unless that is plain."""
    kinds = {one.kind, other.kind}
    if kinds == {MemoryKind.ARGUMENT}:
        reader.distinct.add((min(one.id, other.id), max(one.id, other.id)))
    elif kinds == {MemoryKind.ARGUMENT, MemoryKind.GLOBAL}:
        reader.reject(op, "that a global is distinct from an argument is not supported")


def _read_alignment(reader: Reader, op: ir.Operation) -> None:
    """Example: `%a = memref.assume_alignment %A, 16 : memref<8xf32>`."""
    _require_certain(reader, op)
    view, bytes_ = reader.view(op, op.operands[0]), ir.IntegerAttr(op.attributes["alignment"]).value
    if view.memory.kind is not MemoryKind.ARGUMENT or view.steps:
        reader.reject(op, "of anything but an argument as a whole, the address is not modelled")
    if bytes_ > LARGEST_ALIGNMENT:
        reader.reject(op, f"an alignment to more than {LARGEST_ALIGNMENT} bytes is not supported")
    reader.aligned.add((view.memory.id, bytes_))
    for result in op.results:
        reader.views[result] = view


def noalias(op: ir.Operation, memories: Iterable[Memory]) -> Iterable[tuple[int, int]]:
    """Pairs of arguments that do not overlap because one has the attribute `llvm.noalias`.

    `memories` are those of the function's arguments.
    """
    if "arg_attrs" not in op.attributes:
        return
    given = ir.ArrayAttr(op.attributes["arg_attrs"])
    marked = {n for n, attributes in enumerate(given) if _NOALIAS in ir.DictAttr(attributes)}
    for one, other in combinations(sorted(m.id for m in memories), 2):
        if one in marked or other in marked:
            yield one, other


def require_same(functions: tuple[Function, Function]) -> None:
    """Raises: Unsupported if the target assumes an alignment of an argument that the source does not."""
    source, target = functions
    for memory, bytes_ in sorted(target.aligned):
        if not any(m == memory and n % bytes_ == 0 for m, n in source.aligned):
            text = f"%{target.arguments[memory].name} is taken to be aligned to {bytes_} bytes, and not by the source"
            raise Unsupported(text, target.location)


def require_no_more(modules: tuple[ParsedModule, ParsedModule], names: tuple[str, str], called: bool = False) -> None:
    """Rejects a target whose `llvm` attributes state more than the source's: a compiler of the target makes use of it.

    This includes attributes of arguments and results. A function that is `called` may be given one memref twice,
    whatever is assumed of arguments.

    Raises: Unsupported.
    """
    ours, theirs = (_said(m.symbols[name], called) for m, name in zip(modules, names, strict=True))
    more = sorted(_texts(theirs - ours))
    if more:
        place = locate(modules[1].symbols[names[1]].location, modules[1].file)
        raise Unsupported(f"of @{names[1]} {more[0]}, and not in the source", place)
    modes = sorted(_texts((place, text) for place, text in ours - theirs if text.split(" ")[0] in HANDED_ON))
    if modes:
        place = locate(modules[0].symbols[names[0]].location, modules[0].file)
        raise Unsupported(f"of @{names[0]} {modes[0]}, and not in the target", place)


def said_alone(modules: tuple[ParsedModule, ParsedModule], names: tuple[str, str], callees: Iterable[str]) -> str:
    """What `llvm` attributes state in the source but not in the target; empty if they state the same.

    This covers the compared function and the functions without a body that it calls. A target that stated it too would
    not be proved.

    Requires: `require_no_more` of each pair.
    """
    pairs = ((names, False), *(((callee, callee), True) for callee in callees))
    said = ([_said(m.symbols[n], called) for m, n in zip(modules, pair, strict=True)] for pair, called in pairs)
    alone = sorted(text for ours, theirs in said for text in _texts(ours - theirs))
    return f"in the source alone {alone[0]}" if alone else ""


def require_kept(module: ParsedModule, name: str, functions: tuple[Function, Function]) -> None:
    """Rejects attributes that both functions have and that need not carry over to a refinement, unless they are the
    same program.

    Raises: Unsupported.
    """
    said = _lost(module.symbols[name])
    if said and not same_program(*functions):
        place = locate(module.symbols[name].location, module.file)
        raise Unsupported(f"of @{name} {said[0]}, of which it is not known whether it is kept", place)


def unanswered(module: ParsedModule, callees: Iterable[str]) -> str:
    """What `llvm` attributes state about functions without a body that their random answers in a run need not
    respect; empty if nothing."""
    declared = ((name, module.symbols[name]) for name in callees)
    return next((f"of @{name} {said[0]}" for name, op in declared if (said := _lost(op, called=True))), "")


def _lost(op: ir.Operation, called: bool = False) -> list[str]:
    """The attributes of a function that are not `_KEPT`; if it is `called`, also that it may not be given one memref
    twice."""
    kept = _KEPT - {_NOALIAS} if called else _KEPT
    return sorted(_texts((place, text) for place, text in _said(op, called) if text.split(" ")[0] not in kept))


def _texts(said: Iterable[tuple[str, str]]) -> Iterable[str]:
    return (f"{place} has `{text}`" for place, text in said)


def require_silent(reader: Reader, op: ir.Operation, callee: ir.Operation, name: str) -> None:
    """Rejects a call that has such attributes, or whose inlined callee does: they hold in some executions only."""
    for place, text in sorted(_said(callee, everything=True)):
        reader.reject(op, f"of the call of @{name} {place} has `{text}`")


def _said(op: ir.Operation, everything: bool = False) -> set[tuple[str, str]]:
    """The `llvm` attributes of a function or call, and those copied to LLVM, as (place, text).

    Without `everything`, attributes of arguments that are understood here are left out.
    """
    attributes = op.attributes
    named = ((n, t) for n, t in readable(op).items() if n.startswith(_LLVM) or n in HANDED_ON)
    own = {("all", f"{n} = {t}") for n, t in named if n not in _NOT_SAID}
    for name, what in (("arg_attrs", "argument"), ("res_attrs", "result")):
        for number, given in enumerate(ir.ArrayAttr(attributes[name]) if name in attributes else ()):
            parts = [ir.DictAttr(given)[k] for k in range(len(ir.DictAttr(given)))]
            own |= {
                (f"{what} {number}", f"{part.name} = {part.attr}")
                for part in parts
                if part.name.startswith(_LLVM) and (everything or what == "result" or part.name != _NOALIAS)
            }
    return own


HANDLERS: Mapping[str, Handler] = {
    "memref.distinct_objects": _read_distinct,
    "memref.assume_alignment": _read_alignment,
}
