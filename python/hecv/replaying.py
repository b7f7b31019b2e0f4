"""`hecv replay`: check a certificate against the two programs that it is about, without any search.

The programs are read again (`hecv.mlir`), and nothing in the certificate is trusted: `hecv.kernel` checks each step.
Neither the e-graph nor any search for rules or inductions is imported.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from hecv.base.diagnostics import Unsupported
from hecv.base.term import Term, TermPool
from hecv.claim import call_induction
from hecv.claim.assumptions import Constraint, assumed, of_calls, of_literals, of_lowering
from hecv.claim.result import Assumption
from hecv.claim.semantic_options import Switches, overlapping, require_wide, unproved, unproved_by_dataflow
from hecv.kernel import dataflow_check
from hecv.kernel.bounded_while_check import replay_bounded
from hecv.kernel.certificate.closed_form_format import Invariant
from hecv.kernel.certificate.file_format import (
    Aligned,
    Bounded,
    Certificate,
    Dataflow,
    Elements,
    Form,
    FunctionProof,
    Gathered,
    Identity,
    Inputs,
    Options,
    Results,
    Simulation,
    Theorems,
    Turns,
    Via,
    digest,
    read,
)
from hecv.kernel.certificate.rejection import Malformed, Rejected
from hecv.kernel.integer_results_check import replay_results
from hecv.kernel.normal_form_check import replay_form
from hecv.kernel.program_changes import change_named, changed
from hecv.kernel.statementwise_check import replay_aligned
from hecv.kernel.terms.law_digest import table_digest
from hecv.kernel.terms.solvers import Name, Solver
from hecv.kernel.while_induction_check import replay_turns
from hecv.mlir.control.recursive_calls import own_name
from hecv.mlir.importer import ParsedModule, Signature, parse_both, read_pair
from hecv.mlir.module.scalable_lanes import as_lanes
from hecv.mlir.module.unregistered_ops import as_calls
from hecv.mlir.passes.dialect_lowering import lowered
from hecv.process.worker_pool import Limits, Stopped, run_all, run_apart
from hecv.program.structural_equality import same_program
from hecv.program.tree import Function, Loop, walk
from hecv.verdict.pairing import constraints_of, pair_programs

INTERNAL: Final = "checker"

WIDTH: Final = 64
"""The default width of `index`."""


class OnTrust(Struct, frozen=True):
    """An instance of a user's rule, and the certificate's evidence for the rule: tested, or only trusted."""

    rule: str
    instance: str
    known: str


class Accepted(Struct, frozen=True):
    """The certificate proves its verdict on these functions, by proofs of these kinds.

    It does so under the `assumptions`, and if the `trusted` rule instances hold.
    """

    verdict: str
    functions: tuple[tuple[str, str, str], ...]
    trusted: tuple[OnTrust, ...] = ()
    assumptions: tuple[Assumption, ...] = ()


class Shown(Struct, frozen=True):
    """The proof holds under assumptions, and if the `trusted` rule instances hold."""

    assumptions: tuple[Assumption, ...] = ()
    trusted: tuple[OnTrust, ...] = ()


class Refused(Struct, frozen=True):
    """The certificate does not prove its claim: the step that fails, and why."""

    step: str
    why: str


class Pair(Struct, frozen=True):
    """Two functions of two modules, and the constraints assumed of their inputs."""

    modules: tuple[ParsedModule, ParsedModule]
    names: tuple[str, str]
    constraints: tuple[Constraint, ...]


def replay(
    text: str, programs: tuple[str, str], names: tuple[str, str], solver: Name, limits: Limits, trust: bool = False
) -> Accepted | Refused:
    """Checks a certificate about two programs; `names` are the names of their files.

    With `trust`, users' rules may be taken on trust.

    Raises: InputError if a program is invalid; Malformed if the text is not a certificate.
    """
    certificate = read(text)
    modules = as_lanes(as_calls(parse_both(programs, names), frozenset()))
    try:
        pairs = pairs_of(certificate, programs, modules)
    except Rejected as problem:
        return Refused(problem.step, problem.why)
    trusted: dict[OnTrust, None] = {}
    assumptions = dict.fromkeys(_of_options(certificate.options))
    for pair, outcome in zip(pairs, _all_checked(pairs, certificate, solver, limits, trust), strict=True):
        if isinstance(outcome, Refused):
            return Refused(f"@{pair.names[0]}, {outcome.step}", outcome.why)
        trusted |= dict.fromkeys(outcome.trusted)
        assumptions |= dict.fromkeys(outcome.assumptions)
    found = tuple((f.source, f.verdict, kind_of_proof(f)) for f in certificate.functions)
    return Accepted(certificate.verdict, found, tuple(trusted), tuple(assumptions))


def checked(
    pair: Pair, proof: FunctionProof, options: Options, solver: Name, limits: Limits, trust: bool = False
) -> Refused | Shown:
    """Checks the proof about one pair of functions, in a process of its own."""
    made = Solver(solver, options.index_width, trusting=trust)
    return _answer(run_apart(lambda _: _outcome(pair, proof, options, made), limits, lambda _stage, _seconds: None))


def _all_checked(
    pairs: Sequence[Pair], certificate: Certificate, name: Name, limits: Limits, trust: bool
) -> list[Refused | Shown]:
    """Checks the proofs one after the other in one process, which loads solvers once and asks nothing twice; stops
    after the first one that is refused."""
    solver, ended = Solver(name, certificate.options.index_width, trusting=trust), list[Refused]()

    def work(pair: Pair, proof: FunctionProof) -> Refused | Shown:
        if ended:
            return ended[0]
        outcome = _outcome(pair, proof, certificate.options, solver)
        ended.extend([outcome] if isinstance(outcome, Refused) else [])
        return outcome

    both = zip(pairs, certificate.functions, strict=True)
    works = [lambda _, pair=pair, proof=proof: work(pair, proof) for pair, proof in both]
    return [_answer(found) for found in run_all(works, limits, lambda _number, _stage, _seconds: None, 1)]


def _answer(outcome: Refused | Shown | Stopped) -> Refused | Shown:
    if isinstance(outcome, Stopped):
        return Refused(INTERNAL, f"it ended without an answer: {outcome.text.strip().splitlines()[-1]}")
    return outcome


def kind_of_proof(proof: FunctionProof) -> str:
    """The kind of a proof, in a word; with the change, where both functions are changed first."""
    made = proof.proof
    return f"via {made.change}" if isinstance(made, Via) else type(made).__name__.lower()


def _outcome(pair: Pair, proof: FunctionProof, options: Options, solver: Solver) -> Refused | Shown:
    try:
        assumptions = check_function(pair, proof, options, solver)
    except (Rejected, Malformed) as problem:
        return Refused(getattr(problem, "step", "form"), getattr(problem, "why", str(problem)))
    except Exception as problem:  # what makes the checker fail is not accepted
        return Refused(INTERNAL, f"it cannot be checked: {type(problem).__name__}: {problem}")
    taken = [OnTrust(rule, instance, known) for (rule, instance), known in solver.trusted.items()]
    return Shown(assumptions, tuple(taken))


def check_function(pair: Pair, proof: FunctionProof, options: Options, solver: Solver) -> tuple[Assumption, ...]:
    """Checks the proof about one pair of functions, with the proofs about functions that they call and that may call
    themselves; gives its assumptions. Callees are handled by induction on the depth of calls
    (`hecv.claim.call_induction`).

    Raises: Rejected, Malformed.
    """
    modules, dialects = _lowered(pair) if proof.lowered else (pair.modules, ())
    both, converse = _checked_bodies(replace(pair, modules=modules), proof, options, solver)
    if call_induction.calls(both):
        converse &= _callees(replace(pair, modules=modules), both, proof, options, solver)
    elif proof.callees:
        raise Rejected("callees", "they call no function that may call itself")
    if proof.verdict == "equivalent" and not converse:
        raise Rejected("verdict", "the source is not shown to refine the target")
    # A proof may take what is undefined from behind a call to before it.
    ending = () if isinstance(proof.proof, Identity) else of_calls(both)
    numbers = of_literals(both) if isinstance(proof.proof, Elements) else ()
    return (*ending, *numbers, *assumed(both, pair.constraints, switches_of(options)), *of_lowering(dialects))


def _checked_bodies(
    pair: Pair, proof: FunctionProof, options: Options, solver: Solver
) -> tuple[tuple[Function, Function], bool]:
    """The functions of the pair, and whether the converse is shown too, for all functions that they call."""
    pool = TermPool()
    try:
        both = overlapping(read_pair(pair.modules, pair.names, pool, options.index_width), switches_of(options))
        require_wide(both, switches_of(options))
    except Unsupported as problem:
        raise Rejected("programs", f"they have no meaning here: {problem.text}") from None
    # What is assumed of a function's arguments need not hold where it calls itself.
    itself = pair.names[0] in {name for function in both for name in function.callees}
    given = replace(pair, constraints=() if itself else pair.constraints)
    return both, _check(pool, both, given, proof, options, solver) and not both[0].one_way


def _callees(
    pair: Pair, both: tuple[Function, Function], proof: FunctionProof, options: Options, solver: Solver
) -> bool:
    """True if the converse is shown for all functions that may call themselves.

    Raises: Rejected if the induction does not hold.
    """
    why = call_induction.refusal(both, options.index_width, switches_of(options).floats)
    if why is not None:
        raise Rejected("callees", why)
    names = call_induction.required(both, own_name(pair.modules, pair.names))
    if [(c.source, c.target) for c in proof.callees] != [(name, name) for name in names]:
        raise Rejected("callees", "the functions are not those that may call themselves")
    converse = call_induction.one_way(both, options.index_width) is None
    for callee in proof.callees:
        if callee.callees or callee.lowered:
            raise Rejected("callees", "the proof about a body stands alone")
        own = Pair(pair.modules, (callee.source, callee.target), ())
        shown = _checked_bodies(own, callee, options, solver)[1]
        if callee.verdict == "equivalent" and not shown:
            raise Rejected(f"callee @{callee.source}, verdict", "the source is not shown to refine the target")
        converse &= callee.verdict == "equivalent"
    return converse


def _check(
    pool: TermPool,
    both: tuple[Function, Function],
    pair: Pair,
    proof: FunctionProof,
    options: Options,
    solver: Solver,
) -> bool:
    """True if the converse is shown too."""
    switches, assumed = switches_of(options), [c.term(pool, both[0]) for c in pair.constraints]
    match proof.proof:
        case Identity():
            if not same_program(*both):
                raise Rejected("identity", "the functions are not the same program")
            return True
        case Form():
            _require_dataflow(both, switches, assumed)
            replay_form(pool, both, assumed, options)
            return True
        case Aligned(values):
            _require_statements(both, switches, assumed)
            return replay_aligned(pool, both, values, solver, options.index_width)
        case Dataflow(data):
            _require_dataflow(both, switches, assumed)
            return dataflow_check.replay(data, pool, both, assumed, options, solver).converse
        case Gathered(data):
            _require_dataflow(both, switches, assumed)
            return dataflow_check.replay(data, pool, both, assumed, options, solver, elements=True).converse
        case Bounded(data):
            _require_dataflow(both, switches, assumed)
            return replay_bounded(
                both,
                data,
                lambda inner: dataflow_check.replay(inner, pool, both, assumed, options, solver, whiles=True),
            )
        case Via(name, inner):
            _require_dataflow(both, switches, assumed)
            change = change_named(name)
            made = changed(change, pool, both, assumed, options.index_width)
            return _check(pool, made, pair, replace(proof, proof=inner), options, solver) and change.converse
        case Results(proofs):
            _require_dataflow(both, switches, assumed)
            return replay_results(pool, both, proofs, solver, options.index_width)
        case Turns():
            _require_statements(both, switches, assumed)

            def part(functions: tuple[Function, Function], inner: Dataflow) -> dataflow_check.Shown:
                return dataflow_check.replay(inner.data, pool, functions, assumed, options, solver)

            return replay_turns(pool, both, proof.proof, options.index_width, part)
        case Simulation():
            _require_statements(both, switches, assumed)
            from hecv.kernel.simulation_check import replay_simulation  # few functions have such loops

            return replay_simulation(pool, both, proof.proof, solver, options.index_width)
        case Theorems(data):
            _replay_theorems(pool, both, data, assumed, options, solver)
            return True
        case Invariant():
            if unproved(both, switches, assumed) is not None:
                raise Rejected("options", "a proof of this kind does not hold under these switches")
            from hecv.kernel.closed_form_check import replay_invariant  # few functions have such loops

            return replay_invariant(pool, both, proof.proof, solver, options.index_width)
        case Inputs(count):
            _require_statements(both, switches, assumed)
            return _run_all(both, count, options.index_width)
        case Elements(count):
            if switches.floats != "real" or unproved(both, switches, assumed) is not None:
                raise Rejected("options", "a proof over the real numbers does not hold under these switches")
            from hecv.kernel.reals.elementwise_check import replay_elements  # few proofs are over the reals

            return replay_elements(pool, both, count, options.index_width)


def _require_dataflow(both: tuple[Function, Function], switches: Switches, assumed: Sequence[Term]) -> None:
    """Raises: Rejected if under these switches the normal forms do not mean what the functions do."""
    why = unproved_by_dataflow(both, switches, assumed)
    if why is not None:
        raise Rejected("options", why)


def _replay_theorems(
    pool: TermPool,
    both: tuple[Function, Function],
    data: Any,
    assumed: Sequence[Term],
    options: Options,
    solver: Solver,
) -> None:
    """Raises: Rejected, Malformed."""
    if options.index_width != 64 or unproved(both, switches_of(options), assumed) is not None:
        raise Rejected("options", "a proof of this kind does not hold under these switches")
    if call_induction.calls(both) or any(isinstance(s, Loop) and s.updated for f in both for s in walk(f.body)):
        raise Rejected("programs", "theorems say nothing of recursive functions and atomic updates")
    from hecv.kernel.loop_theorem_check import replay_theorems  # few proofs are by theorems

    replay_theorems(data, pool, both, assumed, solver, options.floats == "strict")


def _require_statements(both: tuple[Function, Function], switches: Switches, assumed: Sequence[Term]) -> None:
    """Raises: Rejected if under these switches ops have another meaning."""
    if switches.floats != "strict" or unproved(both, switches, assumed) is not None:
        raise Rejected("options", "a proof of this kind does not hold under these switches")


def _run_all(both: tuple[Function, Function], count: int, index_width: int) -> bool:
    """True if runs on all inputs show the converse too.

    Raises: Rejected.
    """
    from hecv.prove.exhaustive_runs import Exhausted, run_all  # what runs programs takes a tenth of a second to load

    found = run_all(both, index_width, inf)
    if not isinstance(found, Exhausted) or found.inputs != count:
        raise Rejected("inputs", f"runs on all {count} inputs do not show that the target refines the source")
    return found.converse


def _lowered(
    pair: Pair,
) -> tuple[tuple[ParsedModule, ParsedModule], tuple[str, ...]]:
    """The modules with the parts that the functions need lowered, and the dialects that were lowered."""
    found = [lowered(module, name) for module, name in zip(pair.modules, pair.names, strict=True)]
    if not any(found):
        raise Rejected("lowering", "there is nothing to lower")
    first, second = (m if f is None else f[0] for m, f in zip(pair.modules, found, strict=True))
    return (first, second), tuple(sorted({name for f in found if f is not None for name in f[1]}))


def _of_options(options: Options) -> tuple[Assumption, ...]:
    """The assumptions that follow from the options given to `hecv check`, which the user of `hecv replay` did not
    see."""
    found: list[Assumption] = []
    if options.functions:
        found.append(Assumption("functions-chosen", "nothing is said of other functions", "--func"))
    if options.index_width != WIDTH:
        found.append(Assumption("index-width", f"index has {options.index_width} bits", "--index-width"))
    return tuple(found)


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

    Raises: Rejected if the certificate is about other programs, laws or functions; InputError.
    """
    for side, claimed, text in zip(
        ("source", "target"), (certificate.source, certificate.target), programs, strict=True
    ):
        if claimed != digest(text):
            raise Rejected("programs", f"the {side} is not the one that was certified")
    if certificate.rules != table_digest():
        raise Rejected("rules", "the laws are not those that it was made by")
    options = certificate.options
    chosen, _ = pair_programs(modules, options.functions)
    constraints = constraints_of([source for _, source, _, _ in chosen], options.assume)
    _require_covered(certificate, [(source, target) for _, source, target, _ in chosen])
    return [
        Pair(parts, (source.name, target.name), given)
        for (parts, source, target, _), given in zip(chosen, constraints, strict=True)
    ]


def _require_covered(certificate: Certificate, chosen: Sequence[tuple[Signature, Signature]]) -> None:
    wanted = [(source.name, target.name) for source, target in chosen]
    if wanted != [(f.source, f.target) for f in certificate.functions]:
        raise Rejected("functions", "the functions are not those that the programs have")
    weakest = "equivalent" if all(f.verdict == "equivalent" for f in certificate.functions) else "refines"
    if certificate.verdict != weakest:
        raise Rejected("verdict", "it is not that of the functions")


def certificate_of(programs: tuple[str, str], options: Options, proofs: Sequence[FunctionProof]) -> Certificate:
    """The certificate of a check with these proofs of its functions."""
    verdict = "equivalent" if all(f.verdict == "equivalent" for f in proofs) else "refines"
    return Certificate(digest(programs[0]), digest(programs[1]), table_digest(), options, verdict, tuple(proofs))
