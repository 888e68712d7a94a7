"""Whether a client waits for a ResourceManager that does not answer its first call.

It does where the ResourceManager is probably restarting: `yarnbox up` writes the file that
`yarnbox.resourcemanager.pid-file` names, and `yarnbox down` removes it. It also does where
`yarn.resourcemanager.connect.max-wait.ms` is set, as Hadoop's clients do. Otherwise there is most likely no
cluster, and the client says so at once.
"""

from __future__ import annotations

from pathlib import Path

from yarnbox.yarn.configuration import Configuration

PID_FILE_PROPERTY = "yarnbox.resourcemanager.pid-file"
MAX_WAIT_PROPERTY = "yarn.resourcemanager.connect.max-wait.ms"


def is_rm_expected(configuration: Configuration) -> bool:
    """Whether the first call is to wait, too."""
    pid_file = configuration.value(PID_FILE_PROPERTY)
    if pid_file:
        return Path(pid_file).exists()
    return configuration.property(MAX_WAIT_PROPERTY) is not None
