"""The catalogue on the command line: the list, one system, and names wherever an equation may stand."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from liestonet import catalogue
from liestonet.cli import app


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("FORCE_COLOR", "NO_COLOR", "COLUMNS", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def printed(*words: str) -> str:
    """What a command that succeeds prints: plain, and 80 columns wide at most."""
    outcome = CliRunner().invoke(app, list(words))
    assert outcome.exit_code == 0, outcome.stderr
    assert outcome.stderr == ""
    assert "\x1b" not in outcome.stdout
    return outcome.stdout


def narrow(text: str) -> str:
    assert max(len(line) for line in text.splitlines()) <= 80
    assert not re.search(r"[ \t]$", text, re.M)
    return text


def test_the_list_has_every_system_with_its_dimensions():
    lines = narrow(printed("solve", "--list")).splitlines()
    rows = {line.split()[0]: line.split() for line in lines[1 : len(catalogue) + 1]}
    assert list(rows) == list(catalogue)
    assert rows["brownian-10d"][-3:] == ["12", "57", "69"]
    assert rows["two-noises"][-3:] == ["1", "3", "6"]
    assert rows["free-and-growing"][-3:] == ["∞", "∞", "∞"]
    assert "dx = dW" in lines[1]


def test_the_list_needs_no_equation_and_takes_no_notice_of_one():
    assert printed("solve", "--list") == printed("solve", "dx = dW", "--list")


LARGE = {"brownian-10d", "ornstein-uhlenbeck-5d"}  # 400 MB and more


@pytest.mark.parametrize(
    "key", [pytest.param(key, marks=pytest.mark.slow) if key in LARGE else key for key in catalogue]
)
def test_every_system_can_be_shown(key):
    text, system = narrow(printed("show", key)), catalogue[key]
    flat = " ".join(text.split())
    assert text.startswith(f"{key}: ")
    assert f"Equation: {system.equation}" in flat
    assert " ".join(system.argument.split()) in flat
    assert f"liestonet simulate {key} --out" in text
    for kind, title in (("ito", "Itô symmetries"), ("fokker-planck", "Fokker–Planck symmetries, modulo superposition")):
        if kind in system.kinds and not system.infinite and system.dimension(kind):
            assert f"{title}: dimension {system.dimension(kind)}, {system.algebra(kind).name}" in flat


def test_one_system_shown():
    text = printed("show", "bessel-drift")
    assert "Box: t from 0 to 2; x from 0.2 to 4.5; y from -2 to 4\n" in text
    assert "State space: x > 0\n" in text
    assert "Itô symmetries: dimension 3, Bianchi VI, h = −9\n" in text
    assert "  X3  2 t ∂t + x ∂x + (t + y) ∂y\n" in text
    # [X1, X3] = 2 ∂t + ∂y, by hand
    assert re.search(r"^  X1 +0 +0 +2 X1 \+ X2$", text, re.M)
    assert "Symmetries of the law: the same\n" in text
    assert "2048 paths of duration 2, recorded every 0.01." in text
    assert "Kept inside x > 0.05." in text


def test_a_gauge_is_shown_where_it_is_another():
    assert "Itô symmetries in the Cholesky gauge: dimension 4" in printed("show", "brownian-2d-turned")
    assert "Cholesky" not in printed("show", "brownian-2d")


def test_solve_takes_a_name_and_its_box():
    found = json.loads(printed("solve", "linear", "--json"))
    assert found["equation"] == "dx = x dt + dW"
    assert found["dimension"] == 3
    box = [list(map(float, interval)) for interval in catalogue["linear"].box]
    assert (found["domain"]["chosen"], found["domain"]["chosen_for"]) == (False, [])
    assert found["domain"]["intervals"] == {"t": box[0], "x": box[1]}
    other = json.loads(printed("solve", "Linear", "--domain", "x=0:1", "--json"))["domain"]["intervals"]
    assert other == {"t": box[0], "x": [0.0, 1.0]}


def test_simulate_takes_a_name_and_its_experiment(folder):
    text = printed("simulate", "bessel-drift", "--paths", "7", "--seed", "3", "--out", "a.npz")
    assert "7 paths of 201 points" in text
    with np.load(folder / "a.npz") as file:
        np.testing.assert_array_equal(file["states"], catalogue["bessel-drift"].simulate(paths=7, seed=3).flat_states)


def test_what_is_given_replaces_the_experiment(folder):
    printed("simulate", "cir", "--initial", "x=2", "--duration", "0.5", "--step", "0.1", "--start", "1",
            "--paths", "4", "--boundary", "x<3", "--out", "a.npz")  # fmt: skip
    with np.load(folder / "a.npz") as file:
        assert file["states"].shape == (24, 1)
        assert file["times"].min() == 1.0
        assert (file["states"][::6] == 2.0).all()
        assert file["states"].max() <= 3.0


def test_latex_on_the_command_line():
    text = printed("solve", "dx = x dt + dW", "--latex")
    assert r"X_{3} &= e^{2 t}\,\left(\partial_t + x\,\partial_{x}\right)" in text
    assert r"X_{1} & 0 & X_{2} & 2 X_{3} \\" in text
