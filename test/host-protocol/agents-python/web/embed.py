def embed(texts):
    """The length, the number of vowels, and a constant."""
    return [[len(text), sum(letter in "aeiou" for letter in text), 1] for text in texts]
