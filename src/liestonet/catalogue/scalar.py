"""Scalar systems with constant noise, and scalar systems with two noises."""

from __future__ import annotations

from liestonet.catalogue import arguments
from liestonet.catalogue.building import SCALE, bessel_motion, brownian_motion, dressed, pushed, scalar_image
from liestonet.catalogue.system import FOKKER_PLANCK, ITO, Experiment, System

STILL = (("1", "0"),)
ONLY_TIME = {ITO: STILL, FOKKER_PLANCK: (("1", "0", "0"), SCALE)}
LINE = brownian_motion("x")
SINH = scalar_image(brownian_motion("log(x + sqrt(1 + x^2))"), "sqrt(1 + x^2)", "x/(1 + x^2)")
POSITIVE = {"x": (0.0, None)}

SYSTEMS = (
    System(
        key="brownian",
        title="Brownian motion (Example 1 of the paper)",
        description="Standard Brownian motion on the line; its Fokker–Planck equation is the heat equation.",
        equation="dx = dW",
        symmetries=LINE.symmetries(),
        box=((0, 5), (-5, 5)),
        experiment=Experiment(((-2, 2),), duration=5, paths=2048, substeps=1),
        argument=arguments.THREE + " Lie (1881) for the heat equation.",
    ),
    System(
        key="arithmetic-brownian",
        title="Brownian motion with drift",
        description="Constant drift and constant noise.",
        equation="dx = 1/2 dt + 4/5 dW",
        # w = (x − t/2)/(4/5) is standard Brownian motion
        symmetries=pushed(brownian_motion("5/4*(x - t/2)"), [["4/5"]], ["0"], ["1/2"]).symmetries(),
        box=((0, 2), (-2.5, 3.5)),
        experiment=Experiment(((-2, 2),), substeps=1),
        argument=arguments.THREE,
    ),
    System(
        key="double-well",
        title="Double well",
        description="Overdamped motion between two wells at −1 and 1.",
        equation="dx = (x - x^3) dt + dW",
        symmetries=ONLY_TIME,
        box=((0, 2), (-2, 2)),
        experiment=Experiment(((-2, 2),)),
        argument=arguments.ONE,
    ),
    System(
        key="weak-cubic",
        title="Ornstein–Uhlenbeck with a weak cubic force",
        description="Nearly linear: two of the three symmetries of the linear system are only near-symmetries here.",
        equation="dx = -(x + x^3/10) dt + dW",
        symmetries=ONLY_TIME,
        box=((0, 2), (-2, 2)),
        experiment=Experiment(((-2, 2),)),
        argument=arguments.ONE,
    ),
    System(
        key="sine-drift",
        title="Periodic force",
        description="A particle in a periodic potential; the shift by 2π is a discrete symmetry only.",
        equation="dx = sin(x) dt + dW",
        symmetries=ONLY_TIME,
        box=((0, 2), (-4, 4)),
        experiment=Experiment(((-3, 3),)),
        argument=arguments.ONE,
    ),
    System(
        key="tanh-drift",
        title="Brownian motion conditioned by cosh",
        description="One symmetry of the paths, but six of the density: the drift is the gradient of log cosh.",
        equation="dx = tanh(x) dt + dW",
        # h = cosh(x) exp(−t/2) solves the backward heat equation
        symmetries=dressed(LINE, "-1/2", "tanh(x)", STILL).symmetries(),
        box=((0, 2), (-4, 4)),
        experiment=Experiment(((-2, 2),)),
        argument=arguments.SCALAR
        + arguments.DENSITY
        + "Here g = tanh y is neither affine nor A/y + by, so ∂t alone; V = (sech² + tanh²)/2 = 1/2 is quadratic, so "
        "six.",
    ),
    System(
        key="inverse-square",
        title="Drift with an inverse-square potential",
        description="One symmetry of the paths, four of the density.",
        equation="dx = (2*x^3 - 1)/(x*(x^3 + 1)) dt + dW",
        # the drift is the derivative of log(x² + 1/x), a solution of h'' = 2h/x² like that of Bessel's x²
        symmetries=dressed(bessel_motion("2", "x"), "0", "-3/(x*(x^3 + 1))", STILL).symmetries(),
        box=((0, 1), (0.5, 4)),
        experiment=Experiment(((1.5, 3),), duration=1, boundary={"x": 0.3}),
        argument=arguments.SCALAR
        + arguments.DENSITY
        + "Here g is the derivative of log(y² + 1/y), no A/y + by, so ∂t alone; V = 1/y², so four.",
        state_space=POSITIVE,
    ),
    System(
        key="bessel",
        title="Bessel process",
        description="Distance from the origin of Brownian motion in four dimensions; the scaling is a symmetry, the "
        "translation is not.",
        equation="dx = 3/(2*x) dt + dW",
        symmetries=bessel_motion("3/2", "x").symmetries(),
        box=((0, 2), (0.5, 5)),
        experiment=Experiment(((0.5, 3),), boundary={"x": 0.05}),
        argument=arguments.SCALAR + arguments.DENSITY + "Here A = 3/2, so two; V = 3/(8y²), so four.",
        state_space=POSITIVE,
    ),
    System(
        key="bessel-3d",
        title="Bessel process in three dimensions",
        description="Distance from the origin in three dimensions: the density over x solves the heat equation.",
        equation="dx = 1/x dt + dW",
        symmetries=bessel_motion("1", "x").symmetries(),
        box=((0, 2), (0.5, 5)),
        experiment=Experiment(((0.5, 3),), boundary={"x": 0.05}),
        argument=arguments.SCALAR + arguments.DENSITY + "Here A = 1, so two; V = A(A−1)/(2y²) = 0, so six.",
        state_space=POSITIVE,
    ),
    System(
        key="radial-ornstein-uhlenbeck",
        title="Radial Ornstein–Uhlenbeck process",
        description="Distance from the origin of a four-dimensional Ornstein–Uhlenbeck process.",
        equation="dx = (3/(2*x) - x) dt + dW",
        symmetries=bessel_motion("3/2", "x", "-1").symmetries(),
        box=((0, 2), (0.4, 2.5)),
        experiment=Experiment(((0.5, 3),), boundary={"x": 0.05}),
        argument=arguments.SCALAR + arguments.DENSITY + "Here g = A/y + by, so two; V has 3/(8y²), so four.",
        state_space=POSITIVE,
    ),
    System(
        key="two-noises",
        title="Two noises on a line",
        description="The law of sinh of Brownian motion, driven by two Wiener processes, which an Itô symmetry must "
        "not rotate.",
        equation="dx = x/2 dt + dW1 + x dW2",
        symmetries=SINH.in_gauge(STILL),
        cholesky="dx = x/2 dt + sqrt(1 + x^2) dW",
        box=((0, 1), (-3, 3)),
        experiment=Experiment(((-2, 2),), duration=1),
        argument=arguments.THREE
        + " That is for law, with a = 1 + x². For Itô the two parts of E2 give ξ_x = τ'/2 and xξ_x − ξ = τ'x/2, so ξ "
        "= 0, τ' = 0, and ∂t alone.",
    ),
    System(
        key="turning-noise",
        title="Brownian motion with rotating noise",
        description="The noise vector rotates in the plane of two Wiener processes; the law does not depend on the "
        "rotation.",
        equation="dx = cos(t) dW1 + sin(t) dW2",
        symmetries=LINE.in_gauge((("0", "1"),)),
        cholesky="dx = dW",
        box=((0, 2), (-3, 3)),
        experiment=Experiment(((-2, 2),), substeps=1),
        argument=arguments.THREE
        + " That is for law, with a = 1. For Itô the two parts of E2, combined with cos t and sin t, give ξ_x = τ'/2 "
        "and τ = 0; E1 then gives ξ_t = 0, so ∂x alone.",
    ),
)
