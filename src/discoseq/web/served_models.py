"""The models that a server has loaded, by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from starlette.exceptions import HTTPException

from discoseq.errors import ParserError
from discoseq.parser.model_registry import find_model, named_models
from discoseq.parser.parser import Parser
from discoseq.web.answers import ModelAnswer


@dataclass(frozen=True, slots=True, eq=False)
class ServedModel:
    """A parser and what is known of its model; only the batcher's thread may parse with it."""

    name: str
    parser: Parser
    version: str | None = None
    licence: str | None = None

    @property
    def linearization(self) -> str:
        return self.parser.models[0].machine.linearization.name

    def answer(self, is_default: bool) -> ModelAnswer:
        return ModelAnswer(
            name=self.name,
            language=self.parser.language,
            linearization=self.linearization,
            version=self.version,
            licence=self.licence,
            is_default=is_default,
        )


class ServedModels:
    """At least one model; the first is the default."""

    def __init__(self, models: Iterable[ServedModel]) -> None:
        self._models: dict[str, ServedModel] = {}
        for model in models:
            if model.name in self._models:
                raise ParserError(f"two models are called {model.name!r}; rename one of their directories")
            self._models[model.name] = model
        if not self._models:
            raise ParserError("a server needs at least one model")

    def __iter__(self) -> Iterator[ServedModel]:
        return iter(self._models.values())

    def named(self, name: str) -> ServedModel:
        """The model that a client asks for; an empty name is the default."""
        if not name:
            return next(iter(self))
        if name not in self._models:
            raise HTTPException(422, f"the server has no such model; it has {', '.join(self._models)}")
        return self._models[name]


def load_models(names: Iterable[str]) -> ServedModels:
    """Load models as `Parser.load` does; one in a directory is called as the directory is."""
    return ServedModels(map(_load, names))


def _load(name: str) -> ServedModel:
    directory = find_model(name)
    known = next((model for model in named_models() if model.directory == directory), None)
    parser = Parser.load(directory)
    if known is not None:
        return ServedModel(known.name, parser, known.version, known.licence)
    return ServedModel(Path(name).resolve().name if Path(name).is_dir() else name, parser)
