"""The process that reads a client's treebank: started for one request, and killed when that is given up."""

from __future__ import annotations

import asyncio
import json
import sys
from subprocess import PIPE

from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

from discoseq.web import treebank_reader
from discoseq.web.treebank_reader import Task, header


class TreebankTree(BaseModel):
    """A tree of a treebank."""

    number: int = Field(description="In the file, from 1.")
    id: str | None
    words: list[str]
    discbracket: str
    labels: list[str] = Field(description="Every label once.")
    gap_degree: int
    is_discontinuous: bool
    matches: list[int] | None = Field(description="Constituents that the query finds; null without a query.")
    matched_words: list[int] | None = Field(description="Words that the query finds, or whose tags it finds.")


class TreebankAnswer(BaseModel):
    """The trees of a file, or those that a query finds."""

    name: str
    format: str
    count: int = Field(description="The trees of the file.")
    matched: int = Field(description="The trees that are listed.")
    trees: list[TreebankTree]


async def run_reader(task: Task, data: bytes) -> bytes:
    """The answer as JSON; if this is cancelled, the process is killed."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", treebank_reader.__name__),
        stdin=PIPE,
        stdout=PIPE,
        start_new_session=True,  # Ctrl-C in a terminal ends the server, which first finishes what it has begun
    )
    try:
        answer, _ = await process.communicate(header(task) + data)
    except asyncio.CancelledError:
        if process.returncode is None:
            process.kill()
        await process.wait()
        raise
    assert process.returncode is not None
    if process.returncode < 0:  # by a signal, of which the limits of the process send some
        raise HTTPException(413, f"{task.name}: reading this takes more memory or time than the server allows")
    if process.returncode:
        raise RuntimeError(f"the process that reads treebanks has failed with code {process.returncode}")
    if answer.startswith(b'{"status"'):
        refusal = json.loads(answer)
        raise HTTPException(refusal["status"], refusal["detail"])
    return answer
