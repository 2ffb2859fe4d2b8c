"""Vectors of texts by the words in them: texts with common words are near each other."""

import math
import re
from hashlib import sha256

DIMENSIONS = 256
UNSPECIFIC = set(
    (
        "a an and are at be by do does for from has have how i in is it my of on or that the there to was we what "
        "when where which who why will with you your"
    ).split()
)


async def embed(texts: list[str]) -> list[list[float]]:
    return [vector_of(text) for text in texts]


def vector_of(text: str) -> list[float]:
    vector = [0.0] * DIMENSIONS
    for word in words_of(text):
        digest = sha256(word.encode()).digest()
        vector[digest[0] % DIMENSIONS] += 1 if digest[1] % 2 else -1
    length = math.hypot(*vector)
    return [one / length for one in vector] if length else vector


def words_of(text: str) -> list[str]:
    """The words without endings of the plural and of verbs, so that "opens" finds "open"."""
    words = [word for word in re.findall(r"\w+", text.lower()) if word not in UNSPECIFIC]
    return [re.sub(r"(?:ing|ed|es|s)$", "", word) if len(word) > 3 else word for word in words]
