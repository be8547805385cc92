"""The engine's parts behind the training, and the whole way from paths to a result."""

from __future__ import annotations

import json
from dataclasses import replace

import jax
import numpy as np
import pytest
import sympy

import liestonet as lsn
from findings import of_data
from liestonet.core.domain import Domain
from liestonet.core.points import PointCloud as Points
from liestonet.neural import engine as stages
from liestonet.neural.clouds import PathPoints, balanced, make_cloud, reflected
from liestonet.neural.coefficients.settings import PAPER, CoefficientSettings, Diagonal
from liestonet.neural.frame import TrainingFrame
from liestonet.neural.generator_networks import make_networks
from liestonet.neural.last_layer import learned_basis
from liestonet.neural.series_projection import project_on, project_span
from liestonet.neural.settings import Architecture, Cloud, Neural, Optimizer, Running
from liestonet.neural.training import COMPILED
from liestonet.neural.tuning import GENERATORS
from liestonet.render.verdict import verdict
from liestonet.symmetry.determining.fields import Fields
from liestonet.symmetry.determining.kinds import ITO
from liestonet.symmetry.determining.operator import Operator

BOX = Domain(((0.0, 2.0), (-1.0, 3.0)))


def lattice(domain: Domain, count: int = 600) -> np.ndarray:
    low, high = np.array(domain.intervals).T
    return np.random.default_rng(0).uniform(low, high, size=(count, len(low)))


def test_projection_is_exact_for_polynomials_and_says_what_it_misses():
    def polynomial(points):
        t, x = points.T
        return np.stack([np.stack([1 + t**2, t * x**2], axis=-1), np.stack([t, x - 1], axis=-1)])

    points = lattice(BOX)
    found = project_span(ITO, 1, BOX, polynomial, points)
    assert found.error < 1e-9
    tau, xi = Fields(found.basis, found.coefficients)(points[:, 0], points[:, 1:])
    np.testing.assert_allclose(np.stack([tau, xi[..., 0]], axis=-1), polynomial(points), atol=1e-9)
    jumping = np.sign(points[:, 1] - 1)
    values = np.stack([np.stack([np.zeros(len(points)), jumping], axis=-1)])
    again = project_on(found.basis, values, points)
    tau, xi = Fields(again.basis, again.coefficients)(points[:, 0], points[:, 1:])
    assert again.error == pytest.approx(np.sqrt(np.mean((xi[0, :, 0] - jumping) ** 2)), rel=1e-6)


def test_learned_basis_has_the_derivatives_of_its_functions():
    networks = make_networks(jax.random.key(0), Architecture((5,), (6, 6), (4,)), 2, 1, False)
    points = lattice(BOX, 200)
    cloud = Points(points, np.full(200, 1 / 200))
    basis = learned_basis(ITO, networks, TrainingFrame.of(BOX, True), BOX, cloud, 1)
    tables = basis.tables(points, 2)
    step = 1e-4
    for unknown, derivative in ((0, (0,)), (1, (0,)), (1, (1,)), (1, (0, 1)), (1, (1, 1))):
        shift = np.zeros(2)
        shift[derivative[-1]] = step
        ahead = basis.functions(basis.tables(points + shift, 2), unknown, derivative[:-1])
        behind = basis.functions(basis.tables(points - shift, 2), unknown, derivative[:-1])
        expected = (ahead - behind) / (2 * step)
        np.testing.assert_allclose(
            basis.functions(tables, unknown, derivative), expected, atol=1e-5 * (1 + np.abs(expected).max())
        )
    values = basis.functions(tables, 1, ()) / basis.scales[1]
    np.testing.assert_allclose(values.T @ values / 200, np.eye(values.shape[1]), atol=1e-6)


def test_last_layer_on_the_spectral_operator_finds_exact_generators():
    """Random features hold affine functions, and so the algebra of Brownian motion, exactly."""
    system = lsn.catalogue["brownian"]
    domain = Domain.from_pairs(system.box, 1)
    networks = make_networks(jax.random.key(0), Architecture((6,), (8,), (4,)), 2, 1, False)
    points = lattice(domain, 400)
    cloud = Points(points, np.full(400, 1 / 400))
    basis = learned_basis(ITO, networks, TrainingFrame.of(domain, True), domain, cloud, 1)
    matrix = Operator(ITO, system.sde.coefficients(domain), domain, cloud).assemble(basis).dense()
    _, sizes, right = np.linalg.svd(matrix, full_matrices=False)
    assert sizes[-3] < 1e-8 < 1e-3 < sizes[-4]
    found = Fields(basis, right[-3:].T)
    angles = lsn.principal_angles(found, system.generators("ito"), points[:, 0], points[:, 1:])
    assert angles.max() < 1e-4


def test_reflection_keeps_states_in_the_box():
    low, high = np.array([0.0]), np.array([1.0])
    x = np.array([[-0.25], [0.5], [1.25], [2.5], [-1.25]])
    np.testing.assert_allclose(reflected(x, low, high)[:, 0], [0.25, 0.5, 0.75, 0.5, 0.75])


def test_balancing_covers_the_coordinate_more_evenly():
    rng = np.random.default_rng(0)
    middle = rng.choice([-0.5, 0.5, 2.5], size=120, p=[0.8, 0.15, 0.05])
    x = np.clip(middle[:, None] + 0.3 * rng.standard_normal((120, 10)), -1, 3)
    paths = np.stack([np.broadcast_to(np.linspace(0, 2, 10), (120, 10)), x], axis=-1)

    def spread(some):
        counts = np.histogram(some[:, :, 1], np.linspace(-1, 3, 9))[0]
        return counts.std() / counts.mean()

    assert spread(balanced(paths, BOX, 30, 8)) < 0.7 * spread(paths)


def test_clouds_hold_what_was_asked_for():
    points = np.column_stack([np.linspace(0, 2, 500), np.linspace(-3, 5, 500)])
    data = PathPoints(points, 0.1 + points[:, 0])

    def never(paths, rng):
        raise AssertionError("data were asked for")

    cloud, steps = make_cloud(Cloud(uniform=0.25, points=400, floor=0.5), BOX, data, never, 0)
    assert cloud.shape == (400, 2)
    assert cloud[:, 1].min() >= 0.5
    on_the_line = np.isclose(cloud[:, 1], -3 + 4 * cloud[:, 0], atol=1e-9)
    assert on_the_line.sum() == 300
    # each with the step that begins there, and those off the paths with the median
    np.testing.assert_array_equal(steps[on_the_line], 0.1 + cloud[on_the_line, 0])
    used = points[(points[:, 1] >= 0.5) & (points[:, 1] <= 3.0), 0]
    np.testing.assert_allclose(steps[~on_the_line], 0.1 + np.median(used))
    times = np.array([0.0, 0.1, 0.3, 0.6, 1.0])
    simulated, steps = make_cloud(
        Cloud(source="simulated", uniform=0.0, points=None, trajectories=7),
        BOX,
        data,
        lambda paths, rng: np.stack(np.broadcast_arrays(times, np.ones((paths, 1))), axis=-1),
        0,
    )
    assert simulated.shape == (35, 2)
    np.testing.assert_allclose(steps, np.interp(simulated[:, 0], times, [0.1, 0.2, 0.3, 0.4, 0.4]))
    with pytest.raises(lsn.InputError, match="no point in the box"):
        make_cloud(Cloud(floor=100.0), BOX, data, never, 0)


SMALL = Neural(
    architecture=Architecture(tau=(16,), xi=(24, 24)),
    cloud=Cloud(points=1024),
    optimizer=Optimizer(batch=128, steps=600, rate=1e-2),
    running=Running(chunk=200),
)


@pytest.mark.slow
def test_paths_of_brownian_motion_to_a_result():
    """With the span imposed and trained on, formulas, and the spectral engine's answer beside it."""
    COMPILED.clear()
    sde = lsn.catalogue["brownian"].sde
    data = sde.simulate(
        initial=lambda rng, count: rng.uniform(-2, 2, (count, 1)), duration=2.0, step=0.02, paths=256, seed=4
    )
    said = []
    engine = replace(SMALL, compare=True)
    result = lsn.discover(data, engine=engine, dimension=3, seed=1, progress=said.append)
    points = lattice(result.domain, 1000)
    exact = lsn.catalogue["brownian"].generators("ito")
    for generators, largest in ((result.generators, 5.0), (result.training.generators, 10.0)):
        angles = lsn.principal_angles(generators, exact, points[:, 0], points[:, 1:])
        assert angles.max() < largest
    assert result.dimension == 3
    assert result.training.history.shape == (600, 4)
    assert result.training.projection_error < 0.05
    assert any("s left" in text for text in said)
    text = json.loads(result.to_json())
    assert text["training"]["selected"]["jump"] == 3
    assert Neural.from_dictionary(text["training"]["settings"]) == engine
    assert result.provenance is not None
    assert result.provenance.tuning["GeneratorTuning"]["jump"] == GENERATORS.jump
    assert "LearntTuning" in result.provenance.tuning
    assert "3" in verdict(result)
    # training on refitted coefficients has the same shapes: nothing is compiled twice
    assert of_data(result).refit is not None
    assert any("on refitted coefficients" in text for text in said)
    assert len(COMPILED) == 1
    assert 0 <= result.training.angle < 5
    assert f"{result.training.angle:.2g}°" in next(f.message for f in result.flags if f.code == "engines")
    _formulas_are_the_generators(result, points)
    tau, xi = result.candidates(4)(points[:, 0], points[:, 1:])
    assert tau.shape == (4, 1000)
    assert xi.shape == (4, 1000, 1)


@pytest.mark.slow
def test_a_killed_run_of_both_stages_goes_on_to_the_same_bits(tmp_path, monkeypatch):
    """The surrogate is learnt once, training goes on where it was, and other data are refused."""
    monkeypatch.setitem(PAPER, 1, replace(PAPER[1], steps=200, batch=256))
    data, other = (lsn.catalogue["brownian"].simulate(paths=64, seed=seed) for seed in (0, 1))
    engine = replace(SMALL, surrogate="paper-1", shifts=False, refit=False, optimizer=Optimizer(batch=64, steps=60))
    engine = engine.with_running(chunk=20)
    whole = lsn.discover(data, engine, dimension=2, formulas=False, seed=1)
    kept = engine.with_running(checkpoint=str(tmp_path))

    def killed(text):
        if "step 40 of 60" in text:
            raise RuntimeError("killed")

    with pytest.raises(RuntimeError, match="killed"):
        lsn.discover(data, kept, dimension=2, formulas=False, seed=1, progress=killed)
    said = []
    resumed = lsn.discover(data, kept, dimension=2, formulas=False, seed=1, progress=said.append)
    assert not any("training the surrogate" in text or "step 20 of 60" in text for text in said)
    np.testing.assert_array_equal(whole.training.history, resumed.training.history)
    leaves = (jax.tree.leaves(result.training.networks) for result in (whole, resumed))
    for first, second in zip(*leaves, strict=True):
        np.testing.assert_array_equal(first, second)
    assert [row.residual for row in whole.ladder] == [row.residual for row in resumed.ladder]
    with pytest.raises(lsn.InputError, match="belongs to other data"):
        lsn.discover(other, kept, dimension=2, formulas=False, seed=1)


@pytest.mark.slow
def test_symmetries_are_imposed_on_learnt_coefficients_too(monkeypatch):
    """Networks in both stages: ∂t and two more of Brownian motion, with the likelihood ratio in place of a gain."""
    monkeypatch.setitem(PAPER, 1, CoefficientSettings(Diagonal(), steps=500, batch=1024))
    data = lsn.catalogue["brownian"].simulate(paths=128, seed=0)
    result = lsn.discover(data, replace(SMALL, surrogate="paper-1"), dimension=3, formulas=False, seed=1)
    points = lattice(result.domain, 1000)
    exact = lsn.catalogue["brownian"].generators("ito")
    assert lsn.principal_angles(result.generators, exact, points[:, 0], points[:, 1:]).max() < 10
    assert of_data(result).refit is not None
    assert json.loads(result.to_json())["refit"]["held_out"] == "nan"


def _formulas_are_the_generators(result, points):
    """Row by row, where a formula was found: the same field up to the error that the formula admits."""
    t, x = sympy.symbols("t x", real=True)
    tau, xi = result.generators(points[:, 0], points[:, 1:])
    rows = result.formulas()
    assert len(rows) == 3
    assert any(row.status == "consistent" for row in rows)
    for k, row in enumerate(rows):
        if row.status == "numerical":
            continue
        known = {"t": t, "x": x, **{constant.symbol.name: constant.value for constant in row.constants}}
        for formula, values in ((row.tau, tau[k]), (row.xi[0], xi[k, :, 0])):
            plain = formula.subs({s: known[s.name] for s in formula.free_symbols})
            expected = np.broadcast_to(sympy.lambdify((t, x), plain)(*points.T), len(points))
            np.testing.assert_allclose(values, expected, atol=0.1 * (1 + np.abs(expected).max()))


@pytest.mark.slow
def test_training_knows_the_time_step_of_every_point(monkeypatch):
    """Steps of 0.01 and of 0.05 by turns: a point of the data has the one that begins there, not their median."""
    times = np.concatenate([[0.0], np.cumsum(np.tile([0.01, 0.05], 40))])
    rng = np.random.default_rng(0)
    moves = np.sqrt(np.diff(times))[None, :, None] * rng.standard_normal((40, 80, 1))
    states = np.concatenate([rng.uniform(-1, 1, (40, 1, 1)), moves], axis=1).cumsum(axis=1)
    seen = []

    def no_training(start, settings, kind, table, seed, watch):
        seen.append(table)
        return start

    monkeypatch.setattr(stages, "train", no_training)
    quick = replace(SMALL, cloud=Cloud(points=512, uniform=0.0), refit=False, polish=False, shifts=False)
    result = lsn.discover(lsn.Trajectories.from_arrays(times, states), quick, dimension=1, formulas=False)
    frame = TrainingFrame.of(result.domain, True)
    t = frame.centre[0] + frame.half[0] * seen[0]["points"][:, 0]
    own = np.diff(times)[np.argmin(np.abs(t[:, None] - times[:-1]), axis=1)]
    np.testing.assert_allclose(seen[0]["time_step"] * frame.half[0], own, rtol=1e-9)
    assert len(np.unique(own.round(3))) == 2


def test_engine_of_another_kind_is_refused():
    data = lsn.catalogue["brownian"].simulate(paths=8, seed=0)
    with pytest.raises(lsn.InputError, match="Neural"):
        lsn.discover(data, engine="neural")


def test_impossible_dimension_is_refused():
    data = lsn.catalogue["brownian"].simulate(paths=64, seed=0)
    with pytest.raises(lsn.InputError, match="dimension must be a whole number"):
        lsn.discover(data, engine=SMALL, dimension=100_000)


def test_more_generators_than_the_data_support_are_refused():
    times = np.linspace(0, 1, 21)
    data = lsn.Trajectories.from_arrays(times, np.random.default_rng(0).standard_normal((8, 21, 1)).cumsum(axis=1))
    with pytest.raises(lsn.InputError, match="from 1 to 40 for these data"):
        lsn.discover(data, engine=SMALL, dimension=41)


@pytest.mark.slow
@pytest.mark.parametrize("key", ["brownian", "ornstein-uhlenbeck"])
def test_sweep_finds_the_dimension(key):
    system = lsn.catalogue[key]
    result = lsn.discover(system.simulate(seed=3), engine=Neural(sweep=4), formulas=False)
    assert result.training.selected["jump"] == system.dimension("ito")
    assert result.dimension == system.dimension("ito")
    assert "sweep" in {flag.code for flag in result.flags}


@pytest.mark.slow
def test_the_papers_rule_gives_the_dimension_of_a_sweep_from_cold_starts():
    """Each number of generators as if it had been asked for alone, and the first non-trivial minimum of L1 taken."""
    data = lsn.catalogue["brownian"].simulate(paths=64, seed=5)
    engine = replace(SMALL, sweep=3, start="cold", selection="paper", shifts=False, refit=False, polish=False)
    engine = replace(engine, optimizer=Optimizer(batch=64, steps=40))
    swept = lsn.discover(data, engine=engine, formulas=False)
    closure = {rung.count: rung.losses[1] for rung in swept.training.rungs if rung.count > 1}
    assert swept.dimension == (2 if closure[2] <= closure[3] else 3)
    assert swept.dimension == swept.training.selected["paper"]
    tau, _ = swept.generators(np.zeros(3), np.zeros((3, 1)))
    assert len(tau) == swept.dimension
    alone = lsn.discover(data, engine=engine, dimension=2, formulas=False)
    assert alone.training.rungs[0].losses == swept.training.rungs[1].losses
    (flag,) = [flag for flag in swept.flags if flag.code == "sweep"]
    assert "The first is the paper's and gives the dimension" in flag.message


@pytest.mark.slow
def test_a_sweep_with_the_papers_rule_goes_one_by_one_in_any_dimension():
    sde = lsn.SDE.parse("; ".join(f"dx{i} = dW{i}" for i in range(1, 5)))
    data = sde.simulate(initial=np.zeros(4), duration=1.0, step=0.02, paths=64, seed=1)
    engine = replace(SMALL, sweep=3, start="cold", selection="paper", refit=False, polish=False)
    result = lsn.discover(data, engine=engine, formulas=False)
    assert [rung.count for rung in result.training.rungs] == [1, 2, 3]
    assert all(1 in rung.losses for rung in result.training.rungs)


@pytest.mark.slow
def test_four_dimensions_are_looked_at_from_above():
    """Brownian motion in four dimensions: n + 2 generators, and one training instead of six."""
    sde = lsn.SDE.parse("; ".join(f"dx{i} = dW{i}" for i in range(1, 5)))
    data = sde.simulate(
        initial=lambda rng, count: rng.uniform(-2, 2, (count, 4)), duration=1.0, step=0.02, paths=256, seed=1
    )
    engine = Neural(cloud=Cloud(points=1024), optimizer=Optimizer(batch=128, steps=600))
    result = lsn.discover(data, engine=engine, formulas=False)
    assert result.dimension == 6
    assert result.training.selected["jump"] == 6
    assert [rung.count for rung in result.training.rungs] == [1, 2, 3, 4, 5, 6]
