"""Parsed MLIR modules: parsing and its diagnostics, and the signatures by which functions are paired."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import nullcontext, suppress
from functools import lru_cache
from itertools import accumulate

from msgspec import Struct, field
from msgspec.structs import replace
from torch_mlir import ir

from hecv.base.diagnostics import Diagnostic, InputError, Location
from hecv.mlir.llvm.llvm_functions import MENTIONED, raise_functions
from hecv.mlir.module.crash_guard import crash_of, unheard
from hecv.mlir.module.dense_resources import RESOURCE, expand
from hecv.mlir.module.indirect_calls import CALL, CONSTANT, make_direct
from hecv.mlir.module.module_attributes import Entry, without_rejected
from hecv.mlir.module.source_text import SourceNames, display_name
from hecv.mlir.module.tensor_bitcasts import WORD, make_elementwise
from hecv.mlir.module.verifier_hangs import may_not_return

DIALECTS = ("affine", "arith", "cf", "complex", "func", "index", "math", "memref", "scf", "ub", "vector")
"""Dialects of the ops that are built here. Loading all dialects takes twenty times as long."""

BUFFER = "-"
"""MLIR's name of the text that it parses; locations with this file name are in the user's file."""

DEEPEST_TEXT = 1000
"""Nesting depth of brackets, at most: MLIR's parser recurses and would crash the process."""

_MANY_RESULTS = re.compile(r"%[\w$.-]+[#:]\d{7,}(?!\w)")
"""A result number so large that MLIR's parser, which allocates all results before it, ends the process."""

_MANY_SIGNS = re.compile(r"(?:-\s*){200}(?=[^\s\-])")
_SIGNS = b"-" * 200
_SPACE = b" \t\n\r\v\f"

_BRACKETS = bytes.maketrans(b"{[<}]>", b"((()))")
_NO_BRACKETS = bytes(set(range(256)) - set(b"{[(<>)]}"))
SHALLOW = 50
"""Nesting depth up to which text is quickly seen to be shallow."""

_ESCAPE = "\\"
_HIGH = re.compile(r"\\[89A-Fa-f][0-9A-Fa-f]")
"""An escaped byte in a string that is not an ASCII character."""
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"|//[^\n]*')
_HEX = re.compile(rb"\\([0-9A-Fa-f]{2})|\\.")
"""An escape in a string; a text without one shows all names as they are."""

LAYOUT = "#dlti.dl_spec<"
"""The start of a data layout attribute. MLIR uses the attribute, whatever its name in the module."""

NOT_PROGRAMS = frozenset({"transform.named_sequence", "pdl.pattern", "irdl.dialect"})
"""Symbols that hold instructions for a compiler and never run; so does a module without a name that has no others."""

INSIDE = frozenset({"private", "nested"})
"""Visibilities of symbols that nothing beyond the module refers to.

Cites: MLIR, symbols and symbol tables, symbol visibility: nested ones are not visible outside of the visible IR.
"""


class ParsedModule(Struct, frozen=True):
    """A parsed and verified MLIR module, with its source text.

    `file` is its name in diagnostics. `symbols` are the top-level symbols of the program by name; an unnamed nested
    module has the key `module0`, `module1`..., so that it is not silently ignored. `arguments` names the arguments of
    functions if they are not those in the text. `declared` are ops that the user declares to be total functions without
    effects.

    `lowered` is the text of `module` if that is a lowering of `text`; `expanded`, if it is `text` with the contents of
    resources, with `tensor.bitcast` as `arith.bitcast`, with ops of `llvm` raised, or with calls for ops
    (`hecv.mlir.module.unregistered_ops`). `outside` are the functions that are called for ops, with the name of each
    op; `lanes` are the functions on scalable vectors that are of one lane (`hecv.mlir.module.scalable_lanes`). With
    `fuses`, a `vector.contract` may add unrounded products.
    """

    file: str
    text: str
    module: ir.Module
    names: SourceNames
    symbols: Mapping[str, ir.Operation]
    arguments: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    declared: frozenset[str] = frozenset()
    lowered: str | None = None
    expanded: str | None = None
    fuses: bool = False
    warnings: tuple[Diagnostic, ...] = ()
    outside: Mapping[str, str] = field(default_factory=dict[str, str])
    lanes: frozenset[str] = frozenset()

    def copied(self) -> ParsedModule:
        """The same with a module of its own, to be edited."""
        text = self.module.operation.get_asm(enable_debug_info=True, assume_verified=True)
        module = ir.Module.parse(text, self.module.context)
        return replace(self, module=module, symbols=symbols_of(module))

    def code(self) -> str:
        """The text of `module`, to be compiled."""
        return self.lowered or self.expanded or self.text

    def may_have(self, names: tuple[str, ...]) -> bool:
        """True if `module` may contain ops or attributes with one of these names. A long text is searched once."""
        return _has_any(self.code(), (*names, _ESCAPE))


@lru_cache(maxsize=8)
def _has_any(text: str, words: tuple[str, ...]) -> bool:
    return any(word in text for word in words)


class Signature(Struct, frozen=True):
    """A public symbol as other modules see it.

    `op` is `func.func`; a public symbol of another kind (an `llvm.func` that is not raised) is listed too, and reading
    it is unsupported.
    Types are MLIR's text, so they compare even if they have no meaning here.
    """

    name: str
    op: str
    location: Location | None
    argument_names: tuple[str, ...]
    argument_types: tuple[str, ...]
    result_types: tuple[str, ...]
    type_text: str
    has_body: bool


def new_context() -> ir.Context:
    """A context for modules, with `DIALECTS`; other dialects are loaded when a text or a pass names them, as in
    mlir-opt."""
    context = ir.Context(load_on_create_dialects=[*DIALECTS])
    context.enable_multithreading(False)  # passes may be run on the module in a forked child
    context.allow_unregistered_dialects = True
    return context


def parse(text: str, file: str, context: ir.Context | None = None, *, guarded: bool = True) -> ParsedModule:
    """Parses and verifies `text`; `file` is the path it was read from (`-` for standard input).

    Modules may share a `context`, which keeps the types and attributes of all of them. If `guarded`, the text is first
    parsed in a child process, since the parser may crash; otherwise this process may crash.

    Raises: InputError with MLIR's messages and their locations.
    """
    name = display_name(file)
    _check_strings(text, name)
    _check_depth(text, name)
    context = new_context() if context is None else context
    try:
        return _parsed(text, name, context, guarded)
    except InputError as problem:
        rest, dropped = without_rejected(text, lambda part: _is_accepted(part, name, context))
        aliases = [line for line in text.splitlines() if line.startswith("#") and LAYOUT in line]
        said = [*aliases, *(text[entry.start : entry.end] for entry in dropped)]
        if not dropped or any(map(_TELLING.search, said)):
            raise  # what it says of `index`, or of the order of bytes, changes what the program means
        try:
            module = _parsed(rest, name, context, guarded)
        except InputError:
            raise problem from None
    return replace(module, warnings=tuple(_dropped(entry, text, name) for entry in dropped))


def _is_accepted(text: str, file: str, context: ir.Context) -> bool:
    try:
        _parsed(text, file, context, True)
    except InputError:
        return False
    return True


def _dropped(entry: Entry, text: str, file: str) -> Diagnostic:
    """The warning of an attribute that is dropped."""
    line, column = text.count("\n", 0, entry.start) + 1, entry.start - text.rfind("\n", 0, entry.start)
    message = f"the attribute {entry.name} of the module is ignored: MLIR rejects it"
    return Diagnostic("warning", "attribute-ignored", message, Location(file, line, column))


def _parsed(text: str, name: str, context: ir.Context, guarded: bool) -> ParsedModule:
    """`parse` of a text as it stands.

    Raises: InputError.
    """
    _register_dialects(text, context)
    end = crash_of(lambda: ir.Module.parse(text, context), len(text)) if guarded else None
    if end is not None:
        raise InputError(_fatal(text, name, end))
    try:
        with nullcontext() if guarded else unheard():
            module = ir.Module.parse(text, context)
    except ir.MLIRError as problem:
        found = [d for p in problem.error_diagnostics for d in _diagnostics(p, name)]
        raise InputError(*found or [Diagnostic("error", "parse-error", str(problem))]) from None
    if any(word in text for word in (CALL, CONSTANT, _ESCAPE)):
        make_direct(module)
    expanded = None
    changed = (WORD in text or _ESCAPE in text) and make_elementwise(module)
    changed |= (_ESCAPE in text or MENTIONED.search(text) is not None) and raise_functions(module)
    if (RESOURCE in text and expand(module)) or changed:
        expanded = module.operation.get_asm(enable_debug_info=True)
    return ParsedModule(name, text, module, SourceNames(text), symbols_of(module), expanded=expanded)


def _fatal(text: str, file: str, end: str) -> Diagnostic:
    """The diagnostic on a text that crashes the parser."""
    if may_not_return(text):
        message = "affine ops are applied to their own results, or in a chain too long for MLIR's verifier"
        return Diagnostic("error", "nested-too-deep", message, None, "compose the maps: mlir-opt --cse")
    hint = "`mlir-opt FILE` may do the same: this is a bug of MLIR"
    return Diagnostic("error", "parser-crashed", f"MLIR's parser {end} on {file}", None, hint)


def parse_both(
    texts: tuple[str, str], files: tuple[str, str], guarded: bool = True
) -> tuple[ParsedModule, ParsedModule]:
    """Parses both as `parse` does, in one context; with resources, in two, as a context renames the second of two
    equal names.

    Raises: InputError.
    """
    if any(RESOURCE in text for text in texts):
        return parse(texts[0], files[0], guarded=guarded), parse(texts[1], files[1], guarded=guarded)
    context = new_context()
    guarded = guarded and not _come_back(texts, files, context)
    return parse(texts[0], files[0], context, guarded=guarded), parse(texts[1], files[1], context, guarded=guarded)


def _come_back(texts: tuple[str, str], files: tuple[str, str], context: ir.Context) -> bool:
    """True if the parser survives both texts, tried one after the other in one child process."""

    def parses() -> None:
        for text in texts:
            with suppress(ir.MLIRError):
                ir.Module.parse(text, context)

    try:
        for text, file in zip(texts, files, strict=True):
            _check_strings(text, display_name(file))
            _check_depth(text, display_name(file))
            _register_dialects(text, context)
    except InputError:
        return False
    return crash_of(parses, max(map(len, texts))) is None


def _register_dialects(text: str, context: ir.Context) -> None:
    """Registers the dialects that `text` may need and that are not upstream; their bindings load slowly."""
    if "torch." in text:
        from torch_mlir.dialects import torch

        torch.register_dialect(context)
    if "stablehlo." in text:
        from torch_mlir._mlir_libs import _stablehlo

        _stablehlo.register_dialect(context)


_TELLING = re.compile(r'\bindex\b|"big"|= "E')
"""A data layout that gives `index` a width or that is big-endian, in MLIR's words or LLVM's."""

_INDEX_BITS = re.compile(r"\bindex = (\d+)")
_BIG_ENDIAN = re.compile(r'dlti\.endianness" = "big"')


def index_bits(module: ParsedModule) -> int | None:
    """The width of `index` in the module's data layout; None if it states none."""
    found = _INDEX_BITS.search(_layout(module))
    return None if found is None else int(found[1])


def is_big_endian(module: ParsedModule) -> bool:
    """True if the module's data layout is big-endian."""
    return _BIG_ENDIAN.search(_layout(module)) is not None


def _layout(module: ParsedModule) -> str:
    """The module's data layout; empty if it has none."""
    attributes = module.module.operation.attributes
    texts = (str(attributes[name]) for name in attributes)
    return "\n".join(text for text in texts if text.startswith(LAYOUT))


def locate(location: ir.Location, file: str) -> Location | None:
    """The source location that `location` names: of a fused location the first, of a call the callee's."""
    while True:
        if type(location) is ir.Location:  # diagnostics do not say which kind theirs is
            location = ir.Location.from_attr(location.attr, location.context)
        if isinstance(location, ir.FileLineColLoc):
            name = location.filename
            line, column = location.start_line, location.start_col
            return Location(file if name == BUFFER else name, line, column) if line else None
        if isinstance(location, ir.NameLoc):
            location = location.child_loc
        elif isinstance(location, ir.CallSiteLoc):
            location = location.callee
        elif isinstance(location, ir.FusedLoc):
            places = [p for p in (locate(part, file) for part in location.locations) if p is not None]
            return places[0] if places else None
        else:
            return None


def functions(module: ParsedModule) -> tuple[Signature, ...]:
    """The public symbols of the module in order. (Globals are paired when a function is read.)"""
    public = ((name, op) for name, op in module.symbols.items() if is_public(op) and op.name != "memref.global")
    return tuple(_signature(module, name, op) for name, op in public)


def symbols_of(module: ir.Module) -> dict[str, ir.Operation]:
    """The top-level symbols of the program, by name."""
    found: dict[str, ir.Operation] = {}
    nameless: list[ir.Operation] = []
    for view in module.body.operations:
        op = view.operation
        if _is_no_program(op):
            continue
        if "sym_name" in op.attributes:
            found[ir.StringAttr(op.attributes["sym_name"]).value] = op
        else:
            nameless.append(op)
    for number, op in enumerate(nameless):
        # What has no name may hold anything; it is listed, and cannot be read.
        key = f"{op.name} number {number}"
        while key in found:
            key += "'"
        found[key] = op
    return found


def _is_no_program(op: ir.Operation) -> bool:
    if op.name != "builtin.module" or "sym_name" in op.attributes:
        return op.name in NOT_PROGRAMS
    inner = [view.operation for view in op.regions[0].blocks[0].operations]
    return bool(inner) and all(map(_is_no_program, inner))


def argument_names(module: ParsedModule, op: ir.Operation, count: int) -> tuple[str, ...]:
    """The names of a function's arguments in the source text, or `arg0`, `arg1`... if they cannot be found."""
    place = op.location
    symbol = ir.StringAttr(op.attributes["sym_name"]).value
    given = module.arguments.get(symbol)
    if given is not None and len(given) == count:
        return given
    names = None
    if isinstance(place, ir.FileLineColLoc) and place.filename == BUFFER:
        names = module.names.arguments(place.start_line, place.start_col, count, symbol)
    return names or tuple(f"arg{k}" for k in range(count))


def is_public(op: ir.Operation) -> bool:
    """True if other modules see the symbol."""
    attributes = op.attributes
    return "sym_visibility" not in attributes or ir.StringAttr(attributes["sym_visibility"]).value not in INSIDE


def _signature(module: ParsedModule, name: str, op: ir.Operation) -> Signature:
    place = locate(op.location, module.file)
    if op.name != "func.func":
        return Signature(name, op.name, place, (), (), (), _other_type(op), _has_body(op))
    kind = ir.FunctionType(ir.TypeAttr(op.attributes["function_type"]).value)
    inputs, results = tuple(map(str, kind.inputs)), tuple(map(str, kind.results))
    names = argument_names(module, op, len(inputs))
    return Signature(name, op.name, place, names, inputs, results, str(kind), _has_body(op))


def _other_type(op: ir.Operation) -> str:
    """The type of a symbol that is not a `func.func`, if it has one."""
    kinds = [str(op.attributes[name]) for name in ("function_type", "type") if name in op.attributes]
    return " ".join([op.name, *kinds])


def _has_body(op: ir.Operation) -> bool:
    """True if the symbol is defined here; one without regions, a global, counts as defined."""
    return not op.regions or any(region.blocks for region in op.regions)


def _diagnostics(problem: ir.DiagnosticInfo, file: str) -> Iterator[Diagnostic]:
    """The error and its notes, without the note that only prints the operation."""
    notes = list(problem.notes)
    shown = [n for n in notes if not n.message.startswith("see current operation")]
    name = "parse-error" if len(shown) == len(notes) else "invalid-mlir"
    message = problem.message.strip()
    yield Diagnostic("error", name, message, locate(problem.location, file), _hint(message, name))
    for note in shown:
        if not note.message.startswith("Available dialects"):
            yield Diagnostic("note", name, note.message.strip(), locate(note.location, file))


def _hint(message: str, name: str) -> str:
    if message.startswith("Dialect `"):
        return "print the input in generic form: mlir-opt --mlir-print-op-generic --allow-unregistered-dialect"
    if name == "invalid-mlir":
        return "MLIR's verifier rejects this operation: see what wrote it"
    return "`mlir-opt FILE` shows the same message; hecv reads the syntax of LLVM 24"


def _check_strings(text: str, file: str) -> None:
    """Rejects string bytes that are not text, which MLIR's bindings cannot read.

    Raises: InputError with the location.
    """
    if not _HIGH.search(text):
        return
    for string in _STRING.finditer(text):
        if string[0][0] != '"' or not _HIGH.search(string[0]):
            continue
        try:
            _HEX.sub(lambda found: bytes((int(found[1], 16),)) if found[1] else b"?", string[0].encode()).decode()
        except UnicodeDecodeError:
            start = string.start()
            line, column = text.count("\n", 0, start) + 1, start - text.rfind("\n", 0, start)
            hint = "write bytes as elements: dense<[255, 0]> : tensor<2xi8>"
            place = Location(file, line, column)
            raise InputError(Diagnostic("error", "string-not-text", "a string is not UTF-8", place, hint)) from None


def _check_depth(text: str, file: str) -> None:
    """Rejects text that would overflow the stack of MLIR's parser. Brackets in strings count, which does no harm."""
    results = _MANY_RESULTS.search(text)
    if results is not None:
        place = Location(file, text.count("\n", 0, results.start()) + 1, 1)
        message = f"`{results[0].strip()}` is one of more results than any op has"
        raise InputError(Diagnostic("error", "too-many-results", message, place, "number the result as the op does"))
    data = text.encode(errors="surrogatepass")
    signs = _MANY_SIGNS.search(text) if _SIGNS in data.translate(None, _SPACE) else None
    if signs is not None:
        place = Location(file, text.count("\n", 0, signs.start()) + 1, 1)
        message = "an expression has hundreds of signs"
        raise InputError(Diagnostic("error", "nested-too-deep", message, place, "simplify it"))
    if not _is_shallow(data):
        _check_brackets(text, file)


def _is_shallow(data: bytes) -> bool:
    """True if the nesting is plainly shallow: innermost brackets are removed again and again."""
    left = data.replace(b"->", b"").replace(b">=", b"").translate(_BRACKETS, _NO_BRACKETS)
    for _ in range(SHALLOW):
        left, before = left.replace(b"()", b""), len(left)
        if len(left) == before:
            break
    return left.count(b"(") + SHALLOW <= DEEPEST_TEXT


def _check_brackets(text: str, file: str) -> None:
    depth = 0
    for line, content in enumerate(text.split("\n"), 1):
        content = content.replace("->", "").replace(">=", "")
        opened = sum(map(content.count, "{([<"))
        deepest = depth + (opened if opened < DEEPEST_TEXT else _deepest(content))
        depth += opened - sum(map(content.count, "})]>"))
        if deepest > DEEPEST_TEXT:
            message = f"brackets are nested deeper than {DEEPEST_TEXT} levels"
            place = Location(file, line, 1)
            raise InputError(Diagnostic("error", "nested-too-deep", message, place, "split the function up"))


def _deepest(line: str) -> int:
    """The nesting depth of the brackets of one line."""
    steps = (1 if bracket in "{([<" else -1 for bracket in line if bracket in "{([<>])}")
    return max(accumulate(steps), default=0)
