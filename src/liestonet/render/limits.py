"""Limits on how much is shown, each in one place. They were chosen by hand, for readable output."""

from __future__ import annotations

# Characters of an equation that is repeated in a sentence, and of one that has a line of its own.
LONGEST_EQUATION, LONGEST_EQUATION_LINE = 60, 800
# Characters of an equation in a line of the catalogue's table, beside the longest name and three numbers.
LONGEST_CATALOGUE_EQUATION = 31
# Width in characters of a table of commutators in a terminal, whose lines have 80.
WIDEST_TABLE = 76
# Number of generators up to which a table of commutators is shown; for more, nonzero commutators are listed.
LARGEST_TABLE = 10
# Generators, commutators and other lines of one kind in a terminal or notebook, and on the page.
MOST_LINES, MOST_LINES_ON_PAGE = 20, 80
# Directions with one verdict above which only the first and the last are shown, and the number of these.
MOST_DIRECTIONS, DIRECTIONS_AT_AN_END = 16, 3
# Directions in the picture of the ladder.
MOST_DIRECTIONS_DRAWN = 72
# Groups in the picture of ladders.
MOST_LADDERS = 30
# Components of a generator that has no closed form.
MOST_COMPONENTS = 4
# Variables whose values are named where first terms are expanded.
MOST_VALUES_NAMED = 4
# Terms below this fraction of a direction that is not a symmetry are left out: its error is about as large.
LEAST_TERM_OF_CANDIDATE = 0.03
# Number of generators with pictures; more would make the page large.
MOST_PICTURED = 6
# Coordinates whose drift and diffusion are drawn.
MOST_COORDINATES_DRAWN = 3
# Coordinates, paths, points of a line and bars in the picture of a recording, and its dots per inch.
MOST_ROWS_OF_A_PICTURE, MOST_PATHS_DRAWN, MOST_POINTS_OF_A_LINE, MOST_BINS, DOTS_OF_A_PICTURE = 12, 40, 4000, 80, 150
# Residuals below this are rounding errors.
ROUNDING = 1e-16
# Digits of a percentage, and of the ends of an interval so narrow that fewer would make them equal.
PERCENTAGE_DIGITS, MOST_PERCENTAGE_DIGITS = 2, 4
# Residuals above this are shown as a bound only: the data do not determine them.
LARGEST_PERCENTAGE = 100.0
# Operations in a generator that is described in words, and in an integrand for this: SymPy is slow on longer ones.
LONGEST_EXPLAINED, LONGEST_INTEGRAND = 200, 40
# The largest tolerance and the largest thinning in a suggested command, and coordinates up to which it tests maps.
LARGEST_TOLERANCE_ASKED, FINEST_THINNING, MOST_MAPPED = 0.5, 5, 4
