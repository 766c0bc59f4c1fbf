"""Ray while a corpus is parsed: a cluster somewhere, or one of this machine that ends with the work; quiet both."""

from __future__ import annotations

import logging
import os
import shutil
import signal
import socket
import tempfile
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from discoseq.errors import ParserError, first_line, os_reason

_OBJECT_STORE = 100 << 20  # bytes; only the names of shards and their counts pass through it
_SYSTEM = {"worker_niceness": 0}  # workers have the priority of the command; Ray would give them a lower one
_SECONDS_TO_CONNECT = 10.0
_LONGEST_SOCKET_FOLDER = 40  # characters of a folder for the sockets of Ray, whose paths have 107 at most


@dataclass(frozen=True, slots=True)
class RayCluster:
    """Where the workers run, and what each of them has."""

    address: str | None = None  # None: a cluster of this machine alone, which ends with the run
    workers: int | None = None  # None: as many as the cluster has CPUs or GPUs for
    gpus_per_worker: float = 0.0
    threads: int = 1  # CPUs of each worker


@contextmanager
def ray_running(ray: Any, cluster: RayCluster) -> Iterator[None]:
    """Ray while the block runs: that of the caller, the cluster at the address, or one of our own."""
    if ray.is_initialized():
        with _quiet_data(ray):
            yield
        return
    folder = None if cluster.address else Path(tempfile.mkdtemp(prefix="discoseq-", dir=_short_folder()))
    is_main = threading.current_thread() is threading.main_thread()
    handler = signal.getsignal(signal.SIGTERM)
    try:
        try:
            _start(ray, cluster, folder)
        except SystemExit as error:  # what the handler that Ray sets makes of the signal, while Ray is starting
            if error.code == signal.SIGTERM and callable(handler):
                handler(signal.SIGTERM, None)
            raise
        if is_main and handler is not None:
            signal.signal(signal.SIGTERM, handler)
        with _quiet_data(ray):
            yield
    finally:
        ray.shutdown()
        if is_main and handler is not None:
            signal.signal(signal.SIGTERM, handler)
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)


def worker_count(ray: Any, cluster: RayCluster) -> int:
    """As many as are wanted, or as there is room for; a cluster without room for one would let us wait forever."""
    resources = ray.cluster_resources()
    by_cpu = resources.get("CPU", 0) / cluster.threads
    by_gpu = resources.get("GPU", 0) / cluster.gpus_per_worker if cluster.gpus_per_worker else by_cpu
    if min(by_cpu, by_gpu) < 1:
        wanted = f"{cluster.threads} CPUs and {cluster.gpus_per_worker:g} GPUs"
        raise ParserError(f"a worker needs {wanted}, and the Ray cluster has not so many; ask for fewer")
    return cluster.workers or int(min(by_cpu, by_gpu))


def _start(ray: Any, cluster: RayCluster, folder: Path | None) -> None:
    quiet = {"log_to_driver": False, "logging_level": "CRITICAL"}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if cluster.address is not None:
                _check_reachable(cluster.address)
                ray.init(cluster.address, **quiet)
                return
            ray.init(
                "local",
                num_cpus=max((cluster.workers or 1) * cluster.threads, 0 if cluster.workers else _own_cpus()),
                include_dashboard=False,
                object_store_memory=_OBJECT_STORE,
                _temp_dir=str(folder),
                _system_config=_SYSTEM,
                **quiet,
            )
    except (ConnectionError, OSError, RuntimeError, ValueError) as error:
        where = f"the Ray cluster {cluster.address} can't be reached" if cluster.address else "Ray can't be started"
        raise ParserError(f"{where} ({first_line(error)})") from None


def _own_cpus() -> int:
    """Those that this process may use, which may be fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _check_reachable(address: str) -> None:
    """Where nobody answers, Ray itself would try for minutes."""
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if colon and port.isdecimal():
        try:
            socket.create_connection((host.strip("[]"), int(port)), _SECONDS_TO_CONNECT).close()
        except OSError as error:
            raise ConnectionError(os_reason(error)) from None


@contextmanager
def _quiet_data(ray: Any) -> Iterator[None]:
    """No progress bars and no log of Ray Data on standard error; what goes wrong is raised."""
    context = ray.data.DataContext.get_current()
    logger = logging.getLogger("ray.data")
    before = context.enable_progress_bars, logger.level
    context.enable_progress_bars = False
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        context.enable_progress_bars = before[0]
        logger.setLevel(before[1])


def _short_folder() -> str | None:
    """Where temporary files are, unless the names there would be too long for sockets."""
    return None if len(tempfile.gettempdir()) <= _LONGEST_SOCKET_FOLDER else "/tmp"
