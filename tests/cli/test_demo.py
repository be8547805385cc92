"""`liestonet demo`: what it prints and writes, and that the commands it shows do the same."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from liestonet import cli


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words: str) -> Any:
    return CliRunner().invoke(cli.app, list(words))


def test_demo_goes_from_nothing_to_a_report(folder):
    outcome = run("demo", "--out", "a bead")
    assert outcome.exit_code == 0, outcome.stderr
    text = outcome.stdout
    assert re.match(r"\d Itô symmetr(y|ies), residuals? below [\d.]+ % \(95 % confidence\)", text)
    assert "Report: a bead/report.html" in text
    said = r"Found: the same number; they agree with the true ones to within ([\d.]+)°"
    found = re.search(said, " ".join(text.split()))
    assert found is not None
    assert float(found[1]) < 5
    assert "\x1b" not in text
    assert max(len(line) for line in text.splitlines()) <= 80
    files = ["paths.csv", "report.html", "result.json", "run.lsn"]
    assert sorted(path.name for path in (folder / "a bead").iterdir()) == files
    assert np.loadtxt(folder / "a bead" / "paths.csv", delimiter=",", skiprows=1, usecols=(0, 1, 2)).shape == (
        201_000,
        3,
    )
    first = json.loads((folder / "a bead" / "result.json").read_text())
    words = shlex.split(text.strip().splitlines()[-1])
    assert words[0] == "liestonet"
    assert run(*words[1:]).exit_code == 0
    assert json.loads((folder / "a bead" / "result.json").read_text()) == first


def test_demo_refuses_a_place_that_is_taken(folder):
    (folder / "demo").write_text("mine")
    outcome = run("demo")
    assert outcome.exit_code == 2
    assert "must be a folder" in outcome.stderr
    assert (folder / "demo").read_text() == "mine"
