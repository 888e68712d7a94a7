"""What holds of every world between two steps; AssertionError where it does not.

The core recounts its own books after every turn. Here the books are compared with what the core cannot see:
what runs on the machines, and what the AMs remember of their asks.
"""

from __future__ import annotations

from collections import Counter

from yarnbox.rm.container import RMContainerState, SchedulerNode
from yarnbox.rm.scheduler.application import Attempt
from yarnbox.sim.nodes import SimNode
from yarnbox.sim.scenario.playing.world import App, World


def look_over(world: World) -> None:
    """Looks at every node and every application."""
    scheduler = world.rm.context.scheduler
    for name, sim_node in world.nodes.items():
        node = scheduler.tracker.nodes.get(sim_node.node_id)
        if node is not None:
            _no_space_is_given_twice(name, sim_node, node)
            _machine_and_books_agree(world, name, sim_node, node)
            _everything_belongs_to_somebody(world, name, node)
    for app in world.apps.values():
        assert app.application_id in world.rm.context.apps, f"{app.name} is lost"
        application = scheduler.applications.get(app.application_id)
        if application is not None and application.attempt is not None:
            _containers_are_on_their_nodes(world, application.attempt)
            _no_request_is_lost(app, application.attempt)


def _no_space_is_given_twice(name: str, sim_node: SimNode, node: SchedulerNode) -> None:
    if sim_node.was_resized or not node.is_schedulable:
        return
    assert node.available.memory_mb >= 0, f"{name} holds more than it has: {node.available}"
    if not sim_node.came_back:
        resources = (container.resource for container in sim_node.running.values())
        running_mb = sum(resource.memory_mb for resource in resources if resource is not None)
        assert running_mb <= node.total.memory_mb, f"{name} runs {running_mb} MiB of {node.total}"


def _machine_and_books_agree(world: World, name: str, sim_node: SimNode, node: SchedulerNode) -> None:
    rm_node = world.rm.context.nodes[sim_node.node_id]
    gone_containers, gone_apps = world.rm.wanted_gone(sim_node.node_id)
    for container_id in sim_node.running:
        # One that came back with a node that had been lost is unknown until a heartbeat mentions it.
        is_expected = container_id in node.containers or container_id not in rm_node.launched
        is_doomed = container_id in gone_containers or container_id.application_id in gone_apps
        shown = world.container_name(container_id)
        assert is_expected or is_doomed, f"{shown} runs on {name} and nobody knows of it"
    places = (sim_node.running, sim_node.ended, sim_node.unheard)
    for container_id, container in node.containers.items():
        if container.state is RMContainerState.RUNNING:
            is_there = any(container_id in place for place in places)
            assert is_there, f"{world.container_name(container_id)} is booked on {name} and is not there"


def _everything_belongs_to_somebody(world: World, name: str, node: SchedulerNode) -> None:
    """What is booked on a node belongs to an application, or has ended and waits for the node to say so."""
    scheduler = world.rm.context.scheduler
    for container_id, container in node.containers.items():
        is_owned = container.is_finished or scheduler.container(container_id) is container
        assert is_owned, f"{world.container_name(container_id)} is booked on {name} for nobody"


def _containers_are_on_their_nodes(world: World, attempt: Attempt) -> None:
    for container_id, container in attempt.live.items():
        is_booked = container.node.containers.get(container_id) is container
        assert is_booked, f"{world.container_name(container_id)} is {container.state.name} on no node"


def _no_request_is_lost(app: App, attempt: Attempt) -> None:
    """What the AM still waits for is what is asked in the books, and what was allocated and not delivered."""
    if app.master.attempt_id != attempt.attempt_id or attempt.is_stopped:
        return
    on_its_way = Counter(
        container.key.request_priority
        for container in attempt.newly_allocated.values()
        if not container.key.update_of
    )
    for request_priority, wanted in app.master.wanted.items():
        asked = sum(
            key_asks.outstanding
            for key_asks in attempt.asks.all_keys()
            if key_asks.key.request_priority == request_priority and not key_asks.key.update_of
        )
        known = asked + on_its_way[request_priority]
        assert known == wanted, (
            f"{app.name} waits for {wanted} containers of priority {request_priority}, {known} are known of"
        )
