"""Definitions of the twelve kernels in NumPy, and a check that the .mlir files here compute them.

`python benchmarks/polybench/oracle.py` compiles every file with MLIR's JIT, runs the constant form
at its sizes and the form with size arguments at two small ones, and compares all arrays with
`reference`.
"""

import ctypes
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
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
    "builtin.module(lower-affine,convert-scf-to-cf,finalize-memref-to-llvm,convert-arith-to-llvm,"
    "convert-cf-to-llvm,convert-func-to-llvm,reconcile-unrealized-casts)"
)

Array = NDArray[np.float64]
Arrays = dict[str, Array]
Sizes = Mapping[str, int]
Inputs = Mapping[str, int | float | Array]


def gemm(alpha: float, beta: float, C: Array, A: Array, B: Array, **_: int) -> Arrays:
    """C = alpha A B + beta C."""
    return {"C": alpha * (A @ B) + beta * C}


def lu(A: Array, **_: int) -> Arrays:
    """A = L + U - I with L U = A, in the right-looking order (the .mlir goes row by row)."""
    lu = A.copy()
    for k in range(len(lu)):
        lu[k + 1 :, k] /= lu[k, k]
        lu[k + 1 :, k + 1 :] -= np.outer(lu[k + 1 :, k], lu[k, k + 1 :])
    return {"A": lu}


def two_products(alpha: float, beta: float, A: Array, B: Array, C: Array, D: Array, **_: int) -> Arrays:
    """D = alpha A B C + beta D."""
    return {"D": alpha * (A @ B) @ C + beta * D}


def atax(A: Array, x: Array, y: Array, tmp: Array, **_: int) -> Arrays:
    """tmp = A x, y = A^T tmp."""
    return {"tmp": A @ x, "y": A.T @ (A @ x)}


def bicg(A: Array, s: Array, q: Array, p: Array, r: Array, **_: int) -> Arrays:
    """s = A^T r, q = A p."""
    return {"s": A.T @ r, "q": A @ p}


def gesummv(alpha: float, beta: float, A: Array, B: Array, tmp: Array, x: Array, y: Array, **_: int) -> Arrays:
    """tmp = A x, y = alpha A x + beta B x."""
    return {"tmp": A @ x, "y": alpha * (A @ x) + beta * (B @ x)}


def mvt(x1: Array, x2: Array, y_1: Array, y_2: Array, A: Array, **_: int) -> Arrays:
    """x1 = x1 + A y_1, x2 = x2 + A^T y_2."""
    return {"x1": x1 + A @ y_1, "x2": x2 + A.T @ y_2}


def trisolv(L: Array, x: Array, b: Array, **_: int) -> Arrays:
    """The x of L x = b, from the lower triangle of L."""
    return {"x": np.asarray(np.linalg.solve(np.tril(L), b), dtype=np.float64)}


def trmm(alpha: float, A: Array, B: Array, **_: int) -> Arrays:
    """B = alpha A^T B, where A is the strict lower triangle with a unit diagonal."""
    lower = np.tril(A, -1) + np.eye(len(A))
    return {"B": alpha * (lower.T @ B)}


def cnn_forward(out_F: Array, W: Array, inp_F: Array, **_: int) -> Arrays:
    """out_F plus the convolution of inp_F by W, with stride 2."""
    filters = W[:, :, ::-1, ::-1]
    windows = np.lib.stride_tricks.sliding_window_view(inp_F, W.shape[2:], axis=(2, 3))
    strided = windows[:, :, ::2, ::2]
    products: Array = np.einsum("ncpqrs,kcrs->nkpq", strided, filters)
    return {"out_F": out_F + products}


def jacobi_1d(tsteps: int, A: Array, B: Array, **_: int) -> Arrays:
    """`tsteps` double steps of the three-point mean, whose third is 0.33333."""
    a, b = A.copy(), B.copy()
    for _step in range(tsteps):
        b[1:-1] = 0.33333 * (a[:-2] + a[1:-1] + a[2:])
        a[1:-1] = 0.33333 * (b[:-2] + b[1:-1] + b[2:])
    return {"A": a, "B": b}


def seidel_2d(tsteps: int, n: int, A: Array, **_: int) -> Arrays:
    """`tsteps` sweeps of the nine-point mean, each element from those already replaced."""
    a = A.copy()
    for _step in range(tsteps):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                a[i, j] = a[i - 1 : i + 2, j - 1 : j + 2].sum() / 9.0
    return {"A": a}


def add_input_extents(sizes: Sizes) -> Sizes:
    """The sizes with the height and width of cnn_forward's input: U*(P-1)+R, where U is 2."""
    height = 2 * (sizes["np"] - 1) + sizes["nr"]
    width = 2 * (sizes["nq"] - 1) + sizes["ns"]
    return {**sizes, "nh": height, "nw": width}


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel: its arguments in order (sizes, scalars, arrays), and its definition.

    `sizes` holds the values of the constant form; an array's dimensions are names of sizes.
    """

    name: str
    define: Callable[..., Arrays]
    sizes: Sizes
    scalars: tuple[str, ...]
    dims: Mapping[str, str]
    extents: Callable[[Sizes], Sizes] = dict

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
        gemm,
        {"ni": 19, "nj": 29, "nk": 23},
        ("alpha", "beta"),
        {"C": "ni nj", "A": "ni nk", "B": "nk nj"},
    ),
    Kernel("lu", lu, {"n": 43}, (), {"A": "n n"}),
    Kernel(
        "2mm",
        two_products,
        {"ni": 17, "nj": 25, "nk": 27, "nl": 31},
        ("alpha", "beta"),
        {"A": "ni nk", "B": "nk nj", "C": "nj nl", "D": "ni nl"},
    ),
    Kernel("atax", atax, {"m": 33, "n": 45}, (), {"A": "m n", "x": "n", "y": "n", "tmp": "m"}),
    Kernel("bicg", bicg, {"m": 43, "n": 35}, (), {"A": "n m", "s": "m", "q": "n", "p": "m", "r": "n"}),
    Kernel(
        "gesummv",
        gesummv,
        {"n": 59},
        ("alpha", "beta"),
        {"A": "n n", "B": "n n", "tmp": "n", "x": "n", "y": "n"},
    ),
    Kernel("mvt", mvt, {"n": 57}, (), {"x1": "n", "x2": "n", "y_1": "n", "y_2": "n", "A": "n n"}),
    Kernel("trisolv", trisolv, {"n": 63}, (), {"L": "n n", "x": "n", "b": "n"}),
    Kernel("trmm", trmm, {"m": 31, "n": 37}, ("alpha",), {"A": "m m", "B": "m n"}),
    Kernel(
        "cnn_forward",
        cnn_forward,
        {"nn": 5, "nk": 3, "np": 17, "nq": 19, "nc": 3, "nr": 3, "ns": 5},
        (),
        {"out_F": "nn nk np nq", "W": "nk nc nr ns", "inp_F": "nn nc nh nw"},
        add_input_extents,
    ),
    Kernel("jacobi_1d", jacobi_1d, {"tsteps": 19, "n": 61}, (), {"A": "n", "B": "n"}),
    Kernel("seidel_2d", seidel_2d, {"tsteps": 17, "n": 27}, (), {"A": "n n"}),
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

    All values lie in [0.5, 1.5), except that n is added to the diagonal of a square matrix, because
    lu and trisolv divide by it.
    """
    generator = np.random.default_rng(seed)
    scalars = {name: generator.uniform(0.5, 1.5) for name in kernel.scalars}
    arrays: Arrays = {}
    for name, shape in kernel.shapes(sizes).items():
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
    return sizes + ("f64",) * len(kernel.scalars) + tuple(f"memref<{e}xf64>" for e in extents)


def execute(kernel: Kernel, program: Program, inputs: Inputs, dynamic: bool) -> Arrays:
    """All arrays after the compiled function ran on a copy of `inputs`."""
    arrays = {name: np.array(inputs[name], dtype=np.float64) for name in kernel.dims}
    sizes = [ctypes.c_int64(int(inputs[name])) for name in kernel.sizes] if dynamic else []
    scalars = [ctypes.c_double(float(inputs[name])) for name in kernel.scalars]
    describe = RUNTIME.get_ranked_memref_descriptor
    # The C interface takes a memref as a pointer to its descriptor.
    descriptors = [ctypes.pointer(describe(array)) for array in arrays.values()]
    arguments = [ctypes.pointer(argument) for argument in (*sizes, *scalars, *descriptors)]
    program.engine.invoke(kernel.function, *arguments)
    return arrays


def relative_error(got: Arrays, want: Arrays) -> float:
    """The largest relative difference of two elements; NaN when any element is NaN."""
    errors = [np.max(np.abs(got[name] - want[name]) / np.abs(want[name])) for name in want]
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
