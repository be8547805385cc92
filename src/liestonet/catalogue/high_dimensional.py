"""Systems with more than two coordinates, whose algebras grow with the dimension."""

from __future__ import annotations

from liestonet.catalogue import arguments
from liestonet.catalogue.building import Motion, brownian_motion, linear_motion
from liestonet.catalogue.system import Experiment, Interval, Real, System


def _names(n: int) -> list[str]:
    return [f"x{i + 1}" for i in range(n)]


def _equation(n: int, drift: str = "") -> str:
    return "; ".join(f"dx{i} = {drift.format(i)}dW{i}" for i in range(1, n + 1))


def _box(n: int, duration: Real, width: Real) -> tuple[Interval, ...]:
    return ((0, duration), *((-width, width),) * n)


BROWNIAN_10: Motion = brownian_motion(*_names(10))

SYSTEMS = (
    System(
        key="brownian-3d",
        title="Brownian motion in space",
        description="Five Itô symmetries; the law adds the three rotations.",
        equation=_equation(3),
        symmetries=brownian_motion(*_names(3)).symmetries(),
        box=_box(3, 2, 3),
        experiment=Experiment(((-2, 2),) * 3, substeps=1),
        argument=arguments.HEAT,
    ),
    System(
        key="brownian-10d",
        title="Brownian motion in ten dimensions (the paper's high-dimensional example)",
        description="Twelve Itô symmetries; the law adds the 45 rotations.",
        equation=_equation(10),
        symmetries=BROWNIAN_10.symmetries(),
        box=_box(10, 2, 3),
        experiment=Experiment(((-2, 2),) * 10, paths=2048, substeps=1),
        argument=arguments.HEAT,
    ),
    System(
        key="ornstein-uhlenbeck-5d",
        title="Isotropic Ornstein–Uhlenbeck process in five dimensions",
        description="Seven Itô symmetries; the law adds the ten rotations.",
        equation=_equation(5, "-x{0} dt + "),
        symmetries=linear_motion("-1", *_names(5)).symmetries(),
        box=_box(5, 2, 2),
        experiment=Experiment(((-2, 2),) * 5),
        argument=arguments.HEAT,
    ),
)
