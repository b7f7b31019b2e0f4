"""Which functions of two modules are compared, and what is assumed of each."""

from __future__ import annotations

from collections.abc import Sequence

from hecv.base.diagnostics import Diagnostic, InputError
from hecv.claim.assumptions import Constraint, Parameter, parse_assumption
from hecv.mlir.importer import Signature, same_signature


def pair_functions(
    sources: Sequence[Signature], targets: Sequence[Signature], files: tuple[str, str], wanted: Sequence[str]
) -> tuple[list[tuple[Signature, Signature]], list[Diagnostic]]:
    """Public functions by name, a single one on each side whatever its name; and what has no partner in the source.

    Raises: InputError where a function is missing or has another signature.
    """
    if not sources:
        hint = "private functions count only through their callers"
        raise InputError(Diagnostic("error", "no-function", f"{files[0]} has no public function", help=hint))
    if len(sources) == len(targets) == 1:
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
