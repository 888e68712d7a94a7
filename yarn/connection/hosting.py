"""What a NodeManager tells its containers of its host, beside Hadoop's variables.

A submitter knows no path of the host that its containers will run on: neither where Python is, nor where this
project is, nor where the configuration is. As `{{JAVA_HOME}}` does for Java, these variables say it there.
Hadoop's NodeManagers set none of them.
"""

from __future__ import annotations

NM_PYTHON = "YARNBOX_NM_PYTHON"
"""The interpreter."""

NM_PYTHONPATH = "YARNBOX_NM_PYTHONPATH"
"""Where the interpreter finds this project."""

NM_CONF_DIR = "YARNBOX_NM_CONF_DIR"
"""The node's configuration directory, where it has one."""

NM_TLS_AUTHORITY = "YARNBOX_NM_TLS_CA"
"""The certificates that the node believes, where there is TLS; security/tls.py has those beside it."""
