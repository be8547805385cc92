"""The one error that wrong input ends in: a sentence that says what, where and what to do."""


class InputError(ValueError):
    """Wrong input, found before anything ran. The command line prints it and exits with 2."""
