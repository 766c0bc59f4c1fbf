"""The command `discoseq`, its subcommands, and the names of values in their help."""

import io
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from types import FrameType
from typing import TYPE_CHECKING, Annotated, Any, Literal, NoReturn

import typer
from rich.console import Console
from typer.core import TyperCommand, TyperGroup
from typer.main import get_group

import discoseq
from discoseq.errors import DiscoseqError, os_reason

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

BROKEN_PIPE = 141  # 128 + SIGPIPE, which not every system has


class Terminated(KeyboardInterrupt):
    """A signal that asks the process to end; whatever cleans up after an interruption does so after this."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


@contextmanager
def _ending_well() -> Iterator[None]:
    """A signal, a closed pipe, a full disk or a folder that can't be written end the command without a traceback."""
    try:
        try:
            yield
        finally:
            sys.stdout.flush()
    except KeyboardInterrupt as error:
        _exit(128 + (error.number if isinstance(error, Terminated) else signal.SIGINT))
    except BrokenPipeError:  # the reader of our output has gone, as in `discoseq convert ... | head`
        _exit(BROKEN_PIPE)
    except UnicodeEncodeError as error:
        _exit(1, f"{error.object[error.start]!r} can't be written in {error.encoding}")
    except OSError as error:
        where = f"{error.filename}: " if error.filename is not None else ""
        _exit(1, f"{where}{os_reason(error)}")


def _exit(code: int, message: str | None = None) -> NoReturn:
    with suppress(OSError):
        if message is not None:
            print(message, file=sys.stderr)
    # what is left in the buffers must not be written when Python exits
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):
            stream.flush()
        with suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    sys.exit(code)


class Command(TyperCommand):
    """A subcommand whose help names the values of options and arguments."""

    def get_params(self, ctx: Any) -> Any:
        return _named(super().get_params(ctx))


class CommandGroup(TyperGroup):
    """A command with subcommands; all that they do is done inside of its `invoke`."""

    def get_params(self, ctx: Any) -> Any:
        return _named(super().get_params(ctx))

    def make_context(self, *arguments: Any, **options: Any) -> Any:
        with _ending_well():
            return super().make_context(*arguments, **options)

    def invoke(self, ctx: Any) -> Any:
        with _ending_well():
            return super().invoke(ctx)


class Commands(CommandGroup):
    """The subcommands: each is a module of the same name, which is imported when the subcommand is called."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.commands = {name: Command(name, help=summary) for name, summary in SUMMARIES.items()}
        self.is_listed = False  # while the help is written, for which names and summaries are enough

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        return _load(cmd_name) if cmd_name in SUMMARIES and not self.is_listed else self.commands.get(cmd_name)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        self.is_listed = True
        super().format_help(ctx, formatter)
        self.is_listed = False


# of the subcommands, as their own help begins
SUMMARIES = {
    "stats": "Count sentences, labels, gaps, ill-nested trees and unary chains over all files together.",
    "convert": "Convert a treebank to another format.",
    "draw": "Draw trees with crossing branches: all sentences as text, or one sentence (default: the first) as SVG or "
    "TikZ.",
    "search": "Find phrases, tags and words by labels, words, dominance, precedence and gaps; the language is tgrep's, "
    "and more.",
    "prepare": "Make the train, dev and test sets of a known corpus with the splits and changes of the literature.",
    "linearize": "Write trees as action sequences, one a line.",
    "delinearize": "Build trees from action sequences.",
    "evaluate": "Score parses against gold trees, with the same results as disco-dop and EVALB.",
    "train": "Train a model; interrupt it at any time and go on with --resume. The model is in OUT/model when it is "
    "done.",
    "experiment": "Do the experiments of a plan: prepare treebanks, train every cell, parse, score and time; then "
    "`discoseq report`.",
    "report": "Make tables of results, with the paper's figures beside them, tests of the differences, and figures.",
    "parse": "Parse text.",
    "parse-corpus": "Parse a corpus on a Ray cluster or on all cores. Interrupt it at any time; the same command goes "
    "on.",
    "label": "Make trees with weights for training from raw text. Interrupt it at any time; the same command goes on.",
    "serve": "Answer requests over HTTP: a page to try models with, and an API. Ctrl-C ends it.",
    "config": "Configurations for `discoseq train`.",
    "models": "Models that can be loaded by name: of discoseq, of model packages, and in your cache folder.",
}


def _load(name: str) -> Any:
    """A subcommand, or a group of them."""
    module_name = name.replace("-", "_")
    item = getattr(import_module(f"discoseq.cli.{module_name}"), module_name)
    holder = typer.Typer(cls=CommandGroup, rich_markup_mode=_MARKUP, callback=lambda: None)
    if isinstance(item, typer.Typer):
        for registered in item.registered_commands:
            registered.cls = Command
        holder.add_typer(item, name=name, cls=CommandGroup)
    else:
        holder.command(name, cls=Command)(item)
    return get_group(holder).commands[name]


def _named(parameters: list[Any]) -> list[Any]:
    for parameter in parameters:
        name_value(parameter)
    return parameters


_MARKUP: Literal["markdown"] = "markdown"
app = typer.Typer(
    name="discoseq",
    cls=Commands,
    help="Sequence-to-sequence constituency parsing, for continuous and discontinuous trees.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=_MARKUP,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def main() -> None:
    """Run the command line; an error that the user can fix is printed as one line, with exit code 1."""
    _prepare_streams()
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)  # not every system has SIGHUP
        if number is not None and signal.getsignal(number) == signal.SIG_DFL:  # `nohup` ignores it
            signal.signal(number, _terminate)
    Console.on_broken_pipe = _raise_again  # type: ignore[assignment, method-assign] # it exits with code 1
    with _ending_well():
        try:
            app()
        except DiscoseqError as error:
            print(error, file=sys.stderr)
            sys.exit(1)


def _terminate(number: int, frame: FrameType | None) -> None:
    signal.signal(number, signal.SIG_IGN)  # `timeout` sends it twice, and cleaning up must not be interrupted
    raise Terminated(number)


def _prepare_streams() -> None:
    """All standard streams are there, in UTF-8, and errors of standard output have its name."""
    # In place of a closed stream the null device is opened, or a file would get its number. It is opened the wrong way
    # round, so that reading and writing fail; only what no one can read on standard error may be lost.
    for name, mode, flags in (("stdin", "r", os.O_WRONLY), ("stdout", "w", os.O_RDONLY), ("stderr", "w", os.O_WRONLY)):
        if getattr(sys, name) is None:
            descriptor = os.open(os.devnull, flags)
            os.set_inheritable(descriptor, True)
            setattr(sys, name, open(descriptor, mode, encoding="utf-8", closefd=False))  # noqa: SIM115 - until the end
    out, err = sys.stdout, sys.stderr
    if isinstance(err, io.TextIOWrapper):
        err.reconfigure(encoding="utf-8", errors="backslashreplace")
    if isinstance(out, io.TextIOWrapper):
        out.reconfigure(encoding="utf-8")
        is_buffered = hasattr(out.buffer, "raw")  # unless Python was told otherwise
        if isinstance(out.buffer.raw if is_buffered else out.buffer, io.FileIO):
            named = _StandardOutput(out.fileno(), "w", closefd=False)
            buffer = io.BufferedWriter(named) if is_buffered else named
            sys.stdout = io.TextIOWrapper(
                buffer, "utf-8", line_buffering=out.line_buffering, write_through=not is_buffered
            )


class _StandardOutput(io.FileIO):
    """Standard output, whose errors say that they are about it."""

    def write(self, data: "ReadableBuffer", /) -> int:
        try:
            return super().write(data)
        except OSError as error:
            error.filename = "<stdout>"
            raise


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
    "--allow-host": "NAME",
    "--base": "NAME",
    "--bootstrap": "OTHER_PRED",
    "--dev": "TREEBANK",
    "--device": "DEVICE",
    "--encoding": "ENCODING",
    "--exclude": "TREEBANK",
    "--from": "FORMAT",
    "--gold-format": "FORMAT",
    "--host": "ADDRESS",
    "--language": "LANGUAGE",
    "--linearization": "NAME",
    "--model": "MODEL",
    "--moved": "TYPES",
    "--out": "FOLDER",
    "--output": "FILE",
    "--output-dir": "FOLDER",
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
