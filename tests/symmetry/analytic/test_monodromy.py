"""Local symmetries followed round the turn: those that come back are counted, the others are not."""

from __future__ import annotations

import math

import numpy as np
import pytest

from liestonet.core.domain import Domain
from liestonet.sde import SDE
from liestonet.symmetry.analytic.dimension_bound import formal_counts
from liestonet.symmetry.analytic.harmonics import harmonics_of
from liestonet.symmetry.analytic.monodromy import changes_round, cover_of, periodic_bound
from liestonet.symmetry.analytic.nullspace import find_null_space
from liestonet.symmetry.determining.fields import Fields
from liestonet.symmetry.determining.kinds import kind_named

P = 2 * math.pi
TURN = (0.0, P)


def bounds(text: str, domain: Domain, kind: str = "ito") -> tuple[int | None, int | None]:
    """The local bound, and that of what closes."""
    sde = SDE.parse(text)
    source = sde.coefficients(domain)
    count = formal_counts(kind_named(kind), source, domain)[-1]
    return count.bound, periodic_bound(kind_named(kind), source, domain, count)


@pytest.mark.parametrize(
    ("text", "local", "closing"),
    [
        ("da = 0 dt + dW", 3, 2),  # ∂t and ∂a close, 2t ∂t + a ∂a does not
        ("da = 2 dt + dW", 3, 2),
        ("da = sin(a) dt + dW", 1, 1),
        ("da = sin(5*a) dt + dW", 1, 1),
        # y = ∫da/(2 + cos a) has constant noise and no drift: three, of which the scaling in y does not close
        ("da = -0.5*sin(a)*(2 + cos(a)) dt + (2 + cos(a)) dW", 3, 2),
        ("da = t*sin(a) dt + dW", 0, 0),
    ],
)
def test_scalar_equations(text: str, local: int, closing: int) -> None:
    assert bounds(text, Domain(((0.2, 1.2), TURN), periodic=(1,))) == (local, closing)


def test_boosts_of_an_angle_do_not_close_but_those_of_a_line_do() -> None:
    """Brownian motion on a cylinder: ∂t, ∂a, ∂x; on the plane also the scaling and, for the law, the rotation."""
    domain = Domain(((0.0, 1.0), TURN, (-2.0, 2.0)), periodic=(1,))
    assert bounds("da = dW1; dx = dW2", domain) == (4, 3)
    assert bounds("da = dW1; dx = dW2", domain, "law") == (5, 3)


def test_coefficients_of_an_angle_leave_a_scaling_of_another_coordinate() -> None:
    """In y = log x the drift is cos a − ½ and depends on a alone: ∂t and x ∂x, locally and round the circle."""
    domain = Domain(((0.0, 1.0), TURN, (1.0, 2.0)), periodic=(1,))
    assert bounds("da = dW1; dx = cos(a)*x dt + x dW2", domain) == (2, 2)


def test_the_shift_of_known_fields() -> None:
    """On the cover the free rotor has ∂t, ∂a and 2t ∂t + a ∂a; the shift changes the last by a multiple of ∂a."""
    domain = Domain(((0.0, 1.0), TURN), periodic=(1,))
    source, kind = SDE.parse("da = 0 dt + dW").coefficients(domain), kind_named("ito")
    null = find_null_space(kind, source, cover_of(domain), 3)
    fields = Fields(null.directions.basis, null.directions.coefficients[:, :3])
    changes = changes_round(fields, domain)
    assert len(changes) == 3
    assert np.all(changes[:2] < 1e-9)
    assert changes[2] > 0.1


def test_harmonics_are_the_common_divisor_of_an_equations_frequencies() -> None:
    domain = Domain(((0.0, 1.0), TURN, (-1.0, 1.0)), periodic=(1,))

    def of(text: str) -> dict[int, int]:
        return dict(harmonics_of(SDE.parse(text).coefficients(domain), domain))

    assert of("da = sin(8*a) dt + dW1; dx = x dt + dW2") == {1: 8}
    assert of("da = sin(8*a) dt + dW1; dx = x*cos(12*a) dt + dW2") == {1: 4}
    assert of("da = sin(8*a) dt + dW1; dx = x*cos(3*a) dt + dW2") == {1: 1}
    assert of("da = x dt + dW1; dx = x dt + dW2") == {1: 0}
