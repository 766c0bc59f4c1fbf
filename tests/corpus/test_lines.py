"""Lines of text, JSON and Parquet are the same sentences; what can't be parsed has its place and a reason."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from discoseq.corpus.lines import LONGEST_LINE, BadLine, CorpusSentence, LineReader
from discoseq.corpus.remote_files import find_files
from discoseq.corpus.shards import count_files, make_shards
from discoseq.errors import TreebankError
from discoseq.text.tokenization import language_named, tokenize

pyarrow = pytest.importorskip("pyarrow", reason="the extra ray is not installed")

TEXTS = ["Ben can't sleep.", "He left.", "Did (she)?", "No.", "It's 10\u00a0000 €."]


def read(path: Path, shard_lines: int = 2, longest: int = 500, **options: bool) -> list[CorpusSentence | BadLine]:
    files = count_files(find_files([str(path)]), None, shard_lines)
    reader = LineReader(language_named("en"), options.get("is_tokenized", False), longest)
    return [line for shard in make_shards(files, shard_lines) for line in reader.read(shard)]


def write_text(path: Path, texts: list[str]) -> None:
    path.write_text("\r\n".join(texts), encoding="utf-8-sig", newline="")


def write_gzipped(path: Path, texts: list[str]) -> None:
    path.write_bytes(gzip.compress("".join(f"{text}\n" for text in texts).encode()))


def write_json(path: Path, texts: list[str]) -> None:
    path.write_text("".join(json.dumps({"text": text, "more": 1}) + "\n" for text in texts))


def write_parquet(path: Path, texts: list[str]) -> None:
    from pyarrow import parquet

    parquet.write_table(pyarrow.table({"more": [1] * len(texts), "text": texts}), path, row_group_size=3)


WRITERS: dict[str, Callable[[Path, list[str]], None]] = {
    "x.txt": write_text,
    "x.txt.gz": write_gzipped,
    "x.jsonl": write_json,
    "x.parquet": write_parquet,
}


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("shard_lines", [1, 2, 4, 100])
def test_every_format_has_the_same_sentences(tmp_path: Path, name: str, shard_lines: int) -> None:
    path = tmp_path / name
    WRITERS[name](path, TEXTS)
    assert read(path, shard_lines) == [
        CorpusSentence(f"{path}:{number}", str(path), number, tuple(word.text for word in tokenize(text, "en")))
        for number, text in enumerate(TEXTS, 1)
    ]


def test_words_of_tokenized_text_are_between_spaces_and_tabs(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("can't  (a)\t10\u00a0000 \n", encoding="utf-8")
    (sentence,) = read(tmp_path / "x.txt", is_tokenized=True)
    assert isinstance(sentence, CorpusSentence)
    assert sentence.words == ("can't", "(a)", "10\u00a0000")


@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_words_and_ids_are_taken_as_they_are(tmp_path: Path, suffix: str) -> None:
    from pyarrow import parquet

    path = tmp_path / f"x.{suffix}"
    rows = [{"id": "s7", "words": ["New York", "("], "text": None}, {"id": None, "words": None, "text": "He left."}]
    if suffix == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in [*rows, {"id": 9, "words": ["a"]}]))
    else:
        parquet.write_table(pyarrow.Table.from_pylist([*rows, {"id": "9", "words": ["a"]}]), path)
    sentences = read(path)
    assert all(isinstance(sentence, CorpusSentence) for sentence in sentences)
    assert [(x.id, x.words) for x in sentences if isinstance(x, CorpusSentence)] == [
        ("s7", ("New York", "(")),
        (f"{path}:2", ("He", "left", ".")),
        ("9", ("a",)),
    ]


BAD_TEXT = {
    b"caf\xe9": "byte 4 of the line is not UTF-8",
    b"": "the sentence has no words",
    b" \t": "the sentence has no words",
    b"a b c d": "the sentence has 4 words, and at most 3 are parsed",
    b"x" * (LONGEST_LINE + 5): f"the line has more than {LONGEST_LINE:,} bytes",
    b"x " * (2 * LONGEST_LINE): f"the line has more than {LONGEST_LINE:,} bytes",
}
BAD_JSON = {
    b"{": "not valid JSON (expecting property name enclosed in double quotes at column 2)",
    b'["a"]': "the JSON is not an object, {...}",
    b"[" * 100_000: "the JSON is too deep",
    b"{}": "there is neither a text nor a list of words",
    b'{"text": 7}': "there is neither a text nor a list of words",
    b'{"words": "a b"}': "words is not a list of strings that are not empty",
    b'{"words": ["a", ""]}': "words is not a list of strings that are not empty",
    b'{"words": []}': "the sentence has no words",
    b'{"words": ["a"], "id": [1]}': "the id is neither a string nor a number",
    b'{"words": ["\\ud800"]}': "there is half a surrogate pair, which no file can hold",
    b'{"words": ["a"], "id": "\\udfff"}': "there is half a surrogate pair, which no file can hold",
}


@pytest.mark.parametrize(("name", "bad"), [("x.txt", BAD_TEXT), ("x.jsonl", BAD_JSON)])
def test_a_bad_line_has_a_place_and_a_reason_and_the_next_one_is_read(
    tmp_path: Path, name: str, bad: dict[bytes, str]
) -> None:
    good = b"a b" if name == "x.txt" else b'{"text": "a b"}'
    path = tmp_path / name
    path.write_bytes(b"".join(line + b"\n" + good + b"\n" for line in bad))
    lines = read(path, longest=3)
    assert [(x.file, x.line, x.reason) for x in lines if isinstance(x, BadLine)] == [
        (str(path), 2 * number + 1, reason) for number, reason in enumerate(bad.values())
    ]
    assert [x.line for x in lines if isinstance(x, CorpusSentence)] == [2 * number + 2 for number in range(len(bad))]
    assert all(len(x.text) <= 201 for x in lines if isinstance(x, BadLine))
    assert [x.line for x in lines if isinstance(x, BadLine) and x.is_too_long] == ([7] if name == "x.txt" else [])


def test_rows_without_words_are_bad(tmp_path: Path) -> None:
    from pyarrow import parquet

    parquet.write_table(pyarrow.table({"text": ["He left.", None, ""]}), tmp_path / "x.parquet")
    assert [x.reason if isinstance(x, BadLine) else "" for x in read(tmp_path / "x.parquet")] == [
        "",
        "there is neither a text nor a list of words",
        "the sentence has no words",
    ]


@pytest.mark.parametrize("name", ["x.txt", "x.parquet"])
def test_a_file_that_shrinks_while_it_is_read_is_an_error(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    WRITERS[name](path, TEXTS)
    (shard,) = make_shards(count_files(find_files([str(path)]), None, 10), 10)
    WRITERS[name](path, TEXTS[:3])
    with pytest.raises(TreebankError, match="has become shorter since its lines were counted"):
        list(LineReader(language_named("en"), False, 500).read(shard))
