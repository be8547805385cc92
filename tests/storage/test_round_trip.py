"""What was stored comes back: the same value, bit by bit, that can do all that it could do before."""

from __future__ import annotations

from io import StringIO
from typing import Any

import numpy as np
import pytest
from safetensors import safe_open

import liestonet as lsn
from findings import of_data
from liestonet.core.coefficients import JetOrder
from liestonet.errors import InputError
from liestonet.render.terminal import render
from liestonet.render.view import ResultView
from liestonet.storage import read_value, save
from storage_cases import CASES, SLOW, difference, points, result

EQUATIONS = [case for case in CASES if not case.startswith("data")]
DATA = [case for case in CASES if case.startswith("data")]


@pytest.fixture
def stored(request, tmp_path):
    """A result and what is left of it after a file."""
    found = result(request.param)
    found.save(tmp_path / "run.lsn")
    return found, lsn.load(tmp_path / "run.lsn")


def shown(content) -> str:
    from rich.console import Console

    console = Console(width=80, file=StringIO())
    with console.capture() as captured:
        console.print(content)
    return captured.get()


ALL = [*CASES, *(pytest.param(case, marks=pytest.mark.slow) for case in SLOW)]


@pytest.mark.parametrize("stored", ALL, indirect=True)
def test_it_is_the_same_value(stored):
    assert difference(*stored) is None


@pytest.mark.parametrize("stored", ALL, indirect=True)
def test_it_answers_as_before(stored):
    before, after = stored
    t, x = points(before)
    for old, new in zip(before.generators(t, x), after.generators(t, x), strict=True):
        assert np.array_equal(old, new)
    if before.directions.count:
        old, new = before.candidates(1)(t, x), after.candidates(1)(t, x)
        assert all(np.array_equal(a, b) for a, b in zip(old, new, strict=True))
    assert after.to_json() == before.to_json()
    assert after.latex() == before.latex()
    assert brackets_or_refusal(after) == brackets_or_refusal(before)
    assert after._repr_html_() == before._repr_html_()
    assert after.algebra.name == before.algebra.name


def brackets_or_refusal(result):
    """The table of brackets, or the sentence where an infinite-dimensional algebra has none."""
    try:
        return result.brackets()
    except InputError as refusal:
        return str(refusal)


@pytest.mark.parametrize("stored", EQUATIONS, indirect=True)
def test_an_equation_is_still_one(stored):
    before, after = stored
    assert shown(render(ResultView.of(after))) == shown(render(ResultView.of(before)))
    if before.surrogate.parameters:
        return
    t, x = points(before)
    close = 1e-12  # callables became polynomials
    np.testing.assert_allclose(after.surrogate.drift(t, x), before.surrogate.drift(t, x), rtol=close, atol=close)
    squared = after.surrogate.diffusion_squared(t, x)
    np.testing.assert_allclose(squared, before.surrogate.diffusion_squared(t, x), rtol=close, atol=close)


@pytest.mark.parametrize("stored", DATA, indirect=True)
def test_a_surrogate_is_still_one(stored):
    before, after = stored
    assert shown(render(ResultView.of(after))) == shown(render(ResultView.of(before)))
    t, x = points(before)
    old, new = before.surrogate, after.surrogate
    assert np.array_equal(new.drift(t, x), old.drift(t, x))
    assert np.array_equal(new.diffusion_squared(t, x), old.diffusion_squared(t, x))
    assert np.array_equal(new.parameter_covariance, old.parameter_covariance)
    order = JetOrder(drift=1, diffusion=1, diffusion_squared=2)
    for name in ("drift", "diffusion", "diffusion_squared"):
        was, now = getattr(old.jet(t, x, order), name), getattr(new.jet(t, x, order), name)
        assert was.keys() == now.keys()
        assert all(np.array_equal(was[key], now[key]) for key in was)
    assert str(of_data(after).data) == str(of_data(before).data)
    was, now = of_data(before).refit, of_data(after).refit
    if was is not None:
        assert now is not None
        assert now.p_value == was.p_value
        assert now.held_out == was.held_out


@pytest.mark.parametrize("stored", ["1-D", "kinks and a name"], indirect=True)
def test_the_equation_can_be_solved_again(stored):
    before, after = stored
    again = lsn.solve(after.surrogate, after.symmetry, after.domain)
    assert difference(again.ladder, before.ladder) is None
    assert [str(row) for row in again.formulas()] == [str(row) for row in before.formulas()]


@pytest.mark.parametrize("stored", ["parameters"], indirect=True)
def test_parameters_can_still_be_given(stored):
    _, after = stored
    numeric = after.surrogate.with_parameters(k=2, s=3)
    np.testing.assert_array_equal(numeric.drift(0.0, [[1.0], [2.0]]), [[-2.0], [-4.0]])


@pytest.mark.parametrize("stored", ["callables"], indirect=True)
def test_callables_leave_polynomials_and_say_so(stored, tmp_path):
    before, after = stored
    again = lsn.solve(after.surrogate, "law", after.domain, formulas=False)
    assert again.dimension == before.dimension
    (flag,) = after.surrogate.flags
    assert flag.code == "stored-projection"
    assert "u in (-1, 1)" in flag.message
    outside = after.surrogate.drift([0.5], [[0.0, 1.1]])
    assert np.isnan(outside).all()
    after.save(tmp_path / "twice.lsn")
    assert difference(after, lsn.load(tmp_path / "twice.lsn")) is None


def test_what_is_shared_is_stored_once(tmp_path):
    found = result("data 1-D")
    assert of_data(found).refit is not None
    found.save(tmp_path / "run.lsn")
    after = lsn.load(tmp_path / "run.lsn")
    refit: Any = of_data(after).refit
    assert refit.surrogate.overview is after.surrogate.overview
    estimates = [*after.surrogate.drift_estimates, *after.surrogate.diffusion_estimates]
    assert len({id(row.features) for row in estimates}) == 1


def test_others_can_read_the_arrays(tmp_path):
    found = result("1-D")
    found.save(tmp_path / "run.lsn")
    with safe_open(tmp_path / "run.lsn", "numpy") as file:
        arrays = [file.get_tensor(name) for name in file.keys()]  # noqa: SIM118
        assert list(file.metadata()) == ["liestonet.run"]
    assert any(np.array_equal(array, found.algebra.structure_constants) for array in arrays)


def test_a_file_is_the_same_each_time(tmp_path):
    for name in ("a.lsn", "b.lsn"):
        result("2-D").save(tmp_path / name)
    assert (tmp_path / "a.lsn").read_bytes() == (tmp_path / "b.lsn").read_bytes()
    lsn.load(tmp_path / "a.lsn").save(tmp_path / "b.lsn")
    assert difference(lsn.load(tmp_path / "a.lsn"), lsn.load(tmp_path / "b.lsn")) is None


def test_parts_of_a_result_can_be_stored_but_are_none(tmp_path):
    save(result("1-D").algebra, tmp_path / "algebra.lsn")
    assert difference(read_value(tmp_path / "algebra.lsn"), result("1-D").algebra) is None
    with pytest.raises(InputError, match="holds a value of type Algebra, not a result"):
        lsn.load(tmp_path / "algebra.lsn")


@pytest.mark.parametrize("path", [None, 3, b"run.lsn", "", "a\0b"])
def test_a_path_that_is_none(path):
    with pytest.raises(InputError, match="path"):
        result("1-D").save(path)
    with pytest.raises(InputError, match="path"):
        lsn.load(path)


def test_a_place_where_no_file_can_be(tmp_path):
    with pytest.raises(InputError, match="does not exist"):
        result("1-D").save(tmp_path / "no" / "run.lsn")
    with pytest.raises(InputError, match="is a folder"):
        result("1-D").save(tmp_path)
    with pytest.raises(InputError, match="There is no file"):
        lsn.load(tmp_path / "run.lsn")


def test_a_function_cannot_be_stored(tmp_path):
    with pytest.raises(InputError, match="holds a function, which cannot be stored"):
        save(lambda: 1, tmp_path / "f.lsn")
    assert not list(tmp_path.iterdir())
