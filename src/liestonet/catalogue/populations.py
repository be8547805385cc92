"""Population sizes and gene frequencies."""

from __future__ import annotations

from liestonet.catalogue import arguments
from liestonet.catalogue.building import SCALE, bessel_motion, brownian_motion, dressed, linear_motion, scalar_image
from liestonet.catalogue.system import FOKKER_PLANCK, ITO, Experiment, System

STILL = (("1", "0"),)
ONLY_TIME = {ITO: STILL, FOKKER_PLANCK: (("1", "0", "0"), SCALE)}
UNIT = {"x": (0.0, 1.0)}
POSITIVE = {"x": (0.0, None)}
ANGLE = ("sqrt(x*(1 - x))", "(1 - 2*x)/(2*x*(1 - x))")

SYSTEMS = (
    System(
        key="verhulst",
        title="Logistic growth (Verhulst)",
        description="Growth up to a carrying capacity, with noise in the growth rate.",
        equation="dx = x*(1 - x) dt + x/2 dW",
        symmetries=ONLY_TIME,
        box=((0, 2), (0.2, 2.2)),
        experiment=Experiment(((0.2, 2),)),
        argument=arguments.ONE,
        state_space=POSITIVE,
    ),
    System(
        key="gompertz",
        title="Gompertz growth",
        description="log x is an Ornstein–Uhlenbeck process, so growth saturates and all three symmetries are there.",
        equation="dx = (x/8 - x*log(x)) dt + x/2 dW",
        symmetries=scalar_image(linear_motion("-1", "2*log(x)"), "x/2", "1/x").symmetries(),
        box=((0, 2), (0.3, 2.5)),
        experiment=Experiment(((0.3, 2.5),)),
        argument=arguments.THREE,
        state_space=POSITIVE,
    ),
    System(
        key="feller-branching",
        title="Branching process (Feller)",
        description="Many independent births and deaths; the population is extinct at zero.",
        equation="dx = x/2 dt + sqrt(x) dW",
        symmetries=scalar_image(bessel_motion("-1/2", "2*sqrt(x)", "1/4"), "sqrt(x)", "1/(2*x)").symmetries(),
        box=((0, 1), (1.5, 15)),
        experiment=Experiment(((3, 8),), duration=1, boundary={"x": 0.0}),
        argument=arguments.SCALAR
        + arguments.DENSITY
        + "Here y = 2√x and g = −1/(2y) + y/4, so two; A(A−1) = 3/4, so four.",
        state_space=POSITIVE,
    ),
    System(
        key="wright-fisher",
        title="Neutral genetic drift (Wright–Fisher)",
        description="Frequency of an allele without selection or mutation; 0 and 1 are absorbing.",
        equation="dx = sqrt(x*(1 - x))/4 dW",
        symmetries=ONLY_TIME,
        box=((0, 2), (0.1, 0.9)),
        experiment=Experiment(((0.2, 0.8),), boundary={"x": (0, 1)}),
        argument=arguments.ONE + " In the angle y, x = sin²(y/8), g = −cot(y/4)/8.",
        state_space=UNIT,
    ),
    System(
        key="kimura",
        title="Genetic drift with selection (Kimura)",
        description="Frequency of an allele favoured by selection; 0 and 1 are absorbing.",
        equation="dx = x*(1 - x)/2 dt + sqrt(x*(1 - x))/4 dW",
        symmetries=ONLY_TIME,
        box=((0, 2), (0.1, 0.9)),
        experiment=Experiment(((0.1, 0.8),), boundary={"x": (0, 1)}),
        argument=arguments.ONE,
        state_space=UNIT,
    ),
    System(
        key="jacobi",
        title="Genetic drift with mutation (Jacobi process)",
        description="Mutation keeps the frequency away from 0 and 1.",
        equation="dx = 2*(1/2 - x) dt + sqrt(x*(1 - x)) dW",
        symmetries=ONLY_TIME,
        box=((0, 2), (0.1, 0.9)),
        experiment=Experiment(((0.1, 0.9),), boundary={"x": (0, 1)}),
        argument=arguments.ONE + " In the angle y, x = sin²(y/2), g = c·cot y with c = 3/2 and V = (c² − c)/(2 sin² "
        "y) + const.",
        state_space=UNIT,
    ),
    System(
        key="jacobi-heat",
        title="Jacobi process with six symmetries of the density",
        description="Mutation at rate 3/2, where the Fokker–Planck equation can be transformed to the heat equation.",
        equation="dx = 3/2*(1/2 - x) dt + sqrt(x*(1 - x)) dW",
        # in the angle w the drift is cot w: Brownian motion conditioned by sin(w) exp(t/2)
        symmetries=scalar_image(
            dressed(brownian_motion("2*asin(sqrt(x))"), "1/2", "(1 - 2*x)/(2*sqrt(x*(1 - x)))", STILL), *ANGLE
        ).symmetries(),
        box=((0, 2), (0.1, 0.9)),
        experiment=Experiment(((0.1, 0.9),), boundary={"x": (0, 1)}),
        argument=arguments.SCALAR
        + arguments.DENSITY
        + "In the angle y, g = cot y, so ∂t alone; V = (cot² y − 1/sin² y)/2 = −1/2, so six.",
        state_space=UNIT,
    ),
    System(
        key="lotka-volterra",
        title="Predators and prey (Lotka–Volterra)",
        description="Prey x and predators y with noise in both growth rates.",
        equation="dx = x*(1 - y) dt + x/5 dW1; dy = y*(x - 1) dt + y/5 dW2",
        symmetries={ITO: (("1", "0", "0"),), FOKKER_PLANCK: (("1", "0", "0", "0"), ("0", "0", "0", "1"))},
        box=((0, 4), (0.3, 2.5), (0.3, 2.5)),
        experiment=Experiment(((0.5, 2), (0.5, 2)), duration=4),
        argument=arguments.GENERIC
        + "In log x, log y the noise is constant, so ξ = τ'w/2 + Ωw + h; the drift has e^{log x} and e^{log y}, so ξ "
        "= 0.",
        state_space={"x": (0.0, None), "y": (0.0, None)},
    ),
)
