"""The application: its routes, and what stands around all of them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Annotated, Any

from fastapi import FastAPI, File, Form, Request, UploadFile
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Route

import discoseq
from discoseq.decoding.decode import Candidate
from discoseq.errors import DiscoseqError
from discoseq.parser.output import Result, render
from discoseq.treebanks.files import FORMATS
from discoseq.trees.transforms import drop_functions
from discoseq.trees.tree import Tree
from discoseq.web.admission import TREEBANK_PATH, AdmissionMiddleware, problem
from discoseq.web.answers import (
    ALL_DRAWINGS,
    Health,
    ModelsAnswer,
    ParseAnswer,
    Problem,
    TreeAnswer,
    parse_answer,
    to_json,
    tree_answer,
)
from discoseq.web.batcher import Batcher, Search
from discoseq.web.comparison import ComparisonAnswer, compare
from discoseq.web.limits import Limits
from discoseq.web.metrics import MEDIA_TYPE, Metrics, MetricsMiddleware
from discoseq.web.page_files import INDEX, PageFile, read_page
from discoseq.web.requests import (
    CompareRequest,
    DrawRequest,
    Format,
    ParseRequest,
    StepsRequest,
    first_error,
    read_input,
    read_sentence,
    read_tree,
)
from discoseq.web.security import SecurityMiddleware
from discoseq.web.served_models import ServedModels
from discoseq.web.step_answers import StepsAnswer, steps_answer
from discoseq.web.treebank_process import TreebankAnswer, run_reader
from discoseq.web.treebank_reader import Task

_READERS = 2  # processes that read treebanks at a time
_JSON = "application/json"
_TEXT = "text/plain; charset=utf-8"
_SVG = "image/svg+xml"
_PROBLEMS: dict[int | str, dict[str, Any]] = {
    400: {"model": Problem, "description": "The body can't be read."},
    403: {"model": Problem, "description": "Another site asks, or the server is called by a name that is not its own."},
    408: {"model": Problem, "description": "The request did not arrive in time."},
    413: {"model": Problem, "description": "The request is larger than the server allows."},
    422: {"model": Problem, "description": "The request makes no sense; the sentence says why."},
    503: {"model": Problem, "description": "Too many requests are in hand; Retry-After says when to try again."},
    504: {"model": Problem, "description": "The answer was not ready in time."},
}


def create_app(models: ServedModels, limits: Limits, hosts: Collection[str] = ()) -> FastAPI:
    """The application; `hosts` are the names by which clients may call the server, none: any."""
    metrics = Metrics(lambda: batcher.queue_length)
    batcher = Batcher({model.name: model.parser for model in models}, metrics.add_batch)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        await asyncio.to_thread(batcher.stop)

    # the interactive documentation would load scripts from elsewhere
    app = FastAPI(
        title="discoseq",
        version=discoseq.__version__,
        description="Constituency parsing, discontinuous trees included.",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
    )
    _add_pages(app, metrics)
    _add_parsing(app, models, batcher, limits)
    _add_trees(app, limits)
    app.add_exception_handler(DiscoseqError, _answer_error)
    app.add_exception_handler(RequestValidationError, _answer_invalid)
    app.add_exception_handler(HTTPException, _answer_refusal)
    # the last one is the outermost
    app.add_middleware(AdmissionMiddleware, limits=limits)
    app.add_middleware(SecurityMiddleware, hosts=hosts)
    app.add_middleware(MetricsMiddleware, metrics=metrics, routes=[x.path for x in app.routes if isinstance(x, Route)])
    return app


def _add_pages(app: FastAPI, metrics: Metrics) -> None:
    files = read_page()

    @app.get("/", include_in_schema=False)
    async def page() -> Response:
        return _send(files.get(INDEX))

    @app.get("/static/{path:path}", include_in_schema=False)
    async def static(path: str) -> Response:
        return _send(files.get(path))

    @app.get("/health", summary="Whether the server answers")
    async def health() -> Health:
        return Health(status="ok")

    @app.get("/metrics", summary="Figures for Prometheus", response_class=Response)
    async def show_metrics() -> Response:
        return Response(metrics.text(), media_type=MEDIA_TYPE)


def _send(file: PageFile | None) -> Response:
    if file is None:
        raise HTTPException(404, "there is no such file")
    return Response(file.content, media_type=file.media_type, headers={"Cache-Control": "no-cache"})


def _add_parsing(app: FastAPI, models: ServedModels, batcher: Batcher, limits: Limits) -> None:
    @app.get("/api/models", summary="The models that are loaded")
    async def list_models() -> ModelsAnswer:
        return ModelsAnswer(models=[model.answer(number == 0) for number, model in enumerate(models)])

    @app.post(
        "/api/parse",
        summary="Parse text",
        response_model=ParseAnswer,
        responses=_PROBLEMS | {200: {"content": {"text/plain": {}, _SVG: {}}}},
    )
    async def parse(request: ParseRequest) -> Response:
        model = models.named(request.model)
        sentences = await asyncio.to_thread(read_input, request, model.parser.rules, limits)
        kept = max(request.nbest, request.beam) if request.scores else request.nbest
        search = Search(model.name, request.beam, kept, request.nbest)
        found = await asyncio.wrap_future(batcher.parse(search, [sentence.words for sentence in sentences]))

        def answer() -> bytes:
            if request.format is Format.JSON:
                return to_json(
                    parse_answer(
                        model.name, model.parser.language, sentences, found, request.nbest, kept > 1, request.include
                    )
                )
            results = [Result(str(number), x[: request.nbest], x) for number, x in enumerate(found, 1)]
            has_scores = request.scores and request.format is not Format.SVG
            return "".join(render(results, request.format, has_scores)).encode()

        types = {Format.JSON: _JSON, Format.SVG: _SVG}
        return Response(await asyncio.to_thread(answer), media_type=types.get(request.format, _TEXT))

    @app.post("/api/steps", summary="How a tree is built", response_model=StepsAnswer, responses=_PROBLEMS)
    async def steps(request: StepsRequest) -> Response:
        model = models.named(request.model)
        parser = model.parser
        item: Tree | Candidate
        if "discbracket" in request.model_fields_set:
            smaller = replace(limits, words=limits.step_words)
            item = drop_functions(await asyncio.to_thread(read_tree, request.discbracket, smaller, "the tree"))
        else:
            sentence = await asyncio.to_thread(read_sentence, request, parser.rules, limits)
            search = Search(model.name, request.beam, 1, 1)
            item = (await asyncio.wrap_future(batcher.parse(search, [sentence.words])))[0][0]
        derivation = await asyncio.wrap_future(batcher.call(lambda: parser.derivation(item)))

        def answer() -> bytes:
            return to_json(steps_answer(model.name, parser.models[0].machine.linearization, derivation))

        return Response(await asyncio.to_thread(answer), media_type=_JSON)


def _add_trees(app: FastAPI, limits: Limits) -> None:
    readers = asyncio.Semaphore(_READERS)

    @app.post("/api/draw", summary="Draw a tree", response_model=TreeAnswer, responses=_PROBLEMS)
    async def draw(request: DrawRequest) -> Response:
        def answer() -> bytes:
            return to_json(tree_answer(read_tree(request.discbracket, limits, "the tree"), ALL_DRAWINGS))

        return Response(await asyncio.to_thread(answer), media_type=_JSON)

    @app.post("/api/compare", summary="Score a parse", response_model=ComparisonAnswer, responses=_PROBLEMS)
    async def compare_trees(request: CompareRequest) -> Response:
        def answer() -> bytes:
            gold = read_tree(request.gold, limits, "the gold tree")
            return to_json(compare(gold, read_tree(request.predicted, limits, "the parse")))

        return Response(await asyncio.to_thread(answer), media_type=_JSON)

    @app.post(TREEBANK_PATH, summary="Read or search a treebank", response_model=TreebankAnswer, responses=_PROBLEMS)
    async def read_treebank(
        file: Annotated[UploadFile, File(description="A treebank, plain or gzipped; the server keeps nothing.")],
        format: Annotated[
            str, Form(description="By default it is detected.", json_schema_extra={"enum": ["", *FORMATS]})
        ] = "",
        query: Annotated[str, Form(description="A query of docs/search-trees.md; without one all trees match.")] = "",
    ) -> Response:
        task = Task(
            name=file.filename or "the file",
            format=format or None,
            query=query or None,
            most_bytes=limits.upload_bytes,
            most_sentences=limits.upload_sentences,
            seconds=limits.seconds,
        )
        data = await file.read()
        async with readers:
            return Response(await run_reader(task, data), media_type=_JSON)


async def _answer_error(request: Request, error: Exception) -> Response:
    return problem(422, str(error))


async def _answer_invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    return problem(422, first_error(error.errors()))


async def _answer_refusal(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return problem(error.status_code, str(error.detail), dict(error.headers or {}))
