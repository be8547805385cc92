"""`discover --all`: every kind in one folder, the cost beforehand, and a second run that goes on."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

import liestonet as lsn
from liestonet.cli import app


def spread(rng, paths):
    return rng.uniform(-2, 2, (paths, 1))


@pytest.mark.slow
def test_a_full_report_is_kept_and_taken_up_again(tmp_path):
    data = lsn.SDE.parse("dx = -x dt + dW").simulate(initial=spread, duration=1.0, step=0.02, paths=80, seed=1)
    data.write(tmp_path / "paths.csv")
    words = ["discover", str(tmp_path / "paths.csv"), "--all", "--out", str(tmp_path / "all")]
    first = CliRunner().invoke(app, words)
    assert first.exit_code == 0, first.output
    assert "About" in first.stderr
    kinds = ("ito", "fokker-planck")
    assert {path.name for path in (tmp_path / "all").iterdir()} == {
        *(f"{k}.{end}" for k in kinds for end in ("lsn", "html")),
        "reversible.json",
    }
    assert first.stdout.splitlines()[-3] == "Next"
    assert "Detailed balance holds" in first.stdout  # every density of one coordinate balances its drift
    assert json.loads((tmp_path / "all" / "reversible.json").read_text())["p_value"] > 0.001
    result = lsn.load(tmp_path / "all" / "ito.lsn")
    assert result.discrete is not None
    before = [(tmp_path / "all" / f"{kind}.lsn").stat().st_mtime_ns for kind in kinds]
    (tmp_path / "all" / "fokker-planck.lsn").unlink()
    again = CliRunner().invoke(app, words)
    assert again.exit_code == 0
    assert "1 found" in again.stderr
    assert (tmp_path / "all" / "ito.lsn").stat().st_mtime_ns == before[0]
    assert again.stdout == first.stdout


def test_what_does_not_go_together_is_refused(tmp_path):
    (tmp_path / "a.csv").write_text("t,x\n0,1\n")
    outcome = CliRunner().invoke(app, ["discover", str(tmp_path / "a.csv"), "--all", "--json"])
    assert outcome.exit_code == 2


@pytest.mark.parametrize(("words", "code"), [(["--version"], 0), (["discover", "missing.csv"], 2), (["nonsense"], 2)])
def test_exit_codes(words, code):
    assert CliRunner().invoke(app, words).exit_code == code


def test_an_internal_error_has_its_own_code(monkeypatch):
    def broken(*_, **__):
        raise RuntimeError("wrong")

    monkeypatch.setattr("liestonet.pipeline.solve.solve", broken)
    assert CliRunner().invoke(app, ["solve", "dx = dW"]).exit_code == 1


def test_the_shell_completes_commands():
    settings = {"_LIESTONET_COMPLETE": "complete_bash", "COMP_WORDS": "liestonet disc", "COMP_CWORD": "1"}
    outcome = CliRunner().invoke(app, [], env=settings, prog_name="liestonet")
    assert outcome.stdout.split() == ["discover"]
