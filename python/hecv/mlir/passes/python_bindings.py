"""Pass runner that uses MLIR's Python bindings, on one module in memory."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final, TextIO

from torch_mlir import ir
from torch_mlir.passmanager import PassManager

from hecv.base.diagnostics import Diagnostic
from hecv.mlir.module.parsed_module import BUFFER, locate
from hecv.mlir.module.source_text import SourceNames, display_name
from hecv.mlir.passes.pass_names import NAMES
from hecv.mlir.passes.pass_pipeline import Pass
from hecv.mlir.passes.pass_runner import Ran, Stage, Trial, failed

_WORD: Final = re.compile(r"[A-Za-z_][\w$.-]*")


class Bindings:
    """A `Runner`: the passes in the bindings with which `hecv` reads MLIR."""

    def try_out(self, pipeline: str) -> Trial:
        """The result of parsing the pipeline and running it on an empty module."""
        with tempfile.TemporaryFile("w+", errors="replace") as said:
            with _errors_to(said):
                expanded, problem = _try_out(pipeline)
            said.seek(0)
            return Trial(expanded, said.read() + problem)

    def run(self, text: str, file: str, passes: Sequence[Pass], stage: Stage) -> Ran:
        """Runs the passes; their output is printed with the SSA names of `text`."""
        context = _context()
        module = ir.Module.parse(text, context)
        keep_names(module, SourceNames(text), text.split("\n"))
        texts: list[str] = []
        for number, one in enumerate(passes):
            stage(f"running {one}", number)
            try:
                with context:
                    PassManager.parse(one.pipeline).run(module.operation)
            except (ir.MLIRError, ValueError) as error:
                return Ran(tuple(texts), tuple(_problems(one, error, display_name(file))))
            texts.append(module.operation.get_asm(use_name_loc_as_prefix=True))
        return Ran(tuple(texts))

    def names(self) -> Iterable[str]:
        """The names of passes."""
        return NAMES

    def listing(self) -> str:
        """Help text for an unknown pass name."""
        return "`mlir-opt --list-passes` lists passes; --tool runs those of a tool, its test passes too"


def _context() -> ir.Context:
    """A context without threads, so that the order of what passes do is fixed."""
    context = ir.Context()
    context.enable_multithreading(False)
    context.allow_unregistered_dialects = True
    return context


def _try_out(pipeline: str) -> tuple[str | None, str]:
    """The full text of the pipeline if it can be parsed, and the error on running it."""
    expanded: str | None = None
    with _context(), ir.Location.unknown():
        try:
            manager = PassManager.parse(pipeline)
            expanded = str(manager)
            manager.run(ir.Module.parse("module {}").operation)
        except (ir.MLIRError, ValueError) as error:
            return expanded, str(error)
    return expanded, ""


@contextmanager
def _errors_to(said: TextIO) -> Generator[None]:
    """Redirects standard error to the file `said`: MLIR writes errors in options there."""
    before = os.dup(2)
    os.dup2(said.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(before, 2)
        os.close(before)


def _problems(one: Pass, error: Exception, file: str) -> Iterator[Diagnostic]:
    """The diagnostics of a failed pass."""
    told = list(error.error_diagnostics) if isinstance(error, ir.MLIRError) else []
    if not told:
        yield failed(one, str(error).strip() or "it failed and did not say why")
    for problem in told:
        message = f"{one}: {problem.message.strip()}"
        yield Diagnostic("error", "pass-failed", message, locate(problem.location, file))
        for note in problem.notes:
            if not note.message.startswith("see current operation"):
                yield Diagnostic("note", "pass-failed", note.message.strip(), locate(note.location, file))


# Names of values, which the parser drops: they are kept as names of locations, and the printer uses them.


def keep_names(module: ir.Module, names: SourceNames, lines: list[str]) -> None:
    """Makes the module print with the SSA names of the text that it was parsed from."""

    def visit(op: ir.Operation) -> ir.WalkResult:
        place = op.location
        if len(op.results) and _is_in_text(place):
            _name(op, names.result(place.start_line, place.start_col), place)
        for argument in (a for region in op.regions for block in region.blocks for a in block.arguments):
            if _is_in_text(argument.location):
                _name_argument(argument, lines)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)


def _is_in_text(place: ir.Location) -> bool:
    return isinstance(place, ir.FileLineColLoc) and place.filename == BUFFER


def _name(op: ir.Operation, name: str | None, place: ir.Location) -> None:
    if name is not None and _WORD.fullmatch(name):
        op.location = ir.Location.name(name, place, place.context)


def _name_argument(argument: ir.BlockArgument, lines: list[str]) -> None:
    place = argument.location
    line = lines[place.start_line - 1] if 0 < place.start_line <= len(lines) else ""
    if line[place.start_col - 1 : place.start_col] != "%":
        return
    name = _WORD.match(line, place.start_col)
    if name is not None:
        argument.set_location(ir.Location.name(name[0], place, place.context))
