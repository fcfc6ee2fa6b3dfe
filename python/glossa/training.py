"""Training of runs, with the same engine, files and results as `glossa train`."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Any, Union

from glossa import _glossa
from glossa._glossa import Checkpoint, Update, Validation
from glossa.errors import misuse
from glossa.messages import log
from glossa.notebook import Progress, in_notebook
from glossa.runs import Run

PathLike = Union[str, "os.PathLike[str]"]
Option = Union[str, int, float, bool, None, Sequence[Union[str, int, float, bool]]]
"""The value of an option: text as in YAML, a number, a bool, None for `none`, or a list."""


class Stop(Enum):
    """The type of STOP, which a callback returns to end training."""

    STOP = "stop"


STOP = Stop.STOP
"""A callback returns it to end training after the current update. The run is saved, and can be resumed."""


def recipes() -> list[str]:
    """The names of the recipes that come with glossa."""
    return sorted(path.stem for path in _recipe_folder().glob("*.yaml"))


def recipe(name: str) -> Path:
    """The YAML file of a recipe."""
    path = _recipe_folder() / f"{name}.yaml"
    if not path.is_file():
        raise misuse(name, "a recipe or a YAML file", None, "name a YAML file, or one of " + ", ".join(recipes()))
    return path


def train(
    config: PathLike | Mapping[str, Option] | None = None,
    *,
    run: PathLike | None = None,
    set: Mapping[str, Option] | None = None,
    resume: bool | str = False,
    on_update: Callable[[Update], Stop | None] | None = None,
    on_validation: Callable[[Validation], Stop | None] | None = None,
    on_checkpoint: Callable[[Checkpoint], Stop | None] | None = None,
    progress: bool | str = "auto",
) -> Run:
    """Trains a model as `glossa train` does, and returns its run.

    `config` is a YAML file, the name of a recipe, or a mapping of options such as {"model.width": 128}; `set` overrides
    its options. `run` is the run's folder, by default runs/NAME for NAME.yaml. With `resume`, training continues from
    the run's newest checkpoint. Options that neither `config` nor `set` contains keep the run's values. resume="auto"
    begins a new run if the folder contains none. The command can resume a run that began here, and vice versa.

    Callbacks run between updates, in this thread. They receive immutable records, and may return glossa.STOP to end
    training. If a callback raises an exception, training ends, the run is saved, and `train` raises the exception.
    Ctrl-C ends training after the current update, saves the run and returns it; a second Ctrl-C raises
    KeyboardInterrupt at once.

    With progress="auto", a terminal or a notebook shows progress. The log also goes to logging.getLogger("glossa").
    """
    path, options = _config_of(config)
    options = {**_by_full_name(options), **_by_full_name(set or {})}
    folder = _folder_of(path, run)
    if resume not in (False, True, "auto"):
        raise misuse("resume", "False, True or 'auto'", repr(resume))
    if resume is True and not _glossa.is_run(folder):
        raise misuse(folder, "a run to resume", None, "resume='auto' begins a run if the folder has none")
    shows = progress is True or progress == "auto"
    notebook = Progress() if shows and in_notebook() else None
    terminal = shows and notebook is None and (progress is True or sys.stderr.isatty())
    def update(report: Update) -> Stop | None:
        if notebook:
            notebook.update(report)
        return on_update(report) if on_update else None

    def validation(report: Validation) -> Stop | None:
        if notebook:
            notebook.validation(report)
        return on_validation(report) if on_validation else None

    try:
        end = _glossa.train(
            path,
            options,
            folder,
            resume=bool(resume),
            shows_progress=terminal,
            on_update=update if notebook or on_update else None,
            on_validation=validation if notebook or on_validation else None,
            on_checkpoint=on_checkpoint,
            on_log=None if terminal and not logging.getLogger("glossa").hasHandlers() else log,
        )
    finally:
        if notebook:
            notebook.close()
    return Run(folder, end=end)


def _config_of(config: PathLike | Mapping[str, Option] | None) -> tuple[str, dict[str, Option]]:
    """Returns the YAML file (or "") and the additional options."""
    if config is None:
        return "", {}
    if isinstance(config, Mapping):
        return "", dict(config)
    path = os.fspath(config)
    is_name = os.sep not in path and not path.endswith((".yaml", ".yml")) and not os.path.isfile(path)
    return (str(recipe(path)) if is_name else path), {}


def _by_full_name(options: Mapping[Any, Any], section: str = "") -> dict[Any, Option]:
    """Flattens nested options: {"model": {"width": 128}} becomes {"model.width": 128}."""
    full: dict[Any, Option] = {}
    for key, value in options.items():
        name = section + key if isinstance(key, str) else key  # the library refuses other keys
        for each, option in (_by_full_name(value, f"{name}.") if isinstance(value, Mapping) else {name: value}).items():
            if each in full:
                raise misuse(each, "the option once", "two values")
            full[each] = option
    return full


def _folder_of(path: str, run: PathLike | None) -> str:
    if run is not None:
        return os.fspath(run)
    if not path:
        raise misuse("run", "the folder of the run", "none", 'name it, as run="runs/mine"')
    return os.path.join("runs", Path(path).stem)


def _recipe_folder() -> Path:
    return Path(__file__).parent / "recipes"
