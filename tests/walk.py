"""Run a command of discoseq and print the files of the package whose functions it calls, in the order of first call.

python tests/walk.py parse --text "It works."
"""

import inspect
import sys
from pathlib import Path
from types import FrameType

import discoseq
from discoseq.cli.main import main

PACKAGE = Path(discoseq.__file__).parent


def is_importing(frame: FrameType) -> bool:
    """Whether it is called while a module of the package is imported, to define what is in it."""
    outer: FrameType | None = frame
    while outer is not None and outer.f_code is not main.__code__:
        if outer.f_code.co_name == "<module>":
            return True
        outer = outer.f_back
    return False


def walk(arguments: list[str]) -> list[str]:
    """The files, relative to the package; importing a module or defining a class is no call."""
    called: dict[str, None] = {}

    def note(frame: FrameType, event: str, argument: object) -> None:
        code = frame.f_code
        is_function = code.co_flags & inspect.CO_OPTIMIZED
        if event == "call" and is_function and code.co_filename.startswith(str(PACKAGE)):
            name = Path(code.co_filename).relative_to(PACKAGE).as_posix()
            if name not in called and not is_importing(frame):
                called[name] = None

    sys.argv = ["discoseq", *arguments]
    sys.setprofile(note)
    try:
        main()
    except SystemExit as end:
        if end.code:
            raise
    finally:
        sys.setprofile(None)
    return list(called)


if __name__ == "__main__":
    files = walk(sys.argv[1:])
    print("\n".join(files), file=sys.stderr)
