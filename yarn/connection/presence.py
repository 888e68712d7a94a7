"""Whether a ResourceManager that does not answer is expected to be there: restarting, not missing.

`yarnbox up` writes the file that `yarnbox.resourcemanager.pid-file` names, and `yarnbox down` removes it.
Elsewhere whoever sets `yarn.resourcemanager.connect.max-wait.ms` wants to wait as Hadoop's clients do. Who
did neither has most likely no cluster, and is told so at once.
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
