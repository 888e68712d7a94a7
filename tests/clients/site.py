"""The cluster under test: three nodes for Hadoop's clients, two queues, a label, nodes soon missed."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import copytree
from xml.etree import ElementTree

from tests.clients.jvm import Said, hadoop_jars
from tests.tree import ROOT
from tests.waiting import MISSED_MS
from yarnbox.client.command_line.console import Console
from yarnbox.client.main import main
from yarnbox.cluster.cluster import Cluster, Options
from yarnbox.cluster.directory import RunDirectory

NODES = ("127.0.1.1", "127.0.1.2", "127.0.1.3")
LABELLED = NODES[2]
_CAPACITY = "yarn.scheduler.capacity."
QUEUES = {
    "root.queues": "default,other",
    "root.default.capacity": "60",
    "root.default.maximum-capacity": "100",
    "root.default.user-limit-factor": "2",
    "root.other.capacity": "40",
    "root.other.maximum-capacity": "100",
    "root.other.user-limit-factor": "2",
    "root.accessible-node-labels": "*",
    "root.accessible-node-labels.fast.capacity": "100",
    "root.default.accessible-node-labels": "fast",
    "root.default.accessible-node-labels.fast.capacity": "100",
    "maximum-am-resource-percent": "0.5",
    "resource-calculator": "org.apache.hadoop.yarn.util.resource.DefaultResourceCalculator",
}
LABELS = (
    ("-addToClusterNodeLabels", "fast(exclusive=false)"),
    ("-replaceLabelsOnNode", f"{LABELLED}=fast"),
)
PROPERTIES = {
    "yarn.cluster.max-application-priority": "10",
    "yarn.node-labels.enabled": "true",
    "yarn.scheduler.minimum-allocation-mb": "256",
    "yarn.nm.liveness-monitor.expiry-interval-ms": str(MISSED_MS),
    "yarnbox.client-to-am-tokens.enabled": "true",
}


@contextmanager
def running(scratch: Path) -> Iterator[Cluster]:
    """The cluster; it ends with the block."""
    configuration = scratch / "conf"
    copytree(ROOT / "conf", configuration)
    root = ElementTree.Element("configuration")
    for name, value in QUEUES.items():
        each = ElementTree.SubElement(root, "property")
        ElementTree.SubElement(each, "name").text = _CAPACITY + name
        ElementTree.SubElement(each, "value").text = value
    ElementTree.ElementTree(root).write(configuration / "capacity-scheduler.xml")
    jars = hadoop_jars("spark-3.5")
    cluster = Cluster(RunDirectory(scratch / "run"), stays_with_us=True)
    options = Options(
        nodes=len(NODES),
        configuration=configuration,
        port=0,
        web_port=0,
        for_hadoop=True,
        history_port=0,
        definitions={**PROPERTIES, "yarn.application.classpath": ",".join(["$HADOOP_CONF_DIR", *jars])},
    )
    try:
        cluster.up(options)
        cluster.wait_until_ready()
        for words in LABELS:
            assert yarn(cluster, "rmadmin", *words).status == 0
        yield cluster
    finally:
        cluster.down()


def yarn(cluster: Cluster, *words: str) -> Said:
    """Our own `yarn`, over gRPC."""
    out, err = io.StringIO(), io.StringIO()
    status = main(["--dir", str(cluster.run.path), *words], Console(out, err, os.environ))
    return Said(status, out.getvalue(), err.getvalue())
