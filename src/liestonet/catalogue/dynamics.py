"""Nonlinear dynamics with noise in every coordinate."""

from __future__ import annotations

from liestonet.catalogue import arguments
from liestonet.catalogue.system import FOKKER_PLANCK, ITO, Experiment, System

PLANE = {ITO: (("1", "0", "0"),), FOKKER_PLANCK: (("1", "0", "0", "0"), ("0", "0", "0", "1"))}
POLYNOMIAL = (
    arguments.GENERIC
    + "Here a is constant and, in coordinates with a = 1, ξ = τ'x/2 + Ωx + h; the highest powers of the drift allow no "
    "scaling and no rotation, and the next ones no shift."
)

SYSTEMS = (
    System(
        key="fitzhugh-nagumo",
        title="Excitable neuron (FitzHugh–Nagumo)",
        description="Voltage x and slow recovery y.",
        equation="dx = (x - x^3/3 - y) dt + 1/2 dW1; dy = 2/25*(x + 7/10 - 4/5*y) dt + 1/10 dW2",
        symmetries=PLANE,
        box=((0, 4), (-2.2, 2.2), (-1.2, 1.5)),
        experiment=Experiment(((-2, 2), (-1, 1.5)), duration=4),
        argument=POLYNOMIAL,
    ),
    System(
        key="brusselator",
        title="Chemical oscillator (Brusselator)",
        description="Concentrations of two reacting chemicals.",
        equation="dx = (1 - 3*x + x^2*y) dt + 1/5 dW1; dy = (2*x - x^2*y) dt + 1/5 dW2",
        symmetries=PLANE,
        box=((0, 4), (0.1, 2), (0.8, 3.2)),
        experiment=Experiment(((0.5, 1.5), (1, 3)), duration=4),
        argument=POLYNOMIAL,
    ),
    System(
        key="lorenz",
        title="Lorenz system with noise",
        description="The chaotic system at its usual parameters; rotation by π about the z axis is a discrete symmetry "
        "only.",
        equation="dx = 10*(y - x) dt + dW1; dy = (x*(28 - z) - y) dt + dW2; dz = (x*y - 8/3*z) dt + dW3",
        symmetries={
            ITO: (("1", "0", "0", "0"),),
            FOKKER_PLANCK: (("1", "0", "0", "0", "0"), ("0", "0", "0", "0", "1")),
        },
        box=((0, 2), (-18, 18), (-24, 24), (5, 45)),
        experiment=Experiment(((-10, 10), (-10, 10), (15, 35))),
        argument=POLYNOMIAL,
    ),
)
