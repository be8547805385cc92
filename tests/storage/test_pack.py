"""Packing and unpacking of anything a result may hold, over drawn values: bit-equal and of the same type."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from liestonet.core.flags import Flag
from liestonet.core.ladder import LadderRow
from liestonet.errors import InputError
from liestonet.formulas.formula import Formula
from liestonet.storage.container import read_container, write_container
from liestonet.storage.pack import pack
from liestonet.storage.registry import HOMES, stored_class
from liestonet.storage.unpack import unpack
from storage_cases import difference

texts = st.text(st.characters(exclude_categories=["C", "Z"]), max_size=20)
floats = st.floats(allow_nan=True, allow_infinity=True)
flags = st.builds(Flag, texts, texts, texts)
rows = st.builds(LadderRow, floats, floats, floats, floats, floats, texts)
plain = st.one_of(st.none(), st.booleans(), st.integers(-(2**62), 2**62), floats, texts, flags, rows)
keys = st.one_of(texts, st.tuples(st.integers(0, 9), st.integers(0, 9)))


def containers(inner: st.SearchStrategy) -> st.SearchStrategy:
    """These, or a list, tuple or dictionary of some."""
    some = st.lists(inner, max_size=3)
    return st.one_of(inner, some, some.map(tuple), st.dictionaries(keys, inner, max_size=3))


nested = containers(containers(containers(plain)))
dtypes = st.sampled_from(["<f8", ">f8", "<f4", "<i8", ">i4", "|b1", "|u1"])
arrays = dtypes.flatmap(lambda dtype: hnp.arrays(np.dtype(dtype), hnp.array_shapes(min_dims=0, min_side=0, max_side=5)))
views = st.sampled_from([lambda a: a, lambda a: a.T, lambda a: a[..., ::-1] if a.ndim else a, np.asfortranarray])
x, t = sympy.symbols("x t", real=True)


def level(parts: st.SearchStrategy) -> st.SearchStrategy:
    """Sums, products and powers of these, evaluated or not. Nothing is divided by what may be zero."""
    pairs, few = st.tuples(parts, parts), st.lists(parts, min_size=2, max_size=3)
    return st.one_of(
        few.map(lambda some: sympy.Add(*some)),
        few.map(lambda some: sympy.Mul(*some)),
        st.tuples(parts, st.sampled_from([2, sympy.Rational(1, 2)])).map(lambda pair: sympy.Pow(*pair)),
        pairs.map(lambda pair: 2 * sympy.Add(*pair, evaluate=False)),
        pairs.map(lambda pair: sympy.Mul(2, sympy.Add(*pair), evaluate=False)),
    )


def applied(parts: st.SearchStrategy) -> st.SearchStrategy:
    """Functions of these. Nothing grows like exp(exp(99.)), a number that fills the memory: the rate is a symbol."""
    return st.one_of(
        parts.map(sympy.sin),
        parts.map(lambda part: sympy.exp(rate * part)),
        parts.map(lambda part: sympy.log(sympy.Abs(part) + 1)),
    )


# By construction at most four levels deep, no number beyond exp(1000)^8, no infinity and nothing undefined.
rate = sympy.Symbol("rate", real=True)
symbols = st.sampled_from([x, t, sympy.Symbol("k", positive=True), sympy.Symbol("free")])
signs = st.sampled_from([1, -1])
fractions = st.tuples(st.integers(1, 50), st.integers(1, 40), signs).map(lambda f: sympy.Rational(f[0] * f[2], f[1]))
decimals = st.tuples(st.floats(1e-3, 1e3), signs, st.sampled_from([4, 15])).map(
    lambda f: sympy.Float(f[0] * f[1], f[2])
)
leaves = st.one_of(symbols, st.sampled_from([sympy.pi, sympy.E, sympy.I]), fractions, decimals)
simple = st.one_of(
    leaves,
    leaves.map(sympy.exp),
    leaves.map(lambda leaf: 1 / leaf),
    st.tuples(leaves, symbols).map(lambda pair: 1 / (pair[0] + 2 * pair[1])),
)
middle = st.one_of(simple, level(simple), applied(simple))
formulas = st.one_of(middle, level(middle), applied(middle))


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
    held = read_container(path)
    first, second, third = unpack(held.content, held.arrays, "The file 'run.lsn'")
    assert first is second
    native = shown.astype(shown.dtype.newbyteorder("="))
    for found in (first, third):
        assert found.dtype == native.dtype
        assert found.shape == shown.shape
        assert np.array_equal(found, native, equal_nan=native.dtype.kind == "f")
        assert not found.flags.writeable


@given(formulas)
def test_expressions(expression):
    assert difference(expression, again(expression)) is None


def test_parts_of_complex_numbers():
    """What |exp(z)| and its like become where nothing says that z is real."""
    z = sympy.Symbol("z")
    parts = [sympy.log(sympy.Abs(sympy.exp(z)) + 1), sympy.im(z), sympy.arg(z), sympy.conjugate(z) * z]
    assert parts[0].has(sympy.re)
    for expression in parts:
        assert difference(expression, again(expression)) is None


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        (sympy.exp(sympy.exp(sympy.Float(99))), "Float of a formula: not a decimal number, or out of range"),
        (sympy.Integer(7) ** 10_000, "Integer of a formula: not a whole number, or it has too many digits"),
        (sympy.Float(1, 9_000), "Float of a formula: a decimal number has too many digits"),
        (sympy.Symbol("a" * 300), "Symbol of a formula: a symbol has no name, or one too long"),
    ],
    ids=["exponent", "integer", "precision", "name"],
)
def test_what_could_not_be_read_is_not_written(expression, words):
    with pytest.raises(InputError, match=words):
        pack(x + expression)


def test_what_is_too_deep_to_be_read_is_not_written():
    deep = x
    for _ in range(80):
        deep = sympy.sin(deep + 1)
    with pytest.raises(InputError, match="an expression is too large"):
        pack(deep)


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
    from liestonet.neural.generator_networks import make_networks
    from liestonet.neural.settings import Architecture
    from neural_cases import at_once

    jax.config.update("jax_enable_x64", True)
    networks = make_networks(jax.random.key(0), Architecture((4,), (5,), (5,)), 2, 1, False)
    points = np.linspace(0, 1, 6).reshape(3, 2), np.ones((3, 1, 1))
    values = [
        np.asarray(at_once(lambda made, *where: made(*where).values, made, *points))
        for made in (networks, again(networks))
    ]
    assert np.array_equal(values[0], values[1])
