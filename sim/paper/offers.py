"""An empty cluster handed out: everybody asks, then nodes are offered until nobody gets anything more.

No time passes and no task ends, so that what a scheduler decides can be compared with a formula, exactly.
It is a scenario, played like any other.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from yarnbox.sim.scenario.playing.player import Player
from yarnbox.sim.scenario.reading.document import parse_scenario


class Ask(NamedTuple):
    """An application, and the containers that it asks for."""

    app: str
    queue: str
    containers: int
    memory_mb: int = 1024
    vcores: int = 1


def handed_out(
    configuration: Mapping[str, Any],
    asks: Sequence[Ask],
    node: tuple[int, int],
    nodes: int = 1,
    rounds: int = 1,
) -> dict[str, int]:
    """The containers of each application. `configuration`: `conf`, `fair-scheduler`, `capacity-scheduler`; a
    node has so many MB and vcores, and each is offered so many times.
    """
    steps: list[dict[str, Any]] = [{"submit": {"app": ask.app, "queue": ask.queue}} for ask in asks]
    steps += [
        {
            "ask": {
                "app": ask.app,
                "requests": [{"count": ask.containers, "memory-mb": ask.memory_mb, "vcores": ask.vcores}],
            }
        }
        for ask in asks
    ]
    steps.append({"update-shares": True})
    steps += [{"heartbeat": {"node": f"n{number + 1}", "times": rounds}} for number in range(nodes)]
    document = {
        "name": "handed-out",
        "about": "Nodes are offered until nobody gets anything more.",
        **configuration,
        "nodes": [{"name": "n%d", "count": nodes, "memory-mb": node[0], "vcores": node[1]}],
        "steps": steps,
    }
    player = Player(parse_scenario(json.dumps(document), "handed-out"))
    outcome = player.play()
    assert outcome.is_ok, outcome.failures
    return {ask.app: len(player.world.app(ask.app).containers) for ask in asks}
