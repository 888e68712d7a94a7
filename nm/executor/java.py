"""What `<ADD_OPENS>` in a command stands for: options that the node's Java needs for Hadoop's code.

Hadoop's NodeManager looks at the Java that it runs in; ours runs in none and looks at the one in JAVA_HOME,
which is what containers start. Hadoop: ContainerLaunch's ADDITIONAL_JDK17_PLUS_OPTIONS.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

_SINCE_17 = (
    "--add-opens=java.base/java.lang=ALL-UNNAMED "
    "--add-exports=java.base/sun.net.dns=ALL-UNNAMED "
    "--add-exports=java.base/sun.net.util=ALL-UNNAMED"
)
_VERSION = re.compile(r'^JAVA_VERSION="(?:1\.)?(\d+)', re.MULTILINE)


def additional_options(environment: Mapping[str, str]) -> str:
    """The options; nothing where there is no Java, or one before 17."""
    home = environment.get("JAVA_HOME")
    version = java_version(Path(home)) if home else None
    return _SINCE_17 if version is not None and version >= 17 else ""


def java_version(home: Path) -> int | None:
    """The feature release of the Java there, as its `release` file says."""
    try:
        found = _VERSION.search((home / "release").read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return None
    return int(found[1]) if found else None
