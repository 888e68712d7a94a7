"""The reservation system in a running ResourceManager: lists, access, expiry, and plans that shrink."""

from __future__ import annotations

import textwrap

import pytest

from yarnbox.sim.scenario.playing.player import play
from yarnbox.sim.scenario.reading.document import parse_scenario

HEAD = """\
name: plans
conf:
  yarn.resourcemanager.scheduler.class: capacity
  yarn.resourcemanager.reservation-system.enable: true
  yarn.acl.enable: true
  yarn.acl.reservation-enable: true
capacity-scheduler:
  yarn.scheduler.capacity.root.queues: default,p
  yarn.scheduler.capacity.root.default.capacity: 50
  yarn.scheduler.capacity.root.p.capacity: 50
  yarn.scheduler.capacity.root.p.reservable: true
  yarn.scheduler.capacity.root.p.acl_submit_reservations: alice,bob
  yarn.scheduler.capacity.root.p.acl_administer_reservations: carol
nodes:
  - {name: "n%d", count: 4, memory-mb: 10240, vcores: 32}
steps:
  - advance: 2s
"""
BOOK = "arrival: 10s, deadline: 40s, requests: [{count: 10, memory-mb: 1024, duration: 30s}]"

HOLDS = {
    "only those who are let may submit, the owner and administrators may delete": f"""
        - reserve: {{name: r1, queue: p, user: alice, {BOOK}}}
        - expect-error:
            reserve: {{name: r2, queue: p, user: dave, {BOOK}}}
            matching: "User dave does not have privileges to perform SUBMIT_RESERVATIONS on queue root.p"
        - reserve: {{name: r3, queue: root.p, user: carol, {BOOK}}}
        - expect-error:
            update-reservation: {{name: r1, queue: p, user: bob, {BOOK}}}
            matching: ADMINISTER_RESERVATIONS
        - update-reservation: {{name: r1, queue: p, user: carol, {BOOK}}}
        - delete-reservation: r1
        - expect: {{reservations: {{r1: {{state: deleted}}, r3: {{state: accepted}}}}}}
        """,
    "a queue that is no plan is refused": f"""
        - expect-error:
            reserve: {{name: r1, queue: default, user: alice, {BOOK}}}
            matching: not managed by
        """,
    "applications without a reservation go to the default queue of the plan": """
        - submit: {app: a1, queue: root.p}
        - expect: {apps: {a1: {state: RUNNING, queue: root.p.p-default}}}
        - submit: {app: a2, queue: root.default}
        - move: {app: a2, queue: root.p}
        - expect: {apps: {a2: {queue: root.p.p-default}}, queues: {root.p: {apps: 2}}}
        """,
    "when the cluster shrinks the newest reservation is dropped": f"""
        - reserve: {{name: r1, queue: p, user: alice, {BOOK}}}
        - advance: 1s
        - reserve: {{name: r2, queue: p, user: bob, {BOOK}}}
        - advance: 12s
        - expect: {{queues: {{root.p.p-default: {{capacity: 0}}}}}}
        - remove-node: n1
        - remove-node: n2
        - advance: 1s
        - expect:
            reservations: {{r1: {{state: active}}, r2: {{state: deleted}}}}
            queues: {{root.p.p-default: {{capacity: 0}}}}
        """,
    "what begins later is not dropped while what runs now fits": f"""
        - reserve: {{name: r1, queue: p, user: alice, {BOOK}}}
        - reserve: {{name: r2, queue: p, user: bob, {BOOK}}}
        - remove-node: n1
        - remove-node: n2
        - remove-node: n3
        - advance: 4s
        - expect: {{reservations: {{r1: {{state: accepted}}, r2: {{state: accepted}}}}}}
        - advance: 6s
        - expect: {{reservations: {{r1: {{state: deleted}}, r2: {{state: deleted}}}}}}
        """,
    "a refresh keeps the queues of active reservations": f"""
        - reserve: {{name: r1, queue: p, user: alice, {BOOK}}}
        - advance: 13s
        - submit: {{app: a1, queue: root.p, reservation: r1}}
        - refresh:
            capacity-scheduler:
              yarn.scheduler.capacity.root.queues: default,p
              yarn.scheduler.capacity.root.default.capacity: 75
              yarn.scheduler.capacity.root.p.capacity: 25
              yarn.scheduler.capacity.root.p.reservable: true
        - expect: {{apps: {{a1: {{state: RUNNING}}}}, queues: {{root.p.p-default: {{capacity: 50}}}}}}
        - advance: 2s
        - expect: {{queues: {{root.p.p-default: {{capacity: 0, absolute-capacity: 0}}}}}}
        """,
    "a plan that goes and comes again has its share again": """
        - advance: 2s
        - refresh:
            capacity-scheduler:
              yarn.scheduler.capacity.root.queues: default,p
              yarn.scheduler.capacity.root.default.capacity: 50
              yarn.scheduler.capacity.root.p.capacity: 50
              yarn.scheduler.capacity.root.p.state: STOPPED
        - refresh:
            capacity-scheduler:
              yarn.scheduler.capacity.root.queues: default,p
              yarn.scheduler.capacity.root.default.capacity: 50
              yarn.scheduler.capacity.root.p.capacity: 50
              yarn.scheduler.capacity.root.p.reservable: true
        - advance: 2s
        - expect: {queues: {root.p.p-default: {capacity: 100, absolute-capacity: 50}}}
        """,
    "a queue takes applications while nothing is allocated there": """
        - reserve:
            name: r1
            queue: root.p
            user: alice
            arrival: 2s
            deadline: 40s
            requests: [{count: 1, memory-mb: 1024, duration: 1s}]
        - advance: 4s
        - submit: {app: a1, queue: root.p, reservation: r1}
        - expect: {apps: {a1: {state: RUNNING}}}
        """,
    "a stage that would have a gap when it is spread is packed": """
        - reserve:
            name: r0
            queue: root.p
            user: alice
            arrival: 15s
            deadline: 20s
            requests: [{count: 5, memory-mb: 1024, duration: 5s}]
        - reserve:
            name: r1
            queue: root.p
            user: alice
            arrival: 10s
            deadline: 30s
            interpreter: order-no-gap
            requests: [{count: 2, memory-mb: 1024, duration: 5s}]
        - expect: {reservations: {r1: {state: accepted}}}
        """,
    "no type may be booked twice, whatever the calculator looks at": """
        - expect-error:
            reserve:
              name: r1
              queue: root.p
              user: alice
              arrival: 10s
              deadline: 40s
              requests: [{count: 20, memory-mb: 512, vcores: 4, duration: 30s}]
            matching: overcommitted
        """,
    "a reservation that begins now has its queue at once": """
        - reserve:
            name: r1
            queue: root.p
            user: alice
            arrival: 2s
            deadline: 20s
            requests: [{count: 5, memory-mb: 1024, duration: 18s}]
        - submit: {app: a1, queue: root.p, reservation: r1}
        - expect: {apps: {a1: {state: RUNNING}}, queues: {root.p.p-default: {capacity: 75}}}
        """,
}


@pytest.mark.parametrize("steps", HOLDS.values(), ids=HOLDS)
def test_it_holds(steps: str) -> None:
    outcome = play(parse_scenario(HEAD + textwrap.indent(textwrap.dedent(steps), "  ")))
    assert outcome.is_ok, "\n".join(map(str, outcome.failures))


def test_an_application_is_killed_at_the_end_where_it_may_not_move() -> None:
    head = HEAD.replace(
        "root.p.reservable: true",
        "root.p.reservable: true\n  yarn.scheduler.capacity.root.p.reservation-move-on-expiry: false",
    )
    steps = f"""
        - reserve: {{name: r1, queue: p, user: alice, {BOOK}}}
        - advance: 13s
        - submit: {{app: a1, queue: root.p, reservation: r1}}
        - advance: 30s
        - expect: {{apps: {{a1: {{state: KILLED}}}}, queues: {{root.p.p-default: {{capacity: 100}}}}}}
        """
    outcome = play(parse_scenario(head + textwrap.indent(textwrap.dedent(steps), "  ")))
    assert outcome.is_ok, "\n".join(map(str, outcome.failures))


FAIR = """\
name: fair-plans
conf:
  yarn.resourcemanager.scheduler.class: fair
  yarn.resourcemanager.reservation-system.enable: true
  yarn.acl.enable: true
  yarn.acl.reservation-enable: true
fair-scheduler: |
  <allocations>
    <queue name="p"><reservation/><aclSubmitReservations>ann</aclSubmitReservations></queue>
  </allocations>
nodes:
  - {name: n1, memory-mb: 10240, vcores: 32}
steps:
  - advance: 2s
"""


def test_types_that_the_fair_scheduler_does_not_divide_bound_no_plan() -> None:
    """By `fair` a queue's steady share is memory alone. Hadoop's plans have no vcore then, and refuse all;
    and its lists of who may submit know a queue by its path alone."""
    steps = """
        - reserve:
            name: r1
            queue: p
            user: ann
            arrival: 5s
            deadline: 10s
            requests: [{count: 10, memory-mb: 1024, vcores: 1, duration: 5s}]
        - expect: {reservations: {r1: {state: accepted}}}
        - expect-error:
            reserve:
              name: r2
              queue: p
              user: ann
              arrival: 5s
              deadline: 10s
              requests: [{count: 1, memory-mb: 1024, vcores: 1, duration: 5s}]
            matching: cannot be satisfied
        """
    outcome = play(parse_scenario(FAIR + textwrap.indent(textwrap.dedent(steps), "  ")))
    assert outcome.is_ok, "\n".join(map(str, outcome.failures))


def test_steady_shares_are_those_of_when_a_reservation_began() -> None:
    """By then the default queue has given up its share, and a new queue weighs 1 at first."""
    steps = """
        - reserve:
            name: r1
            queue: root.p
            user: ann
            arrival: 5s
            deadline: 10s
            requests: [{count: 4, memory-mb: 1024, duration: 5s}]
        - advance: 4s
        - expect:
            queues:
              root.p.p-default: {steady-fair-share: {memory-mb: 0}}
              "root.p.reservation_0_0001": {steady-fair-share: {memory-mb: 10240}}
        """
    outcome = play(parse_scenario(FAIR + textwrap.indent(textwrap.dedent(steps), "  ")))
    assert outcome.is_ok, "\n".join(map(str, outcome.failures))
