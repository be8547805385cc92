"""The one error that wrong input ends in: a sentence that says what, where and what to do."""

from __future__ import annotations

from dataclasses import dataclass


class InputError(ValueError):
    """Wrong input, found before anything ran. The command line prints it and exits with 2."""


@dataclass(frozen=True)
class Answer:
    """What settles a question: a keyword of Python, the same as an option of the command line, and what it means."""

    keyword: str
    option: tuple[str, ...]
    meaning: str = ""


class UndecidedError(InputError):
    """Input that can be read in several ways; the answers say how to choose one of them."""

    def __init__(self, problem: str, *answers: Answer, ending: str = "") -> None:
        self.problem, self.answers, self.ending = problem, answers, ending
        listed = ", or ".join(
            f"{answer.keyword}{f' ({answer.meaning})' if answer.meaning else ''}" for answer in answers
        )
        super().__init__(f"{problem}; give {listed}.{f' {ending}' if ending else ''}")
