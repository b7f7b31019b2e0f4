"""Whatever is changed in a certificate, replay rejects it; a digest made anew does not help."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace
from tests.elements.test_prove import EQUIVALENT, op_lines, scalar
from tests.poly.test_idle import COPIED, IN_PLACE, INTO_ARRAY
from tests.replay.pairs import PAIRS
from tests.soundness.test_symbolic_divisors import PAIRS as DIVIDED

from hecv.certificate.errors import Malformed, Rejected
from hecv.certificate.format import FunctionProof, Identity, digest, read, render
from hecv.check import Options, check, meaning_of
from hecv.frontend.mlir import parse
from hecv.replay.solver import Solver
from hecv.replaying import certificate_of, check_function, pairs_of
from hecv.verdict.strategy import Strategy
from hecv.verdict.switches import Switches

EDITS = 120
"""Edits of each certificate, from all places that it has."""

NAMES = ("source.mlir", "target.mlir")


@dataclass(frozen=True)
class Programs:
    """A source, a target, and a target that is wrong."""

    source: str
    target: str
    wrong: str
    switches: Switches = field(default_factory=Switches)
    strategy: Strategy = field(default_factory=Strategy)


def _function(body: str, arguments: str = "%a: i32, %b: i32", result: str = "i32") -> str:
    return f"func.func @f({arguments}) -> {result} {{\n{body}\n}}\n"


LEMMAS = Programs(
    _function(
        """%c8 = arith.constant 8 : i32
           %s = arith.addi %a, %b overflow<nsw> : i32
           %d = arith.subi %a, %b : i32
           %p = arith.muli %s, %d : i32
           %q = arith.muli %p, %c8 : i32
           return %q : i32"""
    ),
    _function(
        """%c1 = arith.constant 1 : i32
           %c2 = arith.constant 2 : i32
           %c3 = arith.addi %c1, %c2 : i32
           %x = arith.muli %a, %a : i32
           %y = arith.muli %b, %b : i32
           %p = arith.subi %x, %y : i32
           %q = arith.shli %p, %c3 : i32
           return %q : i32"""
    ),
    _function(
        """%c1 = arith.constant 1 : i32
           %c2 = arith.constant 2 : i32
           %c3 = arith.addi %c1, %c2 : i32
           %x = arith.muli %a, %b : i32
           %y = arith.muli %b, %b : i32
           %p = arith.subi %x, %y : i32
           %q = arith.shli %p, %c3 : i32
           return %q : i32"""
    ),
)

FLAGS = Programs(
    _function(
        """%c0 = arith.constant 0 : i32
           %q = arith.divsi %a, %b : i32
           %s = arith.addi %q, %c0 overflow<nsw, nuw> : i32
           return %s : i32"""
    ),
    _function("%q = arith.divsi %a, %b : i32\nreturn %q : i32"),
    _function("%q = arith.divsi %b, %a : i32\nreturn %q : i32"),
)

LEAST = Programs(
    _function(
        """%c7 = arith.constant 7 : i32
           %r = arith.remui %a, %c7 : i32
           %s = arith.minui %r, %c7 : i32
           return %s : i32"""
    ),
    _function("%c7 = arith.constant 7 : i32\n%r = arith.remui %a, %c7 : i32\nreturn %r : i32"),
    _function("%c6 = arith.constant 6 : i32\n%r = arith.remui %a, %c6 : i32\nreturn %r : i32"),
)

SAME = Programs(LEMMAS.source, LEMMAS.source, LEMMAS.source.replace("constant 8", "constant 4"))


def _copies(step: int, *shifts: int) -> str:
    body = "".join(
        f"""%x{k} = affine.load %A[%i + {k}] : memref<8xf32>
            affine.store %x{k}, %B[%i + {k}] : memref<8xf32>
        """
        for k in shifts
    )
    head = f"affine.for %i = 0 to 8 step {step} {{\n{body}}}\nreturn"
    return f"func.func @f(%A: memref<8xf32>, %B: memref<8xf32>) {{\n{head}\n}}\n"


LOOP = Programs(_copies(1, 0), _copies(2, 0, 1), _copies(2, 0))


def _small(body: str) -> str:
    return _function(f"{body}\nreturn %q : f8E4M3FN", "%a: f8E4M3FN", "f8E4M3FN")


VALUES = Programs(
    _small("%c = arith.constant 0.5 : f8E4M3FN\n%p = arith.mulf %a, %c : f8E4M3FN\n%q = arith.addf %p, %p : f8E4M3FN"),
    _small(
        """%c = arith.constant 2.0 : f8E4M3FN
           %d = arith.constant 0.5 : f8E4M3FN
           %p = arith.mulf %a, %d : f8E4M3FN
           %q = arith.mulf %p, %c : f8E4M3FN"""
    ),
    _small("%c = arith.constant 1.0 : f8E4M3FN\n%q = arith.mulf %a, %c : f8E4M3FN"),
)


def _counted(step: int) -> str:
    return _function(
        f"""%z = arith.constant 0 : i4
            %s = arith.constant {step} : i4
            %r = scf.while (%i = %z) : (i4) -> i4 {{
              %c = arith.cmpi ult, %i, %a : i4
              scf.condition(%c) %i : i4
            }} do {{
            ^bb0(%i: i4):
              %n = arith.addi %i, %s : i4
              scf.yield %n : i4
            }}
            return %r : i4""",
        "%a: i4",
        "i4",
    )


ALL = Programs(_counted(1), _function("return %a : i4", "%a: i4", "i4"), _counted(3))


def _asserted(op: str, by: str) -> str:
    return _function(
        f"""%c = arith.constant {by} : i32
            %z = arith.constant 0 : i32
            %p = arith.cmpi sge, %a, %z : i32
            cf.assert %p, "negative"
            %r = arith.{op} %a, %c : i32
            return %r : i32""",
        "%a: i32",
    )


ASSERTED = Programs(_asserted("divsi", "2"), _asserted("shrui", "1"), _asserted("shrui", "2"))


def _called(least: str, step: str) -> str:
    return f"""
        func.func @f(%n: i32) -> i32 {{
          %c = arith.constant 0 : i32
          %b = arith.cmpi sle, %n, %c : i32
          %r = scf.if %b -> i32 {{
            scf.yield {least} : i32
          }} else {{
            %d = arith.constant 1 : i32
            %m = arith.subi %n, %d : i32
            %x = func.call @g(%m) : (i32) -> i32
            {step}
            scf.yield %y : i32
          }}
          return %r : i32
        }}
        func.func private @g(%n: i32) -> i32 {{
          %x = func.call @f(%n) : (i32) -> i32
          %y = arith.addi %x, %n : i32
          return %y : i32
        }}
    """


CALLS = Programs(
    _called("%n", "%y = arith.addi %x, %x : i32"),
    _called("%n", "%y = arith.shli %x, %d : i32"),
    _called("%n", "%y = arith.shli %n, %d : i32"),
)


def _past(cuts: Sequence[int], *stores: str) -> str:
    loads = "%x = affine.load %A[%i] : memref<8xf32>\n%y = affine.load %B[%i] : memref<8xf32>"
    body = f"{loads}\n{stores[0]}\n{stores[1]}\n%z = affine.load %A[%i] : memref<8xf32>\n{stores[2]}"
    loops = "\n".join(f"affine.for %i = {first} to {last} {{\n{body}\n}}" for first, last in pairwise(cuts))
    return f"func.func @f(%A: memref<8xf32>, %B: memref<8xf32>) {{\n{loops}\nreturn\n}}\n"


STORES = [
    f"affine.store {value}, {place} : memref<8xf32>"
    for value, place in (("%y", "%A[%i]"), ("%x", "%B[%i]"), ("%z", "%B[%i + 1]"))
]
OVERLAP = Programs(
    _past((0, 7), *STORES),
    _past((0, 3, 7), *STORES),
    _past((0, 3, 7), STORES[1], STORES[0], STORES[2]),
    Switches(may_overlap=True),
)

ZEROS = ("affine.store %zero, %A[0] : memref<2xi32>", "affine.store %zero, %B[0] : memref<2xi32>")
FILLS = Programs(
    *(
        "\n".join(
            (
                "func.func @f(%A: memref<2xi32>, %B: memref<2xi32>) {",
                "%zero = arith.constant 0 : i32",
                "%one = arith.constant 1 : i32",
                *stores,
                "return }",
            )
        )
        for stores in (ZEROS, ZEROS[::-1], (ZEROS[1], ZEROS[0].replace("zero", "one")))
    ),
    Switches(may_overlap=True),
)

REALS = Programs(
    *(scalar(op_lines(*lines)) for lines in EQUIVALENT["sigmoid"]),
    scalar(op_lines("e = math.exp x", "s = arith.addf e one", "r = arith.divf one s")),
    Switches(floats="real"),
)

IDLE = Programs(*(t.replace("5x3", "3x3").replace("0 to 5", "0 to 3") for t in (IN_PLACE, COPIED, INTO_ARRAY)))


def _halved(first: str, second: str, head: str, step: str) -> str:
    """A while over two numbers, in this order, until the one that is halved is 0."""
    types = "(i32, i32) -> (i32, i32)"
    return _function(
        f"""%zero = arith.constant 0 : i32
            %one = arith.constant 1 : i32
            %r, %q = scf.while (%{first} = {head}) : {types} {{
              %c = arith.cmpi ne, %m, %zero : i32
              scf.condition(%c) %{first}, %{second} : i32, i32
            }} do {{
            ^bb0(%{first}: i32, %{second}: i32):
              {step}
              scf.yield %{first}{first}, %{second}{second} : i32, i32
            }}
            return {"%r" if first == "n" else "%q"} : i32"""
    )


NEXT = "%nn = arith.addi %n, %m : i32\n%mm = arith.shrui %m, %one : i32"
TURNS = Programs(
    _halved("n", "m", "%a, %m = %b", NEXT),
    _halved("m", "n", "%b, %n = %a", NEXT.replace("%n, %m", "%m, %n")),
    _halved("m", "n", "%b, %n = %a", NEXT.replace("addi", "subi")),
)


def _drained(at: str, step: str = "addi") -> str:
    """A while in each row until what is there is `%x`."""
    body = f"""affine.for %i = 0 to 2 {{
          scf.while : () -> () {{
            %v = affine.load %A[{at}] : memref<2xi32>
            %c = arith.cmpi ne, %v, %x : i32
            scf.condition(%c)
          }} do {{
            %v = affine.load %A[{at}] : memref<2xi32>
            %w = arith.{step} %v, %v : i32
            affine.store %w, %A[{at}] : memref<2xi32>
            scf.yield
          }}
        }}
        return"""
    return f"func.func @f(%A: memref<2xi32>, %x: i32) {{\n{body}\n}}\n"


BOUNDED = Programs(_drained("%i"), _drained("1 - %i"), _drained("1 - %i", "muli"))

BY_THEOREMS = Programs(
    *((PAIRS.parent / "theorems" / f"sum.{side}.mlir").read_text() for side in ("src", "tgt")),
    (PAIRS.parent / "theorems" / "sum-bad.tgt.mlir").read_text(),
    strategy=Strategy("theorems"),
)

DIVISORS = Programs(
    *DIVIDED["mod"],
    DIVIDED["mod"][1].replace("addi %i, %k", "subi %i, %k"),
)
PROGRAMS = {
    "divisors": DIVISORS,
    "theorems": BY_THEOREMS,
    "idle": IDLE,
    "turns": TURNS,
    "bounded": BOUNDED,
    "reals": REALS,
    "overlap": OVERLAP,
    "fills": FILLS,
    "inputs": ALL,
    "values": VALUES,
    "asserted": ASSERTED,
    "calls": CALLS,
    "lemmas": LEMMAS,
    "flags": FLAGS,
    "least": LEAST,
    "identity": SAME,
    "loop": LOOP,
}


@cache
def certificate(name: str) -> str:
    programs = PROGRAMS[name]
    options = Options(recording=True, switches=programs.switches, strategy=programs.strategy)
    report = check(programs.source, programs.target, NAMES, options)
    proofs = [f.certificate for f in report.functions if f.certificate is not None]
    assert len(proofs) == 1, report
    return render(certificate_of((programs.source, programs.target), meaning_of(options), proofs))


SOLVER = Solver()
"""One for all: what is shown once need not be again."""

PARSED = cache(parse)


def replayed(text: str, source: str, target: str) -> None:
    """Raises: Rejected, Malformed."""
    found = read(text)
    modules = PARSED(source, NAMES[0]), PARSED(target, NAMES[1])
    for pair, proof in zip(pairs_of(found, (source, target), modules), found.functions, strict=True):
        check_function(pair, proof, found.options, SOLVER)


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
    found = list(places(data))
    for path in random.sample(found, min(EDITS, len(found))):
        changed = copy.deepcopy(data)
        container = changed
        for key in path[:-1]:
            container = container[key]
        if edit(container, path[-1], random) and changed != data:
            yield path, changed


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


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_certificate_is_accepted(name: str) -> None:
    replayed(certificate(name), PROGRAMS[name].source, PROGRAMS[name].target)


@pytest.mark.parametrize("name", PROGRAMS)
def test_any_edit_is_seen_by_the_digest(name: str) -> None:
    for _, changed in edits(name):
        with pytest.raises(Malformed):
            read(json.dumps(changed))


@pytest.mark.parametrize("name", PROGRAMS)
def test_any_edit_is_rejected_without_the_digest(name: str) -> None:
    """Only what is as true may do: another instance of what is shown, the same said otherwise in isl, and other
    switches where nothing depends on them."""
    for path, changed in edits(name):
        try:
            replayed(sealed(changed), PROGRAMS[name].source, PROGRAMS[name].target)
        except (Rejected, Malformed):
            continue
        assert free(path, changed), f"accepted with another {path}"


def free(path: tuple[Any, ...], changed: Any) -> bool:
    """Whether there may be more than one right answer at a place."""
    if path[0] == "digest":
        return True
    if path[:1] == ("options",):
        return path[1] in ("index_wraps", "may_overlap", "floats", "assume")
    if path[:3] != ("functions", 0, "proof"):
        return False
    return path[3:5] == ("values", "steps") or "data" in path or (path[3:5] == ("values", "lemmas") and "rows" in path)


@pytest.mark.parametrize("name", PROGRAMS)
def test_no_edit_proves_what_is_wrong(name: str) -> None:
    programs = PROGRAMS[name]
    for _, changed in edits(name):
        if isinstance(changed.get("target"), str):
            changed["target"] = digest(programs.wrong)
        with pytest.raises((Rejected, Malformed)):
            replayed(sealed(changed), programs.source, programs.wrong)


def test_every_kind_of_step_is_edited() -> None:
    text = "".join(map(certificate, PROGRAMS))
    for part in (
        '"identity"',
        '"aligned"',
        '"dataflow"',
        '"inputs"',
        '"values"',
        '"overlap"',
        '"every"',
        '"turns"',
        '"stricter"',
        '"asserted"',
        '"bounded"',
        '"theorems"',
        '"cell-last"',
        '"schedules"',
        '"elements"',
        '"smt"',
        '"ring"',
        '["fold",',
        '["lemma",',
        '"proper"',
        '"refines"',
        '"equivalent"',
    ):
        assert part in text, part


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
