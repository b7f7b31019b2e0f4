"""The SSA graph of a module as plain data, and its edits: what `hecv rewrite` works on.

Ops and values have numbers. An op that an edit leaves unused is dead and stays in the module until the text is printed
(`hecv.mlir.ssa.ssa_printer`): the meaning of an introduced op is written in terms of the ops that it replaced.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NoReturn

from msgspec import Struct, field
from torch_mlir import ir

from hecv.base.diagnostics import Location
from hecv.mlir.module.parsed_module import ParsedModule, locate, parse
from hecv.mlir.module.purity import Purity, captured_values, readable
from hecv.mlir.module.unregistered_ops import is_known
from hecv.mlir.passes.python_bindings import keep_names
from hecv.mlir.read.uninterpreted_ops import TORCH, key
from hecv.mlir.ssa.attribute_data import Plain, TypeData, literal, plain, type_data

NOWHERE: Final = -1
"""The block of an op that must not be rewritten, and the enclosing op of an op in a function's body."""


class Op(Struct, frozen=True):
    """An op: `name` is the op's name, or the function's for a call of a declared one. `location` is in the user's
    file."""

    number: int
    name: str
    operands: tuple[int, ...]
    results: tuple[int, ...]
    attributes: tuple[tuple[str, Plain], ...]
    block: int
    location: Location | None


class Value(Struct, frozen=True):
    """A value: which result of which op it is; None for a block argument."""

    number: int
    type: TypeData
    op: int | None
    result: int


class Meaning(Struct, frozen=True):
    """What an introduced op stands for: the value `root`, computed by ops of the module, operands before users.

    Each operand of these ops, by op and position, is an operand of the introduced op (`inputs`) or a result of these
    ops (`wires`). Later edits of the ops do not change it.
    """

    ops: tuple[int, ...]
    inputs: Mapping[tuple[int, int], int]
    wires: Mapping[tuple[int, int], tuple[int, int]]
    root: int


class Program(Struct):
    """One module under edit. `declared` are names of ops and functions declared to have no effects.

    `meanings` gives what introduced ops stand for, the same for all that look alike; `replaced` gives what was replaced
    by those that stand for something else.
    """

    module: ParsedModule
    declared: frozenset[str] = frozenset()
    meanings: dict[int, Meaning] = field(default_factory=dict[int, Meaning])
    replaced: dict[int, Meaning] = field(default_factory=dict[int, Meaning])
    dead: set[int] = field(default_factory=set[int])
    given: frozenset[str] = frozenset()
    seen: dict[tuple[str, str, str], ir.Attribute] = field(default_factory=dict[tuple[str, str, str], ir.Attribute])
    handles: list[ir.Operation] = field(default_factory=list[ir.Operation])
    blocks: list[list[int]] = field(default_factory=list[list[int]])
    _ahead: dict[int, list[int]] = field(default_factory=dict[int, "list[int]"])
    """New ops that stand before others and are in no block yet."""
    _home: list[int] = field(default_factory=list[int])
    _around: list[int] = field(default_factory=list[int])
    _values: list[ir.Value] = field(default_factory=list[ir.Value])
    _makers: list[int | None] = field(default_factory=list[int | None])
    _uses: list[Counter[int]] = field(default_factory=list[Counter[int]])
    _value_numbers: dict[ir.Value, int] = field(default_factory=dict[ir.Value, int])
    _data: dict[int, Op] = field(default_factory=dict[int, Op])
    _types: dict[ir.Type, TypeData] = field(default_factory=dict[ir.Type, TypeData])
    _inside: dict[int, list[int]] = field(default_factory=dict[int, list[int]])
    _purity: Purity | None = None

    # Reading

    @staticmethod
    def of(module: ParsedModule, declared: frozenset[str] = frozenset()) -> Program:
        """The functions of a module that have a body, in order."""
        program = Program(module, declared, given=frozenset(module.symbols))
        for op in module.symbols.values():
            if op.name == "func.func" and op.regions[0].blocks:
                program._enter_regions(op, NOWHERE, True)
        return program

    def _enter_regions(self, op: ir.Operation, around: int, rewritten: bool) -> list[int]:
        """Numbers the ops inside the op `around`.

        The payload of a named `linalg` op must not be rewritten, nor must the inside of an undeclared op: what that op
        makes of it is unknown.
        """
        named = op.name.startswith("linalg.") and op.name != "linalg.generic"
        rewritten = rewritten and not named and is_known(op, self.declared)
        inside: list[int] = []
        for block in (block for region in op.regions for block in region.blocks):
            home = len(self.blocks) if rewritten else NOWHERE
            if rewritten:
                self.blocks.append([])
            for view in block.operations:
                number = self._enter(view.operation, home, around)
                if rewritten:
                    self.blocks[home].append(number)
                self._inside[number] = self._enter_regions(view.operation, number, rewritten)
                inside += [number, *self._inside[number]]
        return inside

    def enter(self, op: ir.Operation, before: int) -> int:
        """Numbers a new op, which stands before another, and its results."""
        home = self._home[before]
        number = self._enter(op, home, self._around[before])
        self._ahead.setdefault(before, []).append(number)
        return number

    def _enter(self, op: ir.Operation, home: int, around: int) -> int:
        number = len(self.handles)
        self.handles.append(op)
        self._home.append(home)
        self._around.append(around)
        for value in op.operands:
            self._uses[self.value_number(value)][number] += 1
        for result in op.results:
            self._makers[self.value_number(result)] = number
        return number

    def value_number(self, value: ir.Value) -> int:
        """The number of an SSA value."""
        number = self._value_numbers.get(value)
        if number is None:
            number = self._value_numbers[value] = len(self._values)
            self._values.append(value)
            self._makers.append(None)
            self._uses.append(Counter())
        return number

    def handle(self, value: int) -> ir.Value:
        """The SSA value with a number."""
        return self._values[value]

    def ops(self, block: int) -> list[int]:
        """The live ops of a block, in order."""
        waiting, alive = self.blocks[block][::-1], list[int]()
        while waiting:
            number = waiting.pop()
            ahead = self._ahead.pop(number, None)
            if ahead is not None:
                waiting += [number, *reversed(ahead)]
            elif number not in self.dead:
                alive.append(number)
        self.blocks[block] = alive
        return [*alive]

    def op(self, number: int) -> Op:
        """An op as plain data."""
        found = self._data.get(number)
        if found is None:
            found = self._data[number] = self._read(number)
        return found

    def _read(self, number: int) -> Op:
        op = self.handles[number]
        name, attributes = op.name, readable(op)
        values = tuple((n, plain(name, n, attribute)) for n, attribute in attributes.items())
        self.seen |= {(name, n, repr(v)): attributes[n] for n, v in values}
        if name == "func.call" and self._callee(op) in self.declared:
            name, values = self._callee(op), ()
        return Op(
            number,
            name,
            tuple(self.value_number(v) for v in op.operands),
            tuple(self.value_number(v) for v in op.results),
            values,
            self._home[number],
            locate(op.location, self.module.file),
        )

    def _callee(self, op: ir.Operation) -> str:
        """The declared name of the callee, which may be followed by a number for its type."""
        symbol = ir.FlatSymbolRefAttr(op.attributes["callee"]).value
        target = self.module.symbols.get(symbol)
        if target is not None and len(target.regions[0].blocks):
            return ""
        base, _, suffix = symbol.rpartition("__")
        return base if suffix.isdigit() and base in self.declared else symbol

    def value(self, number: int) -> Value:
        """A value as plain data."""
        value = self._values[number]
        kind = value.type
        if kind not in self._types:
            self._types[kind] = type_data(kind)
        maker = self._makers[number]
        return Value(number, self._types[kind], maker, 0 if maker is None else ir.OpResult(value).result_number)

    def literal(self, value: int) -> int | float | bool | None:
        """The number that a value is, or that all its elements are."""
        op = self.value(value).op
        return None if op is None else literal(self.handles[op])

    def users(self, value: int) -> Iterator[int]:
        """The live ops that use a value, once for each use."""
        return self._uses[value].elements()

    def is_free(self, number: int) -> bool:
        """True if the op is known to have no effects and to read no memory."""
        op = self.op(number)
        if op.name in self.declared or op.name in TORCH:
            return True
        if self._purity is None:
            self._purity = Purity(self.module.module.context)
        return self._purity.is_free(self.handles[number])

    def captures(self, number: int) -> bool:
        """True if the regions of an op capture values."""
        return bool(captured_values(self.handles[number]))

    def written(self, number: int) -> str:
        """The text of an op without its operands; a unique text if there is none."""

        def reject(op: ir.Operation, why: str) -> NoReturn:
            raise ValueError(why)

        try:
            captured = captured_values(self.handles[number])
            return key(self.handles[number], {v: k for k, v in enumerate(captured)}, reject)
        except ValueError:
            return f"op {number}"

    def shown(self, value: int) -> str:
        """A readable name of a value: its SSA name in the text, or the op that makes it."""
        found = self.handle(value)
        maker = self._makers[value]
        place = found.location if maker is None else self.handles[maker].location
        name = place.name_str if isinstance(place, ir.NameLoc) else None
        what = "an argument" if maker is None else f"the result of `{self.op(maker).name}`"
        return what if name is None else f"%{name}"

    def inside(self, number: int) -> list[int]:
        """The ops in the regions of an op of the text."""
        return self._inside.get(number, [])

    def is_inside_dead(self, number: int) -> bool:
        """True if a dead op is removed together with the dead op that encloses it."""
        return self._around[number] in self.dead

    # Edits

    def replace(self, old: int, new: int, made: Sequence[int]) -> None:
        """Replaces uses of `old` by `new`, except in the ops `made`; then marks unused ops dead."""
        for user, count in [(n, c) for n, c in self._uses[old].items() if n not in made]:
            self._data.pop(user, None)
            self._uses[new][user] += count
            del self._uses[old][user]
        self._values[old].replace_all_uses_except(self._values[new], [self.handles[n] for n in made])
        maker = self._makers[old]
        if maker is not None:
            self.bury(maker)

    def drop(self, number: int) -> None:
        """Marks an op dead, with everything inside it."""
        for dead in (number, *self.inside(number)):
            self.dead.add(dead)
            for operand in self.op(dead).operands:
                self._uses[operand].pop(dead, None)

    def bury(self, number: int) -> None:
        """Marks an op dead that is unused and has no effects, and then ops that only it used."""
        waiting = [number]
        while waiting:
            op = self.op(waiting.pop())
            used = any(True for r in op.results for _ in self.users(r))
            if op.number in self.dead or used or not self.is_free(op.number):
                continue
            self.drop(op.number)
            waiting += [n for n in (self.value(v).op for v in op.operands) if n is not None]


def read(text: str, file: str, declared: frozenset[str]) -> Program:
    """The functions of the module `text`; ops that are `declared` have no effects.

    Raises: InputError.
    """
    module = parse(text, file)
    module.module.context.load_all_available_dialects()  # ops of any may be made
    keep_names(module.module, module.names, text.split("\n"))
    return Program.of(module, declared)
