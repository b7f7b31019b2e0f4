"""Vectors and tensors at the edges of what LangRef defines: what is undefined, left open or not held is not proved."""

from __future__ import annotations

import pytest

from hecv.check import Options, Report, check

CONSTANTS = """
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
"""


def _verdict(head: str, source: str, target: str, returned: str = "") -> Report:
    texts = [f"func.func @f{head} {{{CONSTANTS}{body}\nreturn {returned}\n}}" for body in (source, target)]
    report = check(texts[0], texts[1], ("s.mlir", "t.mlir"), Options())
    assert not report.internal, report.diagnostics
    return report


NOT_PROVED = ("not-equivalent", "unknown")
"""Where MLIR's bufferization leaves elements undefined, its JIT is no witness."""

CONSTANT_ELEMENTS = [
    ("bf16", ["1.0", "2.0"]),
    ("f16", ["0x7E01", "-0.0"]),
    ("f32", ["1.0e+10", "0.1"]),
    ("i1", ["true", "false"]),
    ("i4", ["-1", "7"]),
    ("i64", ["-1", "9223372036854775807"]),
    ("index", ["1", "-2"]),
]


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("kind", "values"), CONSTANT_ELEMENTS)
def test_a_constant_of_any_type_is_its_elements(kind: str, values: list[str]) -> None:
    typed = [v if kind == "i1" else f"{v} : {kind}" for v in values]
    source = f"%k = arith.constant dense<[{', '.join(values)}]> : vector<2x{kind}>\n"
    source += f"vector.store %k, %A[%c0] : memref<2x{kind}>, vector<2x{kind}>"
    target = "".join(
        f"%x{k} = arith.constant {v}\nmemref.store %x{k}, %A[%c{k}] : memref<2x{kind}>\n" for k, v in enumerate(typed)
    )
    assert _verdict(f"(%A: memref<2x{kind}>)", source, target).verdict == "equivalent"
    swapped = target.replace("%A[%c0]", "%A[%c]").replace("%A[%c1]", "%A[%c0]").replace("%A[%c]", "%A[%c1]")
    # MLIR's JIT does not run all of these types.
    assert _verdict(f"(%A: memref<2x{kind}>)", source, swapped).verdict in ("not-equivalent", "unknown")


@pytest.mark.parametrize("kind", ["f32", "i16", "index"])
def test_a_long_constant_is_its_elements(kind: str) -> None:
    """MLIR prints more than a hundred elements as bytes."""
    values = [f"{k - 50}.5" if kind == "f32" else str(k - 50) for k in range(150)]
    source = f"%k = arith.constant dense<[{', '.join(values)}]> : tensor<150x{kind}>\n%i = arith.constant 9 : index\n"
    source += f"%r = tensor.extract %k[%i] : tensor<150x{kind}>"
    head = f"() -> {kind}"
    for place, verdict in ((9, "equivalent"), (10, "not-equivalent")):
        target = f"%r = arith.constant {values[place]} : {kind}"
        assert _verdict(head, source, target, f"%r : {kind}").verdict == verdict


def test_elements_that_an_output_keeps_are_not_poison() -> None:
    """The payload does not read the output, and does not write all of it."""
    generic = (
        "%r = linalg.generic {indexing_maps = [affine_map<(i) -> (0, i)>], iterator_types = ['parallel']} "
        "outs(%t : tensor<2x4xf32>) {\n^bb0(%o: f32):\nlinalg.yield %x : f32 } -> tensor<2x4xf32>"
    ).replace("'", '"')
    head, returned = "(%t: tensor<2x4xf32>, %x: f32) -> tensor<2x4xf32>", "%r : tensor<2x4xf32>"
    report = _verdict(head, generic, "%r = tensor.splat %x : tensor<2x4xf32>", returned)
    assert report.verdict in NOT_PROVED
    rows = (
        "%s = tensor.splat %x : tensor<4xf32>\n"
        "%r = tensor.insert_slice %s into %t[0, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<2x4xf32>"
    )
    assert _verdict(head, generic, rows, returned).verdict == "equivalent"


def test_an_output_that_no_iteration_writes_stays() -> None:
    generic = (
        "%r = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i)>], "
        "iterator_types = ['parallel', 'reduction']} ins(%q : tensor<4x?xf32>) outs(%t : tensor<4xf32>) {\n"
        "^bb0(%p: f32, %o: f32):\nlinalg.yield %x : f32 } -> tensor<4xf32>"
    ).replace("'", '"')
    head = "(%t: tensor<4xf32>, %q: tensor<4x?xf32>, %x: f32) -> tensor<4xf32>"
    report = _verdict(head, generic, "%r = tensor.splat %x : tensor<4xf32>", "%r : tensor<4xf32>")
    assert report.verdict in NOT_PROVED


SCATTER = """
  %m = vector.constant_mask [2] : vector<2xi1>
  %k = vector.from_elements %i, %j : vector<2xindex>
  vector.scatter %A[%c0] [%k], %m, %v : memref<8xf32>, vector<2xindex>, vector<2xi1>, vector<2xf32>
"""
STORES = """
  %x:2 = vector.to_elements %v : vector<2xf32>
  memref.store %x#0, %A[%i] : memref<8xf32>
  memref.store %x#1, %A[%j] : memref<8xf32>
"""


def test_a_scatter_to_one_element_twice_is_undefined() -> None:
    """LangRef: two equal indices are undefined behaviour."""
    head = "(%A: memref<8xf32>, %v: vector<2xf32>, %i: index, %j: index)"
    assert _verdict(head, STORES, SCATTER).verdict == "not-equivalent"
    assert _verdict(head, SCATTER, STORES).verdict in ("refines", "unknown")
    assert _verdict(head, SCATTER, SCATTER + "%u = arith.addi %i, %j : index").verdict == "equivalent"


def test_a_count_of_lanes_may_overflow() -> None:
    """`i < n + 1` is not `i - 1 < n`, and a count is no subscript."""
    source = (
        "%v = vector.broadcast %x : f32 to vector<4xf32>\n%n1 = arith.addi %n, %c1 : index\n"
        "%m = vector.create_mask %n1 : vector<4xi1>\n"
        "vector.maskedstore %A[%c0], %m, %v : memref<4xf32>, vector<4xi1>, vector<4xf32>"
    )
    target = (
        "affine.for %i = 0 to 4 {\n%k = arith.subi %i, %c1 : index\n%b = arith.cmpi slt, %k, %n : index\n"
        "scf.if %b { memref.store %x, %A[%i] : memref<4xf32> } }"
    )
    report = _verdict("(%A: memref<4xf32>, %x: f32, %n: index)", source, target)
    assert report.verdict not in ("equivalent", "refines")


LOAD = "%v = vector.load %A[%c0] : memref<8xf32>, vector<4xf32>\n"
REFUSED = {
    "alignment": (
        "(%A: memref<8xf32>)",
        LOAD,
        LOAD.replace("%A[%c0]", "%A[%c0] {alignment = 64}"),
        "",
    ),
    "a mask in a mask": (
        "(%A: memref<8xf32>, %m: vector<4xi1>, %n: vector<4xi1>, %x: f32) -> vector<4xf32>",
        "%v = vector.mask %m { vector.transfer_read %A[%c0], %x, %n : memref<8xf32>, vector<4xf32> } "
        ": vector<4xi1> -> vector<4xf32>",
        "%v = vector.transfer_read %A[%c0], %x, %n : memref<8xf32>, vector<4xf32>",
        "%v : vector<4xf32>",
    ),
    "a padding of negative size": (
        "(%t: tensor<8xf32>, %x: f32) -> tensor<7xf32>",
        "%r = tensor.pad %t low[-1] high[0] { ^bb0(%i: index): tensor.yield %x : f32 } : "
        "tensor<8xf32> to tensor<7xf32>",
        "%r = tensor.splat %x : tensor<7xf32>",
        "%r : tensor<7xf32>",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_left_open_is_not_proved(name: str) -> None:
    head, source, target, returned = REFUSED[name]
    assert _verdict(head, source, target, returned).verdict == "unknown"


def test_a_vector_given_to_an_unknown_function_is_no_error() -> None:
    call = LOAD + "%w = func.call @e(%v) : (vector<4xf32>) -> vector<4xf32>"
    texts = [
        "func.func private @e(vector<4xf32>) -> vector<4xf32>\n"
        f"func.func @f(%A: memref<8xf32>) {{{CONSTANTS}{body}\nreturn\n}}"
        for body in (call, LOAD.replace("%v", "%u") + call)
    ]
    report = check(texts[0], texts[1], ("s.mlir", "t.mlir"), Options())
    assert report.verdict in ("equivalent", "refines", "unknown")


READ = "%v = vector.transfer_read %A[%i], %x : memref<8xf32>, vector<4xf32>\n"
LANES = """
  affine.for %k = 0 to 4 {
    %j = arith.addi %i, %k : index
    %in = arith.cmpi slt, %j, %c8 : index
    %e = scf.if %in -> f32 {
      %l = memref.load %A[%j] : memref<8xf32>
      scf.yield %l : f32
    } else {
      scf.yield %x : f32
    }
    memref.store %e, %B[%k] : memref<4xf32>
  }
"""


def test_a_transfer_below_index_zero_is_undefined() -> None:
    """Padding is beyond the end only."""
    head = "(%A: memref<8xf32>, %B: memref<4xf32>, %i: index, %x: f32)"
    source = READ + "vector.store %v, %B[%c0] : memref<4xf32>, vector<4xf32>"
    target = "%c8 = arith.constant 8 : index\n" + LANES
    assert _verdict(head, source, target).verdict == "equivalent"
    within = "%up = arith.cmpi sge, %j, %c0 : index\n%down = arith.cmpi slt, %j, %c8 : index\n"
    within += "%in = arith.andi %up, %down : i1"
    padded = target.replace("%in = arith.cmpi slt, %j, %c8 : index", within)
    assert _verdict(head, source, padded).verdict == "refines"
    assert _verdict(head, padded, source).verdict == "not-equivalent"


def test_a_position_beyond_a_vector_is_poison() -> None:
    head = "(%A: memref<4xf32>, %i: index) -> f32"
    load = "%v = vector.load %A[%c0] : memref<4xf32>, vector<4xf32>\n"
    extract = load + "%r = vector.extract %v[%i] : f32 from vector<4xf32>"
    element = "%r = memref.load %A[%i] : memref<4xf32>"
    assert _verdict(head, extract, element, "%r : f32").verdict == "not-equivalent"
    assert _verdict(head, element, extract, "%r : f32").verdict == "refines"
    clamped = "%c3 = arith.constant 3 : index\n%p = arith.maxsi %i, %c0 : index\n"
    clamped += "%m = arith.minsi %p, %c3 : index\n"
    both = [clamped + text.replace("[%i]", "[%m]") for text in (extract, element)]
    assert _verdict(head, both[0], both[1], "%r : f32").verdict == "equivalent"


FORALL = """
  %r = scf.forall (%i) in (4) shared_outs(%o = %t) -> (tensor<4xf32>) {
    %s = tensor.extract_slice %t[%i] [1] [1] : tensor<4xf32> to tensor<1xf32>
    %u = arith.addf %s, %s : tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %u into %o[%i] [1] [1] : tensor<1xf32> into tensor<4xf32>
    }
  }
"""


SHIFTED = """linalg.generic {
  indexing_maps = [affine_map<(d0) -> (d0 + 4)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]
} ins(SOURCE) outs(%o : tensor<4xf32>) {
^bb0(%a: f32, %b: f32):
  linalg.yield %a : f32
} -> tensor<4xf32>"""


def test_a_structured_op_reads_nothing_beyond_a_slice() -> None:
    """A map that is a sum says nothing of the extent, and the tensor that a slice is of goes on behind it."""
    head, returned = "(%t: tensor<12xf32>, %o: tensor<4xf32>, %n: index) -> tensor<4xf32>", "%r : tensor<4xf32>"
    part = "%s = tensor.extract_slice %t[0] [SIZE] [1] : tensor<12xf32> to tensor<?xf32>\n"
    part += f"%r = {SHIFTED.replace('SOURCE', '%s : tensor<?xf32>')}"
    whole = f"%r = {SHIFTED.replace('SOURCE', '%t : tensor<12xf32>')}"
    for size, verdicts in ((8, ("equivalent",)), (7, ("not-equivalent",))):
        sliced = f"%k = arith.constant {size} : index\n{part.replace('SIZE', '%k')}"
        assert _verdict(head, whole, sliced, returned).verdict in verdicts
    assert _verdict(head, whole, part.replace("SIZE", "%n"), returned).verdict == "not-equivalent"
    filled = "%x = arith.constant 1.0 : f32\n"
    splat = f"{filled}%s = tensor.splat %x[%n] : tensor<?xf32>\n%r = {SHIFTED.replace('SOURCE', '%s : tensor<?xf32>')}"
    fill = f"{filled}%r = linalg.fill ins(%x : f32) outs(%o : tensor<4xf32>) -> tensor<4xf32>"
    assert _verdict(head, fill, splat, returned).verdict == "not-equivalent"


def test_iterations_of_a_forall_share_its_outputs() -> None:
    """One that reads what another writes races; of two that write one element either may come last."""
    head, returned = "(%t: tensor<4xf32>) -> tensor<4xf32>", "%r : tensor<4xf32>"
    plain = "%r = arith.addf %t, %t : tensor<4xf32>"
    assert _verdict(head, plain, FORALL, returned).verdict == "equivalent"
    own = FORALL.replace("extract_slice %t[%i]", "extract_slice %o[%i]")
    assert _verdict(head, plain, own, returned).verdict == "equivalent"
    for wrong, kind in (
        (FORALL.replace("extract_slice %t[%i]", "extract_slice %o[0]"), "race"),
        (FORALL.replace("into %o[%i]", "into %o[0]"), "value"),
    ):
        report = _verdict(head, plain, wrong, returned).functions[0]
        assert report.counterexample is not None and report.counterexample.kind == kind


INSERT = "%p = arith.constant WHICH : index\n%r = tensor.insert %p into %t[%c0] : tensor<4xindex>"
OVERWRITTEN = """%r = scf.forall (%i) in (4) shared_outs(%o = %t) -> (tensor<4xindex>) {
  %u = tensor.from_elements WHAT : tensor<1xindex>
  scf.forall.in_parallel {
    tensor.parallel_insert_slice %u into %o[0] [1] [1] : tensor<1xindex> into tensor<4xindex>
  }
}"""


@pytest.mark.parametrize(("iteration", "verdict"), [(3, "refines"), (4, "unknown")])
def test_what_iterations_of_a_forall_overwrite_is_one_of_their_values(iteration: int, verdict: str) -> None:
    """LangRef: "these writes will execute in some unspecified order". So it is not undefined that they do."""
    head, returned = "(%t: tensor<4xindex>) -> tensor<4xindex>", "%r : tensor<4xindex>"
    source, target = OVERWRITTEN.replace("WHAT", "%i"), INSERT.replace("WHICH", str(iteration))
    assert _verdict(head, source, target, returned).verdict == verdict
    assert _verdict(head, target, source, returned).verdict == ("unknown" if iteration == 3 else "not-equivalent")
    assert _verdict(head, target, OVERWRITTEN.replace("WHAT", "%c1"), returned).verdict == "not-equivalent"


@pytest.mark.parametrize(("where", "verdict"), [("0", "unknown"), ("%i", "equivalent")])
def test_iterations_that_write_a_memref_do_not_overwrite(where: str, verdict: str) -> None:
    """What is left open of a shared tensor is undefined of a memref, so the loops are not one."""
    source = OVERWRITTEN.replace("WHAT", "%i").replace("%o[0]", f"%o[{where}]")
    target = f"scf.forall (%i) in (4) {{ memref.store %i, %t[{where.replace('0', '%c0')}] : memref<4xindex> }}"
    texts = (
        f"func.func @f(%t: tensor<4xindex>) -> tensor<4xindex> {{{CONSTANTS}{source}\nreturn %r : tensor<4xindex>\n}}",
        f"func.func @f(%t: memref<4xindex>) -> memref<4xindex> {{{CONSTANTS}{target}\nreturn %t : memref<4xindex>\n}}",
    )
    assert check(*texts, ("s.mlir", "t.mlir"), Options()).verdict == verdict


def test_a_buffer_of_a_tensor_is_not_written() -> None:
    head, returned = "(%t: tensor<4xf32>, %x: f32) -> tensor<4xf32>", "%t : tensor<4xf32>"
    buffer = "%m = bufferization.to_buffer %t : tensor<4xf32> to memref<4xf32>\n"
    read = buffer + "%l = memref.load %m[%c1] : memref<4xf32>"
    assert _verdict(head, "", read, returned).verdict == "equivalent"
    written = buffer + "memref.store %x, %m[%c1] : memref<4xf32>"
    assert _verdict(head, "", written, returned).verdict == "unknown"


def test_a_tensor_of_open_shape_is_yielded_and_carried() -> None:
    head, returned = "(%t: tensor<?xf32>, %n: index, %c: i1, %x: f32) -> tensor<?xf32>", "%r : tensor<?xf32>"
    both = (
        "%r = scf.if %c -> (tensor<?xf32>) {\n%a = arith.addf %t, %t : tensor<?xf32>\nscf.yield %a : tensor<?xf32>\n"
        "} else {\nscf.yield %t : tensor<?xf32> }"
    )
    chosen = "%a = arith.addf %t, %t : tensor<?xf32>\n%r = arith.select %c, %a, %t : tensor<?xf32>"
    assert _verdict(head, both, chosen, returned).verdict == "equivalent"
    loop = (
        "%r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %t) -> (tensor<?xf32>) {\n"
        "%b = tensor.insert %x into %a[%i] : tensor<?xf32>\nscf.yield %b : tensor<?xf32> }"
    )
    assert _verdict(head, loop, loop.replace("%i]", "%c0]"), returned).verdict == "not-equivalent"
    other = loop.replace("tensor.insert %x into %a[%i] : tensor<?xf32>", "tensor.empty(%i) : tensor<?xf32>")
    assert _verdict(head, other, loop, returned).verdict == "unknown"


NEGATIVE = {
    "splat": ("%x: f32, %n: index", "", "%t = tensor.splat %x[%n] : tensor<?xf32>"),
    "expansion": (
        "%t: tensor<?xf32>, %n: index, %m: index",
        "%k = arith.muli %n, %m : index\n%d = tensor.dim %t, %c0 : tensor<?xf32>\n"
        '%c = arith.cmpi eq, %k, %d : index\ncf.assert %c, "as large"',
        "%u = tensor.expand_shape %t [[0, 1]] output_shape [%n, %m] : tensor<?xf32> into tensor<?x?xf32>",
    ),
    "padding": (
        "%t: tensor<?xf32>, %x: f32",
        "",
        "%r = tensor.pad %t low[0] high[%c1] {\n^bb0(%i: index):\ntensor.yield %x : f32\n"
        "} : tensor<?xf32> to tensor<8xf32>",
    ),
    "concatenation": (
        "%t: tensor<?xf32>, %u: tensor<4xf32>",
        "",
        "%r = tensor.concat dim(0) %t, %u : (tensor<?xf32>, tensor<4xf32>) -> tensor<8xf32>",
    ),
    "materialization": (
        "%t: tensor<?xf32>, %u: tensor<?xf32>",
        "",
        "%r = bufferization.materialize_in_destination %t in %u : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>",
    ),
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("kind", NEGATIVE)
def test_an_impossible_shape_is_undefined(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A negative extent, or another one than a type or a destination has, also where nothing looks at the elements."""
    monkeypatch.setenv("HECV_CROSSCHECK", "1")
    arguments, before, op = NEGATIVE[kind]
    assert _verdict(f"({arguments})", before, f"{before}\n{op}").verdict == "not-equivalent"
    # Products of two extents are not always compared.
    assert _verdict(f"({arguments})", f"{before}\n{op}", before).verdict in ("refines", "unknown")


def test_a_reduction_of_one_lane_keeps_its_flags(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HECV_CROSSCHECK", "1")
    lane = "%r = vector.extract %v[0] : f32 from vector<1xf32>"
    head, returned = "(%v: vector<1xf32>) -> f32", "%r : f32"
    for flag in ("nnan", "ninf"):
        reduced = f"%r = vector.reduction <add>, %v fastmath<{flag}> : vector<1xf32> into f32"
        assert _verdict(head, lane, reduced, returned).verdict == "not-equivalent"
        assert _verdict(head, reduced, lane, returned).verdict == "refines"
    plain = "%r = vector.reduction <add>, %v : vector<1xf32> into f32"
    assert _verdict(head, lane, plain, returned).verdict == "equivalent"


SPLAT = "%t = tensor.splat %x : tensor<4xf32>\n"
END = "bufferization.dealloc_tensor %t : tensor<4xf32>\n"
FIRST = "%r = tensor.extract %t[%c0] : tensor<4xf32>\n"
OF_A_CAST = "%u = tensor.cast %t : tensor<4xf32> to tensor<?xf32>\n{}%r = tensor.extract %u[%c0] : tensor<?xf32>\n"
IN_A_LOOP = "%r = scf.for %i = %c0 to %c1 step %c1 iter_args(%a = %x) -> f32 {{\n{}scf.yield %a : f32\n}}\n"


@pytest.mark.parametrize(
    ("target", "verdict"),
    [
        (SPLAT + FIRST + END, "equivalent"),
        (SPLAT + END + FIRST, "unknown"),
        (SPLAT + END + END + FIRST, "unknown"),
        (SPLAT + OF_A_CAST.format(""), "equivalent"),
        (SPLAT + OF_A_CAST.format(END), "unknown"),
        (SPLAT + IN_A_LOOP.format(END), "unknown"),
    ],
)
def test_a_tensor_is_not_used_after_its_deallocation(target: str, verdict: str) -> None:
    assert _verdict("(%x: f32) -> f32", SPLAT + FIRST, target, "%r : f32").verdict == verdict


@pytest.mark.parametrize(("endianness", "expected"), [("little", "equivalent"), ("big", "unknown")])
def test_which_bits_come_first_is_of_the_data_layout(endianness: str, expected: str) -> None:
    """LLVM's bitcast is a store and a load (LLVM LangRef, bitcast)."""
    head = f'module attributes {{dlti.dl_spec = #dlti.dl_spec<"dlti.endianness" = "{endianness}">}} {{\n'
    head += "func.func @f(%a: i8, %b: i8) -> i16 {\n"
    cast = """%v = vector.from_elements %a, %b : vector<2xi8>
%w = vector.bitcast %v : vector<2xi8> to vector<1xi16>
%r = vector.extract %w[0] : i16 from vector<1xi16>"""
    joined = """%x = arith.extui %a : i8 to i16
%y = arith.extui %b : i8 to i16
%c = arith.constant 8 : i16
%z = arith.shli %y, %c : i16
%r = arith.ori %x, %z : i16"""
    source, target = (f"{head}{body}\nreturn %r : i16\n}}\n}}" for body in (cast, joined))
    assert check(source, target, ("s.mlir", "t.mlir"), Options()).verdict == expected
