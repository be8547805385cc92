"""Numbers in names of algebras: simple fractions within an error, and weights (eigenvalues) of a matrix up to scale."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray

from liestonet.algebra.decisions import Decisions
from liestonet.algebra.tuning import ALGEBRA

Spectrum = NDArray[np.complex128]
Copies = Float[np.ndarray, " copies"]


def standard_error(values: Copies) -> float:
    return float(np.sqrt(np.mean((values[1:] - values[0]) ** 2)))


def recognise(values: Copies) -> Fraction | None:
    """The simplest fraction within the error of the estimate; None if the error is too large for a unique one."""
    error = standard_error(values)
    if not (math.isfinite(error) and math.isfinite(values[0])):
        return None
    for denominator in range(1, ALGEBRA.largest_denominator + 1):
        if error * denominator**2 > ALGEBRA.distinguishable:
            return None
        nearest = Fraction(round(float(values[0]) * denominator), denominator)
        if abs(float(nearest) - values[0]) <= ALGEBRA.within * error + ALGEBRA.weight_rounding:
            return nearest
    return None


def with_error(value: float, error: float) -> str:
    """A number with its error, which has two digits at most: −8.7 ± 0.5."""
    if error < 1e-7 * abs(value) or error == 0:
        return f"{value:.6g}".replace("-", "−")
    digits = max(0, -math.floor(math.log10(error)))
    return f"{value:.{digits}f} ± {error:.{digits}f}".replace("-", "−")


def show(value: Fraction | int) -> str:
    return str(value).replace("-", "−")


@dataclass(frozen=True)
class Weights:
    """Eigenvalues up to a common factor: as text, and as exact numbers if they are simple."""

    text: str
    simple: tuple[complex, ...] | None
    diagonalisable: bool
    imaginary: bool


def find_weights(matrices: Float[np.ndarray, "copies k k"], decisions: Decisions) -> Weights:
    """Weights of a non-nilpotent matrix; small integers if they are within the error."""
    values = np.linalg.eigvals(matrices[0]).astype(np.complex128)
    reference = _reference(values)
    if reference == 0:  # reached only if decisions near the limit contradict each other
        return Weights("(0)", None, False, False)
    noise = np.linalg.norm(matrices[1:] - matrices[0], ord=2, axis=(1, 2))
    error = float(np.sqrt(np.mean(noise**2))) / abs(reference)
    for top in range(1, ALGEBRA.largest_denominator + 1):
        if top > 1 and error * top**2 > ALGEBRA.distinguishable:
            break
        pattern = _rounded(top * values / abs(reference))
        scale = _fitted_scale(matrices, pattern)
        if scale is not None and _fits(matrices / scale[:, None, None], pattern):
            diagonal = _diagonalisable(matrices / scale[:, None, None], pattern, decisions)
            shown = _canonical(pattern)
            return Weights(_text(shown), tuple(shown.tolist()), diagonal, bool(np.all(shown.real == 0)))
    return _numerical(matrices, values, reference)


def _reference(values: Spectrum) -> float:
    """The eigenvalue that is scaled to 1: the largest real part, or the largest frequency if all are imaginary."""
    size = float(np.max(np.abs(values)))
    largest = values.real[np.argmax(np.abs(values.real))]
    return float(largest) if abs(largest) > 0.1 * size else float(np.max(np.abs(values.imag)))


def _rounded(values: Spectrum) -> Spectrum:
    rounded = np.round(values.real) + 1j * np.round(values.imag)
    return rounded[np.lexsort((rounded.imag, -rounded.real))]


def _fitted_scale(matrices: np.ndarray, pattern: Spectrum) -> Copies | None:
    """The factor between matrix and pattern, from traces of powers, which are smooth where eigenvalues are not."""
    first, second = np.sum(pattern).real, np.sum(pattern**2).real
    if first != 0:
        scale = np.einsum("sii->s", matrices) / first
    elif second != 0:
        ratio = np.einsum("sij,sji->s", matrices, matrices) / second
        scale = np.sqrt(np.abs(ratio)) * np.sign(ratio[0])
    else:
        return None
    return scale if np.all(scale[0] * scale > 0) else None


def _fits(matrices: np.ndarray, pattern: Spectrum) -> bool:
    """Whether the characteristic polynomial agrees with that of the pattern within the noise."""
    wanted = np.poly(pattern).real
    found = np.stack([np.poly(np.linalg.eigvals(matrix)).real for matrix in matrices])
    noise = np.sqrt(np.mean((found[1:] - found[0]) ** 2, axis=0))
    allowed = ALGEBRA.deviations * noise + ALGEBRA.weight_rounding * np.max(np.abs(wanted))
    return bool(np.all(np.abs(found[0] - wanted) <= allowed))


def _diagonalisable(matrices: np.ndarray, pattern: Spectrum, decisions: Decisions) -> bool:
    """Whether the product of A − w over the distinct weights w is zero."""
    distinct = np.unique(pattern)
    if len(distinct) == len(pattern):
        return True
    eye, product = np.eye(matrices.shape[1]), np.broadcast_to(np.eye(matrices.shape[1]), matrices.shape)
    for weight in distinct[np.imag(distinct) >= 0]:
        factor = matrices - weight.real * eye
        product = product @ (factor @ factor + weight.imag**2 * eye if weight.imag else factor)
    return decisions.is_zero(product)


def _canonical(pattern: Spectrum) -> Spectrum:
    """The pattern in descending order, without a common factor, with a sum that is not negative."""
    numbers = [int(abs(n)) for n in np.concatenate([pattern.real, pattern.imag])]
    shown = pattern / math.gcd(*numbers)
    total, top = np.sum(shown).real, shown.real[np.argmax(np.abs(shown.real))]
    if total < 0 or (total == 0 and top < 0):
        shown = -shown
    return shown[np.lexsort((shown.imag, -shown.real))]


def _text(pattern: Spectrum) -> str:
    """Weights as text: (2, 1, 1), or (2, 1 ×10) if there are many."""
    words = []
    for weight in pattern[pattern.imag >= 0]:
        real, imaginary = show(int(weight.real)), abs(int(weight.imag))
        turning = "" if imaginary == 0 else "i" if imaginary == 1 else f"{imaginary}i"
        words.append(real if not turning else f"±{turning}" if weight.real == 0 else f"{real} ± {turning}")
    if len(words) > ALGEBRA.most_words:
        counts = Counter(words)
        words = [word if counts[word] == 1 else f"{word} ×{counts[word]}" for word in counts]
    return f"({', '.join(words)})"


def _numerical(matrices: np.ndarray, values: Spectrum, reference: float) -> Weights:
    """Weights relative to the largest, with their errors."""
    order = np.lexsort((values.imag, -values.real / reference))
    centre = values[order] / reference
    copies = np.stack([_matched(np.linalg.eigvals(matrix), values[order]) / reference for matrix in matrices[1:]])
    error = np.sqrt(np.mean(np.abs(copies - centre) ** 2, axis=0))
    words = []
    for weight, width in zip(centre, error, strict=True):
        if weight.imag < 0:
            continue
        real = with_error(float(weight.real), float(width))
        words.append(real if weight.imag == 0 else f"({real}) ± ({with_error(float(weight.imag), float(width))})i")
    imaginary = bool(np.all(np.abs(centre.real) <= ALGEBRA.within * error + ALGEBRA.weight_rounding))
    return Weights(f"({', '.join(words)})", None, True, imaginary)


def _matched(values: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """The values reordered so that each is nearest to the wanted one at its place."""
    left = list(values)
    return np.array([left.pop(int(np.argmin(np.abs(np.array(left) - target)))) for target in wanted])
