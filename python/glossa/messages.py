"""The library's messages, passed to logging.getLogger("glossa")."""

import logging

from glossa import _glossa

_levels = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}


def log(level: str, text: str) -> None:
    """Logs a message. `level` is debug, info, warning or error."""
    text = text.rstrip("\n").removeprefix("warning: ").removeprefix("note: ")
    logging.getLogger("glossa").log(_levels[level], "%s", text)


_glossa._send_messages_to(log)
