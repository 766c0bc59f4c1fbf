"""A corpus on a real Ray cluster of two workers: killed workers and drivers, full disks, refusals, signals."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from discoseq.errors import DiscoseqError
from discoseq.trees.tree import Tree
from integrations.ray_cluster import (
    LONGEST_WAIT,
    WorkerKiller,
    check_trees,
    finished_shards,
    partial_files,
    short_folder,
    trees_of_one_process,
    wait_until_gone,
    write_words,
)
from parser.trained import trained_directory

ray: Any = pytest.importorskip("ray", reason="the extra ray is not installed")

from discoseq.integrations import ray as ray_module  # noqa: E402 - without ray these tests are skipped
from discoseq.integrations.ray import (  # noqa: E402
    CorpusOptions,
    CorpusProgress,
    DiscoseqActor,
    RayCluster,
    parse_corpus,
)

pytestmark = pytest.mark.slow

SHARD_LINES = 2100  # more than two chunks, so a worker can be killed between them


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    """The address of a cluster of two CPUs, which this process is connected to, too."""
    with short_folder() as folder:
        ray.init(
            "local",
            num_cpus=2,
            include_dashboard=False,
            object_store_memory=100 << 20,
            log_to_driver=False,
            logging_level="CRITICAL",
            _temp_dir=str(folder),
            _system_config={"worker_niceness": 0},  # on a busy machine the tests would take long
        )
        try:
            yield ray.get_runtime_context().gcs_address
        finally:
            ray.shutdown()
            assert wait_until_gone(str(folder)) == []


def options(shard_lines: int = SHARD_LINES) -> CorpusOptions:
    return CorpusOptions((str(trained_directory()),), beam_size=1, is_tokenized=True, shard_lines=shard_lines)


def command(text: Path, out: Path, *more: object, workers: int = 1) -> list[str]:
    given = [text, "--out", out, "--tokenized", "--model", trained_directory(), "--beam", 1, *more]
    return [
        sys.executable,
        "-m",
        "discoseq",
        "parse-corpus",
        *map(str, given),
        "--shard-lines",
        str(SHARD_LINES),
        "--workers",
        str(workers),
    ]


def run(call: list[str], **more: Any) -> tuple[int, str, str]:
    done = subprocess.run(call, capture_output=True, text=True, timeout=LONGEST_WAIT, check=False, **more)
    return done.returncode, done.stdout, done.stderr


def test_a_killed_worker_costs_nothing_but_time(cluster: str, tmp_path: Path) -> None:
    text, out = tmp_path / "words.txt", tmp_path / "out"
    sentences = write_words(text, 5 * SHARD_LINES - 7)
    killer = WorkerKiller(out)
    killer.start()
    reports: list[CorpusProgress] = []
    counts = parse_corpus([text], out, options(), RayCluster(workers=2), reports.append)
    killer.join(LONGEST_WAIT)
    assert killer.killed is not None
    check_trees(out, text, sentences)
    assert (counts.shard_count, counts.sentence_count, counts.bad_count) == (5, len(sentences), 0)
    assert [x.finished_shards for x in reports] == [0, 1, 2, 3, 4, 5]
    assert reports[-1] == CorpusProgress(5, len(sentences), 5, len(sentences), 0)
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["is_finished"]
    assert manifest["counts"]["sentence_count"] == len(sentences)
    assert [shard["file"] for shard in manifest["shards"]] == [f"trees/part-00000{i}.discbracket" for i in range(5)]


def test_a_killed_driver_goes_on_and_parses_nothing_twice(cluster: str, tmp_path: Path) -> None:
    text, out = tmp_path / "words.txt", tmp_path / "out"
    sentences = write_words(text, 6 * SHARD_LINES)
    call = command(text, out, "--ray", cluster, workers=2)
    driver = subprocess.Popen(call, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    deadline = time.monotonic() + LONGEST_WAIT
    while len(list((out / "done").glob("part-*.json"))) < 2:
        assert driver.poll() is None, driver.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.01)
    driver.kill()
    driver.communicate()
    before = finished_shards(out)
    assert 2 <= len(before) < 6
    reports: list[CorpusProgress] = []
    parse_corpus([text], out, options(), RayCluster(workers=2), reports.append)
    check_trees(out, text, sentences)
    after = finished_shards(out)
    assert {name: after[name] for name in before} == before
    assert reports[0].finished_shards >= len(before)  # a worker may have ended its shard a moment after the driver
    again = parse_corpus([text], out, options(), RayCluster(workers=2))  # nothing is left to do
    assert again.sentence_count == len(sentences)
    assert finished_shards(out) == after


def test_other_options_and_models_are_refused_before_anything_is_parsed(
    cluster: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text, out = tmp_path / "words.txt", tmp_path / "out"
    sentences = write_words(text, 20)
    monkeypatch.setattr(ray_module, "_MOST_TASKS", 2)  # so two of the three shards are in one task
    parse_corpus([text], out, options(8), RayCluster(workers=1))
    check_trees(out, text, sentences)
    before = finished_shards(out)
    assert len(before) == 3
    with pytest.raises(DiscoseqError, match=r"differs in --beam \(there 1\); repeat that command to go on with it"):
        parse_corpus([text], out, replace(options(8), beam_size=2))
    with pytest.raises(DiscoseqError, match="differs in the models; "):
        parse_corpus([text], out, replace(options(8), models=("nl",)))
    assert finished_shards(out) == before


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system with room for 256 KiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    call = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(folder)]
    if os.geteuid() != 0 or shutil.which("mount") is None or subprocess.run(call, capture_output=True).returncode:
        pytest.skip("only root can make a small disk here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_full_disk_is_one_sentence_and_leaves_nothing_half_written(
    cluster: str, tmp_path: Path, small_disk: Path
) -> None:
    text, out = tmp_path / "words.txt", small_disk / "out"
    write_words(text, 2 * SHARD_LINES)
    code, output, error = run(command(text, out, "--ray", cluster, "--quiet"))
    assert (code, output) == (1, "")
    assert error in [f"{out}/trees/part-00000{i}.discbracket: no space left on device\n" for i in range(2)]
    assert partial_files(out) == []
    assert {path.stem for path in (out / "trees").iterdir()} == set(finished_shards(out))


def test_an_unwritable_target_is_one_sentence(tmp_path: Path) -> None:
    write_words(tmp_path / "words.txt", 2)
    (tmp_path / "file").write_text("")
    with pytest.raises(DiscoseqError) as caught:
        parse_corpus([tmp_path / "words.txt"], tmp_path / "file" / "out", options())
    assert str(caught.value) == f"{tmp_path}/file/out: not a directory"
    if Path("/sys").is_dir():  # a folder that even root can't write
        with pytest.raises(DiscoseqError) as caught:
            parse_corpus([tmp_path / "words.txt"], "/sys/out", options())
        assert str(caught.value) in ["/sys/out/trees: permission denied", "/sys/out/trees: operation not permitted"]


def test_a_cluster_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    write_words(tmp_path / "words.txt", 2)
    code, output, error = run(command(tmp_path / "words.txt", tmp_path / "out", "--ray", "127.0.0.1:9", "--quiet"))
    assert (code, output) == (1, "")
    assert error == "the Ray cluster 127.0.0.1:9 can't be reached (connection refused)\n"


def test_workers_that_the_cluster_has_no_room_for_are_one_sentence(cluster: str, tmp_path: Path) -> None:
    write_words(tmp_path / "words.txt", 2)
    with pytest.raises(DiscoseqError, match=r"a worker needs 1 CPUs and 0\.5 GPUs, and the Ray cluster has not"):
        parse_corpus([tmp_path / "words.txt"], tmp_path / "out", options(), RayCluster(workers=2, gpus_per_worker=0.5))


def test_a_terminated_command_says_how_to_go_on(cluster: str, tmp_path: Path) -> None:
    text, out = tmp_path / "words.txt", tmp_path / "out"
    sentences = write_words(text, 4 * SHARD_LINES)
    process = subprocess.Popen(command(text, out, "--ray", cluster), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    wait_for_a_shard(out, process)
    process.send_signal(signal.SIGTERM)
    process.send_signal(signal.SIGTERM)  # as `timeout` does
    output, error = process.communicate(timeout=LONGEST_WAIT)
    assert (process.returncode, output) == (143, b"")
    lines = error.decode().splitlines()
    assert lines[0] == f"{len(sentences):,} sentences in 4 shards"
    assert lines[-1].startswith("interrupted: ")
    assert lines[-1].endswith(" of 4 shards are finished; the same command goes on")
    assert all(" of 4 shards: parsed " in line for line in lines[1:-1])  # on a busy machine
    assert partial_files(out) == []
    assert {path.stem for path in (out / "trees").iterdir()} == set(finished_shards(out))


def test_an_interrupted_command_ends_its_own_cluster(tmp_path: Path) -> None:
    text, out = tmp_path / "words.txt", tmp_path / "out"
    sentences = write_words(text, 4 * SHARD_LINES)
    with short_folder() as folder:
        environment = os.environ | {"TMPDIR": str(folder)}
        process = subprocess.Popen(
            command(text, out),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
            start_new_session=True,
        )
        wait_for_a_shard(out, process)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        output, error = process.communicate(timeout=LONGEST_WAIT)
        assert (process.returncode, output) == (130, b"")
        assert error.decode().splitlines()[-1].endswith(" of 4 shards are finished; the same command goes on")
        assert partial_files(out) == []
        before = finished_shards(out)
        code, output_again, error_again = run([*command(text, out), "--json"], env=environment)
        assert code == 0
        assert json.loads(output_again)["sentence_count"] == len(sentences)
        lines = error_again.splitlines()
        assert lines[0] == f"{len(sentences):,} sentences in 4 shards, {len(before):,} of them finished"
        assert lines[-1].startswith(f"{out}: {len(sentences):,} trees in 4 shards, ")
        assert wait_until_gone(str(folder)) == []
        assert list(folder.iterdir()) == []
    check_trees(out, text, sentences)
    assert {name: finished_shards(out)[name] for name in before} == before


def test_the_command_leaves_a_ray_that_starts_no_cluster_by_itself(tmp_path: Path) -> None:
    script = f"""
import sys
from discoseq.cli.main import main
sys.argv = ["discoseq", "parse-corpus", "missing.txt", "--out", "out", "--model", {str(trained_directory())!r}]
try:
    main()
except SystemExit as end:
    assert end.code == 1, end
import ray
ray.put(1)
"""
    with short_folder() as folder:
        code, _, error = run([sys.executable, "-c", script], cwd=tmp_path, env=os.environ | {"TMPDIR": str(folder)})
        assert (code, list(folder.iterdir())) == (1, [])
    assert "Ray has not been started" in error.splitlines()[-1]


def wait_for_a_shard(out: Path, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + LONGEST_WAIT
    while not list((out / "done").glob("part-*.json")):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.parametrize("batch_format", ["numpy", "pandas"])
def test_batches_of_a_dataset_get_trees(cluster: str, batch_format: str) -> None:
    known = trees_of_one_process()
    rows = [{"number": number, "words": list(words)} for number, words in enumerate(known)]
    parsed = ray.data.from_items([*rows, {"number": 20, "words": []}]).map_batches(
        DiscoseqActor,
        fn_constructor_args=(str(trained_directory()),),
        fn_constructor_kwargs={"beam_size": 1},
        batch_size=7,
        batch_format=batch_format,
        concurrency=1,
    )
    found = sorted(parsed.take_all(), key=lambda row: int(row["number"]))
    assert [Tree.fromstring(row["tree"]) for row in found[:20]] == list(known.values())
    assert [tuple(row["words"]) for row in found] == [*known, ()]
    assert all(row["log_probability"] < 0 for row in found[:20])
    assert (found[20]["tree"], found[20]["parse_error"]) == ("", "the sentence has no words")
