"""The interpreter against MLIR's compiled code, function by function of any text, and texts with a token edited.

What the interpreter calls defined, compiled code must compute alike: a wrong meaning of an op, a slip of the reader or
of the lowering shows as a difference. No pair is needed, so any text will do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from random import Random
from typing import Any, Final

from hecv.base.diagnostics import InputError, Unsupported
from hecv.base.term import TermPool
from hecv.base.types import MemRefType, ScalarType, Type
from hecv.base.value import POISON, Buffer, Scalar, Value, refined
from hecv.mlir.importer import ParsedModule, functions, new_context, parse, read_alone
from hecv.mlir.module.symbol_closure import code_for
from hecv.program.tree import Function, Role
from hecv.run import jit
from hecv.run.interpreter.interpreter import Executable, Finished, compile
from hecv.run.interpreter.outcome_analysis import leaves_choice

from .running import inputs, observed

COLUMNS: Final = ("functions", "agree", "runs", "unread", "undefined", "refused", "wrong")
"""Of the functions, those that `agree` in `runs` on as many inputs, those that have no meaning here (`unread`), that
are defined on no input that was tried, and that MLIR does not compile."""

CALLS: Final = 5
TRIES: Final = 60
STEPS: Final = 100_000
MOST_ELEMENTS: Final = 20_000
SECONDS: Final = 30.0
LOOSE: Final = 1e-2
"""The relative difference of floats in a function whose ops leave a choice."""


@dataclass(frozen=True, slots=True)
class Compared:
    """A function, the columns it counts in with how much, and what is to be said where they differ."""

    function: str
    counted: dict[str, int]
    said: str = ""


def compared(text: str, index_width: int = 64) -> Iterator[Compared]:
    """Each function of a module that others see, on inputs that the text alone decides.

    Raises: InputError where the text is no program.
    """
    module = parse(text, "f.mlir")
    for signature in functions(module):
        if signature.op == "func.func" and signature.has_body:
            counted, said = _compared(module, signature.name, Random(f"{signature.name} {text}"), index_width)
            yield Compared(signature.name, {"functions": 1, **counted}, said)


def _compared(module: ParsedModule, name: str, random: Random, index_width: int) -> tuple[dict[str, int], str]:
    try:
        function = read_alone(module, name, TermPool())
        code = compile(function, index_width=index_width)
    except Unsupported as problem:
        return {"unread": 1}, problem.text
    if not function.known:
        return {"unread": 1}, "an op has no meaning"
    runs = defined(code, function, random)
    if not runs:
        return {"undefined": 1}, ""
    ends = _compiled(module, function, [arguments for arguments, _ in runs], index_width)
    loose = leaves_choice(function) or _has_library_calls(module)
    for (arguments, ours), theirs in zip(runs, ends, strict=True):
        if isinstance(theirs, jit.Failed):
            crashed = re.search("crashed|exited|timed out", theirs.reason)
            return {"wrong" if crashed else "refused": 1}, f"{theirs.reason}, on {arguments}"
        assert isinstance(theirs, jit.Finished)
        other = Finished(theirs.results, _kept(function, arguments, theirs.arguments), 0)
        wrong = differing(observed(ours), observed(other), loose)
        if wrong:
            return {"wrong": 1}, f"{wrong} on {arguments}"
    return {"agree": 1, "runs": len(runs)}, ""


def defined(code: Executable, function: Function, random: Random) -> list[tuple[tuple[Value, ...], Finished]]:
    """A few inputs on which the function ends within the budget and nothing that a caller sees is poison."""
    found: list[tuple[tuple[Value, ...], Finished]] = []
    for arguments in islice(inputs(function, random), TRIES):
        if sum(len(v.data) for v in arguments if isinstance(v, Buffer)) > MOST_ELEMENTS:
            continue
        end = code.run(arguments, STEPS)
        if isinstance(end, Finished) and not any(x is POISON for x in observed(end)):
            found.append((arguments, end))
        if len(found) == CALLS:
            break
    return found


def differing(ours: Sequence[Scalar], theirs: Sequence[Scalar], loose: bool) -> str:
    """Where two outcomes differ; nothing where they are alike."""
    for place, (first, second) in enumerate(zip(ours, theirs, strict=True)):
        if not refined(first, second) and not (loose and _near(first, second)):
            return f"value {place} is {first!r} by the interpreter and {second!r} by MLIR"
    return ""


def _near(first: Scalar, second: Scalar) -> bool:
    if not isinstance(first, float) or not isinstance(second, float):
        return False
    return first == second or abs(first - second) <= LOOSE * max(abs(first), abs(second), 1.0)


def _compiled(
    module: ParsedModule, function: Function, calls: Sequence[tuple[Value, ...]], index_width: int
) -> Sequence[jit.JitOutcome]:
    types: list[Type] = [a.type for a in function.arguments]
    results: list[ScalarType] = [m.element for m in function.results]
    hidden = [(g.name.removeprefix("@"), g.type) for g in function.globals if isinstance(g.type, MemRefType)]
    text = code_for(module, (function.name, *(name for name, _ in hidden)))
    limits = {"seconds": SECONDS, "index_width": index_width}
    return jit.run_many(text, function.name, calls, types, results, globals=hidden, **limits)


def _kept(function: Function, before: Sequence[Value], after: Sequence[Value]) -> tuple[Value, ...]:
    """What is seen of the arguments: the buffer of a value is nobody's."""
    given = zip(function.inputs(), before, after, strict=True)
    return tuple(old if argument.role is Role.VALUE else new for argument, old, new in given)


def _has_library_calls(module: ParsedModule) -> bool:
    """Whether results may be those of one library of mathematics or another."""
    return bool(re.search(r"\b(?:math|complex|linalg)\.", module.code()))


# Edits


TOKEN: Final = re.compile(r"[%^@#]?[A-Za-z_][\w.]*|-?\d+|[%^#]\w+")
NUMBERS: Final = (0, 1, 2, 3, 4, -1)
EDITS: Final = 50
"""So many edits may make no program."""


def edited(text: str, random: Random) -> str | None:
    """The text, without lines of comments, with one token exchanged for another of its kind or for its neighbour, so
    that it is still a program; None where that was not found."""
    text = "\n".join(line for line in text.splitlines() if not line.strip().startswith("//")) + "\n"
    tokens, context = list(TOKEN.finditer(text)), new_context()
    for _ in range(EDITS if len(tokens) > 1 else 0):
        made = _edited(text, tokens, random)
        if made is not None and made != text and _is_program(made, context):
            return made
    return None


def _edited(text: str, tokens: list[re.Match[str]], random: Random) -> str | None:
    token = random.choice(tokens)
    if random.random() < 0.25:
        first, last = text.rfind("\n", 0, token.start()), text.find("\n", token.end())
        near = [t for t in tokens if first < t.start() and t.end() <= last and t.group() != token.group()]
        return _exchanged(text, token, random.choice(near)) if near else None
    word = token.group()
    if re.fullmatch(r"-?\d+", word):
        new = str(random.choice((*NUMBERS, int(word) + 1, int(word) - 1)))
    else:
        others = [t.group() for t in tokens if t.group() != word and _kind(t.group()) == _kind(word)]
        if not others:
            return None
        new = random.choice(others)
    return text[: token.start()] + new + text[token.end() :]


def _exchanged(text: str, one: re.Match[str], other: re.Match[str]) -> str:
    first, second = sorted((one, other), key=re.Match.start)
    between = text[first.end() : second.start()]
    return text[: first.start()] + second.group() + between + first.group() + text[second.end() :]


def _kind(word: str) -> str:
    """What a token is: a value, a block, a symbol, an alias, a number or another word."""
    return word[0] if word[0] in "%^@#" else "0" if word.lstrip("-")[0].isdigit() else "a"


def _is_program(text: str, context: Any) -> bool:
    try:
        parse(text, "f.mlir", context)
    except InputError:
        return False
    return True
