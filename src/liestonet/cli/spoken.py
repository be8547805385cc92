"""Translation of messages: the library names arguments of Python, the command line names options."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

SPOKEN = {
    "domain=[(start, end), (low, high), …], time first, then each coordinate": '--domain "t=0:1, x=-2:2"',
    "boundary= to keep": "--boundary to keep",
    "boundary='reflecting'": "--boundary reflecting",
    "boundary='absorbing'": "--boundary absorbing",
    "domain=(low, high)": "--domain x=LOW:HIGH",
    'clock="recorded"': "--clock recorded",
    "(sort=True)": "(--sort)",
    "give sort=True": "give --sort",
    "(periodic=, --periodic)": "(--periodic)",
    "(state=, --state)": "(--state)",
    "(trajectory=, --trajectory)": "(--trajectory)",
    "(measurement=)": "(--noise, --exposure, --steps)",
    "as in time=": "as in --time ",
    "leave dt or time out": "leave --dt or --time out",
    "leave sort or dt out": "leave --sort or --dt out",
    "leave dt out": "leave --dt out",
    "layout='": "--layout '",
    "leave the names out, and give dt": "leave the names out, and give --dt",
    "as in state=['x']": "as in --state x",
    "out of `periodic`": "out of --periodic",
    "without `periodic`": "without --periodic",
    "2 * math.pi, or 2pi on the command line": "2pi",
    "such as 2 * math.pi for radians": "such as 2pi for radians",
}
# Values of parameters, and an interval, in Python's form.
PATTERNS = (
    (re.compile(r", as in p\(t, x, t0, x0, (\w+)=1\.5\), or use with_parameters"), r" with --param \1=1.5"),
    (re.compile(r"with_parameters\((\w+)=1\.5\)"), r"with --param \1=1.5"),
    (re.compile(r"such as \(0, math\.inf\)"), "such as --domain x=0:inf"),
)
# Keywords of Python with their values, as messages give them.
KEYWORD = re.compile(
    r"\b(state|time|trajectory|dt|layout|decimal|delimiter|exposure|steps|order)=(\[[^\]]*\]|'[^']*'|[\d.e+-]*\d)"
)
# What stands round the words of a list of Python.
LISTED = re.compile(r"['\[\]]|(?<=,) ")
# Kinds of values, by the wording of the option checks.
WANTED = (
    (re.compile(r"valid integer"), "a whole number"),
    (re.compile(r"valid number"), "a number"),
    (re.compile(r"greater than or equal to ([\d.]+)"), r"\1 or more"),
    (re.compile(r"less than or equal to ([\d.]+)"), r"\1 or less"),
)


def spoken(message: str) -> str:
    """A message of the library in the terms of the command line."""
    for here, there in SPOKEN.items():
        message = message.replace(here, there)
    for pattern, option in PATTERNS:
        message = pattern.sub(option, message)
    return " ".join(KEYWORD.sub(_option, message).split())


def _option(found: re.Match[str]) -> str:
    """`state=['x', 'y']` as `--state x,y`."""
    value = LISTED.sub("", found[2])
    return f"--{found[1]} {shlex.quote(value)}"


def usage(problem: Any, words: Sequence[str]) -> str:
    """A sentence that says what is wrong with the arguments of a command."""
    path = problem.ctx.command_path if problem.ctx is not None else "liestonet"
    message = " ".join(problem.format_message().split()).rstrip(".")
    if refused := re.match(r"Invalid value for '(--?[\w-]+)[^']*': (.*)", message):
        message = _refused(refused[1], refused[2], words) or message
    if "unexpected extra argument" in message:
        message += "; several words that belong together, or a pattern of files, need quotes"
    return f"{message} ({path} --help shows how it is called)."


def _refused(option: str, reason: str, words: Sequence[str]) -> str:
    """A sentence on a value that is not a number or is too small; empty for other reasons."""
    wanted = next((found.expand(text) for pattern, text in WANTED if (found := pattern.search(reason))), "")
    given = [after for word, after in pairwise(words) if word == option]
    given += [word.partition("=")[2] for word in words if word.startswith(f"{option}=")]
    return f"{option} must be {wanted}, not {given[-1]!r}" if wanted and given else ""
