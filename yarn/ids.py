"""The identifiers of YARN: what they are made of, how they are printed and read, and their order.

Printed forms are Hadoop's (`application_<cluster timestamp>_<id>` and so on). All of them are tuples:
hashable, immutable, ordered first by the cluster timestamp, then by the number. Hadoop: ApplicationId,
ApplicationAttemptId, ContainerId, NodeId and ReservationId.
"""

from __future__ import annotations

from typing import NamedTuple, Self

NO_ATTEMPT = -1
"""The number by which a report says that an application has no attempt, or none that one may see."""
CONTAINER_SEQUENCE_BITS = 40
"""The low bits of ContainerId.id are the sequence in the attempt, the high ones the epoch of the RM."""

_SEQUENCE_MASK = (1 << CONTAINER_SEQUENCE_BITS) - 1
_INT64_MAX = (1 << 63) - 1
_INT32_MAX = (1 << 31) - 1


def _number(text: str, largest: int) -> int:
    if not (text.isascii() and text.isdigit() and int(text) <= largest):
        raise ValueError(text)
    return int(text)


class ApplicationId(NamedTuple):
    """An application: the start time of the RM that named it (ms since 1970) and a number counted from 1."""

    cluster_timestamp: int
    id: int

    def __str__(self) -> str:
        return f"application_{self.cluster_timestamp}_{self.id:04d}"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Reads the printed form; ValueError names the text when it is not one."""
        if not text.startswith("application_"):
            said = f"Invalid ApplicationId prefix: {text}. The valid ApplicationId should start with prefix"
            raise ValueError(f"{said} application")
        try:
            _, timestamp, number = text.split("_")
            return cls(_number(timestamp, _INT64_MAX), _number(number, _INT32_MAX))
        except ValueError:
            raise ValueError(f"Invalid ApplicationId: {text}") from None


class ApplicationAttemptId(NamedTuple):
    """One life of an application's AM; numbers count from 1."""

    application_id: ApplicationId
    attempt_id: int

    def __str__(self) -> str:
        app = self.application_id
        return f"appattempt_{app.cluster_timestamp}_{app.id:04d}_{self.attempt_id:06d}"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Reads the printed form; ValueError names the text when it is not one."""
        if not text.startswith("appattempt_"):
            raise ValueError(f"Invalid AppAttemptId prefix: {text}")
        try:
            _, timestamp, app, attempt = text.split("_")
            application_id = ApplicationId(_number(timestamp, _INT64_MAX), _number(app, _INT32_MAX))
            none_yet = cls(application_id, NO_ATTEMPT)
            return none_yet if text == str(none_yet) else cls(application_id, _number(attempt, _INT32_MAX))
        except ValueError:
            raise ValueError(f"Invalid AppAttemptId: {text}") from None


class ContainerId(NamedTuple):
    """A container: the attempt that owns it, and `id`, whose low 40 bits count from 1 within the attempt."""

    application_attempt_id: ApplicationAttemptId
    id: int

    @property
    def application_id(self) -> ApplicationId:
        """The application whose container this is."""
        return self.application_attempt_id.application_id

    @property
    def epoch(self) -> int:
        """How many times the RM had started anew when it granted the container."""
        return self.id >> CONTAINER_SEQUENCE_BITS

    @property
    def sequence(self) -> int:
        """The number within the attempt, from 1."""
        return self.id & _SEQUENCE_MASK

    @classmethod
    def build(cls, attempt_id: ApplicationAttemptId, sequence: int, epoch: int = 0) -> Self:
        """The id of an attempt's container number `sequence`, granted in `epoch`."""
        return cls(attempt_id, (epoch << CONTAINER_SEQUENCE_BITS) | sequence)

    def __str__(self) -> str:
        attempt = self.application_attempt_id
        app = attempt.application_id
        epoch = f"e{self.epoch:02d}_" if self.epoch > 0 else ""
        numbers = f"{app.cluster_timestamp}_{app.id:04d}_{attempt.attempt_id:02d}_{self.sequence:06d}"
        return f"container_{epoch}{numbers}"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Reads the printed form, with or without an epoch; ValueError names the text when it is not one."""
        word, *parts = text.split("_")
        if word != "container":
            raise ValueError(f"Invalid ContainerId prefix: {text}")
        try:
            epoch = 0
            if parts and parts[0].startswith("e"):
                epoch = _number(parts.pop(0)[1:], (1 << 23) - 1)
            timestamp, app, attempt, sequence = parts
            application_id = ApplicationId(_number(timestamp, _INT64_MAX), _number(app, _INT32_MAX))
            attempt_id = ApplicationAttemptId(application_id, _number(attempt, _INT32_MAX))
            return cls.build(attempt_id, _number(sequence, _SEQUENCE_MASK), epoch)
        except ValueError:
            raise ValueError(f"Invalid ContainerId: {text}") from None


class NodeId(NamedTuple):
    """A NodeManager: its host name and the port of its container management service."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Reads `host:port`; ValueError names the text when it is not one."""
        host, colon, port = text.strip().rpartition(":")
        try:
            if not (colon and host):
                raise ValueError(text)
            return cls(host, _number(port, 65535))
        except ValueError:
            raise ValueError(f"Invalid NodeId [{text}]. Expected host:port") from None


class ReservationId(NamedTuple):
    """A plan reservation of the ReservationSystem."""

    cluster_timestamp: int
    id: int

    def __str__(self) -> str:
        return f"reservation_{self.cluster_timestamp}_{self.id:04d}"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Reads the printed form; ValueError names the text when it is not one."""
        try:
            word, timestamp, number = text.split("_")
            if word != "reservation":
                raise ValueError(word)
            return cls(_number(timestamp, _INT64_MAX), _number(number, _INT64_MAX))
        except ValueError:
            raise ValueError(f"Invalid ReservationId: {text}") from None
