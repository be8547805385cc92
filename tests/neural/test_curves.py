"""Curves over the number of generators: one surrogate for all of them gives what each has alone."""

from __future__ import annotations

import numpy as np
import pytest

from liestonet.neural.coefficients import fit_coefficients as fitting
from liestonet.neural.settings import Architecture, Cloud, Neural, Optimizer, Running
from liestonet.reproduction.items import closure


@pytest.mark.slow
def test_curves_made_together_are_those_of_single_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The surrogate is learnt by networks and kept; the seed is the same, so every number is too."""
    cheap = Neural(
        surrogate="neural",
        architecture=Architecture(tau=(4,), xi=(4,), beta=(4,)),
        cloud=Cloud(points=256),
        optimizer=Optimizer(batch=64, steps=20),
        running=Running(chunk=10),
        shifts=False,
        refit=False,
        polish=False,
    )
    monkeypatch.setattr("liestonet.reproduction.engines.engine_named", lambda engine, case: cheap)
    learnt = []
    train = fitting.train
    monkeypatch.setattr(fitting, "train", lambda *given, **named: learnt.append(1) or train(*given, **named))
    case = {"case": "ex1", "engine": "cheap", "seed": 3, "share": 1 / 64}
    curve = closure.run_together(**case, counts=[1, 2])["curve"]
    assert [part["count"] for part in curve] == [1, 2]
    once = len(learnt)
    alone = closure.run(**case, count=2)
    assert curve[1]["losses"] == pytest.approx(alone["losses"], rel=1e-9)
    np.testing.assert_allclose(curve[1]["residuals"], alone["residuals"], rtol=1e-9)
    np.testing.assert_allclose(curve[1]["subsets"], alone["subsets"], rtol=1e-6)
    assert once > 0
    assert len(learnt) == 2 * once
