"""What each kernel computes, in NumPy: by the definition of PolyBench/C 4.2.1, in other words than the .mlir files.

A function takes the kernel's sizes, scalars and arrays by name and returns the arrays that change; its
arguments stay as they were.
"""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Arrays = dict[str, Array]


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


def centred(float_n: float, data: Array) -> tuple[Array, Array]:
    """The columns of data without their means, and the means."""
    mean = data.sum(axis=0) / float_n
    return data - mean, mean


def correlation(float_n: float, data: Array, corr: Array, mean: Array, stddev: Array, **_: int) -> Arrays:
    """corr = D^T D, where D is data centred and divided by its deviations, of which those below 0.1 count as 1."""
    moved, means = centred(float_n, data)
    deviations = np.sqrt((moved**2).sum(axis=0) / float_n)
    deviations = np.where(deviations <= 0.1, 1.0, deviations)
    reduced = moved / (np.sqrt(float_n) * deviations)
    product = reduced.T @ reduced
    np.fill_diagonal(product, 1.0)
    return {"data": reduced, "corr": product, "mean": means, "stddev": deviations}


def covariance(float_n: float, data: Array, cov: Array, mean: Array, **_: int) -> Arrays:
    """cov = D^T D / (float_n - 1), where D is data centred."""
    moved, means = centred(float_n, data)
    return {"data": moved, "cov": moved.T @ moved / (float_n - 1.0), "mean": means}


def gemver(
    alpha: float,
    beta: float,
    A: Array,
    u1: Array,
    v1: Array,
    u2: Array,
    v2: Array,
    w: Array,
    x: Array,
    y: Array,
    z: Array,
    **_: int,
) -> Arrays:
    """A = A + u1 v1^T + u2 v2^T, x = x + beta A^T y + z, w = w + alpha A x."""
    a = A + np.outer(u1, v1) + np.outer(u2, v2)
    moved = x + beta * (a.T @ y) + z
    return {"A": a, "x": moved, "w": w + alpha * (a @ moved)}


def symm(alpha: float, beta: float, C: Array, A: Array, B: Array, **_: int) -> Arrays:
    """C = alpha A B + beta C, where A is symmetric and given by its lower triangle."""
    symmetric = np.tril(A) + np.tril(A, -1).T
    return {"C": alpha * (symmetric @ B) + beta * C}


def syr2k(alpha: float, beta: float, C: Array, A: Array, B: Array, **_: int) -> Arrays:
    """The lower triangle of C = alpha (A B^T + B A^T) + beta C."""
    full = alpha * (A @ B.T + B @ A.T) + beta * C
    return {"C": np.tril(full) + np.triu(C, 1)}


def syrk(alpha: float, beta: float, C: Array, A: Array, **_: int) -> Arrays:
    """The lower triangle of C = alpha A A^T + beta C."""
    return {"C": np.tril(alpha * (A @ A.T) + beta * C) + np.triu(C, 1)}


def three_products(E: Array, A: Array, B: Array, F: Array, C: Array, D: Array, G: Array, **_: int) -> Arrays:
    """E = A B, F = C D, G = E F."""
    return {"E": A @ B, "F": C @ D, "G": A @ B @ C @ D}


def doitgen(A: Array, C4: Array, sums: Array, **_: int) -> Arrays:
    """A = A C4 along the last dimension, of which sums keeps the last row."""
    product = A @ C4
    return {"A": product, "sums": product[-1, -1]}


def cholesky(A: Array, **_: int) -> Arrays:
    """The lower triangle becomes L with L L^T = A."""
    symmetric = np.tril(A) + np.tril(A, -1).T
    return {"A": np.tril(np.linalg.cholesky(symmetric)) + np.triu(A, 1)}


def durbin(r: Array, y: Array, **_: int) -> Arrays:
    """The y of T y = -r, where T is the symmetric Toeplitz matrix of 1, r[0], ..., r[n - 2]."""
    first = np.concatenate(([1.0], r[:-1]))
    distance = np.abs(np.subtract.outer(np.arange(len(r)), np.arange(len(r))))
    return {"y": np.asarray(np.linalg.solve(first[distance], -r), dtype=np.float64)}


def gramschmidt(A: Array, R: Array, Q: Array, **_: int) -> Arrays:
    """A = Q R with a positive diagonal; column j of A is left as that of Q times R[j][j]."""
    q, r = np.linalg.qr(A)
    signs = np.sign(np.diag(r))
    q, r = q * signs, r * signs[:, None]
    return {"A": q * np.diag(r), "R": np.triu(r) + np.tril(R, -1), "Q": q}


def ludcmp(A: Array, b: Array, x: Array, y: Array, **_: int) -> Arrays:
    """A = L + U - I with L U = A, the y of L y = b and the x of A x = b."""
    factors = lu(A)["A"]
    lower = np.tril(factors, -1) + np.eye(len(A))
    return {"A": factors, "x": np.linalg.solve(A, b), "y": np.linalg.solve(lower, b)}


def recursive_filter(signal: Array, now: float, before: float, b1: float, b2: float, delay: int) -> Array:
    """y[j] = now x[j - delay] + before x[j - delay - 1] + b1 y[j - 1] + b2 y[j - 2] along rows; outside is 0."""
    padded = np.pad(signal, ((0, 0), (2, 0)))
    out = np.zeros_like(padded)
    for j in range(2, padded.shape[1]):
        inputs = now * padded[:, j - delay] + before * padded[:, j - delay - 1]
        out[:, j] = inputs + b1 * out[:, j - 1] + b2 * out[:, j - 2]
    return out[:, 2:]


def deriche(alpha: float, imgIn: Array, imgOut: Array, y1: Array, y2: Array, **_: int) -> Arrays:
    """The sum of a filter forward and one backward, along the rows and then along the columns."""
    decay = np.exp(-alpha)
    k = (1 - decay) ** 2 / (1 + 2 * alpha * decay - np.exp(2 * alpha))
    b1, b2 = 2.0**-alpha, -np.exp(-2 * alpha)
    forward = (k, k * decay * (alpha - 1), b1, b2, 0)
    backward = (k * decay * (alpha + 1), k * b2, b1, b2, 1)

    def both(image: Array) -> tuple[Array, Array]:
        return recursive_filter(image, *forward), recursive_filter(image[:, ::-1], *backward)[:, ::-1]

    along_rows = sum(both(imgIn))
    down, up = (part.T for part in both(np.asarray(along_rows).T))
    return {"imgOut": down + up, "y1": down, "y2": up}


def floyd_warshall(path: Array, **_: int) -> Arrays:
    """The lengths of the shortest paths by way of the first k nodes, for k from 1 to n."""
    shortest = path.copy()
    for k in range(len(path)):
        shortest = np.minimum(shortest, shortest[:, k, None] + shortest[k])
    return {"path": shortest}


def nussinov(seq: Array, table: Array, **_: int) -> Arrays:
    """table[i][j] is the best of four ways to fold seq[i..j], from what the table had and from the end."""
    best = table.copy()
    n = len(seq)
    for i in reversed(range(n)):
        for j in range(i + 1, n):
            pair = float(i < j - 1 and seq[i] + seq[j] == 3)
            ways = (best[i, j], best[i, j - 1], best[i + 1, j], best[i + 1, j - 1] + pair)
            split = best[i, i + 1 : j] + best[i + 2 : j + 1, j]
            best[i, j] = max(*ways, *split)
    return {"table": best}


def implicit_half_step(known: Array, near: float, far: float) -> tuple[Array, Array, Array]:
    """One sweep of adi: the rows x of near x[j - 1] + (1 - 2 near) x[j] + near x[j + 1] = rhs with ends 1, and the
    coefficients p and q of x[j] = p[j] x[j + 1] + q[j]; rhs comes from `known` and its rows before and after."""
    n = len(known)
    inner = slice(1, n - 1)
    p, q, x = np.zeros((n, n)), np.ones((n, n)), np.ones((n, n))
    for j in range(1, n - 1):
        pivot = near * p[:, j - 1] + (1 - 2 * near)
        p[:, j] = -near / pivot
        rhs = -far * known[:-2, j] + (1 + 2 * far) * known[inner, j] - far * known[2:, j]
        q[inner, j] = (rhs - near * q[inner, j - 1]) / pivot[inner]
    for j in range(n - 2, 0, -1):
        x[:, j] = p[:, j] * x[:, j + 1] + q[:, j]
    return x, p, q


def adi(tsteps: int, n: int, u: Array, v: Array, p: Array, q: Array) -> Arrays:
    """`tsteps` steps, each implicit along the columns and then along the rows."""
    u, v, p, q = u.copy(), v.copy(), p.copy(), q.copy()
    a, d = -(n**2) / tsteps, -(n**2) / tsteps / 2
    inner = slice(1, n - 1)
    for _step in range(tsteps):
        columns, _, _ = implicit_half_step(u.T, a, d)
        v[:, inner] = columns.T[:, inner]
        rows, left, right = implicit_half_step(v, d, a)
        u[inner] = rows[inner]
        p[inner, : n - 1], q[inner, : n - 1] = left[inner, : n - 1], right[inner, : n - 1]
    return {"u": u, "v": v, "p": p, "q": q}


def fdtd_2d(tmax: int, ex: Array, ey: Array, hz: Array, fict: Array, **_: int) -> Arrays:
    """`tmax` steps of the two fields, of which ey is driven along its first row."""
    ex, ey, hz = ex.copy(), ey.copy(), hz.copy()
    for t in range(tmax):
        ey[0] = fict[t]
        ey[1:] -= 0.5 * np.diff(hz, axis=0)
        ex[:, 1:] -= 0.5 * np.diff(hz, axis=1)
        hz[:-1, :-1] -= 0.7 * (np.diff(ex, axis=1)[:-1] + np.diff(ey, axis=0)[:, :-1])
    return {"ex": ex, "ey": ey, "hz": hz}


def heat_step(old: Array, new: Array) -> None:
    """The inner elements of `new`: those of `old` and an eighth of its second differences."""
    centre = old[1:-1, 1:-1, 1:-1]
    curves = (np.diff(old, 2, axis=axis) for axis in range(3))
    inner = [[slice(1, -1)] * axis + [slice(None)] + [slice(1, -1)] * (2 - axis) for axis in range(3)]
    parts = (0.125 * curve[tuple(where)] for curve, where in zip(curves, inner, strict=True))
    new[1:-1, 1:-1, 1:-1] = centre + sum(parts)


def heat_3d(tsteps: int, A: Array, B: Array, **_: int) -> Arrays:
    """`tsteps` double steps of the heat equation."""
    a, b = A.copy(), B.copy()
    for _step in range(tsteps):
        heat_step(a, b)
        heat_step(b, a)
    return {"A": a, "B": b}


def five_point_mean(old: Array, new: Array) -> None:
    """The inner elements of `new`: the means of five of `old`."""
    cross = old[:-2, 1:-1] + old[2:, 1:-1] + old[1:-1, :-2] + old[1:-1, 2:]
    new[1:-1, 1:-1] = 0.2 * (old[1:-1, 1:-1] + cross)


def jacobi_2d(tsteps: int, A: Array, B: Array, **_: int) -> Arrays:
    """`tsteps` double steps of the five-point mean."""
    a, b = A.copy(), B.copy()
    for _step in range(tsteps):
        five_point_mean(a, b)
        five_point_mean(b, a)
    return {"A": a, "B": b}
