"""One long recording with the default call: its symmetries, its date, and the same answer on any scale of time."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
import scipy.signal

import liestonet as lsn
from liestonet.errors import InputError

STEP, COUNT = 0.05, 20_000
SPAN = STEP * COUNT


def recording(seed: int, force: np.ndarray | float = 0.0, unit: float = 1.0) -> lsn.Trajectories:
    """Euler steps of dx = (−x + force(t)) dt + dW, times in a unit of their own."""
    steps = np.sqrt(STEP) * np.random.default_rng(seed).standard_normal(COUNT) + force * STEP
    x = np.append(0.0, scipy.signal.lfilter([1.0], [1.0, STEP - 1], steps))
    return lsn.Trajectories.from_arrays([unit * STEP * np.arange(COUNT + 1)], [x[:, None]], units={"t": "s"})


def force() -> np.ndarray:
    return np.sin(2 * np.pi * 100 * np.arange(COUNT) / COUNT)


@cache
def stationary() -> lsn.Result:
    return lsn.discover(recording(1))


@cache
def forced() -> lsn.Result:
    return lsn.discover(recording(2, force()), formulas=False)


def test_an_ornstein_uhlenbeck_recording_has_three_symmetries() -> None:
    found = stationary()
    assert found.dimension == 3
    clock = found.measurement.clock
    assert (clock.kind, clock.automatic) == ("restart", True)
    assert clock.relaxation == pytest.approx(1.0, abs=0.2)
    assert found.domain.intervals[0][1] == pytest.approx(clock.window, abs=2 * STEP)
    # ∂t's row is that of the test against the date
    assert found.ladder[0] == clock.date.row
    assert found.ladder[0].p_value == clock.p_value > 0.05
    exact = lsn.solve(lsn.SDE.parse("dx = -x dt + dW"), domain=[(0, clock.window), (-1.5, 1.5)])
    t = np.linspace(0, clock.window, 50)
    angles = lsn.principal_angles(found.generators, exact.generators, t, np.linspace(-1.5, 1.5, 50)[:, None])
    assert angles.max() < 5


def test_the_first_lines_say_so() -> None:
    from liestonet.render.view import ResultView

    told = ResultView.of(stationary()).source.clock
    assert told.startswith("One long recording: the clock restarts every 0.7")
    assert "relaxation time" in told
    assert "∂t is tested against the date (p = " in told


def test_a_forced_recording_has_none_and_is_told_why() -> None:
    found = forced()
    assert found.dimension == 0
    assert found.flags[0].code == "date"
    assert "undecided" not in {flag.code for flag in found.flags}
    assert found.measurement.clock.date.period == pytest.approx(SPAN / 100, rel=3e-3)
    assert not any(row.verdict == "symmetry" for row in found.ladder)
    from liestonet.render.verdict import verdict

    assert verdict(found).startswith("The law changes with the date (p < 0.001)")


def test_with_its_period_the_force_is_a_function_of_the_clock() -> None:
    found = lsn.discover(recording(2, force()), formulas=False, clock=SPAN / 100)
    assert found.measurement.clock.kind == "period"
    assert found.measurement.clock.p_value > 0.01  # fixed seed
    assert "date" not in {flag.code for flag in found.flags}
    # at phases 0 and a half of the period the force has its zeros, in between its ends
    phases = SPAN / 100 * np.array([0.25, 0.75])
    drift = found.surrogate.drift(phases, np.zeros((2, 1)))[:, 0]
    assert drift == pytest.approx([1.0, -1.0], abs=0.35)


@pytest.mark.parametrize(("paths", "kind"), [(64, "recorded"), (40, "restart")])
def test_many_long_paths_show_a_law_that_depends_on_the_date(paths: int, kind: str) -> None:
    """dx = (force(t) − x) dt + dW: with more than 50 paths at the same dates the recorded clock is taken after all."""
    step, points = 0.1, 400
    times = step * np.arange(points + 1)
    force = 0.6 * np.sin(np.pi * times / times[-1])
    rng = np.random.default_rng(17)
    x = np.empty((points + 1, paths))
    x[0] = rng.standard_normal(paths) / np.sqrt(2)
    for k in range(points):
        x[k + 1] = x[k] + (force[k] - x[k]) * step + np.sqrt(step) * rng.standard_normal(paths)
    data = lsn.Trajectories.from_arrays([times] * paths, list(x.T[:, :, None]))
    found = lsn.discover(data, formulas=False)
    clock = found.measurement.clock
    assert clock.kind == kind
    if kind == "restart":
        assert clock.date.rejected
        assert found.dimension == 0
        assert found.flags[0].code == "date"
        return
    assert clock.date is None
    assert found.domain.intervals[0] == pytest.approx((0.0, times[-1]), abs=2 * step)
    at = np.array([0.2, 0.5, 0.8]) * times[-1]
    drift = found.surrogate.drift(at, np.ones((3, 1)))[:, 0]
    # 0.2: three standard errors of a level at a date, of which the paths show some eight independent ones
    assert drift == pytest.approx(np.interp(at, times, force) - 1, abs=0.2)
    assert found.ladder[0].verdict != "symmetry"
    assert found.provenance is not None
    assert found.provenance.settings["clock"] == "recorded"


def test_a_dimension_that_is_asked_for_is_kept() -> None:
    found = lsn.discover(recording(2, force()), formulas=False, dimension=1)
    assert found.dimension == 1
    assert found.flags[0].code == "date"


@pytest.mark.parametrize("unit", [pytest.param(1e-6, marks=pytest.mark.slow), 3600.0])
def test_units_of_time_change_no_verdict(unit: float) -> None:
    here, there = stationary(), lsn.discover(recording(1, unit=unit), formulas=False)
    assert there.measurement.clock.window / unit == pytest.approx(here.measurement.clock.window, rel=1e-9)
    assert there.measurement.clock.p_value == pytest.approx(here.measurement.clock.p_value, rel=1e-6)
    assert [row.verdict for row in there.ladder] == [row.verdict for row in here.ladder]
    ours, theirs = ([row.residual for row in found.ladder] for found in (here, there))
    assert theirs == pytest.approx(ours, rel=0.05, abs=1e-3)


def test_the_recorded_clock_is_that_of_many_short_paths() -> None:
    """By default and by hand: the same numbers, bit by bit."""
    data = lsn.catalogue["ornstein-uhlenbeck"].simulate(paths=40, seed=0)
    default, by_hand = (lsn.discover(data, formulas=False, clock=clock) for clock in ("auto", "recorded"))
    assert default.measurement.clock.kind == "recorded"
    assert default.ladder == by_hand.ladder
    assert default.measurement.clock.p_value is None
    assert default.provenance is not None
    assert "clock" not in default.provenance.settings


def test_a_streamed_file_gives_the_same(tmp_path: Path) -> None:
    recording(1).write(tmp_path / "one.parquet")
    found = lsn.discover(lsn.Trajectories.scan(tmp_path / "one.parquet"), formulas=False)
    assert [row.verdict for row in found.ladder] == [row.verdict for row in stationary().ladder]
    assert found.measurement.clock.p_value == pytest.approx(stationary().measurement.clock.p_value, rel=1e-9)


def test_a_file_keeps_the_clock(tmp_path: Path) -> None:
    forced().save(tmp_path / "run.lsn")
    clock, again = forced().measurement.clock, lsn.load(tmp_path / "run.lsn").measurement.clock
    assert again.window == clock.window
    assert again.date.families == clock.date.families
    np.testing.assert_array_equal(again.date.values, clock.date.values)


@pytest.mark.usefixtures("undrawn")
def test_the_report_shows_the_law_by_date(tmp_path: Path) -> None:
    page = forced().report(tmp_path / "report.html").read_text(encoding="utf-8")
    assert "The law by date" in page
    assert "drift of x" in page
    assert "harmonics: force" in page
    with pytest.raises(InputError, match="nothing to plot by date"):
        lsn.plots.by_date(lsn.solve(lsn.SDE.parse("dx = dW"), formulas=False))


@pytest.mark.slow
def test_generators_are_tested_on_the_same_clock() -> None:
    told = lsn.test(recording(3), "d_t; d_x")
    assert told.clock is not None
    assert told.clock.kind == "restart"
    assert told.rows[0].p_value == told.clock.p_value
    assert told.rows[1].p_value < 1e-6
    assert told.rejected
    alone = lsn.test(recording(2, force()), "d_t")
    assert alone.rejected
    assert alone.doubts[0].code == "date"
    assert "test against the date rejects" in alone.sentences()[0]


@pytest.mark.slow
def test_a_result_is_tested_on_its_own_recording_by_blocks() -> None:
    told = lsn.test(recording(1), stationary())
    assert told.clock is not None
    assert told.held_out is not None
    assert told.clock.window == stationary().measurement.clock.window
    assert "8 of 16 blocks of the recording" in told.held_out
    assert not told.rejected
    assert told.rows[0].p_value == told.clock.p_value


@pytest.mark.slow
def test_a_result_is_validated_on_its_own_clock() -> None:
    from liestonet.validation.validate import validate

    other = validate(stationary(), recording(4), seed=1)
    assert not other.contradicted
    assert not other.conditional
    assert other.test is not None
    assert other.test.clock is not None
    assert other.test.clock.window == stationary().measurement.clock.window
    doubted = validate(stationary(), recording(2, force()), seed=1)
    assert doubted.conditional
    assert "date" in doubted.sentences()[0]


@pytest.mark.parametrize("clock", [SPAN * 2, STEP / 2, "weekly", float("nan")])
def test_a_wrong_clock_is_refused_in_one_sentence(clock: object) -> None:
    with pytest.raises(InputError) as problem:
        lsn.discover(recording(1), clock=clock)
    assert str(problem.value).count("\n") == 0
    assert "clock" in str(problem.value)
