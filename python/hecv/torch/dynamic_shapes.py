"""The sizes of a module's inputs that `dynamic_shapes` states, in the form of `torch.export.export`, and the symbols
that the exported program has for them."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import sympy
import torch
from torch import fx, nn

from hecv.parameters.captured_model import Path
from hecv.tensors.symbolic_sizes import SizeExpression
from hecv.tensors.tensor_graph import LARGEST, SizeSymbol, Symbols
from hecv.torch.pytrees import Leaves

LEAST: Final = 2
"""The least size that `torch.export` has in mind: it takes for granted that a symbolic size is not 0 or 1."""

DOCUMENTED: Final = "dynamic_shapes is as `torch.export.export` takes it: one entry an argument of `forward`"


_POINTER: Final = re.compile(r" ?For more information[^\n]*")
_PLACE: Final = re.compile(r"L\['tensors'\]\[(\d+)\]\.size\(\)\[(\d+)\]")


_AFFINE: Final = re.compile(r"(?:s\d+|\d+|[-+*() ])+")


class BadShapes(Exception):
    """`dynamic_shapes` that does not fit the arguments; the text says why."""


def shapes_of_tensors(module: Any, arguments: tuple[Any, ...], given: Leaves, dynamic: Any) -> tuple[Any, ...]:
    """What `dynamic_shapes` says of each tensor among the leaves of the arguments, in their order.

    Raises: BadShapes if it names no argument, or does not go with one.
    """
    names = _names(module, arguments)
    if isinstance(dynamic, Mapping):
        unknown = [str(name) for name in dynamic if name not in names]
        if unknown:
            takes = ", ".join(names) or "nothing"
            function = "forward" if isinstance(module, nn.Module) else getattr(module, "__name__", "the function")
            raise BadShapes(f"dynamic_shapes names `{unknown[0]}`, and `{function}` takes {takes}")
        by_argument = [dynamic.get(name) for name in names]
    elif isinstance(dynamic, (tuple, list)):
        if len(dynamic) != len(arguments):
            text = f"dynamic_shapes has {len(dynamic)} entries, expected {len(arguments)}: one an argument"
            raise BadShapes(text)
        by_argument = list(dynamic)
    else:
        raise BadShapes(f"dynamic_shapes is a `{type(dynamic).__name__}`, expected a dictionary or a tuple")
    found = tuple(_entry(by_argument, path, leaf) for path, leaf in given if isinstance(leaf, torch.Tensor))
    if not any(map(_states, found)):
        raise BadShapes("dynamic_shapes states no dimension of a tensor")
    return found


def _names(module: Any, arguments: tuple[Any, ...]) -> list[str]:
    """The name of the parameter of `forward`, or of a function, for each argument."""
    try:
        function: Any = module.forward if isinstance(module, nn.Module) else module
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return [f"arg{k}" for k in range(len(arguments))]
    names = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return (names + [f"arg{k}" for k in range(len(names), len(arguments))])[: len(arguments)]


def _entry(by_argument: Sequence[Any], path: Path, tensor: torch.Tensor) -> Any:
    found: Any = by_argument
    for n, key in enumerate(path):
        if found is None:
            return None
        try:
            found = found[key]
        except (KeyError, IndexError, TypeError):
            where = f"argument {path[0]}" + "".join(f"[{k!r}]" for k in path[1:n])
            raise BadShapes(f"dynamic_shapes of {where} has no entry for {key!r}") from None
    if found is None:
        return None
    if isinstance(found, Mapping):
        entries = dict(found)
    elif isinstance(found, (tuple, list)) and len(found) == tensor.dim():
        entries = dict(enumerate(found))
    else:
        text = f"dynamic_shapes of argument {path[0]} is {found!r}, expected one entry for each of {tensor.dim()} sizes"
        raise BadShapes(text)
    for axis in entries:
        if not isinstance(axis, int) or not 0 <= axis < tensor.dim():
            raise BadShapes(f"dynamic_shapes of argument {path[0]} names dimension {axis!r} of {tensor.dim()}")
    return entries


def _states(entry: Any) -> bool:
    static: Any = torch.export.Dim.STATIC
    return entry is not None and any(
        d is not None and d is not static and not isinstance(d, int) for d in entry.values()
    )


class SizeReader:
    """The symbols of an exported program by the names that they get in a graph."""

    def __init__(
        self, program: Any, stated: Sequence[Any], tensors: Sequence[torch.Tensor], inputs: list[fx.Node]
    ) -> None:
        self._names: dict[Any, str] = {}
        self.symbols: Symbols = ()
        """Raises: BadShapes if a size that is stated as dynamic is a number."""
        called, examples = dict[Any, str](), dict[Any, int]()
        for k, (entry, tensor, node) in enumerate(zip(stated, tensors, inputs, strict=True)):
            for axis, size in enumerate(node.meta["val"].shape):
                dim, expression = (entry or {}).get(axis), sympy.sympify(expression_of(size))
                if expression.is_Integer:
                    if _states({axis: dim}):
                        text = (
                            f"dimension {axis} of input {k} is stated as dynamic, and torch.export takes it for {size}"
                        )
                        raise BadShapes(text)
                    continue
                for symbol in sorted(expression.free_symbols, key=str):
                    self._names.setdefault(symbol, f"input{k}.{axis}")
                if isinstance(expression, sympy.Symbol):
                    name = getattr(dim, "__name__", "")
                    called.setdefault(expression, name or f"input{k}.shape[{axis}]")
                    examples.setdefault(expression, int(tensor.shape[axis]))
        symbols: list[SizeSymbol] = []
        for symbol, name in self._names.items():
            span = program.range_constraints.get(symbol)
            least, most = (
                (LEAST, LARGEST) if span is None else (number_of(span.lower, LEAST), number_of(span.upper, LARGEST))
            )
            least, most = max(least, LEAST), min(most, LARGEST)
            if least > most:
                raise BadShapes(
                    f"{called.get(symbol, name)} is at most {most}: torch.export takes sizes of {LEAST} or more"
                )
            example = min(max(examples.get(symbol, least), least), most)
            symbols.append(SizeSymbol(name, called.get(symbol, str(symbol)), least, most, example))
        if len(set(self._names.values())) < len(self._names):
            raise BadShapes("a dimension is made of several sizes")
        self.symbols = tuple(symbols)

    def size(self, value: Any) -> int | SizeExpression | None:
        """A size or number of the program; None if it is not affine in the symbols."""
        expression = sympy.sympify(expression_of(value))
        if expression.is_Integer:
            return int(expression)
        expression = expression.replace(lambda e: type(e).__name__ == "ToFloat", lambda e: e.args[0])
        if not expression.free_symbols <= set(self._names):
            return None
        return affine(expression, self._names)

    def text(self, value: Any) -> str:
        """A size or number of the program, by the names that the user gave."""
        found = str(value.node.expr)
        called = {symbol.name: symbol.called for symbol in self.symbols}
        for symbol, name in self._names.items():
            found = found.replace(str(symbol), called.get(name, name))
        return f"`{found}`"


def affine(expression: Any, names: Mapping[Any, str]) -> SizeExpression | int | None:
    """An expression over symbols of these names; None if it is not affine, with integers."""
    try:
        polynomial: Any = sympy.Poly(expression, *names)
    except sympy.PolynomialError:
        return None
    terms: list[tuple[str, int]] = []
    constant = 0
    for powers, coefficient in polynomial.terms():
        if sum(powers) > 1 or not coefficient.is_Integer:
            return None
        if sum(powers):
            terms.append((list(names.values())[powers.index(1)], int(coefficient)))
        else:
            constant = int(coefficient)
    return SizeExpression(constant, tuple(sorted(terms))) if terms else constant


def refusal_text(problem: Exception) -> str:
    """What `torch.export` says of shapes that it refuses, by the names of inputs."""
    text = _POINTER.sub("", str(problem).partition("\n\n")[0])
    return " ".join(line.strip(" -") for line in _by_inputs(text).splitlines())


def number_of(value: Any, default: int) -> int:
    """A bound of a range; the default if it is no number."""
    return int(value) if getattr(value, "is_Integer", isinstance(value, int)) else default


def unchecked(program: Any, stated: Sequence[Any], inputs: Sequence[fx.Node]) -> str:
    """What the exported program takes for granted of sizes beside their ranges; empty if nothing. `torch.export` keeps
    it of sizes that are stated without a `Dim`, and refuses others."""
    guards = getattr(program, "_guards_code", None)
    hints = any(isinstance(d, type(torch.export.Dim.AUTO)) for entry in stated for d in (entry or {}).values())
    if guards is None:
        return "what this version of torch does not say" if hints else ""
    return "; ".join(_by_inputs(text) for text in guards if not _is_stated(text, inputs))


def _is_stated(guard: str, inputs: Sequence[fx.Node]) -> bool:
    """Whether a guard is that two sizes are equal which are one expression: `dynamic_shapes` itself says so."""
    sizes = _PLACE.sub(lambda m: f"({expression_of(inputs[int(m[1])].meta['val'].shape[int(m[2])])})", guard)
    left, equal, right = sizes.partition(" == ")
    if not equal or not _AFFINE.fullmatch(left) or not _AFFINE.fullmatch(right):
        return False
    difference: Any = sympy.sympify(f"({left}) - ({right})")
    return bool(sympy.expand(difference) == 0)


def expression_of(size: Any) -> Any:
    """A size as a number or an expression of SymPy."""
    return size if isinstance(size, int) else size.node.expr


def _by_inputs(text: str) -> str:
    return _PLACE.sub(lambda m: f"input{m[1]}.shape[{m[2]}]", text)
