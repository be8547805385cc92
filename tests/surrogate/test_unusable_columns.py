"""Columns that are no coordinates are refused by name before the fit; coordinates that look smooth are not."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
import pytest
from typer.testing import CliRunner

import liestonet as lsn
from liestonet.cli import app
from liestonet.errors import InputError
from liestonet.surrogate.overview import look_over
from liestonet.surrogate.unusable_columns import impossible_fit, is_function_of_time
from liestonet.trajectories import Trajectories

PATHS, POINTS = 20, 101
Column = Callable[[np.ndarray, int], np.ndarray]


def beside(column: Column, paths: int = PATHS, jitter: float = 0.0) -> Trajectories:
    """Brownian paths with a second coordinate that is made of time and the path's number."""
    rng = np.random.default_rng(3)
    times = [np.cumsum(0.02 + jitter * rng.random(POINTS * PATHS // paths)) for _ in range(paths)]
    walks = [np.cumsum(0.1 * rng.standard_normal(len(t))) for t in times]
    states = [np.column_stack([x, column(t, k)]) for k, (t, x) in enumerate(zip(times, walks, strict=True))]
    return Trajectories.from_arrays(times, states, ["x", "extra"])


CLOCKS: dict[str, Column] = {
    "frame": lambda t, k: np.round(50 * t),
    "seconds in another unit": lambda t, k: 1000 * t,
    "square": lambda t, k: t**2,
    "season": lambda t, k: np.sin(9 * t),
}


@pytest.mark.parametrize("column", CLOCKS.values(), ids=CLOCKS.keys())
def test_a_function_of_time_is_refused_by_name(column: Column) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(
            InputError,
            match=r"^extra is a function of the time; leave it out of the state; give state=\['x'\] \(the others\)\.$",
        ):
            lsn.discover(beside(column))


@pytest.mark.parametrize("paths", [1, PATHS])
@pytest.mark.parametrize("name", ["seconds in another unit", "square"])
def test_also_where_no_two_paths_share_a_time(name: str, paths: int) -> None:
    with pytest.raises(InputError, match="extra is a function of the time"):
        lsn.fit(beside(CLOCKS[name], paths, jitter=0.01))


def test_a_constant_of_each_path_is_refused_by_name() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(
            InputError,
            match=r"^extra never changes within a path; leave it out .* give state=\['x'\] \(the others\)\.$",
        ):
            lsn.discover(beside(lambda t, k: np.full(len(t), 1.0 + k % 7)))


def test_at_the_command_line_it_is_exit_code_2(tmp_path) -> None:
    beside(CLOCKS["square"]).write(tmp_path / "paths.csv")
    outcome = CliRunner().invoke(app, ["discover", str(tmp_path / "paths.csv")])
    assert outcome.exit_code == 2
    assert "extra is a function of the time" in outcome.stderr
    assert "Warning" not in outcome.stderr


@pytest.mark.parametrize("integrals", [1, 2, 3, 4, 5])
def test_integrals_of_noise_are_no_functions_of_time(integrals: int) -> None:
    """One path of a chain of noiseless coordinates, the smoothest a state can be."""
    rng = np.random.default_rng(integrals)
    t = np.linspace(0, 1, 5001)
    x = rng.standard_normal(5001)
    for _ in range(integrals + 1):
        x = np.cumsum(x) / 5000
    assert not is_function_of_time(t, x)


def test_paths_that_begin_in_one_point_are_no_functions_of_time() -> None:
    """Only their first times are shared."""
    rng = np.random.default_rng(4)
    t = np.concatenate([[0.0, *np.sort(rng.random(20))] for _ in range(100)])
    x = np.where(t == 0, 1.0, rng.standard_normal(len(t)))
    assert not is_function_of_time(t, x)


def test_an_impossible_fit_names_the_columns_to_leave_out() -> None:
    """Volumes and marks are independent at every step, an average price follows the price."""
    rng = np.random.default_rng(4)
    price = np.cumsum(rng.standard_normal(5000))
    state = np.column_stack([price, price + 1e-3 * rng.standard_normal(5000), rng.exponential(size=5000)])
    data = Trajectories.from_arrays([np.arange(5000.0)], [state], ["price", "average", "volume"])
    told = str(impossible_fit(look_over(data).sample, data.names))
    assert told.endswith("give state=['price'] (what is left).")
    assert "average differs too little from price" in told
    assert "as the whole spread of volume" in told


def test_an_impossible_fit_of_usable_columns_names_none() -> None:
    rng = np.random.default_rng(5)
    data = Trajectories.from_arrays([np.arange(500.0)], [np.cumsum(rng.standard_normal((500, 2)), axis=0)])
    assert "differ too much in size" in str(impossible_fit(look_over(data).sample, data.names))


def test_one_command_leaves_out_all_columns_that_are_no_state() -> None:
    """A table of tracks as image analysis writes it: a constant, row numbers, a quality, and a copy."""
    rng = np.random.default_rng(6)
    t = np.arange(200.0)
    x = rng.standard_normal((30, 200)).cumsum(axis=1)
    rows = np.arange(6000.0).reshape(30, 200)
    columns = [x, np.zeros_like(x), rows, rng.uniform(5, 20, x.shape), x + 1e-4 * rng.standard_normal(x.shape)]
    data = lsn.Trajectories.from_arrays(t, np.stack(columns, axis=2), ["x", "z", "id", "quality", "copy"])
    with pytest.raises(InputError) as refused:
        lsn.discover(data)
    said = str(refused.value)
    for word in ("z hardly ever changes", "id changes at a constant rate", "spread of quality", "copy differs too"):
        assert word in said
    assert said.endswith("leave them out of the state; give state=['x'] (the others).")
