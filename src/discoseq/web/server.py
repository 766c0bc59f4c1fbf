"""Running the application until a signal ends it."""

from __future__ import annotations

import socket
from collections.abc import Callable, Collection

import uvicorn

from discoseq.errors import ParserError, os_reason
from discoseq.web.app import create_app
from discoseq.web.limits import Limits
from discoseq.web.security import LOOPBACK_NAMES, is_loopback
from discoseq.web.served_models import load_models

_BACKLOG = 2048  # connections that wait to be accepted
_MORE_SECONDS = 5  # than a request has, and the server ends even if one is not answered
_IDLE = 75  # seconds; clients and proxies give up idle connections earlier, so that none is closed as it is used again


def serve(
    names: Collection[str],
    host: str,
    port: int,
    limits: Limits,
    more_hosts: Collection[str],
    say: Callable[[str], None],
) -> None:
    """Load the models and answer requests. A signal ends it when all that was accepted is answered.

    A server that only this machine can reach answers to the names of this machine and to `more_hosts`; any other
    answers to `more_hosts`, if there are any, and else to every name.
    """
    with _bind(host, port) as listening:  # before the models are loaded, which takes longer
        is_local = is_loopback(host)
        hosts = {*more_hosts, *(LOOPBACK_NAMES if is_local else ())}
        app = create_app(load_models(names), limits, hosts)
        config = uvicorn.Config(
            app,
            http="h11",
            ws="none",
            lifespan="on",
            log_level="warning",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_keep_alive=_IDLE,
            timeout_graceful_shutdown=limits.seconds + _MORE_SECONDS,
        )
        bound = listening.getsockname()
        name = f"[{bound[0]}]" if ":" in bound[0] else bound[0]
        if not is_local:
            say(f"note: other machines can reach {name}; the server asks nobody who they are")
        say(f"discoseq answers at http://{name}:{bound[1]}")
        uvicorn.Server(config).run([listening])


def _bind(host: str, port: int) -> socket.socket:
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listening = socket.socket(family, socket.SOCK_STREAM)
        try:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind(address)
            listening.listen(_BACKLOG)
        except OSError:
            listening.close()
            raise
    except OSError as error:
        raise ParserError(f"can't listen at {host}, port {port}: {os_reason(error)}") from None
    return listening
