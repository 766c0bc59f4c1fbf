"""A Ray cluster of this machine for tests, and what they ask about its processes and the trees that it made."""

import os
import shutil
import signal
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

from discoseq.treebanks.files import read_trees
from discoseq.trees.tree import Tree
from parser.trained import example_trees, trained

LONGEST_WAIT = 240.0  # seconds; no test needs them unless it fails or the machine is very busy


@contextmanager
def short_folder() -> Iterator[Path]:
    """A folder with a short name, for the sockets of Ray; pytest's own have long ones."""
    folder = Path(tempfile.mkdtemp(prefix="ray-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def write_words(path: Path, count: int) -> list[tuple[str, ...]]:
    """So many lines of words, of twenty sentences in turn; what they are."""
    known = [tree.words for tree in example_trees()]
    sentences = [known[number % len(known)] for number in range(count)]
    path.write_text("".join(" ".join(words) + "\n" for words in sentences), encoding="utf-8")
    return sentences


@cache
def trees_of_one_process() -> dict[tuple[str, ...], Tree]:
    """By the words."""
    known = [tree.words for tree in example_trees()]
    return dict(zip(known, trained().parse_all(known, 1), strict=True))


def check_trees(out: Path, text: Path, sentences: list[tuple[str, ...]]) -> None:
    """Every sentence once, in order within and over the shards, with the tree that one process finds."""
    trees = [tree for path in sorted((out / "trees").iterdir()) for tree in read_trees(path)]
    assert [tree.words for tree in trees] == sentences
    assert [(tree.comment or "").partition(" id=")[2] for tree in trees] == [
        f"{text}:{number}" for number in range(1, len(sentences) + 1)
    ]
    known = trees_of_one_process()
    assert all(tree == known[tree.words] for tree in trees)
    assert partial_files(out) == []


def partial_files(out: Path) -> list[Path]:
    return list(out.rglob(".*"))


def finished_shards(out: Path) -> dict[str, tuple[int, int]]:
    """The shards that have a record, with what identifies the files of their trees."""
    names = [path.stem for path in (out / "done").glob("part-*.json")]
    stats = {name: (out / "trees" / f"{name}.discbracket").stat() for name in names}
    return {name: (stat.st_ino, stat.st_mtime_ns) for name, stat in stats.items()}


class WorkerKiller(threading.Thread):
    """Kills the first worker that has written a part of its shard, once."""

    def __init__(self, out: Path) -> None:
        super().__init__(daemon=True)
        self.out = out
        self.killed: str | None = None  # the shard that it was at

    def run(self) -> None:
        deadline = time.monotonic() + LONGEST_WAIT
        while time.monotonic() < deadline and self.killed is None:
            for path in (self.out / "trees").glob(".part-*.partial"):
                # .part-000001.discbracket.PROCESS.TOKEN.partial
                shard, process = path.name.split(".")[1], int(path.name.split(".")[3])
                with suppress(FileNotFoundError):  # it has just become complete
                    if path.stat().st_size:
                        os.kill(process, signal.SIGKILL)
                        self.killed = shard
                        return
            time.sleep(0.005)


def processes_with(text: str) -> list[int]:
    """The processes whose command line has this text in it, such as the folder of a cluster."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command = path.read_bytes()
        except OSError:  # it has ended
            continue
        if text.encode() in command:
            found.append(int(path.parent.name))
    return [process for process in found if process != os.getpid()]


def wait_until_gone(text: str) -> list[int]:
    """The processes that are still there when there should be none."""
    deadline = time.monotonic() + 30
    while (found := processes_with(text)) and time.monotonic() < deadline:
        time.sleep(0.1)
    return found
