"""Makes the ops of a traced program functional: a write makes a new value of the storage, and every alias is read from
it anew. Ops that change a tensor in place are replaced by those of the same name that do not."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

import torch

from hecv.tensors.tensor_graph import Leaf, Node, Operand, Ref, TensorType
from hecv.torch.graph_capture import Unsupported, attribute, operator_name
from hecv.torch.op_trace import Call, Constant, Traced

_RESHAPES: Final = ("view", "reshape", "_unsafe_view", "unsqueeze", "squeeze", "flatten", "unflatten", "_reshape_alias")
_SAME: Final = ("detach", "alias", "view_as", "lift_fresh")

LOGGED: Final = "hecv::log_tensor"
"""The op that names a tensor (`hecv.tensors.logged_tensors`)."""


class Storage:
    """A tensor that views share: how often it was written, and whether it is a constant of the program."""

    __slots__ = ("constant", "version")

    def __init__(self) -> None:
        self.version, self.constant = 0, False


class View:
    """A tensor of the program: a storage, or a view of another tensor, and the call that made it."""

    __slots__ = ("made", "parent", "ref", "storage", "type", "version")

    def __init__(self, ref: Ref, kind: TensorType, parent: View | None = None, made: Any = None) -> None:
        self.ref, self.type, self.parent = ref, kind, parent
        self.storage: Storage = Storage() if parent is None else parent.storage
        self.version = self.storage.version
        self.made: tuple[str, tuple[Operand, ...], Call] | None = made


class FunctionalOps:
    """Reads calls of ops one by one. `values` has what each tensor of the trace is, `nodes` are the ops, `leaves` and
    `arrays` the tensors that no op computes; `logged` are values that the program names, and their names."""

    def __init__(self) -> None:
        self.values: dict[Traced, Any] = {}
        self.nodes: list[Node] = []
        self.leaves: list[Leaf] = []
        self.arrays: dict[str, Any] = {}
        self._given: dict[str, View] = {}
        self._names: set[str] = set()
        self.logged: list[tuple[str, str]] = []

    def give(self, name: str, kind: str, tensor: Traced, array: Any) -> None:
        """An argument of the program, and its value before the program runs."""
        self._given[name] = self._leaf(name, kind, tensor, array)

    def read(self, step: Call | Constant) -> None:
        """The next op, or constant.

        Raises: Unsupported.
        """
        if isinstance(step, Constant):
            self._leaf(f"constant.{step.name}", "constant", step.made, step.array).storage.constant = True
        elif step.target._schema.name == LOGGED:
            tensor, name = step.args
            self.logged.append((self.ref(self.values[tensor]).name, str(name)))
            self.values[step.made] = self.values[tensor]
        else:
            self.bind(step.made, self._op(step.target, step))

    def bind(self, made: Any, value: Any) -> None:
        """What an op has returned, and what that is."""
        if isinstance(made, Traced):
            self.values[made] = value
        elif isinstance(made, tuple) and value is not None:
            for one, other in zip(made, value, strict=True):  # pyright: ignore[reportUnknownVariableType]
                self.bind(one, other)

    def _leaf(self, name: str, kind: str, tensor: Traced, array: Any) -> View:
        self.leaves.append(Leaf(name, tensor.type, kind))
        self.arrays[name] = array
        view = self.values[tensor] = View(Ref(name), tensor.type)
        return view

    def result(self, made: Traced) -> Ref:
        """The value of a tensor of the trace, after all that was read."""
        return self.ref(self.values[made])

    def changed(self) -> dict[str, Ref]:
        """The arguments that the program writes, and their values behind it."""
        return {n: self.ref(view) for n, view in self._given.items() if view.storage.version}

    # Aliases

    def ref(self, view: View) -> Ref:
        """The value of a view as its storage is now."""
        if view.version != view.storage.version:
            assert view.parent is not None and view.made is not None
            op, operands, call = view.made
            parent = self.ref(view.parent)
            view.ref = self.emit(op, (parent, *operands[1:]), {}, [view.type], call)[0]
            view.version = view.storage.version
        return view.ref

    def write(self, view: View, value: Ref, call: Call) -> None:
        """Makes `value` the contents of a view, and so of its storage."""
        if view.parent is not None:
            self.ref(view.parent)
            self.write(view.parent, self._scattered(view, value, call), call)
        elif view.storage.constant:
            raise Unsupported("the program changes a tensor that is no input, parameter or buffer of it")
        else:
            view.storage.version += 1
        view.ref, view.version = value, view.storage.version

    def _scattered(self, view: View, value: Ref, call: Call) -> Ref:
        """The value of a view's parent, with `value` in the place of the view."""
        assert view.parent is not None and view.made is not None
        op, operands, _ = view.made
        parent, kind = self.ref(view.parent), view.parent.type
        name = op.split(".")[1]
        if view.type.element != kind.element:
            raise Unsupported(f"a write to what `{op}` gives, of another type")
        if name in _RESHAPES:
            return self.emit("aten.view.default", (value, kind.shape), {}, [kind], call)[0]
        if name in _SAME:
            return value
        if name in ("t", "transpose", "numpy_T"):
            return self.emit(op, (value, *operands[1:]), {}, [kind], call)[0]
        if name == "permute":
            order = [d % len(kind.shape) for d in operands[1]]  # pyright: ignore
            back = tuple(order.index(d) for d in range(len(order)))
            return self.emit("aten.permute.default", (value, back), {}, [kind], call)[0]
        if name in ("slice", "select"):
            return self.emit(f"aten.{name}_scatter.default", (parent, value, *operands[1:]), {}, [kind], call)[0]
        raise Unsupported(f"a write to what `{op}` gives")

    # Ops

    def arguments(self, target: Any, call: Call) -> dict[str, Any]:
        """What each parameter of the op is in a call: views for tensors."""
        found: dict[str, Any] = {}
        for position, argument in enumerate(target._schema.arguments):
            if position < len(call.args) and not argument.kwarg_only:
                value: Any = call.args[position]
            else:
                value = call.kwargs.get(argument.name, argument.default_value)
            found[argument.name] = self._value(value)
        return found

    def _value(self, value: Any) -> Any:
        if isinstance(value, Traced):
            return self.values[value]
        return [self._value(v) for v in value] if isinstance(value, (list, tuple)) else value

    def _operand(self, value: Any) -> Operand:
        match value:
            case View():
                return self.ref(value)
            case torch.SymInt() | torch.SymFloat() | torch.SymBool():
                return value  # pyright: ignore[reportReturnType]
            case list() | tuple():
                return tuple(self._operand(v) for v in value)
            case _:
                return attribute(value)

    def _op(self, target: Any, call: Call) -> Any:
        arguments, schema = self.arguments(target, call), target._schema
        if torch.Tag.nondeterministic_seeded in target.tags and _draws(arguments):
            raise Unsupported(f"`{operator_name(target)}` draws random numbers")
        written = [a.name for a in schema.arguments if a.alias_info is not None and a.alias_info.is_write]
        if torch.Tag.inplace_view in target.tags and schema.name != "aten::detach_":
            return self._reshaped(target, call, arguments)
        if written and schema.name not in ("aten::detach_", "aten::lift_fresh_copy"):
            return self._in_place(target, call, arguments, written)
        made = call.made
        whole = list(made) if isinstance(made, tuple) else [made]
        tensors = [t for t in whole if t is not None]
        if not tensors or not all(isinstance(t, Traced) for t in tensors):
            if not schema.returns:
                return None  # a check of what the trace has fixed
            raise Unsupported(f"`{operator_name(target)}` gives a number that depends on values")
        if schema.name == "aten::as_strided":
            return self._strided(call, arguments, tensors[0])
        operands = tuple(self._operand(v) for _, v in self._split(schema, arguments, False))
        keywords = {a: self._operand(v) for a, v in self._split(schema, arguments, True)}
        name, types = operator_name(target), [t.type for t in tensors]
        first: Any = next(iter(arguments.values()), None)
        shares = any(r.alias_info is not None for r in schema.returns) and isinstance(first, View)
        if shares and isinstance(made, tuple):
            return self._parts(first, name, operands, types, call)
        refs = self.emit(name, operands, keywords, types, call)
        views = [
            View(r, t, first if shares else None, (name, operands, call)) for r, t in zip(refs, types, strict=True)
        ]
        if not isinstance(made, tuple):
            return views[0]
        left = iter(views)
        return [None if t is None else next(left) for t in whole]

    def _reshaped(self, target: Any, call: Call, arguments: dict[str, Any]) -> View:
        """What `squeeze_`, `t_` and their like give: a view. No element of the storage changes, and what reads the
        tensor from here on reads this call."""
        view: Any = arguments["self"]
        name = operator_name(target).replace("_.", ".").replace("transpose.default", "transpose.int")
        if name.split(".")[1] not in (*_RESHAPES, "t", "transpose"):
            raise Unsupported(f"`{operator_name(target)}` changes the sizes of a tensor in place")
        if any(view is given for given in self._given.values()):
            raise Unsupported(f"`{operator_name(target)}` changes the sizes of an input or parameter in place")
        operands = tuple(self._operand(v) for v in arguments.values())
        kind = call.made.type
        ref = self.emit(name, operands, {}, [kind], call)[0]
        return View(ref, kind, view, (name, operands, call))

    def _strided(self, call: Call, arguments: Mapping[str, Any], made: Traced) -> View:
        """A view by strides that has all elements of a contiguous tensor in their order.

        Raises: Unsupported for another one.
        """
        source: Traced = call.args[0]
        sizes = math.prod(made.type.shape), math.prod(source.type.shape)
        if not (source.contiguous and made.contiguous and sizes[0] == sizes[1] and made.offset == source.offset):
            raise Unsupported("`aten.as_strided` of a part of a tensor")
        view, kind = arguments["self"], made.type
        ref = self.emit("aten.view.default", (self.ref(view), kind.shape), {}, [kind], call)[0]
        return View(ref, kind, view, ("aten.view.default", (ref, kind.shape), call))

    def _parts(self, whole: View, name: str, operands: tuple[Operand, ...], types: list[TensorType], call: Call) -> Any:
        """The views that a split or unbind gives, each as a slice."""
        place = 1 if "unbind" in name else 2
        dim = operands[place] if len(operands) > place else 0
        assert isinstance(dim, int)
        found, start = [], 0
        axis = dim % len(whole.type.shape)
        for k, kind in enumerate(types):
            if "unbind" in name:
                op, given = "aten.select.int", (self.ref(whole), axis, k)
            else:
                op, given = "aten.slice.Tensor", (self.ref(whole), axis, start, start + kind.shape[axis], 1)
                start += kind.shape[axis]
            ref = self.emit(op, given, {}, [kind], call)[0]
            found.append(View(ref, kind, whole, (op, given, call)))
        return found

    @staticmethod
    def _split(schema: Any, arguments: Mapping[str, Any], keyword: bool) -> list[tuple[str, Any]]:
        return [(a.name, arguments[a.name]) for a in schema.arguments if a.kwarg_only == keyword and not a.is_out]

    def _in_place(self, target: Any, call: Call, arguments: dict[str, Any], written: list[str]) -> Any:
        """The functional op of the same name, and a write of its result."""
        schema = target._schema
        space, _, name = schema.name.partition("::")
        plain, overload = name.rstrip("_") if not name.startswith("__") else name, schema.overload_name
        view = arguments[written[0]]
        outs = [a.name for a in schema.arguments if a.is_out]
        if len(written) > 1 or not isinstance(view, View):
            raise Unsupported(f"`{operator_name(target)}` writes several tensors")
        if outs:
            overload = {"out": "default", "Tensor_out": "Tensor"}.get(overload, overload.removesuffix("_out"))
        functional: Any = getattr(getattr(getattr(torch.ops, space), plain, None), overload or "default", None)
        if plain == "zero":
            functional, arguments = torch.ops.aten.zeros_like.default, {"self": view}
        if functional is None:
            raise Unsupported(f"`{operator_name(target)}` has no functional form")
        accepted: list[Any] = list(functional._schema.arguments)
        operands = tuple(self._operand(arguments.get(a.name)) for a in accepted if not a.kwarg_only)
        keywords = {a.name: self._operand(arguments.get(a.name)) for a in accepted if a.kwarg_only}
        new = self.emit(operator_name(functional), operands, keywords, [view.type], call)[0]
        self.write(view, new, call)
        return view

    def emit(
        self,
        op: str,
        operands: tuple[Operand, ...],
        keywords: dict[str, Operand],
        types: Sequence[TensorType],
        call: Call,
    ) -> list[Ref]:
        """An op with results of these types; the results."""
        base = f"%{call.name}"
        names = [base] if len(types) == 1 else [f"{base}.{k}" for k in range(len(types))]
        fresh = [self.fresh(n) for n in names]
        self.nodes.append(Node(op, operands, keywords, tuple(fresh), tuple(types), call.place))
        return [Ref(n) for n in fresh]

    def fresh(self, name: str) -> str:
        """A name that no value has yet."""
        found, count = name, 1
        while found in self._names:
            found, count = f"{name}'{count}", count + 1
        self._names.add(found)
        return found


def _draws(arguments: Mapping[str, Any]) -> bool:
    """Whether an op that may draw random numbers does so: a dropout of nothing does not."""
    chance = arguments.get("dropout_p", arguments.get("p"))
    return chance != 0 and arguments.get("train", arguments.get("training", True)) is not False
