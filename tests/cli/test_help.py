"""What all commands have in common: help that a user can read, options of one meaning, examples that work, pipes."""

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from cli.command import Command
from discoseq.cli.main import SUMMARIES, app

ROOT = Path(__file__).resolve().parents[2]
GROUP: Any = typer.main.get_command(app)


def all_commands(group: Any = GROUP, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    yield path, group
    for name in getattr(group, "commands", {}):
        yield from all_commands(group.get_command(None, name), (*path, name))


COMMANDS = dict(all_commands())


def parameters(path: tuple[str, ...]) -> list[Any]:
    command = COMMANDS[path]
    context = command.make_context(" ".join(path), [], resilient_parsing=True)
    return [parameter for parameter in command.get_params(context) if not parameter.hidden]


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_the_help_shows_no_types_of_python(discoseq: Command, path: tuple[str, ...]) -> None:
    outcome = discoseq(*path, "--help")
    assert outcome.code == 0
    assert not re.findall(r"<\w+[^>]*>|list\[|\bBOOLEAN\b|int range", outcome.out)
    assert "{" not in outcome.out.strip().splitlines()[0]  # of the usage


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_every_option_says_its_default(path: tuple[str, ...]) -> None:
    for parameter in parameters(path):
        if parameter.param_type_name == "option" and not parameter.is_flag and not parameter.required:
            # Typer prints those that are not None
            is_said = parameter.default is not None or "Default: " in parameter.help
            assert is_said, f"{' '.join(path)}: {parameter.opts[-1]} does not say its default"


@pytest.mark.parametrize("name", SUMMARIES)
def test_the_summary_in_the_list_is_that_of_the_command(name: str) -> None:
    assert " ".join(COMMANDS[(name,)].help.split("\n\n")[0].split()) == SUMMARIES[name]


def test_an_option_of_one_name_has_one_meaning() -> None:
    kinds: dict[str, dict[bool, str]] = {}
    for path in COMMANDS:
        for parameter in parameters(path):
            if parameter.param_type_name == "option":
                for name in parameter.opts:
                    kinds.setdefault(name, {})[bool(parameter.is_flag)] = " ".join(path)
    assert {name: of for name, of in kinds.items() if len(of) > 1} == {}


def examples() -> Iterator[str]:
    """The commands in the help, in the README and in the documentation."""
    for command in COMMANDS.values():
        yield from re.findall(r"^Example: `(.*)`$", command.help or "", re.MULTILINE)
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        for line in page.read_text("utf-8").splitlines():
            calls = re.findall(r"(?:^ {4}(?:\$ )?|\| )(discoseq [a-z].*)", line)
            yield from (call for call in calls if "[--" not in call and "[-o" not in call)


@pytest.mark.parametrize("example", sorted(set(examples())))
def test_every_example_is_a_command(example: str) -> None:
    words = shlex.split(re.sub(r"\s#\s.*|\\$", "", example))  # without comment and continuation
    for end in ("|", ">", "&&"):
        words = words[: words.index(end)] if end in words else words
    path: tuple[str, ...] = ()
    while len(words) > len(path) + 1 and (*path, words[len(path) + 1]) in COMMANDS:
        path = (*path, words[len(path) + 1])
    assert path, "there is no such command"
    COMMANDS[path].make_context(" ".join(path), words[len(path) + 1 :])  # parses, and does not run


@pytest.mark.parametrize("path", [path for path in COMMANDS if path and path != ("models",)], ids=" ".join)
def test_every_command_shows_an_example(path: tuple[str, ...]) -> None:
    assert "Example: `discoseq " + " ".join(path) in COMMANDS[path].help


@pytest.mark.parametrize(
    "arguments",
    [
        "--help",
        "stats {}",
        "stats {} --json",
        "convert {} - --to export",
        "convert {} /dev/stdout --to export",
        "draw {}",
        "search NP {}",
        "search NP {} --count",
        "linearize {} -l in-order+swap",
        "evaluate {} {}",
        "prepare --list",
        "models",
    ],
)
def test_a_closed_pipe_is_exit_code_141_without_a_word(tmp_path: Path, arguments: str) -> None:
    treebank = tmp_path / "in.discbracket"
    treebank.write_text("(ROOT (NP (A 0=a) (B 1=b)))\n" * 50)
    call = [sys.executable, "-m", "discoseq", *arguments.format(treebank, treebank).split()]
    process = subprocess.Popen(call, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.close()  # before anything is written
    assert process.stderr is not None
    note = process.stderr.read().decode()
    assert process.wait(60) == 141
    assert "rror" not in note, note
