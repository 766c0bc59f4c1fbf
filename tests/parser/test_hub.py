"""Models go to the hub and come back: the real client, and a hub that is a directory on this machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from threading import Thread

import pytest

from discoseq import Parser
from discoseq.model.model_files import FILES
from discoseq.parser.model_registry import is_hub_name
from parser.local_hub import TOKEN, Hub
from parser.trained import example_trees, trained, trained_directory


@dataclass
class World:
    """A hub, and a user with an empty cache: huggingface_hub reads both from the environment when it is imported."""

    hub: Hub
    home: Path

    def run(self, *arguments: object, token: str = TOKEN) -> subprocess.CompletedProcess[str]:
        environment = os.environ | {"HF_ENDPOINT": self.hub.address, "HF_HOME": str(self.home), "HF_TOKEN": token}
        command = [sys.executable, *map(str, arguments)]
        return subprocess.run(command, env=environment, cwd=self.home, capture_output=True, text=True, check=False)

    def discoseq(self, *arguments: object, token: str = TOKEN) -> subprocess.CompletedProcess[str]:
        return self.run("-m", "discoseq", *arguments, token=token)


@pytest.fixture
def world(tmp_path: Path) -> Generator[World]:
    home, kept = tmp_path / "home", tmp_path / "hub"
    home.mkdir()
    with Hub(kept) as hub:
        Thread(target=hub.serve_forever, daemon=True).start()
        yield World(hub, home)
        hub.shutdown()


def test_a_model_that_was_pushed_is_loaded_again_with_and_without_a_network(world: World) -> None:
    program = """
import sys
from discoseq import Parser
print(Parser.load(sys.argv[1]).push_to_hub("ann/twenty"))
print(Parser.load("ann/twenty").parse(sys.argv[2].split()))
"""
    words = " ".join(example_trees()[0].words)
    outcome = world.run("-c", program, trained_directory(), words)
    assert outcome.returncode == 0, outcome.stderr
    address, tree = outcome.stdout.rstrip().split("\n", 1)
    assert address.startswith(f"{world.hub.address}/ann/twenty/commit/")
    assert tree == str(trained().parse(words.split()))
    folder = world.hub.directory / "ann" / "twenty"
    assert {path.name for path in folder.iterdir()} == {path.name for path in trained_directory().iterdir()}
    assert Parser.load(folder).language == trained().language

    world.hub.shutdown()
    world.hub.server_close()
    again = world.discoseq("parse", "--model", "ann/twenty", "--tokenized", "--text", words)
    assert again.returncode == 0, again.stderr
    assert again.stdout


def test_the_command_pushes_only_what_belongs_to_a_model(world: World) -> None:
    folder = world.home / "mine"
    trained().save(folder)
    (folder / "notes.txt").write_text("private")
    outcome = world.discoseq("models", "push", folder, "ann/mine", "--private")
    assert outcome.returncode == 0, outcome.stderr
    assert "/ann/mine/commit/" in outcome.stdout
    assert {path.name for path in (world.hub.directory / "ann" / "mine").iterdir()} <= set(FILES)


def test_what_goes_wrong_is_one_sentence(world: World) -> None:
    stranger = world.discoseq("models", "push", trained_directory(), "ann/mine", token="hf_wrong")
    missing = world.discoseq("parse", "--model", "ann/nothing", "--text", "Hi.")
    other = world.hub.directory / "bob" / "other"
    other.mkdir(parents=True)
    (other / "notes.txt").write_text("no model")
    no_model = world.discoseq("parse", "--model", "bob/other", "--text", "Hi.")
    for outcome, text in [
        (stranger, "can't be uploaded to the hub as ann/mine (Client error '401"),
        (
            missing,
            "there is no directory ann/nothing, and the model can't be downloaded from the hub: it is not there, or "
            "it is private",
        ),
        (no_model, "bob/other on the hub is no model: it has no config.json"),
    ]:
        assert outcome.returncode in (1, 2)
        assert text in outcome.stderr
        assert len(outcome.stderr.strip().splitlines()) == 1


def test_a_damaged_model_on_the_hub_is_named(world: World) -> None:
    folder = world.hub.directory / "ann" / "damaged"
    trained().save(folder)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"format_version": 99}))
    outcome = world.discoseq("parse", "--model", "ann/damaged", "--text", "Hi.")
    assert outcome.returncode in (1, 2)
    assert "format version 99" in outcome.stderr


def test_without_the_package_the_extra_is_named(world: World) -> None:
    program = """
import sys
sys.modules["huggingface_hub"] = None
from discoseq.cli.main import main
sys.argv[1:] = ["parse", "--model", "ann/x", "--text", "Hi."]
main()
"""
    outcome = world.run("-c", program)
    assert outcome.returncode in (1, 2)
    assert "pip install 'discoseq[hub]'" in outcome.stderr


@pytest.mark.parametrize("name", ["ann/dutch", "an-organisation/Dutch_2.0"])
def test_names_on_the_hub(name: str) -> None:
    assert is_hub_name(name)


@pytest.mark.parametrize("name", ["en", "./model", "../model", "/model", "a/b/c", "runs/", "~/model"])
def test_paths_are_no_names_on_the_hub(name: str) -> None:
    assert not is_hub_name(name)
