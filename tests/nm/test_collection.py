"""Logs collected in cycles: what is written, and how much of it stays."""

from __future__ import annotations

from pathlib import Path

from yarnbox.nm.edge.collection import LogCollection
from yarnbox.nm.effects import AggregateLogs
from yarnbox.nm.executor.layout import Layout
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId, NodeId
from yarnbox.yarn.records.basics import LogAggregationContext
from yarnbox.yarn.storage.aggregated_logs import LogLayout

APP = ApplicationId(1, 1)
CONTAINER = ContainerId(ApplicationAttemptId(APP, 1), 1)
NODE = NodeId("nm1", 4711)


def test_of_a_nodes_cycles_the_newest_stay(tmp_path: Path) -> None:
    layout = Layout([str(tmp_path / "local")], [str(tmp_path / "logs")])
    remote = LogLayout(tmp_path / "remote")
    collection = LogCollection(str(remote.root), remote.suffix, layout, NODE, files_per_application=2)
    assert collection.prepare(APP, "ann") is None
    other = remote.node_file("ann", APP, NodeId("nm1", 47110), 1)
    other.write_bytes(b"of another node, however like its name is")
    directory = layout.log_directory(CONTAINER)
    directory.mkdir(parents=True)
    for cycle in (1, 2, 3, 4):
        (directory / f"syslog.{cycle}").write_text(f"cycle {cycle}\n")
        order = AggregateLogs(
            application_id=APP,
            user="ann",
            containers=(CONTAINER,),
            context=LogAggregationContext(include_pattern="syslog"),
            cycle=cycle,
            is_final=cycle == 4,
            acls={},
        )
        assert collection.aggregate(order, now_ms=cycle) is None
    names = [path.name for path in remote.node_files("ann", APP)]
    assert names == ["nm1_47110_1", "nm1_4711_3", "nm1_4711_4"]
