"""`liestonet open` and `--save`: a kept result is printed as it was, and what is no result is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from liestonet import cli

EQUATION = "dx = x dt + dW"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    return tmp_path


def run(*words: str) -> Any:
    return CliRunner().invoke(cli.app, list(words))


def refused(outcome: Any) -> str:
    assert outcome.exit_code == 2
    assert outcome.stdout == ""
    assert outcome.stderr.count("\n") == 1
    return outcome.stderr


def test_a_kept_result_is_printed_again(folder):
    solved = run("solve", EQUATION, "--save", "run.lsn")
    assert solved.exit_code == 0, solved.stderr
    assert [path.name for path in folder.iterdir()] == ["run.lsn"]
    assert run("open", "run.lsn").stdout == solved.stdout
    assert run("open", "run.lsn", "--quiet").stdout == run("solve", EQUATION, "--quiet").stdout
    assert run("open", "run.lsn", "--json").stdout == run("solve", EQUATION, "--json").stdout
    assert run("open", "run.lsn", "--latex").stdout == run("solve", EQUATION, "--latex").stdout


def test_a_kept_result_becomes_a_page(folder):
    run("solve", EQUATION, "--save", "run.lsn")
    assert run("open", "run.lsn", "--report", "page.html", "--quiet").exit_code == 0
    assert (folder / "page.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_both_forms_at_once_are_refused():
    run("solve", EQUATION, "--save", "run.lsn")
    assert "Give --json or --latex, not both" in refused(run("open", "run.lsn", "--json", "--latex"))


def test_what_is_no_result_is_refused(folder):
    (folder / "paths.csv").write_text("t,x\n0,1\n1,2\n")
    assert "not a LieStoNet result" in refused(run("open", "paths.csv"))
    assert "There is no file 'run.lsn'" in refused(run("open", "run.lsn"))


def test_a_place_that_cannot_be_written_is_refused_before_the_work(folder):
    (folder / "deep.lsn").mkdir()
    assert "is a folder" in refused(run("solve", EQUATION, "--save", "deep.lsn"))
    assert "does not exist" in refused(run("solve", EQUATION, "--save", "nowhere/run.lsn"))
    assert "must end in .lsn" in refused(run("solve", EQUATION, "--save", "run.json"))
