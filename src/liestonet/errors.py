"""The error for wrong input: its message says what is wrong, where, and what to do."""

from __future__ import annotations

from dataclasses import dataclass


class InputError(ValueError):
    """Wrong input, detected before any computation. The command line prints the message and exits with 2."""


@dataclass(frozen=True)
class Answer:
    """One answer to a question about input: a keyword of Python, the option of the command line, and their meaning."""

    keyword: str
    option: tuple[str, ...]
    meaning: str = ""


class UndecidedError(InputError):
    """Input that can be read in several ways; each answer chooses one of them."""

    def __init__(self, problem: str, *answers: Answer, ending: str = "") -> None:
        self.problem, self.answers, self.ending = problem, answers, ending
        listed = ", or ".join(
            f"{answer.keyword}{f' ({answer.meaning})' if answer.meaning else ''}" for answer in answers
        )
        super().__init__(f"{problem}; give {listed}.{f' {ending}' if ending else ''}")
