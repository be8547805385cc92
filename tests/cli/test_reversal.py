"""`liestonet reversible` as people meet it."""

from __future__ import annotations

import json
from typing import Any

from typer.testing import CliRunner

from liestonet import cli


def run(*words: str) -> Any:
    return CliRunner().invoke(cli.app, ["reversible", *words])


def test_an_equation_is_proved():
    outcome = run("dx = v dt; dv = (-x - v) dt + dW", "--odd", "v")
    assert outcome.exit_code == 0, outcome.output
    assert outcome.stdout.startswith("Detailed balance holds with v odd: proved.")


def test_json_holds_the_numbers():
    """Rotation at rate ½ against a spring of stiffness 1: 2ω²/k = ½."""
    found = json.loads(run("dx = (-x - y/2) dt + dW1; dy = (x/2 - y) dt + dW2", "--json").stdout)
    assert found["holds"] is False
    assert abs(found["entropy_production"]["value"] - 0.5) < 1e-6


def test_wrong_input_ends_in_one_sentence():
    for words in (("dx = -x dt + dW", "--odd", "v"), ("missing.csv",), ("dx = -x dt + dW", "--noise", "0.1")):
        outcome = run(*words)
        assert outcome.exit_code == 2
        assert outcome.stderr.startswith("liestonet: ")
        assert outcome.stderr.count("\n") == 1
