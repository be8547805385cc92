"""Structure constants of the named families, in exact form, from matrices or from given brackets."""

from __future__ import annotations

import itertools

import numpy as np


def from_brackets(m: int, brackets: dict[tuple[int, int], dict[int, float]]) -> np.ndarray:
    """c from {(i, j): {k: c_ijk}}, the rest by antisymmetry."""
    c = np.zeros((m, m, m))
    for (i, j), image in brackets.items():
        for k, value in image.items():
            c[i, j, k] += value
            c[j, i, k] -= value
    return c


def from_matrices(matrices: list[np.ndarray]) -> np.ndarray:
    """c of linearly independent matrices closed under the commutator."""
    stack = np.array([np.concatenate([np.real(x).ravel(), np.imag(x).ravel()]) for x in matrices])
    brackets = [[x @ y - y @ x for y in matrices] for x in matrices]
    flat = np.array([[np.concatenate([np.real(z).ravel(), np.imag(z).ravel()]) for z in row] for row in brackets])
    constants = flat @ np.linalg.pinv(stack)
    assert np.allclose(constants @ stack, flat, atol=1e-10), "not closed"
    return np.where(np.abs(constants) < 1e-12, 0.0, constants)


def direct_sum(*parts: np.ndarray) -> np.ndarray:
    m = sum(len(part) for part in parts)
    c, start = np.zeros((m, m, m)), 0
    for part in parts:
        block = slice(start, start + len(part))
        c[block, block, block] = part
        start += len(part)
    return c


def abelian(m: int) -> np.ndarray:
    return np.zeros((m, m, m))


def almost_abelian(a: np.ndarray | list) -> np.ndarray:
    """[e_0, e_j] = Σ_k A_kj e_k."""
    a = np.asarray(a, dtype=float)
    k = len(a)
    c = np.zeros((k + 1, k + 1, k + 1))
    c[0, 1:, 1:] = a.T
    c[1:, 0, 1:] = -a.T
    return c


def bianchi_class_a(n1: float, n2: float, n3: float) -> np.ndarray:
    return from_brackets(3, {(1, 2): {0: n1}, (2, 0): {1: n2}, (0, 1): {2: n3}})


def unit(n: int, i: int, j: int) -> np.ndarray:
    e = np.zeros((n, n))
    e[i, j] = 1.0
    return e


def rotations(p: int, q: int = 0) -> list[np.ndarray]:
    n, signs = p + q, [1] * p + [-1] * q
    return [unit(n, i, j) - signs[i] * signs[j] * unit(n, j, i) for i, j in itertools.combinations(range(n), 2)]


def so(p: int, q: int = 0) -> np.ndarray:
    return from_matrices(rotations(p, q))


def sl_matrices(n: int) -> list[np.ndarray]:
    off = [unit(n, i, j) for i in range(n) for j in range(n) if i != j]
    return off + [unit(n, i, i) - unit(n, i + 1, i + 1) for i in range(n - 1)]


def sl(n: int) -> np.ndarray:
    return from_matrices(sl_matrices(n))


def su3() -> np.ndarray:
    skew = [unit(3, i, j) - unit(3, j, i) for i, j in itertools.combinations(range(3), 2)]
    even = [1j * (unit(3, i, j) + unit(3, j, i)) for i, j in itertools.combinations(range(3), 2)]
    return from_matrices([*skew, *even, *[1j * (unit(3, i, i) - unit(3, i + 1, i + 1)) for i in range(2)]])


def symplectic_matrices(n: int) -> list[np.ndarray]:
    """sp(2n,R)."""
    found = []
    for i, j in itertools.product(range(n), repeat=2):
        found.append(unit(2 * n, i, j) - unit(2 * n, n + j, n + i))
    for i, j in itertools.combinations_with_replacement(range(n), 2):
        found.append(unit(2 * n, i, n + j) + (i != j) * unit(2 * n, j, n + i))
        found.append(unit(2 * n, n + i, j) + (i != j) * unit(2 * n, n + j, i))
    return found


def heisenberg(pairs: int) -> np.ndarray:
    return from_brackets(2 * pairs + 1, {(i, pairs + i): {2 * pairs: 1.0} for i in range(pairs)})


def semidirect(matrices: list[np.ndarray], extra: list[np.ndarray] | None = None) -> np.ndarray:
    """Linear matrices and all shifts, as affine matrices."""
    k = len(matrices[0])
    linear = [np.pad(x, ((0, 1), (0, 1))) for x in [*matrices, *(extra or [])]]
    return from_matrices([*linear, *[unit(k + 1, i, k) for i in range(k)]])


def euclidean(n: int) -> np.ndarray:
    return semidirect(rotations(n))


def brownian_law(n: int) -> np.ndarray:
    """∂_t, ∂_i, rotations and 2t∂_t + x·∂: affine maps of (t, x)."""
    turned = [np.pad(x, ((1, 0), (1, 0))) for x in rotations(n)]
    return semidirect([*turned, np.diag([2.0] + [1.0] * n)])


def brownian_ito(n: int) -> np.ndarray:
    return semidirect([np.diag([2.0] + [1.0] * n)])


def schroedinger(n: int) -> np.ndarray:
    """(sl(2,R) ⊕ so(n)) ⋉ h_{2n+1}: symplectic matrices and shifts on R^{2n}, with the central extension."""
    eye, zero = np.eye(n), np.zeros((n, n))
    blocks = [np.block([[eye, zero], [zero, -eye]]), np.block([[zero, eye], [zero, zero]])]
    blocks += [np.block([[zero, zero], [eye, zero]])]
    blocks += [np.block([[r, zero], [zero, r]]) for r in rotations(n)]
    form = np.block([[zero, eye], [-eye, zero]])
    size = 2 * n + 2  # matrices on (1, v, z): X = [[0, 0, 0], [a, S, 0], [c, aᵀJ/2, 0]]-type, faithful up to scale
    found = []
    for s in blocks:
        x = np.zeros((size, size))
        x[1:-1, 1:-1] = s
        found.append(x)
    for i in range(2 * n):
        x = np.zeros((size, size))
        x[1 + i, 0] = 1.0
        x[-1, 1:-1] = form[i]
        found.append(x)
    z = np.zeros((size, size))
    z[-1, 0] = 1.0
    return from_matrices([*found, z])


def spin_representation(j2: int) -> list[np.ndarray]:
    """sl(2,R) on homogeneous polynomials of degree j2: h, e, f."""
    d = j2 + 1
    h = np.diag([float(j2 - 2 * i) for i in range(d)])
    e, f = np.zeros((d, d)), np.zeros((d, d))
    for i in range(j2):
        e[i, i + 1] = j2 - i
        f[i + 1, i] = i + 1
    return [h, e, f]
