"""Single edits of MLIR text: what a compiler bug or a slip of the hand would do to a target, what makes it less
defined (`insertions`), other words of any op (`words`), and statements elsewhere (`rearrangements`).

Each kind of edit finds its sites by the text of the op; a mutant that no longer parses is the caller's to drop. No
edit knows a kernel by name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random

from hecv.base.diagnostics import InputError
from hecv.mlir.importer import parse

from .insertions import INSERTIONS
from .rearrangements import REARRANGEMENTS, sink_statement, split_loop
from .words import WORDINGS, negate_condition


@dataclass(frozen=True, slots=True)
class Mutant:
    """`text` is the target with one edit of `kind` on line `line` (from 1)."""

    kind: str
    line: int
    text: str


Edit = Callable[[list[str], int, Random], list[str] | None]
"""Edits a copy of the lines at a place; None where the kind of edit does not apply there."""

BINARY = ("addf", "subf", "mulf", "divf", "addi", "subi", "muli", "maxsi", "minsi", "andi", "ori", "xori")
FEW = 3
"""So often an edit is drawn of a line before it is taken not to apply there."""

PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge")


def _number(lines: list[str], at: int, random: Random, pattern: str, by: tuple[int, ...]) -> list[str] | None:
    """Changes one integer literal of the line that `pattern` allows."""
    line = lines[at].split(" : ")[0] if "memref<" in lines[at] else lines[at]
    sites = list(re.finditer(r"(?<![\w.%#@])\d+(?![\w.])", line))
    if not re.search(pattern, line) or not sites:
        return None
    site = random.choice(sites)
    changed = str(int(site.group()) + random.choice(by))
    return _replaced(lines, at, lines[at][: site.start()] + changed + lines[at][site.end() :])


def _replaced(lines: list[str], at: int, line: str) -> list[str] | None:
    return None if line == lines[at] else [*lines[:at], line, *lines[at + 1 :]]


def change_bound(lines: list[str], at: int, random: Random) -> list[str] | None:
    """A loop bound or step is off by one or by a few."""
    return _number(lines, at, random, r"\bfor\b", (1, -1, 2, 8))


def change_map(lines: list[str], at: int, random: Random) -> list[str] | None:
    """A constant of an affine map or set is off."""
    return _number(lines, at, random, r"affine_map|affine_set", (1, -1, 2, 16))


def change_subscript(lines: list[str], at: int, random: Random) -> list[str] | None:
    """A constant in a subscript is off."""
    return _number(lines, at, random, r"(load|store|apply)\b.*[\[(]", (1, -1))


def shift_subscript(lines: list[str], at: int, random: Random) -> list[str] | None:
    """`[%i, %j]` becomes `[%i + 1, %j]`."""
    if not re.search(r"affine\.(load|store)", lines[at]):
        return None
    sites = list(re.finditer(r"(?<=[\[,] )%\w+|(?<=\[)%\w+", lines[at].split(" : ")[0]))
    if not sites:
        return None
    site = random.choice(sites)
    offset = random.choice((" + 1", " - 1"))
    return _replaced(lines, at, lines[at][: site.end()] + offset + lines[at][site.end() :])


def swap_subscripts(lines: list[str], at: int, random: Random) -> list[str] | None:
    """`[%i, %j]` becomes `[%j, %i]`."""
    return _replaced(lines, at, re.sub(r"\[([^\[\],]+), ([^\[\],]+)\]", r"[\2, \1]", lines[at], count=1))


def change_operator(lines: list[str], at: int, random: Random) -> list[str] | None:
    """An arithmetic operator is another one of the same type."""
    found = re.search(r"arith\.(\w+)", lines[at])
    if found is None or found.group(1) not in BINARY:
        return None
    others = [b for b in BINARY if b != found.group(1) and b[-1] == found.group(1)[-1]]
    return _replaced(lines, at, lines[at].replace(found.group(1), random.choice(others), 1))


def change_predicate(lines: list[str], at: int, random: Random) -> list[str] | None:
    """A comparison has another predicate."""
    found = re.search(r"cmpi (\w+),", lines[at])
    if found is None:
        return None
    other = random.choice([p for p in PREDICATES if p != found.group(1)])
    return _replaced(lines, at, lines[at].replace(f"cmpi {found.group(1)},", f"cmpi {other},"))


def swap_operands(lines: list[str], at: int, random: Random) -> list[str] | None:
    """`op %a, %b` becomes `op %b, %a`."""
    return _replaced(lines, at, re.sub(r"(arith\.\w+ )(%[\w#]+), (%[\w#]+)", r"\1\3, \2", lines[at], count=1))


def change_operand(lines: list[str], at: int, random: Random) -> list[str] | None:
    """An operand of an arithmetic op or store is another value that the text above defines."""
    if not re.search(r"arith\.\w+ %|store %|yield %", lines[at]):
        return None
    uses = list(re.finditer(r"(?<=[ ,])%[\w#]+(?=[, ])", lines[at]))
    names = sorted({m for line in lines[:at] for m in re.findall(r"%[\w]+(?= =)|%[\w]+(?=:)", line)})
    if not uses or not names:
        return None
    use = random.choice(uses)
    return _replaced(lines, at, lines[at][: use.start()] + random.choice(names) + lines[at][use.end() :])


def change_memref(lines: list[str], at: int, random: Random) -> list[str] | None:
    """A load or store names another memref."""
    found = re.search(r"(?:load |, )(%\w+)\[", lines[at])
    if found is None or not re.search(r"\b(load|store)\b", lines[at]):
        return None
    names = sorted({m for line in lines for m in re.findall(r"(%\w+)\[", line)} - {found.group(1)})
    if not names:
        return None
    return _replaced(lines, at, lines[at][: found.start(1)] + random.choice(names) + lines[at][found.end(1) :])


def drop_store(lines: list[str], at: int, random: Random) -> list[str] | None:
    """A store is missing."""
    return [*lines[:at], *lines[at + 1 :]] if re.search(r"\bstore\b|\.store ", lines[at]) else None


def swap_lines(lines: list[str], at: int, random: Random) -> list[str] | None:
    """Two neighbouring effects are exchanged."""
    effect = r"\.store |\.load "
    if at + 1 >= len(lines) or not re.search(effect, lines[at]):
        return None
    others = [k for k in range(at + 1, min(at + 6, len(lines))) if re.search(effect, lines[k])]
    if not others or any(re.search(r"[{}]", line) for line in lines[at : others[0]]):
        return None
    other = others[0]
    copy = list(lines)
    copy[at], copy[other] = copy[other], copy[at]
    return copy


def change_step(lines: list[str], at: int, random: Random) -> list[str] | None:
    """The step of a loop is another one."""
    found = re.search(r"\bfor\b.* step (\d+)", lines[at])
    if found is not None:
        step = str(max(1, int(found[1]) + random.choice((-1, 1, 2))))
        return _replaced(lines, at, lines[at][: found.start(1)] + step + lines[at][found.end(1) :])
    plain = re.search(r"affine\.for %\w+ = .*?(?=( iter_args.*)? \{$)", lines[at])
    if plain is None:
        return None
    return _replaced(lines, at, lines[at][: plain.end()] + " step 2" + lines[at][plain.end() :])


def change_constant(lines: list[str], at: int, random: Random) -> list[str] | None:
    """A constant has another value."""
    found = re.search(r"arith\.constant (-?\d+)( :|\.\d)", lines[at])
    if found is None:
        return None
    value = str(int(found[1]) + random.choice((1, -1, 2, -7)))
    return _replaced(lines, at, lines[at][: found.start(1)] + value + lines[at][found.end(1) :])


def change_carried(lines: list[str], at: int, random: Random) -> list[str] | None:
    """What a loop carries or yields first is another value, or two of them are exchanged."""
    found = re.search(r"iter_args\(%\w+ = (%[\w#]+)|yield (%[\w#]+)(?:, (%[\w#]+))?", lines[at])
    if found is None:
        return None
    if found[3] is not None and random.random() < 0.5:
        exchanged = f"yield {found[3]}, {found[2]}"
        return _replaced(lines, at, lines[at][: found.start()] + exchanged + lines[at][found.end() :])
    names = sorted({m for line in lines[:at] for m in re.findall(r"%\w+(?= =)|%\w+(?=:)", line)})
    group = 1 if found[1] else 2
    if not names:
        return None
    return _replaced(lines, at, lines[at][: found.start(group)] + random.choice(names) + lines[at][found.end(group) :])


def drop_flag(lines: list[str], at: int, random: Random) -> list[str] | None:
    """A flag is dropped."""
    return _replaced(lines, at, re.sub(r" (overflow|fastmath)<\w+(,\s*\w+)*>| nneg| exact| disjoint", "", lines[at]))


def add_flag(lines: list[str], at: int, random: Random) -> list[str] | None:
    """A flag is added."""
    if re.search("overflow|fastmath", lines[at]):
        return None
    if re.search(r"arith\.(addf|subf|mulf|divf) %[\w#]+, %[\w#]+ :", lines[at]):
        flags = random.choice(("nnan", "ninf", "reassoc", "fast"))
        return _replaced(lines, at, lines[at].replace(" :", f" fastmath<{flags}> :", 1))
    flag = random.choice(("nsw", "nuw"))
    return _replaced(lines, at, re.sub(r"(arith\.(?:addi|subi|muli) \S+, \S+)", rf"\1 overflow<{flag}>", lines[at]))


EDITS: tuple[Edit, ...] = (
    change_bound,
    change_map,
    change_subscript,
    shift_subscript,
    swap_subscripts,
    change_operator,
    change_predicate,
    swap_operands,
    change_operand,
    change_memref,
    drop_store,
    change_step,
    change_constant,
    change_carried,
    swap_lines,
    drop_flag,
    add_flag,
    *INSERTIONS,
    *WORDINGS,
    *REARRANGEMENTS,
)


CERTAIN = frozenset(
    {swap_subscripts, swap_operands, drop_store, swap_lines, drop_flag, negate_condition, *REARRANGEMENTS}
    - {sink_statement, split_loop}
)
"""Edits that draw nothing: of a line there is one."""


def kind_of(edit: Edit) -> str:
    """The name of a kind of edit."""
    return edit.__name__.replace("_", "-")


def parses(text: str) -> bool:
    """Whether a text is a program for MLIR."""
    try:
        parse(text, "f.mlir")
    except InputError:
        return False
    return True


def spelt(text: str) -> str:
    """A program with every op in its generic form, and values by other names."""
    return parse(text, "f.mlir").module.operation.get_asm(print_generic_op_form=True, use_local_scope=True)


def edits_of(text: str, edit: Edit, random: Random, drawn: int) -> list[Mutant]:
    """What comes of an edit of each line that is `drawn` so many times, in any order; none twice."""
    lines, found = text.splitlines(), dict[str, Mutant]()
    few = 1 if edit in CERTAIN else FEW
    for at in range(len(lines)):
        changed = [edit(lines, at, random) for _ in range(few)]
        if edit not in CERTAIN and any(c is not None for c in changed):
            changed += [edit(lines, at, random) for _ in range(drawn - FEW)]
        made = ("\n".join(c) + "\n" for c in changed if c is not None)
        found |= {one: Mutant(kind_of(edit), at + 1, one) for one in made if one != text}
    order = list(found.values())
    random.shuffle(order)
    return order


def mutants(text: str, random: Random, edits: tuple[Edit, ...] = EDITS) -> Iterator[Mutant]:
    """Single edits of `text`, without end, each kind as often as any other that applies; none twice."""
    lines = text.splitlines()
    seen: set[str] = {text}
    misses = 0
    while misses < 400:
        edit = random.choice(edits)
        at = random.randrange(len(lines))
        changed = edit(lines, at, random)
        result = "\n".join(changed) + "\n" if changed is not None else text
        if result in seen:
            misses += 1
            continue
        misses = 0
        seen.add(result)
        yield Mutant(kind_of(edit), at + 1, result)
