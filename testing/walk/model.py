"""What holds whatever happens, kept by hand beside the cores: a model of promises, and the promises.

- What was acknowledged is there: an application whose submission was answered, whoever is the
  ResourceManager, and a kill that was answered.
- An end is an end: a final state that was seen does not change.
- No container is granted twice, and no machine runs more than it has.
- An AM is told of a container's end once by each ResourceManager.
- An attempt that did not fail by itself costs the application nothing: it fails only when its AM failed as
  often as it may. When the ResourceManager has heard of so many failures, no AM begins any more.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterable
from dataclasses import dataclass, field

from yarnbox.am.asks import RequestTable
from yarnbox.yarn.enums import FinalApplicationStatus, YarnApplicationState
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId
from yarnbox.yarn.records.application import ApplicationReport
from yarnbox.yarn.records.container import ContainerStatus
from yarnbox.yarn.records.master import AllocateResponse
from yarnbox.yarn.records.tokens import AMRMTokenIdentifier, Token
from yarnbox.yarn.security.tokens import AMRM_TOKEN, identifier_of

FINAL = (YarnApplicationState.FINISHED, YarnApplicationState.FAILED, YarnApplicationState.KILLED)


class BrokenPromiseError(AssertionError):
    """Something that must hold did not."""


@dataclass(slots=True)
class Promised:
    """What is known of one application."""

    failures: int
    """How often its AM fails by itself."""
    max_attempts: int
    failed: int = 0
    """How often it did."""
    failing: dict[ContainerId, None] = field(default_factory=dict)
    """The containers in which it did."""
    heard: dict[ContainerId, None] = field(default_factory=dict)
    """Those of them of which a ResourceManager has heard for certain."""
    begun: dict[int, None] = field(default_factory=dict)
    """The attempts whose AM began."""
    may_count: dict[int, None] = field(default_factory=dict)
    """The attempts that may count as failures."""
    lost: dict[ContainerId, None] = field(default_factory=dict)
    """The containers of AMs that are gone with what ran on their machine."""
    is_finishing: bool = False
    """Whether an AM of it was told that it has unregistered."""
    is_fickle: bool = False
    """Whether its AM gives running containers back."""
    is_kill_asked: bool = False
    is_kill_acknowledged: bool = False
    final: YarnApplicationState | None = None
    """The final state that was seen."""


@dataclass(slots=True)
class Model:
    """The promises of one walk, and the first that was broken."""

    begun: dict[ApplicationId, Promised] = field(default_factory=dict)
    """What clients have begun to submit."""
    apps: dict[ApplicationId, Promised] = field(default_factory=dict)
    """What was acknowledged."""
    granted: dict[ContainerId, tuple[bytes, int]] = field(default_factory=dict)
    """With which token and response id each container was granted."""
    granted_by: dict[ContainerId, int] = field(default_factory=dict)
    """And by which ResourceManager, which may be gone when its AM hears of it."""
    told: dict[tuple[ApplicationAttemptId, ContainerId], tuple[int, int]] = field(default_factory=dict)
    """By which ResourceManager, and in which answer, an AM was told of a container's end."""
    tables: dict[ApplicationAttemptId, RequestTable] = field(default_factory=dict)
    """What the AM of each attempt asks for."""
    released: dict[ContainerId, None] = field(default_factory=dict)
    """What AMs have given back."""
    expired: dict[ContainerId, None] = field(default_factory=dict)
    """What a ResourceManager has given up, because no node reported it: that is no failure of an AM."""
    rm_number: int = 0
    fault: BaseException | None = None

    def broke(self, error: BaseException) -> None:
        """Something is wrong; the first that was is told."""
        if self.fault is None:
            self.fault = error

    def expect(self, condition: bool, text: str) -> None:
        """Notes a broken promise."""
        if not condition:
            self.broke(BrokenPromiseError(text))

    def story(self) -> str:
        """What went wrong, with where."""
        assert self.fault is not None
        return "".join(traceback.format_exception(self.fault)).strip()

    # What is done

    def note_lost_master(self, container_id: ContainerId) -> None:
        """An AM is gone with its machine."""
        promised = self.begun.get(container_id.application_id)
        if promised is not None:
            promised.lost[container_id] = None

    def note_own_failure(self, promised: Promised, container_id: ContainerId) -> None:
        """An AM fails by itself."""
        promised.failed += 1
        promised.failing[container_id] = None
        promised.may_count[container_id.application_attempt_id.attempt_id] = None

    def note_master(self, promised: Promised, container_id: ContainerId) -> None:
        """An AM begins; or again, if its node has lost what it stored of the start or of the end. It does not
        know then what it gave back in its life before, and may not have said yet.
        """
        attempt_id = container_id.application_attempt_id
        for one in [one for one in self.released if one.application_attempt_id == attempt_id]:
            del self.released[one]
        failed = sum(one.application_attempt_id < attempt_id for one in promised.heard)
        self.expect(
            failed < promised.max_attempts,
            f"{container_id} begins, and {failed} attempts before it have failed",
        )
        promised.begun[attempt_id.attempt_id] = None

    def note_ends(self, ended: Iterable[ContainerStatus]) -> None:
        """A ResourceManager that knows the node well was told so, and has answered."""
        for status in ended:
            promised = self.begun.get(status.container_id.application_id)
            was_judged = status.container_id in self.expired
            if promised is not None and status.container_id in promised.failing and not was_judged:
                promised.heard[status.container_id] = None

    # What is seen

    def note_grants(self, token: Token | None, answer: AllocateResponse) -> None:
        """An answer of allocate left the ResourceManager; the same one may leave it again."""
        if token is None or answer.response_id is None:
            return
        attempt_id = identifier_of(token, AMRM_TOKEN, AMRMTokenIdentifier).app_attempt_id
        assert attempt_id is not None
        for container in answer.allocated_containers:
            now = (token.identifier, answer.response_id)
            before = self.granted.setdefault(container.id, now)
            self.expect(before == now, f"{container.id} was granted twice")
            self.granted_by.setdefault(container.id, self.rm_number)
            self.expect(
                container.id.application_attempt_id == attempt_id, f"{attempt_id} was granted {container.id}"
            )
        for status in answer.completed_container_statuses:
            here = (self.rm_number, answer.response_id)
            rm_number, response_id = self.told.get((attempt_id, status.container_id), here)
            self.told[attempt_id, status.container_id] = here
            self.expect(
                rm_number != self.rm_number or response_id == answer.response_id,
                f"{attempt_id} was told twice that {status.container_id} has ended",
            )

    def note_report(self, application_id: ApplicationId, report: ApplicationReport) -> None:
        """The ResourceManager says so of an application."""
        promised, state = self.apps[application_id], report.yarn_application_state
        if promised.final is not None:
            self.expect(
                state is promised.final,
                f"{application_id} was {promised.final.name} and is {state.name if state else None} now",
            )
        elif state in FINAL:
            promised.final = state
            self._check_end(application_id, promised, report)
        if promised.is_kill_acknowledged:
            self.expect(state in FINAL, f"{application_id} was killed and is {state.name if state else None}")

    def _check_end(
        self, application_id: ApplicationId, promised: Promised, report: ApplicationReport
    ) -> None:
        state = report.yarn_application_state
        if state is YarnApplicationState.KILLED:
            self.expect(promised.is_kill_asked, f"{application_id} is KILLED, and nobody asked for it")
        elif state is YarnApplicationState.FAILED:
            self.expect(
                len(promised.may_count) >= promised.max_attempts,
                f"{application_id} is FAILED, {promised.max_attempts} attempts may fail, and these did: "
                f"{list(promised.may_count)}; {report.diagnostics}",
            )
        else:
            succeeded = report.final_application_status is FinalApplicationStatus.SUCCEEDED
            self.expect(succeeded, f"{application_id} FINISHED as {report.final_application_status}")
        if promised.is_finishing and not promised.is_kill_asked:
            self.expect(
                state is YarnApplicationState.FINISHED,
                f"{application_id} has unregistered, and is {state.name if state else None}",
            )

    def note_missing(self, application_id: ApplicationId) -> None:
        """The ResourceManager knows no such application."""
        self.expect(False, f"{application_id} was acknowledged and is unknown")
