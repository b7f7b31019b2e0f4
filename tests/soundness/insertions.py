"""Edits of MLIR text that make it less defined: poison where there was a value, and what is undefined for some inputs.

Each leaves all values as they are where nothing is undefined: what it adds is seen only by one who asks whether a bound
is poison, a step positive, an index in range, a divisor zero. A normal form that drops such a thing would prove the
mutant. What an edit inserts has names of its own, all of which begin with `%zz`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

Lines = list[str]

POISONED = (
    "affine.for %zzi = 5 to min affine_map<()[s] -> (3, s)>()[%zzp] {\n}",
    "affine.for %zzi = max affine_map<()[s] -> (7, s)>()[%zzp] to 2 {\n}",
    "affine.for %zzi = 0 to min affine_map<()[s] -> (s mod 4 - 9, s)>()[%zzp] {\n}",
    "scf.for %zzi = %zz4 to %zz0 step %zzp {\n}",
    "scf.for %zzi = %zzp to %zzp step %zz1 {\n}",
    "scf.for %zzi = %zz0 to %zzp step %zz1 {\n}",
    "%zza = memref.alloca(%zzp) : memref<?xi8>",
    '%zzc = arith.cmpi eq, %zzp, %zzp : index\ncf.assert %zzc, "itself"',
    "%zzc = arith.cmpi ne, %zzp, %zzp : index\nscf.if %zzc {\n}",
    "%zzc = arith.cmpi sge, %zzp, %zzp : index\nscf.if %zzc {\n} else {\n}",
    "%zzt = arith.constant true\n%zzd = arith.cmpi slt, %zzp, %zz4 : index\n"
    "%zzc = arith.ori %zzd, %zzt : i1\nscf.if %zzc {\n}",
    "%zzc = arith.divui %zz4, %zzp : index",
    "%zzm = arith.muli %zzp, %zz0 : index\n%zzs = memref.alloca() : memref<2xi8>\n"
    "%zzv = memref.load %zzs[%zzm] : memref<2xi8>",
)
"""What is undefined as `%zzp` is poison."""

TRAPS = (
    "scf.for %zzi = %zz4 to %zz0 step %N {\n}",
    "scf.for %zzi = %zz0 to %zz4 step %N {\n}",
    "%zzq = arith.divsi %zz4, %N : index",
    "%zzq = arith.remui %zz0, %N : index",
    "%zzq = affine.apply affine_map<()[s] -> (4 floordiv s)>()[%N]",
    "%zzq = affine.apply affine_map<()[s] -> (0 mod s)>()[%N]",
    "%zza = memref.alloca(%N) : memref<?xi8>",
    "%zza = memref.alloca() : memref<4xi8>\n%zzv = memref.load %zza[%N] : memref<4xi8>",
    "%zza = memref.alloca() : memref<4xi8>\n"
    "affine.for %zzi = 0 to %N {\n%zzv = affine.load %zza[%zzi] : memref<4xi8>\n}",
    '%zzc = arith.cmpi slt, %N, %zz4 : index\ncf.assert %zzc, "small"',
    "%zzw = arith.index_cast %N : index to i8\n%zzl = arith.constant 120 : i8\n%zzs = arith.constant 5 : i8\n"
    "scf.for %zzi = %zzl to %zzw step %zzs : i8 {\n}",
    "affine.parallel (%zzi) = (0) to (symbol(%N)) {\n"
    "%zzr = affine.load %zza[0] : memref<1xi8>\naffine.store %zzr, %zza[0] : memref<1xi8>\n}",
)
"""What is undefined for some values of the index `%N`; the last one accesses an allocation of one element."""

CONSTANTS = tuple(f"%zz{k} = arith.constant {k} : index" for k in (0, 1, 4))


def poison(kind: str) -> Lines:
    """A value `%zzp` that is poison."""
    return [f"%zzu = memref.alloca() : memref<{kind}>", f"%zzp = memref.load %zzu[] : memref<{kind}>"]


def insert_poison(lines: Lines, at: int, random: Random) -> Lines | None:
    """A statement that is undefined as something in it is poison, though it has no other effect."""
    return _before(lines, at, [*CONSTANTS, *poison("index"), random.choice(POISONED)])


def insert_trap(lines: Lines, at: int, random: Random) -> Lines | None:
    """A statement that is undefined for some values of an index, though it has no other effect."""
    names = _indices(lines, at)
    if not names:
        return None
    text = random.choice(TRAPS)
    array = ["%zza = memref.alloca() : memref<1xi8>", "%zzb = arith.constant 1 : i8"]
    array.append("affine.store %zzb, %zza[0] : memref<1xi8>")
    made = [*(array if "%zza = " not in text and "%zza" in text else ()), text]
    return _before(lines, at, [*CONSTANTS, *made], {"%N": random.choice(names)})


def poison_index(lines: Lines, at: int, random: Random) -> Lines | None:
    """A subscript of a load or store is what it was plus what is 0 if it is not poison."""
    found = re.search(r"(affine|memref)\.(load|store) .*?\[(%[\w#]+)", lines[at])
    if found is None or not is_placed(lines, at):
        return None
    index = found[3]
    ways = (
        f"%zzm = affine.apply affine_map<()[s] -> (s mod 3)>()[%zzp]\n"
        f"%zzx = affine.apply affine_map<(d0)[s] -> (d0 + s floordiv 4)>({index})[%zzm]",
        f"%zzm = affine.apply affine_map<()[s] -> (s floordiv 2)>()[%zzp]\n"
        f"%zzx = affine.apply affine_map<(d0)[s, t] -> (d0 + s - t * 2 - s mod 2)>({index})[%zzp, %zzm]",
        f"%zzm = arith.muli %zzp, %zz0 : index\n%zzx = arith.addi {index}, %zzm : index",
        f"%zzm = arith.subi %zzp, %zzp : index\n%zzx = arith.subi {index}, %zzm : index",
        f"%zzc = arith.cmpi slt, %zzp, %zz4 : index\n%zzx = arith.select %zzc, {index}, {index} : index",
        f"%zzm = arith.minsi %zzp, {index} : index\n%zzx = arith.maxsi %zzm, {index} : index",
    )
    plain = lines[at][: found.start(1)] + "memref" + lines[at][found.end(1) : found.start(3)] + "%zzx"
    edited = [*lines[:at], plain + lines[at][found.end(3) :], *lines[at + 1 :]]
    return _before(edited, at, [*CONSTANTS, *poison("index"), random.choice(ways)])


def poison_value(lines: Lines, at: int, random: Random) -> Lines | None:
    """An operand of a store or an op on integers or floats is poison, though it looks as if it were what it was."""
    found = re.search(
        r"(?:arith\.\w+|(?:affine|memref)\.store) (%[\w#]+), .* : (?:memref<[^>]*?)?(index|[if]\d+)>?$", lines[at]
    )
    if found is None or not is_placed(lines, at) or "cmp" in lines[at] or "select" in lines[at]:
        return None
    value, kind = found[1], found[2]
    chosen = [f"%zzx = arith.select %zzp, {value}, {value} : {kind}"]
    ways = [[*poison("i1"), *chosen]]
    if not kind.startswith("f"):
        zero = f"%zzz = arith.constant 0 : {kind}"
        ways += [
            [*poison(kind), zero, f"%zzm = arith.{op}, %zzz : {kind}", f"%zzx = arith.addi {value}, %zzm : {kind}"]
            for op in ("muli %zzp", "andi %zzp", "minui %zzp")
        ]
        for op in ("subi", "xori"):
            apart = [f"%zzm = arith.{op} %zzp, %zzp : {kind}", f"%zzx = arith.ori {value}, %zzm : {kind}"]
            ways.append([*poison(kind), *apart])
    line = lines[at][: found.start(1)] + "%zzx" + lines[at][found.end(1) :]
    return _before([*lines[:at], line, *lines[at + 1 :]], at, random.choice(ways))


Insertion = Callable[[Lines, int, Random], Lines | None]
INSERTIONS: tuple[Insertion, ...] = (insert_poison, insert_trap, poison_index, poison_value)


def is_placed(lines: Lines, at: int) -> bool:
    """Whether a statement may stand before a line: it is one within a function, and no part of another one."""
    return bool(re.match(r"\s+(%[\w#:, ]+ = |[a-z_]+\.|return)", lines[at])) and not re.search(
        r"module|func\.func|yield|global", lines[at]
    )


def _before(lines: Lines, at: int, made: Lines, names: dict[str, str] | None = None) -> Lines | None:
    if not is_placed(lines, at):
        return None
    text = "\n".join(made)
    for name, stands_for in (names or {}).items():
        text = re.sub(re.escape(name) + r"(?!\w)", stands_for, text)
    return [*lines[:at], *text.split("\n"), *lines[at:]]


def _indices(lines: Lines, at: int) -> Lines:
    """The arguments of type `index` of the function around a line."""
    heads = [k for k in range(at + 1) if "func.func" in lines[k]]
    return re.findall(r"(%\w+): index\b", lines[heads[-1]]) if heads else []
