"""`discoseq search`: find nodes of trees by a query."""

import json
import shutil
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Annotated, Any

import typer

from discoseq.cli.reading import FORMAT_NAMES, EncodingOption, FromOption, Reading, SkipBadOption, track
from discoseq.treebanks.files import format_of_path, write_trees
from discoseq.treebanks.query.node_table import Kind
from discoseq.treebanks.query.tree_query import Hit, Node, TreeQuery
from discoseq.treebanks.streams import STANDARD_STREAM, atomic_output
from discoseq.trees.draft import Draft
from discoseq.trees.drawing.text import draw_text
from discoseq.trees.tree import Tree


@dataclass(frozen=True, slots=True)
class _Found:
    """A tree with hits, and the file it is from."""

    file: str
    tree: Tree
    hits: list[Hit]


class _Search:
    """The trees with hits, one at a time, and how many there were."""

    def __init__(self, query: TreeQuery, reading: Reading, limit: int | None) -> None:
        self.query = query
        self.reading = reading
        self.limit = limit
        self.trees = 0
        self.trees_with_hits = 0
        self.hits = 0

    def results(self) -> Iterator[_Found]:
        for tree in self.reading.trees():
            self.trees += 1
            left = None if self.limit is None else self.limit - self.hits
            hits = list(islice(self.query.find(tree), left))
            if hits:
                self.trees_with_hits += 1
                self.hits += len(hits)
                yield _Found(self.reading.file, tree, hits)
            if self.hits == self.limit:
                return

    def summary(self) -> str:
        hits = f"{self.hits:,} hit{'' if self.hits == 1 else 's'}"
        return f"{hits} in {self.trees_with_hits:,} of {self.trees:,} tree{'' if self.trees == 1 else 's'}"

    def counts(self) -> dict[str, int]:
        return {"hits": self.hits, "trees_with_hits": self.trees_with_hits, "trees": self.trees}


def search(
    query: Annotated[
        str, typer.Argument(metavar="QUERY", help="A pattern in the language of tgrep; see docs/search-trees.md.")
    ],
    files: Annotated[
        list[str], typer.Argument(metavar="FILES...", help="Treebank files, folders of files, or - for standard input.")
    ],
    counts: Annotated[bool, typer.Option("--count", help="Print only how many hits there are.")] = False,
    draws: Annotated[bool, typer.Option("--draw", help="Draw the trees, with the hits in square brackets.")] = False,
    shows_words: Annotated[
        bool, typer.Option("--words", help="Print the sentences, with the words of the hit in square brackets.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print a JSON object a line for every hit; with --count, one object.")
    ] = False,
    to_format: Annotated[
        str | None,
        typer.Option(
            "--to",
            metavar="FORMAT",
            help=f"Write the trees with hits as a treebank: {FORMAT_NAMES}. Default: by the suffix of the output, "
            "else print the hits.",
        ),
    ] = None,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="A file, or - for standard output.")
    ] = STANDARD_STREAM,
    limit: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Stop after so many hits. Default: find all.")
    ] = None,
    ignores_punctuation: Annotated[
        bool, typer.Option("--ignore-punctuation", help="A gap that holds only punctuation is none.")
    ] = False,
    from_format: FromOption = None,
    encoding: EncodingOption = None,
    skip_bad: SkipBadOption = False,
) -> None:
    """Find phrases, tags and words by labels, words, dominance, precedence and gaps; the language is tgrep's, and more.

    Example: `discoseq search 'NP < DT < /^NN/' wsj.mrg`

    Example: `discoseq search 'VP{discontinuous} <^ NP' tiger.export --draw`

    Example: `discoseq search '*{gap-degree>1}' negra.export --count --encoding latin-1`
    """
    is_treebank = to_format is not None or (output != STANDARD_STREAM and format_of_path(output) is not None)
    if sum([counts, draws, shows_words, is_treebank]) > 1 or (as_json and (draws or shows_words or is_treebank)):
        raise typer.BadParameter("--count, --draw, --words, --json and --to exclude each other, but for --count --json")
    reading = Reading(files, from_format, encoding, skip_bad)
    found = _Search(TreeQuery(query, ignores_punctuation), reading, limit)
    results = found.results() if output == STANDARD_STREAM and not counts else track(found.results(), "searching")
    if is_treebank:
        write_trees((result.tree for result in results), output, to_format)
    else:
        with atomic_output(output) as out:
            if counts:
                for _ in results:
                    pass
                out.write(f"{json.dumps(found.counts()) if as_json else found.summary()}\n")
            for text in _shown(results, as_json, draws, shows_words, _width(output)):
                out.write(text)
    reading.report()
    if not counts:
        print(found.summary(), file=sys.stderr)


def _shown(
    results: Iterable[_Found], as_json: bool, draws: bool, shows_words: bool, width: int | None
) -> Iterator[str]:
    for result in results:
        place = f"{result.file}:{result.tree.id}"
        if draws:
            yield f"# {place}\n{draw_text(_marked(result.tree, result.hits), width=width)}\n\n"
            continue
        for hit in result.hits:
            if as_json:
                yield json.dumps(_hit_json(result.file, hit), ensure_ascii=False) + "\n"
            else:
                yield f"{place}: {_sentence(hit.node) if shows_words else hit.node}\n"


def _width(output: str) -> int | None:
    is_terminal = output == STANDARD_STREAM and sys.stdout.isatty()
    return shutil.get_terminal_size().columns if is_terminal else None


def _marked(tree: Tree, hits: list[Hit]) -> Tree:
    """The tree with the labels, tags and words of the hits in square brackets."""
    draft = Draft.of(tree)
    numbers = {id(constituent): number for number, constituent in enumerate(tree.root.walk())}
    for node in (hit.node for hit in hits):
        if node.constituent is not None:
            number = numbers[id(node.constituent)]
            draft.labels[number] = f"[{draft.labels[number]}]"
        elif node.token is not None:
            token = draft.tokens[node.token]
            change = {"tag": f"[{token.tag}]"} if node.kind is Kind.TAG else {"word": f"[{token.word}]"}
            draft.tokens[node.token] = replace(token, **change)
    return draft.freeze(tree.id, tree.comment)


def _sentence(node: Node) -> str:
    """The words of the sentence, each block of the node in square brackets."""
    covered = set(node.tokens)
    pieces = []
    for i, word in enumerate(node.tree.words):
        opening = "[" if i in covered and i - 1 not in covered else ""
        closing = "]" if i in covered and i + 1 not in covered else ""
        pieces.append(f"{opening}{word}{closing}")
    return " ".join(pieces)


def _hit_json(file: str, hit: Hit) -> dict[str, Any]:
    bound = {name: _node_json(node) for name, node in hit.bound.items()}
    return {"file": file, "id": hit.node.tree.id, **_node_json(hit.node), **({"bound": bound} if bound else {})}


def _node_json(node: Node) -> dict[str, Any]:
    return {
        "kind": node.kind.value,
        "name": node.name,
        "tokens": list(node.tokens),
        "words": list(node.words),
        "gap_degree": node.constituent.gap_degree if node.constituent is not None else 0,
        "tree": str(node),
    }
