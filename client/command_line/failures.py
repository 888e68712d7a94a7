"""How a command fails: by an exit status, or by an error that nobody in it catches.

A command returns OK or FAILED. What it does not catch ends it as an uncaught exception ends a Java process:
one line with the class Hadoop would have thrown, and exit status 1.
"""

from __future__ import annotations

from typing import ClassVar

OK = 0
FAILED = -1
"""What Hadoop's tools return when they fail; the shell sees 255."""

UNCAUGHT = 1
"""The exit status of a process that an exception ended."""


class JavaError(Exception):
    """An error of the client's own, known by the class that Hadoop's client throws."""

    java_class: ClassVar[str] = "java.lang.RuntimeException"

    @property
    def message(self) -> str:
        """The text behind the class."""
        return str(self.args[0]) if self.args else ""


class NumberFormatError(JavaError):
    """A word where a number was needed."""

    java_class = "java.lang.NumberFormatException"
