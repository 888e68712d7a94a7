"""How many containers carry which tag: on each node and on each rack, in all and by application.

A container counts from its allocation until its space on the node is free again, which is later than its end
where the node runs it: so nothing is placed beside a container that is still being killed. Knows no
constraint. Hadoop: AllocationTagsManager.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from yarnbox.rm.scheduler.constraint.namespaces import Namespace, NamespaceKind
from yarnbox.yarn.ids import ApplicationId, NodeId

if TYPE_CHECKING:
    from yarnbox.rm.container import SchedulerNode

TagsOfApplications = Callable[[ApplicationId], tuple[str, ...]]
"""The tags that an application was submitted with; none where it is not known."""
Counts = Mapping[str, int]
"""How many containers, by tag."""

_NOTHING: Counts = {}


class _Tally:
    """Counts by place."""

    __slots__ = ("nodes", "racks")

    def __init__(self) -> None:
        self.nodes: dict[NodeId, dict[str, int]] = {}
        self.racks: dict[str, dict[str, int]] = {}

    def add(self, node_id: NodeId, rack: str, tags: Iterable[str]) -> None:
        for counts in (self.nodes.setdefault(node_id, {}), self.racks.setdefault(rack, {})):
            for tag in tags:
                counts[tag] = counts.get(tag, 0) + 1

    def remove(self, node_id: NodeId, rack: str, tags: Iterable[str]) -> None:
        for counts in (self.nodes[node_id], self.racks[rack]):
            for tag in tags:
                counts[tag] -= 1
                if not counts[tag]:
                    del counts[tag]
        if not self.nodes[node_id]:
            del self.nodes[node_id]
        if not self.racks[rack]:
            del self.racks[rack]


class AllocationTags:
    """The tags of all containers that are on nodes."""

    __slots__ = ("_all", "_by_application", "_tags_of")

    def __init__(self, tags_of: TagsOfApplications = lambda _: ()) -> None:
        self._all = _Tally()
        self._by_application: dict[ApplicationId, _Tally] = {}
        self._tags_of = tags_of

    def add(self, node_id: NodeId, rack: str, application_id: ApplicationId, tags: tuple[str, ...]) -> None:
        """A container with these tags is on the node from now on."""
        if not tags:
            return
        tags = tuple(dict.fromkeys(tags))
        self._by_application.setdefault(application_id, _Tally()).add(node_id, rack, tags)
        self._all.add(node_id, rack, tags)

    def remove(
        self, node_id: NodeId, rack: str, application_id: ApplicationId, tags: tuple[str, ...]
    ) -> None:
        """It has left the node."""
        if not tags:
            return
        tags = tuple(dict.fromkeys(tags))
        tally = self._by_application[application_id]
        tally.remove(node_id, rack, tags)
        if not tally.nodes:
            del self._by_application[application_id]
        self._all.remove(node_id, rack, tags)

    def on_node(self, node_id: NodeId) -> Counts:
        """What is on a node, whoever's it is."""
        return self._all.nodes.get(node_id, _NOTHING)

    def counts_on_node(
        self, node_id: NodeId, namespace: Namespace, application_id: ApplicationId
    ) -> list[Counts]:
        """What is on a node, one entry for each application that the namespace means; `application_id` is
        `self`.
        """
        return [tally.nodes.get(node_id, _NOTHING) for tally in self._meant(namespace, application_id)]

    def counts_on_rack(self, rack: str, namespace: Namespace, application_id: ApplicationId) -> list[Counts]:
        """The same for a rack."""
        return [tally.racks.get(rack, _NOTHING) for tally in self._meant(namespace, application_id)]

    def _meant(self, namespace: Namespace, application_id: ApplicationId) -> list[_Tally]:
        by_application = self._by_application
        match namespace.kind:
            case NamespaceKind.ALL:
                return [self._all]
            case NamespaceKind.SELF:
                found = [application_id]
            case NamespaceKind.APP_ID:
                assert namespace.application_id is not None
                found = [namespace.application_id]
            case NamespaceKind.NOT_SELF:
                found = [one for one in by_application if one != application_id]
            case NamespaceKind.APP_TAG:
                tag = namespace.application_tag
                found = [one for one in by_application if tag in self._tags_of(one)]
        return [by_application[one] for one in found if one in by_application]

    def check_books(self, nodes: Iterable[SchedulerNode]) -> None:
        """Compares with a recount from the containers on these nodes; AssertionError where they differ."""
        recount = AllocationTags()
        for node in nodes:
            for container in node.containers.values():
                if container.allocation_tags:
                    tags = container.allocation_tags
                    recount.add(node.node_id, node.rack, container.application_id, tags)
        for name in ("nodes", "racks"):
            counted, booked = getattr(recount._all, name), getattr(self._all, name)
            assert counted == booked, f"tags on {name}: {counted} there, {booked} booked"
        assert sorted(recount._by_application) == sorted(self._by_application)


def extremes(counts: list[Counts], tags: tuple[str, ...]) -> tuple[int, int]:
    """The smallest and the largest of the tags' sums; of all that are there when no tag is named."""
    names = tags or tuple(dict.fromkeys(name for one in counts for name in one))
    sums = [sum(one.get(name, 0) for one in counts) for name in names]
    return (min(sums), max(sums)) if sums else (0, 0)
