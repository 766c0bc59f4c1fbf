"""`discoseq config`: the configurations of training that come with discoseq."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from discoseq.cli.tables import format_table
from discoseq.errors import ConfigError

config = typer.Typer(
    help="Configurations for `discoseq train`.\n\nExample: `discoseq config list`", no_args_is_help=True
)


@config.command(name="list")
def show_all() -> None:
    """List the configurations that come with discoseq, for `discoseq train NAME`.

    Example: `discoseq config list`
    """
    from discoseq.training.config import named_configs

    rows = [[name, first_sentence(path)] for name, path in named_configs().items()]
    print(format_table(["name", "for"], rows, "ll"))


@config.command()
def init(
    file: Annotated[Path, typer.Argument(help="The file to write.")] = Path("discoseq.toml"),
    base: Annotated[str, typer.Option(help="The configuration to begin with, from `discoseq config list`.")] = "small",
) -> None:
    """Write a commented configuration to change and to train with.

    Example: `discoseq config init mine.toml`
    """
    from discoseq.training.config import named_configs

    named = named_configs()
    if base not in named:
        raise ConfigError(f"there is no configuration {base!r}; choose one of {', '.join(named)}")
    try:
        with file.open("x", encoding="utf-8") as out:
            out.write(named[base].read_text(encoding="utf-8"))
    except FileExistsError:
        raise ConfigError(f"{file}: the file exists; name another one") from None
    except OSError as error:
        raise ConfigError(f"{file}: can't be written ({error.strerror})") from None
    print(f"wrote {file}: name your treebanks in it, then run discoseq train {file} --out FOLDER", file=sys.stderr)


def first_sentence(path: Path) -> str:
    """Of the comment at the top of a configuration."""
    line = path.read_text(encoding="utf-8").partition("\n")[0]
    return line.removeprefix("# ").partition(". ")[0].rstrip(".")
