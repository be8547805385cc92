"""Displays of a result: in a terminal, as LaTeX, in a notebook and as a web page."""
