"""Environment variables by which a NodeManager tells its containers the paths of its host.

A client that submits a program does not know where Python, this project and the configuration are on the host
that will run it. These variables say so there, as `{{JAVA_HOME}}` does for Java. Hadoop's NodeManagers set
none of them.
"""

from __future__ import annotations

from collections.abc import Mapping

from yarnbox.yarn.connection.address_book import ADDRESS_BOOK_PROPERTY

NM_PYTHON = "YARNBOX_NM_PYTHON"
"""The interpreter."""

NM_PYTHONPATH = "YARNBOX_NM_PYTHONPATH"
"""Where the interpreter finds this project."""

NM_CONF_DIR = "YARNBOX_NM_CONF_DIR"
"""The node's configuration directory, where it has one."""

NM_ADDRESS_BOOK = "YARNBOX_NM_ADDRESS_BOOK"
"""Where emulated hosts really are, where the node has such a file."""

NM_TLS_AUTHORITY = "YARNBOX_NM_TLS_CA"
"""The certificates that the node believes, where there is TLS; security/tls.py has those beside it."""


def properties_of_host(environment: Mapping[str, str]) -> dict[str, str]:
    """The properties that name files of the container's host, above those of its submitter."""
    book = environment.get(NM_ADDRESS_BOOK)
    return {ADDRESS_BOOK_PROPERTY: book} if book else {}
