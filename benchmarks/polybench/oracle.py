"""The table of kernels, and a check that the .mlir files here compute what `definitions.py` says.

`python benchmarks/polybench/oracle.py` compiles every file with MLIR's JIT, runs the constant form
at its sizes and the form with size arguments at two small ones, and compares all arrays with
`reference`.
"""

import ctypes
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import definitions as defined
import numpy as np
from definitions import Array, Arrays
from torch_mlir import execution_engine, ir, passmanager, runtime  # pyright: ignore[reportMissingTypeStubs]

# The bindings are typed in small part.
IR: Any = ir
PASSES: Any = passmanager
ENGINE: Any = execution_engine
RUNTIME: Any = runtime

FOLDER = Path(__file__).parent
TOLERANCE = 1e-12
SEED = 1
# Consecutive sizes from 1 give empty triangles and stencils without an inner element.
SMALL_SIZES_FROM = (1, 4)
LOWERING = (
    "builtin.module(lower-affine,convert-scf-to-cf,finalize-memref-to-llvm,convert-math-to-llvm,"
    "convert-arith-to-llvm,convert-cf-to-llvm,convert-func-to-llvm,reconcile-unrealized-casts)"
)

Sizes = Mapping[str, int]
Inputs = Mapping[str, int | float | Array]


def add_input_extents(sizes: Sizes) -> Sizes:
    """The sizes with the height and width of cnn_forward's input: U*(P-1)+R, where U is 2."""
    height = 2 * (sizes["np"] - 1) + sizes["nr"]
    width = 2 * (sizes["nq"] - 1) + sizes["ns"]
    return {**sizes, "nh": height, "nw": width}


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel: its arguments in order (sizes, scalars, arrays), and its definition.

    `sizes` holds the values of the constant form; an array's dimensions are names of sizes. `integers`
    are the arrays of i32, each with the number of values from 0 that random inputs have.
    """

    name: str
    define: Callable[..., Arrays]
    sizes: Sizes
    scalars: tuple[str, ...]
    dims: Mapping[str, str]
    extents: Callable[[Sizes], Sizes] = dict
    integers: Mapping[str, int] = field(default_factory=dict[str, int])

    @property
    def function(self) -> str:
        """The name of the function: that of the kernel, which may begin with a digit."""
        return f"kernel_{self.name}" if self.name[0].isdigit() else self.name

    def shapes(self, sizes: Sizes) -> dict[str, tuple[int, ...]]:
        """The shape of every array at these sizes."""
        extents = self.extents(sizes)
        return {name: tuple(extents[d] for d in dims.split()) for name, dims in self.dims.items()}


KERNELS = (
    Kernel(
        "gemm",
        defined.gemm,
        {"ni": 19, "nj": 29, "nk": 23},
        ("alpha", "beta"),
        {"C": "ni nj", "A": "ni nk", "B": "nk nj"},
    ),
    Kernel("lu", defined.lu, {"n": 43}, (), {"A": "n n"}),
    Kernel(
        "2mm",
        defined.two_products,
        {"ni": 17, "nj": 25, "nk": 27, "nl": 31},
        ("alpha", "beta"),
        {"A": "ni nk", "B": "nk nj", "C": "nj nl", "D": "ni nl"},
    ),
    Kernel("atax", defined.atax, {"m": 33, "n": 45}, (), {"A": "m n", "x": "n", "y": "n", "tmp": "m"}),
    Kernel("bicg", defined.bicg, {"m": 43, "n": 35}, (), {"A": "n m", "s": "m", "q": "n", "p": "m", "r": "n"}),
    Kernel(
        "gesummv",
        defined.gesummv,
        {"n": 59},
        ("alpha", "beta"),
        {"A": "n n", "B": "n n", "tmp": "n", "x": "n", "y": "n"},
    ),
    Kernel("mvt", defined.mvt, {"n": 57}, (), {"x1": "n", "x2": "n", "y_1": "n", "y_2": "n", "A": "n n"}),
    Kernel("trisolv", defined.trisolv, {"n": 63}, (), {"L": "n n", "x": "n", "b": "n"}),
    Kernel("trmm", defined.trmm, {"m": 31, "n": 37}, ("alpha",), {"A": "m m", "B": "m n"}),
    Kernel(
        "cnn_forward",
        defined.cnn_forward,
        {"nn": 5, "nk": 3, "np": 17, "nq": 19, "nc": 3, "nr": 3, "ns": 5},
        (),
        {"out_F": "nn nk np nq", "W": "nk nc nr ns", "inp_F": "nn nc nh nw"},
        add_input_extents,
    ),
    Kernel("jacobi_1d", defined.jacobi_1d, {"tsteps": 19, "n": 61}, (), {"A": "n", "B": "n"}),
    Kernel("seidel_2d", defined.seidel_2d, {"tsteps": 17, "n": 27}, (), {"A": "n n"}),
    Kernel(
        "correlation",
        defined.correlation,
        {"m": 23, "n": 29},
        ("float_n",),
        {"data": "n m", "corr": "m m", "mean": "m", "stddev": "m"},
    ),
    Kernel(
        "covariance", defined.covariance, {"m": 23, "n": 31}, ("float_n",), {"data": "n m", "cov": "m m", "mean": "m"}
    ),
    Kernel(
        "gemver",
        defined.gemver,
        {"n": 41},
        ("alpha", "beta"),
        {"A": "n n", "u1": "n", "v1": "n", "u2": "n", "v2": "n", "w": "n", "x": "n", "y": "n", "z": "n"},
    ),
    Kernel("symm", defined.symm, {"m": 23, "n": 29}, ("alpha", "beta"), {"C": "m n", "A": "m m", "B": "m n"}),
    Kernel("syr2k", defined.syr2k, {"n": 29, "m": 19}, ("alpha", "beta"), {"C": "n n", "A": "n m", "B": "n m"}),
    Kernel("syrk", defined.syrk, {"n": 31, "m": 19}, ("alpha", "beta"), {"C": "n n", "A": "n m"}),
    Kernel(
        "3mm",
        defined.three_products,
        {"ni": 17, "nj": 19, "nk": 23, "nl": 21, "nm": 25},
        (),
        {"E": "ni nj", "A": "ni nk", "B": "nk nj", "F": "nj nl", "C": "nj nm", "D": "nm nl", "G": "ni nl"},
    ),
    Kernel(
        "doitgen", defined.doitgen, {"nq": 13, "nr": 15, "np": 19}, (), {"A": "nr nq np", "C4": "np np", "sums": "np"}
    ),
    Kernel("cholesky", defined.cholesky, {"n": 37}, (), {"A": "n n"}),
    Kernel("durbin", defined.durbin, {"n": 47}, (), {"r": "n", "y": "n"}),
    Kernel("gramschmidt", defined.gramschmidt, {"n": 23, "m": 29}, (), {"A": "m n", "R": "n n", "Q": "m n"}),
    Kernel("ludcmp", defined.ludcmp, {"n": 37}, (), {"A": "n n", "b": "n", "x": "n", "y": "n"}),
    Kernel(
        "deriche",
        defined.deriche,
        {"w": 33, "h": 27},
        ("alpha",),
        {"imgIn": "w h", "imgOut": "w h", "y1": "w h", "y2": "w h"},
    ),
    Kernel("floyd_warshall", defined.floyd_warshall, {"n": 31}, (), {"path": "n n"}, integers={"path": 1000}),
    Kernel("nussinov", defined.nussinov, {"n": 37}, (), {"seq": "n", "table": "n n"}, integers={"seq": 4, "table": 3}),
    Kernel("adi", defined.adi, {"tsteps": 7, "n": 23}, (), {"u": "n n", "v": "n n", "p": "n n", "q": "n n"}),
    Kernel(
        "fdtd_2d",
        defined.fdtd_2d,
        {"tmax": 13, "nx": 21, "ny": 27},
        (),
        {"ex": "nx ny", "ey": "nx ny", "hz": "nx ny", "fict": "tmax"},
    ),
    Kernel("heat_3d", defined.heat_3d, {"tsteps": 11, "n": 15}, (), {"A": "n n n", "B": "n n n"}),
    Kernel("jacobi_2d", defined.jacobi_2d, {"tsteps": 13, "n": 27}, (), {"A": "n n", "B": "n n"}),
)


def reference(name: str, inputs: Inputs) -> Arrays:
    """All arrays of the kernel after it ran on `inputs`: its sizes, scalars and arrays by name.

    Ensures: the arrays of `inputs` stay as they were.
    Raises:  KeyError for a name that is no kernel.
    """
    kernel = {kernel.name: kernel for kernel in KERNELS}[name]
    before = {array: np.asarray(inputs[array], dtype=np.float64) for array in kernel.dims}
    return {**before, **kernel.define(**inputs)}


def draw(kernel: Kernel, sizes: Sizes, seed: int = SEED) -> Inputs:
    """Random inputs at these sizes, on which results are well conditioned.

    All floats lie in [0.5, 1.5), except that n is added to the diagonal of a square matrix, because
    lu and trisolv divide by it.
    """
    generator = np.random.default_rng(seed)
    scalars = {name: generator.uniform(0.5, 1.5) for name in kernel.scalars}
    arrays: Arrays = {}
    for name, shape in kernel.shapes(sizes).items():
        if name in kernel.integers:
            arrays[name] = generator.integers(kernel.integers[name], size=shape).astype(np.float64)
            continue
        square = len(shape) == 2 and shape[0] == shape[1]
        diagonal = shape[0] * np.eye(shape[0]) if square else 0.0
        arrays[name] = generator.uniform(0.5, 1.5, shape) + diagonal
    return {**sizes, **scalars, **arrays}


@dataclass(frozen=True, slots=True)
class Program:
    """A compiled .mlir file; the context must outlive the engine."""

    context: Any
    engine: Any
    types: tuple[str, ...]


def compile_file(path: Path, function: str) -> Program:
    """The function of the file as machine code, with its argument types as text."""
    context = IR.Context()
    with context:
        module = IR.Module.parse(path.read_text())
        operation = IR.SymbolTable(module.operation)[function].operation
        signature = IR.TypeAttr(operation.attributes["function_type"]).value
        types = tuple(str(argument) for argument in signature.inputs)
        operation.attributes["llvm.emit_c_interface"] = IR.UnitAttr.get()
        PASSES.PassManager.parse(LOWERING).run(module.operation)
        engine = ENGINE.ExecutionEngine(module)
        return Program(context, engine, types)


def expected_types(kernel: Kernel, dynamic: bool) -> tuple[str, ...]:
    """The argument types that the kernel's file must have."""
    sizes = ("index",) * len(kernel.sizes) if dynamic else ()
    shapes = kernel.shapes(kernel.sizes).values()
    extents = ("x".join("?" if dynamic else str(extent) for extent in shape) for shape in shapes)
    elements = ("i32" if name in kernel.integers else "f64" for name in kernel.dims)
    arrays = (f"memref<{e}x{t}>" for e, t in zip(extents, elements, strict=True))
    return sizes + ("f64",) * len(kernel.scalars) + tuple(arrays)


def execute(kernel: Kernel, program: Program, inputs: Inputs, dynamic: bool) -> Arrays:
    """All arrays after the compiled function ran on a copy of `inputs`."""
    dtypes = {name: np.int32 if name in kernel.integers else np.float64 for name in kernel.dims}
    arrays = {name: np.array(inputs[name], dtype=dtypes[name]) for name in kernel.dims}
    sizes = [ctypes.c_int64(int(inputs[name])) for name in kernel.sizes] if dynamic else []
    scalars = [ctypes.c_double(float(inputs[name])) for name in kernel.scalars]
    describe = RUNTIME.get_ranked_memref_descriptor
    # The C interface takes a memref as a pointer to its descriptor.
    descriptors = [ctypes.pointer(describe(array)) for array in arrays.values()]
    arguments = [ctypes.pointer(argument) for argument in (*sizes, *scalars, *descriptors)]
    program.engine.invoke(kernel.function, *arguments)
    return {name: array.astype(np.float64) for name, array in arrays.items()}


def relative_error(got: Arrays, want: Arrays) -> float:
    """The largest difference of two elements, relative to what is above 1; NaN when any element is NaN."""
    errors = [np.max(np.abs(got[name] - want[name]) / np.maximum(np.abs(want[name]), 1)) for name in want]
    # Python's max loses a NaN that is not first: max(0.0, nan) is 0.0.
    return float(np.max(errors))


def check(kernel: Kernel, dynamic: bool) -> Iterator[tuple[Sizes, float]]:
    """The relative error of one .mlir file at each of the sizes it is run at.

    Raises: ValueError when the file's argument types are not those of the table.
    """
    path = FOLDER / f"{kernel.name}{'_dyn' if dynamic else ''}.mlir"
    program = compile_file(path, kernel.function)
    if program.types != expected_types(kernel, dynamic):
        message = f"arguments are {program.types}, expected {expected_types(kernel, dynamic)}"
        raise ValueError(f"{path.name}: {message}")
    small = [{name: first + i for i, name in enumerate(kernel.sizes)} for first in SMALL_SIZES_FROM]
    for sizes in small if dynamic else [kernel.sizes]:
        inputs = draw(kernel, sizes)
        got = execute(kernel, program, inputs, dynamic)
        yield sizes, relative_error(got, reference(kernel.name, inputs))


def main() -> int:
    """Print one line a run; 1 when a file disagrees with its definition."""
    wrong = 0
    for kernel in KERNELS:
        for dynamic in (False, True):
            for sizes, error in check(kernel, dynamic):
                agrees = error <= TOLERANCE
                wrong += not agrees
                at = " ".join(f"{name}={value}" for name, value in sizes.items())
                form = "dynamic" if dynamic else "constant"
                print(f"{'ok   ' if agrees else 'WRONG'} {kernel.name:12} {form:9} {error:8.1e}  {at}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
