"""The log of a daemon, for people: a name and keys, one line each, ids in YARN's printed form.

    log = Log("rm.launcher")
    log.info("launched", container=container_id, node=node_id)

    2026-03-01 12:00:00,123 INFO rm.launcher: launched container=container_1_0001_01_000001 node=nm1:1

Nothing asserts on it: what happened, exactly and in order, is the story's to tell. Libraries that log by
themselves come out in the same form. Hadoop: log4j set-up of a daemon.
"""

from __future__ import annotations

import json
import logging
import re
from logging.handlers import RotatingFileHandler
from pathlib import Path

MAX_BYTES = 16 * 1024 * 1024
BACKUPS = 2

LEVELS = {
    "trace": logging.DEBUG,
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warn": logging.WARNING,
    "warning": logging.WARNING,
    "error": logging.ERROR,
    "fatal": logging.CRITICAL,
}
"""log4j's words, and Python's."""

_PLAIN = re.compile(r"[^\s\"=]+")
_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


class Log:
    """A logger by name, whose lines are a name and keys."""

    __slots__ = ("_logger",)

    def __init__(self, name: str) -> None:
        self._logger = logging.getLogger(name)

    def debug(self, name: str, **keys: object) -> None:
        """Of interest to whoever searches a fault."""
        self.write(logging.DEBUG, name, keys)

    def info(self, name: str, **keys: object) -> None:
        """What a daemon does."""
        self.write(logging.INFO, name, keys)

    def warning(self, name: str, **keys: object) -> None:
        """What somebody should look at."""
        self.write(logging.WARNING, name, keys)

    def error(self, name: str, **keys: object) -> None:
        """What went wrong."""
        self.write(logging.ERROR, name, keys)

    def exception(self, name: str, **keys: object) -> None:
        """What went wrong, with the traceback of the exception that is being handled."""
        self._logger.error("%s", _line(name, keys), exc_info=True)

    def is_read(self, level: int) -> bool:
        """Whether a line of that level is written at all."""
        return self._logger.isEnabledFor(level)

    def write(self, level: int, name: str, keys: dict[str, object]) -> None:
        """A line of any level."""
        if self._logger.isEnabledFor(level):
            self._logger.log(level, "%s", _line(name, keys))


def _line(name: str, keys: dict[str, object]) -> str:
    return " ".join([name, *(f"{key}={_quoted(str(value))}" for key, value in keys.items())])


def _quoted(text: str) -> str:
    return text if _PLAIN.fullmatch(text) else json.dumps(text, ensure_ascii=False)


def configure_logging(file: Path | None = None, level: str = "INFO") -> None:
    """Sends the process's log to a file that is rotated, or to stderr; `level` is a word of log4j's."""
    handler: logging.Handler
    if file is None:
        handler = logging.StreamHandler()
    else:
        file.parent.mkdir(parents=True, exist_ok=True)
        handler = RotatingFileHandler(file, maxBytes=MAX_BYTES, backupCount=BACKUPS, encoding="utf-8")
    handler.setFormatter(logging.Formatter(_FORMAT))
    root = logging.getLogger()
    for old in list(root.handlers):
        root.removeHandler(old)
        old.close()
    root.addHandler(handler)
    root.setLevel(LEVELS[level.lower()])
