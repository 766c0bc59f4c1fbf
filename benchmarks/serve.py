"""How much faster a server answers requests that arrive together than one after the other; both through HTTP.

python benchmarks/serve.py
"""

import asyncio
import random
import re
import subprocess
import sys
import time
from pathlib import Path

import httpx

from discoseq.treebanks.files import read_trees

EXAMPLES = Path(__file__).resolve().parents[1] / "examples" / "twenty.discbracket"
MODEL = "en"
REQUESTS = 100
CONNECTIONS = 64
ROUNDS = 3
LEAST_RATIO = 3.0


def main() -> None:
    command = [sys.executable, "-m", "discoseq", "serve", "--port", "0", "--timeout", "600", "--model", MODEL]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        found = re.search(r"http://\S+", process.stderr.readline())
        assert found is not None
        asyncio.run(compare(found[0]))
    finally:
        process.terminate()
        process.wait()


async def compare(url: str) -> None:
    chance = random.Random(1)
    trees = list(read_trees(EXAMPLES))
    bodies = [{"tokens": [list(chance.choice(trees).words)]} for _ in range(REQUESTS)]
    limits = httpx.Limits(max_connections=CONNECTIONS, max_keepalive_connections=CONNECTIONS)
    async with httpx.AsyncClient(base_url=url, limits=limits, timeout=600) as client:
        await ask(client, bodies[:CONNECTIONS], CONNECTIONS)  # opens the connections
        ratios = []
        print(f"{REQUESTS} requests of one sentence each, beam 10, model {MODEL}\n")
        print("requests a second: one at a time   together   ratio")
        for _ in range(ROUNDS):  # side by side, because the machine may have other work
            alone = await ask(client, bodies, 1)
            together = await ask(client, bodies, CONNECTIONS)
            ratios.append(together / alone)
            print(f"{alone:34.1f} {together:10.1f} {ratios[-1]:7.2f}")
    median = sorted(ratios)[len(ratios) // 2]
    print(f"\nmedian ratio {median:.2f}; at least {LEAST_RATIO} is wanted")


async def ask(client: httpx.AsyncClient, bodies: list[dict[str, list[list[str]]]], at_once: int) -> float:
    """Requests a second, with so many under way at a time."""
    free = asyncio.Semaphore(at_once)

    async def one(body: dict[str, list[list[str]]]) -> None:
        async with free:
            answer = await client.post("/api/parse", json=body)
            answer.raise_for_status()

    start = time.perf_counter()
    await asyncio.gather(*(one(body) for body in bodies))
    return len(bodies) / (time.perf_counter() - start)


if __name__ == "__main__":
    main()
