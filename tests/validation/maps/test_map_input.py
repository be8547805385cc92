"""Maps as people give them, and what is refused in one sentence; nothing in a text is executed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import liestonet as lsn
from liestonet.core.domain import Domain
from liestonet.errors import InputError
from liestonet.validation.maps.map_input import is_map, parse_map, read_map

LINE = Domain(((0.0, 1.0), (-2.0, 2.0)))
PLANE = Domain(((0.0, 1.0), (-2.0, 2.0), (-2.0, 2.0)))
CIRCLE = Domain(((0.0, 1.0), (0.0, 2 * np.pi)), periodic=(1,))


@pytest.mark.parametrize("arrow", ["->", "-->", "→", "↦"])
def test_arrows_and_coordinates_that_stay(arrow: str):
    made = parse_map(f"x {arrow} -x", ("x", "y"))
    np.testing.assert_allclose(made(np.array([[0.5, 1.0, 2.0]])), [[0.5, -1.0, 2.0]])
    assert made.text == "x -> -x"


def test_commas_inside_brackets_separate_nothing():
    made = parse_map("x, y -> (y), -(x + 2*(y))", ("x", "y"))
    np.testing.assert_allclose(made(np.array([[0.0, 1.0, 3.0]])), [[0.0, 3.0, -7.0]])


def test_derivatives_of_a_map_are_those_of_its_formulas():
    made = read_map("t, x, y -> t + 1, x + y^2/20, y*exp(t)", ("x", "y"), PLANE)
    jet = made.jet(np.array([[0.5, 1.0, 2.0]]))
    np.testing.assert_allclose(jet.images, [[1.5, 1.2, 2 * np.exp(0.5)]])
    np.testing.assert_allclose(jet.speed, [1.0])
    np.testing.assert_allclose(jet.drift, [[0.0, 2 * np.exp(0.5)]])
    np.testing.assert_allclose(jet.jacobian[0], [[1.0, 0.2], [0.0, np.exp(0.5)]])
    np.testing.assert_allclose(jet.hessian[0, 0], [[0, 0], [0, 0.1]])


def test_what_is_a_map():
    assert is_map("x -> -x")
    assert not is_map("x d_x")
    assert is_map((np.negative, np.ones_like))
    assert not is_map(np.negative)


@pytest.mark.parametrize(
    ("text", "domain", "said"),
    [
        ("x, y -> -x", PLANE, "give one formula for each name"),
        ("x -> -x, y", PLANE, "give one formula for each name"),
        ("z -> -z", PLANE, "none of t, x, y"),
        ("x, x -> x, -x", PLANE, "moves x twice"),
        ("x -> x -> x", LINE, "needs one arrow"),
        ("x -> ", LINE, "nothing after the arrow"),
        ("x -> a*x", LINE, "write numbers for parameters"),
        ("x -> dt", LINE, "differential"),
        ("x -> x^2", LINE, "not invertible on the box"),
        ("x, y -> x, x", PLANE, "not invertible on the box"),
        ("x, y -> x^2 - y^2 + 9*x, 2*x*y + 9*y", PLANE, None),
        ("x, y -> exp(x)*cos(2*y), exp(x)*sin(2*y)", PLANE, "maps different points to the same"),
        ("x -> abs(x) + 2*x", LINE, "smooth"),
        ("x -> log(x)", LINE, "."),
        ("x -> 1/x", LINE, "."),
        ("t -> -t", LINE, "lsn.reversible"),
        ("t -> t + x", LINE, "may depend on t only"),
        ("x -> 2*x", CIRCLE, "wind round"),
        ("x -> x/2", CIRCLE, "after a turn"),
        ("x -> __import__('os').system('touch executed')", LINE, "."),
        ("x -> x.__class__", LINE, "."),
        ("x -> (lambda: 0)()", LINE, "."),
        ("x -> open('executed', 'w')", LINE, "."),
    ],
)
def test_bad_maps_end_in_one_sentence(
    text: str, domain: Domain, said: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    names = ("x", "y")[: domain.dimension]
    if said is None:
        read_map(text, names, domain)
        return
    with pytest.raises(InputError, match=said) as caught:
        read_map(text, names, domain)
    assert "\n" not in str(caught.value).split("\n    ")[0]
    assert not (tmp_path / "executed").exists()


def test_a_map_that_leaves_the_equation_is_refused():
    with pytest.raises(InputError, match="no finite value"):
        lsn.test(lsn.SDE.parse("dx = (1 - x) dt + sqrt(x) dW"), "x -> -x", domain=[(0, 1), (0.5, 2)])


def test_callables_must_fit():
    def mirror(t: np.ndarray, x: np.ndarray) -> np.ndarray:
        return -x

    def wrong(t: np.ndarray, x: np.ndarray) -> np.ndarray:
        return np.ones((len(x), 1, 1))

    def kink(t: np.ndarray, x: np.ndarray) -> np.ndarray:
        return np.where(x > 0.3, 2 * x - 0.3, x)

    def broken(t: np.ndarray, x: np.ndarray) -> np.ndarray:
        raise RuntimeError("no such thing")

    for given, said in [
        ((mirror, wrong), "Jacobian is not that of the map"),
        ((kink, wrong), "not smooth"),
        ((broken, wrong), "could not be called.*no such thing"),
        ((mirror, mirror), "could not be called.*shape"),
        ((lambda t, x: x * np.nan, wrong), "not finite"),
    ]:
        with pytest.raises(InputError, match=said):
            read_map(given, ("x",), LINE)
    with pytest.raises(InputError, match=r"callable with \.jacobian"):
        read_map(3, ("x",), LINE)


def test_jumps_of_a_jacobian_between_the_points_of_a_lattice_are_seen():
    def bent(t: np.ndarray, x: np.ndarray) -> np.ndarray:
        return -x + 0.01 * np.abs(x)

    def slope(t: np.ndarray, x: np.ndarray) -> np.ndarray:
        return (-1 + 0.01 * np.sign(x))[:, :, None]

    with pytest.raises(InputError, match="not smooth on the box: it or its Jacobian jumps"):
        read_map((bent, slope), ("x",), LINE)

    def steep(t: np.ndarray, x: np.ndarray) -> np.ndarray:
        return -x - 0.1 * np.tanh(x / 0.1)

    def steep_slope(t: np.ndarray, x: np.ndarray) -> np.ndarray:
        return (-1 - 1 / np.cosh(x / 0.1) ** 2)[:, :, None]

    read_map((steep, steep_slope), ("x",), LINE)
