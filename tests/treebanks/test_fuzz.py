"""Valid files, cut short and scrambled: what comes out is trees or discoseq's own error, and nothing else."""

import random
from pathlib import Path

import pytest

from discoseq.errors import TreebankError
from discoseq.treebanks.files import FORMATS, format_trees, read_trees
from discoseq.trees.tree import Constituent, SecondaryEdge, Token, Tree

CASES = 500
# what the formats give a meaning to, and what breaks decoders
MORSELS = b'( ) = - -- < > & 0 500 #500 # %% " <node </s> \xff \x00 \xc3\xa9 \xe2\x80\xa8'.split(b" ")
MORSELS += [b" ", b"\t", b"\n", b"\r", b"#BOS 1\n", b"#EOS 1\n", b"<?xml "]
RUNS = ["(a " * 100_000, "(" * 100_000, ")" * 100_000, "(" + " " * 300_000, "(" + "a" * 300_000]


def sample() -> list[Tree]:
    tokens = tuple(Token(w, t, "l", "m", "SB") for w, t in [("Das", "X"), ("(", "$("), ("x=y", "Z"), ("é", "-NONE-")])
    gapped = Constituent("S", (Constituent("VP", (0, 3), "OC"), Constituent("NP", (Constituent("NP", (1,)),)), 2))
    edges = (SecondaryEdge(0, "SB", -3), SecondaryEdge(-3, "OA", -2))
    flat = Constituent("ROOT", (Constituent("NP", (0, 1), "SB"), 2, 3))
    return [Tree(Constituent("ROOT", (gapped,)), tokens, "1", "note", edges), Tree(flat, tokens, "2")]


def scrambled(data: bytes, generator: random.Random) -> bytes:
    if generator.random() < 0.3:
        return data[: generator.randrange(len(data))]
    for _ in range(generator.randint(1, 4)):
        start = generator.randrange(len(data) + 1)
        length = generator.choice([0, 0, 1, 3, 20])
        other = generator.randrange(len(data) + 1)
        morsel = generator.choice([*MORSELS, data[other : other + generator.randrange(30)]])
        data = data[:start] + morsel + data[start + length :]
    return data


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("is_named", [True, False])
@pytest.mark.parametrize("skips_bad", [True, False])
def test_only_trees_and_our_own_error_come_out(tmp_path: Path, format: str, is_named: bool, skips_bad: bool) -> None:
    generator = random.Random(f"{format} {is_named} {skips_bad}")
    trees = sample()[1:] if format == "bracket" else sample()
    data = format_trees(trees, format).encode()
    path = tmp_path / "file"
    outcomes = {True: 0, False: 0}
    for _ in range(CASES):
        path.write_bytes(scrambled(data, generator))
        errors: list[TreebankError] = []
        try:
            for tree in read_trees(path, format if is_named else None, on_bad=errors.append if skips_bad else None):
                assert isinstance(tree, Tree)
                assert tree.root.cover == (1 << len(tree.tokens)) - 1
        except TreebankError as error:
            errors.append(error)
        for message in map(str, errors):
            assert message.startswith(str(path))
            assert "\n" not in message
        outcomes[bool(errors)] += 1
    assert min(outcomes.values()) > CASES // 100  # the scrambling breaks some files and spares some


@pytest.mark.parametrize("format", ["bracket", "discbracket", None])
@pytest.mark.parametrize("text", RUNS)
def test_long_runs_are_refused_without_delay(tmp_path: Path, format: str | None, text: str) -> None:
    (tmp_path / "file").write_text(text)
    with pytest.raises(TreebankError):
        list(read_trees(tmp_path / "file", format))
