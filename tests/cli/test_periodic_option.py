"""--periodic on the command line: angles of equations and of tables, and how it says no."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import liestonet as lsn
from liestonet import cli


def run(*words: str) -> tuple[int, str]:
    result = CliRunner().invoke(cli.app, list(words))
    return result.exit_code, result.output


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Wrapped angles in degrees of a free rotor."""
    rng = np.random.default_rng(8)
    start = rng.uniform(0, 360, (60, 1))
    steps = 57.3 * math.sqrt(0.02) * rng.standard_normal((60, 100))
    states = np.concatenate([start, start + np.cumsum(steps, axis=1)], axis=1) % 360
    path = tmp_path_factory.mktemp("angles") / "angles.csv"
    lsn.Trajectories.from_arrays(0.02 * np.arange(101), states[..., None], ["phi"]).write(path)
    return path


def test_solve_takes_a_period() -> None:
    code, output = run("solve", "dtheta = 0 dt + dW", "--periodic", "theta=2pi")
    assert code == 0
    assert "2-dimensional algebra" in output
    assert "power-series bound for periodic fields 2" in " ".join(output.split())
    assert "(periodic)" in output


def test_a_table_in_degrees(table: Path) -> None:
    code, output = run("discover", str(table), "--periodic", "phi=360", "--no-formulas", "--json")
    assert code == 0
    assert '"phi": 360.0' in output


@pytest.mark.parametrize(
    ("period", "words"),
    [
        ("theta=0", "positive number"),
        ("theta=-2pi", "not a period"),
        ("theta=-2", "positive number"),
        ("phi=2pi", "no coordinate 'phi'"),
        ("theta", "not a period"),
        ("theta=6.28", "does not have the period"),
        ("theta=2pi,theta=1", "twice"),
    ],
)
def test_wrong_periods_of_an_equation(period: str, words: str) -> None:
    code, output = run("solve", "dtheta = sin(theta) dt + dW", "--periodic", period)
    assert code == 2
    assert words in output
    assert output.count("\n") == 1


@pytest.mark.parametrize(
    ("period", "words"), [("phi=1", "jump across that range"), ("x=360", "no coordinate 'x'"), ("phi=nan", "positive")]
)
def test_wrong_periods_of_a_table(table: Path, period: str, words: str) -> None:
    for command in (["discover"], ["test", "--generator", "d_t"]):
        code, output = run(command[0], str(table), *command[1:], "--periodic", period)
        assert code == 2
        assert words in output
        assert output.count("\n") == 1


def test_none_takes_the_values_of_an_angle_as_they_are(tmp_path: Path) -> None:
    rng = np.random.default_rng(9)
    angle = np.degrees(0.3 * rng.standard_normal(3000).cumsum()) % 360
    (tmp_path / "a.csv").write_text("time,heading\n" + "".join(f"{k},{a:.3f}\n" for k, a in enumerate(angle)))
    words = ("discover", str(tmp_path / "a.csv"), "--no-formulas", "--clock", "recorded")
    assert "(periodic)" in run(*words)[1]
    output = run(*words, "--periodic", "none")[1]
    assert "(periodic)" not in output
    assert "so they are an angle; its jumps were taken as steps" in " ".join(output.split())
