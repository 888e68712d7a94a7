"""Words of the command line to ids and numbers; what is none raises as Hadoop's parsers do."""

from __future__ import annotations

import re

from yarnbox.client.command_line.failures import NumberFormatError
from yarnbox.yarn.errors import IllegalArgumentError
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId, NodeId

_INTEGER = re.compile(r"[+-]?[0-9]+", re.ASCII)
_INT_BITS = 31
_LONG_BITS = 63
_LONGEST = 100  # characters; whatever is longer is no number that anybody means


def application_id(word: str) -> ApplicationId:
    """ApplicationId.fromString."""
    try:
        return ApplicationId.parse(word)
    except ValueError as error:
        raise IllegalArgumentError(str(error)) from None


def attempt_id(word: str) -> ApplicationAttemptId:
    """ApplicationAttemptId.fromString."""
    try:
        return ApplicationAttemptId.parse(word)
    except ValueError as error:
        raise IllegalArgumentError(str(error)) from None


def container_id(word: str) -> ContainerId:
    """ContainerId.fromString."""
    try:
        return ContainerId.parse(word)
    except ValueError as error:
        raise IllegalArgumentError(str(error)) from None


def node_id(word: str) -> NodeId:
    """NodeId.fromString."""
    try:
        return NodeId.parse(word)
    except ValueError as error:
        raise IllegalArgumentError(str(error)) from None


def node_id_or_host(word: str) -> NodeId:
    """A node, or a host for all nodes on it, which is port 0 (ConverterUtils.toNodeIdWithDefaultPort)."""
    return node_id(word if ":" in word else f"{word}:0")


def integer(word: str) -> int:
    """Integer.parseInt."""
    return _number(word, _INT_BITS)


def long(word: str) -> int:
    """Long.parseLong."""
    return _number(word, _LONG_BITS)


def _number(word: str, bits: int) -> int:
    if not _INTEGER.fullmatch(word) or len(word) > _LONGEST or not -(1 << bits) <= int(word) < 1 << bits:
        raise NumberFormatError(f'For input string: "{word}"')
    return int(word)
