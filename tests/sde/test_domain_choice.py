"""The domain we choose is smooth, resolved and noisy; the domain a user gives is checked."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from liestonet.core.domain import Domain
from liestonet.errors import InputError
from liestonet.sde.candidates import Breakpoints, coordinate_candidates, is_clear
from liestonet.sde.chebyshev import project
from liestonet.sde.domain_choice import check_domain, choose_domain, require_moderate
from liestonet.sde.sde import SDE
from liestonet.sde.tuning import BOX

Test = Callable[[np.ndarray, np.ndarray], Any]
DEFAULT = (-1.0, 1.0)


def dyson(n: int) -> str:
    terms = [" + ".join(f"1/(x{i} - x{j})" for j in range(1, n + 1) if j != i) for i in range(1, n + 1)]
    return "; ".join(f"dx{i} = ({term}) dt + dW{i}" for i, term in enumerate(terms, start=1))


# Each system with what must hold at every point of the chosen box.
CHOSEN: list[tuple[str, Test]] = [
    ("dx = dW", lambda t, x: np.abs(x[:, 0]) <= 1),
    ("dx = x dt + x dW", lambda t, x: (x[:, 0] >= 0.3) & (x[:, 0] <= 3)),
    ("dx = (1 - x) dt + sqrt(x) dW", lambda t, x: (x[:, 0] >= 0.3) & (x[:, 0] <= 3)),
    ("dx = (0.5 - x) dt + sqrt(x*(1 - x)) dW", lambda t, x: (x[:, 0] > 0.1) & (x[:, 0] < 0.9)),
    ("dx = 1/x dt + dW", lambda t, x: x[:, 0] >= 0.3),
    ("dx = -1/(x - 5) dt + dW", lambda t, x: np.abs(x[:, 0]) <= 1),
    ("dx = y dt; dy = -y dt + sqrt(2) dW", lambda t, x: (np.abs(x) <= 1).all(axis=1)),
    ("dx = log(x) dt + dW", lambda t, x: x[:, 0] >= 0.3),
    ("dx = x^0.3 dt + dW", lambda t, x: x[:, 0] >= 0.3),
    ("dx = sqrt(1 - x^2) dt + dW", lambda t, x: np.abs(x[:, 0]) < 0.9),
    ("dx = asin(x) dt + dW", lambda t, x: np.abs(x[:, 0]) < 0.9),
    ("dx = asinh(x) dt + dW", lambda t, x: np.abs(x[:, 0]) <= 1),
    ("dx = acosh(x) dt + dW", lambda t, x: x[:, 0] > 1.2),
    ("dx = atanh(x) dt + dW", lambda t, x: np.abs(x[:, 0]) < 0.9),
    ("dx = acosh(x - y) dt + dW1; dy = dW2", lambda t, x: x[:, 0] - x[:, 1] > 1.1),
    ("dx = coth(x) dt + dW", lambda t, x: np.abs(x[:, 0]) > 0.2),
    ("dx = sec(x) dt + dW", lambda t, x: np.abs(x[:, 0]) < 1.3),
    ("dx = log(x - y) dt + dW1; dy = -y dt + dW2", lambda t, x: x[:, 0] - x[:, 1] > 0.2),
    ("dx = 1/(x - y) dt + dW1; dy = 1/(y - x) dt + dW2", lambda t, x: np.abs(x[:, 0] - x[:, 1]) > 0.2),
    ("dx = sqrt(1 - x^2 - y^2) dt + dW1; dy = dW2", lambda t, x: (x**2).sum(axis=1) < 0.9),
    ("dx = sqrt(x - 5 - y^2) dt + dW1; dy = dW2", lambda t, x: x[:, 0] > 5 + x[:, 1] ** 2),
    ("dx = -x/(x^2 + y^2) dt + dW1; dy = dW2", lambda t, x: (x**2).sum(axis=1) > 0.05),
    ("dx = 1/t dt + dW", lambda t, x: t >= 0.5),
    ("dx = sqrt(t) dt + dW", lambda t, x: t >= 0.5),
    ("dx = -x/(1 - t) dt + dW", lambda t, x: (t >= 0) & (t <= 0.8)),
    ("dx = sqrt(x - t) dt + dW", lambda t, x: x[:, 0] > t + 0.1),
    ("dx = -x dt + t dW", lambda t, x: t > 0.3),
    ("dx = tan(x) dt + dW", lambda t, x: np.abs(x[:, 0]) < 1.3),
    ("dx = abs(x) dt + dW", lambda t, x: np.abs(x[:, 0]) > 0.2),
    ("dx = sign(x) dt + dW", lambda t, x: np.abs(x[:, 0]) > 0.2),
    ("dx = sign(sin(x)) dt + dW", lambda t, x: np.abs(np.sin(x[:, 0])) > 0.2),
    ("dx = x dt + x*y dW1; dy = -y dt + dW2", lambda t, x: (x > 0.3).all(axis=1)),
    ("dx = 1/(1 + 25*x^2) dt + dW", lambda t, x: np.abs(x[:, 0]) < 0.5),
    ("dx = sin(10*x) dt + dW", lambda t, x: np.abs(x[:, 0]) <= 0.5),
    ("dx = x*(1 - x/1000) dt + x dW", lambda t, x: (x[:, 0] > 0.3) & (x[:, 0] < 10)),
    ("dx = x^(-2) dt + (1 + x^2) dW", lambda t, x: x[:, 0] > 0.3),
    ("dx = cos(x) dt + sin(x) dW1; dy = cos(x) dW2", lambda t, x: (x[:, 0] > 0.1) & (x[:, 0] < 1.5)),
    ("dx = (1 - x*y) dt + sqrt(x) dW1; dy = (x*y - y) dt + sqrt(y) dW2", lambda t, x: (x > 0.3).all(axis=1)),
    (dyson(4), lambda t, x: np.abs(np.diff(x, axis=1)).min(axis=1) > 0.2),
    (dyson(10), lambda t, x: np.abs(np.diff(x, axis=1)).min(axis=1) > 0.2),
    (
        "; ".join(f"dx{i} = -x{i}^3 dt + x{i} dW{i}" for i in range(1, 11)),
        lambda t, x: (x > 0.3).all(axis=1),
    ),
]


def scattered(domain: Domain, count: int = 500) -> tuple[np.ndarray, np.ndarray]:
    z = np.random.default_rng(3).uniform(-1, 1, (count, domain.dimension + 1))
    z[: count // 2] = np.sign(z[: count // 2])
    points = domain.centre + domain.half * z
    return points[:, 0], points[:, 1:]


@pytest.mark.parametrize(("text", "holds"), CHOSEN, ids=[text[:40] for text, _ in CHOSEN])
def test_chosen_box(text: str, holds: Test) -> None:
    sde = SDE.parse(text)
    domain = choose_domain(sde)
    assert domain.chosen
    assert (domain.half > 0.005).all()
    t, x = scattered(domain)
    assert holds(t, x).all(), domain
    assert np.isfinite(sde.drift(t, x)).all()
    assert np.isfinite(sde.diffusion(t, x)).all()
    check_domain(sde, domain)


def test_defaults_and_durations() -> None:
    assert choose_domain(SDE.parse("dx = -x dt + dW")).intervals == ((0.0, 1.0), DEFAULT)
    assert choose_domain(SDE.parse("dx = -5*x dt + dW")).intervals == ((0.0, 0.5), DEFAULT)
    assert choose_domain(SDE.parse("dx = -100*x dt + dW")).intervals == ((0.0, 0.02), DEFAULT)
    assert choose_domain(SDE.parse("dx = x dt + x dW")).intervals == ((0.0, 1.0), (0.5, 2.0))
    assert choose_domain(SDE.parse("dx = 1/t dt + dW")).intervals[0] == (1.0, 2.0)


ROTATION = "dx = cos(t) dW1 - sin(t) dW2; dy = sin(t) dW1 + cos(t) dW2"
USUAL_TIME = [
    ROTATION,
    "dx = sin(t)*x dt + dW",
    "dx = sin(t)*x dt + cos(t) dW1 + sin(t) dW2",
    "dx = t dW1 + dW2",
    "dx = t dW1; dy = dW1",
    "dx = -x dt + (t - 1/2) dW1 + dW2; dy = (t - 1/2) dW1 + dW3",
    "dx = cos(t) dW",  # its zero is far enough from (0, 1)
]


@pytest.mark.parametrize("text", USUAL_TIME)
def test_zero_of_one_entry_is_no_singular_time(text: str) -> None:
    assert choose_domain(SDE.parse(text)).intervals[0] == (0.0, 1.0)


@pytest.mark.parametrize(
    "text", ["dx = cos(x) dW1 - sin(x) dW2", "dx = x dW1 + dW2", "dx = x dt + x dW1 + (1 - x) dW2"]
)
def test_zero_of_one_entry_is_no_singular_state(text: str) -> None:
    assert choose_domain(SDE.parse(text)).intervals[1] == DEFAULT


SINGULAR_TIMES = [
    ("dx = t dW", lambda t: t > 0.3),
    ("dx = t*x dW", lambda t: t > 0.3),
    ("dx = sin(t) dW", lambda t: np.abs(np.sin(t)) > 0.3),
    ("dx = cos(4*t) dW", lambda t: np.abs(np.cos(4 * t)) > 0.2),
    ("dx = t dW1; dy = dW2", lambda t: t > 0.3),
    ("dx = t dW1; dy = t dW1", lambda t: t > 0.3),
    ("dx = cos(t) dW1 + sin(t) dW2; dy = t*dW1", lambda t: t > 0.3),
    ("dx = t*sqrt(x) dW1; dy = y dW2", lambda t: t > 0.3),
]


@pytest.mark.parametrize(("text", "holds"), SINGULAR_TIMES, ids=[text for text, _ in SINGULAR_TIMES])
def test_time_at_which_the_rank_drops_is_avoided(text: str, holds: Callable[[np.ndarray], Any]) -> None:
    low, high = choose_domain(SDE.parse(text)).intervals[0]
    assert holds(np.linspace(low, high, 50)).all(), (low, high)


def test_rotation_from_callables_keeps_the_usual_time() -> None:
    def diffusion(t: np.ndarray, x: np.ndarray) -> np.ndarray:
        return np.stack([np.cos(3 * t), -np.sin(3 * t), np.sin(3 * t), np.cos(3 * t)], axis=1).reshape(-1, 2, 2)

    assert choose_domain(SDE(lambda t, x: 0 * x, diffusion, dimension=2)).intervals[0] == (0.0, 1.0)


def test_earliest_regular_time_is_chosen() -> None:
    low, high = choose_domain(SDE.parse("dx = tan(t)*x dt + sin(t) dW")).intervals[0]
    assert 0 < low < high < np.pi / 2


def scalar(drift: Callable, diffusion: Callable = lambda t, x: np.ones_like(x)) -> SDE:
    return SDE(
        lambda t, x: drift(t[:, None], x),
        lambda t, x: diffusion(t[:, None], x)[:, :, None],
        dimension=1,
        noise=1,
    )


CALLABLES: dict[str, tuple[SDE, Test]] = {
    "brownian": (scalar(lambda t, x: 0 * x), lambda t, x: np.abs(x[:, 0]) <= 1),
    "geometric": (scalar(lambda t, x: x, lambda t, x: x), lambda t, x: x[:, 0] > 0.3),
    "cir": (scalar(lambda t, x: 1 - x, lambda t, x: np.sqrt(x)), lambda t, x: x[:, 0] > 0.3),
    "jacobi": (
        scalar(lambda t, x: 0.5 - x, lambda t, x: np.sqrt(x * (1 - x))),
        lambda t, x: (x[:, 0] > 0.1) & (x[:, 0] < 0.9),
    ),
    "pole": (scalar(lambda t, x: 1 / x), lambda t, x: x[:, 0] > 0.3),
    "pole off the grid": (scalar(lambda t, x: 1 / (x - 0.3137)), lambda t, x: np.abs(x[:, 0] - 0.3137) > 0.05),
    "kink": (scalar(lambda t, x: np.abs(x)), lambda t, x: np.abs(x[:, 0]) > 0.1),
    "log": (scalar(lambda t, x: np.log(x)), lambda t, x: x[:, 0] > 0.3),
    "bridge": (scalar(lambda t, x: -x / (1 - t)), lambda t, x: t < 0.8),
    "singular start": (scalar(lambda t, x: x / t), lambda t, x: t > 0.4),
    "product": (
        SDE(
            lambda t, x: -x,
            lambda t, x: np.stack([x[:, 0] * x[:, 1], 1 + 0 * x[:, 0]], axis=1)[:, :, None],
            dimension=2,
        ),
        lambda t, x: x[:, 0] > 0.3,  # at y = 0 the one noise only turns
    ),
    "repulsion": (
        SDE(
            lambda t, x: 1 / (x - x[:, ::-1]),
            lambda t, x: np.tile(np.eye(2), (len(t), 1, 1)),
            dimension=2,
        ),
        lambda t, x: np.abs(x[:, 0] - x[:, 1]) > 0.2,
    ),
}


@pytest.mark.parametrize("name", CALLABLES)
def test_chosen_box_of_callables(name: str) -> None:
    sde, holds = CALLABLES[name]
    domain = choose_domain(sde)
    t, x = scattered(domain)
    assert holds(t, x).all(), domain
    check_domain(sde, domain)
    assert project(sde, domain).error < 1e-12


def test_choice_is_quick() -> None:
    for text in ("dx = (1 - x) dt + sqrt(x) dW", dyson(10)):
        sde = SDE.parse(text)
        start = time.process_time()
        choose_domain(sde)
        assert time.process_time() - start < 10  # 0.01 s and 0.3 s; the bound only catches a blow-up


@pytest.mark.parametrize("sde", [SDE.parse("dx = sqrt(-1 - x^2) dt + dW"), scalar(lambda t, x: x * np.nan)])
def test_the_message_without_a_result_asks_for_a_domain(sde: SDE) -> None:
    with pytest.raises(InputError, match="domain="):
        choose_domain(sde)


def test_parameters_without_value_are_refused() -> None:
    sde = SDE.parse("dx = -k*x dt + dW")
    with pytest.raises(InputError, match="k"):
        choose_domain(sde)
    with pytest.raises(InputError, match="k"):
        check_domain(sde, Domain(((0.0, 1.0), DEFAULT)))


UNIT = (0.0, 1.0)
REFUSED = [
    ("dx = 1/x dt + dW", (UNIT, DEFAULT), ["drift component 1 is not defined", "x = 0", "(0.1, 1)"]),
    ("dx = 1/x dt + dW", (UNIT, (0.0, 1.0)), ["x = 0"]),
    ("dx = 1/(x - 0.3)^2 dt + dW", (UNIT, (0.0, 1.0)), ["x = 0.3"]),
    ("dx = 1/(x^2 - 2*x + 1) dt + dW", (UNIT, (0.0, 3.0)), ["x = 1"]),
    ("dx = dt + sqrt(x) dW", (UNIT, DEFAULT), ["diffusion entry (1, 1) stops being real", "(0.1, 1)"]),
    ("dx = sqrt(x) dt + dW", (UNIT, (-1.0, 0.5)), ["x = 0", "(0.075, 0.5)"]),
    ("dx = log(x) dt + dW", (UNIT, (-2.0, -1.0)), ["undefined", "x = -"]),
    ("dx = 1/log(x) dt + dW", (UNIT, (0.5, 2.0)), ["x = 1"]),
    ("dx = tan(x) dt + dW", (UNIT, (0.0, 2.0)), ["x = 1.571"]),
    ("dx = 1/(sin(x) - 1) dt + dW", (UNIT, (0.0, 3.0)), ["x = 1.571"]),
    ("dx = acosh(x) dt + dW", (UNIT, (0.5, 2.0)), ["stops being real", "x = 1"]),
    ("dx = acosh(x) dt + dW", (UNIT, (0.0, 0.5)), ["undefined"]),
    ("dx = atanh(x) dt + dW", (UNIT, (0.0, 2.0)), ["stops being real", "x = 1"]),
    ("dx = atanh(x) dt + dW", (UNIT, (2.0, 3.0)), ["undefined"]),
    ("dx = atanh(x + y) dt + dW1; dy = dW2", (UNIT, DEFAULT, DEFAULT), ["stops being real", "-x - y + 1 = 0"]),
    ("dx = csch(x) dt + dW", (UNIT, DEFAULT), ["not defined", "x = 0"]),
    ("dx = abs(x) dt + dW", (UNIT, DEFAULT), ["not smooth", "x = 0"]),
    ("dx = sign(x - 0.1) dt + dW", (UNIT, DEFAULT), ["not smooth", "x = 0.1"]),
    ("dx = 1/(t - 0.5) dt + dW", (UNIT, DEFAULT), ["t = 0.5"]),
    ("dx = x dt + dW1; dy = 1/(x - y) dt + dW2", (UNIT, DEFAULT, DEFAULT), ["drift component 2", "x - y = 0"]),
    ("dx = 1/(x^2 + y^2) dt + dW1; dy = dW2", (UNIT, (-1.0, 0.7), (-0.3, 1.0)), ["x**2 + y**2 = 0"]),
    ("dx = abs(x - y) dt + dW1; dy = dW2", (UNIT, UNIT, UNIT), ["not smooth", "x - y = 0"]),
    ("dx = sign(x^2 - t) dt + dW", (UNIT, UNIT), ["not smooth", "t = "]),
]


@pytest.mark.parametrize(("text", "intervals", "words"), REFUSED)
def test_bad_domains(text: str, intervals: tuple[tuple[float, float], ...], words: list[str]) -> None:
    with pytest.raises(InputError) as refusal:
        check_domain(SDE.parse(text), Domain(intervals))
    message = str(refusal.value)
    assert all(word in message for word in words), message
    assert message.endswith(".")
    assert "\n" not in message


@pytest.mark.parametrize(
    ("text", "intervals"),
    [
        ("dx = 1/x dt + dW", (UNIT, (0.1, 1.0))),
        ("dx = abs(x) dt + dW", (UNIT, (1.0, 2.0))),
        ("dx = abs(x) dt + dW", (UNIT, (0.0, 2.0))),
        ("dx = sqrt(x) dt + dW", (UNIT, (1e-6, 1.0))),
        ("dx = sqrt(1 + x^2) dt + abs(1 + x^2) dW", (UNIT, (-5.0, 5.0))),
        ("dx = x dt + x dW", (UNIT, DEFAULT)),
        ("dx = 1/(x - y) dt + dW1; dy = dW2", (UNIT, (2.0, 3.0), (0.0, 1.0))),
        ("dx = tanh(50*x) dt + dW", (UNIT, DEFAULT)),
    ],
)
def test_good_domains(text: str, intervals: tuple[tuple[float, float], ...]) -> None:
    check_domain(SDE.parse(text), Domain(intervals))


HUGE = [
    ("dx = 1e30 dt + dW", (UNIT, DEFAULT), "drift component 1 moves x 5e+29 times"),
    ("dx = 1e-20*x dt + 1e20 dW", (UNIT, DEFAULT), "diffusion entry (1, 1) moves x 7e+19 times"),
    ("dx = x dt + dW", (UNIT, (1e-6, 2e-6)), "diffusion entry (1, 1) moves x 1e+06 times"),
    ("dx = dt; dy = 3*x dt + y dW1 + 1e12*x dW2", (UNIT, DEFAULT, DEFAULT), "diffusion entry (2, 2) moves y"),
]


@pytest.mark.parametrize(("text", "intervals", "words"), HUGE)
def test_coefficients_beyond_rounding_are_refused(text: str, intervals: Any, words: str) -> None:
    with pytest.raises(InputError) as refusal:
        require_moderate(SDE.parse(text), Domain(intervals))
    assert words in str(refusal.value)


def test_large_coefficients_fit_a_large_domain() -> None:
    require_moderate(SDE.parse("dx = 1e20 dt + 1e20 dW"), Domain((UNIT, (-1e20, 1e20))))
    require_moderate(SDE.parse("dx = 1e6*x dt + 1e4 dW"), Domain((UNIT, DEFAULT)))
    require_moderate(SDE.parse("dx = x dt + dW"), Domain(((0.0, 1e-12), (1e-6, 2e-6))))
    require_moderate(SDE.parse("dx = x dt"), Domain((UNIT, DEFAULT)))


@pytest.mark.parametrize(
    ("drift", "words"),
    [
        (lambda t, x: np.abs(x - 0.3), "not smooth in x"),
        (lambda t, x: np.sqrt(x), "drift component 1 is undefined"),
        (lambda t, x: 1 / x, "drift component 1 is infinite"),
        (lambda t, x: 1 / (x - 0.0123), "drift component 1"),
        (lambda t, x: np.sign(t - 0.2) * x, "not smooth in t"),
    ],
)
def test_bad_domains_of_callables(drift: Callable, words: str) -> None:
    with pytest.raises(InputError, match=words):
        check_domain(scalar(drift), Domain((UNIT, DEFAULT)))


@settings(deadline=None)
@given(st.lists(st.floats(-5, 5), max_size=6), st.booleans())
def test_candidates_keep_clear_of_breakpoints(breaks: list[float], generic: bool) -> None:
    hard = tuple(sorted(set(breaks)))
    for candidate in coordinate_candidates(Breakpoints(hard), True, generic):
        half = (candidate.high - candidate.low) / 2
        assert is_clear(candidate.low, candidate.high, hard)
        for point in hard:
            outside = max(candidate.low - point, point - candidate.high)
            assert outside >= BOX.clearance * half * (1 - 1e-6)


@settings(max_examples=25, deadline=None)
@given(st.floats(-4, 4), st.sampled_from(["1/(x - {c})", "log(x - {c})", "abs(x - {c})", "(x - {c})^1.5"]))
def test_singular_point_anywhere_is_avoided_and_refused(c: float, form: str) -> None:
    sde = SDE.parse(f"dx = {form.format(c=f'({c:.6f})')} dt + dW")
    low, high = choose_domain(sde).intervals[1]
    c = round(c, 6)
    assert c < low or c > high
    with pytest.raises(InputError):
        check_domain(sde, Domain((UNIT, (c - 0.7, c + 0.4))))


@pytest.mark.parametrize(
    ("text", "coordinate", "entry", "place"),
    [
        ("dx = tanh(1000*x) dt + dW", "x", "drift component 1", 0.0),
        ("dx = -x dt + dW1; dy = tanh(900*(y - 1/250)) dt + x dW2", "y", "drift component 2", 0.004),
        ("dx = dW1; dy = (2 + tanh(700*x)) dW2", "x", "diffusion entry (2, 2)", 0.0),
    ],
)
def test_a_step_that_no_box_resolves_is_named_with_its_place(text, coordinate, entry, place):
    with pytest.raises(InputError) as caught:
        choose_domain(SDE.parse(text))
    message = str(caught.value)
    assert f"the {entry} is smooth enough in {coordinate}" in message
    (found,) = re.findall(rf"near {coordinate} = (\S+) it", message)
    assert float(found) == pytest.approx(place, abs=2e-4)
    assert f"give a narrow interval of {coordinate}" in message
