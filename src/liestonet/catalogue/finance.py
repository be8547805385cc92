"""Prices, interest rates and volatilities."""

from __future__ import annotations

from liestonet.catalogue import arguments
from liestonet.catalogue.building import bessel_motion, brownian_motion, linear_motion, pushed, scalar_image
from liestonet.catalogue.system import FOKKER_PLANCK, ITO, Experiment, System

POSITIVE = {"x": (0.0, None)}
TWO = arguments.SCALAR + arguments.DENSITY
SQUARE_ROOT = ("sqrt(x)", "1/(2*x)")

SYSTEMS = (
    System(
        key="geometric-brownian",
        title="Geometric Brownian motion (Black–Scholes)",
        description="Relative returns are independent and normal; log x is Brownian motion with drift.",
        equation="dx = x/5 dt + x/2 dW",
        # log x has the drift 1/5 − 1/8 = 3/40
        symmetries=pushed(brownian_motion("2*(log(x) - 3*t/40)"), [["x/2"]], ["1/x"], ["3*x/40"]).symmetries(),
        box=((0, 2), (0.3, 4)),
        experiment=Experiment(((0.5, 2),)),
        argument=arguments.THREE,
        state_space=POSITIVE,
    ),
    System(
        key="cir",
        title="Square-root process (Cox–Ingersoll–Ross)",
        description="Mean reversion with noise √x; never reaches zero here.",
        equation="dx = (1 - x) dt + sqrt(x) dW",
        symmetries=scalar_image(bessel_motion("3/2", "2*sqrt(x)", "-1/2"), *SQUARE_ROOT).symmetries(),
        box=((0, 2), (0.2, 3)),
        experiment=Experiment(((0.3, 2.5),), boundary={"x": 0.0}),
        argument=TWO + "Here g = A/y + by with A = 2κθ/σ² − 1/2 = 3/2, so two; A(A−1) ≠ 0, so four.",
        state_space=POSITIVE,
    ),
    System(
        key="cir-linear",
        title="Square-root process with 4κθ = σ²",
        description="The square of an Ornstein–Uhlenbeck process: a third generator with √x, local because zero is "
        "reached.",
        equation="dx = (1/4 - x) dt + sqrt(x) dW",
        symmetries=scalar_image(linear_motion("-1/2", "2*sqrt(x)"), *SQUARE_ROOT).symmetries(),
        box=((0, 0.5), (0.1, 2)),
        experiment=Experiment(((0.5, 2),), duration=0.5, step=0.005, substeps=10, boundary={"x": 0.0}),
        argument=arguments.THREE,
        state_space=POSITIVE,
    ),
    System(
        key="cir-heat",
        title="Square-root process with 4κθ = 3σ²",
        description="Two symmetries of the paths as for any square-root process, but six of the density.",
        equation="dx = (3/4 - x) dt + sqrt(x) dW",
        symmetries=scalar_image(bessel_motion("1", "2*sqrt(x)", "-1/2"), *SQUARE_ROOT).symmetries(),
        box=((0, 2), (0.1, 2.5)),
        experiment=Experiment(((0.3, 2.5),), boundary={"x": 0.0}),
        argument=TWO + "Here A = 2κθ/σ² − 1/2 = 1, so two; A(A−1) = 0, so V is quadratic and there are six.",
        state_space=POSITIVE,
    ),
    System(
        key="cev",
        title="Constant elasticity of variance",
        description="Noise x^(3/4), between square root and geometric.",
        equation="dx = x/10 dt + x^(3/4)/2 dW",
        symmetries=scalar_image(bessel_motion("-3/2", "8*x^(1/4)", "1/40"), "x^(3/4)/2", "3/(4*x)").symmetries(),
        box=((0, 2), (0.3, 4)),
        experiment=Experiment(((0.5, 3),), boundary={"x": 0.0}),
        argument=TWO + "Here y = 8x^(1/4) and g = A/y + by with A = −γ/(2(1−γ)) = −3/2, so two; A(A−1) ≠ 0, so four.",
        state_space=POSITIVE,
    ),
    System(
        key="inverse-bessel",
        title="Inverse of the Bessel process in three dimensions",
        description="The strict local martingale with noise x²; the same algebra as the Bessel process.",
        equation="dx = x^2 dW",
        # 1/x has drift 1/y and noise −dW
        symmetries=scalar_image(bessel_motion("1", "1/x"), "-x^2", "2/x").symmetries(),
        box=((0, 1), (0.25, 2)),
        experiment=Experiment(((0.3, 1.2),), duration=1, substeps=20, boundary={"x": (0.0, 6.0)}),
        argument=TWO + "Here y = 1/x and g = 1/y, so two; V = 0, so six.",
        state_space=POSITIVE,
    ),
    System(
        key="three-halves",
        title="The 3/2 model",
        description="The reciprocal of a square-root process.",
        equation="dx = x*(1 - x) dt + x^(3/2)/2 dW",
        # 1/x is a square-root process with κ = 1, κθ = 5/4, σ = 1/2
        symmetries=scalar_image(bessel_motion("19/2", "4/sqrt(x)", "-1/2"), "-x^(3/2)/2", "3/(2*x)").symmetries(),
        box=((0, 2), (0.3, 2.5)),
        experiment=Experiment(((0.4, 2),), boundary={"x": 0.0}),
        argument=TWO + "Here g = A/y + by with A = 2κθ/σ² − 1/2 = 19/2, so two; A(A−1) ≠ 0, so four.",
        state_space=POSITIVE,
    ),
    System(
        key="geometric-brownian-pair",
        title="Two correlated prices",
        description="Two geometric Brownian motions with correlation 3/5.",
        equation="dx = x/10 dt + x/5 dW1; dy = y/20 dt + 3*y/25 dW1 + 4*y/25 dW2",
        # log x and log y have the drifts 2/25 and 3/100
        symmetries=pushed(
            brownian_motion("5*(log(x) - 2*t/25)", "25/4*(log(y) - 3*t/100) - 15/4*(log(x) - 2*t/25)"),
            [["x/5", "0"], ["3*y/25", "4*y/25"]],
            ["1/x", "1/y"],
            ["2*x/25", "3*y/100"],
        ).symmetries(),
        box=((0, 2), (0.4, 2.5), (0.4, 2.5)),
        experiment=Experiment(((0.5, 2), (0.5, 2))),
        argument=arguments.HEAT,
        state_space={"x": (0.0, None), "y": (0.0, None)},
    ),
    System(
        key="heston",
        title="Heston's stochastic volatility, in the log price",
        description="Log price x with variance v, a square-root process; correlation −3/5.",
        equation="dx = (1/20 - v/2) dt + sqrt(v) dW1; dv = 2*(9/100 - v) dt - 9/50*sqrt(v) dW1 + 6/25*sqrt(v) dW2",
        symmetries={
            ITO: (("1", "0", "0"), ("0", "1", "0")),
            FOKKER_PLANCK: (("1", "0", "0", "0"), ("0", "1", "0", "0"), ("0", "0", "0", "1")),
        },
        box=((0, 2), (-0.8, 0.8), (0.02, 0.25)),
        experiment=Experiment(((-0.5, 0.5), (0.03, 0.2)), boundary={"v": 0.0}),
        argument=arguments.GENERIC
        + "Here no coefficient depends on t and x, hence ∂t and ∂x. Scaling v would have to scale t against it (noise "
        "of v), and the mean reversion 2(9/100 − v) fixes the unit of both.",
        state_space={"v": (0.0, None)},
    ),
    System(
        key="sabr",
        title="SABR model with exponent 1/2",
        description="Forward price x with volatility v, correlation −3/5, volatility of volatility 2/5.",
        equation="dx = v*sqrt(x) dW1; dv = -6/25*v dW1 + 8/25*v dW2",
        symmetries={
            ITO: (("1", "0", "0"), ("0", "x", "v/2")),
            FOKKER_PLANCK: (("1", "0", "0", "0"), ("0", "x", "v/2", "0"), ("0", "0", "0", "1")),
        },
        box=((0, 1), (0.5, 3), (0.15, 0.8)),
        experiment=Experiment(((1, 2.5), (0.2, 0.6)), duration=1, boundary={"x": 0.0}),
        argument="The metric a⁻¹ is that of the hyperbolic plane, whose isometries form sl(2); it has no homothety "
        "with τ' ≠ 0. Of the three isometries, E1 leaves one, since the drift is not that of the metric's Laplacian: "
        "the scaling (x, v) → (cx, √c v).",
        state_space={"x": (0.0, None), "v": (0.0, None)},
    ),
)
