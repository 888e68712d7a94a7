"""Refusals of the web services, with the class and the text that Hadoop's clients are used to.

Hadoop: GenericExceptionHandler and the exceptions of yarn.webapp.
"""

from __future__ import annotations

from yarnbox.yarn.errors import AccessControlError, NotReadyError, YarnError

_WEB = "org.apache.hadoop.yarn.webapp."


class RestError(Exception):
    """An answer with RemoteException as its body; with `is_text`, the message alone."""

    def __init__(self, status: int, java_class: str, message: str, *, is_text: bool = False) -> None:
        super().__init__(message)
        self.status = status
        self.java_class = java_class
        self.message = message
        self.is_text = is_text

    def body(self) -> dict[str, dict[str, str]]:
        """RemoteExceptionData."""
        name = self.java_class.rpartition(".")[2]
        return {
            "RemoteException": {
                "exception": name,
                "message": self.message,
                "javaClassName": self.java_class,
            }
        }


def bad_request(message: str, *, cause: str = "java.lang.Exception") -> RestError:
    """400; `cause` is the exception that Hadoop wraps."""
    return RestError(400, _WEB + "BadRequestException", f"{cause}: {message}")


def not_found(message: str, *, cause: str = "java.lang.Exception") -> RestError:
    """404; `cause` is the exception that Hadoop wraps."""
    return RestError(404, _WEB + "NotFoundException", f"{cause}: {message}")


def forbidden(message: str, *, cause: str = "java.lang.Exception") -> RestError:
    """403; `cause` is the exception that Hadoop wraps."""
    return RestError(403, _WEB + "ForbiddenException", f"{cause}: {message}")


def illegal_argument(message: str) -> RestError:
    """400, for what Hadoop does not wrap."""
    return RestError(400, "java.lang.IllegalArgumentException", message)


def bad_number(message: str) -> RestError:
    """400, for a text that should be a number and that Hadoop reads without more ado."""
    return RestError(400, "java.lang.NumberFormatException", message)


def io_error(message: str) -> RestError:
    """404, as all of Java's IOExceptions are answered that nobody takes care of."""
    return RestError(404, "java.io.IOException", message)


def text(status: int, message: str) -> RestError:
    """A refusal in plain text, as many changing calls answer."""
    return RestError(status, "", message, is_text=True)


def unauthorized(message: str) -> RestError:
    """401."""
    return RestError(401, "org.apache.hadoop.security.authorize.AuthorizationException", message)


def of_core(error: YarnError) -> RestError:
    """The REST error for an error of the core."""
    if isinstance(error, AccessControlError):
        return text(403, error.message)
    if isinstance(error, NotReadyError):
        return RestError(503, error.java_class, error.message)
    return bad_request(error.message) if error.http_status == 400 else not_found(error.message)
