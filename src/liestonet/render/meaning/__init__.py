"""The meaning of a result for users: of its generators, its algebra, and of symmetries that are absent."""

from liestonet.render.meaning.meaning import Meaning, Said, meaning_of

__all__ = ["Meaning", "Said", "meaning_of"]
