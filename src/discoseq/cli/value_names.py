"""What the values of options are called in the help of all commands: one name of an option, one meaning."""

from typing import Any

VALUE_NAMES = {
    "--bootstrap": "OTHER_PRED",
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
