"""`liestonet discover --by` as people and scripts meet it; the searches themselves are tested in tests/groups."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import liestonet as lsn
from liestonet import cli
from liestonet.groups.comparison import Group
from liestonet.groups.discover_groups import Asked


@pytest.fixture
def recordings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Four small files of two conditions, in the working folder."""
    monkeypatch.chdir(tmp_path)
    sde = lsn.SDE.parse("dx = -x dt + dW")
    for number, name in enumerate(("run_300K_1", "run_300K_2", "run_310K_1", "run_310K_2")):
        data = sde.simulate([1.0], duration=1.0, step=0.02, paths=100, seed=number)
        data.write(tmp_path / f"{name}.csv")
    return tmp_path


@pytest.fixture
def without_searches(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The comparison of two groups without results of their own; lists what was asked for."""
    asked: list[dict[str, Any]] = []

    def groups_in(out: Path, given: Asked, run: Any, **more: Any) -> Any:
        asked.append({"out": out, **vars(given), **more})
        return lsn.GroupComparison(
            str(given.by), "K", "ito", 0.05, (Group("300K", 300.0, problem="Too few data."), Group("310K"))
        )

    monkeypatch.setattr("liestonet.groups.discover_groups.groups_in", groups_in)
    return asked


def run(*words: str) -> Any:
    return CliRunner().invoke(cli.app, ["discover", *words], prog_name="liestonet")


def test_options_reach_the_groups(recordings: Path, without_searches: list[dict[str, Any]]):
    words = (
        "--state",
        "x",
        "--log",
        "x",
        "--thin",
        "2",
        "--symmetry",
        "law",
        "--noise",
        "0.1",
        "--no-formulas",
        "--own-errors",
        "--json",
    )
    outcome = run("run_*.csv", "--by", "run_{T}_*.csv", "--out", "study", *words)
    assert outcome.exit_code == 2, outcome.output  # one group has no result
    found = json.loads(outcome.stdout)
    assert (found["schema"], found["by"]) == ("liestonet.groups/1", "run_{T}_*.csv")
    (asked,) = without_searches
    assert asked["reading"] == {"state": ["x"], "log": ["x"], "thin": 2, "own_errors": True}
    assert (asked["search"]["symmetry"], asked["search"]["formulas"]) == ("law", False)
    assert json.loads(asked["search"]["measurement"])["noise"] == 0.1
    assert [str(file) for file in asked["source"]] == ["run_*.csv"]


def test_a_table_a_sentence_and_where_it_is(recordings: Path, without_searches: list[dict[str, Any]]):
    outcome = run("run_*.csv", "--by", "run_{T}_*.csv", "--out", "study")
    assert outcome.exit_code == 2
    assert outcome.stderr == "liestonet: 1 of 2 groups without a result, 300K first: Too few data.\n"
    assert "300K: Too few data." in outcome.stdout
    assert "study/groups.html" in outcome.stdout
    assert max(map(len, outcome.stdout.splitlines())) <= 80
    assert run("run_*.csv", "--by", "run_{T}_*.csv", "--quiet").stdout.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("run_300K_1.csv", "--by", "temperature"), "has no column 'temperature'"),
        (("run_300K_1.csv", "run_300K_2.csv", "--by", "run_{T}_*.csv"), "one group only, T = 300K"),
        (("run_*.csv", "--by", "{T}.txt"), "does not match '{T}.txt'"),
        (("run_{T}_*.csv", "--by", "dose"), "no {dose} in the pattern"),
        (("run_*.csv", "--by", "T", "--discrete"), "--discrete is for one recording"),
        (("run_*.csv", "--by", "T", "--engine", "neural"), "--engine neural is for one recording"),
        (("run_300K_1.csv", "--jobs", "2"), "--jobs is for the groups of --by"),
        (("run_*.csv", "--by", "T", "--workers", "2"), "give --jobs instead"),
        (("run_{T}_*.csv", "--by", "T", "--out", "run_300K_1.csv"), "could not be written"),
        (("run_{T}_*.csv", "--by", "T", "--symmetry", "none"), "Symmetry kind 'none' is unknown"),
    ],
)
def test_wrong_input_is_one_sentence(recordings: Path, words: tuple[str, ...], said: str):
    outcome = CliRunner().invoke(cli.app, ["discover", *words], prog_name="liestonet")
    problem = outcome.stderr.strip()
    assert outcome.exit_code == 2
    assert said in problem.replace("\n", " ")
    assert problem.startswith("liestonet: ")


@pytest.mark.slow
def test_a_killed_run_goes_on_where_it_was(recordings: Path):
    command = [sys.executable, "-m", "liestonet", "discover", "run_{T}_*.csv", "--by", "T", "--out", "study"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    first = recordings / "study" / "300K" / "run.lsn"
    kept = recordings / "study" / ".jobs" / "groups"
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        until = time.monotonic() + 300
        while not list(kept.glob("300K-*.json")) and time.monotonic() < until:
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
    assert not (recordings / "study" / "groups.json").exists()
    before = first.stat().st_mtime_ns
    outcome = subprocess.run([*command, "--jobs", "2"], env=environment, capture_output=True, text=True, timeout=300)
    assert outcome.returncode == 0, outcome.stderr
    assert "1 of 2 runs are finished; 1 to do." in outcome.stderr
    assert first.stat().st_mtime_ns == before
    assert (recordings / "study" / "groups.html").is_file()


@pytest.mark.slow
def test_two_hundred_files_of_twelve_conditions(tmp_path: Path):
    """`--by`, killed and started again, gives twelve results and one page; the rate is that of the simulation."""
    rates = {f"{300 + 5 * k}K": 1.0 + 0.1 * k for k in range(12)}
    for number in range(200):
        label = list(rates)[number % 12]
        sde = lsn.SDE.parse(f"dx = -{rates[label]}*x dt + dW")
        data = sde.simulate(
            lambda rng, n: rng.normal(0, 1, (n, 1)), duration=1.2, step=0.02, paths=15, seed=5000 + number
        )
        data.write(tmp_path / f"run_{label}_{number}.csv")
    out = tmp_path / "study"
    words = [str(tmp_path / "run_{T}_*.csv"), "--by", "T", "--out", str(out), "--jobs", "2", "--json"]
    command = [sys.executable, "-m", "liestonet", "discover", *words]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    kept = out / ".jobs" / "groups"
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        until = time.monotonic() + 900
        while len(list(kept.glob("*.json"))) < 3 and time.monotonic() < until:
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
    assert not (out / "groups.json").exists()
    before = {file.name: file.stat().st_mtime_ns for file in kept.glob("*.json")}
    outcome = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=900)
    assert outcome.returncode == 0, outcome.stderr
    assert f"{len(before)} of 12 runs are finished; {12 - len(before)} to do." in outcome.stderr
    assert all((kept / name).stat().st_mtime_ns == time_ for name, time_ in before.items())
    found = lsn.GroupComparison.open(out / "groups.json")
    assert [group.label for group in found] == list(rates)
    assert sum(group.files for group in found) == 200
    assert all((out / group.folder / "run.lsn").is_file() for group in found)
    assert (out / "groups.html").read_text().count("/report.html") == 12
    assert found.algebra is not None
    assert found.algebra.verdict != "different"
    assert found.constants is not None
    line = found.constants.trends[found.constants.terms.index("x dt")]
    assert abs(line.slope + 0.02) < 4 * line.error
    assert line.adjusted < 0.05
