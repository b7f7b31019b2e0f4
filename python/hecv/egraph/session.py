"""An e-graph: egglog behind a few plain calls.

A `Session` holds what outlives a goal: symbols, relations and rules. A `Goal` holds e-nodes, equalities and facts, and
is forgotten when its block ends; rules stay compiled, so that a goal of a hundred nodes costs a few milliseconds.

    session = Session()
    session.prepare([0, 2])
    add, x, y = session.symbol("add"), session.symbol("x"), session.symbol("y")
    session.ruleset("laws")
    session.rule("laws", "add-commutes", [f"(= e {pattern(add, 'a', 'b')})"], [f"(union e {pattern(add, 'b', 'a')})"])
    with session.goal() as goal:
        a, b = goal.add([Node(x), Node(y)])
        left, right = goal.add([Node(add, (a, b)), Node(add, (b, a))])
        run = goal.run("laws", Limits(), until=[(left, right)])
        assert goal.equal(left, right) and run.stop_reason == "proved"

A symbol stands for whatever a node is labelled with (operator, attributes, types): any hashable value, numbered by the
session. Nodes are named by the numbers that `add` gave out; a node may name an operand that is added later, so cyclic
structure can be entered too.

Text of rules: the sort of e-classes is `E`; a node with symbol `s` and operands is `(N<number of operands> s x y)`, see
`pattern`; relations are those of `relation`. Integers are i64: what may exceed them is a symbol.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Hashable, Iterable, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from typing import Any, Final, Literal

from msgspec import Struct, field

MATCHES: Final = 500_000
"""The most matches of one iteration before another: matches of pairs of them may never end, and an iteration that has
begun cannot be stopped."""

StopReason = Literal["proved", "saturated", "iteration-limit", "node-limit", "time-limit"]
Column = Literal["i64", "E"]

BINDINGS: Final = "egglog.bindings"
CLASH: Final = "Illegal merge"
MEMORY: Final = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
"""The folder of short-lived files: on a disk they cost more than they save."""


@cache
def loaded() -> tuple[Any, int]:
    """egglog's bindings, and the process that loaded them.

    Loading them starts threads, which do not survive a fork: in a child, egglog waits for them for ever. So they are
    loaded on first use, not when this file is imported. Only the extension module is loaded: the package around it
    takes a quarter of a second, for an interface that is not used here.
    """
    package = find_spec("egglog")
    places = None if package is None else package.submodule_search_locations
    spec = PathFinder.find_spec(BINDINGS, places)
    if spec is None or spec.loader is None:
        raise ImportError(f"no module named {BINDINGS!r}", name=BINDINGS)
    known = sys.modules.get(BINDINGS)
    if known is not None:
        return known, os.getpid()
    module = sys.modules[BINDINGS] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module, os.getpid()


def engine() -> Any:
    """egglog's bindings.

    Raises: EngineFailure in a child that was forked after they were loaded.
    """
    bindings, owner = loaded()
    if owner != os.getpid():
        raise EngineFailure("egglog was loaded before this process was forked")
    return bindings


class EngineFailure(Exception):
    """The engine failed: it panicked, or met what it cannot do. Nothing that it answered in this goal may be used."""


class Contradiction(Exception):
    """Two different values are in one class: a law, a given equality or the engine is wrong."""


class Node(Struct, frozen=True):
    """An e-node to add: a symbol of the session on operands that the goal has numbered."""

    symbol: int
    args: tuple[int, ...] = ()


class Limits(Struct, frozen=True):
    """Budgets of a run. One iteration cannot be interrupted: they are checked between iterations.

    Units: `deadline` is a time of `time.process_time`.
    """

    iterations: int = 10
    nodes: int = 100_000
    deadline: float = float("inf")


class Run(Struct, frozen=True):
    """The result of a run: why it stopped, iterations done, and how often each rule matched, by name."""

    stop_reason: StopReason
    iterations: int
    matches: dict[str, int]


class Classes(Struct, frozen=True):
    """The e-graph read back.

    `of` gives the class of each id that the goal gave out; `nodes[c]` are the e-nodes of class `c`, whose operands are
    classes. Classes are numbered from 0.
    """

    of: dict[int, int]
    nodes: list[list[Node]]


def pattern(symbol: int, *args: str) -> str:
    """The text of a node in a rule: `(N2 7 x y)`."""
    return f"(N{len(args)} {' '.join([str(symbol), *args])})"


class Session:
    """Symbols, relations and rules over one sort of e-classes.

    Nothing may be declared while a goal is open. After an `EngineFailure` or a `Contradiction` the session may not be
    used again. A process that forks workers leaves sessions to them: after a use here, every use in a later child
    fails.
    """

    def __init__(self) -> None:
        bindings = engine()
        self._symbols: dict[Hashable, int] = {}
        self._keys: list[Hashable] = []
        self._relations: dict[str, tuple[Column, ...]] = {}
        self._arities: set[int] = set()
        self._rules: set[str] = set()
        self._open = False
        self._graph: Any = bindings.EGraph()
        self.execute("(sort E)", "(constructor Id (i64) E)", "(ruleset load)")
        self.relation("equal", ("E", "E"))
        self.execute("(rule ((equal a b)) ((union a b)) :ruleset load)")

    def symbol(self, key: Hashable) -> int:
        """The number of a symbol: always the same for equal keys."""
        number = self._symbols.setdefault(key, len(self._keys))
        if number == len(self._keys):
            self._keys.append(key)
        return number

    def key(self, symbol: int) -> Any:
        """What `symbol` was made from."""
        return self._keys[symbol]

    def ruleset(self, name: str) -> None:
        """Declares a set of rules."""
        self._declare(f"(ruleset {name})")

    def rule(self, ruleset: str, name: str, body: Sequence[str], head: Sequence[str]) -> None:
        """Declares a rule: where all facts of `body` hold, do each action of `head`. `name` is unique."""
        if name in self._rules:
            raise ValueError(f"two rules are called {name}")
        self._rules.add(name)
        self._declare(f'(rule ({" ".join(body)}) ({" ".join(head)}) :ruleset {ruleset} :name "{name}")')

    def relation(self, name: str, columns: tuple[Column, ...]) -> None:
        """Declares a relation, which `Goal.insert` fills; rows hold ids in columns of classes."""
        self._relations[name] = columns
        self._declare(f"(relation {name} ({' '.join(columns)}))")
        if "E" not in columns:
            return
        variables = [f"a{k}" for k in range(len(columns))]
        values = [f"(Id {v})" if c == "E" else v for v, c in zip(variables, columns, strict=True)]
        self._declare(
            f"(relation {name}-row ({' '.join(['i64'] * len(columns))}))",
            f"(rule (({name}-row {' '.join(variables)})) (({name} {' '.join(values)})) :ruleset load)",
        )

    def distinct(self, symbols_of: str) -> None:
        """Declares that two different symbols of the unary i64 relation `symbols_of` never share a class.

        `Goal.check` raises `Contradiction` if two do.
        """
        self._declare(
            "(ruleset check)",
            "(function value (E) i64 :no-merge)",
            f"(rule ((= e (N0 s)) ({symbols_of} s)) ((set (value e) s)) :ruleset check)",
        )

    def prepare(self, arities: Iterable[int]) -> None:
        """Declares nodes with these numbers of operands; needed before rules mention them, or `Goal.add` adds them."""
        for arity in sorted(set(arities) - self._arities):
            self._arities.add(arity)
            variables = [f"a{k}" for k in range(arity)]
            ids = "".join(f" (Id {v})" for v in variables)
            self._declare(
                f"(constructor N{arity} (i64{' E' * arity}) E)",
                f"(relation node{arity} (i64 i64{' i64' * arity}))",
                f"(rule ((node{arity} i s {' '.join(variables)})) ((union (Id i) (N{arity} s{ids}))) :ruleset load)",
            )

    @contextmanager
    def goal(self) -> Generator[Goal]:
        """An empty e-graph under the session's rules; its contents are gone after the block."""
        if self._open:
            raise ValueError("a goal is open already")
        self._open = True
        self.execute("(push)")
        try:
            yield Goal(self)
        finally:
            self._open = False
            self.execute("(pop)")

    def _declare(self, *texts: str) -> None:
        if self._open:
            raise ValueError("nothing can be declared while a goal is open")
        self.execute(*texts)

    def execute(self, *texts: str) -> list[Any]:
        """Runs egglog commands, given as text, one a string.

        Raises: EngineFailure, Contradiction.
        """
        return self.command(lambda: self._graph.run_program(*[c for t in texts for c in self._graph.parse_program(t)]))

    def command(self, act: Callable[[], Any]) -> Any:
        """The result of `act`, with egglog's exceptions turned into ours.

        Raises: EngineFailure, Contradiction.
        """
        bindings = engine()
        try:
            return act()
        except bindings.EggSmolError as error:
            text = str(error)
            raise Contradiction(text) if CLASH in text else EngineFailure(text) from None
        except (Exception, KeyboardInterrupt, SystemExit, GeneratorExit):
            raise
        except BaseException as panic:  # pyo3's PanicException derives from BaseException alone
            raise EngineFailure(f"egglog panicked: {panic}") from None

    def load(self, table: str, rows: Sequence[tuple[int, ...]]) -> None:
        """Fills a table of i64 columns: far faster through a file than as commands."""
        with tempfile.NamedTemporaryFile("w", encoding="ascii", prefix="hecv-", suffix=".csv", dir=MEMORY) as file:
            file.write("".join("\t".join(map(str, row)) + "\n" for row in rows))
            file.flush()
            bindings = engine()
            self.command(lambda: self._graph.run_program(bindings.Input(bindings.PanicSpan(), table, file.name)))

    @property
    def graph(self) -> Any:
        """egglog's own e-graph."""
        return self._graph

    @property
    def arities(self) -> Sequence[int]:
        """The numbers of operands that nodes may have."""
        return sorted(self._arities)

    def columns(self, relation: str) -> tuple[Column, ...]:
        """The columns of a relation."""
        return self._relations[relation]


class Goal(Struct):
    """E-nodes, equalities and facts of one question; made by `Session.goal`."""

    session: Session
    _count: int = 0
    _nodes: dict[int, list[tuple[int, ...]]] = field(default_factory=dict[int, list[tuple[int, ...]]])
    _rows: dict[str, list[tuple[int, ...]]] = field(default_factory=dict[str, list[tuple[int, ...]]])

    def add(self, nodes: Iterable[Node]) -> list[int]:
        """The ids of new names for these nodes, in order: consecutive numbers from `next_id`."""
        ids: list[int] = []
        prepared = set(self.session.arities)
        for node in nodes:
            if len(node.args) not in prepared:
                raise ValueError(f"nodes with {len(node.args)} operands were not prepared")
            self._nodes.setdefault(len(node.args), []).append((self._count, node.symbol, *node.args))
            ids.append(self._count)
            self._count += 1
        return ids

    @property
    def next_id(self) -> int:
        """The id that the next node will have."""
        return self._count

    def equate(self, pairs: Iterable[tuple[int, int]]) -> None:
        """Merges the classes of each pair."""
        self.insert("equal", pairs)

    def insert(self, relation: str, rows: Iterable[tuple[int, ...]]) -> None:
        """Adds rows to a relation, with ids in columns of classes."""
        self._rows.setdefault(relation, []).extend(rows)

    def flush(self) -> None:
        """Enters all additions into the e-graph; done by whatever reads it.

        Raises: EngineFailure.
        """
        if not self._nodes and not self._rows:
            return
        for arity, rows in self._nodes.items():
            self.session.load(f"node{arity}", rows)
        for relation, rows in self._rows.items():
            named = "E" in self.session.columns(relation)
            self.session.load(f"{relation}-row" if named else relation, rows)
        self._nodes, self._rows = {}, {}
        # Names come first and their relations follow: "equal" needs a second round.
        self.session.execute("(run load 2)")

    def step(self, ruleset: str) -> tuple[bool, dict[str, int]]:
        """One iteration: whether anything changed, and how often each rule matched.

        Raises: EngineFailure.
        """
        self.flush()
        report = self.session.execute(f"(run {ruleset} 1)")[0].report
        return report.updated, {name: count for name, count in report.num_matches_per_rule.items() if count}

    def run(
        self,
        ruleset: str,
        limits: Limits,
        until: Sequence[tuple[int, int]] = (),
        between: Callable[[], bool] = lambda: False,
    ) -> Run:
        """Iterates until each pair of `until` is equal, nothing changes, or a limit is met.

        `between` is called after each iteration; it may add nodes and says whether it did.

        Raises: EngineFailure.
        """
        matches: dict[str, int] = {}
        for done in range(limits.iterations):
            if until and all(self.equal(a, b) for a, b in until):
                return Run("proved", done, matches)
            if self.node_count() > limits.nodes:
                return Run("node-limit", done, matches)
            if time.process_time() > limits.deadline:
                return Run("time-limit", done, matches)
            changed, counts = self.step(ruleset)
            for name, count in counts.items():
                matches[name] = matches.get(name, 0) + count
            if sum(counts.values()) > MATCHES:
                return Run("node-limit", done + 1, matches)
            if not (between() or changed):
                proved = until and all(self.equal(a, b) for a, b in until)
                return Run("proved" if proved else "saturated", done + 1, matches)
        proved = until and all(self.equal(a, b) for a, b in until)
        return Run("proved" if proved else "iteration-limit", limits.iterations, matches)

    def check(self) -> None:
        """Checks that no class has two symbols that `Session.distinct` keeps apart.

        Raises: Contradiction.
        """
        self.flush()
        self.session.execute("(run check 1)")

    def equal(self, left: int, right: int) -> bool:
        """Whether the two ids are in one class.

        Raises: EngineFailure.
        """
        self.flush()
        return self._value(left) == self._value(right)

    def _value(self, number: int) -> Any:
        bindings = engine()
        span = bindings.PanicSpan()
        expression = bindings.Call(span, "Id", [bindings.Lit(span, bindings.Int(number))])
        return self.session.command(lambda: self.session.graph.eval_expr(expression))[1]

    def rows(self, relation: str) -> list[tuple[int, ...]]:
        """The rows of a relation whose columns are all i64.

        Raises: EngineFailure.
        """
        assert "E" not in self.session.columns(relation)
        self.flush()
        size = self.session.execute(f"(print-size {relation})")[0].size
        printed = self.session.execute(f"(print-function {relation} {size})")[0] if size else None
        if printed is None:
            return []
        dag = printed.termdag
        return [tuple(dag.get(a).value.value for a in dag.get(term).args) for term, _ in printed.terms]

    def sizes(self) -> dict[str, int]:
        """The number of rows of each table.

        Raises: EngineFailure.
        """
        self.flush()
        return dict(self.session.execute("(print-size)")[0].sizes)

    def node_count(self) -> int:
        """The number of e-nodes.

        Raises: EngineFailure.
        """
        sizes = self.sizes()
        return sum(sizes[f"N{arity}"] for arity in self.session.arities)

    def counts(self) -> tuple[int, int]:
        """The numbers of classes and of e-nodes.

        Raises: EngineFailure.
        """
        self.flush()
        functions = self.session.command(self.session.graph.freeze).functions
        classes = {row.output for row in functions["Id"].rows}
        nodes = 0
        for arity in self.session.arities:
            rows = functions[f"N{arity}"].rows
            classes.update(row.output for row in rows)
            nodes += len(rows)
        return len(classes), nodes

    def classes(self) -> Classes:
        """The e-graph read back.

        Raises: EngineFailure.
        """
        self.flush()
        graph = self.session.graph
        functions = self.session.command(graph.freeze).functions
        number: dict[Any, int] = {}
        of = {
            graph.value_to_i64(row.inputs[0]): number.setdefault(row.output, len(number))
            for row in functions["Id"].rows
        }
        nodes: list[list[Node]] = [[] for _ in number]
        for arity in self.session.arities:
            for row in functions[f"N{arity}"].rows:
                home = number.setdefault(row.output, len(number))
                args = tuple(number.setdefault(value, len(number)) for value in row.inputs[1:])
                nodes.extend([] for _ in range(len(number) - len(nodes)))
                nodes[home].append(Node(graph.value_to_i64(row.inputs[0]), args))
        return Classes(of, nodes)
