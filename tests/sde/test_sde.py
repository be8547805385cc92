"""The class SDE: three ways in, one behaviour, and errors that name what was expected."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
import sympy as sp

from liestonet.errors import InputError
from liestonet.sde import SDE

x, y, t, k = sp.symbols("x y t k")
T = np.array([0.0, 0.5, 1.0])
X = np.array([[1.0, 2.0], [0.5, -1.0], [3.0, 0.25]])
TEXT = "dx = t y dt + x dW1; dy = -k y dt + dW1 + y dW2; k = 3/2"


def callables():
    def drift(t, x):
        return np.stack([t * x[:, 1], -1.5 * x[:, 1]], axis=1)

    def diffusion(t, x):
        sigma = np.zeros((len(t), 2, 2))
        sigma[:, 0, 0], sigma[:, 1, 0], sigma[:, 1, 1] = x[:, 0], 1, x[:, 1]
        return sigma

    return drift, diffusion


def test_text_sympy_and_callables_agree():
    parsed = SDE.parse(TEXT)
    built = SDE.from_sympy([t * y, -k * y], sp.Matrix([[x, 0], [1, y]]), [x, y], t, parameters={k: 1.5})
    called = SDE(*callables(), dimension=2)
    assert parsed.symbolic == built.symbolic
    for sde in (parsed, built, called):
        assert (sde.dimension, sde.noise, sde.names, sde.notes, sde.parameters) == (2, 2, ("x", "y"), (), ())
        np.testing.assert_allclose(sde.drift(T, X), callables()[0](T, X))
        np.testing.assert_allclose(sde.diffusion(T, X), callables()[1](T, X))
        sigma = sde.diffusion(T, X)
        np.testing.assert_allclose(sde.diffusion_squared(T, X), np.einsum("bik,bjk->bij", sigma, sigma))
        assert sde.drift(0.5, X).shape == (3, 2)
    assert called.symbolic is None


def test_parameters_stay_symbolic_until_given():
    sde = SDE.parse("dx = -k*x dt + s dW")
    assert sde.parameters == ("k", "s")
    with pytest.raises(InputError, match="Parameters k, s have no value"):
        sde.require_numeric()
    with pytest.raises(InputError, match="no value"):
        sde.drift(T, X[:, :1])
    half = sde.with_parameters(k=0.1)
    assert half.parameters == ("s",)
    with pytest.raises(InputError, match=r"Parameter s has no value: .*add the equation ds = \.\.\."):
        half.require_numeric()
    whole = half.with_parameters({"s": 2})
    whole.require_numeric()
    assert whole.symbolic == SDE.parse("dx = -0.1 x dt + 2 dW").symbolic == SDE.parse(str(sde), k=0.1, s=2).symbolic
    with pytest.raises(InputError, match="did you mean s"):
        half.with_parameters(ss=2)
    with pytest.raises(InputError, match="no parameter k"):
        half.with_parameters(k=2)
    with pytest.raises(InputError, match="callables"):
        SDE(*callables(), dimension=2).with_parameters(k=1)


def test_values_beside_the_text_win_and_are_given_once():
    assert str(SDE.parse("dx = k dt + dW; k = 2", k=3)) == "dx = 3 dt + dW"
    assert str(SDE.parse("dx = σ dW", σ=np.float64(0.1))) == "dx = 1/10 dW"
    with pytest.raises(InputError, match="given twice"):
        SDE.parse("dx = k dt", parameters={"k": 1}, k=2)


def test_a_huge_power_is_refused_when_the_value_arrives():
    sde = SDE.parse("dx = 9^k^k dt + x^k dW")
    with pytest.raises(InputError, match="1e100"):
        sde.with_parameters(k=9)
    with pytest.raises(InputError, match="64"):
        SDE.parse("dx = x^k dt").with_parameters(k=1000)


@pytest.mark.parametrize("text", ["dx = x ∘ dW", "dx = x o dW"])
def test_stratonovich_is_converted_and_said(text):
    sde = SDE.parse(text)
    assert str(sde) == "dx = x/2 dt + x dW"
    assert len(sde.notes) == 1
    assert "Stratonovich" in sde.notes[0]
    assert [flag.code for flag in sde.flags] == ["converted"]
    assert SDE.parse("dx = x dW", stratonovich=True).symbolic == sde.symbolic
    built = SDE.from_sympy(0, x, x, stratonovich=True)
    assert built.symbolic == sde.symbolic
    assert built.notes == sde.notes


def test_stratonovich_correction_in_general():
    """Against ½ σ^j_k ∂_j σ^i_k summed by hand, rectangular σ that depends on time."""
    sigma = [[x * y, t, sp.sin(y)], [x, y**2, t * x]]
    sde = SDE.from_sympy([x, 0], sigma, [x, y], t, stratonovich=True)
    assert sde.symbolic is not None
    expected = [x, sp.Integer(0)]
    for i in range(2):
        for j, variable in enumerate((x, y)):
            expected[i] += sum(sigma[j][n] * sigma[i][n].diff(variable) for n in range(3)) / 2
    canonical = {s: sp.Symbol(s.name, real=True) for s in (x, y, t)}
    assert sp.expand(sde.symbolic.drift - sp.Matrix(expected).xreplace(canonical)).is_zero_matrix


def test_shared_noise_is_said():
    (note,) = SDE.parse("dx = dW; dy = x dW").notes
    assert "x, y share one noise dW" in note
    assert "dW1, dW2" in note
    assert [flag.code for flag in SDE.parse("dx = dW; dy = x dW").flags] == ["shared-noise"]
    assert SDE.parse("dx = dW1; dy = x dW1").notes == ()


@pytest.mark.parametrize(
    ("drift", "diffusion", "state"),
    [
        (x, 1, x),
        ([x], [1], [x]),
        ((x,), [[1]], (x,)),
        (sp.Matrix([x]), sp.Matrix([[1]]), [x]),
        ([x + 0.0], [[np.float64(1)]], [x]),
    ],
)
def test_sympy_containers(drift, diffusion, state):
    assert str(SDE.from_sympy(drift, diffusion, state)) == "dx = x dt + dW"


def test_sympy_functions_known_by_another_name():
    sde = SDE.from_sympy(sp.sec(x) * sp.coth(x), sp.csc(x) + sp.asinh(x), x)
    np.testing.assert_allclose(sde.drift(0, [[0.7]]), 1 / np.cos(0.7) / np.tanh(0.7))
    np.testing.assert_allclose(sde.diffusion(0, [[0.7]]), 1 / np.sin(0.7) + np.arcsinh(0.7))


def test_large_whole_numbers_reach_numpy_as_floats():
    sde = SDE.parse("dx = (10^30 x + atan(10^30)) dt + log(10^30) dW")
    np.testing.assert_allclose(sde.drift(0, [[1.0]]), 1e30)
    np.testing.assert_allclose(sde.diffusion(0, [[1.0]]), 30 * np.log(10))


def test_sympy_symbols_become_real_and_numbers_exact():
    u, c = sp.Symbol("u", positive=True), sp.Symbol("c", complex=True)
    sde = SDE.from_sympy([0.1 * u + c], [sp.sqrt(u)], [u])
    assert sde.symbolic is not None
    real = sp.Symbol("u", real=True)
    assert sde.symbolic.state == (real,)
    assert sde.symbolic.drift[0] == real / 10 + sp.Symbol("c", real=True)
    assert sde.parameters == ("c",)


f = sp.Function("f")


@pytest.mark.parametrize(
    ("arguments", "mentions"),
    [
        (([x], [1], []), "list of SymPy symbols"),
        (([x], [1], ["x"]), "list of SymPy symbols"),
        (([x, y], [1, 1], [x, sp.Symbol("x", real=True)]), "Two coordinates are named x"),
        (([x], [1], [x], "t"), "SymPy symbol"),
        (([x], [1], [x], x), "like time"),
        (([t], [1], [x]), "pass it as time="),
        (([x], [sp.Symbol("x", real=True)], [x]), "one and the same object"),
        (([k], [sp.Symbol("k", real=True)], [x]), "one and the same object"),
        (([x, y], [1], [x]), "drift has 2 entries"),
        ((sp.eye(2), [1, 1], [x, y]), "single column"),
        (([x, y], [1], [x, y]), "diffusion has 1 rows"),
        (([x, y], [[1, 2], [1]], [x, y]), "[2, 1] entries"),
        ((["x"], [1], [x]), "Drift entry 1"),
        (([x], ["__import__('os')"], [x]), "Diffusion entry (1, 1)"),
        (([sp.I * x], [1], [x]), "imaginary unit"),
        (([sp.sqrt(-2)], [1], [x]), "imaginary unit"),
        (([f(x)], [1], [x]), "f(x)"),
        (([x], [sp.gamma(x)], [x]), "gamma(x)"),
        (([sp.oo], [1], [x]), "not a finite number"),
        (([sp.Eq(x, 1)], [1], [x]), "Drift entry 1"),
        (([sp.Pow(9, k, evaluate=False)], [1], [x], None, {"k": 10**6}), "1e100"),
        (([k], [1], [x], None, {"kk": 1}), "did you mean k?"),
    ],
)
def test_sympy_refused(arguments, mentions):
    *given, parameters = arguments if len(arguments) == 5 else (*arguments, None)
    with pytest.raises(InputError) as caught:
        SDE.from_sympy(*given, parameters=parameters)
    assert mentions in str(caught.value)
    assert str(caught.value).endswith((".", "?"))


def test_callables_find_their_noise_where_they_are_defined():
    def picky(t, x):
        if np.any(x == 0):
            raise ZeroDivisionError("no zero please.")
        return np.ones((len(t), 1, 3))

    assert SDE(lambda t, x: x, picky, dimension=1).noise == 3

    def never(t, x):
        raise RuntimeError("boom.")

    with pytest.raises(InputError, match=r"give noise= \(.*boom\)\.$"):
        SDE(lambda t, x: x, never, dimension=1)
    assert SDE(lambda t, x: x, never, dimension=1, noise=2).noise == 2
    with pytest.raises(InputError, match="diffusion failed on 1 points: boom"):
        SDE(lambda t, x: x, never, dimension=1, noise=2).diffusion(0, [[1.0]])


@pytest.mark.parametrize(
    ("drift", "mentions"),
    [
        (lambda t, x: x[:, 0], r"returned shape (3,), but (3, 2) is needed"),
        (lambda t, x: x * 1j, "complex128"),
        (lambda t, x: None, "object"),
        (lambda t, x: x["a"], "failed"),
    ],
)
def test_callables_are_checked(drift, mentions):
    with pytest.raises(InputError) as caught:
        SDE(drift, callables()[1], 2).drift(T, X)
    assert mentions in str(caught.value)


def test_callables_may_return_what_is_not_finite():
    sde = SDE(lambda t, x: np.log(x), lambda t, x: 1 / x[:, :, None], 1)
    assert np.isneginf(sde.drift(0, [[0.0]])).all()
    assert np.isposinf(sde.diffusion(0, [[0.0]])).all()


@pytest.mark.parametrize(
    ("arguments", "mentions"),
    [
        ((callables()[0], callables()[1], 0), "dimension is 0"),
        ((callables()[0], callables()[1], 2.0), "dimension is 2.0"),
        ((callables()[0], callables()[1], 2, -1), "noise is -1"),
        ((callables()[0], 5, 2), "callables"),
        (("dx = dW", callables()[1], 2), "SDE.parse"),
        ((callables()[0], lambda t, x: x, 2), "(5, 2, r)"),
    ],
)
def test_construction_refused(arguments, mentions):
    with pytest.raises(InputError) as caught:
        SDE(*arguments)
    assert mentions in str(caught.value)


def test_points_are_checked():
    for sde in (SDE.parse(TEXT), SDE(*callables(), dimension=2)):
        with pytest.raises(InputError, match=r"x has shape \(3,\), but \(B, 2\)"):
            sde.drift(T, T)
        with pytest.raises(InputError, match=r"t has shape \(2,\), but \(3,\)"):
            sde.drift(T[:2], X)


def test_names():
    drift = np.zeros_like
    assert SDE(drift, drift, 4, noise=1).names == ("x1", "x2", "x3", "x4")
    assert SDE(*callables(), dimension=2, names=["q", "p"]).names == ("q", "p")
    for names in (["q"], ["q", "q"], "q", [1, 2]):
        with pytest.raises(InputError, match="2 different names"):
            SDE(*callables(), dimension=2, names=names)


def test_nothing_can_be_set():
    sde = SDE.parse(TEXT)
    for name in ("dimension", "noise", "names", "symbolic", "anything"):
        with pytest.raises(AttributeError):
            setattr(sde, name, 1)


def test_shown():
    assert repr(SDE.parse("dx = y dt; dy = -(x+y) dt - 2 dW")) == "SDE('dx = y dt; dy = (-x - y) dt - 2 dW')"
    assert "2 noises" in repr(SDE(*callables(), dimension=2))


def test_simulates():
    data = SDE.parse("dx = -x dt + 0 dW").simulate(initial=1.0, duration=1.0, step=0.01, paths=2, seed=1)
    np.testing.assert_allclose(data.states[0][-1, 0], 0.99**100)
    with pytest.raises(InputError, match="no value"):
        SDE.parse("dx = k dt + dW").simulate(initial=1.0, duration=1.0, step=0.1)


def test_the_class_alone_does_not_load_sympy():
    code = "import sys, liestonet.sde; sys.exit('sympy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
