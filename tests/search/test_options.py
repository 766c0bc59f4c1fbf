"""Options that can't be are refused in one sentence."""

from typing import Any

import pytest

from discoseq.errors import DiscoseqError, SearchError
from discoseq.search.options import SearchOptions


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"beam_size": 0}, "a beam of 0 holds nothing"),
        ({"beam_size": 4, "nbest": 5}, "1 to 4 hypotheses, not 5"),
        ({"nbest": 0}, "not 0"),
        ({"score": "median"}, "no score 'median'"),
        ({"prune": 0.0}, "must be above 0"),
        ({"prune": -3.0}, "must be above 0"),
        ({"prune": float("nan")}, "must be above 0"),
        ({"prune": float("inf")}, "None for no pruning"),
    ],
)
def test_a_choice_that_can_not_be_is_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(SearchError, match=message) as caught:
        SearchOptions(**options)
    assert isinstance(caught.value, DiscoseqError)
    assert "\n" not in str(caught.value)
