"""Position x and velocity y with noise in the velocity only: a has rank one."""

from __future__ import annotations

from liestonet.catalogue.system import FOKKER_PLANCK, ITO, Experiment, GeneratorText, System

SQUARE = ((-2, 2), (-2, 2))
SCALE: GeneratorText = ("0", "0", "0", "1")
ONLY_TIME = {ITO: (("1", "0", "0"),), FOKKER_PLANCK: (("1", "0", "0", "0"), SCALE)}

KICKED = (
    "E2 gives ξ^x = p(t, x) and ξ^y = τ'y/2 + q(t, x); E1 of x gives p_x = 3τ'/2 and q = p_t, so p = 3τ'x/2 + h(t). "
    "With the force F(x) − γy, E1 of y gives in y: 2τ'' + γτ' = 0, and the rest: 3τ'''x/2 + h'' + γ(3τ''x/2 + h') = "
    "(3τ'x/2 + h)F' + τ'F/2. For law it is the same, since there is one noise. "
)
NONLINEAR = KICKED + "F is not linear and F' not constant along any direction, so τ' = 0 and h = 0: ∂t alone."

SYSTEMS = (
    System(
        key="langevin",
        title="Free Langevin particle with friction (Example 3 of the paper)",
        description="Position and velocity; friction 1 and noise √2. A fourth direction is a near-symmetry.",
        equation="dx = y dt; dy = -y dt + sqrt(2) dW",
        symmetries={
            ITO: (("1", "0", "0"), ("0", "1", "0"), ("0", "exp(-t)", "-exp(-t)")),
            FOKKER_PLANCK: (
                ("1", "0", "0", "0"),
                ("0", "1", "0", "0"),
                ("0", "exp(-t)", "-exp(-t)", "0"),
                ("0", "-2*t", "-2", "x + y"),
                ("0", "-exp(t)", "-exp(t)", "y*exp(t)"),
                SCALE,
            ),
        },
        box=((0, 2), (-3, 3), (-2.5, 2.5)),
        experiment=Experiment(SQUARE, paths=2048, substeps=1),
        argument=KICKED + "With F = 0, γ = 1: 2τ'' + τ' = 0 and τ''' + τ'' = 0, so τ' = 0; h'' + h' = 0: three.",
    ),
    System(
        key="langevin-forced",
        title="Langevin particle with friction and a constant force",
        description="A falling particle; in the falling frame it is free.",
        equation="dx = y dt; dy = (1 - y) dt + dW",
        symmetries={
            ITO: (("1", "0", "0"), ("0", "1", "0"), ("0", "exp(-t)", "-exp(-t)")),
            FOKKER_PLANCK: (
                ("1", "0", "0", "0"),
                ("0", "1", "0", "0"),
                ("0", "exp(-t)", "-exp(-t)", "0"),
                ("0", "-t", "-1", "x + y - t"),
                ("0", "-exp(t)/2", "-exp(t)/2", "(y - 1)*exp(t)"),
                SCALE,
            ),
        },
        box=((0, 2), (-2.5, 3.5), (-2, 2.5)),
        experiment=Experiment(SQUARE),
        argument=KICKED + "With F = 1, γ = 1: τ' = 0 as without force, and h'' + h' = 0: three.",
    ),
    System(
        key="integrated-brownian",
        title="Free particle without friction (Kolmogorov 1934)",
        description="The velocity is Brownian motion; scaling time, velocity and position is a fourth symmetry.",
        equation="dx = y dt; dy = dW",
        symmetries={
            ITO: (("1", "0", "0"), ("0", "1", "0"), ("0", "t", "1"), ("2*t", "3*x", "y")),
            FOKKER_PLANCK: (
                ("1", "0", "0", "0"),
                ("0", "1", "0", "0"),
                ("0", "t", "1", "0"),
                ("2*t", "3*x", "y", "0"),
                ("0", "-t^2/2", "-t", "y"),
                ("0", "t^3/6", "t^2/2", "x - t*y"),
                ("t^2", "3*t*x", "3*x + t*y", "-2*y^2 - 2*t"),
                SCALE,
            ),
        },
        box=((0, 2), (-4, 4), (-3, 3)),
        experiment=Experiment(SQUARE),
        argument=KICKED + "With F = 0, γ = 0: τ'' = 0 and h'' = 0: four.",
    ),
    System(
        key="harmonic",
        title="Damped harmonic oscillator",
        description="Friction 2 and stiffness 5: an underdamped oscillator.",
        equation="dx = y dt; dy = (-5*x - 2*y) dt + dW",
        # χ'' = 2χ' − 5χ gives ξ = (χ, χ'), β = −4(5χx + χ'y)
        symmetries={
            ITO: (
                ("1", "0", "0"),
                ("0", "exp(-t)*cos(2*t)", "-exp(-t)*(cos(2*t) + 2*sin(2*t))"),
                ("0", "exp(-t)*sin(2*t)", "exp(-t)*(2*cos(2*t) - sin(2*t))"),
            ),
            FOKKER_PLANCK: (
                ("1", "0", "0", "0"),
                ("0", "exp(-t)*cos(2*t)", "-exp(-t)*(cos(2*t) + 2*sin(2*t))", "0"),
                ("0", "exp(-t)*sin(2*t)", "exp(-t)*(2*cos(2*t) - sin(2*t))", "0"),
                (
                    "0",
                    "exp(t)*cos(2*t)",
                    "exp(t)*(cos(2*t) - 2*sin(2*t))",
                    "-4*exp(t)*(5*x*cos(2*t) + y*(cos(2*t) - 2*sin(2*t)))",
                ),
                (
                    "0",
                    "exp(t)*sin(2*t)",
                    "exp(t)*(sin(2*t) + 2*cos(2*t))",
                    "-4*exp(t)*(5*x*sin(2*t) + y*(sin(2*t) + 2*cos(2*t)))",
                ),
                SCALE,
            ),
        },
        box=((0, 2), (-1.8, 1.8), (-3, 3)),
        experiment=Experiment(SQUARE),
        argument=KICKED + "With F = −ω²x: τ = e^{−γt/2} must also solve 3τ'''/2 + 3γτ''/2 + 2ω²τ' = 0, so ω² = 3γ²/16; "
        "else τ' = 0 and two solutions h: three. Here ω² = 5, γ = 2.",
    ),
    System(
        key="harmonic-resonant",
        title="Overdamped harmonic oscillator with rates 1 and 3",
        description="Friction 4 and stiffness 3, so ω² = 3γ²/16, the one ratio at which there is a fourth generator.",
        equation="dx = y dt; dy = (-3*x - 4*y) dt + dW",
        symmetries={
            ITO: (
                ("1", "0", "0"),
                ("0", "exp(-t)", "-exp(-t)"),
                ("0", "exp(-3*t)", "-3*exp(-3*t)"),
                ("exp(-2*t)", "-3*x*exp(-2*t)", "(6*x - y)*exp(-2*t)"),
            ),
            FOKKER_PLANCK: (
                ("1", "0", "0", "0"),
                ("0", "exp(-t)", "-exp(-t)", "0"),
                ("0", "exp(-3*t)", "-3*exp(-3*t)", "0"),
                ("exp(-2*t)", "-3*x*exp(-2*t)", "(6*x - y)*exp(-2*t)", "4*exp(-2*t)"),
                ("0", "exp(t)", "exp(t)", "-8*(3*x + y)*exp(t)"),
                ("0", "exp(3*t)", "3*exp(3*t)", "-24*(x + y)*exp(3*t)"),
                ("exp(2*t)", "3*x*exp(2*t)", "(6*x + y)*exp(2*t)", "-8*(3*x + y)^2*exp(2*t)"),
                SCALE,
            ),
        },
        box=((0, 2), (-1.8, 1.8), (-2, 2)),
        experiment=Experiment(SQUARE),
        argument=KICKED + "With F = −ω²x, τ = e^{−γt/2} solves all conditions iff ω² = 3γ²/16, as here: four.",
    ),
    System(
        key="duffing",
        title="Duffing oscillator",
        description="A particle with inertia between two wells.",
        equation="dx = y dt; dy = (x - x^3 - y) dt + dW",
        symmetries=ONLY_TIME,
        box=((0, 4), (-2, 2), (-2, 2)),
        experiment=Experiment(SQUARE, duration=4),
        argument=NONLINEAR,
    ),
    System(
        key="pendulum",
        title="Pendulum with friction",
        description="The shift of the angle by 2π is a discrete symmetry only.",
        equation="dx = y dt; dy = (-sin(x) - y/2) dt + dW",
        symmetries=ONLY_TIME,
        box=((0, 4), (-3.5, 3.5), (-2.5, 2.5)),
        experiment=Experiment(SQUARE, duration=4),
        argument=NONLINEAR,
    ),
    System(
        key="van-der-pol",
        title="Van der Pol oscillator",
        description="Friction that amplifies small oscillations and damps large ones.",
        equation="dx = y dt; dy = ((1 - x^2)*y - x) dt + dW",
        symmetries=ONLY_TIME,
        box=((0, 4), (-2.5, 2.5), (-3.5, 3.5)),
        experiment=Experiment(SQUARE, duration=4),
        argument=KICKED + "With friction x² − 1 in place of γ, E1 of y has in yx² only 4τ' and in yx then 2h, so τ' = "
        "0, h = 0.",
    ),
)
