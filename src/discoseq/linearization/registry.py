"""The registry of all linearizations: three traversals by four reorderings, plain or enriched, and `bracketed`."""

from discoseq.errors import LinearizationError
from discoseq.linearization.bottom_up import BottomUp
from discoseq.linearization.in_order import InOrder
from discoseq.linearization.linearization import BRACKETS, Linearization
from discoseq.linearization.reordering import REORDERINGS
from discoseq.linearization.top_down import TopDown
from discoseq.linearization.traversal import Traversal

_ROWS: list[tuple[Traversal, bool]] = [
    (TopDown(), False),
    (TopDown(), True),
    (InOrder(), False),
    (InOrder(), True),
    (BottomUp(), False),
]

_TABLE: dict[str, Linearization] = {}
for _traversal, _is_enriched in _ROWS:
    for _reordering in REORDERINGS.values():
        _name = f"enriched-{_traversal.name}" if _is_enriched else _traversal.name
        _name = f"{_name}+{_reordering.name}" if _reordering.name else _name
        _TABLE[_name] = Linearization(_name, _traversal, _reordering, _is_enriched)
_TABLE["bracketed"] = Linearization("bracketed", TopDown(), REORDERINGS[""], True, BRACKETS)

LINEARIZATIONS: tuple[str, ...] = tuple(_TABLE)


def linearization(name: str) -> Linearization:
    """The linearization of that name; an unknown one lists those there are."""
    if name not in _TABLE:
        raise LinearizationError(f"there is no linearization {name!r}; there are {', '.join(LINEARIZATIONS)}")
    return _TABLE[name]
