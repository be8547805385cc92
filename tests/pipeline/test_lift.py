"""The lift of symmetries of paths to those of densities, counted in the span of one and solved for in the other."""

from __future__ import annotations

import pytest

import liestonet as lsn


@pytest.mark.parametrize(
    "text",
    [
        "dx = dW",
        "dx = x dt + x dW",
        "dx = 1/x dt + dW",
        "dx = (x - x^3) dt + dW",
        pytest.param("dx = y dt; dy = -y dt + sqrt(2) dW", marks=pytest.mark.slow),
        pytest.param("dx = dW1; dy = dW2", marks=pytest.mark.slow),
    ],
)
def test_as_many_densities_symmetries_come_from_paths_as_paths_have(text: str) -> None:
    """dim of the lifts inside the Fokker–Planck span = dim of the Itô algebra, found without knowing of densities."""
    sde = lsn.SDE.parse(text)
    of_density, of_paths = (lsn.solve(sde, symmetry=kind, formulas=False) for kind in ("fokker-planck", "ito"))
    (flag,) = [flag for flag in of_density.flags if flag.code == "lift"]
    assert flag.message.startswith(f"{of_paths.dimension} of the {of_density.dimension} symmetries")
    assert f"The other {of_density.dimension - of_paths.dimension}, u∂u" in flag.message
    assert not [flag for flag in of_paths.flags if flag.code == "lift"]


def test_the_turned_noise_has_fewer_lifts() -> None:
    """The law of Brownian motion in the plane with another root of a: rotation and more are no Itô symmetries."""
    turned = lsn.SDE.parse("dx = cos(x/2) dW1 - sin(x/2) dW2; dy = sin(x/2) dW1 + cos(x/2) dW2")
    result = lsn.solve(turned, symmetry="fokker-planck", formulas=False)
    assert result.dimension == 9
    (flag,) = [flag for flag in result.flags if flag.code == "lift"]
    assert flag.message.startswith("2 of the 9")
