from typing import NamedTuple


class Country(NamedTuple):
    name: str
    capital: str
    people: int


COUNTRIES = [
    Country("France", "Paris", 68),
    Country("Japan", "Tokyo", 124),
    Country("Kenya", "Nairobi", 55),
    Country("Norway", "Oslo", 6),
    Country("Peru", "Lima", 34),
    Country("Portugal", "Lisbon", 11),
]


def find_facts(question: str) -> list[str]:
    """What the researcher looks up; a search engine or a database goes here."""
    asked = question.lower()
    return [
        f"{name}: {capital}, {people} million people"
        for name, capital, people in COUNTRIES
        if name.lower() in asked
    ]
