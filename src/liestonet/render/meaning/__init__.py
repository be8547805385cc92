"""What a result means, in the words of those who made the recording: generators, algebra, and what is absent."""

from liestonet.render.meaning.meaning import Meaning, Said, meaning_of

__all__ = ["Meaning", "Said", "meaning_of"]
