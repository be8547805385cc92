"""What is embedded in the page, without a browser: statistics of pushes, answers at other tolerances, escapes."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
import sympy

import liestonet as lsn
from liestonet.errors import InputError
from liestonet.inference.stages import ladders
from liestonet.reduction.canonical import canonical_coordinates
from liestonet.render.html.moving.embedding import embedded
from liestonet.render.html.moving.page_data import not_moved, page_data
from liestonet.render.html.moving.paths import Sample, sample_of
from liestonet.render.html.moving.programs import NotOnThePage, field_program, tree
from liestonet.render.html.moving.push_statistics import statistics
from liestonet.render.html.moving.random_push import quadratic_program
from liestonet.render.html.moving.tolerances import answers
from liestonet.render.html.moving.tuning import MOVING
from liestonet.render.view import ResultView
from liestonet.surrogate.surrogate import Surrogate
from liestonet.symmetry.determining.kinds import kind_from_data
from liestonet.validation.push_test import random_field
from report_results import bead, made


def sampled(result: Any) -> Any:
    """Its paths and steps."""
    found = sample_of(result)
    assert found is not None
    return found


def pushed(*arguments: Any) -> Any:
    """The statistics of a push."""
    found = statistics(*arguments)
    assert found is not None
    return found


def ladder_of(result: Any, tolerances: Any) -> Any:
    """The ladder at several tolerances."""
    return answers(ResultView.of(result), result, tolerances)


def evaluated(formula, point):
    """A tree of operations, evaluated here."""
    if isinstance(formula, int | float):
        return formula
    name, *rest = formula
    if name == "v":
        return point[rest[0]]
    values = [evaluated(part, point) for part in rest]
    if name in "+*^":
        combine = {"+": np.add, "*": np.multiply, "^": np.power}[name]
        return combine.reduce(values)
    return {"exp": np.exp, "log": np.log, "sin": np.sin, "Abs": np.abs}[name](values[0])


def test_formulas_keep_their_values():
    t, x = sympy.symbols("t x", real=True)
    formula = (
        sympy.exp(-2 * t) * sympy.Abs(x) ** sympy.Rational(3, 2) / (1 + t) + sympy.sin(sympy.pi * x) - sympy.log(2)
    )
    point = np.array([0.3, -1.7])
    assert evaluated(tree(formula, (t, x)), point) == pytest.approx(float(formula.subs({t: 0.3, x: -1.7})), rel=1e-13)
    with pytest.raises(NotOnThePage):
        tree(sympy.erf(x), (t, x))
    with pytest.raises(NotOnThePage):
        tree(sympy.sqrt(-1) * x, (t, x))


def test_random_pushes_keep_their_values():
    domain = made("1-D").domain
    field = random_field(domain, np.random.default_rng(2))
    point = np.array([0.7, -0.4])
    tau, xi = field(point[:1], point[None, 1:])
    found = [evaluated(part, point) for part in quadratic_program(field, domain)["formula"]]
    assert found == pytest.approx([tau[0, 0], xi[0, 0, 0]], rel=1e-12)


def test_a_shift_changes_the_steps_of_a_trap_as_algebra_says():
    """dx = −x dt + dW pushed by ξ = 1: the step stays, the drift loses ε, so that z̃ = z + ε √Δt."""
    sample = sampled(lsn.solve(lsn.SDE.parse("dx = -x dt + dW"), formulas=False))
    steps = sample.steps
    z = (steps.dx[:, 0] + steps.x[:, 0] * steps.dt) / np.sqrt(steps.dt)
    largest = 0.2
    row, _ = pushed(lambda t, x: (0 * t[None], np.ones((1, len(t), 1))), 0, sample, largest)
    low, high = sample.coefficients.domain.intervals[1]
    for place, change in enumerate(row["change"]):
        epsilon = largest * (place / MOVING.positions - 1)
        kept = (steps.x[:, 0] + epsilon >= low) & (steps.x[:, 0] + epsilon <= high)
        moved = z[kept] + epsilon * np.sqrt(steps.dt[kept])
        assert change == pytest.approx(np.mean(moved**2 - z[kept] ** 2) / 2, rel=2e-3, abs=1e-6)
        assert abs(sum(row["after"][place]) - 10_000) <= MOVING.bars


def test_symmetries_keep_the_steps_and_random_pushes_do_not():
    sample = sampled(made("1-D"))
    rows = [pushed(made("1-D").evaluated, k, sample, 0.5)[0] for k in range(3)]
    assert max(abs(change) for row in rows for change in row["change"]) < 0.01
    assert min(max(abs(change) for change in row["control_change"]) for row in rows) > 0.02


def test_too_few_steps_have_no_histogram():
    sample = sampled(made("1-D"))
    few = Sample(sample.paths, type(sample.steps)(*(part[:5] for part in sample.steps)), sample.coefficients, False)
    assert statistics(made("1-D").evaluated, 0, few, 0.5) is None


@pytest.mark.parametrize("name", ["1-D", "undecided"])
def test_ladders_share_a_fit_and_agree_with_discover(name):
    data = bead() if name == "1-D" else lsn.catalogue["linear"].simulate(paths=300, seed=2)
    found, tolerances = made(name).estimated, (0.03, 0.5)
    assert found is not None
    assert isinstance(found.surrogate, Surrogate)
    searches = ladders(kind_from_data("ito"), found.surrogate, tolerances, found.criteria.error_rate, True)
    for tolerance, search in zip(tolerances, searches, strict=True):
        expected = lsn.discover(data, tolerance=tolerance, formulas=False)
        assert search.count == expected.dimension
        assert [row.verdict for row in search.rows] == [row.verdict for row in expected.ladder]
        assert [row.upper for row in search.rows] == pytest.approx([row.upper for row in expected.ladder], rel=1e-9)


@pytest.mark.slow
def test_a_long_recording_keeps_what_its_tests_say():
    """Where the clock restarts, ∂t's row is that of the test against the date, at other tolerances too."""
    rng = np.random.default_rng(4)
    states = np.zeros(8_000)
    for k, noise in enumerate(rng.standard_normal(len(states) - 1)):
        states[k + 1] = np.exp(-0.05) * states[k] + np.sqrt((1 - np.exp(-0.1)) / 2) * noise
    data = lsn.Trajectories.from_arrays([np.arange(len(states)) * 0.05], [states[:, None]])
    result = lsn.discover(data, formulas=False)
    assert result.measurement.clock.date is not None
    found = ladder_of(result, (0.3,))
    for answer in found["answers"]:
        expected = lsn.discover(data, tolerance=answer["tolerance"], formulas=False)
        rows = found["answers"][answer["rows"]]["rows"] if isinstance(answer["rows"], int) else answer["rows"]
        assert [row["verdict"] for row in rows] == [row.verdict for row in expected.ladder]
        assert answer["dimension"] == str(expected.dimension)
    moving = sampled(result)
    low, high = result.domain.intervals[0]
    assert all(path[:, 0].min() >= low - 1e-9 and path[:, 0].max() <= high * (1 + 1e-9) for path in moving.paths)
    assert all(len(path) > 5 for path in moving.paths)


def test_a_dimension_that_was_asked_for_has_no_other_answers():
    data = lsn.catalogue["ornstein-uhlenbeck"].simulate(paths=200, seed=3)
    result = lsn.discover(data, dimension=2, formulas=False)
    assert len(ladder_of(result, None)["answers"]) == 1


def test_wrong_tolerances_are_refused():
    with pytest.raises(InputError, match="between 0 and 1"):
        ladder_of(made("undecided"), (0.1, 2))


def test_canonical_coordinates_of_a_price():
    """log x has a constant drift; without it, it is a Brownian motion on the clock σ² t."""
    found = canonical_coordinates(lsn.solve(lsn.SDE.parse("dx = 0.5*x dt + 0.3*x dW")))
    assert found is not None
    t, x = found.symbols
    assert sympy.simplify(found.clock - sympy.Rational(9, 100) * t) == 0
    assert sympy.simplify(found.state - sympy.log(x) + sympy.Rational(91, 200) * t) == 0
    assert canonical_coordinates(made("2-D")) is None


def test_embedded_text_has_no_tag_and_no_line_end():
    strings = ["</script>", "<!--", "a & b", "\u2028\u2029", '"\\']
    text = embedded({"all": strings})
    assert not set("<>&\u2028\u2029") & set(text)
    assert json.loads(text) == {"all": strings}


def test_a_formula_that_the_page_cannot_evaluate_moves_by_its_series():
    """An Itô symmetry with an imaginary error function, by its series, which is compared with the formula."""
    result = lsn.solve(lsn.SDE.parse("dx = (-x*exp(-x^2)/2) dt + exp(-x^2/2) dW"))
    special = [k for k, row in enumerate(result.closed_forms) if any(part.has(sympy.erfi) for part in row.xi)]
    assert len(special) == 1
    k = special[0]
    program = field_program(result.evaluated, k, 2)
    domain = result.domain
    assert set(program) == {"series", "limits"}
    assert program["limits"] == [list(interval) for interval in domain.intervals]
    points = domain.centre + domain.half * np.random.default_rng(8).uniform(-1, 1, (200, 2))
    formula = sympy.lambdify(sympy.symbols("t x", real=True), result.closed_forms[k].xi[0], "scipy")
    wanted = formula(points[:, 0], points[:, 1])
    series = result.fields.components(points, [()])[()][k, :, 1]
    assert np.max(np.abs(series - wanted)) < 1e-6 * np.max(np.abs(wanted))
    data = page_data(ResultView.of(result), result, ())
    assert data is not None
    assert {row["number"] for row in data["moving"]["generators"]} == {1, 2, 3}
    assert not_moved(result, data) == ""


def test_a_page_on_which_nothing_moves_says_why():
    result = lsn.solve(lsn.SDE.parse("dx = (x - x^2) dt + x dW"), "random")
    view = ResultView.of(result)
    assert "depends on the noise w" in not_moved(result, page_data(view, result, ()))
    exploding = lsn.solve(lsn.SDE.parse("dx = (x*exp(x^2)/2) dt + exp(x^2/2) dW"))
    assert "none could be simulated" in not_moved(exploding, None)
    assert "Not moved: X1, X2 and X3." in not_moved(made("1-D"), {"moving": {"generators": []}})
