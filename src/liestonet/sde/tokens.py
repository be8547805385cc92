"""From the text of a formula to tokens, without the blanks and brackets that people leave out.

Only known characters are accepted; any other is an error that names its place.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from liestonet.errors import InputError

MAX_CHARACTERS, MAX_TOKENS, MAX_DIGITS, MAX_NAME, MAX_EXPONENT = 20_000, 2_000, 120, 40, 100

NOISE = re.compile(r"d([WB])([0-9]*)")
SINGLE = {sign: sign for sign in "+-*/^()=,;√∘"}
SINGLE |= (
    {"\n": "newline", "\r": "newline"} | dict.fromkeys("−–", "-") | dict.fromkeys("·⋅∙×", "*") | {"÷": "/", "◦": "∘"}
)
SUPERSCRIPTS = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+")
PLAIN_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
# X_t is X, and x_1 is x1; with braces, as in LaTeX, also x_{1,t}.
INDEX = re.compile(r"_(?:t|([0-9]+)|\{(?:t|([0-9]+)(?:,t)?|t,([0-9]+))\})(?!\w)|ₜ")
# dW^1 and dW^(2) are numbered noises if dW^1 is among them; dW^2 alone may be meant as a square.
UPPER_INDEX = re.compile(r"\^\{?\(?([0-9]+)\)?\}?(?![^\W_])|([¹²³⁴⁵⁶⁷⁸⁹][⁰¹²³⁴⁵⁶⁷⁸⁹]*)")
FIRST_UPPER = re.compile(r"d[WB](?:_t|_\{t\}|ₜ)?(?:\^[{(]*1(?![0-9.])|¹(?![⁰¹²³⁴⁵⁶⁷⁸⁹]))")
_OPERATORS = frozenset("+-*/^=∘")
NUMBER = re.compile(r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
ADVICE = {
    "_": "names are letters and digits, with at most an index as in x_1 and X_t",
    "\\": "LaTeX commands are not read, so write sigma or σ, and (1/2) for a fraction",
    "$": "write the equation without dollar signs",
    "#": "comments are not read",
    "%": "write 0.5 for 50%",
    "<": "conditions are not read",
    ">": "conditions are not read",
    ".": "attributes are not part of a formula, and a decimal point needs a digit beside it",
    "'": "a formula holds no strings, and a derivative is written dx = ... dt",
    '"': "a formula holds no strings",
    "|": "write abs(x) for |x|",
    ":": "a parameter is given as k = 1.5",
} | dict.fromkeys("[]{}", "only round brackets group terms")


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of text: `kind` is number, name, newline or the operator; `spaced` if a blank stands before."""

    kind: str
    text: str
    start: int
    end: int
    spaced: bool = False

    @property
    def place(self) -> str:
        """The place of the token in the text, for messages."""
        return f"at character {self.start + 1}"


def is_differential(name: str) -> bool:
    """Whether a name is dt or that of a noise: dW, dW1, dB, dB2."""
    return name == "dt" or NOISE.fullmatch(name) is not None


def quote(text: str) -> str:
    """The text on one short line, without control characters, for messages."""
    line = "".join(c if c.isprintable() else "?" for c in " ".join(text.split()))
    return f"'{line}'" if len(line) <= 60 else f"'{line[:57]}...'"


def suggestion(name: str, known: Iterable[str]) -> str:
    """A clause that names the nearest known word; empty if none is near."""
    close = difflib.get_close_matches(name, sorted(set(known)), n=1, cutoff=0.6)
    return f"; did you mean {close[0]}?" if close else ""


def tokenise(text: str) -> list[Token]:
    """Cut a text into tokens; newlines inside brackets or beside an operator only continue the line."""
    if len(text) > MAX_CHARACTERS:
        raise InputError(f"The text has {len(text)} characters; the limit is {MAX_CHARACTERS}, so shorten it.")
    tokens: list[Token] = []
    position, spaced = 0, False
    while position < len(text):
        character = text[position]
        if character.isspace() and character not in "\n\r":
            position, spaced = position + 1, True
            continue
        new = _next_tokens(text, position, spaced, tokens[-1] if tokens else None)
        tokens.extend(new)
        if len(tokens) > MAX_TOKENS:
            raise InputError(f"The text has more than {MAX_TOKENS} words, numbers and signs; shorten it.")
        position, spaced = new[-1].end, False
    return _join_lines(tokens)


def _next_tokens(text: str, at: int, spaced: bool, previous: Token | None) -> list[Token]:
    """The token that starts here; a superscript becomes a bracketed exponent, hence several."""
    character = text[at]
    if text.startswith("**", at):
        return [Token("^", "**", at, at + 2, spaced)]
    if character in SINGLE:
        return [Token(SINGLE[character], character, at, at + 1, spaced)]
    if match := NUMBER.match(text, at):
        # x.5 would otherwise read as x times a half.
        if character == "." and previous is not None and previous.kind == "name" and not spaced:
            raise _unexpected(text, at)
        return [Token("number", match.group(), at, match.end(), spaced)]
    if match := SUPERSCRIPTS.match(text, at):
        return _exponent(match.group(), at)
    if unicodedata.category(character) == "No" and (value := unicodedata.numeric(character, 2.0)) < 1:
        return [Token("number", str(Fraction(value).limit_denominator(10)), at, at + 1, spaced)]
    if _is_letter(character):
        return [_name(text, at, spaced)]
    raise _unexpected(text, at)


def _unexpected(text: str, at: int) -> InputError:
    advice = ADVICE.get(text[at], "a formula is made of names, numbers, + - * / ^ and round brackets")
    return InputError(f"Unexpected {text[at]!r} at character {at + 1}, near {near(text, at)}: {advice}.")


def _exponent(superscripts: str, at: int) -> list[Token]:
    digits = superscripts.translate(PLAIN_DIGITS)
    if not re.fullmatch(r"-?[0-9]+", digits):
        raise InputError(f"Unreadable exponent {quote(superscripts)} at character {at + 1}; write ^2.")
    pieces = ["^", "(", *(["-"] if digits[0] == "-" else []), digits.lstrip("-"), ")"]
    end = at + len(superscripts)
    return [Token("number" if piece.isdigit() else piece, piece, at, end) for piece in pieces]


def _is_letter(character: str) -> bool:
    """Whether a character is a letter of a name; modifier letters are not: xⁿ is not the name xn."""
    return character.isalpha() and unicodedata.category(character) != "Lm"


def _name(text: str, at: int, spaced: bool) -> Token:
    """A name: letters and digits, with indices joined, without the index t and leading zeros of noise numbers."""
    end = at
    while end < len(text) and (_is_letter(text[end]) or text[end] in "0123456789₀₁₂₃₄₅₆₇₈₉"):
        end += 1
    if end - at > MAX_NAME:
        raise InputError(f"The name {quote(text[at:end])} is longer than {MAX_NAME} letters; shorten it.")
    name = unicodedata.normalize("NFKC", text[at:end])
    name, end = _indexed(name, text, end)
    if noise := NOISE.fullmatch(name):
        if len(noise[2]) > 6:
            raise InputError(f"The noise {quote(name)} has too large a number; number the noises from 1.")
        name = f"d{noise[1]}{int(noise[2]) if noise[2] else ''}"
    if not name.isalnum():
        raise _unexpected(text, at)
    return Token("name", "pi" if name == "π" else name, at, end, spaced)


def _indexed(name: str, text: str, end: int) -> tuple[str, int]:
    """The name with the indices that follow it in the text, and where they end: dW_1, dW^1_t, dW_t^1, X_t."""
    name, end = _numbered(name, text, end)
    if index := INDEX.match(text, end):
        number = index[1] or index[2] or index[3] or ""
        if number and name[-1:].isdigit():  # x1_2 is neither x12 nor x1 times 2
            raise _unexpected(text, end)
        name, end = _numbered(name + number, text, index.end())
    return name, end


def _numbered(name: str, text: str, end: int) -> tuple[str, int]:
    """A noise with its upper index, if there is one."""
    upper = UPPER_INDEX.match(text, end) if name in ("dW", "dB") and FIRST_UPPER.search(text) else None
    return (name + (upper[1] or upper[2].translate(PLAIN_DIGITS)), upper.end()) if upper else (name, end)


def plain_name(text: str) -> str:
    """A name given beside an equation, spelt as the equation's own names are: sigma1 for sigma_1 and σ₁."""
    name = unicodedata.normalize("NFKC", unicodedata.normalize("NFC", text))
    match = re.fullmatch(r"([^\W_]+)_\{?(?:t|([0-9]+))\}?", name)
    return match[1] + (match[2] or "") if match else name


def near(text: str, at: int) -> str:
    """The text around a place."""
    return quote(text[max(0, at - 12) : at + 13])


def _join_lines(tokens: Sequence[Token]) -> list[Token]:
    """Drop the newlines that do not end a statement: inside brackets, beside an operator, or doubled."""
    kept: list[Token] = []
    depth = 0
    for token in tokens:
        depth += (token.kind == "(") - (token.kind == ")")
        if token.kind == "newline" and (depth > 0 or not kept or kept[-1].kind in ("newline", *_OPERATORS)):
            continue
        if token.kind in _OPERATORS and kept and kept[-1].kind == "newline":
            kept.pop()
        kept.append(token)
    return kept


def exact_number(text: str) -> Fraction:
    """A literal as an exact fraction; too large or small ones are refused before a power of ten is computed."""
    mantissa, _, exponent = text.replace("E", "e").partition("e")
    size = 0 if not exponent else int(exponent) if len(exponent) <= 5 else 10**6
    if len(mantissa) > MAX_DIGITS or abs(size) > MAX_EXPONENT:
        raise InputError(f"The number {quote(text)} is too long, or not between 1e-100 and 1e100; change it.")
    return Fraction(mantissa.rstrip(".") if "/" not in mantissa else mantissa) * Fraction(10) ** size
