"""What is called equal, as MLIR compiles and runs it: a reader that takes two programs for one runs both alike."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Final

from hecv.base.types import MemRefType, ScalarType, Type
from hecv.base.value import Poison, Value
from hecv.mlir.importer import ParsedModule
from hecv.mlir.module.symbol_closure import code_for
from hecv.program.tree import Function, Role
from hecv.run import jit
from hecv.run.interpreter.interpreter import Finished, Outcome

from .running import unrefined

CALLS: Final = 6
SECONDS: Final = 10.0


def confirmed(
    module: ParsedModule,
    target: Function,
    runs: Sequence[tuple[tuple[Value, ...], Outcome]],
    index_width: int,
) -> tuple[bool, str | None]:
    """Whether MLIR ran a target that is called equal, and where it does not compute what the source computed in `runs`.

    Requires: the target refines the source, if it was read and proved well: only then is no run undefined.
    """
    given = list(islice(((a, end) for a, end in runs if isinstance(end, Finished) and _whole(a)), CALLS))
    if not given:
        return False, None
    types: list[Type] = [a.type for a in target.arguments]
    results: list[ScalarType] = [m.element for m in target.results]
    hidden = [(g.name.removeprefix("@"), g.type) for g in target.globals if isinstance(g.type, MemRefType)]
    text = code_for(module, (target.name, *(name for name, _ in hidden)))
    limits = {"seconds": SECONDS, "index_width": index_width}
    calls = [arguments for arguments, _ in given]
    found = jit.run_many(text, target.name, calls, types, results, globals=hidden, **limits)
    ran = False
    for (arguments, end), theirs in zip(given, found, strict=True):
        if not isinstance(theirs, jit.Finished):
            continue
        ran = True
        kept = (
            before if a.role is Role.VALUE else after
            for a, before, after in zip(target.inputs(), arguments, theirs.arguments, strict=True)
        )
        wrong = unrefined(end, Finished(theirs.results, tuple(kept), 0))
        if wrong is not None:
            return True, f"by MLIR {wrong} on {arguments}"
    return ran, None


def _whole(arguments: tuple[Value, ...]) -> bool:
    return not any(isinstance(a, Poison) for a in arguments)
