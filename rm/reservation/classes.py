"""The classes by which Hadoop's files choose parts of the reservation system: those that there are.

Hadoop loads classes by name and does not start with one that it cannot find; a name that would be passed over
here must not be accepted either. Hadoop: AbstractReservationSystem.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from yarnbox.rm.scheduler.plan_queues import PlanSettings
from yarnbox.yarn.errors import YarnError

_PACKAGE = "org.apache.hadoop.yarn.server.resourcemanager.reservation."
_SYSTEM = "yarn.resourcemanager.reservation-system."
_SYSTEMS = {
    "CapacityScheduler": ("CapacityReservationSystem", "CapacitySchedulerPlanFollower"),
    "FairScheduler": ("FairReservationSystem", "FairSchedulerPlanFollower"),
}
"""By the scheduler's name: the system and the plan follower that go with it."""
AGENTS = ("planning.AlignedPlannerWithGreedy", "planning.GreedyReservationAgent")
POLICIES = ("CapacityOverTimePolicy", "NoOverCommitPolicy")
REPLANNERS = ("planning.SimpleCapacityReplanner",)


def check_system(scheduler: str, system: str | None, follower: str | None) -> None:
    """YarnError for a class that is not the one of that scheduler; None leaves the choice to it."""
    known = _SYSTEMS.get(scheduler, ("", ""))
    for key, given, allowed in zip(("class", "plan.follower"), (system, follower), known, strict=True):
        if given is not None and allowed and given != _PACKAGE + allowed:
            raise YarnError(
                f"{_SYSTEM}{key}: there is no {given} for the {scheduler}: it has {_PACKAGE}{allowed}"
            )


def complaints(plan: PlanSettings) -> Iterator[str]:
    """A sentence for each class of the plan queue that there is not."""
    for key, given, known in (
        ("reservation-agent", plan.agent, AGENTS),
        ("reservation-policy", plan.policy, POLICIES),
        ("reservation-planner", plan.planner, REPLANNERS),
    ):
        if given and given not in [_PACKAGE + name for name in known]:
            allowed = " or ".join(_PACKAGE + name for name in known)
            yield f"{key} of the plan queue {plan.path}: there is no {given}: expected {allowed}"


def check_plans(plans: Iterable[PlanSettings]) -> None:
    """YarnError with all classes of the plan queues that there are not."""
    found = [sentence for plan in plans for sentence in complaints(plan)]
    if found:
        raise YarnError("\n".join(found))
