"""Figures for Prometheus: requests, their time, the queue, the batches."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MEDIA_TYPE = CONTENT_TYPE_LATEST
CLIENT_LEFT = 499  # the status of a request whose client has gone; nginx has the same number
_BATCH_SIZES = (1, 2, 4, 8, 16, 32, 64, 128)
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)


class Metrics:
    """The figures of one server."""

    def __init__(self, queue_length: Callable[[], int]) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "discoseq_requests", "Requests answered.", ["route", "status"], registry=self._registry
        )
        self._seconds = Histogram(
            "discoseq_request_seconds", "Time to answer.", ["route"], buckets=_SECONDS, registry=self._registry
        )
        self._batches = Histogram(
            "discoseq_batch_sentences", "Sentences parsed together.", buckets=_BATCH_SIZES, registry=self._registry
        )
        self._sentences = Counter("discoseq_sentences_parsed", "Sentences parsed.", ["model"], registry=self._registry)
        queue = Gauge("discoseq_queue_sentences", "Sentences that wait to be parsed.", registry=self._registry)
        queue.set_function(queue_length)

    def add_request(self, route: str, status: int, seconds: float) -> None:
        """An answer, or a client that did not wait for it."""
        self._requests.labels(route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def add_batch(self, model: str, sentences: int) -> None:
        """Sentences that were parsed together."""
        self._batches.observe(sentences)
        self._sentences.labels(model).inc(sentences)

    def text(self) -> bytes:
        """The figures in the format of Prometheus."""
        return generate_latest(self._registry)


class MetricsMiddleware:
    """Counts requests by route; all paths that are none count as one, so that no client can add figures."""

    def __init__(self, app: ASGIApp, metrics: Metrics, routes: Collection[str]) -> None:
        self.app = app
        self.metrics = metrics
        self.routes = frozenset(routes)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        status = CLIENT_LEFT
        start = time.monotonic()

        async def note_status(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, note_status)
        finally:
            self.metrics.add_request(self._route(scope["path"]), status, time.monotonic() - start)

    def _route(self, path: str) -> str:
        if path in self.routes:
            return path
        return "/static" if path.startswith("/static/") else "other"
