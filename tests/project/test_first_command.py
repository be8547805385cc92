"""The page of first commands has every kind of file, and its files are read in at most two commands."""

from __future__ import annotations

import re
from pathlib import Path

from lab_files import SECOND, kinds

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "first_command.md").read_text(encoding="utf-8")


def test_every_kind_of_file_has_a_section():
    sections = re.split(r"^## ", PAGE, flags=re.M)[1:]
    assert len(sections) == len(kinds()) >= 16
    for name, section in zip(kinds(), sections, strict=True):
        commands = re.findall(r"^\$ liestonet discover (\S+)", section, re.M)
        assert commands == [name] * (2 if name in SECOND else 1)
        assert "Read: " in section
        assert "Internal error" not in section
        assert len(re.findall(r"^- (?!Read: |The file says)", section, re.M)) <= 3


def test_the_question_holds_the_command_that_follows():
    for name, words in SECOND.items():
        asked = f"liestonet discover {name} --no-formulas --quiet {words[0]}"
        assert f"`{asked} " in PAGE
        assert f"$ {asked} {words[1]}" in PAGE
