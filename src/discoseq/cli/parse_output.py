"""The output files of `discoseq parse`: one for all that is read, or one in a folder for every file that is read."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import typer

from discoseq.cli.parse_input import InputFile
from discoseq.errors import TreebankError
from discoseq.parser.output import output_suffix
from discoseq.treebanks.streams import STANDARD_STREAM, check_target, file_identity


@dataclass(frozen=True, slots=True)
class Target:
    """An output, and the files whose trees it gets."""

    path: str
    files: list[InputFile]


def find_targets(
    files: list[InputFile], output: str, output_dir: str | None, format: str, is_resumed: bool
) -> list[Target]:
    """One output for all files or, in a folder, one for each; outputs that can't be written are refused."""
    if output_dir is not None:
        return _targets_in(output_dir, files, format, is_resumed)
    if output != STANDARD_STREAM:
        check_target(output)
        _refuse_inputs(files, [output])
    return [Target(output, files)]


def _targets_in(folder: str, files: list[InputFile], format: str, is_resumed: bool) -> list[Target]:
    """An output for each file, of the same name with the suffix of the format; if resumed, those that are missing."""
    if Path(folder).exists() and not Path(folder).is_dir():
        raise TreebankError("--output-dir has to be a folder, and this is none", folder)
    targets: dict[Path, InputFile] = {}
    for file in files:
        if file.path == STANDARD_STREAM:
            raise typer.BadParameter("--output-dir is for files, and standard input is none")
        name = file.name.with_name(file.name.name.removesuffix(".gz"))
        path = Path(folder) / name.with_suffix(output_suffix(format))
        if path in targets:
            raise TreebankError(f"the output of {targets[path].path} and of {file.path} would be this file", str(path))
        targets[path] = file
    _refuse_inputs(files, map(str, targets))
    missing = [path for path in targets if not (is_resumed and path.exists())]
    try:
        for path in missing:
            path.parent.mkdir(parents=True, exist_ok=True)
            check_target(str(path))
    except OSError as error:
        raise TreebankError(f"can't make this folder ({error.strerror})", str(path.parent)) from None
    return [Target(str(path), [targets[path]]) for path in missing]


def _refuse_inputs(files: list[InputFile], outputs: Iterable[str]) -> None:
    inputs = {file_identity(file.path) for file in files} - {None}
    for output in outputs:
        if file_identity(output) in inputs:
            raise TreebankError("this file is read, so it can't be the output, too", output)
