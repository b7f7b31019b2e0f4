"""`tensor.gather` and `tensor.scatter` as element loops in functions of their own: MLIR lowers neither."""

from __future__ import annotations

from typing import Any, Final

from torch_mlir import ir

# The bindings are typed in small part.
IR: Any = ir

_DIMS: Final = {"tensor.gather": "gather_dims", "tensor.scatter": "scatter_dims"}


def without_gathers(module: Any, text: str) -> None:
    """Replaces gathers and scatters of static shape, in place."""
    if not any(name in text for name in _DIMS):
        return
    found: list[Any] = []

    def visit(op: Any) -> Any:
        if op.name in _DIMS and all(v.type.has_static_shape for v in (*op.operands, op.result)):
            found.append(op)
        return IR.WalkResult.ADVANCE

    module.operation.walk(visit)
    for number, op in enumerate(found):
        _replace(module, op, f"hecv_{op.name.replace('.', '_')}{number}")


def _replace(module: Any, op: Any, name: str) -> None:
    text = (_gather if op.name == "tensor.gather" else _scatter)(op, name)
    made: Any = IR.Module.parse(text, op.context)
    with IR.InsertionPoint(module.body):
        made.body.operations[0].operation.clone()
    callee = {"callee": IR.FlatSymbolRefAttr.get(name, op.context)}
    with op.location, IR.InsertionPoint(op):
        results = [op.result.type]
        call = IR.Operation.create("func.call", results=results, operands=list(op.operands), attributes=callee)
    op.result.replace_all_uses_with(call.result)
    op.erase()


def _gather(op: Any, name: str) -> str:
    source, indices = (v.type for v in op.operands)
    result = op.result.type
    at = [f"%i{k}" for k in range(len(result.shape))]
    lines, place = _place(op, source, indices, at)
    arguments = ", ".join(f"{i}: index" for i in at)
    return f"""func.func private @{name}(%t: {source}, %at: {indices}) -> {result} {{
      %r = tensor.generate {{
      ^bb0({arguments}):
        {lines}
        %v = tensor.extract %t[{place}] : {source}
        tensor.yield %v : {source.element_type}
      }} : {result}
      return %r : {result}
    }}"""


def _scatter(op: Any, name: str) -> str:
    slices, target, indices = (v.type for v in op.operands)
    at = [f"%i{k}" for k in range(len(slices.shape))]
    lines, place = _place(op, target, indices, at)
    inner = f"""{lines}
        %v = tensor.extract %s[{", ".join(at)}] : {slices}
        %w = tensor.insert %v into %t{len(at)}[{place}] : {target}
        scf.yield %w : {target}"""
    bounds = ["%zero = arith.constant 0 : index\n%one = arith.constant 1 : index"]
    for k, extent in reversed(list(enumerate(slices.shape))):
        bounds.append(f"%n{k} = arith.constant {extent} : index")
        ends = "" if k == 0 else f"\nscf.yield %r{k} : {target}"
        inner = f"""%r{k} = scf.for {at[k]} = %zero to %n{k} step %one iter_args(%t{k + 1} = %t{k}) -> ({target}) {{
          {inner}
        }}{ends}"""
    begin = "\n".join(bounds)
    return f"""func.func private @{name}(%s: {slices}, %t0: {target}, %at: {indices}) -> {target} {{
      {begin}
      {inner}
      return %r0 : {target}
    }}"""


def _place(op: Any, tensor: Any, indices: Any, at: list[str]) -> tuple[str, str]:
    """The lines that compute the position of element `at` of all slices, and that position."""
    dims = list(IR.DenseI64ArrayAttr(op.attributes[_DIMS[op.name]]))
    lead, rank = len(indices.shape) - 1, len(tensor.shape)
    lines: list[str] = []
    found: dict[int, str] = {}
    for k, dim in enumerate(dims):
        first = ", ".join([*at[:lead], f"%k{k}"])
        lines += [f"%k{k} = arith.constant {k} : index", f"%x{k} = tensor.extract %at[{first}] : {indices}"]
        found[dim] = f"%x{k}"
        if str(indices.element_type) != "index":
            lines.append(f"%y{k} = arith.index_cast %x{k} : {indices.element_type} to index")
            found[dim] = f"%y{k}"
    rest = iter(at[lead:])
    whole = len(at) - lead == rank
    own = [next(rest) if whole or d not in found else "" for d in range(rank)]
    return "\n".join(lines), ", ".join(found.get(d, own[d]) for d in range(rank))
