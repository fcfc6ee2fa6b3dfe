"""Display in notebooks."""

from __future__ import annotations

import html
import os
import importlib
import sys
import time
from typing import Any

from glossa._glossa import Update, Validation


def in_notebook() -> bool:
    """True in a kernel of Jupyter, whose cells show HTML."""
    shell: Any = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return shell is not None and hasattr(shell, "kernel")


class Page(str):
    """A self-contained HTML page. It is the page's text, to write to a file, and shows itself in a notebook."""

    def _repr_html_(self) -> str:
        return frame(self, height=600)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the page to a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self)


def frame(page: str, height: int) -> str:
    """A self-contained page as an element of a cell."""
    return f'<iframe srcdoc="{html.escape(page)}" style="width:100%;height:{height}px;border:0"></iframe>'


def verdict(verdict: str, text: str) -> str:
    """The result of a gradient check as an element of a cell."""
    color = {"right": "#1a7f37", "wrong": "#cf222e"}.get(verdict, "#9a6700")
    rest = html.escape(text.removeprefix(verdict))
    return f'<div style="border-left:4px solid {color};padding-left:0.6em"><b style="color:{color}">{verdict}</b>{rest}</div>'


class Progress:
    """One line below a cell that follows training."""

    _seconds_between = 0.25

    def __init__(self) -> None:
        display = importlib.import_module("IPython.display").display
        self._handle = display({"text/plain": "preparing"}, raw=True, display_id=True)
        self._shown = 0.0
        self._line = "preparing"
        self._validation = ""

    def update(self, report: Update) -> None:
        left = "" if report.seconds_left is None else f", {_duration(report.seconds_left)} left"
        self._line = (
            f"update {report.update}, epoch {report.epoch}, {100 * report.part:.0f} %: loss {report.loss:.3f}, "
            f"{report.tokens_per_s:,.0f} tokens/s{left}"
        )
        if time.monotonic() - self._shown >= self._seconds_between:
            self._show()

    def validation(self, report: Validation) -> None:
        bleu = "" if report.bleu is None else f", BLEU {report.bleu:.2f}"
        self._validation = f" (validation at {report.update}: loss {report.loss:.3f}{bleu})"
        self._show()

    def close(self) -> None:
        self._show()

    def _show(self) -> None:
        self._shown = time.monotonic()
        self._handle.update({"text/plain": self._line + self._validation}, raw=True)


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s" if minutes else f"{rest} s"
