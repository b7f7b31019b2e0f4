"""Which functions of two modules are compared, and what is assumed of each."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from hecv.base.diagnostics import Diagnostic, InputError
from hecv.claim.assumptions import Constraint, Parameter, parse_assumption
from hecv.mlir.importer import ParsedModule, Signature, functions, same_signature
from hecv.mlir.module.nested_modules import programs, qualified


def pair_functions(
    sources: Sequence[Signature],
    targets: Sequence[Signature],
    files: tuple[str, str],
    wanted: Sequence[str],
    by_name_alone: bool = False,
) -> tuple[list[tuple[Signature, Signature]], list[Diagnostic]]:
    """Public functions by name, a single one on each side whatever its name, unless `by_name_alone`; and what has no
    partner in the source.

    Raises: InputError where a function is missing or has another signature.
    """
    if not sources:
        hint = "private and nested functions count only through their callers"
        raise InputError(Diagnostic("error", "no-function", f"{files[0]} has no public function", help=hint))
    if len(sources) == len(targets) == 1 and not by_name_alone:
        pairs = [(sources[0], targets[0])]
    else:
        by_name = {t.name: t for t in targets}
        chosen = [s for s in sources if s.name in wanted] if wanted else sources
        _require(chosen, by_name, files[1])
        pairs = [(s, by_name[s.name]) for s in chosen]
    _require_wanted(wanted, sources, files[0])
    problems = [d for s, t in pairs for d in _signature_problems(s, t)]
    if problems:
        raise InputError(*problems)
    paired = {t.name for _, t in pairs}
    extra = [t for t in targets if t.name not in paired and not wanted]
    return pairs, [Diagnostic("warning", "extra-function", _extra_text(t), t.location) for t in extra]


Paired = tuple[tuple[ParsedModule, ParsedModule], Signature, Signature, str]
"""Two functions, the programs that they are in, and their name in reports."""


def pair_programs(
    modules: tuple[ParsedModule, ParsedModule], wanted: Sequence[str], lenient: bool = False
) -> tuple[list[Paired], list[Diagnostic]]:
    """`pair_functions` on two modules and on the modules nested in them, by symbol path.

    If `lenient`, there may be none, as in a chunk of a file.

    Raises: InputError.
    """
    files = modules[0].file, modules[1].file
    targets = dict(programs(modules[1]))
    sources = [(path, source, functions(source)) for path, source in programs(modules[0])]
    known = [replace(f, name=qualified(path, f.name)) for path, _, found in sources for f in found]
    if not lenient:
        _require_wanted(wanted, known, files[0])
    pairs, warnings = list[Paired](), list[Diagnostic]()
    for path, source, found in sources:
        chosen = [f.name for f in found if qualified(path, f.name) in wanted]
        if not (chosen if wanted else found) and (lenient or len(sources) > 1):
            continue
        if path not in targets:
            raise InputError(*(_missing(f, qualified(path, f.name), files[1]) for f in found))
        target = targets[path]
        matched, more = pair_functions(found, functions(target), files, chosen, lenient)
        pairs += [((source, target), s, t, qualified(path, s.name)) for s, t in matched]
        warnings += more
    if not pairs and not lenient:
        pair_functions(known, known, files, wanted)
    paths = {path for path, _, _ in sources}
    extra = [f for path, target in targets.items() if path not in paths and not wanted for f in functions(target)]
    return pairs, [*warnings, *(Diagnostic("warning", "extra-function", _extra_text(f), f.location) for f in extra)]


def _missing(source: Signature, name: str, file: str) -> Diagnostic:
    return Diagnostic("error", "missing-function", f"{file} has no public function @{name}", source.location)


def _extra_text(extra: Signature) -> str:
    return f"@{extra.name} is public in the target only: it is compared with nothing"


def _require_wanted(wanted: Sequence[str], sources: Sequence[Signature], file: str) -> None:
    known = {s.name for s in sources}
    hint = "there are: " + ", ".join(f"@{s.name}" for s in sources)
    missing = [
        Diagnostic("error", "missing-function", f"{file} has no public function @{name}", help=hint)
        for name in wanted
        if name not in known
    ]
    if missing:
        raise InputError(*missing)


def _require(sources: Sequence[Signature], targets: dict[str, Signature], file: str) -> None:
    hint = f"public functions of the target: {', '.join('@' + n for n in targets) or 'none'}"
    missing = [
        Diagnostic("error", "missing-function", f"{file} has no public function @{s.name}", s.location, hint)
        for s in sources
        if s.name not in targets
    ]
    if missing:
        raise InputError(*missing)


def _signature_problems(source: Signature, target: Signature) -> list[Diagnostic]:
    if same_signature(source, target):
        return []
    message = f"@{target.name} has type {target.type_text}, expected {source.type_text}"
    hint = "a transformation has to keep the signature, extents of memrefs included"
    if source.op != target.op:
        hint = "functions are read as func.func: compare the programs before such a lowering"
    return [
        Diagnostic("error", "signature-mismatch", message, target.location, hint),
        Diagnostic("note", "signature-mismatch", f"the source's @{source.name} is here", source.location),
    ]


def constraints_of(sources: Sequence[Signature], texts: Sequence[str]) -> list[tuple[Constraint, ...]]:
    """The constraints for each function; a text applies to the functions that have the arguments it names.

    Raises: InputError where a text fits no function.
    """
    given: list[list[Constraint]] = [[] for _ in sources]
    for line, text in enumerate(texts, 1):
        problem: InputError | None = None
        fits = False
        for constraints, source in zip(given, sources, strict=True):
            named = zip(source.argument_names, source.argument_types, strict=True)
            parameters = [Parameter(k, n, t) for k, (n, t) in enumerate(named)]
            try:
                constraints.extend(parse_assumption(text, line, parameters))
                fits = True
            except InputError as error:
                problem = problem or error
        if problem is not None and not fits:
            raise problem
    return [tuple(constraints) for constraints in given]
