"""A result for people: at a terminal, as LaTeX, in a notebook and as a page."""
