"""The server as a process: many clients at once, limits, clients that go away, and its end."""

import asyncio
import gzip
import random
import signal
import socket
import time
from collections.abc import Callable, Iterator
from itertools import cycle, islice
from typing import Any

import httpx
import pytest

from discoseq.parser.parser import Parser
from parser.trained import example_trees
from web.serving import Server, serving

WORDS = [word for tree in example_trees() for word in tree.words]
PATIENT = 600  # seconds; a machine that runs tests may be busy
PARSED = 'discoseq_sentences_parsed_total{model="en"}'


def wait_until(holds: Callable[[], bool], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)


def long_sentence(words: int) -> list[str]:
    """One that takes seconds."""
    return list(islice(cycle(WORDS), words))


@pytest.fixture(scope="module")
def english() -> Iterator[Server]:
    with serving("--timeout", PATIENT, model="en") as running:
        yield running


@pytest.mark.slow
def test_no_answer_is_lost_or_swapped_under_load(english: Server) -> None:
    chance = random.Random(1)
    wanted: list[tuple[list[str], int]] = [
        ([f"n{number}", *chance.choices(WORDS, k=chance.choice([1, 2, 3, 5, 8, 13, 21]))], chance.choice([1, 1, 10]))
        for number in range(300)
    ]

    async def ask() -> list[httpx.Response]:
        limits = httpx.Limits(max_connections=101)
        async with httpx.AsyncClient(base_url=english.url, limits=limits, timeout=PATIENT) as client:
            # the parser is faster than this client, so some requests are to wait behind a long sentence
            long = asyncio.create_task(client.post("/api/parse", json={"tokens": [long_sentence(450)], "nbest": 5}))
            await asyncio.sleep(0.2)
            answers = await asyncio.gather(
                *(client.post("/api/parse", json={"tokens": [words], "beam": beam}) for words, beam in wanted)
            )
            assert (await long).status_code == 200
            return answers

    before, batches_before = english.figure(PARSED), english.figure("discoseq_batch_sentences_count")
    answers = asyncio.run(ask())
    assert {answer.status_code for answer in answers} == {200}
    parser = Parser.load("en")
    for beam in (1, 10):
        chosen = [number for number, (_, of) in enumerate(wanted) if of == beam]
        expected = parser.nbest_all([wanted[number][0] for number in chosen], 1, beam)
        for number, candidates in zip(chosen, expected, strict=True):
            (sentence,) = answers[number].json()["sentences"]
            assert sentence["words"] == wanted[number][0]
            assert sentence["candidates"][0]["tree"]["words"] == wanted[number][0]
            found = sentence["candidates"][0]["log_probability"]
            assert found == pytest.approx(candidates[0].log_probability, abs=1e-2)
    assert english.figure(PARSED) == before + 301
    # they came together, so they were parsed together
    assert english.figure("discoseq_batch_sentences_count") - batches_before < 301 / 4


@pytest.mark.slow
def test_the_server_answers_others_while_it_parses(english: Server) -> None:
    async def ask() -> tuple[float, bool]:
        async with httpx.AsyncClient(base_url=english.url, timeout=PATIENT) as client:
            parsing = asyncio.create_task(client.post("/api/parse", json={"tokens": [long_sentence(450)], "nbest": 5}))
            await asyncio.sleep(0.2)
            start = time.monotonic()
            for _ in range(5):
                assert (await client.get("/health")).json() == {"status": "ok"}
            duration, is_parsing = time.monotonic() - start, not parsing.done()
            assert (await parsing).status_code == 200
            return duration, is_parsing

    duration, was_parsing = asyncio.run(ask())
    assert was_parsing
    assert duration < 5


@pytest.mark.slow
def test_more_requests_than_allowed_are_sent_away_and_a_client_that_leaves_makes_room() -> None:
    with serving("--max-requests", 2, "--timeout", PATIENT, model="en") as server:

        async def ask() -> None:
            async with httpx.AsyncClient(base_url=server.url, timeout=PATIENT) as client:
                slow = {"tokens": [long_sentence(450)], "nbest": 5}
                busy = asyncio.create_task(client.post("/api/parse", json=slow))
                await asyncio.sleep(0.3)
                waiting = asyncio.create_task(client.post("/api/parse", json={"tokens": [["w"]] * 100}))
                await asyncio.to_thread(wait_until, lambda: server.figure("discoseq_queue_sentences") == 100)
                refused = await client.post("/api/draw", json={"discbracket": "(S 0=a)"})
                assert refused.status_code == 503
                assert int(refused.headers["retry-after"]) > 0
                assert refused.json()["detail"].startswith("2 requests are in hand")
                waiting.cancel()  # closes the connection
                await asyncio.to_thread(wait_until, lambda: server.figure("discoseq_queue_sentences") == 0)
                accepted = await client.post("/api/draw", json={"discbracket": "(S 0=a)"})
                assert accepted.status_code == 200
                assert not busy.done()
                assert (await busy).status_code == 200

        asyncio.run(ask())
        assert server.figure('discoseq_requests_total{route="/api/parse",status="499"}') == 1
        assert server.post("/api/parse", tokens=[["w"]]).status_code == 200
        assert server.figure(PARSED) == 2  # nothing of what was dropped


@pytest.mark.slow
def test_what_takes_too_long_is_given_up() -> None:
    with serving("--timeout", 1, model="en") as server:
        late = server.post("/api/parse", tokens=[long_sentence(480)], nbest=5)
        assert (late.status_code, late.json()["detail"]) == (
            504,
            "the answer was not ready within 1 seconds; send less at a time",
        )
        start = time.monotonic()
        stuck = server.upload(f"(S (N 0={'a' * 40}b))".encode(), query=r"/^(a+)+$/")
        assert stuck.status_code in (413, 504)  # the process that reads has a limit of its own
        assert time.monotonic() - start < 20
        assert server.get("/health").status_code == 200
        with socket.create_connection(("127.0.0.1", int(server.url.rpartition(":")[2]))) as connection:
            connection.sendall(b"POST /api/draw HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n{")
            assert connection.recv(1000).startswith(b"HTTP/1.1 408 ")


@pytest.mark.parametrize(
    ("path", "body", "reason"),
    [
        ("/api/parse", {"tokens": [["w"] * 31]}, "sentence 1 has more than 30 words"),
        ("/api/parse", {"text": "a " * 31}, "sentence 1 has more than 30 words"),
        ("/api/parse", {"sentences": ["a"] * 6}, "more than 5 sentences"),
        ("/api/parse", {"text": "He came. " * 6}, "more than 5 sentences"),
        ("/api/parse", {"tokens": [["w" * 1001]]}, "more than 1,000 characters"),
        ("/api/parse", {"text": "x" * (1 << 20)}, "more than 1,048,576 bytes"),
        ("/api/steps", {"tokens": ["w"] * 101}, "sentence 1 has more than 100 words"),
        ("/api/draw", {"discbracket": "(A " * 200 + "0=a" + ")" * 200}, "the tree has more than 150 brackets"),
        ("/api/draw", {"discbracket": "(A 999999=a)"}, "the tree has more than 30 words"),
        ("/api/draw", {"discbracket": f"(A {' '.join('w' * 31)})"}, "the tree has more than 30 words"),
        ("/api/draw", {"discbracket": f"(A {'w ' * 400_000})"}, "the tree has more than 30 words"),
        ("/api/compare", {"gold": "(A 0=a)", "predicted": "(A 999999=a)"}, "the parse has more than 30 words"),
    ],
)
def test_what_is_too_large_is_refused(small_server: Server, path: str, body: dict[str, Any], reason: str) -> None:
    answer = small_server.post(path, **body)
    assert answer.status_code == 413
    assert reason in answer.json()["detail"]


def test_a_file_that_is_too_large_is_refused(small_server: Server) -> None:
    def upload(content: bytes) -> tuple[int, str]:
        answer = small_server.upload(content, "t.dbr")
        return answer.status_code, answer.json()["detail"]

    line = b"(S (A 0=a))\n"
    assert upload(line * 5001) == (413, "t.dbr: the file has more than 5,000 sentences, which is the limit")
    too_large = (413, "t.dbr: the file has more than 8,388,608 bytes, which is the limit")
    assert upload(gzip.compress(b" " * (1 << 26))) == too_large
    assert upload(b" " * (9 << 20))[0] == 413


def test_a_body_of_unknown_length_is_counted_as_it_comes(small_server: Server) -> None:
    answer = small_server.client.post("/api/parse", content=(b" " * 65536 for _ in range(20)))
    assert (answer.status_code, "bytes" in answer.json()["detail"]) == (413, True)


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_ends_the_server_when_what_it_accepted_is_answered(number: int, code: int) -> None:
    with serving("--timeout", PATIENT, model="en") as server:

        async def ask() -> list[httpx.Response]:
            async with httpx.AsyncClient(base_url=server.url, timeout=PATIENT) as client:
                bodies = [{"tokens": [[f"n{i}", *long_sentence(60)]] * 2, "beam": 1} for i in range(12)]
                asked = [asyncio.create_task(client.post("/api/parse", json=body)) for body in bodies]
                await asyncio.to_thread(wait_until, lambda: server.figure("discoseq_queue_sentences") > 0)
                assert not all(task.done() for task in asked)
                server.process.send_signal(number)
                return await asyncio.gather(*asked)

        answers = asyncio.run(ask())
        assert [answer.status_code for answer in answers] == [200] * 12
        assert [answer.json()["sentences"][0]["words"][0] for answer in answers] == [f"n{i}" for i in range(12)]
        assert server.process.wait(30) == code
        assert server.process.stderr is not None
        assert server.process.stderr.read() == ""
        with pytest.raises(httpx.ConnectError):
            server.get("/health")


def test_the_figures_count_by_route_and_status(server: Server) -> None:
    def count(route: str, status: int) -> float:
        return server.figure(f'discoseq_requests_total{{route="{route}",status="{status}"}}')

    before = count("/api/draw", 200), count("/api/draw", 422), count("other", 404)
    server.post("/api/draw", discbracket="(S 0=a)")
    server.post("/api/draw", discbracket="(S")
    server.get("/no/such/path")
    server.get("/nor/this")
    assert (count("/api/draw", 200), count("/api/draw", 422), count("other", 404)) == (
        before[0] + 1,
        before[1] + 1,
        before[2] + 2,
    )
    assert server.figure('discoseq_request_seconds_count{route="/api/draw"}') >= 2
