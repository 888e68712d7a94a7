"""What every cluster of the kit lets a test do: inject faults, wait, look, assert.

Whatever is waited for and does not come fails with the story of what happened instead: the events of the
ResourceManager, how far the calls went, and the faults that never had their turn.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass

from yarnbox.cluster.commands.events import Choice, event_types
from yarnbox.rm.booking import ALLOCATED, COMPLETED
from yarnbox.testing.conditions import Condition
from yarnbox.testing.faults import ContainerAddress, Fault, Faults
from yarnbox.yarn.connection.rpc import ConnectionFailedError
from yarnbox.yarn.enums import FinalApplicationStatus, YarnApplicationState
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.ids import ApplicationId, ContainerId, NodeId
from yarnbox.yarn.records.application import ApplicationReport
from yarnbox.yarn.storage.event_log import STARTED, LoggedEvent

FINAL = (YarnApplicationState.FINISHED, YarnApplicationState.FAILED, YarnApplicationState.KILLED)
STORY_EVENTS = 40
_SHOWN_OF_AN_AM = 2000
"""Characters, the last ones."""


@dataclass(frozen=True, slots=True)
class SeenContainer:
    """A container, as the ResourceManager booked it."""

    id: ContainerId
    node: str
    is_am: bool
    is_live: bool
    exit_status: int | None
    """What its AM was told; None while it was told nothing."""


@dataclass(frozen=True, slots=True)
class Application:
    """An application of a cluster of the kit."""

    id: ApplicationId
    cluster: WatchedCluster

    def report(self) -> ApplicationReport:
        """What the ResourceManager says of it."""
        return self.cluster.report(self.id)

    @property
    def state(self) -> YarnApplicationState | None:
        """Its state; None while the ResourceManager does not answer."""
        try:
            return self.report().yarn_application_state
        except ConnectionFailedError:
            return None

    def wait(self, timeout_s: float | None = None) -> ApplicationReport:
        """Its last report, when it has ended. AssertionError with the story when it does not end in time."""
        self.cluster.wait_until(lambda: self.state in FINAL, f"{self.id} to end", timeout_s)
        return self.report()

    def succeeds(self, timeout_s: float | None = None) -> ApplicationReport:
        """The same; AssertionError with the story unless it ends well."""
        report = self.wait(timeout_s)
        if report.final_application_status is not FinalApplicationStatus.SUCCEEDED:
            status = report.final_application_status
            what = f"{self.id} ended {status.name if status else report.yarn_application_state}"
            raise AssertionError(f"{what}: {report.diagnostics}\n{self.cluster.story()}")
        return report


class WatchedCluster(ABC):
    """A cluster under test."""

    faults: Faults

    # What differs

    @abstractmethod
    def wait_until(self, condition: Callable[[], bool], what: str, timeout_s: float | None = None) -> None:
        """Lets time pass until the condition holds; AssertionError with the story when it does not."""

    @abstractmethod
    def all_events(self) -> Iterable[LoggedEvent]:
        """Every event of the RM, oldest first."""

    @abstractmethod
    def report(self, application_id: ApplicationId) -> ApplicationReport:
        """What the RM says of an application."""

    @abstractmethod
    def logs(self, container: ContainerAddress) -> str:
        """What a container wrote."""

    @abstractmethod
    def leaks(self) -> list[str]:
        """What is left that should not be, besides what the events tell."""

    # Faults

    def inject(self, fault: Fault) -> None:
        """Lets a fault happen now."""
        self.faults.inject(fault)

    def at(self, condition: str | Condition, fault: Fault) -> None:
        """Lets a fault happen at a call: `at("first allocate after 3 containers", lose_node_of(2))`."""
        self.faults.at(condition, fault)

    def assert_faults_happened(self) -> None:
        """Fails when a fault still waits for its call: the test did not test it."""
        if self.faults.waiting:
            raise AssertionError(f"faults that never happened: {self.faults.waiting}\n{self.story()}")

    # Looking

    def events(
        self,
        name: str | None = None,
        *,
        app: Application | ApplicationId | None = None,
        node: str | None = None,
        container: ContainerAddress | None = None,
    ) -> list[LoggedEvent]:
        """The events of the RM, routine left out: those of that name (Hadoop's constant or ours), those that
        name the application, the node (a host) or the container. LookupError: there is no such event.
        """
        types = None if name is None else event_types(name)
        wanted = app.id if isinstance(app, Application) else app
        number = None if wanted is None else (str(wanted.cluster_timestamp), wanted.id)
        choice = Choice(types=types, application=number, node=node)
        found = [event for event in self.all_events() if choice.takes(event)]
        if container is None:
            return found
        text = str(self.faults.container(container))
        return [one for one in found if one.subject == text or _says(one, text)]

    def wait_for_event(
        self,
        name: str,
        *,
        app: Application | ApplicationId | None = None,
        node: str | None = None,
        container: ContainerAddress | None = None,
        count: int = 1,
        timeout_s: float | None = None,
    ) -> LoggedEvent:
        """The `count`-th such event since the cluster began, as soon as it is there."""
        told = {"app": app.id if isinstance(app, Application) else app, "node": node, "container": container}
        about = "".join(f" {key}={value}" for key, value in told.items() if value is not None)
        event_types(name)

        def chosen() -> list[LoggedEvent]:
            if isinstance(container, int) and container > len(self.faults.granted):
                return []
            return self.events(name, app=app, node=node, container=container)

        self.wait_until(lambda: len(chosen()) >= count, f"{name}{about}", timeout_s)
        return chosen()[count - 1]

    def containers(self, app: Application | ApplicationId | None = None) -> list[SeenContainer]:
        """The containers that were allocated, in that order; those of one application, or all."""
        wanted = app.id if isinstance(app, Application) else app
        booked: dict[ContainerId, str] = {}
        live: dict[ContainerId, None] = {}
        for event in self.events():
            if event.type == STARTED:
                live.clear()  # the books of a new RM are empty, until nodes report what runs on them
            elif event.type in (ALLOCATED, COMPLETED):
                one = ContainerId.parse(event.subject)
                if wanted not in (None, one.application_id):
                    continue
                if event.type == ALLOCATED:
                    live[one] = None
                    booked.setdefault(one, str(event.details["node"]))
                else:
                    live.pop(one, None)
        first: dict[object, ContainerId] = {}
        for one in booked:
            first.setdefault(one.application_attempt_id, one)
        return [
            SeenContainer(
                one,
                NodeId.parse(node).host,
                first[one.application_attempt_id] == one and self.has_am(one.application_id),
                one in live,
                self.faults.ended[one].exit_status if one in self.faults.ended else None,
            )
            for one, node in booked.items()
        ]

    def has_am(self, application_id: ApplicationId) -> bool:
        """Whether the first container of each attempt is its AM's: not so where the AM is unmanaged."""
        return True

    # Asserting

    def assert_no_leaks(self) -> None:
        """Fails when an application has not ended, or something of an ended one is left: a container that is
        still booked, a process.
        """

        def left_over() -> list[str]:
            return [*self._unfinished(), *self.leaks()]

        with suppress(AssertionError):  # what has just ended is given time to go
            self.wait_until(lambda: not left_over(), "the end of what is left")
        left = left_over()
        if left:
            raise AssertionError("\n  ".join(["this is left:", *left]) + f"\n{self.story()}")

    def _unfinished(self) -> Iterator[str]:
        for one in self.containers():
            if one.is_live and self.report(one.id.application_id).yarn_application_state in FINAL:
                yield f"{one.id} on {one.node} is booked, and its application has ended"
        for app in self._applications():
            state = self.report(app).yarn_application_state
            if state not in FINAL:
                yield f"{app} is {state.name if state else 'NEW'}: an application of a test has to end"

    def story(self, last: int = STORY_EVENTS) -> str:
        """What has happened, for people: the last events, the calls, the faults, what AMs wrote."""
        events = self.events()
        begun_ms = events[0].time_ms if events else 0
        lines = ["what happened:"]
        if len(events) > last:
            lines.append(f"  ({len(events) - last} events before)")
        lines += [f"  {_line(one, begun_ms)}" for one in events[-last:]]
        calls = ", ".join(f"{rpc} {count}" for rpc, count in sorted(self.faults.so_far.calls.items()))
        lines.append(f"calls: {calls or 'none'}; containers granted: {self.faults.so_far.granted}")
        lines += [f"fault that happened: {one}" for one in self.faults.happened]
        lines += [f"fault that did not happen: {one}" for one in self.faults.waiting]
        for one in self.containers():
            if one.is_am and (text := self.logs(one.id)):
                lines.append(f"the AM in {one.id} on {one.node} wrote:\n{_end_of(text)}")
        lines += [f"{app} is {what}" for app, what in self._waiting()]
        return "\n".join(lines)

    def _waiting(self) -> Iterator[tuple[ApplicationId, str]]:
        """Of each application that has not ended, its state and what the ResourceManager says of it."""
        for app in self._applications():
            try:
                report = self.report(app)
            except (YarnError, ConnectionFailedError):
                continue
            state = report.yarn_application_state
            if state not in FINAL:
                why = " ".join((report.diagnostics or "").split())
                yield app, f"{state.name if state else 'NEW'}{f': {why}' if why else ''}"

    def _applications(self) -> list[ApplicationId]:
        subjects = dict.fromkeys(one.subject for one in self.events())
        return [ApplicationId.parse(one) for one in subjects if one.startswith("application_")]


def _end_of(text: str) -> str:
    """The last lines, as many as may be shown."""
    if len(text) <= _SHOWN_OF_AN_AM:
        return text
    return "...\n" + text[-_SHOWN_OF_AN_AM:].partition("\n")[2]


def _says(event: LoggedEvent, text: str) -> bool:
    return any(
        text == value or (isinstance(value, list) and text in value) for value in event.details.values()
    )


def _line(event: LoggedEvent, begun_ms: int) -> str:
    said = " ".join(
        f"{key}={value}" for key, value in event.details.items() if value not in ("", None, [], {})
    )
    name = event.constant or event.type
    return f"{(event.time_ms - begun_ms) / 1000:10.3f} s  {name:26} {event.subject} {said}".rstrip()
