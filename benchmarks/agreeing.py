"""Texts on which the interpreter and MLIR's compiled code are to agree: functions of the lit suite, random programs,
and edits of a token of either."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from targets import FOLDER

ROOT = FOLDER.parent
sys.path.insert(0, str(ROOT / "tests"))

from hecv.base.diagnostics import InputError  # noqa: E402
from soundness.agreement import Compared, compared, edited  # noqa: E402
from soundness.subjects import grown, options_of  # noqa: E402

LARGEST = 12_000
"""Characters of a text, at most."""
PARTS_OF_A_FILE = "// -----"
SEEDS_OWN = 1_000_000
"""So many random programs belong to a seed."""


@dataclass(frozen=True, slots=True)
class Text:
    """A text, and under which width of `index` it means something."""

    name: str
    text: str
    index_width: int = 64


KINDS = ("files", "edited files", "programs", "edited programs")


def of_the_suite() -> list[Text]:
    """Every part of a file of the lit suite that has a function."""
    found: list[Text] = []
    for path in sorted((ROOT / "lit_tests").glob("**/*.mlir")):
        whole = path.read_text()
        width = options_of(whole)[0].index_width
        for number, part in enumerate(whole.split(PARTS_OF_A_FILE)):
            if "func.func" in part and len(part) <= LARGEST:
                found.append(Text(f"{path.relative_to(ROOT)} {number}", part, width))
    return found


def text_of(files: Sequence[Text], seed: int, number: int) -> Text | None:
    """The text of a number, of the kinds in turn; None where an edit made no program."""
    random, turn = Random(f"agree {seed} {number}"), seed * SEEDS_OWN + number // len(KINDS)
    kind = KINDS[number % len(KINDS)]
    if kind == "files":
        return files[turn % len(files)]
    if kind == "edited files":
        return _edited(random.choice(files), random)
    subject = grown(turn)
    text = random.choice((subject.source, subject.target))
    program = Text(subject.name, text, subject.switches.index_width)
    return program if kind == "programs" else _edited(program, random)


def _edited(one: Text, random: Random) -> Text | None:
    made = edited(one.text, random)
    return None if made is None else Text(f"an edit of {one.name}", made, one.index_width)


def held(one: Text) -> list[Compared]:
    """How its functions fare; nothing where it is no program."""
    try:
        return list(compared(one.text, one.index_width))
    except InputError:
        return []
