"""Every system of the catalogue: its generators are symmetries, independent and all there are, and its data behave."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
import sympy as sp

from liestonet import InputError
from liestonet.catalogue import PAPER, Experiment, System, catalogue
from liestonet.core.domain import Domain
from liestonet.symmetry.analytic.dimension_bound import formal_counts
from liestonet.symmetry.analytic.families import count_invariants
from liestonet.symmetry.determining.kinds import ITO, KINDS

KEYS = list(catalogue)
# (Itô, law, Fokker–Planck, Itô in the Cholesky gauge), written down apart from the generators
DIMENSIONS = {
    "brownian": (3, 3, 6, 3),
    "linear": (3, 3, 6, 3),
    "langevin": (3, 3, 6, 3),
    "bessel-drift": (3, 3, 9, 3),
    "brownian-10d": (12, 57, 69, 12),
    "arithmetic-brownian": (3, 3, 6, 3),
    "double-well": (1, 1, 2, 1),
    "weak-cubic": (1, 1, 2, 1),
    "sine-drift": (1, 1, 2, 1),
    "tanh-drift": (1, 1, 6, 1),
    "inverse-square": (1, 1, 4, 1),
    "bessel": (2, 2, 4, 2),
    "bessel-3d": (2, 2, 6, 2),
    "radial-ornstein-uhlenbeck": (2, 2, 4, 2),
    "two-noises": (1, 3, 6, 3),
    "turning-noise": (1, 3, 6, 3),
    "brownian-sinh": (3, 3, 6, 3),
    "brownian-cube": (3, 3, 6, 3),
    "brownian-tanh": (3, 3, 6, 3),
    "brownian-logistic": (3, 3, 6, 3),
    "brownian-sine": (3, 3, 6, 3),
    "ornstein-uhlenbeck-sinh": (3, 3, 6, 3),
    "brownian-bridge": (3, 3, 6, 3),
    "growing-noise": (3, 3, 6, 3),
    "self-similar-cubic": (1, 1, 2, 1),
    "self-similar-noise": (1, 1, 2, 1),
    "travelling-wave": (1, 1, 2, 1),
    "stochastic-resonance": (0, 0, 1, 0),
    "opening-well": (0, 0, 1, 0),
    "ornstein-uhlenbeck": (3, 3, 6, 3),
    "ornstein-uhlenbeck-affine": (3, 3, 6, 3),
    "ornstein-uhlenbeck-forced": (3, 3, 6, 3),
    "ornstein-uhlenbeck-2d": (4, 5, 9, 4),
    "ornstein-uhlenbeck-anisotropic": (3, 3, 6, 3),
    "ornstein-uhlenbeck-rotating": (3, 5, 9, 3),
    "brownian-gyrator": (3, 3, 6, 3),
    "geometric-brownian": (3, 3, 6, 3),
    "cir": (2, 2, 4, 2),
    "cir-linear": (3, 3, 6, 3),
    "cir-heat": (2, 2, 6, 2),
    "cev": (2, 2, 4, 2),
    "inverse-bessel": (2, 2, 6, 2),
    "three-halves": (2, 2, 4, 2),
    "geometric-brownian-pair": (4, 5, 9, 4),
    "heston": (2, 2, 3, 2),
    "sabr": (2, 2, 3, 2),
    "verhulst": (1, 1, 2, 1),
    "gompertz": (3, 3, 6, 3),
    "feller-branching": (2, 2, 4, 2),
    "wright-fisher": (1, 1, 2, 1),
    "kimura": (1, 1, 2, 1),
    "jacobi": (1, 1, 2, 1),
    "jacobi-heat": (1, 1, 6, 1),
    "lotka-volterra": (1, 1, 2, 1),
    "langevin-forced": (3, 3, 6, 3),
    "integrated-brownian": (4, 4, 8, 4),
    "harmonic": (3, 3, 6, 3),
    "harmonic-resonant": (4, 4, 8, 4),
    "duffing": (1, 1, 2, 1),
    "pendulum": (1, 1, 2, 1),
    "van-der-pol": (1, 1, 2, 1),
    "brownian-2d": (4, 5, 9, 4),
    "brownian-2d-turned": (2, 5, 9, 4),
    "brownian-correlated": (4, 5, 9, 4),
    "brownian-parabola": (4, 5, 9, 4),
    "brownian-polar": (3, 5, 9, 3),
    "hyperbolic-plane": (3, 4, 5, 3),
    "shear-flow": (2, 2, 3, 2),
    "free-and-well": (2, 2, 4, 2),
    "hopf": (1, 2, 3, 1),
    "free-and-growing": (math.inf,) * 4,
    "fitzhugh-nagumo": (1, 1, 2, 1),
    "brusselator": (1, 1, 2, 1),
    "lorenz": (1, 1, 2, 1),
    "brownian-3d": (5, 8, 13, 5),
    "ornstein-uhlenbeck-5d": (7, 17, 24, 7),
}
# too large for power series; the same formulas are checked in one, two and three dimensions
BEYOND_SERIES = {("brownian-10d", "fokker-planck"), ("ornstein-uhlenbeck-5d", "fokker-planck")}
LARGE = ("ornstein-uhlenbeck-5d", "brownian-10d")


def equation_of(system: System, kind: str):
    """The equation of a kind, its formulas, and the kind of symmetry."""
    sde = system.cholesky_sde if kind == "ito-cholesky" else system.sde
    assert sde.symbolic is not None
    return sde, sde.symbolic, KINDS.get(kind, ITO)


def own_kinds(system: System) -> list[str]:
    """The kinds that ask something of their own: the Cholesky gauge only where it is another one."""
    return [kind for kind in system.kinds if kind != "ito-cholesky" or system.cholesky is not None]


def cases(long: frozenset[str] = frozenset()) -> list:
    """Every (key, kind); many dimensions, Fokker–Planck in several, and that of `long` are among the slow tests."""
    return [
        pytest.param(key, kind, marks=[pytest.mark.slow] if slow or (kind == "fokker-planck" and key in long) else [])
        for key, system in catalogue.items()
        for kind in own_kinds(system)
        for slow in [len(system.box) > (2 if kind == "fokker-planck" else 5)]
    ]


# half a second each in numbers; that their generators solve the equations is proved by another test
LONG_FORMULAS = frozenset(
    ["jacobi-heat", "brownian-sine", "cir-heat", "ornstein-uhlenbeck-sinh", "brownian-logistic", "two-noises"]
)


def unknowns(row) -> tuple:
    return (row.tau, *row.xi) if row.beta is None else (row.tau, *row.xi, row.beta)


def domain_of(system: System) -> Domain:
    return Domain.from_pairs(system.box, system.sde.dimension)


def points_in(system: System, count: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    box = domain_of(system)
    points = box.centre + box.half * np.random.default_rng(seed).uniform(-1, 1, (count, len(box.half)))
    return points[:, 0], points[:, 1:]


def is_zero(expression) -> bool:
    """Zero after expansion, or after its roots are made symbols that are reduced, or after simplification."""
    if sp.expand(expression) == 0:
        return True
    # √(x(1 − x)) = √x √(1 − x) and the like hold in the boxes
    split = sp.expand_power_base(expression, force=True)
    split = split.xreplace({log: sp.Dummy() for log in split.atoms(sp.log, sp.asin)})
    powers = [power for power in split.atoms(sp.Pow) if power.exp.is_Rational and not power.exp.is_Integer]
    roots = {base: sp.Dummy() for base in {power.base for power in powers}}
    orders = {base: math.lcm(*(p.exp.q for p in powers if p.base == base)) for base in roots}
    numerator = sp.numer(sp.together(split.xreplace({p: roots[p.base] ** (p.exp * orders[p.base]) for p in powers})))
    for base, root in roots.items():
        numerator = sp.rem(sp.expand(numerator), root ** orders[base] - base, root)
    return sp.expand(numerator) == 0 or sp.simplify(expression) == 0


# --- the catalogue as a mapping --------------------------------------------------------------------------------------


def test_the_paper_comes_first_and_nothing_is_missing():
    assert KEYS[:5] == list(PAPER) == ["brownian", "linear", "langevin", "bessel-drift", "brownian-10d"]
    assert set(KEYS) == set(DIMENSIONS)
    assert len(catalogue) == len(KEYS) >= 40


def test_every_way_to_it_is_the_same_mapping():
    import liestonet.catalogue
    from liestonet import catalogue as imported

    assert imported is catalogue is liestonet.catalogue is sys.modules["liestonet.catalogue"]
    assert isinstance(catalogue, Mapping)
    assert catalogue["brownian"] is catalogue.get("brownian")
    assert "brownian" in catalogue
    assert "no such system" not in catalogue
    assert {catalogue} == {catalogue}
    assert "catalogue" in liestonet.__all__


@pytest.mark.parametrize(
    "way",
    [
        "import liestonet; found = liestonet.catalogue",
        "from liestonet import catalogue as found",
        "import liestonet.catalogue; found = liestonet.catalogue",
        "import liestonet.catalogue.system, liestonet; found = liestonet.catalogue",
        "from liestonet.catalogue import catalogue as found",
        "import liestonet; liestonet.catalogue; import liestonet.catalogue.scalar; found = liestonet.catalogue",
    ],
)
def test_a_fresh_process_finds_it_without_sympy(way):
    code = (
        f"import sys\n{way}\n"
        "assert 'sympy' not in sys.modules\n"
        "assert found['brownian'].dimension('law') == 3 and len(list(found)) > 40\n"
        "assert found['brownian'].equation == 'dx = dW'\n"
        "assert 'sympy' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_an_unknown_key_is_answered_with_the_nearest():
    with pytest.raises(InputError, match="no system 'brownain'; did you mean brownian"):
        catalogue["brownain"]
    with pytest.raises(KeyError, match="did you mean brownian-10d"):
        catalogue["brownian_10D"]
    with pytest.raises(InputError, match="list"):
        catalogue["§§§"]
    with pytest.raises(InputError):
        catalogue[["brownian"]]  # type: ignore[index]


def test_an_unknown_kind_is_refused():
    system = catalogue["brownian"]
    with pytest.raises(InputError, match="unknown; choose one of ito, law, fokker-planck, ito-cholesky"):
        system.dimension("itô")
    without = replace(system, symmetries={"ito": system.symmetries["ito"]})
    assert without.kinds == ("ito", "law", "ito-cholesky")
    for question in (without.dimension, without.formulas, without.generators):
        with pytest.raises(InputError, match="does not know the fokker-planck symmetries of 'brownian'"):
            question("fokker_planck")
    assert system.dimension(KINDS["fokker-planck"]) == system.dimension("Fokker_Planck") == 6


def test_a_formula_with_a_strange_name_is_refused():
    broken = replace(catalogue["brownian"], symmetries={"ito": (("1", "k*x"),)})
    with pytest.raises(InputError, match="besides t, x"):
        broken.formulas("ito")


@pytest.mark.parametrize("key", KEYS)
def test_a_system_says_what_it_is(key):
    system = catalogue[key]
    assert system.key == key
    assert system.title
    assert system.description.endswith(".")
    assert "\n" not in system.description
    assert len(system.argument) > 60
    assert system.sde.parameters == ()
    assert repr(system).startswith(f"<System {key}: d")
    assert len(system.box) == system.sde.dimension + 1
    assert set(system.state_space) <= set(system.sde.names)


# --- the generators --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", KEYS)
def test_dimensions(key):
    found = tuple(catalogue[key].dimension(kind) for kind in ("ito", "law", "fokker-planck", "ito-cholesky"))
    assert found == DIMENSIONS[key]


@pytest.mark.parametrize("key", [key for key in KEYS if key not in LARGE])
def test_generators_solve_the_determining_equations_exactly(key):
    system = catalogue[key]
    done = set()
    for kind in own_kinds(system):
        sde, symbolic, equations = equation_of(system, kind)
        table = equations.equations(sde.dimension, sde.noise)
        for row in system.formulas(kind):
            # an Itô symmetry is one of the law: Q = E2 σᵀ + σ E2ᵀ
            if kind == "law" and row in done:
                continue
            done.add(row)
            wrong = [rest for rest in table.residuals(symbolic, unknowns(row)) if not is_zero(rest)]
            assert not wrong, f"{key}, {kind}, {row}: {wrong}"


@pytest.mark.parametrize(
    ("key", "kind"),
    [
        pytest.param(key, kind, marks=[pytest.mark.slow] if (key, kind) == ("brownian-10d", "fokker-planck") else [])
        for key in LARGE
        for kind in ("ito", "law", "fokker-planck")
    ],
)
def test_generators_in_many_dimensions_solve_the_determining_equations(key, kind):
    """One combination with whole numbers drawn at random, as the equations are linear in the generator."""
    system = catalogue[key]
    sde, symbolic, equations = equation_of(system, kind)
    rows = [unknowns(row) for row in system.formulas(kind)]
    weights = np.random.default_rng(3).integers(1, 10**6, len(rows)).tolist()
    mixed = [sp.Add(*(w * row[i] for w, row in zip(weights, rows, strict=True))) for i in range(len(rows[0]))]
    rest = equations.equations(sde.dimension, sde.noise).residuals(symbolic, mixed)
    assert all(sp.expand(value) == 0 for value in rest)


@pytest.mark.parametrize(("key", "kind"), cases(LONG_FORMULAS))
def test_generators_commute_with_the_equation(key, kind):
    """The same without the table of equations: commutators of operators, applied to a test function, in numbers.

    With L = ∂t + f·∂ + ½a:∂∂ a symmetry of the law has [L, X] = τ'L, of Itô's equation also [σ_k, X] = ½τ'σ_k; with
    the forward operator M u = u_t + ∂(fu) − ½∂∂(au), Fokker–Planck has [M, X − β] = τ'M.
    """
    system, rng = catalogue[key], np.random.default_rng(5)
    rows = [unknowns(row) for row in system.formulas(kind)]
    if not rows or (kind == "law" and system.formulas(kind) == system.formulas("ito")):
        return  # a symmetry of Itô's equation is one of the law
    _, symbolic, equations = equation_of(system, kind)
    time, state, n = symbolic.time, symbolic.state, range(len(symbolic.state))
    f, sigma, a = symbolic.drift, symbolic.diffusion, symbolic.diffusion_squared
    weights = rng.integers(1, 20, len(rows)).tolist()
    tau, *xi = (sp.Add(*(w * row[i] for w, row in zip(weights, rows, strict=True))) for i in range(len(rows[0])))
    beta = xi.pop() if equations.has_beta else sp.Integer(0)

    def generator(u):
        return tau * sp.diff(u, time) + sum(xi[i] * sp.diff(u, state[i]) for i in n) - beta * u

    def backward(u):
        second = sum(a[i, j] * sp.diff(u, state[i], state[j]) for i in n for j in n if a[i, j] != 0)
        return sp.diff(u, time) + sum(f[i] * sp.diff(u, state[i]) for i in n) + second / 2

    def forward(u):
        second = sum(sp.diff(a[i, j] * u, state[i], state[j]) for i in n for j in n if a[i, j] != 0)
        return sp.diff(u, time) + sum(sp.diff(f[i] * u, state[i]) for i in n) - second / 2

    def along_noise(u, k):
        return sum(sigma[i, k] * sp.diff(u, state[i]) for i in n)

    # the commutators are of second order at most, so a quadratic function sees them whole
    phi = sum(int(c) * s for c, s in zip(rng.integers(1, 9, len(state)), state, strict=True))
    phi = 1 + 3 * time + phi + phi**2 + state[0] ** 2
    whole, rate = forward if equations.has_beta else backward, sp.diff(tau, time)
    terms = [[whole(generator(phi)), -generator(whole(phi)), -rate * whole(phi)]]
    for k in range(sigma.shape[1] if equations.name == "ito" else 0):
        noisy = along_noise(phi, k)
        terms.append([along_noise(generator(phi), k), -generator(noisy), -rate * noisy / 2])
    t, x = points_in(system, 20)
    for values in sp.lambdify((time, *state), terms, "numpy", cse=True)(t, *x.T):
        table = np.array([np.broadcast_to(value, t.shape) for value in values], dtype=float)
        assert np.all(np.abs(table.sum(axis=0)) <= 1e-9 * (1 + np.abs(table).max(axis=0)))


def test_a_near_miss_is_no_symmetry():
    broken = replace(catalogue["linear"], symmetries={"ito": (("exp(-2*t)", "x*exp(-2*t)"),)})
    _, symbolic, equations = equation_of(broken, "ito")
    rest = equations.equations(1, 1).residuals(symbolic, unknowns(broken.formulas("ito")[0]))
    assert not all(is_zero(value) for value in rest)


@pytest.mark.parametrize("key", KEYS)
def test_generators_as_functions_agree_with_their_formulas_and_are_independent(key):
    system = catalogue[key]
    count = 40
    t, x = points_in(system, count)
    for kind in system.kinds:
        formulas = system.formulas(kind)
        values = system.generators(kind)(t, x)
        assert len(values) == (3 if kind == "fokker-planck" else 2)
        m, d = len(formulas), system.sde.dimension
        assert values[0].shape == (m, count)
        assert values[1].shape == (m, count, d)
        table = np.concatenate([values[0][..., None], values[1], *(v[..., None] for v in values[2:])], axis=2)
        assert np.isfinite(table).all()
        if not m:
            continue
        rows = table.reshape(m, -1) / np.linalg.norm(table.reshape(m, -1), axis=1, keepdims=True)
        assert np.linalg.svd(rows, compute_uv=False)[-1] > 1e-4, (key, kind)
        chosen = {0, m // 2, m - 1}
        symbols = (sp.Symbol("t", real=True), *(sp.Symbol(name, real=True) for name in system.sde.names))
        at = dict(zip(symbols, (t[0], *x[0]), strict=True))
        for i in chosen:
            exact = [float(sp.sympify(value).subs(at)) for value in unknowns(formulas[i])]
            np.testing.assert_allclose(table[i, 0], exact, rtol=1e-9, atol=1e-11)


def test_generators_check_their_points():
    with pytest.raises(InputError, match="not"):
        catalogue["langevin"].generators("ito")(np.zeros(3), np.zeros((3, 1)))


# --- no more generators than these -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("key", "kind"), cases())
def test_power_series_allow_no_more_generators(key, kind):
    """A second argument for the dimension; the first is in `argument`."""
    system, domain = catalogue[key], domain_of(catalogue[key])
    sde, symbolic, equations = equation_of(system, kind)
    if system.infinite:
        assert count_invariants(sde.coefficients(domain), domain) == 1
        return
    if (key, kind) in BEYOND_SERIES or (kind == "law" and sde.noise == 1):
        return  # with one noise the law's equations are Itô's
    counts = formal_counts(equations, symbolic, domain)
    assert counts[-1].bound == system.dimension(kind)
    assert not counts[-1].doubtful


@pytest.mark.parametrize("n", [1, 2, 3, 5, 10])
def test_fokker_planck_in_n_dimensions_follows_the_formula(n):
    """sl(2), so(n) and the Heisenberg algebra: what stands for a count where power series are too large."""
    key = {1: "brownian", 2: "brownian-2d", 3: "brownian-3d", 5: "ornstein-uhlenbeck-5d", 10: "brownian-10d"}[n]
    assert catalogue[key].dimension("ito") == n + 2
    assert catalogue[key].dimension("law") == n + 2 + n * (n - 1) // 2
    assert catalogue[key].dimension("fokker-planck") == 3 + n * (n - 1) // 2 + 2 * n + 1


@pytest.mark.parametrize("key", KEYS)
def test_the_cholesky_gauge(key):
    """σ of `cholesky_sde` is the lower triangular root of the same a, and the drift is the same."""
    system = catalogue[key]
    t, x = points_in(system, 15)
    a = system.sde.diffusion_squared(t, x)
    sigma = system.cholesky_sde.diffusion(t, x)
    np.testing.assert_allclose(system.cholesky_sde.drift(t, x), system.sde.drift(t, x), atol=1e-13)
    root = np.zeros_like(a)
    for j in range(a.shape[1]):  # semidefinite: a zero pivot makes a zero column
        pivot = a[:, j, j] - (root[:, j, :j] ** 2).sum(axis=1)
        if np.all(pivot > 1e-12):
            column = a[:, :, j] - np.einsum("bik,bk->bi", root[:, :, :j], root[:, j, :j])
            root[:, :, j] = column / np.sqrt(pivot)[:, None]
            root[:, :j, j] = 0
    kept = [j for j in range(root.shape[2]) if np.any(root[:, :, j])]
    np.testing.assert_allclose(sigma, root[:, :, kept], atol=1e-12)
    given = system.sde.diffusion(t, x)
    same = given.shape == sigma.shape and np.allclose(given, sigma, atol=1e-12)
    assert same == (system.cholesky is None)


# --- data ------------------------------------------------------------------------------------------------------------


def check_data(system: System, paths: int) -> np.ndarray:
    """Simulate, insist on the state space and the box's time, and give the part of each coordinate inside the box."""
    data = system.simulate(paths=paths, seed=4)
    assert data.names == system.sde.names
    assert np.isfinite(data.flat_states).all()
    for name, (low, high) in system.state_space.items():
        column = data.flat_states[:, system.sde.names.index(name)]
        assert column.min() >= (-np.inf if low is None else low)
        assert column.max() <= (np.inf if high is None else high)
    box = np.array(system.box)
    assert box[0, 0] <= data.flat_times.min()
    assert data.flat_times.max() <= box[0, 1] + 0.011  # the last increment of Example 2 may end there
    return ((data.flat_states >= box[1:, 0]) & (data.flat_states <= box[1:, 1])).mean(axis=0)


@pytest.mark.parametrize("key", KEYS)
def test_the_first_data_stay_in_the_state_space_and_in_the_box(key):
    system = catalogue[key]
    short = min(system.experiment.duration, 20 * system.experiment.step)
    begun = replace(system, experiment=replace(system.experiment, duration=short))
    assert check_data(begun, 200).min() > 0.8


@pytest.mark.slow
@pytest.mark.parametrize("key", KEYS)
def test_all_data_stay_in_the_state_space_and_in_the_box(key):
    assert check_data(catalogue[key], 500).min() > 0.85


@pytest.mark.parametrize(
    ("key", "paths", "duration", "low", "high"),
    [
        ("brownian", 2048, 5, [-2], [2]),
        ("linear", 256_000, 0.01, [-2], [2]),
        ("langevin", 2048, 2, [-2, -2], [2, 2]),
        ("bessel-drift", 2048, 2, [0.5, -2], [3, 2]),
        ("brownian-10d", 2048, 2, [-2] * 10, [2] * 10),
    ],
)
def test_the_papers_data_are_those_agreed_on(key, paths, duration, low, high):
    experiment = catalogue[key].experiment
    assert (experiment.paths, experiment.duration, experiment.step, experiment.substeps) == (paths, duration, 0.01, 1)
    assert experiment.initial == tuple(zip(low, high, strict=True))
    assert experiment.boundary == ({"x": 0.05} if key == "bessel-drift" else {})


def test_the_second_example_is_independent_increments():
    data = catalogue["linear"].simulate()
    assert len(data) == 256_000
    assert data.points == 512_000
    start, x = data.flat_times[::2], data.flat_states[::2, 0]
    for values, low, high in ((start, 0, 5), (x, -2, 2)):
        counts = np.histogram(values, bins=10, range=(low, high))[0]
        assert np.abs(counts / 25_600 - 1).max() < 0.05
    assert abs(np.corrcoef(start, x)[0, 1]) < 0.01
    step = data.flat_states[1::2, 0] - x
    np.testing.assert_allclose(data.flat_times[1::2] - start, 0.01)
    assert abs(np.std(step - 0.01 * x) / 0.1 - 1) < 0.01
    assert abs(np.polyfit(x, step, 1)[0] / 0.01 - 1) < 0.1


def test_data_are_the_same_for_the_same_seed_and_do_not_depend_on_the_number_of_paths():
    for key in ("linear", "brownian-2d"):
        few, many = catalogue[key].simulate(paths=3, seed=7), catalogue[key].simulate(paths=10, seed=7)
        other = catalogue[key].simulate(paths=3, seed=8)
        for path in range(3):
            np.testing.assert_array_equal(few.times[path], many.times[path])
            np.testing.assert_array_equal(few.states[path], many.states[path])
        assert not np.array_equal(few.flat_states, other.flat_states)


@pytest.mark.parametrize("key", ["linear", "brownian"])
@pytest.mark.parametrize("wrong", [{"paths": 0}, {"paths": "many"}, {"paths": 2.5}, {"seed": -1}, {"seed": None}])
def test_wrong_numbers_end_in_our_error(key, wrong):
    with pytest.raises(InputError, match="give a whole number"):
        catalogue[key].simulate(**{"paths": 2, **wrong})


def test_an_experiment_is_a_plain_value():
    assert Experiment(((0, 1),)) == Experiment(((0, 1),))


# --- names -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("key", "kind"), cases())
def test_the_stated_name_is_that_of_the_exact_generators(key, kind):
    system = catalogue[key]
    if system.infinite:
        with pytest.raises(InputError, match="infinite"):
            system.algebra_name(kind)
    else:
        assert system.algebra(kind).name == system.algebra_name(kind)
