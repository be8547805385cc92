"""How a result was made is remembered, and the command is one that makes it again."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import liestonet as lsn
from liestonet.core.provenance import provenance_of


def arguments(command: str) -> dict[str, Any]:
    """The literal keyword arguments of a call written as text."""
    call = ast.parse(command, mode="eval").body
    assert isinstance(call, ast.Call)
    return {
        str(word.arg): ast.literal_eval(word.value) for word in call.keywords if not isinstance(word.value, ast.Call)
    }


def test_solve_remembers_what_was_asked_for():
    sde = lsn.SDE.parse("dx = x dt + dW")
    first = lsn.solve(sde, "law", [(0, 1), (-1, 1)], formulas=False)
    assert first.provenance is not None
    asked = arguments(first.provenance.command)
    assert asked == {"symmetry": "law", "domain": [[0.0, 1.0], [-1.0, 1.0]], "formulas": False}
    assert lsn.solve(sde, **asked).to_json() == first.to_json()
    assert first.provenance.versions["liestonet"] == lsn.__version__


def test_a_chosen_domain_is_no_setting():
    made = lsn.solve(lsn.SDE.parse("dx = dW"), formulas=False).provenance
    assert made is not None
    assert "domain" not in made.settings


def test_an_engine_is_written_as_it_is_made():
    made = provenance_of("discover", "data", 3, engine=repr(lsn.Spectral(refit=False)), dimension=None)
    assert made.command == "liestonet.discover(data, engine=liestonet.Spectral(refit=False))"
    assert made.seed == 3


def test_a_result_keeps_the_numbers_that_decided(tmp_path: Path):
    from liestonet.pipeline.tuning import LONG_TIMES
    from liestonet.symmetry.analytic.tuning import NULL_SPACE

    result = lsn.solve(lsn.SDE.parse("dx = dW"), formulas=False)
    assert result.provenance is not None
    assert result.provenance.tuning["NullSpaceTuning"]["clear_gap"] == NULL_SPACE.clear_gap
    assert result.provenance.tuning["LongTimeTuning"]["window"] == LONG_TIMES.window
    assert "FitTuning" not in result.provenance.tuning
    result.save(tmp_path / "result.lsn")
    opened = lsn.load(tmp_path / "result.lsn")
    assert opened.provenance.tuning == result.provenance.tuning


def test_a_result_from_data_keeps_those_of_the_fit_and_the_search():
    from liestonet.pipeline.tuning import ANSWER
    from liestonet.surrogate.tuning import FIT
    from liestonet.symmetry.statistical.tuning import SEARCH

    data = lsn.catalogue["brownian"].simulate(paths=32, seed=1)
    made = lsn.discover(data, formulas=False).provenance
    assert made is not None
    assert made.tuning["FitTuning"]["folds"] == FIT.folds
    assert made.tuning["SearchTuning"]["levels"] == SEARCH.levels
    assert made.tuning["AnswerTuning"]["least_error"] == ANSWER.least_error
    assert not {"NullSpaceTuning", "GeneratorTuning"} & {*made.tuning}
