"""`liestonet test` as people meet it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import liestonet as lsn
from liestonet import cli

pytestmark = pytest.mark.usefixtures("few_draws")


def written(folder: Path, paths: int) -> Path:
    sde = lsn.SDE.parse("dx = -x dt + dW")
    data = sde.simulate(lambda rng, k: rng.uniform(-2, 2, (k, 1)), duration=1.0, step=0.02, paths=paths, seed=7)
    data.write(folder / "paths.csv")
    return folder / "paths.csv"


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("data"), 200)


@pytest.fixture(scope="module")
def small_table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("few"), 20)


def run(*words: str | Path) -> Any:
    return CliRunner().invoke(cli.app, ["test", *map(str, words)])


def test_the_outcome_is_a_sentence_and_a_line_for_each_generator(table: Path):
    outcome = run(table, "--generator", "exp(-t) d_x", "--generator", "d_t")
    assert outcome.exit_code == 0, outcome.output
    assert "does not reject" in outcome.stdout
    assert " ".join(outcome.stdout.split()).count("95 % interval") == 2
    assert max(len(line) for line in outcome.stdout.splitlines()) <= 80
    assert run(table, "--generator", "exp(3t) d_x", "--quiet").stdout.startswith("The likelihood-ratio test rejects")


def test_json_holds_the_numbers(table: Path):
    found = json.loads(run(table, "--generator", "2 t d_t + x d_x", "--json").stdout)
    assert found["p_value"] < 1e-3
    assert found["rows"][0]["generator"] == "2 t ∂t + x ∂x"


@pytest.mark.parametrize(
    "generator", ["y d_x", "x d_t", "", "d_x +", "log(x) d_x", "exp(800 x) d_x", "abs(x) d_x", "t^0.5 d_x"]
)
def test_a_wrong_generator_ends_in_one_sentence(small_table: Path, generator: str):
    outcome = run(small_table, "--generator", generator)
    assert outcome.exit_code == 2
    assert outcome.stderr.startswith("liestonet: ")
    assert outcome.stderr.count("\n") == 1


@pytest.mark.slow
def test_a_long_series_is_cut_into_windows(table: Path):
    words = (table, "--generator", "d_t", "--json")
    whole, windows = (json.loads(run(*words, *more).stdout) for more in ([], ["--window", "26", "--restart-clock"]))
    # 51 points are two windows of 26 that share one, with every increment; their clocks differ, not their number
    assert whole["increments"] == windows["increments"]
    assert whole["residual"] != windows["residual"]
    outcome = run(table, "--generator", "d_t", "--restart-clock")
    assert outcome.exit_code == 2
    assert "--restart-clock needs --window" in outcome.stderr


def test_a_map_is_tested_instead(table: Path):
    outcome = run(table, "--map", "x -> -x", "--json")
    assert outcome.exit_code == 0, outcome.output
    found = json.loads(outcome.stdout)
    assert found["map"] == "x -> -x"
    assert found["p_value"] > 1e-3  # one seed of a thousand


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("--map", "x -> -x", "--generator", "d_t"),
        ("--map", "-x"),
        ("--map", "y -> -y"),
        ("--map", "x -> x^2"),
        ("--map", "x -> 2*x + abs(x)"),
        ("--map", "x -> x + 100"),
        ("--map", "x -> __import__('os')"),
    ],
)
def test_a_wrong_map_ends_in_one_sentence(table: Path, words: tuple[str, ...]):
    outcome = run(table, *words)
    assert outcome.exit_code == 2
    assert outcome.stderr.startswith("liestonet: ")
    assert outcome.stderr.count("\n") == 1
