"""`yarnbox health rm|nm`: whether the daemon of this configuration answers, for probes of containers.

Asks the daemon's own web service, with its own certificate. Exit status 0, or 1 and one line that says why
not.
"""

from __future__ import annotations

import argparse
import getpass
import http.client
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from yarnbox.cluster.directory import ClusterError
from yarnbox.nm.settings import NMSettings
from yarnbox.rm.settings import RMSettings
from yarnbox.yarn.configuration import Configuration
from yarnbox.yarn.connection.address import Address, connectable
from yarnbox.yarn.security.tls import Tls, TlsSettings, connection_to
from yarnbox.yarn.settings import read

TIMEOUT_S = 5.0


def health(options: argparse.Namespace) -> int:
    """Runs the command; its exit status."""
    named = options.conf or os.environ.get("YARN_CONF_DIR") or os.environ.get("HADOOP_CONF_DIR")
    if not named:
        raise ClusterError("name a configuration directory with --conf or YARN_CONF_DIR", status=2)
    system = {"user.name": getpass.getuser()}
    configuration = Configuration.load(Path(named), environment=os.environ, system_properties=system)
    why = _DAEMONS[options.daemon](configuration)
    if why is not None:
        print(f"yarnbox: {why}", file=sys.stderr)
    return 0 if why is None else 1


def _resourcemanager(configuration: Configuration) -> str | None:
    settings = read(RMSettings, configuration)
    found = _asked(settings.web.address, "/ws/v1/cluster/info", settings.tls)
    return found if isinstance(found, str) else None


def _nodemanager(configuration: Configuration) -> str | None:
    settings = read(NMSettings, configuration)
    found = _asked(settings.web_address, "/ws/v1/node/info", settings.tls)
    if isinstance(found, str):
        return found
    info = found.get("nodeInfo", {})
    return (
        None if info.get("nodeHealthy") else f"unhealthy: {info.get('healthReport') or 'no reason is told'}"
    )


_DAEMONS: dict[str, Callable[[Configuration], str | None]] = {"rm": _resourcemanager, "nm": _nodemanager}


def _asked(address: Address, path: str, settings: TlsSettings) -> dict[str, Any] | str:
    """What is answered, or why nothing is."""
    tls, place = Tls.of(settings), connectable(address)
    connection = connection_to(place.host, place.port, tls, TIMEOUT_S)
    try:
        headers = {"Accept": "application/json", **(tls.headers if tls is not None else {})}
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        body = answer.read()
        if answer.status != http.client.OK:
            return f"{place} answers {answer.status} {answer.reason}"
        found: dict[str, Any] = json.loads(body)
        return found
    except (OSError, http.client.HTTPException, ValueError) as error:
        return f"{place} does not answer: {error}"
    finally:
        connection.close()
