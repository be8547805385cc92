"""Strategies for valid names and units of tables, without rejection."""

from __future__ import annotations

from hypothesis import strategies as st

# Printable, no blank, no bracket: a bracket may begin a unit. Names that have one are listed.
_letters = st.characters(codec="utf-8", exclude_categories=["C", "Z"], exclude_characters="[]()")
_words = st.text(_letters, min_size=1, max_size=3)
_plain = st.one_of(_words, st.tuples(_words, _words).map(" ".join))
names = st.one_of(
    _plain.map(lambda name: "t_" if name == "t" else name),  # t is the time
    st.sampled_from(["x[0]", "x (2)", "f(x)", "[um]", "(x", "x]", "a,b", 'say "x"', "T", "x'"]),
)
units = _plain.map(lambda unit: f"{unit}m" if unit.isdigit() else unit)  # a number in brackets is an index
