"""Reading and searching a treebank that a client sent, in a process of its own.

Files and queries of strangers can take any time and memory: a regular expression may never end, and would keep all
threads of the server waiting. A process can be killed. `python -m discoseq.web.treebank_reader` gets a line of JSON and
then the file on standard input, and writes JSON. It opens no file, and it imports little, because it is started for
every request.
"""

from __future__ import annotations

import gzip
import io
import json
import sys
from dataclasses import asdict, dataclass
from typing import Any

from discoseq.errors import DiscoseqError, TreebankError
from discoseq.treebanks.files import guess_format, read_source
from discoseq.treebanks.query.tree_query import TreeQuery
from discoseq.treebanks.streams import GZIP_MAGIC, bytes_source, errors_named
from discoseq.trees.notation import one_line
from discoseq.trees.tree import Tree

MOST_MEMORY = 2 << 30  # bytes


@dataclass(frozen=True, slots=True)
class Task:
    """What to do with the file."""

    name: str  # the client's name for it: it is part of messages, and its suffix says the format if nothing else does
    format: str | None
    query: str | None
    most_bytes: int  # decompressed
    most_sentences: int
    seconds: int  # of the processor's time


class TooLargeError(TreebankError):
    """The file is larger than the server allows."""


def main() -> None:
    """Do the task on standard input."""
    stream = sys.stdin.buffer
    task = Task(**json.loads(stream.readline()))
    _limit_resources(task.seconds)
    try:
        answer: dict[str, Any] = read_treebank(task, stream.read())
    except TooLargeError as error:
        answer = {"status": 413, "detail": str(error)}
    except DiscoseqError as error:
        answer = {"status": 422, "detail": str(error)}
    except MemoryError:
        answer = {"status": 413, "detail": f"{task.name}: reading this takes more memory than the server allows"}
    sys.stdout.buffer.write(json.dumps(answer, ensure_ascii=True).encode())


def header(task: Task) -> bytes:
    """What stands before the file on standard input."""
    return json.dumps(asdict(task)).encode() + b"\n"


def read_treebank(task: Task, data: bytes) -> dict[str, Any]:
    """The trees of a file, or those that a query finds, as the route answers them."""
    query = TreeQuery(task.query) if task.query else None
    with errors_named(task.name):
        source = bytes_source(task.name, _decompressed(task, data))
        name = task.format or guess_format(source).name
        trees: list[dict[str, Any]] = []
        count = 0
        for count, tree in enumerate(read_source(source, name), 1):
            if count > task.most_sentences:
                raise TooLargeError(f"the file has more than {task.most_sentences:,} sentences, which is the limit")
            hits = None if query is None else _hits(query, tree)
            if hits is None or hits["matches"] or hits["matched_words"]:
                trees.append(_entry(count, tree) | (hits or {"matches": None, "matched_words": None}))
    return {"name": task.name, "format": name, "count": count, "matched": len(trees), "trees": trees}


def _decompressed(task: Task, data: bytes) -> bytes:
    if data.startswith(GZIP_MAGIC):
        data = gzip.GzipFile(fileobj=io.BytesIO(data)).read(task.most_bytes + 1)
        if data.startswith(GZIP_MAGIC):
            raise TreebankError("the file is gzipped twice")
    if len(data) > task.most_bytes:
        raise TooLargeError(f"the file has more than {task.most_bytes:,} bytes, which is the limit")
    return data


def _entry(number: int, tree: Tree) -> dict[str, Any]:
    return {
        "number": number,
        "id": tree.id,
        "words": tree.words,
        "discbracket": one_line(tree, is_indexed=True),
        "labels": list(dict.fromkeys(constituent.label for constituent in tree.root.walk())),
        "gap_degree": tree.gap_degree,
        "is_discontinuous": tree.is_discontinuous,
    }


def _hits(query: TreeQuery, tree: Tree) -> dict[str, Any]:
    """The constituents that a query finds, by number, and the words that it finds themselves or by their tags."""
    numbers = {id(constituent): number for number, constituent in enumerate(tree.root.walk())}
    nodes = [hit.node for hit in query.find(tree)]
    return {
        "matches": [numbers[id(node.constituent)] for node in nodes if node.constituent is not None],
        "matched_words": sorted({node.token for node in nodes if node.token is not None}),
    }


def _limit_resources(seconds: int) -> None:
    """The server kills the process in time, unless it has been killed itself."""
    try:
        import resource
    except ImportError:  # Windows
        return
    for kind, most in ((resource.RLIMIT_AS, MOST_MEMORY), (resource.RLIMIT_CPU, seconds)):
        resource.setrlimit(kind, (most, most))


if __name__ == "__main__":
    main()
