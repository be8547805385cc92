"""Checks of the path of a page or picture; separate from the drawing code, which loads matplotlib."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from liestonet.errors import InputError

PICTURES = (".png", ".svg", ".pdf")
NO_ROOM = {errno.ENOSPC, errno.EDQUOT}  # what the operating system says of a full disk


def check_page(path: object) -> Path:
    """The path of a web page, checked: its folder exists and its name ends in .html."""
    if not isinstance(path, str | os.PathLike):
        raise InputError(f"A report needs the name of a file, such as 'report.html', not a {type(path).__name__}.")
    target = Path(path)
    if target.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"A report is a web page; name it with .html, not {target.name!r}.")
    return _check_place(target, "report", "report.html")


def check_picture(path: Path) -> Path:
    """The path of a picture, checked: its folder exists and its name has the ending of a picture format."""
    if path.suffix.lower() not in PICTURES:
        raise InputError(f"A picture is written as {', '.join(PICTURES)}; name it so, not {path.name!r}.")
    return _check_place(path, "picture", "look.png")


def _check_place(target: Path, what: str, example: str) -> Path:
    if not target.absolute().parent.is_dir():
        raise InputError(f"There is no folder {str(target.parent)!r} to write the {what} to; make it first.")
    if target.is_dir():
        raise InputError(f"{str(target)!r} is a folder; name a file in it, such as {example!r}.")
    return target
