"""Names of indecomposable algebras of dimension four and more: reductive part ⋉ nilradical, and the known families."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from liestonet.algebra.adjoint_weights import Weights, find_weights
from liestonet.algebra.anatomy import Outline, Parts, outline, series
from liestonet.algebra.decisions import Decisions
from liestonet.algebra.ensemble import Ensemble, adjoint, compress, killing_form
from liestonet.algebra.named import Named
from liestonet.algebra.semisimple import name_semisimple
from liestonet.algebra.splitting import split_centre
from liestonet.algebra.tuning import ALGEBRA


def name_indecomposable(ensemble: Ensemble, parts: Parts, decisions: Decisions) -> Named:
    """The name of an algebra that is not a direct sum, from its parts."""
    dimension = ensemble.shape[1]
    if not parts.radical.shape[2]:
        return name_semisimple(ensemble, decisions)
    if parts.nilradical.shape[2] == dimension:
        return name_nilpotent(ensemble, parts, decisions)
    nilradical = compress(ensemble, parts.nilradical)
    lines = outline(nilradical, decisions)
    inner = name_nilpotent(nilradical, lines, decisions)
    levi = name_semisimple(compress(ensemble, parts.levi), decisions) if parts.levi.shape[2] else None
    # the nilradical modulo its brackets, on which the elements outside it act linearly
    module = parts.nilradical @ lines.abelianised
    if parts.rest.shape[2] >= 2:
        return _several_outer(ensemble, parts, module, inner, levi, decisions)
    weights = None
    if parts.rest.shape[2] and module.shape[2]:
        weights = find_weights(_action(ensemble, parts.rest, module)[:, 0], decisions)
    if levi is not None:
        return _name_mixed(levi, weights, inner, _casimir_traces(ensemble, parts, module))
    if weights is not None:
        return _name_solvable(inner, weights)
    text = f"dimension {dimension}, nilradical {inner.short}"  # only if decisions near the limit are inconsistent
    return Named(text, text, "The parts are not consistent at this uncertainty.")


def name_nilpotent(ensemble: Ensemble, lines: Outline, decisions: Decisions) -> Named:
    """R^k, Heisenberg h_{2k+1} (⊕ R^l), or dimension and step."""
    size = ensemble.shape[1]
    if not lines.derived.shape[2]:
        text = "R" if size == 1 else f"R^{size}"
        return Named(text, text, "All generators commute.")
    core, extra = split_centre(ensemble, lines, decisions)
    pairs = (core.shape[1] - 1) // 2
    if lines.derived.shape[2] == 1 and lines.centre.shape[2] == 1 + extra and core.shape[1] == 2 * pairs + 1 > 1:
        name = f"h_{core.shape[1]}"
        tail = "" if not extra else " ⊕ R" if extra == 1 else f" ⊕ R^{extra}"
        meaning = f"{pairs} canonical pair{'s'[: pairs > 1]} whose brackets all give one central generator."
        return Named(f"Heisenberg {name}{tail}", name + tail, meaning)
    terms = series(ensemble, decisions, central=True)
    dimensions = ", ".join(str(term.shape[2]) for term in terms if term.shape[2])
    text = f"nilpotent, dimension {size}, step {len(terms) - 1}, lower central series ({dimensions})"
    return Named(text, f"[{text}]", "All nested brackets beyond a certain depth vanish.")


def _action(ensemble: Ensemble, elements: np.ndarray, module: np.ndarray) -> np.ndarray:
    """The elements as matrices on the module, (copies, elements, k, k)."""
    return np.swapaxes(module, 1, 2)[:, None] @ adjoint(ensemble, elements) @ module[:, None]


def _casimir_traces(ensemble: Ensemble, parts: Parts, module: np.ndarray) -> np.ndarray:
    """Dimension of the module, and the traces of the Levi factor's Casimir and of its square there.

    The Casimir is 1 in the adjoint. Traces, not eigenvalues, because they are smooth in the constants.
    """
    action = _action(ensemble, np.concatenate([parts.levi, parts.rest], axis=2), module)
    size = parts.levi.shape[2]
    matrices, outer = action[:, :size], action[:, size:]
    if outer.shape[1]:
        # since s = [s, s], the correct lift of the factor is orthogonal to the outer generator in the trace form
        form = np.einsum("sxij,syji->sxy", outer, outer)
        matrices = matrices - np.einsum("sxij,syji,syz->sxz", matrices, outer, np.linalg.pinv(form))[..., None] * outer
    killing = killing_form(compress(ensemble, parts.levi))
    casimir = np.einsum("sab,saij,sbjk->sik", np.linalg.pinv(killing), matrices, matrices, optimize=True)[0]
    return np.array([len(casimir), np.trace(casimir), np.trace(casimir @ casimir)])


def _name_solvable(inner: Named, weights: Weights) -> Named:
    """One generator acting on a nilradical."""
    outer = "so(2)" if weights.imaginary and weights.diagonalisable else "R"
    text = f"{outer} ⋉ {inner.short} with weights {_weights_text(weights)}"
    meaning = f"One generator scales or rotates the rest; the weights are its eigenvalues on {inner.short}."
    if weights.simple is not None and inner.short.startswith("R^") and weights.diagonalisable:
        n = len(weights.simple) - 1
        if n and list(weights.simple) == [2.0, *[1.0] * n]:
            meaning = f"Time shift, {n} space shifts and diffusive scaling: {n}-D Brownian motion at the Itô level."
        elif set(weights.simple) == {1.0}:
            meaning = "Commuting generators, all scaled equally by one more."
    if text.startswith("so(2) ⋉ h_3 "):
        meaning = "The oscillator algebra: a canonical pair rotated by one generator, and a central one."
    return Named(text, text, meaning)


def _weights_text(weights: Weights) -> str:
    return weights.text + ("" if weights.diagonalisable else ", not diagonalisable")


def _several_outer(
    ensemble: Ensemble, parts: Parts, module: np.ndarray, inner: Named, levi: Named | None, decisions: Decisions
) -> Named:
    """The name for two or more generators outside nilradical and Levi factor: plane similarities, or a description."""
    dimension, radical, outside = ensemble.shape[1], parts.radical.shape[2], parts.rest.shape[2]
    if levi is not None:
        text = f"dimension {dimension}, Levi factor {_bare(levi)}, radical of dimension {radical} over {inner.short}"
        return Named(text, text, "A semisimple part acts on a solvable part with this nilradical.")
    if outside == 2 and inner.short == "R^2":
        text = "sim(2) (aff(1,C))"
        return Named(text, text, "Shifts, rotation and scaling of the plane.")
    if outside == 2 and inner.short == "R^3":
        actions = _action(ensemble, parts.rest, module)
        if _is_planar_diffusion(actions, decisions):
            text = "(so(2) ⊕ R) ⋉ R^3 with weights (2, 1, 1)"
            meaning = "Time shift, plane shifts, rotation and diffusive scaling: 2-D Brownian motion at law level."
            return Named(text, text, meaning)
    text = f"solvable, dimension {dimension}, nilradical {inner.short}"
    return Named(text, text, f"{outside} generators scale or rotate a nilpotent part, {inner.short}.")


def _is_planar_diffusion(actions: np.ndarray, decisions: Decisions) -> bool:
    """Weights λ₀, λ, λ̄ with λ₀ = λ + λ̄: half the trace is an eigenvalue of every element, and one of them rotates."""
    one, two = actions[:, 0], actions[:, 1]
    halves = [np.linalg.det(x - np.einsum("sii->s", x)[:, None, None] / 2 * np.eye(3)) for x in (one, two, one + two)]
    traces = np.einsum("saii->sa", actions)[0]
    turning = one[0] * traces[1] - two[0] * traces[0]
    return decisions.is_zero(np.stack(halves, axis=1)) and bool(np.trace(turning @ turning) < 0)


def _bare(name: Named) -> str:
    """The name without alternative names in brackets."""
    return re.sub(r" \([^⊕]*\)$| \(so\(3\) ⊕ so\(3\)\)$| \(sl\(2,R\) ⊕ sl\(2,R\)\)$", "", name.text)


def _name_mixed(levi: Named, weights: Weights | None, inner: Named, casimir: np.ndarray) -> Named:
    """The name of an algebra with a Levi factor, a nilradical and at most one more generator outside both."""
    simple = _bare(levi)
    compact = weights is not None and weights.imaginary and weights.diagonalisable
    outer = f"({simple} ⊕ {'so(2)' if compact else 'R'})" if weights else f"({simple})" if "⊕" in simple else simple
    family = _known_family(simple, weights, inner.short, casimir)
    if family is not None:
        return family
    text = f"{outer} ⋉ {inner.short}"
    if simple in ("so(3)", "sl(2,R)"):
        text += f", acting as {_spins(casimir, simple)}"
    if weights is not None and not compact:
        text += f", with weights {_weights_text(weights)}"
    return Named(text, text, f"{simple} acts linearly on {inner.short}.")


def _spins(casimir: np.ndarray, simple: str) -> str:
    """Dimensions of the irreducible parts for a factor of rank one, where the Casimir is j(j+1)/2."""
    # half-integer spins of so(3) are quaternionic: a pair of them is one real irreducible part of twice the dimension
    paired = 1 if simple == "sl(2,R)" else 2
    best, closest = "", np.inf
    for sizes in _partitions(int(casimir[0])):
        if any(sizes.count(size) % paired for size in sizes if size % 2 == 0):
            continue
        values = np.repeat([(size**2 - 1) / 8 for size in sizes], sizes)
        distance = abs(values.sum() - casimir[1]) + abs((values**2).sum() - casimir[2])
        if distance < closest:
            words = [str(n) for n in sizes if n % 2 or paired == 1]
            words += [str(2 * n) for n in sizes[::-1] if n % 2 == 0 and paired == 2][::2]
            best, closest = " + ".join(words), distance
    return best


def _partitions(total: int, largest: int | None = None) -> Iterator[list[int]]:
    """All ways to write the total as a sum, each in descending order."""
    if total == 0:
        yield []
    for first in range(min(total, largest or total), 0, -1):
        for others in _partitions(total - first, first):
            yield [first, *others]


def _same_casimir(casimir: np.ndarray, values: list[float]) -> bool:
    """Whether this is the representation with these Casimir eigenvalues; others of its dimension differ much more."""
    wanted = np.array([np.sum(values), np.sum(np.square(values))])
    return len(values) == casimir[0] and np.allclose(casimir[1:], wanted, rtol=ALGEBRA.casimir_tolerance)


def _vector_size(simple: str) -> int | None:
    """n for so(n) and so(p,q), also under their other names."""
    other = {"sl(2,R)": 3, "sl(4,R)": 6}
    found = re.fullmatch(r"so\((\d+)(?:,(\d+))?\)", simple)
    return other.get(simple) if found is None else int(found[1]) + int(found[2] or 0)


def _known_family(simple: str, weights: Weights | None, inner: str, casimir: np.ndarray) -> Named | None:
    """e(n), iso(p,q), sim(n), Brownian motion at law level, and the heat equation's algebra."""
    if inner.startswith("h_") and "⊕" not in inner:
        return _schroedinger(simple, weights, inner, casimir)
    n, size = _vector_size(simple), int(casimir[0])
    if n is None or not inner.startswith("R^") or size < n or (weights is not None and not weights.diagonalisable):
        return None
    if not _same_casimir(casimir, [*[(n - 1) / (2 * (n - 2))] * n, *[0.0] * (size - n)]):
        return None
    pair = {"sl(2,R)": "2,1", "sl(4,R)": "3,3"}.get(simple, simple[3:-1])
    if weights is None and size == n:
        text = f"e({n}) (so({n}) ⋉ R^{n})" if pair.isdigit() else f"iso({pair}) (so({pair}) ⋉ R^{n})"
        text = text if pair != "3,1" else "iso(3,1) (Poincaré)"
        return Named(text, text, f"Rotations and shifts of {n}-dimensional flat space.")
    if weights is not None and weights.simple == (1.0,) * n:
        text = f"sim({pair}) ((so({pair}) ⊕ R) ⋉ R^{n})"
        return Named(text, text, f"Rotations, shifts and scaling of {n}-dimensional flat space.")
    if weights is not None and weights.simple == (2.0, *[1.0] * n) and pair.isdigit():
        text = f"({simple} ⊕ R) ⋉ R^{n + 1} with weights {weights.text}"
        meaning = "Time shift, space shifts, rotations and diffusive scaling"
        return Named(text, text, f"{meaning}: {n}-D Brownian motion at law level.")
    return None


def _schroedinger(simple: str, weights: Weights | None, inner: str, casimir: np.ndarray) -> Named | None:
    """sl(2,R), and rotations in more than one dimension, acting on n canonical pairs: the heat equation in n-D."""
    n = int(casimir[0]) // 2
    turning = weights is not None and weights.imaginary and weights.diagonalisable
    if turning != (n == 2) or (weights is not None and not turning):
        return None
    rotations = {1: [], 2: [], 3: ["so(3)"], 4: ["so(3)", "so(3)"], 6: ["so(6) (su(4))"]}.get(n, [f"so({n})"])
    value = 3 / 8 + ((n - 1) / (2 * (n - 2)) if n > 2 else 0)
    if sorted(simple.split(" ⊕ ")) != sorted(["sl(2,R)", *rotations]) or not _same_casimir(casimir, [value] * (2 * n)):
        return None
    text = f"(sl(2,R) ⊕ so({n})) ⋉ {inner}" if n > 1 else f"sl(2,R) ⋉ {inner}"
    meaning = f"Schrödinger type: the heat equation in {n}-D, Fokker–Planck symmetries of Brownian motion."
    return Named(text, text, meaning)
