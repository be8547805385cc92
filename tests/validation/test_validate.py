"""Containment, pushes, refits, gates and sensitivity: against exact algebra and by what they must catch."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.stats
from typer.testing import CliRunner

import liestonet as lsn
from liestonet import cli
from liestonet.core.domain import Domain
from liestonet.core.points import lattice_cloud
from liestonet.render.validation_text import tables, to_json
from liestonet.symmetry.determining.kinds import LAW
from liestonet.validation.after_push import _in_pieces, _some_paths, after_push, misfit, overlap
from liestonet.validation.containment import containment_angles, subset_angles
from liestonet.validation.generator_input import parse_generators
from liestonet.validation.generator_residuals import put_in
from liestonet.validation.lack_of_fit import lack_of_fit
from liestonet.validation.null_model import as_pairs, draw, null_model, stream
from liestonet.validation.push_test import (
    Comparison,
    PushedPlaces,
    compare,
    invariance,
    standardised,
    together,
    trail,
    warp_speed,
)
from liestonet.validation.ratio_test import _halved
from liestonet.validation.sensitivity import change_bound, sensitivity
from liestonet.validation.validate import Validation, _own_gates

OU = lsn.SDE.parse("dx = -x dt + dW")
LINE = Domain(((0.0, 1.0), (-1.0, 1.0)))  # no coordinate is periodic
T, X = np.random.default_rng(1).uniform(0, 2, 60), np.random.default_rng(2).uniform(-2, 2, (60, 1))


def recording(sde: lsn.SDE, paths: int, seed: int, duration: float = 1.0) -> lsn.Trajectories:
    n = sde.dimension
    return sde.simulate(lambda rng, k: rng.uniform(-2, 2, (k, n)), duration=duration, step=0.02, paths=paths, seed=seed)


def generators(text: str) -> Any:
    return parse_generators(text, ("x",))


def test_containment_does_not_depend_on_the_bases():
    inner, outer = generators("d_t + 3 d_x"), generators("d_t; d_x; x d_x")
    mixed = generators("2 d_t - x d_x; d_t + d_x; d_x + 5*x d_x; d_t + d_x")  # dependent, too
    np.testing.assert_allclose(containment_angles(inner, outer, T, X), 0, atol=1e-6)
    np.testing.assert_allclose(containment_angles(inner, mixed, T, X), 0, atol=1e-6)
    right = containment_angles(generators("d_t"), generators("d_x"), T, X)
    np.testing.assert_allclose(right, 90, atol=1e-6)
    # two dimensions do not fit into one
    both = containment_angles(generators("d_t; d_x"), generators("d_x"), T, X)
    np.testing.assert_allclose(both, [0, 90], atol=1e-6)


def test_containment_can_leave_beta_out():
    density = generators("d_x - x u d_u; u d_u")
    np.testing.assert_allclose(containment_angles(generators("d_x"), density, T, X, beta=False), 0, atol=1e-6)
    lifted = generators("d_x + 0*u d_u; u d_u")
    assert containment_angles(generators("d_x + 5*u d_u"), density, T, X)[0] > 1
    assert containment_angles(lifted, density, T, X, beta=False).shape == (1,)


def test_subsets_depend_on_the_basis_and_say_so():
    """{∂t, ∂x} against ∂x: 90° and 0°; the same span as {∂t, ∂t + ∂x}: 90° and 45°."""
    one = subset_angles(generators("d_t; d_x"), generators("d_x"), T, X)
    other = subset_angles(generators("d_t; d_t + d_x"), generators("d_x"), T, X)
    np.testing.assert_allclose(one.angles[:, 0], [90, 0], atol=1e-6)
    np.testing.assert_allclose(other.angles[:, 0], [90, 45], atol=1e-6)
    assert "basis" in one.note


def test_delta_nll_of_an_exact_symmetry_is_zero():
    """Brownian motion with exact coefficients: the scaling leaves every standardised residual as it was."""

    @dataclasses.dataclass(frozen=True)
    class Exact:
        domain: Domain
        noisy = np.array([True])

        def drift(self, t: np.ndarray, x: np.ndarray) -> np.ndarray:
            return np.zeros_like(x)

        def diffusion_squared(self, t: np.ndarray, x: np.ndarray) -> np.ndarray:
            return np.ones((len(x), 1, 1))

    source: Any = Exact(Domain(((0.0, 1.0), (-9.0, 9.0))))
    steps = recording(lsn.SDE.parse("dx = dW"), 50, 1, duration=0.4).increments()
    given = generators("2 t d_t + x d_x")
    ends = steps.t + steps.dt, steps.x + steps.dx
    start, end = (trail(given, *place, (0.3,), source.domain)[0] for place in ((steps.t, steps.x), ends))
    found = compare(source, steps, start, end)
    z, _ = standardised(source, steps)
    assert found.used == len(steps.t)
    assert abs(found.delta_nll) < 1e-4
    assert found.energy < 1e-3
    # x∂x alone doubles the variance in units of the noise: ΔNLL = ½(e^{2ε} − 1) E z²
    wrong = generators("x d_x")
    start, end = (trail(wrong, *place, (0.3,), source.domain)[0] for place in ((steps.t, steps.x), ends))
    expected = 0.5 * (np.exp(0.6) - 1) * np.mean(z**2)
    assert compare(source, steps, start, end).delta_nll == pytest.approx(expected, rel=1e-3)


def test_pushed_data_distinguish_symmetries_from_other_fields():
    data = recording(OU, 100, 2)
    found = invariance(data, "exp(-t) d_x; x d_x", epsilons=(0.1, 0.3), draws=19)
    true, wrong = found.rows[:2], found.rows[2:]
    assert all(row.p_value > 0.05 for row in true)
    assert max(abs(row.delta_nll) for row in true) < 0.02
    assert all(min(row.p_delta_nll, row.p_energy) == 0.05 for row in wrong)  # the smallest there is with 19 draws
    assert wrong[1].delta_nll > 10 * abs(true[1].delta_nll)
    assert all(len(row.control) == 3 for row in found.rows)
    assert found.largest[0] == (0.3, np.inf)


def test_coordinates_without_noise_have_no_residuals():
    data = recording(lsn.SDE.parse("dx = y dt; dy = -y dt + sqrt(2) dW"), 60, 2)
    row = invariance(data, "d_x", epsilons=(0.3,), draws=0).rows[0]
    assert row.used > 1000
    assert abs(row.delta_nll) < 0.01


def test_controls_move_the_data_as_far():
    from liestonet.validation.push_test import control_pushes, mean_displacement

    data = recording(OU, 40, 2)
    surrogate = lsn.fit(data)
    steps = data.increments()
    for field in control_pushes(surrogate, steps, 0.2, np.random.default_rng(0)):
        moved = trail(field, steps.t, steps.x, (1.0,), surrogate.domain)[0]
        assert mean_displacement(steps, moved, surrogate.domain) == pytest.approx(0.2, rel=0.15)


def test_the_null_model_has_the_symmetry():
    """Imposed ∂x leaves neither drift nor diffusion a dependence on x."""
    surrogate = lsn.fit(recording(OU, 60, 3))
    model = null_model(LAW, surrogate, generators("d_x"))
    t, x = np.full(9, 0.5), np.linspace(*surrogate.domain.intervals[1], 9)[:, None]
    assert np.ptp(model.drift(t, x)) < 0.02 * np.ptp(surrogate.drift(t, x))


def test_draws_have_the_models_moments():
    data = recording(OU, 200, 4)
    surrogate, steps = lsn.fit(data), data.increments()
    drawn = draw(surrogate, steps, ("x",), np.random.default_rng(0)).increments()
    z = (drawn.dx - surrogate.drift(steps.t, steps.x) * steps.dt[:, None])[:, 0]
    z /= np.sqrt(surrogate.diffusion_squared(steps.t, steps.x)[:, 0, 0] * steps.dt)
    assert scipy.stats.kstest(z, "norm").pvalue > 1e-3
    np.testing.assert_allclose(as_pairs(steps, ("x",), LINE).increments().dx, steps.dx, atol=1e-12)


@pytest.mark.slow
def test_refits_after_a_push_stand_between_floor_and_control():
    sde = OU
    rows = after_push(recording(OU, 150, 5), "exp(-t) d_x; x d_x", (0.5,), truth=sde, fresh=recording(OU, 150, 6))
    true, wrong = rows
    assert true.residual is not None
    assert true.floor is not None
    assert wrong.residual is not None
    assert true.residual.drift < 5 * true.floor.drift + 1e-3
    assert wrong.residual.diffusion > 30 * true.residual.diffusion
    assert true.control is not None
    assert true.control.drift + true.control.diffusion > 5 * (true.residual.drift + true.residual.diffusion)


def test_boxes_overlap_or_they_do_not():
    first = Domain(((0.0, 1.0), (0.0, 2.0)))
    assert overlap(first, Domain(((0.0, 1.0), (5.0, 6.0)))) is None
    common = overlap(first, Domain(((0.5, 2.0), (-1.0, 1.0))))
    assert common is not None
    assert common.intervals == ((0.5, 1.0), (0.0, 1.0))
    assert misfit(OU, OU, first).drift == 0


@pytest.mark.parametrize(
    ("data", "gate"),
    [
        (recording(OU, 100, 7), None),
        (recording(OU, 100, 7).degrade(noise=0.1), "markov"),
        (recording(lsn.SDE.parse("dx = 5*y dt + dW1; dy = -5*y dt + 5 dW2"), 100, 7), "markov"),
    ],
)
def test_gates_fail_where_the_data_are_no_diffusion(data: lsn.Trajectories, gate: str | None):
    """The first coordinate alone, as it is: what is modelled of a recording is no fault of it."""
    plain = lsn.Measurement.exact(steps="euler")
    data = lsn.Trajectories.from_arrays(data.times, [states[:, :1] for states in data.states], measurement=plain)
    found = lack_of_fit(data)
    assert found.passed == (gate is None)
    assert gate is None or not next(row for row in found.gates if row.name == gate).passed


def test_halves_that_differ_are_noticed():
    one, other = recording(OU, 60, 8), recording(lsn.SDE.parse("dx = 2*x dt + dW"), 60, 9)
    both = lsn.Trajectories.from_arrays([*one.times, *other.times], [*one.states, *other.states])
    gate = lack_of_fit(both).gates[2]
    assert gate.name == "halves"
    assert not gate.passed


@pytest.mark.parametrize("shape", ["sine", "network"])
def test_a_perturbation_has_the_size_that_was_asked_for(shape: str):
    surrogate = lsn.fit(recording(OU, 60, 10))
    points = lattice_cloud(surrogate.domain, 500).points
    changed = surrogate.perturb(0.1, shape, seed=3)
    change = changed.drift(points[:, 0], points[:, 1:]) - surrogate.drift(points[:, 0], points[:, 1:])
    unit = surrogate.domain.half[1] / surrogate.domain.half[0]
    assert np.sqrt(np.mean(change**2)) == pytest.approx(0.1 * unit, rel=0.15)
    assert surrogate.perturb(0.0, shape).parameters == pytest.approx(surrogate.parameters)


def test_the_bound_bounds_and_the_angle_grows():
    surrogate = lsn.fit(recording(OU, 200, 10))
    fields = lsn.solve(OU, domain=surrogate.domain.intervals, formulas=False).fields
    rows = sensitivity(surrogate, fields, LAW, amplitudes=(0.01, 0.1), shapes=("sine",))
    assert all(row.residual <= row.bound for row in rows)
    assert rows[1].angle > rows[0].angle
    cloud = lattice_cloud(surrogate.domain, 200)
    changed = surrogate.perturb(0.05, "network")
    before, after = (put_in(LAW, s, fields, cloud, surrogate.domain).residual for s in (surrogate, changed))
    moved = np.linalg.norm(after - before, axis=1)
    assert (moved <= change_bound(LAW, surrogate, changed, fields, cloud)).all()
    with pytest.raises(lsn.InputError, match="sine"):
        surrogate.perturb(0.1, "step")


def test_one_draw_and_the_data_give_the_same_kind_of_numbers():
    seen, draws = warp_speed(recording(OU, 40, 11), "exp(-t) d_x", 0.3, 0, draws=2)
    assert len(draws) == 2
    assert seen.keys() == draws[0].keys()
    assert all(0 <= value < 0.2 for found in (seen, *draws) for value in found.values())


def test_statistics_together_have_an_exact_rank():
    """Data that are like their draws have every rank equally often, however the statistics depend on each other."""
    rng = np.random.default_rng(4)

    def one() -> list[Comparison]:
        common = rng.standard_exponential()
        return [Comparison(common, common * rng.random(), rng.random(), 0.1, 500, 0) for _ in range(2)]

    p_values = [together(one(), [one() for _ in range(19)]) for _ in range(2000)]
    counts = np.bincount(np.rint(20 * np.array(p_values)).astype(int), minlength=21)[1:]
    assert scipy.stats.chisquare(counts).pvalue > 1e-4
    large = [Comparison(50.0, 50.0, 50.0, 0.1, 500, 0)] * 2
    assert together(large, [one() for _ in range(19)]) == 1 / 20


def test_draws_do_not_repeat_the_noise_of_data_made_with_the_same_seed():
    first = stream(3, "generator 0").standard_normal(50)
    for other in (np.random.default_rng(3), np.random.default_rng([3, 0]), stream(3, "generator 1")):
        assert not np.isin(first, other.standard_normal(500)).any()


@pytest.mark.slow
def test_long_recordings_are_refitted_in_part():
    """One path of 30,000 points is cut into pieces, and no more of them are pushed than was asked for."""
    long = OU.simulate(initial=[0.0], duration=300.0, step=0.01, paths=1, seed=3)
    row = after_push(long, "d_t", (0.2,), truth=OU, most=6000)[0]
    assert row.residual is not None
    assert row.floor is not None
    # a shift of time changes nothing: fits before and after it use one model of the recording
    assert row.residual.drift == pytest.approx(row.floor.drift, rel=1e-9)
    assert row.residual.diffusion == pytest.approx(row.floor.diffusion, rel=1e-9)
    pieces = _some_paths(_in_pieces(long, 6000), 6000, np.random.default_rng(0))
    assert 5000 < pieces.points <= 6000
    assert set(np.diff(pieces.offsets)) == {120}


@pytest.fixture(scope="module")
def result() -> lsn.Trajectories | Any:
    return lsn.discover(recording(OU, 100, 12), formulas=False)


@pytest.mark.slow
def test_validation_of_a_result(result: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    data = recording(OU, 60, 13)
    found = lsn.validate(result, data, draws=19, epsilons=(0.1,))
    assert not found.conditional
    assert "No check rejects" in found.sentences()[0]
    assert found.containment is not None
    assert found.containment.same_data is False
    assert "held out" not in "\n".join(tables(found))
    assert result.with_validation(found).validation is found
    page = tmp_path / "report.html"
    result.with_validation(found).report(page)
    assert "Validation</h2>" in page.read_text()
    doubtful = dataclasses.replace(found, gates=lack_of_fit(data.degrade(noise=0.2)))
    assert doubtful.sentences()[0].startswith("Provided that the data are a diffusion")
    monkeypatch.setattr("liestonet.cli.validate.load_run", lambda run: result)
    monkeypatch.setattr("liestonet.validation.validate.validate", lambda *words, **options: found)
    path = tmp_path / "other.csv"
    data.write(path)
    outcome = CliRunner().invoke(cli.app, ["validate", "run.lsn", "--data", str(path), "--json"])
    assert outcome.exit_code == 0, outcome.output
    assert len(json.loads(outcome.stdout)["after_push"]) == 2 * result.dimension
    page.unlink()
    folder = tmp_path / "run"
    words = ["validate", "run.lsn", "--report", str(page), "--out", str(folder)]
    shown = CliRunner().invoke(cli.app, words).stdout
    assert "refit after" in shown
    assert max(len(line) for line in shown.splitlines()) <= 80
    assert "Validation</h2>" in page.read_text()
    assert "Validation</h2>" in (folder / "report.html").read_text()
    assert lsn.load(folder / "run.lsn").validation.sentences() == found.sentences()


@pytest.mark.slow
def test_without_data_the_doubts_of_the_run_are_kept(tmp_path: Path):
    """Noise in data that are said to be exact: single increments do not show it, but the run and its steps do."""
    noisy = recording(OU, 40, 3).degrade(noise=0.08)
    found = lsn.discover(noisy, formulas=False, measurement=lsn.Measurement.exact())
    assert "measurement-noise" in [flag.code for flag in found.flags]
    found.save(tmp_path / "run.lsn")
    again = lsn.load(tmp_path / "run.lsn")
    gates = _own_gates(again, as_pairs(again.surrogate.overview.sample, again.names, again.surrogate.domain))
    assert not gates.gates[0].passed
    assert [flag.code for flag in gates.doubts] == ["measurement-noise"]
    validation = lsn.validate(again, draws=19, epsilons=(0.1,))
    first = validation.sentences()[0]
    assert any("again on 20 of 40 paths (" in line for line in validation.sentences())
    assert first.startswith("Provided that the data are a diffusion")
    assert "(markov, measurement-noise)" in first
    assert validation.test is not None
    assert [flag.code for flag in validation.test.doubts] == ["measurement-noise"]
    assert len(set(validation.sentences())) == len(validation.sentences())
    # nothing is held out for the lift, and its line says so
    assert "found on these data, and none are held out" in " ".join("\n".join(tables(validation)).split())
    assert again.with_validation(validation).validation.containment.same_data
    # a flag of the run counts even where nothing that was kept shows it
    steps = recording(OU, 40, 3).increments()
    plain = lack_of_fit(as_pairs(steps, ("x",), LINE), known=found.flags)
    assert not plain.passed


def test_kept_increments_are_split_by_path():
    """Increments of a path are on one side, whatever the order; those of a single path are called increments."""
    data = recording(OU, 12, 3)
    steps = data.increments()
    pairs = as_pairs(steps, ("x",), LINE)
    first, second, told = _halved(pairs, 0, steps.trajectory)
    starts = [{(t[0], x[0, 0]) for t, x in zip(part.times, part.states, strict=True)} for part in (first, second)]
    for path in range(12):
        rows = {(steps.t[k], steps.x[k, 0]) for k in np.flatnonzero(steps.trajectory == path)}
        assert rows <= starts[0] or rows <= starts[1]
    assert (len(first), len(second)) == (300, 300)
    assert told == "6 of 12 paths (300 of 600 increments that were kept) and tested on the other 6."
    alone = _halved(pairs, 0, np.zeros_like(steps.trajectory))[2]
    assert "300 of 600 increments" in alone
    assert "neighbours" in alone
    # and halves of three paths are not compared, however many increments these have
    gates = lack_of_fit(pairs, pieces=steps.trajectory // 4).gates
    assert gates[2].outcome == "not tested"


@pytest.mark.usefixtures("undrawn")
def test_gates_that_could_not_be_asked_say_so(result: Any, tmp_path: Path):
    """Single increments have no neighbours: memory is not tested, which is neither passed nor p = 1."""
    single = as_pairs(recording(OU, 60, 7).increments(), ("x",), LINE)
    gates = lack_of_fit(single)
    assert [gate.outcome for gate in gates.gates] == ["not tested", "passed", "passed"]
    assert gates.passed
    validation = Validation((), "law", gates, None, None, (), (), None, np.zeros(0), 3000)
    assert any(line.startswith("Not tested (markov)") for line in validation.sentences())
    row = next(line for line in tables(validation) if "Markov" in line)
    assert row.split("(Markov)")[1].split() == ["–", "–", "not", "tested"]
    told = result.with_validation(validation)
    told.report(tmp_path / "page.html")
    assert "<td>steps uncorrelated (Markov)</td><td>not tested</td>" in (tmp_path / "page.html").read_text()
    told.save(tmp_path / "run.lsn")
    assert not lsn.load(tmp_path / "run.lsn").validation.gates.gates[0].tested
    assert json.loads(to_json(validation))["gates"]["gates"][0]["tested"] is False


def test_wrong_input_to_validate(result: Any):
    with pytest.raises(lsn.InputError, match="Trajectories"):
        lsn.validate(result, np.zeros(3))
    with pytest.raises(lsn.InputError, match="did not come from data"):
        lsn.validate(lsn.solve(OU, formulas=False))


def test_places_know_who_arrived():
    places = PushedPlaces(np.array([0.0, np.nan]), np.array([[1.0], [np.nan]]))
    assert places.arrived.tolist() == [True, False]
