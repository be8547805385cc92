"""The paper's settings on anyone's data: which experiment lends them, and what is said about it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import liestonet as lsn
from liestonet.inference.engine import Request
from liestonet.neural.paper_choice import choose_preset
from liestonet.neural.settings import Neural
from liestonet.symmetry.determining.kinds import kind_named
from liestonet.symmetry.statistical.verdicts import Criteria


def asked(text: str, dimension: int, kind: str = "ito", **how: Any) -> Request:
    given = {"duration": 0.5, "step": 0.02, "paths": 60, "seed": 1} | how
    data = lsn.SDE.parse(text).simulate(initial=lambda rng, count: rng.uniform(-1, 1, (count, dimension)), **given)
    return Request(data, kind_named(kind), Criteria(), None, False, 0, lambda message: None)


@pytest.mark.parametrize(
    ("example", "text", "dimension", "kind", "why"),
    [
        (1, "dx = -x dt + dW", 1, "ito", "one coordinate"),
        ("fokker-planck", "dx = -x dt + dW", 1, "fokker-planck", "one coordinate"),
        (3, "dx = y dt; dy = -y dt + dW", 2, "ito", "x has no noise of its own"),
        (4, "dx = -x dt + dW1; dy = (x - y) dt + 0.5 dW1 + 0.8 dW2", 2, "law", "2 coordinates, all with noise"),
        ("brownian-10d", "dx1 = dW1; dx2 = dW2; dx3 = dW3; dx4 = dW4", 4, "ito", "4 coordinates"),
    ],
)
def test_the_number_of_coordinates_and_the_noise_decide(example, text, dimension, kind, why):
    chosen, flag = choose_preset(Neural.paper(), asked(text, dimension, kind))
    like = Neural.paper(example)
    assert replace(chosen, cloud=like.cloud, scaled=False) == like
    assert chosen.scaled
    assert chosen.cloud.floor is None
    assert why in flag.message
    assert f"Neural.paper({example!r})" in flag.action


def test_single_steps_take_the_second_example_and_no_density():
    rng = np.random.default_rng(0)
    start = rng.uniform(0, 1, 400)
    request = asked("dx = x dt + dW", 1, duration=0.02, paths=400, start=start)
    assert choose_preset(Neural.paper(), request)[0].name == "Neural.paper(2)"
    chosen, flag = choose_preset(Neural.paper(), replace(request, kind=kind_named("fokker-planck")))
    assert chosen.objective.weights[8] == 0.0
    assert "without L9" in flag.message


def test_the_reading_and_the_way_of_running_are_kept(tmp_path):
    waiting = Neural.paper(reading="pointwise").with_running(checkpoint=tmp_path)
    chosen, _ = choose_preset(waiting, asked("dx = dW", 1))
    assert chosen.objective.closure == "pointwise"
    assert chosen.running.checkpoint == str(tmp_path)


@pytest.mark.slow
def test_a_result_says_whose_settings_it_has(monkeypatch):
    """The whole way with fewer steps: the command line's engine on a few paths."""
    from liestonet.neural import paper_choice, stage_one
    from liestonet.neural.coefficients.settings import PAPER

    few = {number: replace(each, steps=20, batch=64, widths=(8,)) for number, each in PAPER.items()}
    monkeypatch.setattr(stage_one, "PAPER", few)

    def small(example: Any, reading: str) -> Neural:
        made = Neural.paper(example, reading)
        return replace(
            made,
            optimizer=replace(made.optimizer, steps=10, batch=32),
            architecture=replace(made.architecture, tau=(4,), xi=(4,)),
            cloud=replace(made.cloud, points=200, trajectories=8),
        )

    monkeypatch.setattr(paper_choice, "preset", small)
    result = lsn.discover(asked("dx = -x dt + dW", 1).source, Neural.paper(), dimension=2, formulas=False)
    assert result.dimension == 2
    assert "paper-settings" in {flag.code for flag in result.flags}
