"""The registry of all linearizations by name: traversal by reordering, plain or enriched, and `bracketed`."""

from discoseq.errors import LinearizationError
from discoseq.linearizations.actions import BRACKETS
from discoseq.linearizations.linearization import REORDERINGS, Linearization
from discoseq.linearizations.traversals import BottomUp, InOrder, TopDown, Traversal

_TRAVERSALS: list[tuple[Traversal, bool]] = [  # and whether it is enriched
    (TopDown(), False),
    (TopDown(), True),
    (InOrder(), False),
    (InOrder(), True),
    (BottomUp(), False),
]

_REGISTRY: dict[str, Linearization] = {}
for _traversal, _is_enriched in _TRAVERSALS:
    for _reordering in REORDERINGS.values():
        _name = f"enriched-{_traversal.name}" if _is_enriched else _traversal.name
        _name = f"{_name}+{_reordering.name}" if _reordering.name else _name
        _REGISTRY[_name] = Linearization(_name, _traversal, _reordering, _is_enriched)
_REGISTRY["bracketed"] = Linearization("bracketed", TopDown(), REORDERINGS[""], True, BRACKETS)

LINEARIZATIONS: tuple[str, ...] = tuple(_REGISTRY)


def linearization(name: str) -> Linearization:
    """The linearization of that name; the error for an unknown name lists all names."""
    if name not in _REGISTRY:
        raise LinearizationError(f"there is no linearization {name!r}; there are {', '.join(LINEARIZATIONS)}")
    return _REGISTRY[name]
