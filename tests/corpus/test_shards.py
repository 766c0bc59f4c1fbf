"""Shards hold every line of every file exactly once, in order, whoever parses them."""

import gzip
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discoseq.corpus import shards as shards_module
from discoseq.corpus.remote_files import CorpusFile, open_content
from discoseq.corpus.shards import CorpusFormat, Shard, count_files, make_shards
from discoseq.errors import TreebankError

pyarrow = pytest.importorskip("pyarrow", reason="the extra ray is not installed")


def shards_of(folder: Path, texts: list[bytes], longest: int) -> list[Shard]:
    files = []
    for number, text in enumerate(texts):
        path = folder / f"{number}.txt"
        path.write_bytes(text)
        files.append(CorpusFile(path.name, str(path)))
    return make_shards(count_files(files, None, longest), longest)


def lines_of(shard: Shard) -> list[bytes]:
    found = []
    for piece in shard.pieces:
        with open_content(piece.url) as stream:
            stream.seek(piece.start)
            found += [stream.readline() for _ in range(piece.line_count)]
    return found


LINES = st.lists(st.sampled_from([b"", b"a", b"a b", b"long line"]), max_size=12)
TEXTS = st.lists(
    st.builds(lambda lines, end: b"\n".join(lines) + end, LINES, st.sampled_from([b"", b"\n"])), max_size=4
)


@given(texts=TEXTS, longest=st.integers(1, 5), block=st.integers(1, 9))
def test_every_line_is_in_one_shard_in_order(
    texts: list[bytes], longest: int, block: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("texts")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shards_module, "_BLOCK", block)  # lines may end anywhere in a block
        shards = shards_of(folder, texts, longest)
    assert [line for shard in shards for line in lines_of(shard)] == [
        line for text in texts for line in text.splitlines(keepends=True)
    ]
    assert [shard.number for shard in shards] == list(range(len(shards)))
    assert all(0 < shard.line_count <= longest for shard in shards)
    for before, after in pairwise(shards):
        assert before.line_count + after.pieces[0].line_count > longest  # no shard could have had one more piece


def test_pieces_know_their_lines(tmp_path: Path) -> None:
    shards = shards_of(tmp_path, [b"a\nb\nc\n", b"d\n", b"e"], 2)
    places = [[(x.file, x.first_line, x.line_count) for x in shard.pieces] for shard in shards]
    assert places == [[("0.txt", 1, 2)], [("0.txt", 3, 1), ("1.txt", 1, 1)], [("2.txt", 1, 1)]]
    assert [shard.name for shard in shards] == ["part-000000", "part-000001", "part-000002"]


def test_gzipped_text_is_cut_like_plain_text(tmp_path: Path) -> None:
    text = b"".join(b"line %d\n" % number for number in range(100))
    (plain,) = count_files([write(tmp_path / "x.txt", text)], None, 7)
    (packed,) = count_files([write(tmp_path / "x.txt.gz", gzip.compress(text))], None, 7)
    assert (packed.starts, packed.checksum, packed.line_count) == (plain.starts, plain.checksum, plain.line_count)
    assert plain.line_count == 100
    lines = [line for shard in make_shards([packed], 7) for line in lines_of(shard)]
    assert lines == text.splitlines(keepends=True)


@pytest.mark.parametrize(
    ("name", "format"),
    [
        ("a.txt", "text"),
        ("a", "text"),
        ("a.jsonl", "json"),
        ("a.ndjson.gz", "json"),
        ("a.json", "json"),
    ],
)
def test_the_suffix_says_the_format(tmp_path: Path, name: str, format: str) -> None:
    (found,) = count_files([write(tmp_path / name, b"x\n")], None, 10)
    assert found.format == format
    (forced,) = count_files([write(tmp_path / name, b"x\n")], CorpusFormat.TEXT, 10)
    assert forced.format == "text"


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("x.txt", "Anna\n".encode("utf-16"), "this text is not UTF-8 but UTF-16 or UTF-32; convert it first"),
        ("x.txt.gz", gzip.compress(b"Anna\n", mtime=0)[:-9], "the gzip data is broken"),
        ("x.parquet", b"Anna\n", "this is no Parquet file"),
    ],
)
def test_a_file_that_can_not_be_counted_is_one_sentence(tmp_path: Path, name: str, content: bytes, reason: str) -> None:
    with pytest.raises(TreebankError) as caught:
        count_files([write(tmp_path / name, content)], None, 10)
    assert str(caught.value).startswith(f"{tmp_path / name}: {reason}")


def test_a_parquet_file_needs_a_column_of_sentences(tmp_path: Path) -> None:
    from pyarrow import parquet

    parquet.write_table(pyarrow.table({"other": ["Anna"]}), tmp_path / "x.parquet")
    with pytest.raises(TreebankError, match="neither a column text nor a column words"):
        count_files([CorpusFile("x.parquet", str(tmp_path / "x.parquet"))], None, 10)


def write(path: Path, content: bytes) -> CorpusFile:
    path.write_bytes(content)
    return CorpusFile(path.name, str(path))
