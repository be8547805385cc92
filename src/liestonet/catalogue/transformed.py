"""Scalar systems that are Brownian motion or a linear system in a curved coordinate."""

from __future__ import annotations

from liestonet.catalogue import arguments
from liestonet.catalogue.building import brownian_motion, linear_motion, scalar_image
from liestonet.catalogue.system import Experiment, System

ASINH = "log(x + sqrt(1 + x^2))"

SYSTEMS = (
    System(
        key="brownian-sinh",
        title="Hyperbolic sine of Brownian motion",
        description="x = sinh(W): the generators grow with √(1 + x²), outside any small polynomial basis.",
        equation="dx = x/2 dt + sqrt(1 + x^2) dW",
        symmetries=scalar_image(brownian_motion(ASINH), "sqrt(1 + x^2)", "x/(1 + x^2)").symmetries(),
        box=((0, 1), (-3, 3)),
        experiment=Experiment(((-2, 2),), duration=1),
        argument=arguments.THREE,
    ),
    System(
        key="brownian-cube",
        title="Cube of Brownian motion",
        description="x = W³ away from zero.",
        equation="dx = 3*x^(1/3) dt + 3*x^(2/3) dW",
        symmetries=scalar_image(brownian_motion("x^(1/3)"), "3*x^(2/3)", "2/(3*x)").symmetries(),
        box=((0, 0.25), (0.5, 20)),
        experiment=Experiment(((2, 12),), duration=0.25, step=0.0025, boundary={"x": 0.05}),
        argument=arguments.THREE,
        state_space={"x": (0.0, None)},
    ),
    System(
        key="brownian-tanh",
        title="Hyperbolic tangent of Brownian motion",
        description="x = tanh(W), confined to (−1, 1).",
        equation="dx = -x*(1 - x^2) dt + (1 - x^2) dW",
        symmetries=scalar_image(brownian_motion("log((1 + x)/(1 - x))/2"), "1 - x^2", "-2*x/(1 - x^2)").symmetries(),
        box=((0, 1), (-0.9, 0.9)),
        experiment=Experiment(((-0.7, 0.7),), duration=1, boundary={"x": (-1, 1)}),
        argument=arguments.THREE,
        state_space={"x": (-1.0, 1.0)},
    ),
    System(
        key="brownian-logistic",
        title="Logistic function of Brownian motion",
        description="x = 1/(1 + exp(−W)): a share between 0 and 1 whose log-odds diffuse freely.",
        equation="dx = x*(1 - x)*(1 - 2*x)/2 dt + x*(1 - x) dW",
        symmetries=scalar_image(brownian_motion("log(x/(1 - x))"), "x*(1 - x)", "(1 - 2*x)/(x*(1 - x))").symmetries(),
        box=((0, 2), (0.05, 0.95)),
        experiment=Experiment(((0.2, 0.8),), boundary={"x": (0, 1)}),
        argument=arguments.THREE,
        state_space={"x": (0.0, 1.0)},
    ),
    System(
        key="brownian-sine",
        title="Squared sine of Brownian motion",
        description="x = sin²(W/2): the only Jacobi process that can be transformed to Brownian motion.",
        equation="dx = (1/4 - x/2) dt + sqrt(x*(1 - x)) dW",
        symmetries=scalar_image(
            brownian_motion("2*asin(sqrt(x))"), "sqrt(x*(1 - x))", "(1 - 2*x)/(2*x*(1 - x))"
        ).symmetries(),
        box=((0, 0.5), (0.05, 0.95)),
        experiment=Experiment(((0.3, 0.7),), duration=0.5, step=0.005, boundary={"x": (0, 1)}),
        argument=arguments.THREE
        + " Zero and one are reached, so all symmetries but ∂t are local: they hold up to that time.",
        state_space={"x": (0.0, 1.0)},
    ),
    System(
        key="ornstein-uhlenbeck-sinh",
        title="Hyperbolic sine of an Ornstein–Uhlenbeck process",
        description="x = sinh(y) with dy = −y dt + dW.",
        equation=f"dx = (x/2 - sqrt(1 + x^2)*{ASINH}) dt + sqrt(1 + x^2) dW",
        symmetries=scalar_image(linear_motion("-1", ASINH), "sqrt(1 + x^2)", "x/(1 + x^2)").symmetries(),
        box=((0, 2), (-2.5, 2.5)),
        experiment=Experiment(((-2, 2),)),
        argument=arguments.THREE,
    ),
)
