"""Python source for one function of the program graph.

A term becomes one local variable, in the outermost block where its leaves live. Bounds and poison are tested only where
`Facts` and intervals cannot exclude a failure. Every failure is a `return` of the run's outcome.
"""

from __future__ import annotations

from hecv.base.diagnostics import Unsupported
from hecv.program.tree import (
    Alloc,
    Assert,
    Block,
    Call,
    Dealloc,
    Evaluate,
    If,
    Load,
    Loop,
    MemoryKind,
    Statement,
    Store,
    Touch,
    While,
)
from hecv.run.codegen.access_code import allocates
from hecv.run.codegen.code_scopes import Scope
from hecv.run.codegen.loop_code import Loops, weight
from hecv.run.codegen.term_code import number_of


class Generator(Loops):
    """Python source for one function."""

    def generate(self) -> str:
        """The source of a function `run(arguments, budget)`."""
        try:
            self.scopes.append(Scope())
            self.prologue()
            self.statements(self.function.body)
            self.epilogue()
        except Unsupported as problem:
            location = self.function.locations.get(self.statement, self.function.location)
            raise Unsupported(problem.text, problem.location or location) from None
        return "\n".join(["def run(arguments, budget):", *self.scopes[0].lines, ""])

    def prologue(self) -> None:
        """Unpacks arguments: scalars, copies of buffers, dynamic extents."""
        self.line(f"left = budget - {weight(self.function.body)}")
        self.line("if left < 0: return Exhausted(budget)")
        if self.may_overlap:
            self.line("copies = {}")
        for n, argument in enumerate(self.function.inputs()):
            memory = argument.memory
            if memory is None:
                self.line(f"a{argument.number} = arguments[{n}]")
                continue
            content = f"list(arguments[{n}].data)" if memory.extents else f"arguments[{n}].data[0]"
            if self.may_overlap and self.in_list(memory):
                content = f"placed(arguments[{n}], copies)"
            self.line(f"m{memory.id} = {content}")
            self.extents[memory.id] = tuple(self.argument_extent(n, k, e) for k, e in enumerate(memory.extents))
        for constant in self.function.constants:
            self.constant(constant)
        for memory in self.memories.values():
            if memory.id in self.mortal:
                alive = memory.kind in (MemoryKind.ARGUMENT, MemoryKind.GLOBAL)
                self.line(f"v{memory.id} = {alive}")
        for memory in self.function.results:
            self.line(f"m{memory.id} = POISON")

    def epilogue(self) -> None:
        """Returns results and arguments."""
        results = "".join(f"m{m.id}, " for m in self.function.results)
        arguments = ""
        for n, argument in enumerate(self.function.inputs()):
            if argument.memory is None:
                arguments += f"arguments[{n}], "
            else:
                data = self.listed(argument.memory)
                data = f"held({data})" if self.may_overlap else data
                arguments += f"Buffer(arguments[{n}].shape, {data}), "
        self.line(f"return Finished(({results}), ({arguments}), budget - left)")

    def body(self, block: Block) -> list[str]:
        """The lines of a nested block."""
        return self.nested(lambda: self.statements(block))

    def statements(self, block: Block) -> None:
        """Emits the statements of a block in order."""
        self.forget()  # what the header around the block has loaded may change within
        for s in block:
            self.statement = s.id
            self.emit(s)
            self.forget()

    def emit(self, s: Statement) -> None:
        """Emits one statement."""
        match s:
            case Load():
                self.line(f"r{s.id} = {self.access(s.memory, s.indices)}")
                self.reads[s.id] = len(self.scopes) - 1, s.memory.element
            case Store():
                value = self.in_range(s.value)
                self.line(f"{self.access(s.memory, s.indices, writes=True)} = {value.text}")
            case Alloc():
                if allocates(s):
                    self.allocate(s.memory)
            case Dealloc():
                if s.id in self.risky:
                    self.undefined(f"not v{s.memory.id}", f"double free of {s.memory.name}")
                if s.memory.id in self.mortal:
                    self.line(f"v{s.memory.id} = False")
            case Evaluate():
                self.check(s.term)
            case Touch():
                for access in s.accesses:
                    self.access(self.memories[number_of(access, "memory")], access.args)
                for term in s.terms:
                    self.observe(term)
            case Assert():
                self.assertion(s)
            case Call() if s.known:
                self.call(s)
            case Call():
                self.call_outside(s)
            case If():
                self.branch(s)
            case Loop():
                self.loop(s)
            case While():
                self.repetition(s)

    def call_outside(self, s: Call) -> None:
        """Emits a call of a function without a body, which the `World` answers."""
        site = self.sites.get(s.id)
        if site is None or any(m.id in self.mortal for m in site.visible):
            text = f"a call of @{s.callee}, which has no body"
            return self.line(f"return Excluded({text!r}, {self.statement}, budget - left, {text!r})")
        lists = {m.id: self.fresh("seen") for m in site.visible}
        for memory in {m.id: m for m in site.visible}.values():
            self.line(f"{lists[memory.id]} = {self.listed(memory)}")
        operands = "".join(f"{self.in_range(t).text}, " for t in s.operands)
        end, seen = self.fresh("end"), "".join(f"{lists[m.id]}, " for m in site.visible)
        self.line(f"{end} = outside({s.id}, ({operands}), ({seen}), budget - left)")
        self.line(f"if type({end}) is not tuple: return {end}")
        for k, cell in enumerate(s.results):
            self.line(f"m{cell.id} = {end}[{k}]")
        for memory in site.visible:
            if not self.in_list(memory):
                self.line(f"m{memory.id} = {lists[memory.id]}[0]")

    def call(self, s: Call) -> None:
        """Emits a call of one of the callees."""
        buffers: list[str] = []
        for memory in s.memories:
            extents = "".join(f"{e.text}, " for e in self.extents.get(memory.id, ()))
            buffers.append(f"Buffer(({extents}), {self.listed(memory)})")
        operands = [self.in_range(t).text for t in s.operands]
        given = f"[{', '.join(operands)}], [{', '.join(buffers)}]"
        end = self.fresh("end")
        self.line(f"{end} = call({s.callee!r}, {given}, left, {self.statement}, budget)")
        self.line(f"if type({end}) is not Finished: return {end}")
        self.line(f"left -= {end}.steps")
        for k, cell in enumerate(s.results):
            self.line(f"m{cell.id} = {end}.results[{k}]")
        for k, memory in enumerate(s.memories):
            data = f"{end}.arguments[{k}].data"
            self.line(f"m{memory.id}[:] = {data}" if self.in_list(memory) else f"m{memory.id} = {data}[0]")

    def assertion(self, s: Assert) -> None:
        """Emits an `Assert`."""
        condition = self.term(s.condition)
        if s.condition.id in self.poison:
            self.undefined(f"{condition.text} is POISON", f"{s.text} (its condition is poison)")
        self.undefined(f"not {condition.text}", s.text)

    def branch(self, s: If) -> None:
        """Emits an `If`."""
        condition = self.term(s.condition)
        if s.condition.id in self.poison:
            self.undefined(f"{condition.text} is POISON", "branch on poison")
        then = self.body(s.then)
        otherwise = self.body(s.otherwise) if s.otherwise else []
        self.line(f"if {condition.text}:")
        self.scopes[-1].lines.extend(then)
        if otherwise:
            self.line("else:")
            self.scopes[-1].lines.extend(otherwise)
