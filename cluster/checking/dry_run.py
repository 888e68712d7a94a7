"""Who may submit where under a configuration of the fair scheduler, and what happens.

Each application is submitted to a ResourceManager of its own in virtual time.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, islice

from yarnbox.rm.scheduler.fair.allocation_file.allocations import Allocations
from yarnbox.sim.scenario.playing.player import Player
from yarnbox.sim.scenario.reading.document import Scenario
from yarnbox.sim.scenario.reading.steps import NO_LINE, Heartbeat, NodeSpec, Submit, UpdateShares
from yarnbox.yarn.enums import YarnApplicationState
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.resources.resource import Resource

ANYBODY = "anybody"
"""A user whom nothing names, in a group that nothing names."""
ANYBODYS_GROUP = "anybodys-group"
NEW_QUEUE = "root.new"
MOST_SUBMISSIONS = 3_000
_APP = "application"
_NODE = "node:1"


@dataclass(frozen=True, slots=True)
class Trial:
    """One submission and its end; `queue` is empty where it got into none."""

    asked: str
    user: str
    queue: str
    outcome: str


class DryRun:
    """Submissions under one configuration, in a cluster of one node."""

    def __init__(self, scenario: Scenario, allocations: Allocations, cluster: Resource, am: Resource) -> None:
        """`am` is what each ApplicationMaster asks for."""
        node = NodeSpec(name=_NODE, resource=dict(cluster.items()))
        users = _users(allocations, scenario.groups)
        self._scenario = replace(scenario, nodes=(node,), steps=(), groups=users)
        self._users = users
        self._queues = ("default", *allocations.queues, NEW_QUEUE)
        self._am = am
        self.left_out = max(len(users) * len(self._queues) - MOST_SUBMISSIONS, 0)
        """How many submissions are not tried, because there are too many."""

    def trials(self) -> list[Trial]:
        """One for each queue that may be asked for and each user, or each kind of users."""
        pairs = ((queue, user) for queue in self._queues for user in self._users)
        return [self.submit(queue, user) for queue, user in islice(pairs, MOST_SUBMISSIONS)]

    def submit(self, queue: str, user: str) -> Trial:
        """One application, from its submission to the start of its AM or as far as it gets."""
        player = Player(self._scenario)
        player.begin()
        am = dict(self._am.items())
        try:
            player.carry_out(Submit(line=NO_LINE, app=_APP, queue=queue, user=user, is_managed=True, am=am))
        except YarnError as refusal:
            return Trial(queue, user, "", f"refused: {_readable(refusal.message)}")
        player.carry_out(UpdateShares(line=NO_LINE, times=1))
        player.carry_out(Heartbeat(line=NO_LINE, nodes=(_NODE,), times=3))
        app = player.world.app(_APP)
        report = player.world.rm.application_report(app.application_id, user)
        if report.yarn_application_state is YarnApplicationState.FAILED:
            text = _readable(report.diagnostics or "").replace(f"{app.application_id} ", "")
            return Trial(queue, user, "", f"rejected: {text}")
        if report.yarn_application_state is YarnApplicationState.RUNNING:
            return Trial(queue, user, report.queue or "", "runs")
        return Trial(queue, user, report.queue or "", "waits, though the cluster is empty")


def summary(trials: Sequence[Trial], declared: Collection[str]) -> Iterator[Trial]:
    """Users of whom the same holds in one row; `everybody` where it holds of all. What is called after the
    user is called after `<user>`, but for queues of the file, which keep their names.
    """
    names = sorted((*declared, NEW_QUEUE), key=len, reverse=True)
    kept = "|".join(rf"(?:{re.escape(name)})(?![\w-])" for name in names)
    for asked, of_queue in groupby(trials, key=lambda one: one.asked):
        rows: dict[tuple[str, str], list[str]] = {}
        of_all = list(of_queue)
        for one in of_all:
            word = re.compile(rf"{kept}|(?<![\w-])({re.escape(one.user)})(?![\w-])")
            queue, outcome = (
                word.sub(lambda found: "<user>" if found[1] else found[0], text)
                for text in (one.queue, one.outcome)
            )
            rows.setdefault((queue, outcome), []).append(one.user)
        for (queue, outcome), users in rows.items():
            who = "everybody" if len(users) == len(of_all) else ", ".join(users)
            yield Trial(asked, who, queue, outcome)


def _users(allocations: Allocations, groups: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """The users to try, with their groups: those whom the file names, one for each other combination of
    groups, a member of each group that only a list names, and somebody whom nobody knows.
    """
    lists = [acl for said in allocations.queues.values() for acl in said.acls.values()]
    named = dict.fromkeys([*(user for acl in lists for user in acl.users), *allocations.user_max_apps])
    users = {user: groups.get(user, (ANYBODYS_GROUP,)) for user in named if user}
    for user, of_user in groups.items():
        if user not in users and of_user and of_user not in users.values():
            users[user] = of_user
    for group in dict.fromkeys(group for acl in lists for group in acl.groups):
        if not any(group in of_user for of_user in users.values()):
            users[f"member-of-{group}"] = (group,)
    users[ANYBODY] = (ANYBODYS_GROUP,)
    return users


def _readable(message: str) -> str:
    """One line, the group that stands for all others named so."""
    return " ".join(message.split()).replace(ANYBODYS_GROUP, "<group>")
