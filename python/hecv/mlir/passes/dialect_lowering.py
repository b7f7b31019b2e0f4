"""Dialects defined by MLIR's lowering of them: `tosa` and `stablehlo` on tensors, lowered to `linalg`.

The lowering is trusted, and a verdict that rests on it says so. Every op outside these dialects must still be there
afterwards, once: passes also drop unused ops, including one that is undefined. An op of these dialects that may be
undefined is therefore given a use.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from itertools import product
from typing import Any, Final

from msgspec.structs import replace
from torch_mlir import ir, passmanager

from hecv.mlir.module.parsed_module import ParsedModule, symbols_of
from hecv.mlir.module.symbol_closure import needed_by
from hecv.mlir.passes.scale_demands import demand_scales
from hecv.mlir.read.uninterpreted_ops import TRAPPING, says_of_indices
from hecv.ops.facts.impure_ops import NO_FUNCTIONS

PASSES: Any = passmanager

_TOSA: Final = (
    "tosa-infer-shapes, tosa-make-broadcastable, tosa-to-scf, tosa-to-linalg-named, tosa-to-linalg",
    "tosa-to-arith{include-apply-rescale=1}, tosa-to-tensor",
)

PIPELINES: Final[Mapping[str, tuple[tuple[str, ...], ...]]] = {
    # Only where an op is not lowered it is made of others first: a transposed convolution of a convolution.
    "tosa": (_TOSA, (f"tosa-infer-shapes, tosa-optional-decompositions, {_TOSA[0]}", _TOSA[1])),
    "stablehlo": (("stablehlo-legalize-to-linalg",),),
}
"""The passes on functions that lower each dialect, in steps; the first that lower every op are used."""


_ACCURACY: Final = ("result_accuracy", "precision_config")
"""Attributes that state how much an op may be rounded: the default, or as stated."""

MISREAD: Final = NO_FUNCTIONS | {"stablehlo.select_and_scatter"}
"""Ops whose lowering has another meaning: random numbers become the same each time, and a selection over a window
starts from an element that was never written."""


def lowered(module: ParsedModule, function: str, demanding: bool = False) -> tuple[ParsedModule, frozenset[str]] | None:
    """The module with ops of these dialects lowered, and the dialects that it had.

    If `demanding`, assertions say what `tosa.apply_scale` requires of its operands: beyond that, what MLIR makes of it
    is one of several results. MLIR makes other ops of it, too, of which less is required: so this serves to leave
    inputs out, and not to prove anything.

    Functions that `function` does not need are removed. None if the rest has no such op, if MLIR does not lower all of
    them, or if the lowering drops what an op states of its operands or rounding. Ops keep their source locations.
    """
    others = module.symbols.keys() - needed_by(module, (function,)).keys()
    needed = _without(module, others)
    dialects = _dialects(needed) & PIPELINES.keys()
    if not dialects or _says_more(needed):
        return None
    if "stablehlo" in dialects:
        _register_stablehlo()
    ways = product(*(PIPELINES[dialect] for dialect in sorted(dialects)))
    for pipelines, hidden in product(ways, range(3)):
        made = _lowered(module, others, pipelines, hidden, demanding)
        if made is not None:
            return replace(module, module=made, symbols=symbols_of(made), lowered=str(made)), frozenset(dialects)
    return None


def _says_more(module: ir.Module) -> bool:
    """True if an op states more than its lowering, or something else."""
    found: list[ir.Operation] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        accuracy = "".join(str(op.attributes[name]) for name in _ACCURACY if name in op.attributes)
        exact = any(word in accuracy for word in ("HIGH", "TOLERANCE"))
        found.extend([op] if op.name in MISREAD or exact or says_of_indices(op) else [])
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    return bool(found)


def _without(module: ParsedModule, others: Container[str]) -> ir.Module:
    """A copy of a module without the functions `others`."""
    text = module.module.operation.get_asm(enable_debug_info=True)
    made = ir.Module.parse(text, module.module.context)
    for name, op in symbols_of(made).items():
        if name in others and op.name == "func.func":
            op.erase()
    return made


def _lowered(
    module: ParsedModule, others: Container[str], pipelines: Iterable[Iterable[str]], hidden: int, demanding: bool
) -> ir.Module | None:
    """The module without the functions `others` after some pipelines; None if an op of the dialects is left.

    If `hidden`, literals used by other ops are hidden from the passes; if it is 2, so are the ops of `tensor`.
    """
    try:
        made = _without(module, others)
        _use_partial(made)
        marked = _mark(made)
        if hidden:
            _hide_literals(made)
        if hidden > 1:
            _hide_tensors(made)
        for step in (step for pipeline in pipelines for step in pipeline):
            PASSES.PassManager.parse(f"builtin.module(func.func({step}))", made.context).run(made.operation)
            if demanding:
                demand_scales(made)
    except ir.MLIRError:
        return None
    _show_literals(made)
    if not _show_tensors(made) or _unmark(made) != marked:
        return None
    _drop_uses(made)
    _drop_shapes(made)
    return None if _dialects(made) & PIPELINES.keys() else made


def _dialects(module: ir.Module) -> frozenset[str]:
    """The dialects of all ops."""
    found: set[str] = set()

    def visit(op: ir.Operation) -> ir.WalkResult:
        found.add(op.name.partition(".")[0])
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    return frozenset(found)


_USE: Final = "hecv.use"
_LITERAL: Final = "hecv.literal"
_LINK: Final = "hecv.link"
_MARK: Final = "hecv.left_alone"
_NOTHING: Final = frozenset({"arith.constant", "tensor.empty"})
"""Ops that may disappear if unused."""


def _mark(module: ir.Module) -> list[int]:
    """Numbers the ops outside the lowered dialects."""
    numbers: list[int] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        if op.name.partition(".")[0] not in PIPELINES and op.name not in _NOTHING:
            op.attributes[_MARK] = ir.IntegerAttr.get(ir.IntegerType.get_signless(64, op.context), len(numbers))
            numbers.append(len(numbers))
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    return numbers


def _unmark(module: ir.Module) -> list[int]:
    """Removes the numbers and gives them."""
    numbers: list[int] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        if _MARK in op.attributes:
            numbers.append(ir.IntegerAttr(op.attributes[_MARK]).value)
            del op.attributes[_MARK]
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    return sorted(numbers)


def _use_partial(module: ir.Module) -> None:
    """Uses the results of every op that may be undefined in an op unknown to passes."""
    with module.context, ir.Location.unknown():
        for op in _named(module, TRAPPING):
            ir.Operation.create(_USE, operands=list(op.results), ip=ir.InsertionPoint.after(op))


def _drop_uses(module: ir.Module) -> None:
    """Removes those uses."""
    for op in _named(module, {_USE}):
        op.erase()


def _named(module: ir.Module, names: Container[str]) -> list[ir.Operation]:
    found: list[ir.Operation] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        found.extend([op] if op.name in names else [])
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    return found


def _hide_literals(module: ir.Module) -> None:
    """Replaces the literals used by other ops by ops unknown to passes, which would fold `x - 0` away."""
    for constant in _named(module, {"arith.constant"}):
        users = [u for u in constant.result.uses if _MARK in u.owner.attributes]
        if not users:
            continue
        other = _instead(constant, _LITERAL)
        for use in users:
            use.owner.operands[use.operand_number] = other.result


def _show_literals(module: ir.Module) -> None:
    """Makes the hidden literals constants again."""
    for op in _named(module, {_LITERAL}):
        op.result.replace_all_uses_with(_instead(op, "arith.constant").result)
        op.erase()


def _hide_tensors(module: ir.Module) -> None:
    """Puts ops unknown to passes around the ops of `tensor`, which would be folded away with what uses them: a slice of
    what was just inserted, a reshape of a reshape."""
    for op in _named(module, _Tensors()):
        for number, value in enumerate(list(op.operands)):
            if not isinstance(value.owner, ir.Block):
                op.operands[number] = _link(value, ir.InsertionPoint(op))
        for result in op.results:  # `tensor.yield` has none
            link = _link(result, ir.InsertionPoint.after(op))
            for use in [u for u in result.uses if u.owner.operation != link.owner.operation]:
                use.owner.operands[use.operand_number] = link


def _link(value: ir.Value, place: ir.InsertionPoint) -> ir.Value:
    with value.context, ir.Location.unknown():
        return ir.Operation.create(_LINK, [value.type], [value], ip=place).result


def _show_tensors(module: ir.Module) -> bool:
    """Removes these ops; False if one is of another type than what it hides, of which a pass found out more."""
    for op in _named(module, {_LINK}):
        if op.operands[0].type != op.result.type:
            return False
        op.result.replace_all_uses_with(op.operands[0])
        op.erase()
    return True


class _Tensors:
    """The names of all ops of `tensor`."""

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name.startswith("tensor.")


def _instead(op: ir.Operation, name: str) -> ir.Operation:
    """Builds an op of another name before `op`, to replace its value."""
    value = {"value": op.attributes["value"]}
    with op.context, op.location:
        return ir.Operation.create(name, results=[op.result.type], attributes=value, ip=ir.InsertionPoint(op))


def _drop_shapes(module: ir.Module) -> None:
    """Removes unused constant shapes that the lowering leaves behind."""
    for op in _named(module, {"tosa.const_shape"}):
        if not any(True for _ in op.result.uses):
            op.erase()


def _register_stablehlo() -> None:
    from torch_mlir._mlir_libs import _stablehlo

    _stablehlo.register_stablehlo_passes()
