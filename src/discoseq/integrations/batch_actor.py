"""Batches of rows in, the same rows with trees out: for Ray Data, `datasets.map`, Spark's `mapInPandas` and pandas."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from discoseq.errors import IntegrationError

if TYPE_CHECKING:  # torch is imported where a batch is parsed, and not where a pipeline is described
    from discoseq.parser.parser import Parser

Batch = TypeVar("Batch")  # columns by name: NumPy arrays or lists, or a pandas.DataFrame


class DiscoseqActor:
    """Parses the sentences of a column; the model is loaded when the first batch comes, once for every worker.

    The batch that comes back has the columns `words`, `tree` (in discbracket), `log_probability` and `parse_error`,
    beside those that it had. A row that can't be parsed has an empty tree, and `parse_error` says why; else that is
    empty.

    >>> dataset.map_batches(DiscoseqActor, fn_constructor_args=("nl",), batch_size=1024, concurrency=8)
    """

    def __init__(
        self,
        model: str | Sequence[str] = "en",
        *,
        text_column: str = "text",
        words_column: str = "words",
        beam_size: int | None = None,
        language: str | None = None,
        device: str | None = None,
        threads: int | None = 1,  # None: torch's number is left alone
        longest: int = 500,
    ) -> None:
        """Rows have the raw text of a sentence, or a list of words, which counts more; `longest` is in words."""
        self.model = model
        self.text_column = text_column
        self.words_column = words_column
        self.beam_size = beam_size
        self.language = language
        self.device = device
        self.threads = threads
        self.longest = longest
        self._parser: Parser | None = None

    def __call__(self, batch: Batch) -> Batch:
        columns = _columns(batch)
        rows = self._rows(columns)
        self._parse(rows)
        added: dict[str, list[Any]] = {
            "words": [row.words for row in rows],
            "tree": [row.tree for row in rows],
            "log_probability": [row.log_probability for row in rows],
            "parse_error": [row.error for row in rows],
        }
        return cast(Batch, _with_columns(batch, added))

    def __getstate__(self) -> dict[str, Any]:
        """Without the model, which is loaded where it is used: so the settings alone make the fingerprint of a map."""
        return {**self.__dict__, "_parser": None}

    def _rows(self, columns: Mapping[str, Sequence[Any]]) -> list[_Row]:
        texts, words = columns.get(self.text_column), columns.get(self.words_column)
        if texts is None and words is None:
            raise IntegrationError(
                f"the batch has neither a column {self.text_column!r} nor a column {self.words_column!r}; name one "
                "with text_column or words_column"
            )
        length = len(next(iter(columns.values())))
        return [
            self._row(None if texts is None else texts[i], None if words is None else words[i]) for i in range(length)
        ]

    def _row(self, text: object, words: object) -> _Row:
        listed = words.tolist() if isinstance(words, np.ndarray) else words
        if isinstance(listed, list | tuple):
            if not all(isinstance(word, str) and word for word in listed):
                return _Row(error="words are not all strings that are not empty")
            found = list(listed)
        elif isinstance(text, str):
            found = self._loaded().tokenize(text)
        else:
            return _Row(error="there is neither a text nor a list of words")
        if not found:
            return _Row(error="the sentence has no words")
        if len(found) > self.longest:
            return _Row(error=f"the sentence has {len(found):,} words, and at most {self.longest:,} are parsed")
        return _Row(words=found)

    def _parse(self, rows: Sequence[_Row]) -> None:
        from discoseq.parser.parser import DEFAULT_BEAM
        from discoseq.trees.notation import one_line

        good = [row for row in rows if not row.error]
        if not good:
            return
        found = self._loaded().nbest_all([row.words for row in good], 1, self.beam_size or DEFAULT_BEAM)
        for row, (best, *_) in zip(good, found, strict=True):
            row.tree, row.log_probability = one_line(best.tree, is_indexed=True), best.log_probability

    def _loaded(self) -> Parser:
        if self._parser is None:
            from discoseq.parser.parser import Parser, limit_resources

            if self.threads is not None:
                limit_resources(self.threads)
            self._parser = Parser.load(self.model, self.language, self.device)
        return self._parser


@dataclass(slots=True)
class _Row:
    """What becomes of a row; every field has one type in all rows, as tables need it."""

    words: list[str] = field(default_factory=list)
    error: str = ""
    tree: str = ""
    log_probability: float = math.nan


def _columns(batch: object) -> Mapping[str, Sequence[Any]]:
    if isinstance(batch, Mapping):
        return batch
    if hasattr(batch, "columns") and hasattr(batch, "to_dict"):  # pandas, which need not be installed
        return {str(name): batch[name].tolist() for name in batch.columns}  # type: ignore[index]
    raise IntegrationError(f"a batch is a dictionary of columns or a pandas.DataFrame, not {type(batch).__name__}")


def _with_columns(batch: Any, added: Mapping[str, list[Any]]) -> Any:
    """The batch with more columns, of the kind that it has."""
    if not isinstance(batch, Mapping):
        return batch.assign(**added)
    is_array = any(isinstance(column, np.ndarray) for column in batch.values())
    return {**batch, **({name: _array(values) for name, values in added.items()} if is_array else added)}


def _array(values: list[Any]) -> np.ndarray[Any, Any]:
    if values and isinstance(values[0], list):
        array = np.empty(len(values), dtype=object)  # of lists, whose lengths differ
        array[:] = values
        return array
    return np.array(values)
