"""Sections of flags, of the data, and of how to reproduce the result."""

from __future__ import annotations

from liestonet.render.html.markup import Section, render
from liestonet.render.view import ResultView
from liestonet.result import Result


def flags(view: ResultView, _: Result) -> Section | None:
    """Every flag with its advice."""
    return Section("Flags", render("flags.html", flags=view.flags)) if view.flags else None


def data(view: ResultView, _: Result) -> Section | None:
    """The summary of the data and their hash."""
    rows = view.source.data
    return Section("Data", render("data.html", rows=rows, digest=view.source.digest)) if rows else None


def making(view: ResultView, _: Result) -> Section | None:
    """Method, settings, versions, seed, and the command that reproduces the result."""
    html = render("making.html", command=view.command, rows=view.making)
    return Section("How it was computed", html)


def levels(view: ResultView, _: Result) -> Section | None:
    """Symmetries of the law, the gauge, and the likelihood of the symmetries."""
    said = view.source.levels
    return Section("Law and likelihood", render("levels.html", sentences=said)) if said else None
