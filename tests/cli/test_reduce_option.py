"""`solve … --reduce`: as text, as JSON, in LaTeX and in one line."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from liestonet import cli

EQUATION = "dx = dW"


def run(*words: str) -> str:
    outcome = CliRunner().invoke(cli.app, ["solve", EQUATION, "--reduce", *words])
    assert outcome.exit_code == 0, outcome.output
    return outcome.stdout


def test_the_solution_follows_the_symmetries():
    text = " ".join(run().split())
    assert "Solved: every coordinate is an integral of known functions." in text
    assert "x = x_0 + W(t)" in text
    assert "Proved: Itô's formula" in text
    assert "Martingales" in text


@pytest.mark.slow
def test_json_has_the_reduction_too():
    found = json.loads(run("--json"))
    assert found["reduction"]["kind"] == "solved"
    assert found["reduction"]["exact_sample"] is True
    assert found["invariants"] == []
    assert {"expression", "status", "local", "origin"} <= found["martingales"][0].keys()


@pytest.mark.slow
def test_one_line_and_latex():
    assert run("--quiet").splitlines()[-1].startswith("Solved")
    assert "\\begin{align}" in run("--latex")
