"""Scalar systems whose coefficients depend on time: with three symmetries, with one that is not ∂t, or with none."""

from __future__ import annotations

from liestonet.catalogue import arguments
from liestonet.catalogue.building import SCALE
from liestonet.catalogue.system import FOKKER_PLANCK, ITO, Experiment, System

NONE = {ITO: (), FOKKER_PLANCK: (SCALE,)}
SIMILAR = {ITO: (("2*(1 + t)", "x"),), FOKKER_PLANCK: (("2*(1 + t)", "x", "0"), SCALE)}
NO_TIME = (
    arguments.SCALAR + arguments.DENSITY + "Here no combination of a shift, a scaling and a time translation keeps g, "
    "comparing powers of y; the same for V, so u∂u alone."
)
HIDDEN = (
    arguments.SCALAR + arguments.DENSITY + "Here g is not affine and not A/y + by, so one at most, the one listed; V "
    "is of no special form, so that one and u∂u."
)

SYSTEMS = (
    System(
        key="brownian-bridge",
        title="Brownian bridge",
        description="Brownian motion conditioned to be at zero at t = 1.",
        equation="dx = -x/(1 - t) dt + dW",
        # x = (1 − t)·B(t/(1 − t)), B a Brownian motion
        symmetries={
            ITO: (("(1 - t)^2", "-x*(1 - t)"), ("0", "1 - t"), ("2*t*(1 - t)", "x*(1 - 2*t)")),
            FOKKER_PLANCK: (
                ("(1 - t)^2", "-x*(1 - t)", "1 - t"),
                ("0", "1 - t", "0"),
                ("2*t*(1 - t)", "x*(1 - 2*t)", "2*t"),
                ("0", "t", "-x/(1 - t)"),
                ("t^2", "t*x", "-x^2/(2*(1 - t)^2) - t/(2*(1 - t)) + t^2/(1 - t)"),
                SCALE,
            ),
        },
        box=((0, 0.9), (-1.2, 1.2)),
        experiment=Experiment(((-1, 1),), duration=0.9, step=0.005),
        argument=arguments.THREE,
    ),
    System(
        key="growing-noise",
        title="Brownian motion with growing noise",
        description="Brownian motion with the time change t + t²/2.",
        equation="dx = sqrt(1 + t) dW",
        symmetries={
            ITO: (("1/(1 + t)", "0"), ("0", "1"), ("(2*t + t^2)/(1 + t)", "x")),
            FOKKER_PLANCK: (
                ("1/(1 + t)", "0", "0"),
                ("0", "1", "0"),
                ("(2*t + t^2)/(1 + t)", "x", "0"),
                ("0", "t + t^2/2", "-x"),
                ("(t + t^2/2)^2/(1 + t)", "(t + t^2/2)*x", "-x^2/2 - (t + t^2/2)/2"),
                SCALE,
            ),
        },
        box=((0, 2), (-3, 3)),
        experiment=Experiment(((-2, 2),)),
        argument=arguments.THREE,
    ),
    System(
        key="self-similar-cubic",
        title="Cubic force that fades with time",
        description="Time translation is no symmetry, but a scaling about t = −1 is.",
        equation="dx = -x^3/(1 + t)^2 dt + dW",
        symmetries=SIMILAR,
        box=((0, 2), (-2, 2)),
        experiment=Experiment(((-2, 2),)),
        argument=HIDDEN,
    ),
    System(
        key="self-similar-noise",
        title="State-dependent noise that fades with time",
        description="No drift; the only symmetry is a scaling about t = −1.",
        equation="dx = (1 + x^2/(1 + t)) dW",
        symmetries=SIMILAR,
        box=((0, 0.5), (-1.5, 1.5)),
        experiment=Experiment(((-1, 1),), duration=0.5, step=0.005, boundary={"x": (-3, 3)}),
        argument=HIDDEN,
    ),
    System(
        key="travelling-wave",
        title="Particle in a travelling wave",
        description="Neither time nor space translation is a symmetry, but moving along with the wave is.",
        equation="dx = sin(x - t) dt + dW",
        symmetries={ITO: (("1", "1"),), FOKKER_PLANCK: (("1", "1", "0"), SCALE)},
        box=((0, 4), (-4, 6)),
        experiment=Experiment(((-3, 3),), duration=4),
        argument=HIDDEN,
    ),
    System(
        key="stochastic-resonance",
        title="Driven double well",
        description="A double well with a periodic force: no symmetry.",
        equation="dx = (x - x^3 + sin(t)) dt + dW",
        symmetries=NONE,
        box=((0, 4), (-2, 2)),
        experiment=Experiment(((-2, 2),), duration=4),
        argument=NO_TIME,
    ),
    System(
        key="opening-well",
        title="Pitchfork bifurcation in time",
        description="A single well that slowly becomes a double well: no symmetry.",
        equation="dx = (t*x - x^3) dt + dW",
        symmetries=NONE,
        box=((0, 3), (-2.2, 2.2)),
        experiment=Experiment(((-2, 2),), duration=3),
        argument=NO_TIME,
    ),
)
