"""Where a page or a picture can be written to; apart from what draws them, which loads matplotlib."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from liestonet.errors import InputError

PICTURES = (".png", ".svg", ".pdf")
NO_ROOM = {errno.ENOSPC, errno.EDQUOT}  # what the operating system says of a full disk


def check_page(path: object) -> Path:
    """Refuse a place that cannot be written to, or a name that no browser would open."""
    if not isinstance(path, str | os.PathLike):
        raise InputError(f"A report needs the name of a file, such as 'report.html', not a {type(path).__name__}.")
    target = Path(path)
    if target.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"A report is a web page; name it with .html, not {target.name!r}.")
    return _check_place(target, "report", "report.html")


def check_picture(path: Path) -> Path:
    """Refuse a place that cannot be written to, or a name that says no kind of picture."""
    if path.suffix.lower() not in PICTURES:
        raise InputError(f"A picture is written as {', '.join(PICTURES)}; name it so, not {path.name!r}.")
    return _check_place(path, "picture", "look.png")


def _check_place(target: Path, what: str, example: str) -> Path:
    if not target.absolute().parent.is_dir():
        raise InputError(f"There is no folder {str(target.parent)!r} to write the {what} to; make it first.")
    if target.is_dir():
        raise InputError(f"{str(target)!r} is a folder; name a file in it, such as {example!r}.")
    return target
