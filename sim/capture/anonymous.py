"""Users, queues, applications, hosts and racks by numbers: the same name gets the same number everywhere."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from yarnbox.sim.load.jobs import Job, Nodes

_USER = "user-settings."
_KEPT_QUEUES = ("root", "default")
_QUEUE = re.compile(r"(<queue name=\")([^\"]*)(\")")


class Numbers:
    """Names that were met, and what stands for them."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], str] = {}
        self._count: dict[str, int] = {}

    def of(self, kind: str, name: str) -> str:
        """`user3` for the third user that was met."""
        found = self._known.get((kind, name))
        if found is None:
            self._count[kind] = self._count.get(kind, 0) + 1
            found = self._known[kind, name] = f"{kind}{self._count[kind]}"
        return found

    def queue(self, path: str) -> str:
        """A path, part by part."""
        return ".".join(part if part in _KEPT_QUEUES else self.of("queue", part) for part in path.split("."))

    def place(self, place: str) -> str:
        """`/rack/host`."""
        rack, _, host = place.rpartition("/")
        return f"/{self.of('rack', rack)}/{self.of('host', host)}"

    def job(self, job: Job) -> Job:
        """The same job of nobody in particular; it keeps its sizes and times."""
        job_id = self.of("job", job.job_id)
        return replace(
            job,
            job_id=job_id,
            name=job_id,
            user=self.of("user", job.user),
            groups=tuple(self.of("group", name) for name in job.groups),
            queue=self.queue(job.queue),
            tags=(),
            tasks=tuple(replace(task, places=tuple(map(self.place, task.places))) for task in job.tasks),
        )

    def nodes(self, nodes: Nodes) -> Nodes:
        """The same nodes by numbers; labels keep their names, attributes are left out."""
        specs = (
            replace(
                spec,
                host=self.of("host", spec.host),
                rack=f"/{self.of('rack', spec.rack)}",
                attributes={},
            )
            for spec in nodes.nodes
        )
        return replace(nodes, nodes=tuple(specs))

    def properties(self, properties: Mapping[str, str], queues: Mapping[str, None]) -> dict[str, str]:
        """Properties of the CapacityScheduler; `queues` are all the paths that it has."""
        ordered = sorted(queues, key=len, reverse=True)
        found = {}
        for name, value in properties.items():
            path = next((one for one in ordered if name.startswith(f"yarn.scheduler.capacity.{one}.")), None)
            if path is not None:
                rest = name.removeprefix(f"yarn.scheduler.capacity.{path}.")
                name = f"yarn.scheduler.capacity.{self.queue(path)}.{rest}"
                if rest.startswith(_USER):
                    user, dot, setting = rest.removeprefix(_USER).rpartition(".")
                    name = name.removesuffix(rest) + _USER + self.of("user", user) + dot + setting
                if rest == "queues":
                    value = ",".join(self.queue(one.strip()) for one in value.split(","))
            found[name] = value
        return found

    def fair(self, text: str) -> str:
        """An allocation file."""
        return _QUEUE.sub(lambda match: match[1] + self.queue(match[2]) + match[3], text)


def queue_paths(properties: Mapping[str, str]) -> dict[str, None]:
    """All the queues that properties of the CapacityScheduler speak of."""
    found: dict[str, None] = {"root": None}
    for name, value in properties.items():
        path = name.removeprefix("yarn.scheduler.capacity.").removesuffix(".queues")
        if name.endswith(".queues"):
            found |= {f"{path}.{one.strip()}": None for one in value.split(",") if one.strip()}
    return found
