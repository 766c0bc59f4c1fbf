"""The parser that people call: names of models -> Parser, sentences -> trees, as many as there are."""

from discoseq.errors import ParserError
from discoseq.parser.candidates import Candidate, confidences
from discoseq.parser.parser import DEFAULT_BEAM, Parser

__all__ = ["DEFAULT_BEAM", "Candidate", "Parser", "ParserError", "confidences"]
