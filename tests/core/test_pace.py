"""How long it will still take: from known shares of the stages and a clock that the test turns."""

from __future__ import annotations

import pytest

import liestonet as lsn
from liestonet.core.pace import DISCOVERING, SOLVING, Pace, without

SHARES = {"reading": 1.0, "fitting": 2.0, "fitting again": 1.0}


class Clock:
    """Time that passes when it is told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_what_is_left_follows_from_what_is_done(clock):
    pace = Pace(SHARES, clock)
    pace.enter("reading a file")
    assert (pace.done, pace.text()) == (0.0, "")
    clock.now += 10
    pace.enter("fitting 3 things")
    assert pace.done == 0.25
    assert pace.left() == pytest.approx(30)
    assert pace.text() == "about 30 s left"
    clock.now += 5
    assert pace.left() == pytest.approx(25)
    clock.now += 115
    assert pace.text() == ""


def test_a_stage_that_comes_back_does_not_turn_time_back(clock):
    pace = Pace(SHARES, clock)
    clock.now += 30
    pace.enter("fitting again")
    pace.enter("reading")
    pace.enter("something else")
    assert pace.done == 0.75
    assert pace.left() == pytest.approx(10)


def test_long_times_are_in_minutes_and_short_ones_are_not_told(clock):
    pace = Pace(SHARES, clock)
    clock.now += 1
    pace.enter("fitting")
    assert pace.text() == ""
    slow = Pace(SHARES, clock)
    clock.now += 200
    slow.enter("fitting")
    assert slow.text() == "about 10 min left"


def test_a_run_without_a_page_does_not_wait_for_one(clock):
    assert without(SOLVING, drawing=False) == SOLVING
    pace = Pace(without({"reading": 1.0, "drawing the report": 9.0, "checking": 1.0}, drawing=True), clock)
    clock.now += 8
    pace.enter("checking")
    assert pace.left() == pytest.approx(8)


def test_the_stages_of_both_pipelines_are_known():
    """A stage that is renamed would silently stop the estimate."""
    told: list[str] = []
    lsn.solve(lsn.SDE.parse("dx = -k*x dt + dW"), progress=told.append)
    assert [stage for stage in told if not any(stage.startswith(name) for name in SOLVING)] == []
    told.clear()
    lsn.discover(lsn.catalogue["ornstein-uhlenbeck"].simulate(paths=20, seed=1), progress=told.append)
    lsn.fit(lsn.catalogue["langevin"].simulate(paths=20, seed=1), progress=told.append)
    assert "drift of coordinates without noise" in told
    assert [stage for stage in told if not any(stage.startswith(name) for name in DISCOVERING)] == []
