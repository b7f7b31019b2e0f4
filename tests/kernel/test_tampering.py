"""Whatever is changed in a certificate, replay rejects it; a digest made anew does not help."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from functools import cache
from random import Random
from typing import Any

import pytest
from msgspec import Struct
from msgspec.structs import replace
from tests.kernel.specimens import CALLS, FLAGS, IDLE, LEMMAS, PROGRAMS, Programs

from hecv.base.diagnostics import InputError
from hecv.check import Options, check, meaning_of
from hecv.claim.strategy import Strategy
from hecv.kernel.certificate import closed_form_format, dataflow_format, file_format, loop_theorem_format, term_format
from hecv.kernel.certificate.dataflow_format import WORDS
from hecv.kernel.certificate.file_format import FunctionProof, Identity, Theorems, digest, read, render
from hecv.kernel.certificate.rejection import Malformed, Rejected
from hecv.kernel.terms.solvers import Solver
from hecv.mlir.importer import parse
from hecv.process.worker_pool import Limits, run_apart
from hecv.prove import loop_theorems_cert
from hecv.prove.pair.pair_context import Case, Task
from hecv.replaying import certificate_of, check_function, pairs_of

EDITS = 60
"""Edits of each certificate: of each field one, and of more places in it, up to so many."""

ROW = 6
"""So many elements of a list of what differs count as fields of their own."""

NAMES = ("source.mlir", "target.mlir")


PARSED = cache(parse)


@cache
def certificate(name: str) -> str:
    programs = PROGRAMS[name]
    options = programs.options()
    if programs.directly:
        proof = FunctionProof("f", "f", "equivalent", by_theorems(programs))
        return render(certificate_of((programs.source, programs.target), meaning_of(options), [proof]))
    report = check(programs.source, programs.target, NAMES, options)
    proofs = [f.certificate for f in report.functions if f.certificate is not None]
    assert len(proofs) == 1, report
    return render(certificate_of((programs.source, programs.target), meaning_of(options), proofs))


REFUSED = (Rejected, Malformed, InputError)
"""The last where an option names what the programs lack."""

SOLVER = Solver()
"""One for all: what is shown once need not be again."""


def replayed(text: str, source: str, target: str) -> None:
    """Raises: Rejected, Malformed, InputError."""
    found = read(text)
    modules = PARSED(source, NAMES[0]), PARSED(target, NAMES[1])
    for pair, proof in zip(pairs_of(found, (source, target), modules), found.functions, strict=True):
        check_function(pair, proof, found.options, SOLVER)


def by_theorems(programs: Programs) -> Theorems:
    """The proof by theorems, made in a process of its own, as the e-graph cannot be used before others fork."""
    modules = PARSED(programs.source, NAMES[0]), PARSED(programs.target, NAMES[1])
    task = Task(modules, ("f", "f"), (), programs.switches, Strategy("theorems"), 0, crosscheck=False)
    made = run_apart(
        lambda _: loop_theorems_cert.certify(Case(task, lambda stage, runs: None)), Limits(60, 4096), lambda *_: None
    )
    assert isinstance(made, Theorems), made
    return made


def sealed(data: Any) -> str:
    """The data under a digest of its own."""
    body = {name: value for name, value in data.items() if name != "digest"}
    text = json.dumps(body, separators=(",", ":"), sort_keys=True)
    return json.dumps({**body, "digest": digest(text)})


def places(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    for key in data if isinstance(data, dict) else range(len(data)):
        yield (*path, key)
        if isinstance(data[key], dict | list):
            yield from places(data[key], (*path, key))


def edits(name: str) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """The certificate with one part changed, left out or written twice; and where."""
    data, random = json.loads(certificate(name)), Random(name)
    for path in chosen(data, random):
        changed = copy.deepcopy(data)
        container = changed
        for key in path[:-1]:
            container = container[key]
        if edit(container, path[-1], random) and changed != data:
            yield path, changed


def chosen(data: Any, random: Random) -> list[tuple[Any, ...]]:
    """Places of all fields of a certificate."""
    found = list(places(data))
    random.shuffle(found)
    fields = {field_of(data, path): path for path in found}
    return list(dict.fromkeys((*fields.values(), *found[: max(0, EDITS - len(fields))])))


def field_of(data: Any, path: tuple[Any, ...]) -> tuple[Any, ...]:
    """A place without what numbers it among others of its kind."""
    found: list[Any] = []
    for key in path:
        alike = isinstance(data, list) and len(set(map(type, data))) == 1
        found.append(None if alike else min(key, ROW) if isinstance(key, int) else key)
        data = data[key]
    return tuple(found)


def edit(container: Any, key: Any, random: Random) -> bool:
    old = container[key]
    match old:
        case bool():
            container[key] = not old
        case int():
            container[key] = old + random.choice((-1, 1))
        case str() if old:
            at = random.randrange(len(old))
            container[key] = random.choice((old[:at] + random.choice("abc019 ()") + old[at + 1 :], old[:at], old + "a"))
        case list() if old and random.random() < 0.5:
            del old[random.randrange(len(old))]
        case list() if old:
            old.append(copy.deepcopy(random.choice(old)))
        case dict() if old:
            del old[random.choice(sorted(old))]
        case _:
            container[key] = 7
    return True


@pytest.mark.one_in(7)
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_certificate_is_accepted(name: str) -> None:
    replayed(certificate(name), PROGRAMS[name].source, PROGRAMS[name].target)


@pytest.mark.one_in(5)
@pytest.mark.parametrize("name", PROGRAMS)
def test_any_edit_is_seen_by_the_digest(name: str) -> None:
    for _, changed in edits(name):
        with pytest.raises(Malformed):
            read(json.dumps(changed))


@pytest.mark.one_in(11)
@pytest.mark.parametrize("name", PROGRAMS)
def test_any_edit_is_rejected_without_the_digest(name: str) -> None:
    """Only what is as true may do: another instance of what is shown, the same said otherwise in isl, and other
    switches where nothing depends on them."""
    for path, changed in edits(name):
        if path[0] == "digest":
            continue  # it is made anew
        try:
            replayed(sealed(changed), PROGRAMS[name].source, PROGRAMS[name].target)
        except REFUSED:
            continue
        assert free(path, json.loads(certificate(name)), changed), f"accepted with another {path}"


def free(path: tuple[Any, ...], old: Any, new: Any) -> bool:
    """Whether there may be more than one right answer at a place, or what is there may be said twice."""
    for key in path[:-1]:
        old, new = old[key], new[key]
    was, now = old[path[-1]], new[path[-1]]
    twice = isinstance(was, list) and len(now) > len(was)
    if path[0] == "options":
        return twice or path[1] in ("functions", "index_wraps", "may_overlap", "floats", "assume")
    relation = isinstance(was, str) and "{" in was
    # An instance of a theorem has a place and a term, which not all ask for, or tells whether the order may change.
    unasked = "equations" in path and path[-1] in (3, 4)
    return path[0] == "functions" and "proof" in path and (relation or twice or unasked or "steps" in path)


@pytest.mark.one_in(12)
@pytest.mark.parametrize("name", PROGRAMS)
def test_no_edit_proves_what_is_wrong(name: str) -> None:
    programs = PROGRAMS[name]
    for _, changed in edits(name):
        if isinstance(changed.get("target"), str):
            changed["target"] = digest(programs.wrong)
        with pytest.raises(REFUSED):
            replayed(sealed(changed), programs.source, programs.wrong)


@pytest.mark.one_in(4)
def test_every_field_is_edited() -> None:
    """Of all that a certificate may be made of there is something in those above, and of each alternative one."""
    told = {part for name in PROGRAMS for part in parts(read(certificate(name)))}
    fields = {(kind, name) for kind in KINDS for name in kind.__struct_fields__}
    assert fields - told == UNTOLD
    words = {part for part in told if isinstance(part[1], str) and part[0] is str}
    assert {(str, word) for word in (*WORDS, *ALTERNATIVES)} <= words


KINDS = tuple(
    kind
    for module in (file_format, term_format, dataflow_format, loop_theorem_format, closed_form_format)
    for kind in vars(module).values()
    if isinstance(kind, type) and issubclass(kind, Struct) and kind.__module__ == module.__name__
)
"""What certificates are made of."""

UNTOLD = {
    (loop_theorem_format.Applied, "by"),
    *[(loop_theorem_format.EqualTerms, name) for name in loop_theorem_format.EqualTerms.__struct_fields__],
    (loop_theorem_format.TheoremsProof, "equal"),
    (term_format.TermProof, "terms"),
}
"""Theorems that ask for a term, terms that are equal in a proof by theorems, and terms that neither program has: see
test_theorems.py and test_equalities.py."""

VERDICTS, CLAIMS, MEANS = ("equivalent", "refines"), ("equal", "proper"), ("smt", "ring", "values")
ALTERNATIVES = (*VERDICTS, *CLAIMS, *MEANS, "stop", "follow", "select", "settle")


def parts(value: Any) -> Iterator[tuple[type, str]]:
    """The fields that a certificate has, but for empty ones, and its words."""
    if isinstance(value, str):
        yield str, value
    elif isinstance(value, tuple | list):
        for part in value:
            yield from parts(part)
    elif isinstance(value, dict):
        yield from parts(
            dataflow_format.dataflow_from(value) if "reads" in value else loop_theorem_format.theorems_from(value)
        )
    elif isinstance(value, Struct):
        for name in value.__struct_fields__:
            part = getattr(value, name)
            if part is not None and part is not False and part not in ((), ((), ()), ""):
                yield type(value), name
            yield from parts(part)


def test_a_verdict_is_not_made_stronger() -> None:
    data = json.loads(certificate("lemmas"))
    assert data["verdict"] == data["functions"][0]["verdict"] == "refines"
    data["verdict"] = data["functions"][0]["verdict"] = "equivalent"
    with pytest.raises(Rejected, match="the source is not shown to refine the target"):
        replayed(sealed(data), LEMMAS.source, LEMMAS.target)


def test_what_is_left_out_is_said() -> None:
    data = json.loads(certificate("idle"))
    inner = data["functions"][0]["proof"]["data"]
    assert inner["idle"][1]
    inner["idle"] = [[], []]
    with pytest.raises(Rejected):
        replayed(sealed(data), IDLE.source, IDLE.target)


def test_what_is_shown_of_loops_is_said_of_whiles_alone() -> None:
    """A proof about loops for whiles is none about the functions as they are, nor the other way round."""
    for name, kind in (("bounded", "dataflow"), ("overlap", "bounded")):
        data = json.loads(certificate(name))
        data["functions"][0]["proof"]["kind"] = kind
        with pytest.raises(Rejected, match="isl does not hold a while" if name == "bounded" else "there is no while"):
            replayed(sealed(data), PROGRAMS[name].source, PROGRAMS[name].target)


def test_other_programs_are_not_certified() -> None:
    for source, target in ((LEMMAS.target, LEMMAS.target), (LEMMAS.source, LEMMAS.wrong), (FLAGS.source, FLAGS.target)):
        with pytest.raises(Rejected, match="is not the one that was certified"):
            replayed(certificate("lemmas"), source, target)


def test_another_table_of_rules_is_seen() -> None:
    data = json.loads(certificate("lemmas"))
    data["rules"] = "0" * 64
    with pytest.raises(Rejected, match="the laws are not those"):
        replayed(sealed(data), LEMMAS.source, LEMMAS.target)


def test_what_is_called_is_not_left_out() -> None:
    """Both callers are one program, what they call is not."""
    text, other = CALLS.source, CALLS.source.replace("addi %x, %n", "addi %n, %n")
    proof = FunctionProof("f", "f", "equivalent", Identity())
    for callees in ((), (FunctionProof("g", "g", "equivalent", Identity()),)):
        made = render(certificate_of((text, other), meaning_of(Options()), [replace(proof, callees=callees)]))
        with pytest.raises(Rejected, match="may call themselves" if not callees else "not the same program"):
            replayed(made, text, other)
