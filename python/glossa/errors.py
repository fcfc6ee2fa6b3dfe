"""Exceptions of glossa."""


class Error(Exception):
    """A failure, or with Misuse a mistake of the caller.

    The text is `[where] expected A; got B. Hint: C`. `where` is an option, a file and line, an argument or an op; `hint`,
    which may be empty, is a remedy.
    """

    def __init__(self, text: str, where: str = "", hint: str = "") -> None:
        super().__init__(text)
        self.where = where
        self.hint = hint


class Misuse(Error, ValueError):
    """Options or arguments that glossa cannot work with."""


def misuse(where: str, problem: str, hint: str = "") -> Misuse:
    """The Misuse with the usual text; `problem` reads `expected A; got B`."""
    return Misuse(f"[{where}] {problem}{'. Hint: ' if hint else ''}{hint}", where, hint)
