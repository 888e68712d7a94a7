"""Refusals of the node's web service, in the shape that Hadoop's clients are used to.

Hadoop: GenericExceptionHandler and the exceptions of yarn.webapp, as the NM uses them.
"""

from __future__ import annotations

from http import HTTPStatus

_PACKAGE = "org.apache.hadoop.yarn.webapp."


class RefusedError(Exception):
    """An answer in the shape of an exception; with `is_text`, the message alone."""

    def __init__(
        self,
        status: int,
        java_class: str,
        message: str,
        *,
        is_text: bool = False,
        cause: str = "java.lang.Exception",
    ) -> None:
        super().__init__(message)
        self.cause = cause
        self.status = HTTPStatus(status)
        self.java_class = java_class
        self.message = message
        self.is_text = is_text

    def body(self) -> dict[str, object]:
        """RemoteExceptionData."""
        is_web = self.java_class.startswith(_PACKAGE)
        return {
            "exception": self.java_class.rpartition(".")[2],
            "message": f"{self.cause}: {self.message}" if is_web else self.message,
            "javaClassName": self.java_class,
        }


def bad_request(message: str, *, cause: str = "java.lang.Exception") -> RefusedError:
    """400; `cause` is the exception that Hadoop wraps."""
    return RefusedError(400, _PACKAGE + "BadRequestException", message, cause=cause)


def not_found(message: str) -> RefusedError:
    """404."""
    return RefusedError(404, _PACKAGE + "NotFoundException", message)


def text(status: int, message: str) -> RefusedError:
    """A refusal in plain text."""
    return RefusedError(status, "", message, is_text=True)
