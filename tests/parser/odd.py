"""Sentences that are hard on formats and tokenizers; each as words and, where it can be typed, as raw text."""

ODD_WORDS: list[list[str]] = [
    ["Anna"],
    ["\U0001f600", "\U0001f469\u200d\U0001f680"],
    ["10\u00a0000", "\u00a0", "\u200b", "zero\u200bwidth", "\ufeff"],
    ["</s>", "<s>", "<pad>", "<unknown>", "&amp;", '"', "'"],
    ["=", "(", ")", "0=(", "1=)", "[", "]", "{", "}"],
    ["#BOS", "#EOS", "#500", "%%", "%", "--", "#", "#LRB#", "#U+0020#"],
    ["-LRB-", "-NONE-", "*T*-1", "\\", "/", "a=b=c"],
    ["日本語", "العربية", "e\u0301", "\u0301"],
    ["x" * 5000],
]
LONG = ["Ben", "found", "a", "book", "."] * 100

ODD_TEXTS = [
    "Anna",
    "Anna found \U0001f600 \U0001f469\u200d\U0001f680.",
    "a\u00a0b\u200bc \ufeffd\u2009e",
    "</s> = ( ) 0=( #BOS %% #500 -- #EOS",
    '"Anna" said: ‘no’ — “yes” … \'t',
    "x" * 5000,
    "tab\tand\x0bvertical\x0cfeed \x00 \x1b[0m",
]
