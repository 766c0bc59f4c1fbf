"""Which requests are answered: not too large, too many or too slow, and only as long as the client waits."""

from __future__ import annotations

import asyncio

from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from discoseq.web.limits import Limits

TREEBANK_PATH = "/api/treebank"  # its files may be larger than other requests
_MULTIPART_BYTES = 1 << 16  # that an upload has around its file
_RETRY_AFTER = 5  # seconds
# A client that is still writing does not read. So what it writes is read to its end before it is refused, within these.
_DRAINED_SECONDS = 5.0
_DRAINED_BYTES = 1 << 26


def problem(status: int, sentence: str, headers: dict[str, str] | None = None) -> JSONResponse:
    """The answer to a request that can't be fulfilled."""
    # a file of JSON lines may have halves of surrogate pairs, and the sentence may quote one
    return JSONResponse({"detail": sentence.encode("utf-8", "replace").decode()}, status, headers)


class AdmissionMiddleware:
    """Refuses what is too large, too much or too slow, and cancels a request whose client has gone."""

    def __init__(self, app: ASGIApp, limits: Limits) -> None:
        self.app = app
        self.limits = limits
        self.in_hand = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] in ("GET", "HEAD"):
            await self.app(scope, receive, send)
            return
        if self.in_hand >= self.limits.requests:
            await _drain(receive)
            busy = f"{self.limits.requests} requests are in hand, which is the limit; try again later"
            await problem(503, busy, {"Retry-After": str(_RETRY_AFTER)})(scope, receive, send)
            return
        self.in_hand += 1
        try:
            await self._answer(scope, _Body(receive, self._most_bytes(scope)), send)
        finally:
            self.in_hand -= 1

    def _most_bytes(self, scope: Scope) -> int:
        is_upload = scope["path"] == TREEBANK_PATH
        return self.limits.upload_bytes + _MULTIPART_BYTES if is_upload else self.limits.request_bytes

    async def _answer(self, scope: Scope, body: _Body, send: Send) -> None:
        is_started = False

        async def note_start(message: Message) -> None:
            nonlocal is_started
            is_started = True
            await send(message)

        answer = asyncio.create_task(self._run(scope, body, note_start))
        departure = asyncio.create_task(body.wait_for_departure())
        try:
            done, _ = await asyncio.wait(
                {answer, departure}, timeout=self.limits.seconds, return_when=asyncio.FIRST_COMPLETED
            )
            if answer in done:
                answer.result()
            elif not done and not is_started:
                await _cancel(answer)
                seconds = f"{self.limits.seconds} seconds"
                too_late = (504, f"the answer was not ready within {seconds}; send less at a time")
                status, why = too_late if body.is_complete else (408, f"the request did not arrive within {seconds}")
                await problem(status, why)(scope, body.receive, send)
        finally:
            await _cancel(answer)
            await _cancel(departure)

    async def _run(self, scope: Scope, body: _Body, send: Send) -> None:
        declared = dict(scope["headers"]).get(b"content-length", b"0")
        if declared.isdigit() and int(declared) > body.most_bytes:
            await _drain(body.receive_any)
            await problem(413, body.too_large)(scope, body.receive, send)
        else:
            await self.app(scope, body.receive, send)


class _Body:
    """The body of a request, counted as it comes in."""

    def __init__(self, receive: Receive, most_bytes: int) -> None:
        self.receive_any = receive
        self.most_bytes = most_bytes
        self.too_large = f"the request has more than {most_bytes:,} bytes, which is the limit"
        self._count = 0
        self._complete = asyncio.Event()
        self._left = asyncio.Event()

    @property
    def is_complete(self) -> bool:
        return self._complete.is_set()

    async def receive(self) -> Message:
        """The next part; after the last one, that the client has gone, when it has."""
        if self.is_complete:
            await self._left.wait()
            return {"type": "http.disconnect"}
        message = await self.receive_any()
        self._count += len(message.get("body", b""))
        if self._count > self.most_bytes:
            await _drain(self.receive_any)
            raise HTTPException(413, self.too_large)
        if message["type"] == "http.disconnect" or not message.get("more_body"):
            self._complete.set()
        return message

    async def wait_for_departure(self) -> None:
        """Return when the client closes the connection after its request is complete."""
        await self._complete.wait()
        while (await self.receive_any())["type"] != "http.disconnect":
            pass
        self._left.set()


async def _drain(receive: Receive) -> None:
    """Read what is left of a body and forget it."""
    count = 0
    try:
        async with asyncio.timeout(_DRAINED_SECONDS):
            while count <= _DRAINED_BYTES:
                message = await receive()
                count += len(message.get("body", b""))
                if message["type"] == "http.disconnect" or not message.get("more_body"):
                    return
    except TimeoutError:
        pass


async def _cancel(task: asyncio.Task[None]) -> None:
    """Cancel a task and wait for its end; what it raises is not wanted any more."""
    task.cancel()
    await asyncio.wait({task})
    if not task.cancelled():
        task.exception()
