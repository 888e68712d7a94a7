"""What the published design of fair scheduling does and Hadoop 3.4 does not: properties, all off by default.

Zaharia, Borthakur, Sen Sarma, Elmeleegy, Shenker, Stoica: "Job Scheduling for Multi-User MapReduce
Clusters", UCB/EECS-2009-55, and "Delay Scheduling", EuroSys 2010; the Fair Scheduler Guide of CDH 4.2. Which
rule is from where is said in docs/fair-scheduler.md.
"""

from __future__ import annotations

from yarnbox.yarn.settings import setting, settings

PREFIX = "yarnbox.fair."


@settings
class PublishedSettings:
    """One property for each rule."""

    count_free_places_only: bool = setting(
        PREFIX + "locality.count-free-places-only",
        False,
        "A node counts as a scheduling opportunity only where the container would fit; else every heartbeat",
    )
    reset_after_node_local: bool = setting(
        PREFIX + "locality.reset-after-node-local",
        False,
        "Scheduling opportunities are counted anew after a node-local container",
    )
    exact_min_share: bool = setting(
        PREFIX + "preemption.exact-min-share",
        False,
        "No more is preempted for a minimum share than is lacking to it",
    )
    newest_first: bool = setting(
        PREFIX + "preemption.newest-first",
        False,
        "The newest containers of all nodes are preempted first; else those of the first node that will do",
    )
    capped_by_demand: bool = setting(
        PREFIX + "shares.capped-by-demand",
        False,
        "No fair share is larger than the demand; what is left is divided among the others",
    )
    priority_as_weight: bool = setting(
        PREFIX + "priority-as-weight",
        False,
        "An application's weight is multiplied by its priority, where that is more than 1",
    )
    new_application_factor: float = setting(
        PREFIX + "new-application.weight-factor",
        1.0,
        "The weight of new small applications is multiplied by it",
        check=lambda factor: None if factor > 0 else "more than 0",
    )
    new_application_ms: int = setting(
        PREFIX + "new-application.duration-ms", 300_000, "How long an application is new", unit="ms"
    )
    new_application_mb: int = setting(
        PREFIX + "new-application.largest-mb",
        2**31 - 1,
        "Up to which demand an application is small, by memory",
    )

    @property
    def changes_weights(self) -> bool:
        """Whether weights depend on priority or age."""
        return self.priority_as_weight or self.new_application_factor != 1.0

    def weight_factor(self, priority: int, age_ms: int, demand_mb: int) -> float:
        """By which the weight of an application of that priority, age and demand is multiplied."""
        factor = float(max(priority, 1)) if self.priority_as_weight else 1.0
        if age_ms < self.new_application_ms and demand_mb <= self.new_application_mb:
            factor *= self.new_application_factor
        return factor
