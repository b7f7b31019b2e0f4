"""Ops that nobody declares, as calls: which, and which of them are the same function."""

from __future__ import annotations

from hecv.frontend.mlir import ParsedModule, parse
from hecv.frontend.undeclared import as_calls


def module(*ops: str) -> ParsedModule:
    body = "\n".join(ops)
    text = f"func.func @f(%x: i32, %y: f32) {{\n{body}\nreturn\n}}\nfunc.func private @foo.taken()"
    return parse(text, "p.mlir")


def calls(*modules: ParsedModule, declared: frozenset[str] = frozenset()) -> list[list[str]]:
    """What each calls, in order."""
    made, _ = as_calls((modules[0], modules[-1]), declared)
    lines = [str(m.module).splitlines() for m in made]
    return [[line.partition("@")[2].partition("(")[0] for line in found if " call @" in line] for found in lines]


def test_the_same_op_is_one_function_in_both() -> None:
    ops = ['%a = "foo.a"(%x) {k = 1} : (i32) -> i32', '"foo.b"(%a) : (i32) -> ()']
    first, second = module(*ops), module(*ops, '"foo.b"(%a) : (i32) -> ()')
    assert calls(first, second) == [["foo.a", "foo.b"], ["foo.a", "foo.b", "foo.b"]]


def test_another_attribute_or_type_is_another_function() -> None:
    first = module('"foo.a"(%x) {k = 1} : (i32) -> ()', '"foo.a"(%y) {k = 1} : (f32) -> ()')
    second = module('"foo.a"(%x) {k = 2} : (i32) -> ()', '%r = "foo.a"(%x) {k = 1} : (i32) -> i32')
    assert calls(first, second) == [["foo.a", "foo.a__1"], ["foo.a__2", "foo.a__3"]]


def test_no_name_is_taken_twice() -> None:
    assert calls(module('"foo.taken"() : () -> ()'), module()) == [["foo.taken__1"], []]


def test_what_is_left_as_it_is() -> None:
    """Declared ops, those with regions, those that name a symbol, and what ends a block."""
    region = '"foo.r"() ({\n"foo.end"() : () -> ()\n}) : () -> ()'
    ops = ['"my.op"(%x) : (i32) -> ()', '"foo.s"() {to = @foo.taken} : () -> ()', region]
    found, names = as_calls((module(*ops), module()), frozenset({"my.op"}))
    assert names == () and found[0].lowered is None
