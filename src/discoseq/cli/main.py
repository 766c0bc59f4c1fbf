"""The command `discoseq`, its subcommands, and the names of values in their help."""

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from rich.console import Console
from typer.core import TyperCommand, TyperGroup

import discoseq
from discoseq.cli.config import config
from discoseq.cli.convert import convert
from discoseq.cli.delinearize import delinearize
from discoseq.cli.draw import draw
from discoseq.cli.evaluate import evaluate
from discoseq.cli.linearize import linearize
from discoseq.cli.models import models
from discoseq.cli.parse import parse
from discoseq.cli.prepare import prepare
from discoseq.cli.search import search
from discoseq.cli.stats import stats
from discoseq.cli.train import train
from discoseq.errors import DiscoseqError

BROKEN_PIPE = 141  # 128 + SIGPIPE, which not every system has


@contextmanager
def _ending_with_the_pipe() -> Iterator[None]:
    """Exit as other programs do when the reader of our output has gone, as in `discoseq convert ... | head`."""
    try:
        try:
            yield
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        # what is left in the buffers must not be written when Python exits
        for stream in (sys.stdout, sys.stderr):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        raise typer.Exit(BROKEN_PIPE) from None


class Command(TyperCommand):
    """A subcommand whose help names the values of options and arguments."""

    def get_params(self, ctx: Any) -> Any:
        return _named(super().get_params(ctx))


class CommandGroup(TyperGroup):
    """A command with subcommands; all that they do is done inside of its `invoke`."""

    def get_params(self, ctx: Any) -> Any:
        return _named(super().get_params(ctx))

    def make_context(self, *arguments: Any, **options: Any) -> Any:
        with _ending_with_the_pipe():
            return super().make_context(*arguments, **options)

    def invoke(self, ctx: Any) -> Any:
        with _ending_with_the_pipe():
            return super().invoke(ctx)


def _named(parameters: list[Any]) -> list[Any]:
    for parameter in parameters:
        name_value(parameter)
    return parameters


app = typer.Typer(
    name="discoseq",
    cls=CommandGroup,
    help="Sequence-to-sequence constituency parsing, for continuous and discontinuous trees.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (stats, convert, draw, search, prepare, linearize, delinearize, evaluate, train, parse):
    app.command(cls=Command)(command)
for name, group in (("config", config), ("models", models)):
    for registered in group.registered_commands:
        registered.cls = Command
    app.add_typer(group, name=name, cls=CommandGroup)


def main() -> None:
    """Run the command line; an error that the user can fix is printed as one line, with exit code 1."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8")
    Console.on_broken_pipe = _raise_again  # type: ignore[assignment, method-assign] # it exits with code 1
    try:
        app()
    except DiscoseqError as error:
        print(error, file=sys.stderr)
        sys.exit(1)


def _raise_again(console: Console) -> None:
    """Called by rich where it has caught a BrokenPipeError."""
    raise


def _show_version(is_wanted: bool) -> None:
    if is_wanted:
        print(f"discoseq {discoseq.__version__}")
        raise typer.Exit()


@app.callback()
def _common(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_show_version, is_eager=True)
    ] = False,
) -> None:
    pass


VALUE_NAMES = {
    "--base": "NAME",
    "--bootstrap": "OTHER_PRED",
    "--dev": "TREEBANK",
    "--device": "DEVICE",
    "--encoding": "ENCODING",
    "--from": "FORMAT",
    "--gold-format": "FORMAT",
    "--language": "LANGUAGE",
    "--linearization": "NAME",
    "--model": "MODEL",
    "--moved": "TYPES",
    "--out": "FOLDER",
    "--output": "FILE",
    "--params": "FILE.prm",
    "--pred-encoding": "ENCODING",
    "--pred-format": "FORMAT",
    "--root": "LABEL",
    "--sentence": "ID",
    "--set": "KEY=VALUE",
    "--text": "TEXT",
    "--to": "FORMAT",
    "--tokens": "FILE",
    "--tokens-from": "FORMAT",
    "--train": "TREEBANK",
}


def name_value(parameter: Any) -> None:
    """Give an option or an argument a name for its value; Typer would show Python's types, as in `<list[str]>`."""
    if parameter.param_type_name == "argument":
        _name_argument(parameter)
    elif parameter.metavar is None:
        parameter.metavar = "" if parameter.is_flag else _value_name(parameter)


def _value_name(option: Any) -> str:
    kind = option.type_descriptor
    if kind.is_choice:
        return "|".join(str(choice.value) for choice in kind.choices)
    named = next((VALUE_NAMES[name] for name in option.opts if name in VALUE_NAMES), None)
    return named or ("N" if kind.annotation is int or kind.is_ranged else "TEXT")


def _name_argument(argument: Any) -> None:
    """The name of an argument says what it is, so that it needs no type, in the table or in the usage line."""
    argument.metavar = (argument.metavar or argument.name.upper()).removesuffix("...")
    repeated = "..." if argument.nargs != 1 else ""
    shown = f"{argument.metavar}{repeated}" if argument.required else f"[{argument.metavar}]{repeated}"
    argument.display_type_rich = lambda ctx: None
    argument.get_usage_pieces = lambda ctx: [shown]
