"""Our names of events beside Hadoop's, as a page of the manual: `python -m yarnbox.rm.events.names`.

A test keeps docs/events.md as it is written here.
"""

from __future__ import annotations

import sys
from types import ModuleType

from yarnbox.rm.events import app, container, node, scheduler
from yarnbox.yarn.runtime.event import Event, hadoop_constant

HADOOP_TYPES = {
    "AppEvent": "RMAppEventType",
    "AttemptEvent": "RMAppAttemptEventType",
    "AppManagerEvent": "RMAppManagerEventType",
    "ContainerEvent": "RMContainerEventType",
    "NodeEvent": "RMNodeEventType",
    "NodesListEvent": "NodesListManagerEventType",
    "SchedulerEvent": "SchedulerEventType",
}
"""Hadoop's class of the constants, by the family of our events."""

_HEAD = """# Events, and Hadoop's names of them

`yarnbox events` shows the events that the ResourceManager dispatched, and `logs/events.jsonl` keeps them.
Each has yarnbox's name, Hadoop's constant, and the application, container or node that it concerns.
yarnbox's name is that of an entity followed by Hadoop's constant; where Hadoop has no such event, the
constant is empty. `--type` takes either name. This page is written by `python -m yarnbox.rm.events.names`.

`ContainerAllocated`, `ContainerReserved`, `ContainerUnreserved`, `ContainerCompleted`, `ContainerResized` and
`ContainerMoved` are no events of Hadoop's: such a line says how the used resources of a queue changed.
`ResourceManagerStarted` says that a ResourceManager started, with no resources in use;
`ResourceManagerRecovered`, that it has recovered its applications, whose containers count again when their
nodes report them. Events of containers (RMContainerEventType) are handled at once and are not in the log.

| event | Hadoop | what it says |
| --- | --- | --- |
"""


def kinds() -> list[type[Event]]:
    """Every kind of event of the ResourceManager, module by module in the order of their definition."""
    modules: tuple[ModuleType, ...] = (app, node, scheduler, container)
    found = (one for module in modules for one in vars(module).values() if isinstance(one, type))
    events = [one for one in found if issubclass(one, Event) and not one.__subclasses__()]
    return [one for one in events if one.family is not one]


def render() -> str:
    """The page, in Markdown."""
    rows = []
    for kind in kinds():
        constant = hadoop_constant(kind)
        hadoop = f"`{HADOOP_TYPES[kind.family.__name__]}.{constant}`" if constant else ""
        text = " ".join((kind.__doc__ or "").split()).replace("|", "\\|")
        said = text.removeprefix(f"{constant}: ") if constant else text
        rows.append(f"| `{kind.__name__}` | {hadoop} | {said[:1].upper()}{said[1:]} |\n")
    return _HEAD + "".join(rows)


if __name__ == "__main__":
    sys.stdout.write(render())
