"""A column that changes wherever times begin again is asked for as the label of the paths."""

from __future__ import annotations

import numpy as np
import pytest

import liestonet as lsn
from liestonet.errors import UndecidedError

TIMES = np.tile(np.arange(5.0), 3)
X = np.random.default_rng(0).normal(size=15)
GRAIN = np.repeat([4, 1, 7], 5)


def test_the_question_names_the_column_and_its_answer_is_taken():
    table = {"grain": GRAIN, "t": TIMES, "x": X}
    with pytest.raises(UndecidedError, match="trajectory='grain'"):
        lsn.Trajectories.from_dataframe(table)
    data = lsn.Trajectories.from_dataframe(table, trajectory="grain")
    assert (len(data), data.names) == (3, ("x",))


@pytest.mark.parametrize("other", [X[::-1], np.roll(GRAIN, 1)], ids=["a coordinate", "changes elsewhere"])
def test_no_question_about_other_columns(other):
    with pytest.raises(lsn.InputError, match="must increase strictly") as problem:
        lsn.Trajectories.from_dataframe({"y": other, "t": TIMES, "x": X})
    assert not isinstance(problem.value, UndecidedError)
