"""Ops of other dialects by what MLIR lowers them to: the main ops of `tosa` are lowered, and read."""

from functools import cache
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hecv.base.term import TermPool, literal
from hecv.base.value import Buffer
from hecv.check import Options, check
from hecv.mlir.importer import ParsedModule, functions, parse, read_function
from hecv.mlir.passes.dialect_lowering import lowered
from hecv.program.tree import Role
from hecv.run.interpreter.interpreter import Finished, compile

TEXT = (Path(__file__).parent / "tosa.mlir").read_text()
NAMES = [line.partition("@")[2].partition("(")[0] for line in TEXT.splitlines() if line.startswith("func.func")]


PARSED = parse(TEXT, "-")


@cache
def _module(name: str = NAMES[0]) -> ParsedModule:
    found = lowered(PARSED, name)
    assert found is not None
    module, dialects = found
    assert dialects == {"tosa"}
    return module


@pytest.mark.parametrize("name", NAMES)
def test_an_op_of_tosa_is_lowered_and_read(name: str) -> None:
    assert read_function(_module(name), name, TermPool(), True).known


def test_the_code_is_what_was_lowered() -> None:
    assert "tosa." in _module().text
    assert "tosa." not in _module().code()
    assert [f.name for f in functions(_module())] == NAMES[:1]


def test_what_is_not_lowered_stays() -> None:
    custom = """func.func @f(%a: tensor<2xf32>) -> tensor<2xf32> {
        %0 = tosa.custom %a {operator_name = "own", domain_name = "mine", implementation_attrs = ""}
            : (tensor<2xf32>) -> tensor<2xf32>
        return %0 : tensor<2xf32>
    }"""
    assert lowered(parse(custom, "-"), "f") is None
    assert lowered(parse("func.func @f() { return }", "-"), "f") is None


def test_what_a_function_does_not_need_is_in_no_way() -> None:
    other = """
func.func @g(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = tosa.custom %a {operator_name = "own", domain_name = "mine", implementation_attrs = ""}
    : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}"""
    text = """func.func @f(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
  %0 = tosa.maximum %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}"""
    assert lowered(parse(text + other, "-"), "f") is not None
    assert lowered(parse(text + other, "-"), "g") is None
    swapped = text.replace("%a, %b :", "%b, %a :")
    one, two = (text + other, "s.mlir"), (swapped + other, "t.mlir")
    report = check(one[0], two[0], (one[1], two[1]), Options(functions=("f",)))
    assert report.verdict == "equivalent"


TRAP = """
func.func @f(%a: tensor<4xf32>, %x: i32, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  BEFORE
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%t = %a) -> (tensor<4xf32>) {
    INSIDE
    %u = tosa.add %t, %t : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    scf.yield %u : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}"""


def test_an_op_that_may_be_undefined_is_not_lost_on_the_way() -> None:
    """MLIR drops a division that nothing uses; out of a loop that does not run it is undefined where it was not."""
    division = "%q = arith.divsi %x, %x : i32"
    inside, before = TRAP.replace("BEFORE", "").replace("INSIDE", division), TRAP.replace("BEFORE", division)
    found = lowered(parse(inside, "-"), "f")
    assert found is None or "arith.divsi" in found[0].code()
    report = check(inside, before.replace("INSIDE", ""), ("s.mlir", "t.mlir"), Options())
    assert report.verdict in ("unknown", "not-equivalent")


WRONG = [
    ("maximum", "arith.maximumf", "arith.minimumf"),
    ("reduce_sum", "constant 0.0", "constant 1.0"),
    ("pad", "low[%c1,", "low[%c0,"),
    ("clamp", "constant 6.0", "constant 7.0"),
    ("concat", "%arg1 into", "%arg0 into"),
    ("scatter", "%1 = scf.for %arg5 = %c0_1 to", "%1 = scf.for %arg5 = %c1 to"),
    ("gather", "linalg.index 2", "linalg.index 1"),
    ("cond_if", "arith.subf %in, %in_0", "arith.subf %in_0, %in"),
    ("transpose_conv2d", "constant 0.0", "constant 1.0"),
]


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("name", "right", "wrong"), WRONG)
def test_an_op_of_tosa_is_its_lowering_and_no_other(name: str, right: str, wrong: str) -> None:
    start = TEXT.index(f"func.func @{name}(")
    source = TEXT[start : TEXT.index("\n}\n", start) + 3]
    found = lowered(parse(source, "-"), name)
    assert found is not None
    target = found[0].code()
    other = target.replace(right, wrong, 1)
    assert other != target
    verdicts = [check(source, t, ("s.mlir", "t.mlir"), Options(seconds=30)).verdict for t in (target, other)]
    assert verdicts == ["equivalent", "not-equivalent"]


UNUSED = """
func.func @f(%a: tensor<1x4x3xf32>, %i: tensor<1x2xi32>, %b: tensor<2xf32>) -> tensor<2xf32> {
  GATHER
  %r = tosa.add %b, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}"""


def test_an_index_may_be_out_of_range() -> None:
    """MLIR drops a gather that nothing uses."""
    gather = "%q = tosa.gather %a, %i : (tensor<1x4x3xf32>, tensor<1x2xi32>) -> tensor<1x2x3xf32>"
    without, within = UNUSED.replace("GATHER", ""), UNUSED.replace("GATHER", gather)
    found = [check(*pair, ("s.mlir", "t.mlir"), Options()).verdict for pair in ((without, within), (within, without))]
    assert found[0] in ("unknown", "not-equivalent") and found[1] in ("refines", "unknown")


SCALED = """
func.func @f(%x: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %s = arith.constant 36 : i8
  %m = arith.constant 1073741824 : i32
  %y = arith.subi %x, %zero : i32
  %r = tosa.apply_scale %y, %m, %s {rounding_mode = SINGLE_ROUND} : (i32, i32, i8) -> i32
  return %r : i32
}"""


def test_what_the_passes_fold_is_kept_from_them() -> None:
    """`tosa-to-linalg` leaves `x - 0` beside the ops that it makes, which the next pass folds."""
    found = lowered(parse(SCALED, "-"), "f")
    assert found is not None and "arith.subi" in found[0].code() and "hecv." not in found[0].code()
    plain = SCALED.replace("  %y = arith.subi %x, %zero : i32\n", "").replace("%y", "%x")
    for target, verdict in ((plain, "equivalent"), (plain.replace("36", "35"), "not-equivalent")):
        assert check(SCALED, target, ("s.mlir", "t.mlir"), Options()).verdict == verdict


BESIDE = """func.func @f(%x: tensor<2x6xf32>, %o: tensor<2x12xf32>) -> tensor<{result}xf32> {{
  %s = tosa.const_shape {{values = dense<[3, 4]> : tensor<2xindex>}} : () -> !tosa.shape<2>
  {ops}
  return %y : tensor<{result}xf32>
}}"""
INSERTED = "%i = tensor.insert_slice %x into %o[0, {}] [2, 6] [1, 1] : tensor<2x6xf32> into tensor<2x12xf32>\n"
EXTRACTED = "%p = tensor.extract_slice %i[0, {}] [2, 6] [1, 1] : tensor<2x12xf32> to tensor<2x6xf32>\n"
RESHAPED = "%y = tosa.reshape %p, %s : (tensor<2x6xf32>, !tosa.shape<2>) -> tensor<3x4xf32>\n"
FLAT = """%c = tensor.collapse_shape %{} [[0, 1]] : tensor<2x6xf32> into tensor<12xf32>
%y = tensor.expand_shape %c [[0, 1]] output_shape [3, 4] : tensor<12xf32> into tensor<3x4xf32>
"""
ADDED = "%i = tosa.add %o, %o : (tensor<2x12xf32>, tensor<2x12xf32>) -> tensor<2x12xf32>\n"
SUMMED = "%i = arith.addf %o, %o : tensor<2x12xf32>\n"
TWICE = """%q = tensor.extract_slice %o[0, {}] [2, 8] [1, 1] : tensor<2x12xf32> to tensor<2x8xf32>
%p = tensor.extract_slice %q[0, 1] [2, 6] [1, 1] : tensor<2x8xf32> to tensor<2x6xf32>
"""
ONCE = "%p = tensor.extract_slice %o[0, {}] [2, 6] [1, 1] : tensor<2x12xf32> to tensor<2x6xf32>\n"
COLLAPSED = (
    RESHAPED.replace("%y", "%r") + "%y = tensor.collapse_shape %r [[0, 1]] : tensor<3x4xf32> into tensor<12xf32>\n"
)


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        (INSERTED.format(0) + EXTRACTED.format(0) + RESHAPED, FLAT.format("x"), "equivalent"),
        (INSERTED.format(0) + EXTRACTED.format(3) + RESHAPED, FLAT.format("x"), "not-equivalent"),
        (ADDED + EXTRACTED.format(2) + RESHAPED, SUMMED + EXTRACTED.format(2) + FLAT.format("p"), "equivalent"),
        (ADDED + EXTRACTED.format(2) + RESHAPED, SUMMED + EXTRACTED.format(1) + FLAT.format("p"), "not-equivalent"),
        (TWICE.format(2) + RESHAPED, ONCE.format(3) + FLAT.format("p"), "equivalent"),
        (TWICE.format(2) + RESHAPED, ONCE.format(2) + FLAT.format("p"), "not-equivalent"),
    ],
)
def test_slices_beside_ops_that_are_lowered(source: str, target: str, expected: str) -> None:
    """The passes fold a slice of what was just inserted, or of a slice, which hides that it was there."""
    texts = (BESIDE.format(result="3x4", ops=ops) for ops in (source, target))
    assert check(*texts, ("s.mlir", "t.mlir"), Options()).verdict == expected


GENERATED = """%g = tensor.generate {{ ^bb0(%i: index, %j: index):
  %e = tensor.extract %x[%i, %j] : tensor<2x6xf32>
  tensor.yield %e : f32
}} : tensor<2x6xf32>
%h = tensor.extract_slice %g[0, {0}] [2, 3] [1, 1] : tensor<2x6xf32> to tensor<2x3xf32>
%p = tensor.insert_slice %h into %g[0, 3] [2, 3] [1, 1] : tensor<2x3xf32> into tensor<2x6xf32>
"""
PADDED = """%z = arith.constant 0.0 : f32
%g = tensor.pad %x low[0, {0}] high[0, 0] {{ ^bb0(%i: index, %j: index):
  tensor.yield %z : f32
}} : tensor<2x6xf32> to tensor<2x{1}xf32>
%p = tensor.extract_slice %g[0, 2] [2, 6] [1, 1] : tensor<2x{1}xf32> to tensor<2x6xf32>
"""
ROUND = """%g = tensor.insert_slice %x into %o[0, {0}] [2, 6] [1, 1] : tensor<2x6xf32> into tensor<2x12xf32>
%h = tensor.generate {{ ^bb0(%i: index, %j: index):
  %e = tensor.extract %g[%i, %j] : tensor<2x12xf32>
  tensor.yield %e : f32
}} : tensor<2x12xf32>
%k = tensor.extract_slice %h[0, 3] [2, 8] [1, 1] : tensor<2x12xf32> to tensor<2x8xf32>
%p = tensor.extract_slice %k[0, 0] [2, 6] [1, 1] : tensor<2x8xf32> to tensor<2x6xf32>
"""


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (GENERATED.format(3), "equivalent"),
        (GENERATED.format(2), "not-equivalent"),
        (PADDED.format(2, 8), "equivalent"),
        (PADDED.format(3, 9), "not-equivalent"),
        (ROUND.format(3), "equivalent"),
        (ROUND.format(2), "not-equivalent"),
    ],
)
def test_ops_of_tensor_with_regions_beside_ops_that_are_lowered(source: str, expected: str) -> None:
    """`tensor.yield` has no result."""
    texts = (BESIDE.format(result="3x4", ops=ops) for ops in (source + RESHAPED, FLAT.format("x")))
    assert check(*texts, ("s.mlir", "t.mlir"), Options()).verdict == expected


def test_a_reshape_of_a_reshape() -> None:
    texts = [BESIDE.format(result="12", ops=ONCE.format(3) + COLLAPSED)]
    texts += [
        BESIDE.format(result="12", ops=ONCE.format(at) + FLAT.partition("%y")[0].format("p").replace("%c", "%y"))
        for at in (3, 4)
    ]
    for target, expected in ((texts[1], "equivalent"), (texts[2], "not-equivalent")):
        assert check(texts[0], target, ("s.mlir", "t.mlir"), Options()).verdict == expected


GATHER = """func.func @f(%t: tensor<4x3xf32>, %i: tensor<{count}x1xi32>) -> tensor<{count}x3xf32> {{
  %r = "stablehlo.gather"(%t, %i) <{{dimension_numbers = #stablehlo.gather<offset_dims = [1],
    collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 3>, indices_are_sorted = {said}}}>
    : (tensor<4x3xf32>, tensor<{count}x1xi32>) -> tensor<{count}x3xf32>
  return %r : tensor<{count}x3xf32>
}}"""
EXPONENTIAL = """func.func @f(%a: tensor<3xf32>) -> tensor<3xf32> {{
  %r = "stablehlo.exponential"(%a) <{{result_accuracy = #stablehlo.result_accuracy<{}
    mode = #stablehlo.result_accuracy_mode<{}>>}}> : (tensor<3xf32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}}"""


RANDOM = """func.func @f(%a: tensor<f32>, %b: tensor<f32>) -> tensor<4xf32> {{
  %s = stablehlo.constant dense<4> : tensor<1xi64>
  %x = stablehlo.rng %a, %b, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4xf32>
  %y = stablehlo.rng %a, %b, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4xf32>
  %z = stablehlo.subtract %x, {} : tensor<4xf32>
  return %z : tensor<4xf32>
}}"""
DOT = """func.func @f(%a: tensor<2x3xf32>, %b: tensor<3x2xf32>) -> tensor<2x2xf32> {{
  %r = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], precision = [{}, {}]
    : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  return %r : tensor<2x2xf32>
}}"""


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        # Each draws numbers of its own: the lowering begins with the same seed.
        (RANDOM.format("%y"), RANDOM.format("%x"), "unknown"),
        (DOT.format("HIGHEST", "HIGHEST"), DOT.format("DEFAULT", "DEFAULT"), "unknown"),
        (DOT.format("DEFAULT", "DEFAULT"), DOT.format("DEFAULT", "HIGH"), "unknown"),
        (DOT.format("HIGH", "HIGH"), DOT.format("HIGH", "HIGH"), "equivalent"),
        (GATHER.format(count=2, said="false"), GATHER.format(count=2, said="true"), "unknown"),
        (GATHER.format(count=2, said="true"), GATHER.format(count=2, said="true"), "equivalent"),
        (GATHER.format(count=1, said="false"), GATHER.format(count=1, said="true"), "equivalent"),
        (EXPONENTIAL.format("", "DEFAULT"), EXPONENTIAL.format("ulps = 10,", "TOLERANCE"), "unknown"),
        (EXPONENTIAL.format("", "HIGHEST"), EXPONENTIAL.format("", "DEFAULT"), "unknown"),
        (EXPONENTIAL.format("", "HIGHEST"), EXPONENTIAL.format("", "HIGHEST"), "equivalent"),
    ],
)
def test_what_lowering_drops_is_not_lowered(source: str, target: str, expected: str) -> None:
    """A target that says more of its indices may be undefined where the source is not."""
    assert check(source, target, ("s.mlir", "t.mlir"), Options()).verdict == expected


@pytest.mark.parametrize(
    ("count", "said", "expected"), [(2, "false", "equivalent"), (2, "true", "unknown"), (1, "true", "equivalent")]
)
def test_an_op_that_says_something_of_its_indices_may_be_undefined(count: int, said: str, expected: str) -> None:
    target = GATHER.format(count=count, said=said).replace(
        "return %r", f"%s = stablehlo.negate %k : tensor<{count}x3xf32>\n  return %s"
    )
    target = target.replace("%i: tensor", f"%k: tensor<{count}x3xf32>, %i: tensor")
    lines = target.splitlines()
    source = "\n".join([lines[0], *lines[-3:]])
    assert check(source, target, ("s.mlir", "t.mlir"), Options()).verdict == expected


SELECTED = """func.func @f(%a: tensor<2xf32>, %u: tensor<1xf32>, %z: tensor<f32>) -> tensor<2xf32> {
  %r = "stablehlo.select_and_scatter"(%a, %u, %z)
      <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %q = stablehlo.compare GT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %q : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %q = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %q : tensor<f32>
  }) : (tensor<2xf32>, tensor<1xf32>, tensor<f32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}"""


def test_a_lowering_to_what_is_poison_is_none() -> None:
    """The first element of a window is compared with one that was never written, so all of the result is poison."""
    assert lowered(parse(SELECTED, "-"), "f") is None


WINOGRAD = {
    "filter": ("2x3x3x5", "6x6x5x2"),
    "input": ("2x10x10x5", "6x6x2x2x2x5"),
    "output": ("6x6x2x2x2x5", "2x8x8x5"),
}
"""The shapes of what each op takes and gives, by F(4 x 4, 3 x 3)."""
DYNAMIC = """func.func @f(%a: tensor<{0}xf32>, %o: tensor<{1}xf32>) -> tensor<{1}xf32> {{
  %b = tensor.cast %a : tensor<{0}xf32> to tensor<{2}xf32>
  %p = tensor.cast %o : tensor<{1}xf32> to tensor<{3}xf32>
  %q = linalg.winograd_{4}_transform fmr(F_4_3) ins(%b : tensor<{2}xf32>) outs(%p : tensor<{3}xf32>) -> tensor<{3}xf32>
  %r = tensor.cast %q : tensor<{3}xf32> to tensor<{1}xf32>
  return %r : tensor<{1}xf32>
}}"""


@pytest.mark.parametrize("what", WINOGRAD)
def test_an_op_that_is_lowered_wrongly_for_shapes_that_are_not_known(what: str) -> None:
    """With the shapes that casts tell, it is the op on these shapes."""
    given, made = WINOGRAD[what]
    open_ = [shape.replace("5", "?") for shape in (given, made)]
    source, target = (DYNAMIC.format(given, made, *between, what) for between in ((given, made), open_))
    assert check(source, target, ("s.mlir", "t.mlir"), Options()).verdict == "equivalent"
    wrong = source.replace("return %r", f"%z = arith.addf %r, %o : tensor<{made}xf32>\n  return %z")
    assert check(source, wrong, ("s.mlir", "t.mlir"), Options()).verdict == "not-equivalent"


@pytest.mark.parametrize("what", WINOGRAD)
def test_of_shapes_that_nobody_knows_nothing_is_said(what: str) -> None:
    given, made = (shape.replace("5", "?") for shape in WINOGRAD[what])
    text = f"""func.func @f(%b: tensor<{given}xf32>, %p: tensor<{made}xf32>) -> tensor<{made}xf32> {{
      %q = linalg.winograd_{what}_transform fmr(F_4_3) ins(%b : tensor<{given}xf32>)
        outs(%p : tensor<{made}xf32>) -> tensor<{made}xf32>
      return %q : tensor<{made}xf32>
    }}"""
    assert check(text, text.replace("return %q", "return %p"), ("s.mlir", "t.mlir"), Options()).verdict == "unknown"


def _ran(text: str, *inputs: Any) -> Any:
    """What the interpreter computes of arrays, in an array."""
    function = read_function(parse(text, "f.mlir"), "f", TermPool(), by_element=True)
    values = [Buffer(a.shape, [float(x) for x in a.ravel()]) for a in inputs]
    taken = [a.memory for a in function.inputs()[len(values) :] if a.memory is not None and a.role is Role.RESULT]
    shapes = [tuple(int(str(literal(e))) for e in memory.extents) for memory in taken]
    results = [Buffer(shape, [0.0] * prod(shape)) for shape in shapes]
    end = compile(function).run((*values, *results))
    assert isinstance(end, Finished), end
    made = end.arguments[len(values)]
    assert isinstance(made, Buffer)
    return np.array(made.data).reshape(made.shape)


@pytest.mark.parametrize(("form", "m", "r"), [("F_2_3", 2, 3), ("F_4_3", 4, 3), ("F_2_5", 2, 5)])
def test_the_transforms_of_a_convolution_are_the_convolution(form: str, m: int, r: int) -> None:
    """What MLIR makes of the ops, which is their meaning here, against a sum over the window: Lavin and Gray, Fast
    Algorithms for Convolutional Neural Networks, equation 8."""
    n, count, channels, filters, alpha = 1, 2, 2, 3, m + r - 1
    size, out = count * m + r - 1, count * m
    draw = np.random.default_rng(0)
    kernel = draw.integers(-4, 5, (filters, r, r, channels)).astype(float)
    image = draw.integers(-4, 5, (n, size, size, channels)).astype(float)

    def transformed(what: str, value: Any, shape: tuple[int, ...]) -> Any:
        kinds = ["x".join(map(str, s)) for s in (value.shape, shape)]
        text = DYNAMIC.format(*kinds, *kinds, what).replace("f32", "f64").replace("F_4_3", form)
        return _ran(text, value, np.zeros(shape))

    u = transformed("filter", kernel, (alpha, alpha, channels, filters))
    v = transformed("input", image, (alpha, alpha, count, count, n, channels))
    products = np.einsum("abhwnc,abcf->abhwnf", v, u)
    found = transformed("output", products, (n, out, out, filters))
    windows = np.lib.stride_tricks.sliding_window_view(image, (r, r), axis=(1, 2))
    assert np.allclose(found, np.einsum("nhwcij,fijc->nhwf", windows, kernel), atol=1e-3)


@pytest.mark.parametrize("shape", ["3x4", "?x?"])
@pytest.mark.parametrize("dimension", [0, 1])
def test_softmax_is_its_formula(shape: str, dimension: int) -> None:
    text = f"""func.func @f(%a: tensor<3x4xf64>, %o: tensor<3x4xf64>) -> tensor<3x4xf64> {{
      %b = tensor.cast %a : tensor<3x4xf64> to tensor<{shape}xf64>
      %p = tensor.cast %o : tensor<3x4xf64> to tensor<{shape}xf64>
      %q = linalg.softmax dimension({dimension}) ins(%b : tensor<{shape}xf64>) outs(%p : tensor<{shape}xf64>)
        -> tensor<{shape}xf64>
      %r = tensor.cast %q : tensor<{shape}xf64> to tensor<3x4xf64>
      return %r : tensor<3x4xf64>
    }}"""
    values = np.random.default_rng(0).normal(size=(3, 4)) * 5
    powers = np.exp(values - values.max(axis=dimension, keepdims=True))
    assert np.allclose(_ran(text, values, np.zeros((3, 4))), powers / powers.sum(axis=dimension, keepdims=True))


SCALE = """func.func @f(%x: i32, %m: i32, %s: i8) -> i32 {
  %r = tosa.apply_scale %x, MULTIPLIER, SHIFT {rounding_mode = SINGLE_ROUND} : (i32, i32, i8) -> i32
  return %r : i32
}"""
BY_HAND = """func.func @f(%x: i32, %m: i32, %s: i8) -> i32 {
  %v = arith.extsi %x : i32 to i64
  %w = arith.EXT %m : i32 to i64
  %k = arith.extui %s : i8 to i64
  %p = arith.muli %v, %w : i64
  %one = arith.constant 1 : i64
  %last = arith.subi %k, %one : i64
  %half = arith.shli %one, %last : i64
  %q = arith.addi %p, HALF : i64
  %z = arith.shrsi %q, %k : i64
  %t = arith.trunci %z : i64 to i32
  return %t : i32
}"""


def _scaled(multiplier: str = "%m", shift: str = "%s") -> str:
    return SCALE.replace("MULTIPLIER", multiplier).replace("SHIFT", shift)


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("extension", "half"), [("extsi", "%half"), ("extui", "%half")])
def test_beyond_what_a_scale_requires_nothing_is_refuted(extension: str, half: str) -> None:
    """A shift of 0 or 63, a negative multiplier, a value that is too large."""
    target = BY_HAND.replace("EXT", extension).replace("HALF", half)
    assert check(_scaled(), target, ("s.mlir", "t.mlir"), Options(seconds=30.0)).verdict != "not-equivalent"


@pytest.mark.parametrize(("extension", "half"), [("extsi", "%one"), ("extsi", "%k"), ("extsi", "%p")])
def test_within_what_a_scale_requires_it_is_refuted(extension: str, half: str) -> None:
    target = BY_HAND.replace("EXT", extension).replace("HALF", half)
    (found,) = check(_scaled(), target, ("s.mlir", "t.mlir"), Options(seconds=30.0)).functions
    assert found.verdict == "not-equivalent" and found.counterexample is not None
    x, m, s = (binding.value for binding in found.counterexample.inputs)
    assert 2 <= int(str(s)) <= 62 and 0 <= int(str(m)) < 1 << 31 and x is not None
