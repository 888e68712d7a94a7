"""The versions that yarnbox tells: its own, and of the Hadoop it behaves like. Hadoop: VersionInfo."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

from yarnbox import __version__

HADOOP_VERSION = "3.4.1"
"""The release whose behaviour and messages these are."""

UNKNOWN = "Unknown"
"""What Hadoop says of a build that nobody described."""


def yarnbox_version() -> str:
    """The version of the package."""
    return __version__


def protobuf_version() -> str:
    """The version of the library that reads and writes the messages."""
    return _version_of("protobuf")


def _version_of(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return UNKNOWN
