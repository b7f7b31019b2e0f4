"""Inputs that are odd as a whole: of other dialects, two files in one, encoded otherwise; files, values of options and
rule files that nobody gives on purpose."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from random import Random

from hecv.base.diagnostics import InputError
from hecv.mlir.importer import parse

# Texts


def crossed(text: str, other: str, random: Random) -> str:
    """The beginning of one text and the end of another, or a part of one in the midst of the other, by lines."""
    lines, others = text.splitlines(keepends=True), other.splitlines(keepends=True)
    start = random.randrange(len(others) + 1)
    if random.random() < 0.5:
        return "".join(lines[: random.randrange(len(lines) + 1)] + others[start:])
    at, end = random.randrange(len(lines) + 1), random.randrange(start, len(others) + 1)
    return "".join((*lines[:at], *others[start:end], *lines[at:]))


def with_function(text: str, other: str, random: Random) -> str:
    """A function of another text in this module, under a name of this one or its own."""
    found = re.findall(r"^ *func\.func .*?^ *}\n", other, re.MULTILINE | re.DOTALL)
    names = re.findall(r"@[\w.$-]+", text)
    if not found:
        return crossed(text, other, random)
    function = random.choice(found)
    if names and random.random() < 0.5:
        function = re.sub(r"@[\w.$-]+", random.choice(names), function, count=1)
    return function + text if random.random() < 0.5 else text + function


def generic(text: str) -> str:
    """The text in the generic form of ops; the text itself where it is no MLIR."""
    try:
        module = parse(text, "t.mlir").module
    except InputError:
        return text
    return module.operation.get_asm(print_generic_op_form=True)


NAMES = (
    "%ñ",
    "%\U0001d4b3",
    "@\u202ef",
    '@"\\F0\\9F"',
    '@"\\1B[2K\\0Aequivalent: @f"',
    '@""',
    '@"\\00"',
    "%" + "w" * 5000,
)
Encode = Callable[[str, Random], str]


def _bom(text: str, random: Random) -> str:
    return "\ufeff" + text


def _lines(text: str, random: Random) -> str:
    return text.replace("\n", random.choice(("\r\n", "\r", "\v\n", "\u2028", "\x85", "\n\n\f")))


def _put(text: str, random: Random) -> str:
    """A character that is none of the language: a NUL, half of a surrogate pair (which is not UTF-8), another digit."""
    at = random.randrange(len(text) + 1)
    return (
        text[:at] + random.choice(("\0", "\ud800", "\udfff", "\u0668", "\uff15", "\x1b[2J", "\x1a", "\xa0")) + text[at:]
    )


def _name(text: str, random: Random) -> str:
    """A name is another one everywhere."""
    names = sorted(set(re.findall(r"[%@][\w.$-]+", text)))
    return text.replace(random.choice(names), random.choice(NAMES)) if names else _bom(text, random)


def _wide(text: str, random: Random) -> str:
    """Each byte as it stands in UTF-16."""
    return text.encode(random.choice(("utf-16-le", "utf-16"))).decode("latin-1")


ENCODES: tuple[Encode, ...] = (_bom, _lines, _put, _put, _name, _name, _wide)


def encoded(text: str, random: Random) -> str:
    """The text encoded in another way, or with characters that are not of the language."""
    return random.choice(ENCODES)(text, random)


def _body(line: str) -> str:
    return (
        "func.func @f(%m: memref<8xi32>, %x: i32, %n: index, %t: tensor<?x4xf32>) {\n"
        f"  %c = arith.constant 1 : index\n{line}\n  return\n}}\n"
    )


_STORE = "    memref.store %x, %m[%c] : memref<8xi32>\n"
_ENCODING = "#S = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : compressed, d1 : dense) }>\n"
UNUSUAL = (
    _body(f"  gpu.launch blocks(%a, %b, %d) in (%e = %c, %g = %c, %h = %c) threads(%i, %j, %k) in (%l = %c, %o = %c, "
          f"%p = %c) {{\n{_STORE}    gpu.terminator\n  }}"),
    "module attributes {gpu.container_module} {\ngpu.module @m {\n  gpu.func @k(%x: i32) kernel { gpu.return }\n}\n"
    + _body("  gpu.launch_func @m::@k blocks in (%c, %c, %c) threads in (%c, %c, %c) args(%x : i32)")
    + "}\n",
    "func.func @f(%a: vector<4x2xf16>, %b: vector<2x2xf16>, %c: vector<2x2xf16>) -> vector<2x2xf16> {\n"
    "  %d = nvgpu.mma.sync (%a, %b, %c) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf16>) "
    "-> vector<2x2xf16>\n  return %d : vector<2x2xf16>\n}\n",
    'spirv.module Logical GLSL450 {\n  spirv.func @f(%x: i32) -> i32 "None" {\n    %r = spirv.IAdd %x, %x : i32\n'
    "    spirv.ReturnValue %r : i32\n  }\n}\n",
    "llvm.func @f(%x: i32) -> i32 {\n  %r = llvm.add %x, %x overflow<nsw> : i32\n  llvm.return %r : i32\n}\n"
    'llvm.mlir.global internal constant @s("a\\00")\n',
    'pdl.pattern @p : benefit(1) {\n  %t = pdl.type\n  %o = pdl.operand : %t\n  %r = pdl.operation "a.b"(%o : '
    "!pdl.value) -> (%t : !pdl.type)\n  pdl.rewrite %r { pdl.erase %r }\n}\n" + _body(""),
    "module attributes {transform.with_named_sequence} {\n  transform.named_sequence @__transform_main(%a: "
    "!transform.any_op) {\n    transform.yield\n  }\n" + _body(_STORE) + "}\n",
    "emitc.func @f(%x: i32) -> i32 {\n  %r = emitc.add %x, %x : (i32, i32) -> i32\n  emitc.return %r : i32\n}\n",
    _body("  %r = quant.qcast %t : tensor<?x4xf32> to tensor<?x4x!quant.uniform<i8:f32, 2.0:10>>"),
    _ENCODING + _body("  %r = sparse_tensor.convert %t : tensor<?x4xf32> to tensor<?x4xf32, #S>"),
    _body(f"  %r = async.execute {{\n{_STORE}    async.yield\n  }}\n  async.await %r : !async.token"),
    _body(f"  omp.parallel {{\n{_STORE}    omp.terminator\n  }}"),
    _body(f"  acc.parallel {{\n{_STORE}    acc.yield\n  }}"),
    "func.func @f(%x: index, %y: index) -> index {\n  %a = index.add %x, %y\n  %b = index.divs %a, %y\n"
    "  %c = index.cmp slt(%a, %b)\n  %r = arith.select %c, %a, %b : index\n  return %r : index\n}\n",
    _body("  %r = shape.shape_of %t : tensor<?x4xf32> -> tensor<2xindex>"),
    "ml_program.global private mutable @g(dense<0> : tensor<4xi32>) : tensor<4xi32>\n"
    "func.func @f() -> tensor<4xi32> {\n  %r = ml_program.global_load @g : tensor<4xi32>\n"
    "  return %r : tensor<4xi32>\n}\n",
    "irdl.dialect @cmath {\n  irdl.type @complex {\n    %0 = irdl.any\n    irdl.parameters(e: %0)\n  }\n}\n"
    + _body(""),
    'func.func @f(%x: !a.t<"x">) -> !a.t<"x"> {\n  %r = "a.op"(%x) {b = #c<d>, e = @g::@h} : (!a.t<"x">) -> !a.t<"x">\n'
    '  return %r : !a.t<"x">\n}\n',
    "func.func @f(%g: (i32) -> i32, %x: i32, %t: tuple<i32, f32>, %n: none, %o: !llvm.ptr) -> i32 {\n"
    "  %r = call_indirect %g(%x) : (i32) -> i32\n  return %r : i32\n}\n",
)  # fmt: skip
"""Of dialects and types that are seldom checked."""


# Files and options


def places(folder: Path) -> list[str]:
    """Paths that are no files to read: a folder, a link to itself, nothing, something below a file, too long a name."""
    link, file = folder / "loop", folder / "file"
    if not link.is_symlink():
        os.symlink(link, link)
    file.write_text("func.func private @f()\n")
    return [
        str(folder),
        str(link),
        "",
        str(file / "below"),
        str(folder / "none" / "x"),
        str(folder / ("n" * 5000)),
        "/",
    ]


NUMERIC = ("--time-limit", "--memory-limit", "--node-limit", "--seed", "--jobs", "--index-width")
VALUES = (
    *(
        "",
        "-1",
        "0",
        "1",
        "1.5",
        "nan",
        "inf",
        "-inf",
        "1e400",
        "1e-300",
        "1e6",
        "1_0",
        "0x10",
        " 1",
        "\u0663",
        "\u202e1",
    ),
    *("9" * 40, "9" * 5000, str(2**31), str(2**63), "--help", "@f", "%", "{}", "\x1b[2J"),
)

# Rule files


RULES = (
    *("raise SystemExit(0)\n", "import os; os._exit(0)\n", "raise KeyboardInterrupt\n", "import os; os.abort()\n"),
    *("def (:\n", "x = " + "(" * 5000 + ")" * 5000 + "\n", "def f(): f()\nf()\n", "x = bytearray(1 << 44)\n"),
    *("# nothing\n", "# -*- coding: nope -*-\n", "\tx\n", "import ctypes; ctypes.string_at(0)\n", "input()\n"),
    "class E(Exception):\n    def __str__(self): raise ValueError\nraise E\n",
    "class E(BaseException): pass\nraise E\n",
)
BEFORE = (
    "print('equivalent: @f (proved)')\n",
    "import hecv.laws.all_laws\nhecv.rules.laws.LAWS = ()\n",
    "import hecv.claim.result\nhecv.verdict.result.exit_code = lambda *_: 0\n",
    "import sys; sys.stdout = sys.stderr = None\n",
    "import os; os.close(1); os.close(2)\n",
    "import os; os.chdir('/')\n",
    "\ufeff",
    "import sys; sys.setrecursionlimit(60)\n",
)
"""What stands before rules."""
ENDLESS = "while True: pass\n"


def rule_file(text: str, random: Random) -> str:
    """A rule file that does what none should, or does so before it declares the rules of `text`."""
    if random.random() < 0.02:
        return ENDLESS
    return random.choice(RULES) if random.random() < 0.6 else random.choice(BEFORE) + text
