"""Headers of every answer, which hosts and sites may ask, and errors of our own without a traceback."""

from __future__ import annotations

import ipaddress
import traceback
from collections.abc import Collection

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from discoseq.web.admission import problem

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "[::1]"})


class SecurityMiddleware:
    """Adds the headers, and refuses requests that another site makes in the name of its visitors."""

    def __init__(self, app: ASGIApp, hosts: Collection[str] = ()) -> None:
        """`hosts` are the names by which the server may be called; none: any."""
        self.app = app
        self.hosts = frozenset(name.lower() for name in hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        is_started = False

        async def send_with_headers(message: Message) -> None:
            nonlocal is_started
            if message["type"] == "http.response.start":
                is_started = True
                headers = MutableHeaders(scope=message)
                headers.update(HEADERS)
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        refusal = self._refusal(scope["method"], Headers(scope=scope))
        if refusal is not None:
            await problem(403, refusal)(scope, receive, send_with_headers)
            return
        try:
            await self.app(scope, receive, send_with_headers)
        except Exception:
            traceback.print_exc()  # for whoever runs the server; the client learns nothing about its inside
            if not is_started:
                await problem(500, "the server has a fault; its log says more")(scope, receive, send_with_headers)

    def _refusal(self, method: str, headers: Headers) -> str | None:
        # a name that an attacker's DNS leads to this machine (DNS rebinding)
        if self.hosts and _without_port(headers.get("host", "")) not in self.hosts:
            return "the server is not called by this name; see `discoseq serve --allow-host`"
        is_link = method == "GET" and headers.get("sec-fetch-mode") == "navigate"
        if headers.get("sec-fetch-site") == "cross-site" and not is_link:
            return "requests from other sites are not answered"
        return None


def _without_port(host: str) -> str:
    name, separator, port = host.lower().rpartition(":")
    return name if separator and port.isdigit() else host.lower()


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a server that is bound there."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"
