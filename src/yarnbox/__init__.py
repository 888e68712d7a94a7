"""Apache Hadoop YARN on your desk: real processes, YARN's own messages and schedulers, and virtual time.

protos/   the wire: Hadoop's messages and services
yarn/     the vocabulary that all processes share
rm/       the ResourceManager
nm/       the NodeManager
am/       the ApplicationMaster library, and the applications that come along
client/   YarnClient and the `yarn` command
cluster/  the supervisor of a local cluster and the `yarnbox` command
sim/      virtual time: scenarios, workloads, recordings
testing/  the test kit for authors of ApplicationMasters

In the repository these packages lie at the top level; the links beside this file make them one package.
"""

import os
from pathlib import Path

from yarnbox.yarn.compiled import SWITCH, take

__version__ = "0.1.0"

SOURCES = Path(__file__).resolve().parents[1]
"""The directory that has to be on `sys.path` for `import yarnbox`, in a checkout as well as installed."""

CORE = take(os.environ.get(SWITCH, ""))
"""Which core runs in this process, for people. Decided before a module that may be compiled is imported."""
