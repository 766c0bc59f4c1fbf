"""`discoseq models`: list models, show the card of a model, average models, upload a model to the hub."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from discoseq.cli.tables import format_table

if TYPE_CHECKING:
    from discoseq.parser.model_registry import NamedModel

models = typer.Typer(
    help="Models that can be loaded by name: of discoseq, of model packages, and in your cache folder."
)

_JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@models.callback(invoke_without_command=True)
def show_all(context: typer.Context, as_json: _JsonOption = False) -> None:
    """List the models for `--model NAME` and `Parser.load(NAME)`; `discoseq models info NAME` shows details.

    Example: `discoseq models`
    """
    if context.invoked_subcommand is not None:
        return
    from discoseq.parser.model_registry import named_models
    from discoseq.storage import cache_folder

    rows = [_summary(model) for model in named_models()]
    if as_json:
        print(json.dumps(rows, indent=1))
        return
    if not rows:
        print(f"no models found; put model directories into {cache_folder('models')} to use them by name")
        return
    print(_table(rows))


@models.command()
def info(
    name: Annotated[str, typer.Argument(help="A name from the list, or a model directory.")],
    as_json: _JsonOption = False,
) -> None:
    """Print the card of a model: data, licence, scores, settings; with --json, its configuration.

    Example: `discoseq models info en`
    """
    from discoseq.model.model_files import CARD, read_config
    from discoseq.parser.model_registry import find_model

    directory = find_model(name)
    if as_json:
        print(json.dumps(read_config(directory), indent=1))
        return
    card = directory / CARD
    print(card.read_text(encoding="utf-8").strip() if card.is_file() else f"{directory}: the model has no card")


@models.command()
def average(
    names: Annotated[list[str], typer.Argument(metavar="MODEL...", help="Model directories, or names from the list.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="DIRECTORY", help="The new model directory.")],
    is_compact: Annotated[bool, typer.Option("--compact", help="Round the weights, for half the size.")] = False,
) -> None:
    """Write a model with the average of the weights of several; a model that is named twice counts twice.

    They must be of one origin, such as runs that were initialised from the same model; then the average is often
    better than each of them, and as fast as one. The language and the settings of training are the first one's.

    Example: `discoseq models average runs/start/model runs/seed1/model runs/seed2/model -o runs/average`
    """
    from discoseq.model.averaging import average_models
    from discoseq.model.directory import save_model
    from discoseq.model.model_files import check_replaceable, read_extra
    from discoseq.parser.model_registry import find_model

    check_replaceable(output)
    directories = [find_model(name) for name in names]
    model = average_models(directories)
    extra = {key: value for key, value in read_extra(directories[0]).items() if key != "scores"}
    members = "".join(f"- {name}\n" for name in names)
    card = f"# {output.name}\n\nThe average of the weights of these models:\n\n{members}"
    save_model(model, output, extra | {"card": card}, is_compact)
    print(f"wrote {output}, the average of {len(names)} models", file=sys.stderr)


@models.command()
def push(
    model: Annotated[str, typer.Argument(help="A model directory, or a name from the list.")],
    name: Annotated[str, typer.Argument(help="USER/NAME on the Hugging Face hub.")],
    is_private: Annotated[bool, typer.Option("--private", help="Make the repository private if it is new.")] = False,
) -> None:
    """Upload a model to the Hugging Face hub, for use as `--model USER/NAME`; log in with `hf auth login` first.

    Example: `discoseq models push runs/x/model ann/dutch`
    """
    from discoseq.parser.model_registry import find_model, upload

    print(upload(find_model(model), name, is_private))


def _summary(model: NamedModel) -> dict[str, Any]:
    from discoseq.model.model_files import read_config

    config = read_config(model.directory)
    extra = config.get("extra") or {}
    scores = extra.get("scores") or {}
    return {
        "name": model.name,
        "language": extra.get("language"),
        "version": model.version,
        "licence": model.licence,
        "megabytes": round(sum(file.stat().st_size for file in model.directory.iterdir() if file.is_file()) / 1e6, 1),
        "f1": scores.get("f1"),
        "discontinuous_f1": scores.get("discontinuous_f1"),
        "linearization": config.get("linearization"),
        "package": model.package,
        "directory": str(model.directory),
    }


def _table(rows: list[dict[str, Any]]) -> str:
    heads = {"name": "name", "language": "language", "version": "version", "licence": "licence", "megabytes": "MB"}
    heads |= {"f1": "dev F1", "discontinuous_f1": "discontinuous"}
    cells = [[*(_shown(row[key]) for key in heads), row["package"] or row["directory"]] for row in rows]
    return format_table([*heads.values(), "from"], cells, "l" * (len(heads) + 1))


def _shown(value: object) -> str:
    if value is None:
        return "-"
    return f"{value:.1f}" if isinstance(value, float) else str(value)
