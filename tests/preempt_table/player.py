"""The passes of a row, and what is expected of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from tests.preempt_table.build import Built
from tests.preempt_table.rows import PassRow, Row, TableError
from yarnbox.rm.container import RMContainer, SchedulerNode
from yarnbox.rm.scheduler.capacity.preemption.policy import PreemptionPolicy
from yarnbox.rm.scheduler.capacity.preemption.settings import PreemptionSettings, read_settings
from yarnbox.yarn.configuration import Configuration, ConfigurationError
from yarnbox.yarn.ids import ApplicationAttemptId
from yarnbox.yarn.settings import declarations

_PREFIX = "yarn.resourcemanager.monitor.capacity.preemption."
TABLE_DEFAULTS = {
    _PREFIX + "max_wait_before_kill": "10000",
    _PREFIX + "total_preemption_per_round": "1.0",
    _PREFIX + "natural_termination_factor": "1.0",
}


@dataclass(frozen=True, slots=True)
class TableFailure:
    """An expectation that did not hold."""

    at_ms: int
    key: str
    expected: int
    got: int


class _Counting:
    """Counts what a pass decides; nothing is carried out."""

    def __init__(self, names: Mapping[ApplicationAttemptId, str]) -> None:
        self._names = names
        self.marked: Counter[str] = Counter()
        self.killed: Counter[str] = Counter()
        self.unreserved: Counter[str] = Counter()

    def mark(self, container: RMContainer, kill_at_ms: int) -> None:
        """By application, and by application and node."""
        app, host = self._names[container.attempt_id], container.node_id.host
        self.marked.update([app, f"{app}@{host}", "*", f"*@{host}"])

    def kill(self, container: RMContainer) -> None:
        """By application."""
        self.killed.update([self._names[container.attempt_id], "*"])

    def unreserve(self, container: RMContainer) -> None:
        """By application."""
        self.unreserved.update([self._names[container.attempt_id], "*"])

    def move_reservation(self, container: RMContainer, node: SchedulerNode) -> bool:
        """There is no scheduler that could move it."""
        return False


def play(row: Row) -> list[TableFailure]:
    """Runs the row's passes by one policy object; what did not hold."""
    known = [declaration.name for declaration in declarations(PreemptionSettings)]
    for name in row.policy:
        if name.startswith(_PREFIX) and name not in known:
            raise TableError(f"row {row.name}: policy: unknown property {name}")
    try:
        settings = read_settings(Configuration.of({**TABLE_DEFAULTS, **row.policy}))
    except ConfigurationError as error:
        faults = "; ".join(
            f"{fault.property} must be {fault.allowed}, not {fault.value!r}" for fault in error.faults
        )
        raise TableError(f"row {row.name}: policy: {faults}") from error
    policy = PreemptionPolicy(settings)
    failures: list[TableFailure] = []
    for one in row.passes:
        built = Built(row, one.at_ms)
        counts = _Counting(built.names)
        policy.run(built.snapshot, counts)
        failures.extend(_compare(one, built, counts))
    return failures


def _compare(one: PassRow, built: Built, counts: _Counting) -> list[TableFailure]:
    failures = []
    for key, expected in one.expect.items():
        got = _queue_figure(built, key) if ":" in key else _count(counts, key)
        if got != expected:
            failures.append(TableFailure(one.at_ms, key, expected, got))
    return failures


def _count(counts: _Counting, key: str) -> int:
    name, _, what = key.partition("!")
    if what == "kill":
        return counts.killed[name]
    if what == "unreserve":
        return counts.unreserved[name]
    return counts.marked[name]


def _queue_figure(built: Built, key: str) -> int:
    path, _, figure = key.partition(":")
    what, _, label = figure.partition("@")
    share = built.queues[path].share(label)
    figures = {
        "ideal": share.ideal,
        "preemptable-extra": share.preemptable,
        "untouchable-extra": share.untouchable,
        "to-preempt": share.to_preempt,
        "obtain": share.to_obtain,
    }
    return figures[what].memory_mb
