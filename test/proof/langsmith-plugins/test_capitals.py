"""Five tests with LangSmith's plugin for pytest, as its users write them."""

import pytest
from langsmith import testing as t

CAPITALS = {"Norway": "Oslo", "Peru": "Lima", "Kenya": "Nairobi", "Chile": "Santiago", "Japan": "Tokyo"}


@pytest.mark.langsmith(output_keys=["capital"], test_suite_name="capitals by pytest")
@pytest.mark.parametrize("country, capital", CAPITALS.items())
def test_capital(country, capital):
    answer = CAPITALS[country]
    t.log_outputs({"capital": answer})
    t.log_feedback(key="correct", score=answer == capital)
    assert answer == capital
