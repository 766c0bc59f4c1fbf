"""From a finite verb to its base form, which stands after `do` (en_questions.py)."""

from __future__ import annotations

_PAIRS = """
    ate:eat became:become began:begin bought:buy broke:break brought:bring built:build came:come caught:catch
    chose:choose did:do does:do drew:draw drove:drive fell:fall felt:feel forgot:forget found:find gave:give goes:go
    got:get grew:grow had:have has:have heard:hear held:hold hid:hide kept:keep knew:know led:lead left:leave lost:lose
    made:make meant:mean met:meet paid:pay put:put ran:run read:read rose:rise said:say sat:sit saw:see sent:send
    set:set sold:sell spent:spend spoke:speak stood:stand taught:teach thought:think told:tell took:take went:go
    won:win wore:wear wrote:write
"""
_IRREGULAR = dict(pair.split(":") for pair in _PAIRS.split())
_ENDINGS = {"VBD": (("ied", "y"), ("ed", ""), ("d", "")), "VBZ": (("ies", "y"), ("es", ""), ("s", ""))}


def base_form(word: str, tag: str, base_forms: frozenset[str]) -> str | None:
    """The base form of a lower-case verb, which must be irregular or one of those that a treebank has."""
    if tag == "VBP":
        return word if word in base_forms else None
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    candidates = [word.removesuffix(end) + base for end, base in _ENDINGS.get(tag, ()) if word.endswith(end)]
    if tag == "VBD" and len(word) > 5 and word[-4] == word[-3]:
        candidates.append(word[:-3])  # planned
    return next((form for form in candidates if form in base_forms), None)
