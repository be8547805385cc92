"""Systems in the plane with noise in both coordinates, and one with noise in one coordinate only."""

from __future__ import annotations

from liestonet.catalogue import arguments
from liestonet.catalogue.building import Motion, brownian_motion, pushed
from liestonet.catalogue.system import FOKKER_PLANCK, ITO, LAW, Experiment, GeneratorText, System

SQUARE = ((-2, 2), (-2, 2))
SCALE: GeneratorText = ("0", "0", "0", "1")
PLANE = brownian_motion("x", "y")
TRANSLATIONS = (("1", "0", "0"), ("0", "1", "0"))
POLAR: Motion = pushed(
    brownian_motion("r*cos(theta)", "r*sin(theta)"),
    [["cos(theta)", "sin(theta)"], ["-sin(theta)/r", "cos(theta)/r"]],
    ["-1/r", "0"],
)

SYSTEMS = (
    System(
        key="bessel-drift",
        title="Bessel process beside a drifting coordinate (Example 4 of the paper)",
        description="Drift 1/x in one coordinate and 1 in the other; x is kept above 0.05.",
        equation="dx = 1/x dt + dW1; dy = dt + dW2",
        # Fokker–Planck: u/x solves the heat equation in (x, y − t)
        symmetries={
            ITO: (("1", "0", "0"), ("0", "0", "1"), ("2*t", "x", "y + t")),
            FOKKER_PLANCK: (
                ("1", "0", "0", "0"),
                ("0", "0", "1", "0"),
                ("2*t", "x", "y + t", "0"),
                ("0", "0", "t", "t - y"),
                ("t^2", "t*x", "t*y", "-(x^2 + (y - t)^2)/2"),
                ("0", "1", "0", "1/x"),
                ("0", "t", "0", "t/x - x"),
                ("0", "y - t", "-x", "(y - t)/x"),
                SCALE,
            ),
        },
        box=((0, 2), (0.2, 4.5), (-2, 4)),
        experiment=Experiment(((0.5, 3), (-2, 2)), paths=2048, substeps=1, boundary={"x": 0.05}),
        argument="With a = 1, E2 gives ξ = τ'(x, y)/2 + h(t), law adds a rotation. E1 of x has h¹/x² and, for a "
        "rotation, y/x², so both vanish; what is left is τ'' = 0 and h² = c + t·τ'/2. For Fokker–Planck u/x solves "
        "the heat equation in the plane, which has nine (see brownian-2d).",
        state_space={"x": (0.0, None)},
    ),
    System(
        key="brownian-2d",
        title="Brownian motion in the plane",
        description="The rotation is a symmetry of the law, not of Itô's equation.",
        equation="dx = dW1; dy = dW2",
        symmetries=PLANE.symmetries(),
        box=((0, 2), (-3, 3), (-3, 3)),
        experiment=Experiment(SQUARE, substeps=1),
        argument=arguments.HEAT,
    ),
    System(
        key="brownian-2d-turned",
        title="Brownian motion in the plane, in another gauge",
        description="The noise rotates with x: the same law as Brownian motion, but only two Itô symmetries.",
        equation="dx = cos(x/2) dW1 - sin(x/2) dW2; dy = sin(x/2) dW1 + cos(x/2) dW2",
        symmetries=PLANE.in_gauge((("1", "0", "0"), ("0", "0", "1"))),
        cholesky="dx = dW1; dy = dW2",
        box=((0, 2), (-3, 3), (-3, 3)),
        experiment=Experiment(SQUARE),
        argument=arguments.HEAT + "That is for law. An Itô symmetry is one of these five that also keeps σ = "
        "Rot(x/2), that is, rotates the plane by as much as it changes x/2: translations along x and the scaling "
        "change x without rotation, the rotation by 1 changes x/2 by −y/2. Two are left.",
    ),
    System(
        key="brownian-correlated",
        title="Correlated Brownian motions",
        description="Constant noise with correlation 3/5; the rotation is one with respect to the metric a⁻¹.",
        equation="dx = dW1; dy = 3/5 dW1 + 4/5 dW2",
        symmetries=pushed(
            brownian_motion("x", "5/4*(y - 3/5*x)"), [["1", "0"], ["3/5", "4/5"]], ["0", "0"]
        ).symmetries(),
        box=((0, 2), (-3, 3), (-3, 3)),
        experiment=Experiment(SQUARE, substeps=1),
        argument=arguments.HEAT,
    ),
    System(
        key="brownian-parabola",
        title="Brownian motion in a curved coordinate",
        description="State-dependent, correlated noise: y minus x² is a second Brownian motion.",
        equation="dx = dW1; dy = dt + 2*x dW1 + dW2",
        symmetries=pushed(brownian_motion("x", "y - x^2"), [["1", "0"], ["2*x", "1"]], ["0", "0"]).symmetries(),
        box=((0, 1), (-2.5, 2.5), (-2.5, 6.5)),
        experiment=Experiment(((-1.5, 1.5), (-2, 4)), duration=1),
        argument=arguments.HEAT,
    ),
    System(
        key="brownian-polar",
        title="Brownian motion in polar coordinates",
        description="Radius and angle, each with its own noise: the law of the plane, another Itô equation.",
        equation="dr = 1/(2*r) dt + dW1; dtheta = 1/r dW2",
        symmetries={**POLAR.symmetries(), ITO: (("1", "0", "0"), ("0", "0", "1"), ("2*t", "r", "0"))},
        box=((0, 1), (0.6, 4), (-1.5, 1.5)),
        experiment=Experiment(((1, 3), (-1, 1)), duration=1, boundary={"r": 0.1}),
        argument=arguments.HEAT + "That is for law. For Itô, E2 gives ξ^r = τ'r/2 + h(t), ξ^θ of t alone, and h = 0 "
        "from the noise 1/r; E1 gives τ'' = 0 and ξ^θ constant: three.",
        state_space={"r": (0.0, None)},
    ),
    System(
        key="hyperbolic-plane",
        title="Diffusion with the noise of the upper half-plane",
        description="Noise y in both coordinates and no drift.",
        equation="dx = y dW1; dy = y dW2",
        symmetries={
            ITO: (("1", "0", "0"), ("0", "1", "0"), ("0", "x", "y")),
            LAW: (("1", "0", "0"), ("0", "1", "0"), ("0", "x", "y"), ("0", "x^2 - y^2", "2*x*y")),
            FOKKER_PLANCK: (
                ("1", "0", "0", "0"),
                ("0", "1", "0", "0"),
                ("0", "x", "y", "0"),
                ("0", "x^2 - y^2", "2*x*y", "-4*x"),
                SCALE,
            ),
        },
        box=((0, 0.5), (-2, 2), (0.25, 3)),
        experiment=Experiment(((-1.5, 1.5), (0.5, 2)), duration=0.5, step=0.005, substeps=10, boundary={"y": 0.0}),
        argument="Half the Laplacian of the hyperbolic plane: the isometries are sl(2), there is no homothety as the "
        "curvature is −1, and time translation: 3 + 1 for law; u∂u for Fokker–Planck. For Itô the rotation is lost, "
        "since its field (x² − y², 2xy) rotates the frame (y∂x, y∂y).",
        state_space={"y": (0.0, None)},
    ),
    System(
        key="shear-flow",
        title="Diffusion in a shear flow",
        description="A periodic shear: translations along the flow and in time only.",
        equation="dx = sin(y) dt + dW1; dy = dW2",
        symmetries={
            ITO: TRANSLATIONS,
            FOKKER_PLANCK: (("1", "0", "0", "0"), ("0", "1", "0", "0"), SCALE),
        },
        box=((0, 2), (-3.5, 3.5), (-3, 3)),
        experiment=Experiment(SQUARE),
        argument=arguments.GENERIC
        + "Here a = 1, so ξ = τ'x/2 + Ωx + h; no scaling, rotation or shift of y preserves sin y.",
    ),
    System(
        key="free-and-well",
        title="A free coordinate beside a double well",
        description="Two independent coordinates; for Fokker–Planck the free one has a boost.",
        equation="dx = dW1; dy = (y - y^3) dt + dW2",
        symmetries={
            ITO: TRANSLATIONS,
            FOKKER_PLANCK: (("1", "0", "0", "0"), ("0", "1", "0", "0"), ("0", "t", "0", "-x"), SCALE),
        },
        box=((0, 2), (-3, 3), (-2, 2)),
        experiment=Experiment(SQUARE),
        argument=arguments.GENERIC
        + "Here a = 1, so ξ = τ'x/2 + Ωx + h; no scaling, rotation or shift of y preserves y − y³, and h¹ is constant, "
        "or for Fokker–Planck affine in t.",
    ),
    System(
        key="hopf",
        title="Noisy limit cycle (Hopf normal form)",
        description="Rotation about the origin is a symmetry of the law only.",
        equation="dx = (x - y - x*(x^2 + y^2)) dt + dW1; dy = (x + y - y*(x^2 + y^2)) dt + dW2",
        symmetries={
            ITO: (("1", "0", "0"),),
            LAW: (("1", "0", "0"), ("0", "-y", "x")),
            FOKKER_PLANCK: (("1", "0", "0", "0"), ("0", "-y", "x", "0"), SCALE),
        },
        box=((0, 2), (-2, 2), (-2, 2)),
        experiment=Experiment(SQUARE),
        argument=arguments.GENERIC + "Here a = 1, so ξ = τ'x/2 + Ωx + h; the cubic terms allow no scaling and no "
        "shift, and Ω must be constant, which only law allows.",
    ),
    System(
        key="free-and-growing",
        title="A noisy coordinate beside a deterministic one",
        description="y exp(−t) never changes, so every function of it may multiply ∂x and y∂y: infinitely many "
        "symmetries.",
        equation="dx = dW; dy = y dt",
        symmetries={
            ITO: (("1", "0", "0"), ("0", "1", "0"), ("0", "0", "y"), ("2*t", "x", "2*t*y")),
            FOKKER_PLANCK: (
                ("1", "0", "0", "0"),
                ("0", "1", "0", "0"),
                ("0", "0", "y", "0"),
                ("2*t", "x", "2*t*y", "-2*t"),
                ("0", "t", "0", "-x"),
                ("t^2", "t*x", "t^2*y", "-x^2/2 - t/2 - t^2"),
                SCALE,
            ),
        },
        box=((0, 1), (-2.5, 2.5), (0.5, 4)),
        experiment=Experiment(((-2, 2), (0.5, 2)), duration=1),
        argument="I = y exp(−t) is constant along every path, so with X also h(I)X is a symmetry for every X without "
        "∂t.",
        infinite=True,
    ),
)
