"""Packing and unpacking of anything a result may hold, over drawn values: bit-equal and of the same type."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from liestonet.algebra.formula import Formula
from liestonet.flags import Flag
from liestonet.storage.container import read_container, write_container
from liestonet.storage.pack import pack
from liestonet.storage.registry import HOMES, stored_class
from liestonet.storage.unpack import unpack
from liestonet.symmetry.ladder import LadderRow
from storage_cases import difference

texts = st.text(st.characters(exclude_categories=["C", "Z"]), max_size=20)
floats = st.floats(allow_nan=True, allow_infinity=True)
flags = st.builds(Flag, texts, texts, texts)
rows = st.builds(LadderRow, floats, floats, floats, floats, floats, texts)
plain = st.one_of(st.none(), st.booleans(), st.integers(-(2**62), 2**62), floats, texts, flags, rows)
nested = st.recursive(
    plain,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.lists(inner, max_size=4).map(tuple),
        st.dictionaries(st.one_of(texts, st.tuples(st.integers(0, 9), st.integers(0, 9))), inner, max_size=4),
    ),
    max_leaves=12,
)
dtypes = st.sampled_from(["<f8", ">f8", "<f4", "<i8", ">i4", "|b1", "|u1"])
arrays = dtypes.flatmap(lambda dtype: hnp.arrays(np.dtype(dtype), hnp.array_shapes(min_dims=0, min_side=0, max_side=5)))
views = st.sampled_from([lambda a: a, lambda a: a.T, lambda a: a[..., ::-1] if a.ndim else a, np.asfortranarray])
x, t = sympy.symbols("x t", real=True)
leaves = st.one_of(
    st.sampled_from([x, t, sympy.pi, sympy.E, sympy.Symbol("k", positive=True), sympy.Symbol("free"), sympy.I]),
    st.fractions(-50, 50, max_denominator=40).map(lambda f: sympy.Rational(f.numerator, f.denominator)),
    st.floats(-1e3, 1e3).map(lambda f: sympy.Float(f, 4)),
    st.floats(-1e3, 1e3).map(sympy.Float),
)
formulas = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: sympy.Add(*parts)),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: sympy.Mul(*parts)),
        st.tuples(inner, st.sampled_from([2, -1, sympy.Rational(1, 2)])).map(lambda pair: sympy.Pow(*pair)),
        inner.map(sympy.exp),
        inner.map(sympy.sin),
        inner.map(lambda e: sympy.log(sympy.Abs(e) + 1)),
        st.tuples(inner, inner).map(lambda pair: 2 * sympy.Add(*pair, evaluate=False)),
        st.tuples(inner, inner).map(lambda pair: sympy.Mul(2, sympy.Add(*pair), evaluate=False)),
    ),
    max_leaves=8,
).filter(lambda e: all(abs(number._mpf_[2]) < 90_000 for number in e.atoms(sympy.Float)))  # exp(exp(99.)) is no formula


def again(value):
    """What is left of a value after packing and unpacking."""
    return unpack(*pack(value), "The file 'run.lsn'")


@given(nested)
def test_plain_values(value):
    assert difference(value, again(value)) is None


@given(floats)
def test_floats_keep_their_bits(value):
    assert np.float64(again(value)).tobytes() == np.float64(value).tobytes() or value != value


@given(arrays, views)
def test_arrays_through_a_file(tmp_path_factory, array, view):
    path = tmp_path_factory.mktemp("array") / "run.lsn"
    shown = view(array)
    write_container(path, *pack((shown, shown, shown.copy())))
    first, second, third = unpack(*read_container(path), "The file 'run.lsn'")
    assert first is second
    native = shown.astype(shown.dtype.newbyteorder("="))
    for found in (first, third):
        assert found.dtype == native.dtype
        assert found.shape == shown.shape
        assert np.array_equal(found, native, equal_nan=native.dtype.kind == "f")
        assert not found.flags.writeable


@given(formulas)
def test_expressions(expression):
    assume(not expression.has(sympy.nan))  # 0·∞ is no formula, and no file takes it
    assert difference(expression, again(expression)) is None


def test_unevaluated_products_stay_as_they_are():
    for expression in (sympy.Mul(2, x + t, evaluate=False), sympy.factor(x**2 - 1), sympy.Pow(2, 3, evaluate=False)):
        assert sympy.srepr(again(expression)) == sympy.srepr(expression)


def test_a_name_that_is_no_word_gets_a_function_that_is():
    column = sympy.Symbol("price [EUR]", real=True)
    unknown = sympy.Function("xi_1_price [EUR]")(t, column)
    kept = again(Formula(sympy.Function("tau_1")(t), (unknown,), sympy.Integer(0), "numerical", 0.0))
    assert str(kept.tau) == "tau_1(t)"
    assert str(kept.xi[0]) == "xi_1_price__EUR_(t, price [EUR])"


def test_kept_integrals():
    integral = sympy.Integral(sympy.exp(x**2) / sympy.sqrt(1 + x**4), (x, 0, t))
    assert difference(2 * integral + t, again(2 * integral + t)) is None


def test_every_class_that_is_listed_is_there():
    assert not [name for name in HOMES if stored_class(name) is None]


def test_networks_answer_as_before():
    """Weights are JAX arrays before and NumPy arrays after; what they compute is the same."""
    jax = pytest.importorskip("jax")
    from liestonet.neural.networks import make_networks

    jax.config.update("jax_enable_x64", True)
    networks = make_networks(jax.random.key(0), 2, 1, ((4,), (5,), (5,)), "tanh", True, False)
    points = jax.numpy.linspace(0, 1, 6).reshape(3, 2), jax.numpy.ones((3, 1, 1))
    values = [np.asarray(made(*points).values) for made in (networks, again(networks))]
    assert np.array_equal(values[0], values[1])
