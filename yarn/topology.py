"""Which rack a host is on.

Owns the three ways of Hadoop to say it: a table file of hosts and racks (TableMapping, used by the local
cluster), a script that prints a rack for each argument (ScriptBasedMapping), and neither: then all are on
/default-rack. A host's rack is remembered; a table that has changed is read again, since nodes of the local
cluster come and go. Hadoop: RackResolver, TableMapping, ScriptBasedMapping and CachedDNSToSwitchMapping.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

from yarnbox.yarn.configuration import Configuration
from yarnbox.yarn.log import Log

log = Log("yarn.topology")

DEFAULT_RACK = "/default-rack"
MAPPING_PROPERTY = "net.topology.node.switch.mapping.impl"
TABLE_PROPERTY = "net.topology.table.file.name"
SCRIPT_PROPERTY = "net.topology.script.file.name"
TABLE_MAPPING = "org.apache.hadoop.net.TableMapping"

_SCRIPT_TIMEOUT_S = 30


class RackResolver:
    """From host to rack, by table or by script."""

    def __init__(self, table: Path | None = None, script: Path | None = None) -> None:
        self._table = table
        self._script = script
        self._stamp: tuple[int, int, int] | None = None
        self._racks: dict[str, str] = {}

    @classmethod
    def of(cls, configuration: Configuration) -> RackResolver:
        """The resolver that a process's configuration asks for."""
        table = configuration.value(TABLE_PROPERTY)
        script = configuration.value(SCRIPT_PROPERTY)
        if (configuration.value(MAPPING_PROPERTY) or "").rpartition(".")[2] == "TableMapping":
            return cls(table=Path(table) if table else None)
        return cls(script=Path(script) if script else None)

    def __call__(self, host: str) -> str:
        """The rack of a host, with the slash in front."""
        if self._table is not None:
            self._read_table(self._table)
        found = self._racks.get(host)
        if found is None and self._script is not None:
            found = self._racks[host] = self._ask_script(self._script, host)
        return found or DEFAULT_RACK

    def _read_table(self, path: Path) -> None:
        try:
            status = path.stat()
            stamp = (status.st_mtime_ns, status.st_ino, status.st_size)
            if stamp == self._stamp:
                return
            self._racks = read_table(path)
            self._stamp = stamp
        except OSError as error:
            if self._stamp is not None or not self._racks:
                log.warning("the topology table cannot be read", file=path, error=error)
            self._stamp = None

    def _ask_script(self, script: Path, host: str) -> str:
        try:
            answer = subprocess.run(
                [script, host], capture_output=True, text=True, timeout=_SCRIPT_TIMEOUT_S, check=True
            )
            return answer.stdout.split()[0]
        except (OSError, subprocess.SubprocessError, IndexError) as error:
            log.warning("the topology script gave no rack", script=script, host=host, error=error)
            return DEFAULT_RACK


def read_table(path: Path) -> dict[str, str]:
    """Host to rack; a line that is not two words, and one that begins with #, is passed over."""
    racks = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        words = line.split()
        if len(words) == 2 and not words[0].startswith("#"):
            racks[words[0]] = words[1]
    return racks
