import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discoseq.errors import ActionError, LinearizationError
from discoseq.linearizations.actions import (
    BRACKETS,
    FINISH,
    PAD,
    REDUCE,
    SHIFT,
    SWAP,
    Action,
    non_terminal,
    reduce,
    shift,
    swap,
)

TOKENS = {
    "<pad>": PAD,
    "SH": SHIFT,
    "SH#2": shift(2),
    "SW": SWAP,
    "SW#3": swap(3),
    "NT-VP": non_terminal("VP"),
    "RE": REDUCE,
    "RE-VP": reduce("VP"),
    "RE#3-VP": reduce("VP", 3),
    "RE#3-": reduce("", 3),
    "FI": FINISH,
}


@pytest.mark.parametrize("token", TOKENS)
def test_tokens_are_spelled_as_in_the_figures(token: str) -> None:
    assert str(TOKENS[token]) == token
    assert Action.parse(token) == TOKENS[token]
    assert repr(TOKENS[token]) == f"Action({token!r})"


@given(label=st.text())
def test_any_label_survives_in_a_token_without_white_space(label: str) -> None:
    for action in (non_terminal(label), reduce(label), reduce(label, 12)):
        assert str(action).split() == [str(action)]
        assert Action.parse(str(action)) == action
    for action in (non_terminal(label), reduce(label)):
        token = BRACKETS.write(action)
        assert token.split() == [token]
        assert BRACKETS.read(token) == action


@pytest.mark.parametrize("token", ["", "S", "sh", "SH#", "SH#x", "SH#-1", "SH#01", "NTX", "RE#-X", "XX", "FI "])
def test_a_token_that_is_not_an_action_is_refused(token: str) -> None:
    with pytest.raises(LinearizationError, match="is not an action"):
        Action.parse(token)


def test_a_label_may_look_like_a_count() -> None:
    assert Action.parse("NT-#2-X") == non_terminal("#2-X")
    assert Action.parse("RE-") == reduce("")


def test_an_error_survives_pickling() -> None:
    error = pickle.loads(pickle.dumps(ActionError(3, "SW", "why")))
    assert (error.position, str(error)) == (3, "action 3 (SW): why")
