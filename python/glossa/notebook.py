"""Display in notebooks."""

from __future__ import annotations

import base64
import html
import importlib
import os
import struct
import sys
import time
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from glossa._glossa import Update, Validation


Array = npt.NDArray[Any]


def in_notebook() -> bool:
    """True in a Jupyter kernel, which can display HTML."""
    shell: Any = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return shell is not None and hasattr(shell, "kernel")


class Page(str):
    """The text of a self-contained HTML page. A notebook displays the page."""

    def _repr_html_(self) -> str:
        return frame(self, height=600)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the page to a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self)


def frame(page: str, height: int) -> str:
    """An HTML element for a cell that contains a whole page."""
    return f'<iframe srcdoc="{html.escape(page)}" style="width:100%;height:{height}px;border:0"></iframe>'


def proof(verdict: str, text: str, errors: Mapping[str, Array], verdicts: Mapping[str, Array]) -> str:
    """An HTML element that shows a gradient check, with a picture for each tensor: one square per element.

    If there are many tensors, it shows the worst and folds the others."""
    color = {"right": "#1a7f37", "wrong": "#cf222e"}.get(verdict, "#9a6700")
    rest = html.escape(text.removeprefix(verdict))
    key = "".join(
        f'<span style="display:inline-block;width:12px;height:12px;margin:0 4px 0 12px;background:rgb{color}"></span>{name}'
        for name, color in _KEY
    )
    names = [name for name in errors if errors[name].size]
    worst = sorted(names, key=lambda name: _badness(errors[name], verdicts[name]), reverse=True)[:_SHOWN]
    pictures = {name: _errors_of_tensor(name, errors[name], verdicts[name]) for name in names}
    others = [pictures[name] for name in names if name not in worst]
    return (
        f'<div style="border-left:4px solid {color};padding-left:0.6em"><b style="color:{color}">{verdict}</b>{rest}'
        f'<div style="font-size:85%;margin-top:0.5em">relative error{key}</div>'
        f"{_row([pictures[name] for name in names if name in worst])}"
        + (f"<details><summary>{len(others)} other tensors</summary>{_row(others)}</details>" if others else "")
        + "</div>"
    )


_SHOWN = 6
_EXACT, _LIMIT, _WRONG, _UNDECIDED = (222, 235, 247), (8, 48, 107), (207, 34, 46), (242, 190, 60)
_SKIPPED = (238, 238, 238)
_KEY = [
    ("1e-16", _EXACT),
    ("1e-8", _LIMIT),
    ("wrong", _WRONG),
    ("undecided", _UNDECIDED),
    ("not compared", _SKIPPED),
]


def _badness(errors: Array, verdicts: Array) -> tuple[int, float]:
    """Returns a sort key: tensors with wrong elements first, then with undecided elements, then with large errors."""
    compared = ~np.isnan(errors)
    worst = max((2 if v == 1 else 1 if v == 2 else 0 for v in np.unique(verdicts[compared])), default=0)
    return worst, float(np.max(errors, where=compared, initial=0))


def _row(pictures: list[str]) -> str:
    return f'<div style="display:flex;flex-wrap:wrap;gap:1em;align-items:flex-end">{"".join(pictures)}</div>'


def _errors_of_tensor(name: str, errors: Array, verdicts: Array) -> str:
    """Draws a pixel per element, the last axis across. Darkness is log(relative error), from 1e-16 to 1e-8."""
    rows = errors.reshape(-1, errors.shape[-1] if errors.ndim else 1)
    verdicts = verdicts.reshape(rows.shape)
    share = np.clip((np.log10(np.clip(np.nan_to_num(rows), 1e-16, 1)) + 16) / 8, 0, 1)[..., None]
    pixels = np.asarray(_EXACT) * (1 - share) + np.asarray(_LIMIT) * share
    pixels[verdicts == 1] = _WRONG
    pixels[verdicts == 2] = _UNDECIDED
    pixels[np.isnan(rows)] = _SKIPPED
    height, width = rows.shape
    side = max(1, min(12, 400 // max(height, width)))
    shape = " x ".join(str(extent) for extent in errors.shape)
    return (
        f'<figure style="margin:0.5em 0"><img alt="relative errors of {html.escape(name)}" width={width * side} '
        f'height={height * side} style="image-rendering:pixelated" src="data:image/png;base64,{_png(pixels)}">'
        f'<figcaption style="font-size:85%">{html.escape(name)} [{shape}]</figcaption></figure>'
    )


def _png(pixels: Array) -> str:
    """Returns an image [height, width, 3] as base64-encoded PNG."""
    height, width, _ = pixels.shape
    lines = b"".join(b"\0" + line.tobytes() for line in np.rint(pixels).astype(np.uint8))  # 0: an unfiltered line
    parts = [(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)), (b"IDAT", zlib.compress(lines)), (b"IEND", b"")]
    chunks = (struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in parts)
    return base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"".join(chunks)).decode()


class Progress:
    """A line below the cell that shows the progress of training."""

    _seconds_between = 0.25

    def __init__(self) -> None:
        display = importlib.import_module("IPython.display").display
        self._handle = display({"text/plain": "preparing"}, raw=True, display_id=True)
        self._shown = 0.0
        self._line = "preparing"
        self._left = ""
        self._validation = ""

    def update(self, report: Update) -> None:
        left = "" if report.seconds_left is None else f", {_duration(report.seconds_left)} left"
        self._line = (
            f"update {report.update}, epoch {report.epoch}, {100 * report.part:.0f} %: loss {report.loss:.3f}, "
            f"{report.tokens_per_s:,.0f} tokens/s"
        )
        self._left = left
        if time.monotonic() - self._shown >= self._seconds_between:
            self._show()

    def validation(self, report: Validation) -> None:
        bleu = "" if report.bleu is None else f", BLEU {report.bleu:.2f}"
        self._validation = f" (validation at {report.update}: loss {report.loss:.3f}{bleu})"
        self._show()

    def close(self) -> None:
        self._left = ""
        self._show()

    def _show(self) -> None:
        self._shown = time.monotonic()
        self._handle.update({"text/plain": self._line + self._left + self._validation}, raw=True)


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s" if minutes else f"{rest} s"
