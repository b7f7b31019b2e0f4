"""`hecv replay`, the map: a certificate and two texts to an answer, without any search.

The programs are read anew (`hecv.frontend`), and nothing that the certificate says is taken on trust: each step is
checked by `hecv.replay`. Neither the e-graph nor a search for rules or inductions is imported.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from hecv.base.diag import Unsupported
from hecv.base.term import TermPool
from hecv.certificate.errors import Malformed, Rejected
from hecv.certificate.format import (
    Aligned,
    Certificate,
    Dataflow,
    FunctionProof,
    Identity,
    Options,
    digest,
    read,
)
from hecv.frontend.lowering import lowered
from hecv.frontend.mlir import ParsedModule, Signature, functions, parse, read_pair
from hecv.graph.identity import same_program
from hecv.graph.tree import Function
from hecv.replay import dataflow
from hecv.replay.aligned import replay_aligned
from hecv.replay.solver import Name, Solver
from hecv.replay.table import table_digest
from hecv.verdict.assumptions import Constraint
from hecv.verdict.pairing import constraints_of, pair_functions
from hecv.verdict.switches import Switches, unproved
from hecv.verdict.worker import Limits, Stopped, run_apart

INTERNAL: Final = "checker"


@dataclass(frozen=True, slots=True)
class Accepted:
    """The certificate proves its verdict on these functions, by proofs of these kinds."""

    verdict: str
    functions: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, slots=True)
class Refused:
    """The certificate does not prove what it claims: the step that fails, and why."""

    step: str
    why: str


@dataclass(frozen=True, slots=True)
class Pair:
    """Two functions of two modules, and what is assumed of them."""

    modules: tuple[ParsedModule, ParsedModule]
    names: tuple[str, str]
    constraints: tuple[Constraint, ...]


def replay(
    text: str, programs: tuple[str, str], names: tuple[str, str], solver: Name, limits: Limits
) -> Accepted | Refused:
    """Whether a certificate proves its verdict about two programs; `names` are the files' names.

    Raises: InputError where a program is none; Malformed where the text is no certificate.
    """
    certificate = read(text)
    modules = parse(programs[0], names[0]), parse(programs[1], names[1])
    try:
        pairs = pairs_of(certificate, programs, modules)
    except Rejected as problem:
        return Refused(problem.step, problem.why)
    for pair, proof in zip(pairs, certificate.functions, strict=True):
        refused = checked(pair, proof, certificate.options, solver, limits)
        if refused is not None:
            return Refused(f"@{pair.names[0]}, {refused.step}", refused.why)
    found = tuple((f.source, f.verdict, kind_of_proof(f)) for f in certificate.functions)
    return Accepted(certificate.verdict, found)


def checked(pair: Pair, proof: FunctionProof, options: Options, solver: Name, limits: Limits) -> Refused | None:
    """Why the proof about one pair of functions is refused, None where it is not; checked in a process of its own."""
    outcome = run_apart(lambda _: _refusal(pair, proof, options, solver), limits, lambda _stage, _seconds: None)
    if isinstance(outcome, Stopped):
        return Refused(INTERNAL, f"it ended without an answer: {outcome.text.strip().splitlines()[-1]}")
    return outcome


def kind_of_proof(proof: FunctionProof) -> str:
    """How a proof is written down, in a word."""
    return type(proof.proof).__name__.lower()


def _refusal(pair: Pair, proof: FunctionProof, options: Options, solver: Name) -> Refused | None:
    try:
        check_function(pair, proof, options, Solver(solver, options.index_width))
    except (Rejected, Malformed) as problem:
        return Refused(getattr(problem, "step", "form"), getattr(problem, "why", str(problem)))
    except Exception as problem:  # what makes the checker fail is not accepted
        return Refused(INTERNAL, f"it cannot be checked: {type(problem).__name__}: {problem}")
    return None


def check_function(pair: Pair, proof: FunctionProof, options: Options, solver: Solver) -> None:
    """Checks the proof about one pair of functions.

    Raises: Rejected, Malformed.
    """
    pool = TermPool()
    modules = _lowered(pair.modules) if proof.lowered else pair.modules
    try:
        both = read_pair(modules, pair.names, pool)
    except Unsupported as problem:
        raise Rejected("programs", f"they have no meaning here: {problem.text}") from None
    if any(function.callees for function in both):
        raise Rejected("programs", "they call themselves, which no step of a certificate speaks of")
    converse = _check(pool, both, pair, proof, options, solver)
    if proof.verdict == "equivalent" and not converse:
        raise Rejected("verdict", "the source is not shown to refine the target")


def _check(
    pool: TermPool,
    both: tuple[Function, Function],
    pair: Pair,
    proof: FunctionProof,
    options: Options,
    solver: Solver,
) -> bool:
    """Whether the converse is shown, too."""
    match proof.proof:
        case Identity():
            if not same_program(*both):
                raise Rejected("identity", "the functions are not the same program")
            return True
        case Aligned(values):
            switches = switches_of(options)
            if options.floats != "strict" or unproved(both, switches) is not None:
                raise Rejected("options", "a proof statement by statement does not hold under these switches")
            return replay_aligned(pool, both, values, solver, options.index_width)
        case Dataflow(data):
            given = [c.term(pool, both[0]) for c in pair.constraints]
            return dataflow.replay(data, pool, both, given, options, solver)


def _lowered(modules: tuple[ParsedModule, ParsedModule]) -> tuple[ParsedModule, ParsedModule]:
    found = [lowered(module) for module in modules]
    if not any(found):
        raise Rejected("lowering", "there is nothing to lower")
    first, second = (m if f is None else f[0] for m, f in zip(modules, found, strict=True))
    return first, second


def switches_of(options: Options) -> Switches:
    """The switches among the options of a certificate."""
    floats = options.floats
    assert floats in ("strict", "reassoc", "real")
    return Switches(options.index_width, options.index_wraps, options.may_overlap, floats)


# The programs


def pairs_of(
    certificate: Certificate, programs: tuple[str, str], modules: tuple[ParsedModule, ParsedModule]
) -> list[Pair]:
    """The pairs of functions that the check was about.

    Raises: Rejected where the certificate is about other programs, laws or functions; InputError.
    """
    for side, claimed, text in zip(
        ("source", "target"), (certificate.source, certificate.target), programs, strict=True
    ):
        if claimed != digest(text):
            raise Rejected("programs", f"the {side} is not the one that was certified")
    if certificate.rules != table_digest():
        raise Rejected("rules", "the laws are not those that it was made by")
    options = certificate.options
    files = (modules[0].file, modules[1].file)
    chosen, _ = pair_functions(functions(modules[0]), functions(modules[1]), files, options.functions)
    constraints = constraints_of([source for source, _ in chosen], options.assume)
    _require_covered(certificate, chosen)
    return [
        Pair(modules, (source.name, target.name), given)
        for (source, target), given in zip(chosen, constraints, strict=True)
    ]


def _require_covered(certificate: Certificate, chosen: Sequence[tuple[Signature, Signature]]) -> None:
    wanted = [(source.name, target.name) for source, target in chosen]
    if wanted != [(f.source, f.target) for f in certificate.functions]:
        raise Rejected("functions", "the functions are not those that the programs have")
    weakest = "equivalent" if all(f.verdict == "equivalent" for f in certificate.functions) else "refines"
    if certificate.verdict != weakest:
        raise Rejected("verdict", "it is not that of the functions")


def certificate_of(programs: tuple[str, str], options: Options, proofs: Sequence[FunctionProof]) -> Certificate:
    """The certificate of a check whose functions have these proofs."""
    verdict = "equivalent" if all(f.verdict == "equivalent" for f in proofs) else "refines"
    return Certificate(digest(programs[0]), digest(programs[1]), table_digest(), options, verdict, tuple(proofs))
