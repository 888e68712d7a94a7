"""One walk: what is done to the cluster and when, all of it drawn from the seed before it begins.

First a storm: clients submit and kill, processes and machines die and come back, the network fails. Then all
faults end, and everything that was acknowledged must come to its end, with nothing left behind. A walk that
fails is walked again with steps left out, as long as it fails in the same way.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from random import Random
from typing import Any, Self

from yarnbox.testing.masters import Master
from yarnbox.testing.virtual_time.cluster import SESSION_MS
from yarnbox.testing.virtual_time.loop import StandstillError
from yarnbox.testing.walk.administration import LABEL, LABEL_CONF, Administration, fair_allocations
from yarnbox.testing.walk.master import Plan, master_of
from yarnbox.testing.walk.model import FINAL, BrokenPromiseError, Promised
from yarnbox.testing.walk.world import WalkCluster
from yarnbox.yarn.connection.rpc import RpcError
from yarnbox.yarn.enums import YarnApplicationAttemptState
from yarnbox.yarn.errors import ApplicationNotFoundError, InvalidResourceRequestError, YarnError
from yarnbox.yarn.ids import ApplicationId
from yarnbox.yarn.records.application import ApplicationSubmissionContext
from yarnbox.yarn.records.basics import Record
from yarnbox.yarn.records.client import (
    GetApplicationAttemptReportRequest,
    GetApplicationReportRequest,
    GetNewApplicationRequest,
    KillApplicationRequest,
    SubmitApplicationRequest,
)
from yarnbox.yarn.records.container import ContainerLaunchContext
from yarnbox.yarn.resources.resource import Resource

STEPS = 40
BEGINNING_S = 3
CALM_S = 6 * 3600
LONG_TASK_S = 240
FAULTS_END_S = 90
"""By then nothing that a step has begun goes on, and everybody has noticed what is gone."""
CALM_NODES_S = 40
"""By then every node is there, and none of them may be lost any more."""
CALM_PAUSE_MS = 25_000
LOOK_S = 20
HEARTBEATS_MS = (1000, 2500, 5000)
"""How often AMs may call."""
TRIES = 200
MAX_ATTEMPTS = 4
OPPORTUNISTIC_CONF = {
    "yarn.resourcemanager.opportunistic-container-allocation.enabled": "true",
    "yarn.nodemanager.opportunistic-containers-max-queue-length": "4",
}
ENDED = (
    YarnApplicationAttemptState.FAILED,
    YarnApplicationAttemptState.KILLED,
    YarnApplicationAttemptState.FINISHED,
)


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that is done, so long after the one before; `numbers` say with what."""

    after_ms: int
    verb: str
    numbers: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.after_ms / 1000:g} s later: {self.verb} {' '.join(map(str, self.numbers))}".rstrip()


@dataclass(frozen=True, slots=True)
class Features:
    """What a cluster has that another one has not."""

    has_label: bool
    is_exclusive: bool
    is_opportunistic: bool
    heartbeat_ms: int
    """How often nodes call."""

    @classmethod
    def draw(cls, seed: int, scheduler: str) -> Self:
        """Those of a seed."""
        dice = Random(f"features {seed}")
        has_label, is_exclusive, is_opportunistic = (dice.random() < 0.4 for _ in range(3))
        heartbeat_ms = dice.choice((1000, 3000))
        return cls(has_label and scheduler == "capacity", is_exclusive, is_opportunistic, heartbeat_ms)

    @property
    def conf(self) -> dict[str, str]:
        """The configuration that they need."""
        conf = {"yarn.resourcemanager.nodemanagers.heartbeat-interval-ms": str(self.heartbeat_ms)}
        conf |= LABEL_CONF if self.has_label else {}
        return conf | (OPPORTUNISTIC_CONF if self.is_opportunistic else {})


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a walk."""

    fault: str
    """Empty: everything held."""
    kind: str
    """Two walks that fail with the same one show the same defect."""
    digest: str
    """Of everything that happened: the same for the same walk."""
    events: int
    virtual_s: float
    coverage: Counter[str] = field(default_factory=Counter)


def draw(seed: int, length: int | None = None) -> list[Step]:
    """The steps of a seed; some verbs are left out, so that walks differ."""
    dice = Random(f"walk {seed}")
    verbs = {verb: weight for verb, weight in WEIGHTS.items() if verb == "submit" or dice.random() < 0.7}
    return [
        Step(
            round(dice.expovariate(1 / 4000)),
            dice.choices(list(verbs), list(verbs.values()))[0],
            tuple(dice.randrange(1000) for _ in range(4)),
        )
        for _ in range(STEPS if length is None else length)
    ]


def walk(seed: int, scheduler: str, steps: Sequence[Step] | None = None) -> Outcome:
    """Walks from the seed to the end, or to the first broken promise."""
    features = Features.draw(seed, scheduler)
    cluster = WalkCluster(seed, scheduler, 3 + seed % 3, features.conf, fair_allocations())
    journey = _Journey(cluster, features)
    try:
        cluster.pass_time(BEGINNING_S)
        journey.begin()
        for step in draw(seed) if steps is None else steps:
            journey.take(step)
            if cluster.model.fault is not None:
                break
        else:
            journey.calm_down()
    except (AssertionError, StandstillError) as error:
        cluster.model.broke(error)
    finally:
        lines = [str(event) for event in cluster.all_events()]
        now_s = cluster.now_s
        try:
            cluster.close()
        except Exception as error:
            cluster.model.broke(error)
    fault = cluster.model.fault
    digest = blake2b("\n".join(lines).encode(), digest_size=8).hexdigest()
    kind = "" if fault is None else f"{type(fault).__name__} {_letters(str(fault)[:60])}"
    told = "" if fault is None else cluster.model.story()
    return Outcome(told, kind, digest, len(lines), now_s, journey.coverage + cluster.weather.coverage)


def _letters(text: str) -> str:
    return "".join(one for one in text if one.isalpha())


def shorten(seed: int, scheduler: str, steps: Sequence[Step], kind: str) -> list[Step]:
    """The steps that are left when all were left out without which it fails in the same way."""
    left, size, tries = list(steps), max(1, len(steps) // 2), 0
    while tries < TRIES:
        index, was_shortened = 0, False
        while index < len(left) and tries < TRIES:
            tries += 1
            shorter = left[:index] + left[index + size :]
            if walk(seed, scheduler, shorter).kind == kind:
                left, was_shortened = shorter, True
            else:
                index += size
        if size == 1 and not was_shortened:
            break
        size = max(1, size // 2)
    return left


class _Journey:
    """One walk under way."""

    def __init__(self, cluster: WalkCluster, features: Features) -> None:
        self._cluster = cluster
        self._features = features
        self._administration = Administration(cluster, cluster.files)
        self._model = cluster.model
        self._clients: list[asyncio.Task[None]] = []
        self.coverage: Counter[str] = Counter()

    def begin(self) -> None:
        """Before the first step."""
        if self._features.has_label:
            exclusive = self._features.is_exclusive
            self._cluster.run(self._administration.add_label(is_exclusive=exclusive))

    def take(self, step: Step) -> None:
        """Lets time pass, and then does it."""
        self._cluster.pass_time(step.after_ms / 1000)
        self.coverage[step.verb] += 1
        VERBS[step.verb](self, step.numbers)
        self._cluster.oracles.look_at_reservations()
        self._cluster.oracles.look_at_containers()
        self._cluster.oracles.look_at_counts()
        self._cluster.signs.look()
        self._cluster.signs.look_at_failures()

    # Clients

    def submit(self, numbers: Sequence[int]) -> None:
        """A client submits an application, again until it is answered."""
        max_attempts = 2 + numbers[0] // 8 % (MAX_ATTEMPTS - 1)
        failures = numbers[3] // 3 % (MAX_ATTEMPTS + 2) if numbers[3] % 3 == 0 else 0
        promised = Promised(failures=failures, max_attempts=max_attempts)
        seconds = LONG_TASK_S if numbers[2] % 5 == 0 else 1 + numbers[2] % 30
        size = Resource(1024 * (1 + numbers[1] % 4), 1 + numbers[1] % 2)
        features, kind = self._features, numbers[1] // 8
        plan = Plan(
            numbers[0] % 8,
            size,
            seconds,
            heartbeat_ms=HEARTBEATS_MS[numbers[2] // 30 % len(HEARTBEATS_MS)],
            label=LABEL if features.has_label and kind % 2 else "",
            is_opportunistic=features.is_opportunistic and kind // 2 % 2 == 1,
            is_fickle=kind // 4 % 2 == 1,
            is_watchful=kind // 8 % 2 == 1,
        )
        promised.is_fickle = plan.is_fickle
        self._spawn(self._submit(promised, master_of(self._model, promised, plan)))

    async def _submit(self, promised: Promised, master: Master) -> None:
        cluster = self._cluster
        new = await self._insist("getNewApplication", GetNewApplicationRequest())
        application_id = new.application_id
        cluster.play(application_id, master)
        self._model.begun[application_id] = promised
        context = ApplicationSubmissionContext(
            application_id=application_id,
            application_name="walk",
            queue="default",
            am_container_spec=ContainerLaunchContext(),
            resource=Resource(1024, 1),
            max_app_attempts=promised.max_attempts,
        )
        submission = SubmitApplicationRequest(application_submission_context=context)
        while True:
            try:
                await self._insist("submitApplication", submission)
            except InvalidResourceRequestError:  # while all nodes must leave, no AM is small enough
                await asyncio.sleep(1)
            else:
                break
        self._model.apps[application_id] = promised

    def kill(self, numbers: Sequence[int]) -> None:
        """A client kills an application, again until it is dead."""
        apps = list(self._model.apps)
        if apps:
            self._spawn(self._kill(apps[numbers[0] % len(apps)]))

    async def _kill(self, application_id: ApplicationId) -> None:
        promised = self._model.apps[application_id]
        promised.is_kill_asked = True
        request = KillApplicationRequest(application_id=application_id)
        while not (await self._insist("forceKillApplication", request)).is_kill_completed:
            await asyncio.sleep(1)
        promised.is_kill_acknowledged = True

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        self._clients.append(self._cluster.loop.create_task(work))

    async def _insist(self, rpc: str, request: Record) -> Any:
        """The answer to a client that asks until there is one. What is unknown now was not acknowledged."""
        while True:
            try:
                return await self._cluster.ask(rpc, request)
            except RpcError:
                await asyncio.sleep(1)

    # Faults

    def _host(self, number: int) -> str:
        hosts = list(self._cluster.nodes)
        return hosts[number % len(hosts)]

    def kill_rm(self, numbers: Sequence[int]) -> None:
        """The ResourceManager dies between two turns."""
        self._cluster.rm.crash(numbers[0] * 20)

    def kill_rm_amid(self, numbers: Sequence[int]) -> None:
        """It dies at one of the next points at which it can: before or after a write, before an effect."""
        self._cluster.rm.crash_in(1 + numbers[0] % 40, numbers[1] * 20)

    def kill_nm(self, numbers: Sequence[int]) -> None:
        """A NodeManager dies and is started again."""
        host = self._host(numbers[0])
        self._cluster.kill_node_manager(host)
        self._later(numbers[1] * 20, lambda: self._cluster.start_node_manager(host))

    def kill_machine(self, numbers: Sequence[int]) -> None:
        """A machine dies and comes back empty, one of four only when all is calm."""
        host = self._host(numbers[0])
        self._cluster.kill_machine(host)
        if numbers[2] % 4:
            self._later(1000 + numbers[1] * 60, lambda: self._cluster.start_node_manager(host))

    def reboot(self, numbers: Sequence[int]) -> None:
        """A machine is switched off and on: nothing runs, and the newest entries of its store may be lost."""
        host = self._host(numbers[0])
        self._cluster.switch_off(host, lost=numbers[2] % 8)
        self._later(1000 + numbers[1] * 25, lambda: self._cluster.start_node_manager(host))

    def fall_ill(self, numbers: Sequence[int]) -> None:
        """The directories of a node are full for a while."""
        host = self._host(numbers[0])
        self._later(0, lambda: self._cluster.fall_ill(host))
        self._later(1000 + numbers[1] * 30, lambda: self._cluster.recover(host))

    def crash_task(self, numbers: Sequence[int]) -> None:
        """A task is killed by somebody else."""
        self._later(0, lambda: self._cluster.crash_task(numbers[0]))

    def preempt(self, numbers: Sequence[int]) -> None:
        """A container is preempted."""
        self._cluster.preempt(numbers[0])

    # Administrators

    def refresh_queues(self, numbers: Sequence[int]) -> None:
        """The queue has other limits."""
        self._spawn(self._administration.refresh_queues(numbers[0]))

    def exclude(self, numbers: Sequence[int]) -> None:
        """A node must leave, and may come back."""
        host = self._host(numbers[0])
        self._spawn(self._exclude(host, numbers[2] % 2 == 1, 2 + numbers[1] * 0.04))

    async def _exclude(self, host: str, is_graceful: bool, seconds: float) -> None:
        await self._administration.exclude(host, is_graceful=is_graceful)
        await asyncio.sleep(seconds)
        await self._administration.include(host)

    def resize(self, numbers: Sequence[int]) -> None:
        """The scheduler uses less of a node, or more again."""
        self._spawn(self._administration.resize(self._host(numbers[0]), numbers[1]))

    def relabel(self, numbers: Sequence[int]) -> None:
        """A node gets the label, or loses it."""
        if self._features.has_label:
            host = self._host(numbers[0])
            self._spawn(self._administration.relabel(host, is_labelled=numbers[1] % 2 == 1))

    def part(self, numbers: Sequence[int]) -> None:
        """Nothing comes through to a node or from it for a while."""
        host, weather = self._host(numbers[0]), self._cluster.weather
        weather.parted[host] = None
        self._later(numbers[1] * 60, lambda: weather.parted.pop(host, None))

    def deafen(self, numbers: Sequence[int]) -> None:
        """An AM or a node calls, and hears no answer, for up to 120 s: longer than an AM may be silent."""
        self._later(numbers[1] * 120, self._cluster.deafen(numbers[0]))

    def change_weather(self, numbers: Sequence[int]) -> None:
        """Calls are lost and delayed, more or less than before."""
        weather = self._cluster.weather
        weather.loses, weather.delays_ms = (0, 0, 5, 20)[numbers[0] % 4], (0, 50, 800, 3000)[numbers[1] % 4]
        weather.repeats, weather.lags = (0, 0, 0, 10)[numbers[2] % 4], (0, 0, 0, 5)[numbers[2] // 4 % 4]
        weather.hangs = (0, 0, 0, 3)[numbers[2] // 16 % 4]

    def slow_stops(self, numbers: Sequence[int]) -> None:
        """Containers that are told to stop go on for a while, longer or shorter than before."""
        self._cluster.weather.stops_ms = (0, 500, 3000, 15_000)[numbers[0] % 4]

    def pause_rm(self, numbers: Sequence[int]) -> None:
        """The ResourceManager stands still, and goes on."""
        self._cluster.rm.stand_still(500 + numbers[0] * 30)

    def take_over(self, numbers: Sequence[int]) -> None:
        """The ResourceManager stands still, another one takes over, and the first one wakes up."""
        self._cluster.rm.take_over(SESSION_MS, SESSION_MS + 1 + numbers[0] * 30)

    def fill_disk(self, numbers: Sequence[int]) -> None:
        """The ResourceManager cannot store anything for a while."""
        disk = self._cluster.rm.disk
        disk.is_full = True
        self._later(200 + numbers[0] * 15, disk.empty)

    def _later(self, ms: int, action: Callable[[], object]) -> None:
        self._cluster.later(ms, lambda: (action(), None)[1])

    # Looking

    def look(self, numbers: Sequence[int]) -> None:
        """Every application that was acknowledged is looked at."""
        self._cluster.oracles.look_at_disk()
        self._cluster.run(self._look())

    async def _look(self) -> None:
        for application_id in list(self._model.apps):
            request = GetApplicationReportRequest(application_id=application_id)
            try:
                answer = await self._cluster.ask("getApplicationReport", request)
            except ApplicationNotFoundError:
                self._model.note_missing(application_id)
            except (YarnError, RpcError):
                continue
            else:
                self._model.note_report(application_id, answer.application_report)
        for application_id in list(self._model.apps):
            await self._look_at_failures(application_id)

    async def _look_at_failures(self, application_id: ApplicationId) -> None:
        """Attempts of whose failure a ResourceManager has heard have ended, whoever is asked."""
        for container_id in list(self._model.apps[application_id].heard):
            attempt_id = container_id.application_attempt_id
            request = GetApplicationAttemptReportRequest(application_attempt_id=attempt_id)
            try:
                answer = await self._cluster.ask("getApplicationAttemptReport", request)
            except (YarnError, RpcError):
                continue
            state = answer.application_attempt_report.yarn_application_attempt_state
            self._model.expect(state in ENDED, f"{attempt_id} had failed and is {state}")

    # The end

    def calm_down(self) -> None:
        """No more faults: everything that was acknowledged ends, and nothing is left."""
        cluster = self._cluster
        cluster.weather.calm()
        cluster.rm.crash_in(0, 0)
        cluster.rm.disk.empty()
        cluster.pass_time(FAULTS_END_S)
        for node_id in cluster.rm.context.nodes:
            self._model.expect(cluster.is_up(node_id.host), f"nobody has noticed that {node_id.host} is gone")
        cluster.run(self._administration.restore())
        for host in cluster.nodes:
            self._later(0, partial(cluster.start_node_manager, host))
        cluster.pass_time(CALM_NODES_S)
        cluster.run(self._administration.restore_sizes())
        removals = cluster.removals()
        self._disturb_nobody()
        ends_s = cluster.now_s + CALM_S
        while cluster.now_s < ends_s and self._model.fault is None:
            cluster.pass_time(LOOK_S)
            cluster.run(self._look())
            cluster.oracles.look_at_places()
            unfinished = self._unfinished()
            if all(one.done() for one in self._clients) and not unfinished:
                break
            if unfinished and cluster.rm.is_well and cluster.oracles.is_held_by_masters():
                self.coverage["held by masters"] += 1
                self._spawn(self._kill(unfinished[-1]))  # what an operator would do
        cluster.pass_time(60)
        self.look(())
        self._model.expect(cluster.removals() == removals, "a node was lost, though all was calm")
        self._expect_quiet()

    def _disturb_nobody(self) -> None:
        """When all is calm the ResourceManager may stand still for longer than it waits for a node, and be
        replaced: no node is lost, and what runs goes on.
        """
        cluster = self._cluster
        cluster.rm.stand_still(CALM_PAUSE_MS)
        cluster.pass_time(CALM_PAUSE_MS / 1000 + LOOK_S)
        before = {
            container_id: self._model.begun[container_id.application_id].failed
            for container_id in cluster.guaranteed()
            if not self._model.begun[container_id.application_id].is_fickle
            and not cluster.was_stopped(container_id)  # and began again, as its machine has lost that
        }
        cluster.rm.crash(0)
        cluster.pass_time(CALM_NODES_S)
        for container_id, failed in before.items():
            promised = self._model.begun[container_id.application_id]
            may_end = promised.is_kill_asked or promised.is_finishing or promised.failed > failed
            is_given_back = container_id in self._model.released  # as the next one is told again
            self._model.expect(
                may_end or is_given_back or not cluster.was_stopped(container_id),
                f"{container_id} was stopped when another ResourceManager began",
            )

    def _unfinished(self) -> list[ApplicationId]:
        return [one for one, promised in self._model.apps.items() if promised.final not in FINAL]

    def _expect_quiet(self) -> None:
        if self._model.fault is not None:
            return
        for client in self._clients:
            self._model.expect(client.done(), "a client still waits, though all is calm")
            if client.done() and not client.cancelled() and client.exception() is not None:
                self._model.broke(client.exception() or BrokenPromiseError())
        unfinished = self._unfinished()
        self._model.expect(not unfinished, f"still not ended, though all is calm: {unfinished[:3]}")
        left = self._cluster.used_up()
        self._model.expect(not left, f"left behind: {left[:3]}")
        invalid = self._cluster.rm.context.invalid_events
        self._model.expect(not invalid, f"{invalid} events met a state in which they cannot come")


Verb = Callable[[_Journey, Sequence[int]], None]
VERBS: dict[str, Verb] = {
    "submit": _Journey.submit,
    "kill": _Journey.kill,
    "look": _Journey.look,
    "kill-rm": _Journey.kill_rm,
    "kill-rm-amid": _Journey.kill_rm_amid,
    "pause-rm": _Journey.pause_rm,
    "take-over": _Journey.take_over,
    "fill-disk": _Journey.fill_disk,
    "kill-nm": _Journey.kill_nm,
    "kill-machine": _Journey.kill_machine,
    "part": _Journey.part,
    "deafen": _Journey.deafen,
    "reboot": _Journey.reboot,
    "fall-ill": _Journey.fall_ill,
    "crash-task": _Journey.crash_task,
    "preempt": _Journey.preempt,
    "weather": _Journey.change_weather,
    "slow-stops": _Journey.slow_stops,
    "refresh-queues": _Journey.refresh_queues,
    "exclude": _Journey.exclude,
    "resize": _Journey.resize,
    "relabel": _Journey.relabel,
}
WEIGHTS = {
    "submit": 30,
    "kill": 6,
    "look": 15,
    "kill-rm": 5,
    "kill-rm-amid": 12,
    "pause-rm": 4,
    "take-over": 5,
    "fill-disk": 4,
    "kill-nm": 8,
    "kill-machine": 6,
    "part": 6,
    "deafen": 6,
    "weather": 8,
    "slow-stops": 8,
    "reboot": 4,
    "fall-ill": 4,
    "crash-task": 4,
    "preempt": 4,
    "refresh-queues": 4,
    "exclude": 4,
    "resize": 3,
    "relabel": 3,
}
