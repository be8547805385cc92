"""Assigns files, or rows of them, to groups, by a part of the file names or by a column."""

from __future__ import annotations

import glob
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from liestonet.errors import InputError
from liestonet.groups.conditions import in_order
from liestonet.trajectories.file_lists import files_of
from liestonet.trajectories.readers import READERS

FIELD = re.compile(r"\{([^\W\d]\w*)\}")


@dataclass(frozen=True)
class Part:
    """One group: its label, its files, and the column that contains the label if files hold several groups."""

    label: str
    files: tuple[Path, ...]
    column: str | None = None


@dataclass(frozen=True)
class Split:
    """All groups in order, and the name of the condition that distinguishes them."""

    by: str
    parts: tuple[Part, ...]


def split_files(given: Any, by: str | Any, reading: Mapping[str, Any] | None = None) -> Split:
    """The groups of files given by name, as a list or by patterns.

    `by` is a pattern for file names with a part in braces, such as "run_{condition}_*.csv"; or the name of a part in
    braces of the files' own pattern; or a name that file names give a value, such as T in "T=300/a.csv"; else a column.
    """
    if not isinstance(by, str) or not by.strip():
        raise InputError("by must be the name of a column or of a part of the file names.")
    patterns = _patterns(given)
    braced = [pattern for pattern in patterns if FIELD.search(pattern)]
    files = [file for pattern in patterns for file in _matched(pattern)]
    files = list(dict.fromkeys(files))
    if FIELD.search(by):
        return _by_template(files, [by])
    if braced:
        return _by_template(files, braced, by)
    named = {file: _stated(file, by) for file in files}
    stated = {file: value for file, value in named.items() if value is not None}
    if len(stated) == len(files):
        return _split(by, stated)
    if stated:
        silent = next(file for file in files if file not in stated)
        raise InputError(
            f"The name of {next(iter(stated)).as_posix()!r} says what {by} is, but that of {silent.as_posix()!r} does "
            "not; leave the file out, or name it like the others."
        )
    return _by_column(files, by, reading or {})


def _patterns(given: Any) -> list[str]:
    if isinstance(given, str | Path):
        return [str(given)]
    if isinstance(given, Iterable):
        found = [str(one) for one in given]
        if found:
            return found
    raise InputError("Give the files of the groups: a pattern such as 'runs/*.csv', or a list of files.")


def _matched(pattern: str) -> list[Path]:
    """The files that match one pattern, in order; a plain name is one file."""
    plain = FIELD.sub("*", pattern)
    if plain == pattern and Path(pattern).exists():
        found = [Path(pattern)]
    elif glob.has_magic(plain):
        found = [Path(name) for name in sorted(glob.glob(plain, recursive=True))]
    else:
        raise InputError(f"There is no file {pattern!r}; check the name.")
    inside = [file for place in found for file in (files_of(place, tuple(READERS)) if place.is_dir() else [place])]
    if not inside:
        raise InputError(f"No file matches {pattern!r}; check the folder and the pattern.")
    return inside


def _by_template(files: Sequence[Path], templates: Sequence[str], wanted: str | None = None) -> Split:
    """Groups by the part of each file's path that matches {name}."""
    names = {name for template in templates for name in FIELD.findall(template)}
    if wanted is None and len(names) > 1:
        raise InputError(
            f"The pattern {templates[0]!r} has several parts in braces; keep the one that names the group."
        )
    name = wanted or next(iter(names))
    if name not in names:
        listed = " and ".join(f"{{{n}}}" for n in sorted(names))
        raise InputError(f"There is no {{{name}}} in the pattern of the files, which has {listed}; name one of these.")
    patterns = [_expression(template, name) for template in templates]
    values = {}
    for file in files:
        match = next((m for pattern in patterns if (m := pattern.search(file.as_posix()))), None)
        if match is None:
            raise InputError(
                f"The name of {file.as_posix()!r} does not match {' or '.join(map(repr, templates))}; leave the file "
                "out or change the pattern."
            )
        values[file] = match["found"]
    return _split(name, values)


def _expression(template: str, name: str) -> re.Pattern[str]:
    """A regular expression for the end of a path; * and ? do not match "/", {name} is not empty."""
    text, position, seen = "", 0, False
    for match in re.finditer(r"\{([^\W\d]\w*)\}|\*\*/|\*|\?", template.replace("\\", "/")):
        text += re.escape(template[position : match.start()])
        if match[1] == name:
            text += "(?P=found)" if seen else "(?P<found>[^/]+?)"
            seen = True
        else:
            text += {"**/": "(?:.*/)?", "*": "[^/]*", "?": "[^/]"}.get(match[0], "[^/]+?")
        position = match.end()
    return re.compile(r"(?:^|/)" + text.removeprefix(re.escape("./")) + re.escape(template[position:]) + "$")


def _stated(file: Path, name: str) -> str | None:
    """The value of `name=value` in a folder's or the file's name."""
    for part in (*file.parts[:-1], Path(file.name.removesuffix(".gz")).stem):
        match = re.search(rf"(?:^|[_,; -]){re.escape(name)}=([^_,; ]+)", part)
        if match is not None:
            return match[1]
    return None


def _by_column(files: Sequence[Path], column: str, reading: Mapping[str, Any]) -> Split:
    from liestonet.trajectories.row_groups import values_in

    found: dict[str, list[Path]] = {}
    for file in files:
        for value in values_in(file, column, reading):
            found.setdefault(value, []).append(file)
    return Split(column, tuple(Part(label, tuple(found[label]), column) for label in _several(column, found)))


def _split(by: str, values: Mapping[Path, str]) -> Split:
    groups: dict[str, list[Path]] = {}
    for file, value in values.items():
        groups.setdefault(value, []).append(file)
    return Split(by, tuple(Part(label, tuple(groups[label])) for label in _several(by, groups)))


def _several(by: str, groups: Mapping[str, Any]) -> list[str]:
    if len(groups) < 2:
        raise InputError(
            f"There is one group only, {by} = {next(iter(groups))}; a comparison needs two, and discover without by "
            "takes the files of one."
        )
    return in_order(groups)
