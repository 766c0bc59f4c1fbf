"""A shard becomes a file of trees, a file of bad lines and a record; the folder says what it was begun with."""

import json
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import discoseq
from discoseq.corpus.manifest import CorpusFolder, CorpusOptions, check_places, counts_of, describe_run
from discoseq.corpus.parse_shard import ShardParser, WorkerSetup
from discoseq.corpus.remote_files import absolute_url, find_files, sizes_in, write_json_file
from discoseq.corpus.shard_output import TreeFormat
from discoseq.corpus.shards import CountedFile, Shard, count_files, make_shards
from discoseq.errors import DiscoseqError, ParserError, TreebankError
from discoseq.model.model_files import model_fingerprint
from discoseq.treebanks.files import read_trees
from discoseq.trees.tree import Tree
from parser.trained import example_trees, trained, trained_directory

pyarrow = pytest.importorskip("pyarrow", reason="the extra ray is not installed")

SETTINGS = [
    {"to_format": TreeFormat.JSON},
    {"beam_size": 2},
    {"language": "nl"},
    {"is_tokenized": False},
    {"longest": 7},
    {"shard_lines": 9},
]


@cache
def usual() -> CorpusOptions:
    return CorpusOptions((str(trained_directory()),), beam_size=1, is_tokenized=True, shard_lines=8)


@cache
def fingerprints() -> tuple[str, ...]:
    return (model_fingerprint(trained_directory()),)


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "words.txt"
    path.write_text("".join(" ".join(tree.words) + "\n" for tree in example_trees()), encoding="utf-8")
    return path


def begin(out: str, text: Path, options: CorpusOptions | None = None) -> tuple[CorpusFolder, list[Shard]]:
    options = options or usual()
    folder = CorpusFolder(absolute_url(out), options.to_format)
    files = counted(text, options)
    folder.begin(describe_run(options, fingerprints(), files), options.models)
    return folder, make_shards(files, options.shard_lines)


def counted(text: Path, options: CorpusOptions | None = None) -> list[CountedFile]:
    options = options or usual()
    return count_files(find_files([str(text)]), options.from_format, options.shard_lines)


def worker(folder: CorpusFolder, options: CorpusOptions | None = None) -> ShardParser:
    return ShardParser(WorkerSetup(options or usual(), folder, fingerprints(), discoseq.__version__))


def parsed() -> list[Tree]:
    return list(trained().parse_all([tree.words for tree in example_trees()], 1))


@pytest.mark.parametrize("format", TreeFormat)
def test_all_formats_have_the_trees_of_one_process(tmp_path: Path, text: Path, format: TreeFormat) -> None:
    options = replace(usual(), to_format=format)
    folder, shards = begin(str(tmp_path / "out"), text, options)
    records = [worker(folder, options).parse(shard) for shard in shards]
    assert [record.sentence_count for record in records] == [8, 8, 4]
    files = sorted((tmp_path / "out" / "trees").iterdir())
    assert [str(path.relative_to(tmp_path / "out")) for path in files] == [record.file for record in records]
    if format is TreeFormat.PARQUET:
        from pyarrow import parquet

        rows = parquet.read_table(tmp_path / "out" / "trees").to_pylist()
        trees = [Tree.fromstring(row["tree"]) for row in rows]
        ids = [row["id"] for row in rows]
        assert [tuple(row["words"]) for row in rows] == [tree.words for tree in trees]
        assert [row["tags"] for row in rows] == [[token.tag for token in tree.tokens] for tree in trees]
        assert [(row["file"], row["line"]) for row in rows] == [(str(text), i) for i in range(1, 21)]
        assert all(row["log_probability"] < 0 for row in rows)
    else:
        trees = [tree for path in files for tree in read_trees(path)]
        ids = [
            str(tree.id if format is TreeFormat.JSON else (tree.comment or "").partition(" id=")[2]) for tree in trees
        ]
    assert trees == parsed()
    assert ids == [f"{text}:{number}" for number in range(1, 21)]
    if format is TreeFormat.JSON:
        row = json.loads(files[1].read_text().splitlines()[0])
        assert (row["file"], row["number"]) == (str(text), 9)
        assert row["log_probability"] < 0
    if format is TreeFormat.DISCBRACKET:
        assert str(next(read_trees(files[0])).comment).startswith("log_probability=-")


def test_bad_lines_are_counted_and_listed_beside_the_trees(tmp_path: Path) -> None:
    text = tmp_path / "x.txt"
    text.write_bytes(b"Anna slept .\n\xff\n\n" + b"a " * 8 + b"\nBen slept .\n")
    options = replace(usual(), longest=7, shard_lines=4)
    folder, shards = begin(str(tmp_path / "out"), text, options)
    first, second = (worker(folder, options).parse(shard) for shard in shards)
    assert (first.line_count, first.sentence_count, first.bad_count, first.too_long_count) == (4, 1, 2, 1)
    assert (second.line_count, second.sentence_count, second.bad_count) == (1, 1, 0)
    assert first.word_count == 3
    assert counts_of([first, second]).sentence_count == 2
    assert list(sizes_in(f"{folder.url}/bad")) == ["part-000000.jsonl"]
    lines = [json.loads(line) for line in Path(folder.bad(shards[0])).read_text(encoding="utf-8").splitlines()]
    assert [(line["file"], line["line"], line["text"]) for line in lines] == [
        (str(text), 2, "\ufffd"),
        (str(text), 3, ""),
        (str(text), 4, "a " * 8),
    ]
    assert lines[2]["reason"] == "the sentence has 8 words, and at most 7 are parsed"


def test_a_shard_of_a_url_is_parsed_as_one_on_disk(tmp_path: Path, text: Path) -> None:
    import fsspec

    memory = fsspec.filesystem("memory")
    memory.pipe_file("/in/words.txt", text.read_bytes())
    try:
        files = count_files(find_files(["memory://in/*.txt"]), None, 8)
        folder = CorpusFolder("memory://out", TreeFormat.DISCBRACKET)
        folder.begin(describe_run(usual(), fingerprints(), files), usual().models)
        shards = make_shards(files, 8)
        records = [worker(folder).parse(shard) for shard in shards]
        folder.complete(describe_run(usual(), fingerprints(), files), usual().models, records)
        on_disk, disk_shards = begin(str(tmp_path / "out"), text)
        for shard, disk_shard in zip(shards, disk_shards, strict=True):
            worker(on_disk).parse(disk_shard)
            lines = memory.cat_file(folder.trees(shard)).decode().splitlines()
            disk_lines = Path(on_disk.trees(disk_shard)).read_text(encoding="utf-8").splitlines()
            assert [line.partition(" id=")[0] for line in lines] == [line.partition(" id=")[0] for line in disk_lines]
        assert set(folder.finished(shards)) == {0, 1, 2}
        assert json.loads(memory.cat_file("/out/manifest.json"))["counts"]["sentence_count"] == 20
        assert not [name for name in memory.find("/out") if name.endswith(".partial")]
    finally:
        memory.store.clear()


def test_a_finished_shard_is_not_parsed_again_unless_its_trees_have_changed(tmp_path: Path, text: Path) -> None:
    folder, (shard, *_) = begin(str(tmp_path / "out"), text)
    record = worker(folder).parse(shard)
    trees = Path(folder.trees(shard))
    before = trees.stat()
    assert worker(folder).parse(shard) == record
    assert (trees.stat().st_ino, trees.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    content = trees.read_bytes()
    trees.write_bytes(content[:-5])
    assert folder.finished([shard]) == {}
    assert worker(folder).parse(shard).checksum == record.checksum
    assert trees.read_bytes() == content


def test_a_shard_that_kills_its_workers_is_given_up(tmp_path: Path, text: Path) -> None:
    folder, (shard, *_) = begin(str(tmp_path / "out"), text)
    write_json_file(folder.started(shard), {"attempts": 4})  # as four workers have left it that were killed
    with pytest.raises(ParserError) as caught:
        worker(folder).parse(shard)
    assert str(caught.value).startswith(
        f"workers were killed 4 times while they parsed shard 0 ({text}, from line 1); they may have run out of memory"
    )
    folder.clean()  # the next command begins anew
    assert worker(folder).parse(shard).sentence_count == 8
    assert sizes_in(f"{folder.url}/started") == {}


@contextmanager
def files_limited_to(size: int) -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("format", TreeFormat)
def test_trees_that_do_not_fit_on_the_disk_are_one_sentence_and_leave_nothing(
    tmp_path: Path, text: Path, format: TreeFormat
) -> None:
    options = replace(usual(), to_format=format)
    folder, (shard, *_) = begin(str(tmp_path / "out"), text, options)
    with pytest.raises(DiscoseqError) as caught, files_limited_to(300):
        worker(folder, options).parse(shard)
    assert str(caught.value) == f"{folder.trees(shard)}: file too large"
    assert sizes_in(f"{folder.url}/trees") == sizes_in(f"{folder.url}/done") == {}


@pytest.mark.parametrize("changed", SETTINGS, ids=lambda changed: next(iter(changed)))
def test_other_options_are_refused(tmp_path: Path, text: Path, changed: dict[str, Any]) -> None:
    begin(str(tmp_path / "out"), text)
    begin(str(tmp_path / "out"), text)  # the same ones are not
    with pytest.raises(
        TreebankError, match=r"out/manifest.json: these trees were begun by a command that differs in --"
    ):
        begin(str(tmp_path / "out"), text, replace(usual(), **changed))


def test_what_differs_is_named(tmp_path: Path, text: Path) -> None:
    folder, _ = begin(str(tmp_path / "out"), text)

    def difference(fingerprint: str | None = None, options: CorpusOptions | None = None) -> str:
        with pytest.raises(TreebankError) as caught:
            folder.begin(describe_run(options or usual(), [fingerprint or fingerprints()[0]], counted(text)), [])
        found = caught.value.reason.removeprefix("these trees were begun by a command that differs in ")
        return found.removesuffix("; repeat that command to go on with it, or name another folder")

    assert difference(options=replace(usual(), beam_size=3, longest=9)) == "--beam (there 1), --longest (there 500)"
    assert difference("other") == "the models"
    text.write_text("other text\n")
    assert difference() == "the input"


def test_another_version_is_refused(tmp_path: Path, text: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begin(str(tmp_path / "out"), text)
    monkeypatch.setattr(discoseq, "__version__", "0.0.1", raising=False)
    with pytest.raises(TreebankError, match=r"differs in the version of discoseq \(there "):
        begin(str(tmp_path / "out"), text)


def test_a_worker_with_other_models_or_another_version_is_refused(tmp_path: Path, text: Path) -> None:
    folder, (shard, *_) = begin(str(tmp_path / "out"), text)
    setup = WorkerSetup(usual(), folder, fingerprints(), discoseq.__version__)
    with pytest.raises(ParserError, match="a worker has other models of the names"):
        ShardParser(replace(setup, fingerprints=("other",))).parse(shard)
    with pytest.raises(ParserError, match=r"a worker has discoseq .*, not 0\.0\.1; install the same"):
        ShardParser(replace(setup, version="0.0.1")).parse(shard)


def test_a_folder_with_other_files_is_refused(tmp_path: Path, text: Path) -> None:
    with pytest.raises(TreebankError, match=r"this folder has other files in it \(words.txt\); name a new one"):
        begin(str(tmp_path), text)


def test_trees_are_not_written_where_files_are_read(tmp_path: Path, text: Path) -> None:
    for out, read in [(tmp_path, text), (tmp_path / "out", tmp_path), (tmp_path, tmp_path)]:
        with pytest.raises(TreebankError, match="the trees can't be written to a folder that is read"):
            check_places(str(out), [str(read)], counted(text))
    check_places(str(tmp_path / "out"), [str(text)], counted(text))
