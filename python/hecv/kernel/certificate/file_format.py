"""The certificate of a check: what was compared, under which options, and a proof for each pair of functions.

docs/certificates.md describes the file. It holds no part of the programs: the replayer reads them anew.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any, Final, Literal

from msgspec import Struct
from msgspec.structs import asdict

from hecv.base.recursion_limit import usual_depth
from hecv.kernel.certificate.closed_form_format import Invariant, invariant_data, invariant_from
from hecv.kernel.certificate.rejection import Malformed
from hecv.kernel.certificate.simulation_format import Simulation, simulation_data, simulation_from
from hecv.kernel.certificate.term_format import (
    RefinementProof,
    TermProof,
    refinement_data,
    refinement_from,
    term_proof_data,
    term_proof_from,
)

SCHEMA: Final = "hecv.certificate/1"

Proved = Literal["equivalent", "refines"]


class Options(Struct, frozen=True):
    """The options of `hecv check` that decide what a verdict means; how a proof was searched is not among them."""

    functions: tuple[str, ...] = ()
    assume: tuple[str, ...] = ()
    index_width: int = 64
    index_wraps: bool = False
    may_overlap: bool = False
    floats: str = "strict"


class Identity(Struct, frozen=True):
    """Both functions are one program: the same statements over the same terms, whatever the ops mean."""


class Form(Struct, frozen=True):
    """Both functions have one normal form (`hecv.dataflow.same_normal_form`)."""


class Aligned(Struct, frozen=True):
    """Both functions have the same statements in the same blocks; each term of the target refines the source's
    (`hecv.kernel.statementwise_check`).

    The given terms are those of the source in order, then those of the target.
    """

    values: TermProof


class Dataflow(Struct, frozen=True):
    """Well-founded induction over pairs of statement instances (`hecv.dataflow.induction.wellfounded_induction`), as
    plain data."""

    data: Any


class Bounded(Struct, frozen=True):
    """The same induction about both functions with each `while` as a counted loop with a parametric bound
    (`hecv.kernel.bounded_while_check`)."""

    data: Any


class Gathered(Struct, frozen=True):
    """The same induction about both functions with gathers and scatters (subscripts from memory) as loops over all
    elements (`hecv.normal.indirect.gather_loops`)."""

    data: Any


class Results(Struct, frozen=True):
    """A proof for each pair of results of functions on integers alone (`hecv.kernel.integer_results_check`)."""

    proofs: tuple[RefinementProof, ...]


class Inputs(Struct, frozen=True):
    """Exhaustive testing: both functions were run on all inputs, of which there are `count`
    (`hecv.prove.exhaustive_runs`)."""

    count: int


class Elements(Struct, frozen=True):
    """Functions of known sizes compute the same real numbers in each of `count` elements
    (`hecv.kernel.reals.elementwise_check`)."""

    count: int


class Turns(Struct, frozen=True):
    """Relational induction over a `while`: both functions are cut at it, and each part refines the other's
    (`hecv.kernel.while_induction_check`).

    The numbers give the state of the target for each of the source's: at the loop header (`carried`), after the loop
    (`left`), and, where an iteration is two parts, after the condition (`going`). `parts`: before the loop, one
    iteration or both its parts, after the loop.
    """

    carried: tuple[int, ...]
    left: tuple[int, ...]
    going: tuple[int, ...] | None
    parts: tuple[Dataflow | Turns, ...]


class Via(Struct, frozen=True):
    """A proof about both functions after a `change` of this name (`hecv.kernel.program_changes`)."""

    change: str
    proof: Inner


class Theorems(Struct, frozen=True):
    """Equalities by loop theorems, from which that of the functions follows
    (`hecv.kernel.certificate.loop_theorem_format`)."""

    data: Any


Inner = Form | Aligned | Dataflow | Bounded | Results | Turns | Simulation
"""What may be shown of functions that were changed first."""

INNER: Final = ("form", "aligned", "dataflow", "bounded", "results", "turns", "simulation")

Proof = (
    Identity
    | Form
    | Aligned
    | Dataflow
    | Bounded
    | Gathered
    | Via
    | Results
    | Turns
    | Simulation
    | Theorems
    | Invariant
    | Inputs
    | Elements
)

DEEPEST: Final = 8
"""The most whiles in sequence, or nested."""


class FunctionProof(Struct, frozen=True):
    """The proof about one pair of functions.

    `lowered`: both were lowered by MLIR first. `callees`: by name, the proofs about the functions that these call and
    that may call themselves (`hecv.claim.call_induction`).
    """

    source: str
    target: str
    verdict: Proved
    proof: Proof
    lowered: bool = False
    callees: tuple[FunctionProof, ...] = ()


class Certificate(Struct, frozen=True):
    """A certificate; `source` and `target` are digests of the texts, `rules` that of the laws (see `digest`)."""

    source: str
    target: str
    rules: str
    options: Options
    verdict: Proved
    functions: tuple[FunctionProof, ...]


def digest(text: str) -> str:
    """The SHA-256 of a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def render(certificate: Certificate) -> str:
    """The certificate as text, with a digest of all of it."""
    body = _body(certificate)
    return json.dumps({**body, "digest": _sealed(body)}, separators=(",", ":"), ensure_ascii=True) + "\n"


def read(text: str) -> Certificate:
    """Parses what `render` wrote.

    Raises: Malformed, also if the digest does not match, or an object has a key twice: JSON readers disagree on which
        of the two counts.
    """
    try:
        with usual_depth():
            data = json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse)
    except (ValueError, RecursionError) as problem:
        raise Malformed(f"it is no JSON: {problem}") from None
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        raise Malformed(f"its schema is not {SCHEMA}")
    body = {name: value for name, value in data.items() if name != "digest"}
    found = _certificate(body)
    if data.get("digest") != _sealed(body):
        raise Malformed("its digest is not that of its content")
    return found


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("an object has a key twice")
    return found


def _refuse(constant: str) -> Any:
    raise ValueError(f"`{constant}` is not JSON")


def _sealed(body: dict[str, Any]) -> str:
    return digest(json.dumps(body, separators=(",", ":"), sort_keys=True))


def _body(certificate: Certificate) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "source": certificate.source,
        "target": certificate.target,
        "rules": certificate.rules,
        "options": asdict(certificate.options),
        "verdict": certificate.verdict,
        "functions": [_function_data(f) for f in certificate.functions],
    }


def _certificate(body: dict[str, Any]) -> Certificate:
    match body:
        case {
            "source": str(source),
            "target": str(target),
            "rules": str(rules),
            "options": dict(options),
            "verdict": "equivalent" | "refines" as verdict,
            "functions": [*functions],
        } if len(body) == 7:
            return Certificate(source, target, rules, _options(options), verdict, tuple(map(_function, functions)))
        case _:
            raise Malformed("a part of the certificate is missing, or one too many")


def _options(data: dict[str, Any]) -> Options:
    match data:
        case {
            "functions": [*functions],
            "assume": [*assume],
            "index_width": 32 | 64 as width,
            "index_wraps": bool(wraps),
            "may_overlap": bool(overlap),
            "floats": "strict" | "reassoc" | "real" as floats,
        } if len(data) == 6 and type(width) is int and all(isinstance(t, str) for t in (*functions, *assume)):
            return Options(tuple(functions), tuple(assume), width, wraps, overlap, floats)
        case _:
            raise Malformed("its options are not those of this version")


def _function_data(proof: FunctionProof) -> dict[str, Any]:
    return {
        "source": proof.source,
        "target": proof.target,
        "verdict": proof.verdict,
        "lowered": proof.lowered,
        "proof": _proof_data(proof.proof),
        "callees": [_function_data(callee) for callee in proof.callees],
    }


def _function(data: Any) -> FunctionProof:
    match data:
        case {
            "source": str(source),
            "target": str(target),
            "verdict": "equivalent" | "refines" as verdict,
            "lowered": bool(lowered),
            "proof": dict(proof),
            "callees": [*callees],
        } if len(data) == 6:
            return FunctionProof(source, target, verdict, _proof(proof), lowered, tuple(map(_function, callees)))
        case _:
            raise Malformed("a function has `source`, `target`, `verdict`, `lowered`, `proof` and `callees`")


def _proof_data(proof: Proof) -> dict[str, Any]:
    match proof:
        case Identity():
            return {"kind": "identity"}
        case Form():
            return {"kind": "form"}
        case Aligned(values):
            return {"kind": "aligned", "values": term_proof_data(values)}
        case Dataflow(data):
            return {"kind": "dataflow", "data": data}
        case Bounded(data):
            return {"kind": "bounded", "data": data}
        case Gathered(data):
            return {"kind": "gathered", "data": data}
        case Via(change, inner):
            return {"kind": "via", "change": change, "proof": _proof_data(inner)}
        case Results(proofs):
            return {"kind": "results", "proofs": [refinement_data(p) for p in proofs]}
        case Theorems(data):
            return {"kind": "theorems", "data": data}
        case Turns():
            return {
                "kind": "turns",
                "carried": list(proof.carried),
                "left": list(proof.left),
                "going": None if proof.going is None else list(proof.going),
                "parts": [_proof_data(part) for part in proof.parts],
            }
        case Simulation():
            return simulation_data(proof)
        case Invariant():
            return invariant_data(proof)
        case Inputs(count):
            return {"kind": "inputs", "count": count}
        case Elements(count):
            return {"kind": "elements", "count": count}


def _proof(data: dict[str, Any]) -> Proof:
    match data:
        case {"kind": "identity"} if len(data) == 1:
            return Identity()
        case {"kind": "form"} if len(data) == 1:
            return Form()
        case {"kind": "aligned", "values": values} if len(data) == 2:
            return Aligned(term_proof_from(values))
        case {"kind": "dataflow", "data": inner} if len(data) == 2:
            return Dataflow(inner)
        case {"kind": "bounded", "data": inner} if len(data) == 2:
            return Bounded(inner)
        case {"kind": "gathered", "data": inner} if len(data) == 2:
            return Gathered(inner)
        case {"kind": "theorems", "data": inner} if len(data) == 2:
            return Theorems(inner)
        case {"kind": "via", "change": str(change), "proof": dict(inner)} if len(data) == 3:
            if inner.get("kind") not in INNER:
                raise Malformed("this is not shown of functions that were changed")
            proof = _results(inner) if inner["kind"] == "results" else _proof(inner)
            assert isinstance(proof, Inner)
            return Via(change, proof)
        case {"kind": "turns"}:
            return _turns(data, DEEPEST)
        case {"kind": "simulation"}:
            return simulation_from(data)
        case {"kind": "invariant"}:
            return invariant_from(data)
        case {"kind": "inputs", "count": int(count)} if len(data) == 2 and type(count) is int:
            return Inputs(count)
        case {"kind": "elements", "count": int(count)} if len(data) == 2 and type(count) is int:
            return Elements(count)
        case _:
            raise Malformed(f"no proof is written {str(data)[:80]}")


def _results(data: dict[str, Any]) -> Results:
    match data:
        case {"kind": "results", "proofs": [*proofs]} if len(data) == 2:
            return Results(tuple(map(refinement_from, proofs)))
        case _:
            raise Malformed("results have `proofs`")


def _turns(data: dict[str, Any], depth: int) -> Turns:
    match data:
        case {"kind": "turns", "carried": carried, "left": left, "going": going, "parts": [*parts]} if len(data) == 5:
            found = tuple([_part(part, depth - 1) for part in parts])
            if depth == 0 or len(found) != (3 if going is None else 4):
                raise Malformed("a while has a part before it, of a turn, and after it")
            return Turns(_numbers(carried), _numbers(left), None if going is None else _numbers(going), found)
        case _:
            raise Malformed("turns have `carried`, `left`, `going` and `parts`")


def _part(data: Any, depth: int) -> Dataflow | Turns:
    if isinstance(data, dict) and data.get("kind") == "turns" and depth:
        return _turns(data, depth)
    match _proof(data) if isinstance(data, dict) and data.get("kind") == "dataflow" else None:
        case Dataflow() as proof:
            return proof
        case _:
            raise Malformed("a part is shown by dataflow, or by turns again")


def _numbers(data: Any) -> tuple[int, ...]:
    if not isinstance(data, list) or not all(type(n) is int for n in data):
        raise Malformed("states belong together by number")
    return tuple(data)
