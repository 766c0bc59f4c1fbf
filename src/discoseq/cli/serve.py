"""`discoseq serve`: the web server."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from discoseq.cli.parse_options import DEFAULT_MODEL
from discoseq.errors import import_extra
from discoseq.web.limits import DEFAULT_LIMITS, Limits

_PURPOSE = "the web server"
_PACKAGES = ("fastapi", "uvicorn", "python_multipart", "prometheus_client")  # of the extra `web`


def serve(
    host: Annotated[
        str, typer.Option(help="The address to listen at; 0.0.0.0 is all of this machine's.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 is any that is free.")] = 8000,
    models: Annotated[
        list[str] | None,
        typer.Option("--model", "-m", help="A model's name or directory; given again: more models. Default: en."),
    ] = None,
    max_words: Annotated[int, typer.Option(min=1, help="Words a sentence.")] = DEFAULT_LIMITS.words,
    max_sentences: Annotated[int, typer.Option(min=1, help="Sentences a request.")] = DEFAULT_LIMITS.sentences,
    max_requests: Annotated[int, typer.Option(min=1, help="Requests in hand at a time.")] = DEFAULT_LIMITS.requests,
    timeout: Annotated[int, typer.Option(min=1, help="Seconds a request.")] = DEFAULT_LIMITS.seconds,
    threads: Annotated[int, typer.Option(min=1, help="Threads of the network; more pay for large models.")] = 1,
    allowed_hosts: Annotated[
        list[str] | None,
        typer.Option(
            "--allow-host",
            help="A name by which the server may be called, such as that of a reverse proxy; given again: more names. "
            "Default: this machine's own, or any if other machines can reach it.",
        ),
    ] = None,
) -> None:
    """Answer requests over HTTP: a page to try models with, and an API. Ctrl-C ends it.

    Example: `discoseq serve`

    Example: `discoseq serve --port 8080 --model en --model nl`
    """
    for package in _PACKAGES:
        import_extra(package, "web", _PURPOSE)
    from discoseq.parser.parser import limit_resources
    from discoseq.web.server import serve as run_server

    limit_resources(threads)
    limits = Limits(words=max_words, sentences=max_sentences, requests=max_requests, seconds=timeout)
    run_server(models or [DEFAULT_MODEL], host, port, limits, allowed_hosts or [], _say)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
