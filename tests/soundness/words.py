"""Edits of what is spelt out in an op of any dialect: its kind, its attributes, its uses, where it branches to.

None knows an op: a word is exchanged for another one of its group, a number, value or target for another one, and the
parser rejects what makes no sense. So ops that no other edit knows have mutants, too.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from random import Random

from .insertions import is_placed

Lines = list[str]

SIGNED = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
ORDERED = ("false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord")
UNORDERED = ("ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true")


def _all(dialect: str, names: str) -> tuple[str, ...]:
    return tuple(f"{dialect}.{name}" for name in names.split())


GROUPS: tuple[tuple[str, ...], ...] = (
    SIGNED,
    ORDERED + UNORDERED,
    _all("arith", "divsi divui ceildivsi ceildivui floordivsi remsi remui"),
    _all("arith", "shli shrsi shrui"),
    _all("arith", "maxsi maxui minsi minui"),
    _all("arith", "extsi extui"),
    _all("arith", "sitofp uitofp"),
    _all("arith", "fptosi fptoui"),
    _all("arith", "index_cast index_castui"),
    _all("arith", "maximumf minimumf maxnumf minnumf remf"),
    _all("arith", "mulsi_extended mului_extended"),
    _all("index", "add sub mul divs divu ceildivs ceildivu floordivs rems remu"),
    _all("index", "maxs maxu mins minu and or xor shl shrs shru"),
    _all("index", "casts castu"),
    _all("math", "floor ceil trunc round roundeven absf"),
    _all("math", "ctlz cttz ctpop absi"),
    _all("complex", "add sub mul div"),
    _all("complex", "re im"),
    _all("affine", "min max"),
    ("floordiv", "ceildiv", "mod"),
    ("min", "max"),
    ("addi", "assign", "maxs", "maxu", "mins", "minu", "muli", "ori", "andi", "xori"),
    ("addf", "maximumf", "maxnumf", "minimumf", "minnumf", "mulf"),
    ("add", "mul", "minui", "minsi", "maxui", "maxsi", "and", "or", "xor"),
    ("true", "false"),
    ("parallel", "reduction"),
    ("to_nearest_even", "downward", "upward", "toward_zero", "to_nearest_away"),
    ("scf.for", "scf.for unsigned"),
    ("nsw", "nuw"),
    ("nnan", "ninf", "nsz", "arcp", "contract", "afn", "reassoc", "fast"),
)
"""Words of which one may stand where another does."""

WORDS = {word: group for group in GROUPS for word in group}
"""Some group of a word."""
WORD = re.compile(r"(?<![%@^!#\w.\"])(?:scf\.for unsigned|[a-z_]+\.[a-z_]+|[a-z_]+)(?![\w.\"])")
NUMBER = re.compile(r"(?<![\w.%#@^-])-?\d+(?![\w.])")
USE = re.compile(r"%\w+(?:#\d+)?(?!\w)")
TARGET = re.compile(r"\^\w+(?:\([^()]*\))?")


def change_word(lines: Lines, at: int, random: Random) -> Lines | None:
    """A word that says what an op does is another one of its group."""
    found = [m for m in WORD.finditer(lines[at]) if m.group() in WORDS]
    if not found:
        return None
    word = random.choice(found)
    groups = [g for g in GROUPS if word.group() in g]
    other = random.choice([w for w in random.choice(groups) if w != word.group()])
    return _with(lines, at, word.span(), other)


def change_number(lines: Lines, at: int, random: Random) -> Lines | None:
    """A number is another one: an offset, size, stride, position, case, element, extent of a view."""
    found = list(NUMBER.finditer(lines[at]))
    if not found or "func.func" in lines[at]:
        return None
    number = random.choice(found)
    others = {int(m.group()) for m in found} | {int(number.group()) + by for by in (-1, 1, 2)}
    return _with(lines, at, number.span(), str(random.choice(sorted(others - {int(number.group())}))))


def change_use(lines: Lines, at: int, random: Random) -> Lines | None:
    """A use of a value is one of another value that stands above, whatever the op."""
    start = lines[at].find(" = ") + 1 if re.match(r"\s*%", lines[at]) else 0
    found = [m for m in USE.finditer(lines[at]) if m.start() >= start]
    if not found or "func.func" in lines[at]:
        return None
    use = random.choice(found)
    heads = [k for k in range(at + 1) if "func.func" in lines[k]]
    above = lines[heads[-1] if heads else 0 : at + 1]
    kinds = _kinds(above)
    kind = kinds.get(use.group())
    names = sorted(n for n, k in kinds.items() if n != use.group() and (kind is None or k in (kind, None)))
    return _with(lines, at, use.span(), random.choice(names)) if names else None


def swap_targets(lines: Lines, at: int, random: Random) -> Lines | None:
    """Two targets of a branch are exchanged, or one is another block."""
    found = list(TARGET.finditer(lines[at]))
    if not found or re.match(r"\s*\^", lines[at]):
        return None
    if len(found) > 1 and random.random() < 0.6:
        first, second = sorted(random.sample(range(len(found)), 2))
        one, two = found[first], found[second]
        line = lines[at]
        between = line[one.end() : two.start()]
        changed = line[: one.start()] + two.group() + between + one.group() + line[two.end() :]
        return None if changed == line else [*lines[:at], changed, *lines[at + 1 :]]
    target = random.choice(found)
    name = target.group().split("(")[0]
    others = sorted({m.group() for line in lines for m in re.finditer(r"\^\w+", line)} - {name})
    return _with(lines, at, (target.start(), target.start() + len(name)), random.choice(others)) if others else None


def negate_condition(lines: Lines, at: int, random: Random) -> Lines | None:
    """A condition is its contrary."""
    found = re.search(r"(?:scf\.if |cond_br |scf\.condition\(|arith\.select |cf\.assert )(%[\w#]+)", lines[at])
    if found is None or not is_placed(lines, at):
        return None
    made = ["%zzt = arith.constant true", f"%zzc = arith.xori {found[1]}, %zzt : i1"]
    return [*lines[:at], *made, lines[at][: found.start(1)] + "%zzc" + lines[at][found.end(1) :], *lines[at + 1 :]]


def narrow_value(lines: Lines, at: int, random: Random) -> Lines | None:
    """An operand passes through a narrower type, which only large values show."""
    found = re.search(
        r"(?:arith\.\w+|(?:affine|memref)\.store) (%[\w#]+), .* : (?:memref<[^>]*?)?(index|i\d+|f32|f64)>?$", lines[at]
    )
    if found is None or not is_placed(lines, at) or "select" in lines[at]:
        return None
    value, kind = found[1], found[2]
    if kind == "index":
        down, up, other = "arith.index_cast", "arith.index_cast", random.choice(("i8", "i16", "i32"))
    elif kind.startswith("i"):
        if int(kind[1:]) < 2:
            return None
        width = int(kind[1:])
        down, up, other = (
            "arith.trunci",
            random.choice(("arith.extsi", "arith.extui")),
            f"i{random.choice((width - 1, max(1, width // 2)))}",
        )
    else:
        down, up, other = "arith.truncf", "arith.extf", "f32" if kind == "f64" else random.choice(("f16", "bf16"))
    made = [f"%zzn = {down} {value} : {kind} to {other}", f"%zzx = {up} %zzn : {other} to {kind}"]
    line = lines[at][: found.start(1)] + "%zzx" + lines[at][found.end(1) :]
    return [*lines[:at], *made, line, *lines[at + 1 :]]


Edit = Callable[[Lines, int, Random], Lines | None]
WORDINGS: tuple[Edit, ...] = (change_word, change_number, change_use, swap_targets, negate_condition, narrow_value)


def _with(lines: Lines, at: int, place: tuple[int, int], text: str) -> Lines:
    return [*lines[:at], lines[at][: place[0]] + text + lines[at][place[1] :], *lines[at + 1 :]]


def _kinds(lines: Lines) -> dict[str, str | None]:
    """The values that lines define, and of what type they are where that is plain from the text."""
    kinds: dict[str, str | None] = {}
    for line in lines:
        kinds |= _defined(line)
    return kinds


@lru_cache(maxsize=2_000)
def _defined(line: str) -> dict[str, str | None]:
    kinds: dict[str, str | None] = {}
    head, _, rest = line.partition(" = ")
    if re.match(r"\s*%", line) and rest:
        names = re.findall(r"%\w+(?::\d+)?", head)
        for name in names:
            stem, _, count = name.partition(":")
            for one in [f"{stem}#{k}" for k in range(int(count))] if count else [stem]:
                kinds[one] = _result(rest) if len(names) == 1 and not count else None
    for name, kind in re.findall(r"(%\w+): (memref<[^>]*>|tensor<[^>]*>|vector<[^>]*>|\w+)", line):
        kinds[name] = kind
    for name in re.findall(r"(?:affine|scf)\.for(?: unsigned)? (%\w+) =", line):
        kinds[name] = "index"
    return kinds


def _result(text: str) -> str | None:
    """The type of what an op defines."""
    if text.startswith(("arith.cmp", "index.cmp")):
        return "i1"
    if text.startswith(("affine.apply", "affine.min", "affine.max", "memref.dim", "tensor.dim")):
        return "index"
    last = re.search(r"(?:: |to |-> )([\w<>?\[\],: ]+)$", text)
    if last is None:
        return None
    kind = last[1]
    if re.match(r"(?:affine|memref)\.(?:load|atomic_rmw)", text):
        element = re.search(r"memref<(?:[\d?]+x)*(\w+)", text)
        return element and element[1]
    return kind if "," not in kind or "<" in kind else None
