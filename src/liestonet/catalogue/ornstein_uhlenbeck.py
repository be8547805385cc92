"""Linear drift and constant noise, on the line and in the plane."""

from __future__ import annotations

from liestonet.catalogue import arguments
from liestonet.catalogue.building import SCALE, linear_motion, pushed
from liestonet.catalogue.system import FOKKER_PLANCK, ITO, LAW, Experiment, System

PLANE = linear_motion("-1", "x", "y")
SQUARE = ((-2, 2), (-2, 2))
FULL_SCALE = ("0", "0", "0", "1")
# sin 3t and its response x1 = (sin 3t − 3 cos 3t)/10, x1' = −x1 + sin 3t
RESPONSE, RESPONSE_RATE = "(sin(3*t) - 3*cos(3*t))/10", "(3*cos(3*t) + 9*sin(3*t))/10"

SYSTEMS = (
    System(
        key="ornstein-uhlenbeck",
        title="Ornstein–Uhlenbeck process",
        description="Linear force towards zero.",
        equation="dx = -x dt + dW",
        symmetries=linear_motion("-1", "x").symmetries(),
        box=((0, 2), (-2, 2)),
        experiment=Experiment(((-2, 2),)),
        argument=arguments.THREE,
    ),
    System(
        key="linear",
        title="Unstable linear drift (Example 2 of the paper)",
        description="Linear force away from zero; data are independent single increments, t in (0, 5), x in (−2, 2).",
        equation="dx = x dt + dW",
        symmetries=linear_motion("1", "x").symmetries(),
        box=((0, 5), (-2, 2)),
        # the paper's data are single Euler steps
        experiment=Experiment(((-2, 2),), duration=0.01, paths=256_000, substeps=1, start=(0, 5)),
        argument=arguments.THREE,
    ),
    System(
        key="ornstein-uhlenbeck-affine",
        title="Ornstein–Uhlenbeck process about a mean (Vasicek)",
        description="Linear force towards 1/2, noise 4/5.",
        equation="dx = 2*(1/2 - x) dt + 4/5 dW",
        symmetries=pushed(linear_motion("-2", "5/4*(x - 1/2)"), [["4/5"]], ["0"]).symmetries(),
        box=((0, 2), (-1.2, 2)),
        experiment=Experiment(((-1, 2),)),
        argument=arguments.THREE,
    ),
    System(
        key="ornstein-uhlenbeck-forced",
        title="Ornstein–Uhlenbeck process with a periodic force",
        description="x minus the response to the force is an Ornstein–Uhlenbeck process, so all three symmetries "
        "remain.",
        equation="dx = (-x + sin(3*t)) dt + dW",
        symmetries={
            ITO: (
                ("1", RESPONSE_RATE),
                ("0", "exp(-t)"),
                ("exp(-2*t)", f"exp(-2*t)*({RESPONSE_RATE} - (x - {RESPONSE}))"),
            ),
            FOKKER_PLANCK: (
                ("1", RESPONSE_RATE, "0"),
                ("0", "exp(-t)", "0"),
                ("exp(-2*t)", f"exp(-2*t)*({RESPONSE_RATE} - (x - {RESPONSE}))", "exp(-2*t)"),
                ("0", "exp(t)", f"-2*(x - {RESPONSE})*exp(t)"),
                ("exp(2*t)", f"exp(2*t)*({RESPONSE_RATE} + x - {RESPONSE})", f"-2*(x - {RESPONSE})^2*exp(2*t)"),
                SCALE,
            ),
        },
        box=((0, 4), (-2, 2)),
        experiment=Experiment(((-2, 2),), duration=4),
        argument=arguments.THREE,
    ),
    System(
        key="ornstein-uhlenbeck-2d",
        title="Isotropic Ornstein–Uhlenbeck process in the plane",
        description="The same rate in all directions; the rotation is a symmetry of the law only.",
        equation="dx = -x dt + dW1; dy = -y dt + dW2",
        symmetries=PLANE.symmetries(),
        box=((0, 2), (-2, 2), (-2, 2)),
        experiment=Experiment(SQUARE),
        argument=arguments.HEAT,
    ),
    System(
        key="ornstein-uhlenbeck-anisotropic",
        title="Anisotropic Ornstein–Uhlenbeck process",
        description="Two rates, 1 and 2: one generator fewer than the isotropic process, and no rotation.",
        equation="dx = -x dt + dW1; dy = -2*y dt + dW2",
        symmetries={
            ITO: (("1", "0", "0"), ("0", "exp(-t)", "0"), ("0", "0", "exp(-2*t)")),
            FOKKER_PLANCK: (
                ("1", "0", "0", "0"),
                ("0", "exp(-t)", "0", "0"),
                ("0", "0", "exp(-2*t)", "0"),
                ("0", "exp(t)", "0", "-2*x*exp(t)"),
                ("0", "0", "exp(2*t)", "-4*y*exp(2*t)"),
                FULL_SCALE,
            ),
        },
        box=((0, 2), (-2, 2), (-1.8, 1.8)),
        experiment=Experiment(SQUARE),
        argument=arguments.LINEAR + "M = diag(−1, −2) is no multiple of 1 and symmetric, so n + 1 = 3.",
    ),
    System(
        key="ornstein-uhlenbeck-rotating",
        title="Rotating Ornstein–Uhlenbeck process",
        description="A stable focus: rate 1 and angular velocity 2. The law has five symmetries, the Itô equation "
        "three.",
        equation="dx = (-x - 2*y) dt + dW1; dy = (2*x - y) dt + dW2",
        symmetries={
            ITO: (
                ("1", "0", "0"),
                ("0", "exp(-t)*cos(2*t)", "exp(-t)*sin(2*t)"),
                ("0", "-exp(-t)*sin(2*t)", "exp(-t)*cos(2*t)"),
            ),
            LAW: (
                ("1", "0", "0"),
                ("0", "exp(-t)*cos(2*t)", "exp(-t)*sin(2*t)"),
                ("0", "-exp(-t)*sin(2*t)", "exp(-t)*cos(2*t)"),
                ("0", "-y", "x"),
                ("exp(-2*t)", "exp(-2*t)*(-x - 2*y)", "exp(-2*t)*(2*x - y)"),
            ),
            FOKKER_PLANCK: (
                ("1", "0", "0", "0"),
                ("0", "exp(-t)*cos(2*t)", "exp(-t)*sin(2*t)", "0"),
                ("0", "-exp(-t)*sin(2*t)", "exp(-t)*cos(2*t)", "0"),
                ("0", "-y", "x", "0"),
                ("exp(-2*t)", "exp(-2*t)*(-x - 2*y)", "exp(-2*t)*(2*x - y)", "2*exp(-2*t)"),
                ("0", "exp(t)*cos(2*t)", "exp(t)*sin(2*t)", "-2*exp(t)*(x*cos(2*t) + y*sin(2*t))"),
                ("0", "-exp(t)*sin(2*t)", "exp(t)*cos(2*t)", "-2*exp(t)*(y*cos(2*t) - x*sin(2*t))"),
                ("exp(2*t)", "exp(2*t)*(x - 2*y)", "exp(2*t)*(2*x + y)", "-2*(x^2 + y^2)*exp(2*t)"),
                FULL_SCALE,
            ),
        },
        box=((0, 2), (-2, 2), (-2, 2)),
        experiment=Experiment(SQUARE),
        argument=arguments.LINEAR
        + "M = −1 + 2J with J antisymmetric: for Itô n + 1 = 3; for law M = −1 in the co-rotating frame, which has n + "
        "2 and the rotation. " + arguments.HEAT,
    ),
    System(
        key="brownian-gyrator",
        title="Brownian gyrator",
        description="Two coupled coordinates at different temperatures: out of equilibrium, with a circulating "
        "current.",
        equation="dx = (-2*x + y) dt + dW1; dy = (x - 2*y) dt + 2 dW2",
        symmetries={
            ITO: (("1", "0", "0"), ("0", "exp(-t)", "exp(-t)"), ("0", "exp(-3*t)", "-exp(-3*t)")),
            # h' = Mh − aw and w' = −Mᵀw with β = w·x
            FOKKER_PLANCK: (
                ("1", "0", "0", "0"),
                ("0", "exp(-t)", "exp(-t)", "0"),
                ("0", "exp(-3*t)", "-exp(-3*t)", "0"),
                ("0", "-7/8*exp(t)", "-13/8*exp(t)", "(x + y)*exp(t)"),
                ("0", "-1/24*exp(3*t)", "19/24*exp(3*t)", "(x - y)*exp(3*t)"),
                FULL_SCALE,
            ),
        },
        box=((0, 2), (-2, 2), (-3, 3)),
        experiment=Experiment(SQUARE),
        argument=arguments.LINEAR
        + "With y/2 for y, a = 1 and M = ((−2, 2), (1/2, −2)), no multiple of 1, not even up to an antisymmetric part, "
        "so n + 1 = 3.",
    ),
)
