"""Options that can't be are refused in one sentence."""

from typing import Any

import pytest

from discoseq.errors import DiscoseqError, SearchError
from discoseq.search.beam import SearchOptions


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"beam_size": 0}, "beam size must be at least 1, not 0"),
        ({"beam_size": 4, "nbest": 5}, "from 1 to the beam size, which is 4, not 5"),
        ({"nbest": 0}, "not 0"),
        ({"beam_size": 4, "nbest": 3, "required": 4}, "from 1 to n-best trees, 3, can be required, not 4"),
        ({"required": 0}, "not 0"),
        ({"score": "median"}, "sum, mean, joint, not 'median'"),
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
