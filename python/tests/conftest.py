"""Fixtures and helpers that several tests share."""

import json
import os
import subprocess
from pathlib import Path

import pytest

import glossa as gl


@pytest.fixture(scope="session")
def command():
    """Runs the program of the package; returns its output."""
    program = Path(gl.__file__).parent / "bin" / "glossa"

    def run(*arguments, **options):
        words = [str(program), *(os.fspath(word) if hasattr(word, "__fspath__") else str(word) for word in arguments)]
        return subprocess.run(words, check=True, capture_output=True, text=True, **options).stdout

    return run


@pytest.fixture
def state_of(command):
    """The hash of a run's newest checkpoint: weights, optimizer and position."""

    def state(run):
        return json.loads(command("inspect", run, "--checkpoint", "last", "--json"))["state_sha256"]

    return state


small = {
    "data.train": "toy:2000",
    "data.valid": "toy:2000",
    "data.tokenizer": "words",
    "data.source": "en",
    "data.target": "hi",
    "data.shared_vocabulary": False,
    "data.max_tokens": 512,
    "model.width": 16,
    "model.heads": 2,
    "model.feed_forward": 32,
    "model.encoder_layers": 1,
    "model.decoder_layers": 1,
    "model.tied": "output",
    "optim.warmup": 10,
    "train.max_updates": 60,
    "train.log_every": 10,
    "train.validate_every": 30,
    "train.save_every": 30,
}
"""Options of a run that trains within a second."""


@pytest.fixture(scope="session")
def options():
    return small


@pytest.fixture(scope="session")
def trained(tmp_path_factory):
    """A small run after 60 updates."""
    return gl.train(small, run=tmp_path_factory.mktemp("runs") / "trained", progress=False)
