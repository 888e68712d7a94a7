"""The cluster of the delay scheduling paper: nodes of one slot, jobs of maps whose blocks have replicas.

The AMs are here, and as clever as MapReduce's: whoever gets a slot runs a map with data there if it has one
left, and takes back what was asked for that map elsewhere. Slots free one at a time, at random nodes.
"""

from __future__ import annotations

from random import Random

from tests.rm.scheduler.fair.rig import Rig
from yarnbox.rm.container import RMContainerState, SchedulerNode
from yarnbox.yarn.records.request import ResourceRequest
from yarnbox.yarn.resources.resource import Resource

REPLICAS = 3
SLOT = Resource(1024, 1)


class Job:
    """One job: its maps that have not started, and where their data is."""

    def __init__(self, cluster: Cluster, name: str, maps: int, queue: str) -> None:
        self._cluster = cluster
        self.name = name
        self.left: dict[int, list[str]] = {}
        self.local = self.started = 0
        cluster.rig.submit(name, queue)
        for number in range(maps):
            self.left[number] = cluster.chance.sample(cluster.hosts, REPLICAS)
        self._at: dict[str, dict[int, None]] = {}
        self._in_rack: dict[str, int] = {}
        for number, hosts in self.left.items():
            self._count(hosts, 1)
            for host in hosts:
                self._at.setdefault(host, {})[number] = None
        self._ask(list(self._at))

    def run_one(self, host: str) -> None:
        """A slot on that host is the job's."""
        here = self._at.get(host)
        number = next(iter(here)) if here else next(iter(self.left))
        hosts = self.left.pop(number)
        self._count(hosts, -1)
        for one in hosts:
            del self._at[one][number]
        self.started += 1
        self.local += host in hosts
        self._ask([host, *hosts])

    def _count(self, hosts: list[str], change: int) -> None:
        for rack in dict.fromkeys(self._cluster.rack_of[host] for host in hosts):
            self._in_rack[rack] = self._in_rack.get(rack, 0) + change

    def _ask(self, hosts: list[str]) -> None:
        """What is left, at these hosts and in their racks."""
        counts = {host: len(self._at.get(host, {})) for host in hosts}
        counts |= {self._cluster.rack_of[host]: 0 for host in hosts}
        counts |= {rack: count for rack, count in self._in_rack.items() if rack in counts}
        counts["*"] = len(self.left)
        self._cluster.rig.call(
            self.name,
            [
                ResourceRequest(priority=1, resource_name=place, capability=SLOT, num_containers=count)
                for place, count in counts.items()
            ],
        )


class Cluster:
    """Nodes of one slot each, all of them taken whenever there is work."""

    def __init__(self, nodes: int, threshold: float, seed: int = 1) -> None:
        self.chance = Random(seed)
        names = ("yarn.scheduler.fair.locality.threshold.node", "yarn.scheduler.fair.locality.threshold.rack")
        self.rig = Rig(None, dict.fromkeys(names, threshold), checks_books=False)
        self.hosts = [f"n{number}" for number in range(nodes)]
        self.rack_of = {host: f"/r{number % 5}" for number, host in enumerate(self.hosts)}
        for host in self.hosts:
            self.rig.add_node(host, SLOT.memory_mb, SLOT.vcores, self.rack_of[host])
        self.jobs: dict[str, Job] = {}

    def submit(self, name: str, maps: int) -> Job:
        """A job in a queue of its own."""
        job = self.jobs[name] = Job(self, name, maps, name)
        return job

    def occupy(self) -> None:
        """Somebody who wants every slot, wherever it is."""
        self.rig.submit("somebody", "somebody")
        self.rig.ask("somebody", 1_000_000, SLOT)
        self.fill()

    def fill(self) -> None:
        """Every node is offered."""
        self.rig.scheduler.update_shares()
        for host in self.hosts:
            self._offer(host)

    def free_one(self) -> None:
        """A slot becomes free somewhere, and is offered."""
        host = self.chance.choice(self.hosts)
        for container_id in list(self._node(host).containers):
            self.rig.end(container_id)
        self.rig.scheduler.update_shares()
        self._offer(host)

    def run(self, job: Job) -> None:
        """Until all maps of the job have started."""
        while job.left:
            self.free_one()

    def forget_idle(self) -> None:
        """Jobs that have neither maps to start nor maps that run are over."""
        for name, job in list(self.jobs.items()):
            if not job.left and not self.rig.containers(name):
                self.rig.finish(name)
                del self.jobs[name]

    def _node(self, host: str) -> SchedulerNode:
        return self.rig.scheduler.tracker.nodes[self.rig.nodes[host].node_id]

    def _offer(self, host: str) -> None:
        """The node's heartbeat; whoever gets the slot starts a map there."""
        self.rig.heartbeat(host)
        for container in list(self._node(host).containers.values()):
            if container.state is RMContainerState.ALLOCATED:
                owner = next(name for name, one in self.rig.attempts.items() if one == container.attempt_id)
                if owner in self.jobs:
                    self.jobs[owner].run_one(host)
                else:
                    self.rig.call(owner)
                self.rig.heartbeat(host)
