"""The FairScheduler by itself: containers given per second, offers in vain, the cost of an update and of a
preemption pass.

100 queues share 1,000 and then 10,000 nodes among 1,000 applications; an update divides the shares of 10,000
applications. Nodes are offered in turn, one container each; the AMs are not there, so what they would take
delivery of piles up, which is the schedulers' part of the work alone.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

from bench._report import report
from tests.rm.scheduler.fair.rig import Rig
from yarnbox.yarn.resources.resource import Resource

QUEUES = 100
APPLICATIONS = 1_000
GIVEN = 40_000
SMALL, LARGE = 1_000, 10_000
CONTAINER = Resource(1024, 1)
NODE_MB, NODE_VCORES = 65_536, 64


def build(policy: str, nodes: int, applications: int, containers_each: int, **conf: object) -> Rig:
    """A cluster with everybody's demand known."""
    queues = "".join(f'<queue name="q{n}"><weight>{1 + n % 3}</weight></queue>' for n in range(QUEUES))
    default = f"<defaultQueueSchedulingPolicy>{policy}</defaultQueueSchedulingPolicy>"
    rig = Rig(f"<allocations>{default}{queues}</allocations>", conf, checks_books=False)
    for number in range(nodes):
        rig.add_node(f"n{number}", NODE_MB, NODE_VCORES)
    for number in range(applications):
        rig.submit(f"a{number}", f"q{number % QUEUES}", f"u{number % 50}")
        rig.ask(f"a{number}", containers_each, CONTAINER)
    rig.scheduler.update_shares()
    return rig


def timed(action: Callable[[], object]) -> float:
    """How long it keeps one core busy, in seconds: other programs on the machine do not count."""
    gc.collect()
    begin = time.process_time()
    action()
    return time.process_time() - begin


def offer_all(rig: Rig, times: int) -> None:
    """Every node in turn, so often."""
    for _ in range(times):
        for node in rig.scheduler.tracker.nodes.values():
            rig.scheduler.allocate_on(node)
        rig.context.dispatcher.drain()


def given(rig: Rig) -> int:
    """Containers on all nodes."""
    return sum(len(node.containers) for node in rig.scheduler.tracker.nodes.values())


def allocations_per_second(policy: str, nodes: int) -> float:
    """Containers that are given while everybody wants more."""
    rig = build(policy, nodes, APPLICATIONS, 10 * GIVEN // APPLICATIONS)
    seconds = timed(lambda: offer_all(rig, GIVEN // nodes))
    count = given(rig)
    assert count == GIVEN, f"{count} containers given, not {GIVEN}"
    return count / seconds


def offer_in_vain_us() -> float:
    """An offer of a full node while all applications wait."""
    rig = build("fair", 20, APPLICATIONS, 10 * GIVEN // APPLICATIONS)
    before = -1
    while before != given(rig):
        before = given(rig)
        offer_all(rig, 1)
    return timed(lambda: offer_all(rig, 100)) / 2_000 * 1e6


def update_ms(policy: str, **conf: object) -> float:
    """An update after everybody changed what he asks for."""
    rig = build(policy, 100, LARGE, 10, **conf)
    for number in range(LARGE):
        rig.ask(f"a{number}", 11 + number % 97, CONTAINER)
    return timed(rig.scheduler.update_shares) * 1e3


def preemption_ms(*, is_protected: bool) -> float:
    """A pass for 1,000 starved applications, 64,000 containers being held by others; or nothing to be had."""
    fair = "yarn.scheduler.fair."
    allow = f"<allowPreemptionFrom>{str(not is_protected).lower()}</allowPreemptionFrom>"
    rig = Rig(
        "<allocations><defaultFairSharePreemptionTimeout>0</defaultFairSharePreemptionTimeout>"
        f'<queue name="holders">{allow}</queue></allocations>',
        {f"{fair}preemption": True, f"{fair}preemption.cluster-utilization-threshold": 0},
        checks_books=False,
    )
    for number in range(SMALL):
        rig.add_node(f"n{number}", NODE_MB, NODE_VCORES)
    for number in range(10):
        rig.submit(f"h{number}", "holders")
        rig.ask(f"h{number}", SMALL * 64 // 10, CONTAINER)
    rig.scheduler.update_shares()
    offer_all(rig, 64)
    for number in range(APPLICATIONS):
        rig.submit(f"a{number}", f"q{number % QUEUES}")
        rig.ask(f"a{number}", 10, CONTAINER)
    rig.scheduler.update_shares()
    return timed(rig.scheduler.preempt) * 1e3


def main() -> None:
    """Measures and reports."""
    by_size = "yarn.scheduler.fair.sizebasedweight"
    figures = {
        "fair, 1,000 nodes": allocations_per_second("fair", SMALL),
        "fair, 10,000 nodes": allocations_per_second("fair", LARGE),
        "drf, 10,000 nodes": allocations_per_second("drf", LARGE),
        "offer in vain": offer_in_vain_us(),
        "update, fair, 10,000 applications": update_ms("fair"),
        "update, drf, 10,000 applications": update_ms("drf"),
        "update, weights by size, 10,000 applications": update_ms("fair", **{by_size: True}),
        "preemption pass, 1,000 starved applications": preemption_ms(is_protected=False),
        "preemption pass, nothing to be had": preemption_ms(is_protected=True),
    }
    units = {name: "allocations/s" for name in figures if "nodes" in name}
    units |= {name: "ms" for name in figures if name.startswith(("update", "preemption"))}
    report("fair", figures, {**units, "offer in vain": "us"})


if __name__ == "__main__":
    main()
