"""Reading what may have to be waited for: a pipe that stays open, or a terminal."""

import queue
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

_MOST = 1024  # items that are read ahead, and in a chunk

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class _End:
    """No more items follow, perhaps because of an error."""

    error: Exception | None = None


def live_chunks(items: Iterable[Item]) -> Iterator[list[Item]]:
    """What is there, as it comes; an empty chunk says that the next one has to be waited for.

    The items are read in a thread of their own, so that one that is incomplete does not hold back those before it.
    """
    waiting: queue.Queue[Item | _End] = queue.Queue(_MOST)
    threading.Thread(target=_read_into, args=(items, waiting), daemon=True).start()
    chunk: list[Item] = []
    while True:
        if chunk and (waiting.empty() or len(chunk) == _MOST):
            yield chunk
            chunk = []
        if waiting.empty():
            yield []
        item = waiting.get()
        if isinstance(item, _End):
            if chunk:
                yield chunk
            if item.error is not None:
                raise item.error
            return
        chunk.append(item)


def _read_into(items: Iterable[Item], waiting: queue.Queue[Item | _End]) -> None:
    try:
        for item in items:
            waiting.put(item)
        waiting.put(_End())
    except Exception as error:
        waiting.put(_End(error))
