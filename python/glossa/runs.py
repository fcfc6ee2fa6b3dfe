"""Runs: their metrics, translations with them, and exchange with other programs."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union

import numpy as np
import numpy.typing as npt

from glossa import _glossa
from glossa._glossa import Translator
from glossa.errors import failure, misuse
from glossa.notebook import Page

if TYPE_CHECKING:
    from glossa.training import Option

PathLike = Union[str, "os.PathLike[str]"]
Column = npt.NDArray[np.float64]


class Metrics(Mapping[str, Column]):
    """Columns of numbers by name, all of the same length. Numbers that a line lacks are NaN."""

    def __init__(self, lines: list[dict[str, Any]]) -> None:
        names = {name: None for line in lines for name, value in line.items() if _is_number(value)}
        self._columns = {name: np.array([_number(line.get(name)) for line in lines]) for name in names}
        self._length = len(lines)

    def __getitem__(self, name: str) -> Column:
        try:
            return self._columns[name]
        except KeyError:
            raise KeyError(f"{name}; there are {', '.join(self._columns) or 'no columns'}") from None

    def __iter__(self) -> Any:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def __repr__(self) -> str:
        return f"<glossa.Metrics: {self._length} lines of {', '.join(self._columns)}>"


class Run:
    """A run's folder. A notebook displays it as the page of `glossa report`."""

    def __init__(self, folder: PathLike, end: str | None = None) -> None:
        self.folder = Path(folder)
        self.end = end
        """Why training ended: max_updates, max_epochs, max_minutes, early_stopping, stopped (by a callback) or
        interrupted (by Ctrl-C); None for a run that glossa.train did not return."""

    @property
    def training(self) -> Metrics:
        """Figures of training: update, epoch, loss, perplexity, lr, grad_norm, tokens_per_s, seconds, waited.

        One row per line of the training log (train.log_every).
        """
        return Metrics([line for line in self._lines() if "loss" in line])

    @property
    def validation(self) -> Metrics:
        """Figures of the validations: update, epoch and valid_loss; if validations translate, also valid_bleu and other
        scores."""
        return Metrics([line for line in self._lines() if "valid_loss" in line])

    def load(
        self,
        *,
        checkpoint: str = "",
        beam: int | None = None,
        set: Mapping[str, Option] | None = None,
        split_sentences: str = "auto",
    ) -> Translator:
        """Loads the run as a Translator. The options are those of glossa.load."""
        return load(self.folder, checkpoint=checkpoint, beam=beam, set=set, split_sentences=split_sentences)

    def export(
        self,
        *,
        safetensors: PathLike | None = None,
        huggingface: PathLike | None = None,
        marian: PathLike | None = None,
        checkpoint: str = "",
    ) -> None:
        """Exports the model to other programs: as a file of weights under PyTorch's names, or as a folder for the
        MarianMTModel of transformers or for Marian."""
        if not (safetensors or huggingface or marian):
            raise misuse("export", "safetensors, huggingface or marian", "none")
        _glossa.export_model(
            os.fspath(self.folder), checkpoint, *(os.fspath(path or "") for path in (safetensors, huggingface, marian))
        )

    def report(self) -> Page:
        """The page of `glossa report`: curves, configuration, corpus and samples."""
        return Page(_glossa.report(os.fspath(self.folder)))

    def _lines(self) -> list[dict[str, Any]]:
        if not (self.folder / "config.yaml").is_file():
            hint = "glossa.train(config, run=...) creates one"
            raise failure(str(self.folder), "a run folder, with its config.yaml", None, hint)
        path = self.folder / "metrics.jsonl"
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        parsed = [_parsed(line) for line in lines]
        return [line for line in parsed if line]

    def _repr_html_(self) -> str:
        return self.report()._repr_html_()

    def __fspath__(self) -> str:
        return os.fspath(self.folder)

    def __repr__(self) -> str:
        return f"<glossa.Run {self.folder}{f': {self.end}' if self.end else ''}>"


def load(
    run: PathLike,
    *others: PathLike,
    checkpoint: str = "",
    beam: int | None = None,
    set: Mapping[str, Option] | None = None,
    split_sentences: str = "auto",
) -> Translator:
    """Loads a run for translation, from its folder or one of its checkpoints.

    With `others`, which must have the same vocabulary, the runs form an ensemble: the probability of a token is the
    mean over the runs. The decoding options are those of the first run.

    `checkpoint` is "best" (the default unless decode.average is set), "last", an update's number, or "average:N" for
    the mean of the newest N checkpoints. `set` overrides the options of `decode` and `runtime`. `split_sentences` is
    "on", "off" or "auto". With "auto", lines are translated sentence by sentence if the model was trained on single
    sentences.
    """
    if split_sentences not in ("auto", "on", "off"):
        raise misuse("split_sentences", "auto, on or off", split_sentences)
    if beam is not None and beam < 1:
        raise misuse("beam", "at least 1", str(beam))
    return Translator([os.fspath(each) for each in (run, *others)], checkpoint, beam or 0, dict(set or {}), split_sentences)


def import_model(
    path: PathLike,
    run: PathLike,
    *,
    config: PathLike | None = None,
    set: Mapping[str, Option] | None = None,
) -> Run:
    """Creates a run from a pretrained model: the folder of a Hugging Face MarianMTModel or of a Marian model, or a file
    of weights under PyTorch's names. A file of weights needs a `config` that describes the model and its data."""
    _glossa.import_model(os.fspath(path), os.fspath(run), os.fspath(config or ""), dict(set or {}))
    return Run(run)


def average(run: PathLike, last: int, to: PathLike) -> Run:
    """Creates a run from the mean of the newest `last` checkpoints of another run."""
    _glossa.average(os.fspath(run), last, os.fspath(to))
    return Run(to)


def _parsed(line: str) -> dict[str, Any] | None:
    try:
        value = json.loads(line)
    except ValueError:  # an incomplete last line
        return None
    return value if isinstance(value, dict) else None


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _number(value: Any) -> float:
    return float(value) if _is_number(value) else float("nan")
