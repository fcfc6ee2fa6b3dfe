"""Exceptions of glossa."""

from __future__ import annotations


class Error(Exception):
    """A failure. Its subclass Misuse reports a mistake of the caller.

    The text is `[where] expected A; got B. Hint: C`. `where` names an option, a file and line, an argument or an op.
    `hint` suggests a remedy and may be empty.
    """

    def __init__(self, text: str, where: str = "", hint: str = "") -> None:
        super().__init__(text)
        self.where = where
        self.hint = hint


class Misuse(Error, ValueError):
    """An invalid option or argument."""


def failure(where: str, expected: str, got: str | None, hint: str = "") -> Error:
    """An Error with the usual text; `got` is None if something was not found."""
    return Error(_text(where, expected, got, hint), where, hint)


def misuse(where: str, expected: str, got: str | None, hint: str = "") -> Misuse:
    """A Misuse with the usual text; `got` is None if something was not found."""
    return Misuse(_text(where, expected, got, hint), where, hint)


def _text(where: str, expected: str, got: str | None, hint: str) -> str:
    found = "not found" if got is None else f"got {got}"
    return f"[{where}] expected {expected}; {found}" + (f". Hint: {hint}" if hint else "")
