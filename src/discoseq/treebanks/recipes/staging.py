"""A set of files that appears as a whole, or not at all."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from discoseq.errors import TreebankError


@contextmanager
def staged(folder: Path, last: str) -> Iterator[Path]:
    """A place to write files that all move into the folder when the block ends well.

    The one named is taken away before and moves last, so it is there only if the others are of the same run.
    """
    is_new = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        stage = Path(tempfile.mkdtemp(prefix=".discoseq-", dir=folder))
    except OSError as error:
        raise TreebankError(f"can't write there ({(error.strerror or str(error)).lower()})", str(folder)) from None
    try:
        yield stage
        (folder / last).unlink(missing_ok=True)
        for path in sorted(stage.iterdir(), key=lambda path: (path.name == last, path.name)):
            path.replace(folder / path.name)
    finally:
        shutil.rmtree(stage, ignore_errors=True)
        if is_new and not any(folder.iterdir()):
            folder.rmdir()
