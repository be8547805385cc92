"""Positions of a system with inertia through discover, files, test, validate and the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import liestonet as lsn
from inertia import positions
from liestonet import cli

ORDER_TWO = lsn.Measurement(order=2)


def force(x: np.ndarray, v: np.ndarray) -> np.ndarray:
    return -x - 2 * v


@pytest.fixture(scope="module")
def data() -> lsn.Trajectories:
    return positions(force, paths=1, points=2500, step=0.1, seed=61)


@pytest.fixture(scope="module")
def result(data: lsn.Trajectories) -> lsn.Result:
    return lsn.discover(data, measurement=ORDER_TWO, formulas=False)


def test_generators_of_the_pair_are_prolonged_motions_of_positions(result: lsn.Result) -> None:
    """Where noise enters through velocities, the determining equations say so of every candidate they admit."""
    assert result.names == ("x", "v")
    assert result.measurement.order == 2
    x = np.random.default_rng(0).uniform(-0.5, 0.5, (100, 2))
    t, step = np.random.default_rng(1).uniform(0.2, 0.8, 100), 1e-5
    up = x + np.array([0.0, step])
    _, xi, *_ = result.candidates(1)(t, x)
    assert result.candidates(1)(t, up)[1][0, :, 0] == pytest.approx(xi[0, :, 0], abs=1e-6)
    assert {flag.code for flag in result.flags}.isdisjoint({"noiseless", "positions-only", "measurement-noise"})


def test_no_symmetry_that_the_equation_does_not_have_in_this_box(result: lsn.Result) -> None:
    exact = lsn.solve(lsn.SDE.parse("dx = v dt; dv = (-x - 2*v) dt + dW"), domain=list(result.domain.intervals))
    assert result.dimension <= sum(row.residual < 0.1 for row in exact.ladder)


def test_files_reports_and_json_keep_it(result: lsn.Result, tmp_path: Path) -> None:
    result.save(tmp_path / "run.lsn")
    again = lsn.load(tmp_path / "run.lsn")
    assert (again.measurement.noise, again.measurement.order) == (result.measurement.noise, 2)
    assert again.surrogate.from_positions
    assert again.surrogate.parameters == pytest.approx(result.surrogate.parameters)
    assert json.loads(result.to_json())["measurement"]["order"] == 2
    page = result.report(tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Only positions were recorded" in page
    assert "velocities follows" in page


@pytest.mark.slow
def test_generators_are_tested_as_motions_of_positions(data: lsn.Trajectories) -> None:
    # e^{−t} ∂x holds; x ∂x changes the noise. The level of a test that holds is 5 %
    held = lsn.test(data, "exp(-t) d_x", measurement=ORDER_TWO)
    assert held.rows[0].generator == "exp(-t) (∂x - ∂v)"
    assert held.p_value > 0.01
    assert lsn.test(data, "x d_x", measurement=ORDER_TWO).p_value < 1e-6


@pytest.mark.slow
def test_a_result_is_validated_on_positions(result: lsn.Result, data: lsn.Trajectories) -> None:
    other = positions(force, paths=1, points=2500, step=0.1, seed=62)
    found = lsn.validate(result, other)  # without a mark: the result knows that these are positions
    assert "velocities were estimated" in str(found)
    assert found.invariance is None


@pytest.mark.parametrize(
    "ask",
    [
        lambda data, result: lsn.validate(result),
        lambda data, result: lsn.test(data, "x -> -x", measurement=ORDER_TWO),
        lambda data, result: lsn.discrete(data, measurement=ORDER_TWO),
        lambda data, result: lsn.reversible(data, measurement=ORDER_TWO),
        lambda data, result: lsn.fit(data, "dx = -k*x dt + s dW", measurement=ORDER_TWO),
    ],
    ids=["validate", "map", "discrete", "reversible", "model"],
)
def test_what_needs_recorded_velocities_says_so(
    ask: Callable[[lsn.Trajectories, lsn.Result], object], data: lsn.Trajectories, result: lsn.Result
) -> None:
    with pytest.raises(lsn.InputError, match=r"positions"):
        ask(data, result)


@pytest.mark.slow
def test_the_command_line(tmp_path: Path) -> None:
    few = positions(force, paths=1, points=1500, step=0.1, seed=63)
    few.write(tmp_path / "x.csv")
    runner, name = CliRunner(), str(tmp_path / "x.csv")
    found = runner.invoke(cli.app, ["discover", name, "--order", "2", "--no-formulas", "--json"])
    assert found.exit_code == 0, found.stderr
    assert json.loads(found.stdout)["measurement"]["order"] == 2
    plain = runner.invoke(cli.app, ["discover", name, "--no-formulas", "--json"])
    printed = json.loads(plain.stdout)
    assert "positions-only" in {flag["code"] for flag in printed["flags"]}
    assert printed["next"]["command"] == f"liestonet discover {name} --no-formulas --order 2"


@pytest.mark.parametrize(
    "words", [("--order", "3"), ("--order", "2", "--exposure", "0.5"), ("--order", "2", "--engine", "paper")]
)
def test_wrong_orders_on_the_command_line(words: tuple[str, ...], tmp_path: Path) -> None:
    positions(force, paths=5, points=100, step=0.1, seed=64).write(tmp_path / "x.csv")
    found = CliRunner().invoke(cli.app, ["discover", str(tmp_path / "x.csv"), *words])
    assert found.exit_code == 2
    assert "order" in found.stderr
