"""The `discoseq` command."""

import io
import sys
from typing import Annotated

import typer

import discoseq
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

app = typer.Typer(
    name="discoseq",
    help="Sequence-to-sequence constituency parsing, for continuous and discontinuous trees.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (stats, convert, draw, search, prepare, linearize, delinearize, evaluate, train, parse):
    app.command()(command)
app.add_typer(models, name="models")


def main() -> None:
    """Run the command line; an error that the user can fix is printed as one line, with exit code 1."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8")
    try:
        app()
    except DiscoseqError as error:
        print(error, file=sys.stderr)
        sys.exit(1)


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
