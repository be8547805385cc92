"""How much is shown: every number that decides what a reader sees, once. They were chosen by looking at the output."""

from __future__ import annotations

# Characters of an equation that is repeated in a sentence, and of one that has a line of its own.
LONGEST_EQUATION, LONGEST_EQUATION_LINE = 60, 800
# Characters of an equation in a line of the catalogue's table, beside the longest name and three numbers.
LONGEST_CATALOGUE_EQUATION = 31
# Columns of a table of commutators at a terminal, whose lines have 80.
WIDEST_TABLE = 76
# Generators of which a table of commutators is shown; of more, those that do not vanish are listed.
LARGEST_TABLE = 10
# Generators, commutators and other lines of one kind at a terminal and in a notebook, and on the page.
MOST_LINES, MOST_LINES_ON_PAGE = 20, 80
# Directions with one verdict, above which only the first and the last few are shown, and how many these are.
MOST_DIRECTIONS, DIRECTIONS_AT_AN_END = 16, 3
# Directions in the picture of the ladder.
MOST_DIRECTIONS_DRAWN = 72
# Groups in the picture of ladders.
MOST_LADDERS = 30
# Components of a generator that has no closed form.
MOST_COMPONENTS = 4
# Variables whose values are named where first terms are expanded.
MOST_VALUES_NAMED = 4
# Terms below this part of a direction that is no symmetry are left out: it is not known better.
LEAST_TERM_OF_CANDIDATE = 0.03
# Generators with pictures of their own; more would make the page heavy and say little more.
MOST_PICTURED = 6
# Coordinates whose drift and diffusion are drawn.
MOST_COORDINATES_DRAWN = 3
# Coordinates, paths, points of a line and bars in the picture of a recording, and its dots an inch.
MOST_ROWS_OF_A_PICTURE, MOST_PATHS_DRAWN, MOST_POINTS_OF_A_LINE, MOST_BINS, DOTS_OF_A_PICTURE = 12, 40, 4000, 80, 150
# Residuals below this are rounding errors.
ROUNDING = 1e-16
# Digits of a percentage, and of the ends of an interval so narrow that fewer would make them equal.
PERCENTAGE_DIGITS, MOST_PERCENTAGE_DIGITS = 2, 4
# Residuals above this say only that the data do not bound them.
LARGEST_PERCENTAGE = 100.0
# Operations in a generator that is put into words, and in an integrand on the way: SymPy would think for long.
LONGEST_EXPLAINED, LONGEST_INTEGRAND = 200, 40
# The largest tolerance that a next command asks for, its thinning, and coordinates of which maps are tried.
LARGEST_TOLERANCE_ASKED, FINEST_THINNING, MOST_MAPPED = 0.5, 5, 4
