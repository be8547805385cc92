"""Equations with angles: whether they are periodic, what is carried along, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest

from liestonet.core.domain import Domain
from liestonet.errors import InputError
from liestonet.sde import SDE
from liestonet.sde.periodicity import require_periodic

P = 2 * math.pi
TURN = Domain(((0.0, 1.0), (0.0, P)), periodic=(1,))


def test_periodic_coefficients_pass() -> None:
    require_periodic(SDE.parse("da = t*sin(3*a) dt + exp(cos(a)) dW"), TURN)


@pytest.mark.parametrize(("text", "what"), [("da = -a dt + dW", "drift"), ("da = dt + (2 + sin(a/2)) dW", "diffusion")])
def test_others_are_refused(text: str, what: str) -> None:
    with pytest.raises(InputError, match=f"The {what} does not have the period 6.28"):
        require_periodic(SDE.parse(text), TURN)


def test_a_rounded_period_is_told_from_the_true_one() -> None:
    with pytest.raises(InputError, match="all its digits"):
        require_periodic(SDE.parse("da = sin(a) dt + dW"), Domain(((0.0, 1.0), (0.0, 6.2832)), periodic=(1,)))


def test_periods_are_carried_along() -> None:
    sde = SDE.parse("da = (k + sin(a)) dt + dW").with_periods({"a": P})
    assert dict(sde.periodic) == {"a": P}
    numeric = sde.with_parameters(k=2)
    assert dict(numeric.periodic) == {"a": P}
    data = numeric.simulate([0.0], duration=60.0, step=0.2, paths=3, seed=1)
    assert dict(data.periodic) == {"a": P}
    assert np.ptp(data.flat_states) > P
    assert not SDE.parse("da = dW").periodic
    with pytest.raises(InputError, match="no coordinate 'b'"):
        sde.with_periods({"b": 1.0})
