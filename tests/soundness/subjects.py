"""What mutants are made of: pairs whose target is right, as they stand in files or as random programs grow them."""

from __future__ import annotations

import argparse
import re
import shlex
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from random import Random
from typing import Final

from hecv.claim.semantic_options import Switches

from . import (
    bands,
    calls,
    choices,
    chosen,
    crossed,
    flows,
    handed,
    loaded,
    nests,
    overlaps,
    probes,
    returning,
    rows,
    smalls,
    tensors,
    vectors,
    views,
    whiles,
    widths,
)
from .programs import PassFailed, Taste, chain, program, run_pipeline


@dataclass(frozen=True, slots=True)
class Subject:
    """A pair whose target is right, under the switches of its test."""

    name: str
    source: str
    target: str
    switches: Switches = Switches()  # noqa: RUF009
    assume: tuple[str, ...] = ()


def options_of(target: str) -> tuple[Switches, tuple[str, ...]]:
    """The switches and assumptions under which a target of the lit suite is right."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--fp", default="strict")
    parser.add_argument("--alias", default="distinct")
    parser.add_argument("--index-overflow", default="assume")
    parser.add_argument("--index-width", type=int, default=64)
    parser.add_argument("--assume", action="append", default=[])
    found = re.search(r"RUN:.*hecv check (.*\.src\.mlir %s.*)", target)
    words = shlex.split(found[1].split("|")[0]) if found else []
    given, _ = parser.parse_known_args(words)
    switches = Switches(given.index_width, given.index_overflow == "wrap", given.alias == "may", given.fp)
    return switches, tuple(given.assume)


# Random programs

RARE: Final = Taste(data_conditions=0.05, traps=0.15, uninitialised=0.12, flags=0.12)
"""Programs with more of what is rare."""

SCALAR: Final = ("canonicalize", "cse", "sccp", "canonicalize,cse", "int-range-optimizations", "arith-expand")
CONTROL: Final = (*SCALAR, "convert-scf-to-cf", "convert-scf-to-cf,canonicalize", "loop-invariant-code-motion")
AFFINE: Final = ("lower-affine", "affine-loop-invariant-code-motion", "affine-scalrep", *CONTROL)
OF_VIEWS: Final = ("fold-memref-alias-ops", "expand-strided-metadata", "normalize-memrefs", "canonicalize,cse")
OF_VECTORS: Final = (*SCALAR, "func.func(convert-vector-to-scf)", "loop-invariant-code-motion")
OF_WIDTHS: Final = ("arith-unsigned-when-equivalent", "arith-int-range-narrowing{int-bitwidths-supported=1,8,16,24,32}")
OF_EXTENTS: Final = (
    "resolve-shaped-type-result-dims",
    "fold-memref-alias-ops",
    "scf-for-loop-peeling",
    "affine-loop-tile",
)
OF_BANDS: Final = ("affine-loop-normalize", "affine-parallelize", "affine-loop-tile{tile-size=3}", "affine-loop-fusion")

WIDENED: Final = (
    "arith-expand{include-bf16=true include-f8e8m0=true}",
    "func.func(arith-emulate-unsupported-floats{source-types=bf16,f8E5M2,f8E4M3FN target-type=f32})",
    "func.func(math-extend-to-supported-types{target-type=f32})",
)

Grow = Callable[[int, Random], tuple[str, str]]
"""A program and a pipeline of a module, or of some (`WRITTEN_TWICE`) a target, by a number and what is drawn by it."""


def _plain(number: int, random: Random) -> tuple[str, str]:
    return program(number), f"func.func({chain(random)})"


def _rare(number: int, random: Random) -> tuple[str, str]:
    return program(number, RARE), f"func.func({chain(random)})"


def _narrow(number: int, random: Random) -> tuple[str, str]:
    """Of integers of 64 bits, under an `index` of 32: a cast to `index` drops bits."""
    return re.sub(r"(?<!%)i32\b", "i64", program(number, RARE)), random.choice(AFFINE)


def _odd(number: int, random: Random) -> tuple[str, str]:
    """Of integers of a width that no machine has."""
    width = random.choice((9, 33, 128))
    return re.sub(r"(?<!%)i32\b", f"i{width}", program(number, RARE)), random.choice(AFFINE)


def _nest(number: int, random: Random) -> tuple[str, str]:
    return nests.nest(number), nests.transformations(number)


def _branches(number: int, random: Random) -> tuple[str, str]:
    return choices.text(choices.program(random), random), random.choice(SCALAR)


def _graph(number: int, random: Random) -> tuple[str, str]:
    nodes = flows.graph(random)
    nodes = flows.with_dead_ends(nodes, random) if random.random() < 0.5 else nodes
    return flows.text(nodes), random.choice((*SCALAR, "lift-cf-to-scf"))


def _handed(number: int, random: Random) -> tuple[str, str]:
    """Of views and vectors that blocks hand on."""
    return handed.text(handed.graph(random)), random.choice((*SCALAR, "lift-cf-to-scf"))


def _while(number: int, random: Random) -> tuple[str, str]:
    return whiles.program(random), random.choice((*CONTROL, "scf-uplift-while-to-for"))


def _tensor(number: int, random: Random) -> tuple[str, str]:
    return tensors.program(random), random.choice(SCALAR)


def _vector(number: int, random: Random) -> tuple[str, str]:
    return vectors.program(random, 5), random.choice(OF_VECTORS)


def _view(number: int, random: Random) -> tuple[str, str]:
    return views.program(random), random.choice(OF_VIEWS)


def _shared(number: int, random: Random) -> tuple[str, str]:
    return overlaps.text(overlaps.program(random)), random.choice(AFFINE)


def _chosen(number: int, random: Random) -> tuple[str, str]:
    return chosen.memrefs(random), random.choice(CONTROL)


def _complex(number: int, random: Random) -> tuple[str, str]:
    return chosen.numbers(random), random.choice((*SCALAR, "convert-complex-to-standard,canonicalize"))


def _wide(number: int, random: Random) -> tuple[str, str]:
    return widths.program(random), random.choice((*CONTROL, *OF_WIDTHS))


def _loaded(number: int, random: Random) -> tuple[str, str]:
    return loaded.program(random), random.choice((*AFFINE, *OF_EXTENTS))


def _crossed(number: int, random: Random) -> tuple[str, str]:
    return crossed.program(random), random.choice((*AFFINE, *OF_VIEWS))


def _band(number: int, random: Random) -> tuple[str, str]:
    return bands.program(random), random.choice((*AFFINE, *OF_BANDS))


def _probe(number: int, random: Random) -> tuple[str, str]:
    """Of all ops that hecv knows."""
    return probes.program(random), random.choice((*CONTROL, *OF_VIEWS, "func.func(math-expand-ops)"))


def _small(number: int, random: Random) -> tuple[str, str]:
    """Of floats of few bits."""
    return smalls.program(random), random.choice((*CONTROL, *WIDENED))


def _calls(number: int, random: Random) -> tuple[str, str]:
    """Of calls."""
    return calls.program(random), random.choice((*CONTROL, "inline", "inline,canonicalize", "cse,symbol-dce"))


def _returning(number: int, random: Random) -> tuple[str, str]:
    """Of memrefs that are returned."""
    return returning.calling(returning.program(random)), random.choice((*CONTROL, "inline", "inline,canonicalize"))


def _rows(number: int, random: Random) -> tuple[str, str]:
    """Of rows whose length is not known."""
    return rows.pair(random)


GROWERS: Final[tuple[Grow, ...]] = (
    _plain,
    _nest,
    _branches,
    _rare,
    _graph,
    _while,
    _vector,
    _odd,
    _tensor,
    _view,
    _narrow,
    _shared,
    _chosen,
    _complex,
    _wide,
    _loaded,
    _crossed,
    _band,
    _probe,
    _small,
    _calls,
    _handed,
    _rows,
    _returning,
)
REARRANGED: Final = GROWERS.index(_band)
"""The number of what grows programs in which every kind of edit of loops has its place."""
MAY_OVERLAP: Final = (_shared,)
"""Whose programs are about arguments that may overlap."""
WRITTEN_TWICE: Final = (_rows,)
NARROW: Final = (_narrow,)
"""Whose programs are about an `index` of 32 bits."""

UNCHANGED: Final = 0.3
"""So many targets are the program itself."""


def grown(number: int) -> Subject:
    """A random program, and what passes make of it."""
    grow, random = GROWERS[number % len(GROWERS)], Random(f"grown {number}")
    source, pipeline = grow(number, random)
    target = source
    if grow in WRITTEN_TWICE:
        target = pipeline
    elif random.random() >= UNCHANGED:
        with suppress(PassFailed):
            target = run_pipeline(source, f"builtin.module({pipeline})")
    name = f"{grow.__name__.strip('_')}-{number}"
    switches = Switches(index_width=32 if grow in NARROW else 64, may_overlap=grow in MAY_OVERLAP)
    return Subject(name, source, target, switches)
