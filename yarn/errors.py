"""Expected refusals: what YARN answers when it will not do what was asked. Anything else that is raised is a
defect.

    YarnError                                  FAILED_PRECONDITION  400
    +-- NotFoundError                          NOT_FOUND            404
    |   +-- ApplicationNotFoundError
    |   +-- ApplicationAttemptNotFoundError
    |   +-- ContainerNotFoundError
    +-- InvalidRequestError                    INVALID_ARGUMENT     400
    |   +-- InvalidResourceRequestError
    |   |   +-- InvalidLabelResourceRequestError
    |   |   +-- SchedulerInvalidResourceRequestError
    |   +-- InvalidContainerReleaseError
    |   +-- InvalidResourceBlacklistRequestError
    |   +-- IllegalArgumentError
    +-- ApplicationMasterNotRegisteredError    FAILED_PRECONDITION  400
    +-- InvalidApplicationMasterRequestError   FAILED_PRECONDITION  400
    +-- InvalidContainerError                  FAILED_PRECONDITION  400
    +-- NMNotYetReadyError                     FAILED_PRECONDITION  400
    +-- ReservationNotFoundError               NOT_FOUND            404
    +-- AccessControlError                     PERMISSION_DENIED    403
    +-- InvalidTokenError                      UNAUTHENTICATED      401
    +-- NotReadyError                          UNAVAILABLE          503

Each class carries Hadoop's class name, by which clients decide, and the status that each edge answers with.
The message says what was asked, what the limit is, and whose. No service mentions gRPC or HTTP.
"""

from __future__ import annotations

from enum import Enum
from typing import ClassVar

_YARN = "org.apache.hadoop.yarn.exceptions."


class Status(Enum):
    """How an edge answers: gRPC's status name, and the HTTP status code."""

    NOT_FOUND = 404
    INVALID_ARGUMENT = 400
    FAILED_PRECONDITION = 412
    PERMISSION_DENIED = 403
    UNAUTHENTICATED = 401
    UNAVAILABLE = 503


class YarnError(Exception):
    """A refusal. `java_class` is what Hadoop's clients see; `http_status` what REST answers with."""

    java_class: ClassVar[str] = _YARN + "YarnException"
    status: ClassVar[Status] = Status.FAILED_PRECONDITION
    http_status: ClassVar[int] = 400

    @property
    def message(self) -> str:
        """The one line that says why."""
        return str(self.args[0]) if self.args else ""


class NotFoundError(YarnError):
    """What was named does not exist."""

    status = Status.NOT_FOUND
    http_status = 404


class ApplicationNotFoundError(NotFoundError):
    """No such application."""

    java_class = _YARN + "ApplicationNotFoundException"


class ApplicationAttemptNotFoundError(NotFoundError):
    """No such attempt, or the RM no longer serves it: its AM must shut down."""

    java_class = _YARN + "ApplicationAttemptNotFoundException"


class ContainerNotFoundError(NotFoundError):
    """No such container."""

    java_class = _YARN + "ContainerNotFoundException"


class ReservationNotFoundError(NotFoundError):
    """No such plan reservation; Hadoop has no class of its own for it."""


class InvalidRequestError(YarnError):
    """What was asked cannot be granted in any state of the cluster."""

    status = Status.INVALID_ARGUMENT


class InvalidResourceRequestError(InvalidRequestError):
    """A negative or too large resource request."""

    java_class = _YARN + "InvalidResourceRequestException"


class InvalidLabelResourceRequestError(InvalidResourceRequestError):
    """A label expression that the queue or the cluster does not allow."""

    java_class = _YARN + "InvalidLabelResourceRequestException"


class SchedulerInvalidResourceRequestError(InvalidResourceRequestError):
    """A request that contradicts what the scheduler has booked under its key."""

    java_class = _YARN + "SchedulerInvalidResourceRequestException"


class InvalidContainerReleaseError(InvalidRequestError):
    """Release of a container of another attempt."""

    java_class = _YARN + "InvalidContainerReleaseException"


class InvalidResourceBlacklistRequestError(InvalidRequestError):
    """Blacklisting `*`."""

    java_class = _YARN + "InvalidResourceBlacklistRequestException"


class IllegalArgumentError(InvalidRequestError):
    """A malformed argument, such as an id that is none."""

    java_class = "java.lang.IllegalArgumentException"


class ApplicationMasterNotRegisteredError(YarnError):
    """Allocate or finish before register, or after a restart of the RM: the AM must register (again)."""

    java_class = _YARN + "ApplicationMasterNotRegisteredException"


class InvalidApplicationMasterRequestError(YarnError):
    """A second register, an unknown attempt at register or finish, a wrong response id."""

    java_class = _YARN + "InvalidApplicationMasterRequestException"


class InvalidContainerError(YarnError):
    """A container token of another incarnation of the RM."""

    java_class = _YARN + "InvalidContainerException"


class NMNotYetReadyError(YarnError):
    """The NM is still recovering its containers, or has not registered yet."""

    java_class = _YARN + "NMNotYetReadyException"


class AccessControlError(YarnError):
    """An ACL says no."""

    java_class = "org.apache.hadoop.security.AccessControlException"
    status = Status.PERMISSION_DENIED
    http_status = 403


class InvalidTokenError(YarnError):
    """A missing, forged, expired or foreign token."""

    java_class = "org.apache.hadoop.security.token.SecretManager$InvalidToken"
    status = Status.UNAUTHENTICATED
    http_status = 401


class NotReadyError(YarnError):
    """The daemon is starting or stopping."""

    java_class = "org.apache.hadoop.ipc.StandbyException"
    status = Status.UNAVAILABLE
    http_status = 503


def error_of_class(java_class: str, message: str) -> YarnError:
    """The refusal that a peer described by Hadoop's class name; a plain YarnError when the class is not one
    of these.
    """
    return _BY_JAVA_CLASS.get(java_class, YarnError)(message)


def _family(cls: type[YarnError]) -> list[type[YarnError]]:
    return [cls, *(member for child in cls.__subclasses__() for member in _family(child))]


_BY_JAVA_CLASS: dict[str, type[YarnError]] = {
    cls.java_class: cls for cls in _family(YarnError) if "java_class" in vars(cls)
}
