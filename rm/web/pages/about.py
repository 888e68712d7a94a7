"""The page About: of a ResourceManager what it is and what it stores, of a run what was played."""

from __future__ import annotations

from yarnbox.rm.web.pages.blocks import facts, heading, paragraph
from yarnbox.rm.web.pages.facts import fact
from yarnbox.rm.web.values import Answer

_TOOLS = (
    ("/conf", "Configuration"),
    ("/logs", "Local logs"),
    ("/stacks", "Server stacks"),
    ("/jmx?qry=Hadoop:*", "Server metrics"),
    ("/prom", "Prometheus"),
    ("/logLevel", "Log levels"),
    ("/ws/v1/cluster/info", "REST API"),
)


def about_cluster(info: Answer, kept: Answer) -> list[Answer]:
    """`info` and `kept`, the state store, are answers of their own."""
    found = [
        fact("Cluster ID", info["id"]),
        fact("ResourceManager state", info["state"]),
        fact("ResourceManager HA state", info["haState"]),
        fact("ResourceManager HA zookeeper connection state", info["haZooKeeperConnectionState"]),
        fact("ResourceManager RMStateStore", info["rmStateStoreName"]),
        *(_store(kept) if kept["enabled"] else ()),
        fact("ResourceManager started on", {"exact": info["startedOn"]}),
        fact("ResourceManager version", info["resourceManagerVersion"]),
        fact("Hadoop version", info["hadoopVersion"]),
    ]
    tools = paragraph([{"link": name, "to": to} for to, name in _TOOLS], "actions")
    return [heading("About the Cluster", 1), facts(found), heading("Tools"), tools]


def _store(kept: Answer) -> list[Answer]:
    aside = [f"{one['key']}: {one['why']}" for one in kept["setAside"]]
    return [
        fact("State store", f"{kept['path']}, cluster {kept['clusterId']}"),
        fact("Faults of the state store", "; ".join(kept["fault"]) or "none"),
        fact("Unreadable entries, set aside", "; ".join(aside) or "none"),
    ]


def about_run(info: Answer) -> list[Answer]:
    """`info` is what a recording answers in place of a ResourceManager."""
    found = [
        fact("Recording", info["id"]),
        fact("Kind", info["kind"]),
        fact("Scheduler", info["scheduler"]),
        fact("Virtual time", {"duration": info["end"]}),
        fact("Recorded moments", info["moments"]),
    ]
    told = [paragraph(info["about"])] if info["about"] else []
    return [heading("About the Run", 1), facts(found), *told]
