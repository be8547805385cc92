"""Answers in a line or two: `repr`, `--quiet`, and names that agree wherever they are read."""

from __future__ import annotations

import json
import math

import liestonet as lsn
from liestonet.render.verdict import short_verdict


def test_repr_is_two_lines_with_what_matters() -> None:
    lines = repr(lsn.solve(lsn.SDE.parse("dx = dW"), formulas=False)).splitlines()
    assert len(lines) == 2
    assert max(map(len, lines)) < 200
    assert "3 Itô symmetries of dx = dW" in lines[0]
    assert "Bianchi VI" in lines[1]
    assert "domain-chosen" in lines[1]


def test_the_short_verdict_names_a_box_that_was_chosen_and_no_other() -> None:
    sde = lsn.SDE.parse("dx = -x dt + dW")
    chosen = lsn.solve(sde, formulas=False)
    low, high = chosen.domain.intervals[1]
    assert f"x from {low:g} to {high:g}" in short_verdict(chosen)
    half = short_verdict(lsn.solve(sde, domain=[(0, 1), None], formulas=False))
    assert "x from" in half
    assert "t from" not in half
    assert "chosen" not in short_verdict(lsn.solve(sde, domain=[(0, 1), (-1, 1)], formulas=False)).lower()


def test_an_infinite_algebra_has_one_name_everywhere() -> None:
    result = lsn.solve(lsn.SDE.parse("dx = dW; dy = y dt"))
    assert result.dimension == math.inf
    assert result.algebra.name == json.loads(result.to_json())["algebra"]["name"] == "infinite-dimensional"
