"""`liestonet discover` as people and scripts meet it: what it prints, what it writes, and how it says no."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import liestonet as lsn
from liestonet import cli
from liestonet.trajectories.tuning import ScanTuning

ORNSTEIN_UHLENBECK = "dx = -x dt + dW"


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small recording of an Ornstein–Uhlenbeck process, which has three Itô symmetries, under unusual names."""
    sde = lsn.SDE.parse(ORNSTEIN_UHLENBECK)
    data = sde.simulate(lambda rng, paths: rng.uniform(-2, 2, (paths, 1)), duration=2.0, step=0.02, paths=200, seed=7)
    path = tmp_path_factory.mktemp("data") / "paths.csv"
    data.write(path)
    path.write_text(path.read_text().replace("trajectory,t,x", "particle,seconds,position", 1))
    return path


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, and an environment that asks for nothing special."""
    for name in ("FORCE_COLOR", "NO_COLOR", "COLUMNS", "LIESTONET_DEBUG", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words: str | Path) -> Any:
    return CliRunner().invoke(cli.app, ["discover", *map(str, words)])


def named(table: Path) -> list[str]:
    return [str(table), "--time", "seconds", "--trajectory", "particle", "--state", "position", "--no-formulas"]


def refused(outcome: Any) -> str:
    """The one sentence of a command that was refused."""
    assert outcome.exit_code == 2, outcome.output
    assert outcome.stdout == ""
    assert "Traceback" not in outcome.stderr
    assert outcome.stderr.startswith("liestonet: ")
    assert outcome.stderr.count("\n") == 1
    return outcome.stderr


def test_prints_the_verdict_first_then_the_evidence(table):
    outcome = run(*named(table))
    assert outcome.exit_code == 0, outcome.stderr
    assert outcome.stderr == ""
    text = outcome.stdout
    sentence = " ".join(text.split("\n\n")[0].split())
    wanted = (
        r"3 Itô symmetries, residuals below [\d.]+ % \(95 % confidence\), "
        r"exact symmetry not rejected \(p [=>] [\d.]+\)\."
    )
    assert re.fullmatch(wanted, sentence)
    for heading in (
        "Candidate directions",
        "Generators (a basis of the symmetries)",
        "Algebra: Bianchi VI",
        "Commutators",
        "Symmetries of the law: 3",
        "Data",
    ):
        assert heading in text, heading
    assert "20,000; total duration 400" in text
    assert "\x1b" not in text
    assert max(len(line) for line in text.splitlines()) <= 80


def test_json_is_what_python_answers(table):
    outcome = run(*named(table), "--json")
    assert outcome.exit_code == 0, outcome.stderr
    printed = json.loads(outcome.stdout)
    data = lsn.Trajectories.read(table, "seconds", "particle", ["position"])
    answer = json.loads(lsn.discover(data, formulas=False).to_json())
    assert {**printed, "next": None} == {**answer, "next": None}
    assert printed["next"]["command"].startswith("liestonet discover ")  # each says what to type where it was asked
    assert answer["next"]["command"].startswith("liestonet.validate(")
    assert printed["dimension"] == printed["law_dimension"] == 3
    assert printed["data"]["digest"] == data.digest
    assert printed["data"]["increments"] == 20_000
    assert printed["data"]["step"]["median"] == pytest.approx(0.02)
    assert printed["standards"] == {"tolerance": 0.1, "error_rate": 0.05}
    known = {"deviance", "degrees_of_freedom", "p_value", "converged", "held_out", "held_out_error"}
    assert set(printed["refit"]) == known
    assert printed["equation"] == "dposition = f(t, position) dt + σ(t, position) dW, estimated from 20,000 increments"


def test_options_reach_the_library(table):
    words = ("--thin", "2", "--window", "26", "--symmetry", "law", "--dimension", "2", "--tolerance", "0.2", "--json")
    printed = json.loads(run(*named(table), *words).stdout)
    assert printed["symmetry"] == "law"
    assert printed["dimension"] == len(printed["generators"]) == 2
    assert printed["standards"]["tolerance"] == 0.2
    # 101 points, every second kept: 51, cut into two windows of 26 that share a point
    assert printed["data"]["paths"] == 400
    assert printed["data"]["step"]["maximum"] == pytest.approx(0.04)
    assert any("Every 2-th point" in note for note in printed["data"]["notes"])


def test_windows_restart_the_clock_where_asked(table):
    words = (*named(table), "--window", "51", "--json")
    kept, restarted = (json.loads(run(*words, *more).stdout) for more in ([], ["--restart-clock"]))
    # paths of two seconds in windows of one: the box lasts as long as the clock
    assert kept["domain"]["intervals"]["t"] == pytest.approx([0, 2])
    assert restarted["domain"]["intervals"]["t"] == pytest.approx([0, 1])
    assert any("not to depend on the date" in note for note in restarted["data"]["notes"])


def test_a_logarithm_gets_its_name(table, folder):
    numbers = np.loadtxt(table, delimiter=",", skiprows=1, usecols=(0, 1, 2))
    rows = np.column_stack([numbers[:, :2], np.exp(numbers[:, 2])])
    np.savetxt(folder / "positive.csv", rows, delimiter=",", header="path,t,price", comments="", fmt="%.17g")
    printed = json.loads(run("positive.csv", "--log", "price", "--no-formulas", "--json").stdout)
    assert printed["names"] == ["log_price"]
    np.savetxt(folder / "plain.csv", numbers, delimiter=",", header="path,t,x", comments="", fmt="%.17g")
    plain = json.loads(run("plain.csv", "--no-formulas", "--json").stdout)
    expected = pytest.approx([row["residual"] for row in plain["ladder"]], rel=1e-4)
    assert [row["residual"] for row in printed["ladder"]] == expected


@pytest.fixture
def little_memory(monkeypatch):
    monkeypatch.setattr("liestonet.trajectories.scan.SCAN", ScanTuning(in_memory=20_000))


@pytest.mark.usefixtures("little_memory")
def test_files_too_large_for_memory_give_the_same_ladder(table, folder):
    data = lsn.Trajectories.read(table, "seconds", "particle", "position")
    data.write(folder / "paths.parquet")
    streamed, whole = json.loads(run("paths.parquet", "--no-formulas", "--json").stdout), lsn.discover(data)
    whole = json.loads(whole.to_json())
    assert streamed["ladder"] == whole["ladder"]
    assert streamed["data"]["file"] == "paths.parquet"
    assert streamed["data"]["rows"] == 20_200
    assert streamed["data"]["gaps"]["rows"] == 0


def test_several_files_are_paths_of_one_system(table, folder):
    data = lsn.Trajectories.read(table, "seconds", "particle", "position")
    (folder / "runs").mkdir()
    for part in range(4):
        data.take(range(50 * part, 50 * part + 50)).write(folder / "runs" / f"{part}.parquet")
    whole = json.loads(lsn.discover(data, formulas=False).to_json())["ladder"]
    for words in (["runs/*.parquet"], ["runs"], [f"runs/{part}.parquet" for part in range(4)]):
        assert json.loads(run(*words, "--no-formulas", "--json").stdout)["ladder"] == whole


@pytest.mark.usefixtures("little_memory")
def test_gaps_of_a_file_too_large_for_memory_are_not_silent(table, folder):
    data = lsn.Trajectories.read(table, "seconds", "particle", "position")
    times, states = np.array(data.times), np.array(data.states)
    import pyarrow as arrow
    from pyarrow import parquet

    states[5, 50] = np.nan
    columns = {"trajectory": np.repeat(np.arange(200), 101), "t": times.ravel(), "x": states.ravel()}
    parquet.write_table(arrow.table(columns), folder / "holes.parquet")
    outcome = run("holes.parquet", "--no-formulas")
    assert outcome.exit_code == 0, outcome.stderr
    assert "1 row was not finite (1 in x)" in " ".join(outcome.stdout.split())


def test_help_shows_options_that_exist():
    text = run("--help").stdout
    examples = text.split("Examples:")[1].split("\n\n")[0]
    options, usage = set(re.findall(r"--[a-z-]+", examples)), text.split("Options:")[1]
    assert len(options) >= 8
    assert all(f"{option} " in usage for option in options)


def test_quiet_is_one_sentence(table):
    outcome = run(*named(table), "--quiet")
    assert outcome.stdout.count("\n") == 1
    assert outcome.stdout.startswith("3 Itô symmetries")


@pytest.mark.usefixtures("undrawn")
def test_out_is_made_and_replaced(table, folder):
    first = run(*named(table), "--out", "deep/run")
    target = folder / "deep" / "run" / "result.json"
    assert f"Report: {Path('deep/run/report.html')}\nResult: {Path('deep/run/result.json')} and " in first.stdout
    assert "--out deep/run" in (target.parent / "report.html").read_text()
    assert json.loads(target.read_text())["dimension"] == 3
    target.write_text("old")
    run(*named(table), "--out", "deep/run", "--symmetry", "law", "--quiet")
    assert json.loads(target.read_text())["symmetry"] == "law"
    assert sorted(path.name for path in target.parent.iterdir()) == ["report.html", "result.json", "run.lsn"]
    opened = CliRunner().invoke(cli.app, ["open", "deep/run/run.lsn", "--json"])
    assert opened.stdout == target.read_text()


WRONG = {
    "column": (["--time", "secnds"], "did you mean 'seconds'"),
    "no such file": (["nowhere.csv"], "There is no file 'nowhere.csv'"),
    "kind": (["--symmetry", "lie"], "choose one of ito, law, fokker-planck"),
    "tolerance": (["--tolerance", "2"], "between 0 and 1"),
    "error rate": (["--error-rate", "0"], "between 0 and 1"),
    "dimension": (["--dimension", "99"], "whole number from 0 to"),
    "stride alone": (["--stride", "5"], "--stride needs --window"),
    "clock": (["--clock", "weekly"], "The clock must be"),
    "clock that is no number": (["--clock", "nan"], "The clock must be"),
    "period of nothing": (["--clock", "0"], "The clock must be"),
    "period shorter than a step": (["--clock", "1e-9"], "shorter than a step"),
    "period longer than the recording": (["--clock", "1e9"], "longer than the recording"),
    "restart alone": (["--restart-clock"], "--restart-clock needs --window"),
    "thin": (["--thin", "0"], "at least 1"),
    "window": (["--window", "5000"], "longer than every path"),
    "log of negative": (["--log", "position"], "transform of position"),
    "log of nothing": (["--log", "price"], "There is no coordinate 'price'"),
    "not a number": (["--tolerance", "much"], "--help shows"),
}


@pytest.mark.parametrize(("words", "message"), WRONG.values(), ids=WRONG.keys())
def test_wrong_input_is_one_sentence_and_leaves_nothing(words, message, table, folder):
    full = [*named(table), "--out", "run"]
    if words[0].endswith(".csv"):
        full[0] = words[0]
        words = []
    assert message in refused(run(*full, *words))
    assert list(folder.iterdir()) == []


CONTENTS = {
    "empty": (b"", "is empty"),
    "header only": (b"t,x\n", ""),
    "too short": (b"t,x\n0,1\n1,2\n2,3\n", "too few"),
    "no time": (b"a,b\n1,2\n3,4\n", "liestonet discover bad.csv --out run --time a`"),
    "unsorted": (b"t,x\n0,1\n2,1\n1,3\n", "(--sort)"),
    "text": (b"t,x\n0,1\n1,much\n", "as in --state x"),
    "not text": (b"t,x\n\xff\xfe,\x00\n", ""),
    "constant": (b"t,x\n" + b"".join(b"%d,1\n" % i for i in range(300)), "hardly ever changes"),
}


@pytest.mark.parametrize(("content", "message"), CONTENTS.values(), ids=CONTENTS.keys())
def test_bad_files_are_one_sentence_and_leave_nothing(content, message, folder):
    (folder / "bad.csv").write_bytes(content)
    assert message in refused(run("bad.csv", "--out", "run"))
    assert [path.name for path in folder.iterdir()] == ["bad.csv"]


def test_out_must_be_a_folder(table, folder):
    (folder / "taken").write_text("mine")
    assert "must be a folder" in refused(run(*named(table), "--out", "taken"))
    assert "must be a folder" in refused(run(*named(table), "--out", "taken/run"))
    assert (folder / "taken").read_text() == "mine"


@pytest.mark.parametrize("name", ["result.json", "run.lsn", "report.html"])
def test_a_folder_in_the_place_of_a_file_is_refused_before_anything_is_written(name, table, folder):
    (folder / "run" / name).mkdir(parents=True)
    assert f"{name}' is a folder" in refused(run(*named(table), "--out", "run"))
    assert [path.name for path in (folder / "run").iterdir()] == [name]


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a file system in which no folder can be made")
def test_a_place_where_no_folder_can_be_made_is_refused(table):
    assert "cannot be written to" in refused(run(*named(table), "--out", "/proc/run"))


def test_a_terminal_sees_the_stages(table):
    """On a terminal progress goes to stderr, and the pipe stays clean."""
    leader, follower = pty.openpty()
    command = [sys.executable, "-m", "liestonet", "discover", *named(table)]
    environment = {**os.environ, "TERM": "xterm"}
    outcome = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=follower, env=environment, timeout=120, check=True, text=True
    )
    os.close(follower)
    seen = os.read(leader, 1 << 16).decode(errors="replace")
    os.close(leader)
    assert "looking for symmetries" in seen or "drift from" in seen or "reading" in seen
    assert outcome.stdout.startswith("3 Itô symmetries")
    assert "\x1b" not in outcome.stdout


@pytest.mark.slow
def test_discrete_symmetries_are_shown_and_kept(table: Path, folder: Path):
    """x → −x is a symmetry of the spring; at most 5 % of recordings reject it, and this seed is none of them."""
    outcome = run(*named(table), "--discrete", "--out", folder / "run")
    assert outcome.exit_code == 0, outcome.output
    assert "Discrete symmetries" in outcome.stdout
    kept = lsn.load(folder / "run" / "run.lsn")
    assert kept.discrete is not None
    rows = json.loads(kept.to_json())["discrete"]["rows"]
    assert {row["map"]: row["verdict"] for row in rows}["position -> -position"] != "no"
    page = (folder / "run" / "report.html").read_text()
    assert "among all" in page
    assert "Not tested: mirrors" not in page
