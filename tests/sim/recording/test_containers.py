"""Too many containers: those of fewer applications are kept, whole."""

from __future__ import annotations

from tests.rig import Rig, ask
from yarnbox.sim.recording.containers import Containers
from yarnbox.yarn.runtime.story import Line


def held(most: int, apps: int = 4, count: int = 2) -> tuple[Containers, list[str]]:
    """Containers of several applications, all of which have ended but for those of the last one."""
    rig, containers = Rig(), Containers(most)
    rig.add_node("n1", memory_mb=65536)

    def note(line: Line) -> None:
        if line.kind == "RMContainer":
            containers.note(line.subject, line.after, rig.context.scheduler.container(line.subject), 5)

    rig.context.story.listeners.append(note)
    ids = [rig.submit(unmanaged_am=True) for _ in range(apps)]
    for application_id in ids:
        rig.register(application_id)
        rig.allocate(application_id, ask(count=count))
        for _ in range(count):
            rig.heartbeat("n1")
        given = rig.allocate(application_id).allocated_containers
        assert len(given) == count
        rig.heartbeat("n1")
        if application_id != ids[-1]:
            for one in given:
                rig.nodes["n1"].end(one.id, 0)
            rig.heartbeat("n1")
    return containers, [str(one) for one in ids]


def apps_of(containers: Containers) -> list[str]:
    rows, names = containers.rows()
    return [names[row[1]] for row in rows]


def test_all_are_kept_while_there_is_room() -> None:
    containers, ids = held(most=100)
    assert apps_of(containers) == [each for each in ids for _ in range(2)]
    assert (containers.every, containers.count) == (1, 8)


def test_then_those_of_every_second_application() -> None:
    containers, ids = held(most=5)
    assert containers.every == 2
    assert apps_of(containers) == [ids[0], ids[0], ids[2], ids[2]]
    assert containers.count == 8, "what is left out is counted"


def test_one_application_with_too_many_is_cut() -> None:
    containers, ids = held(most=3, apps=1, count=5)
    assert apps_of(containers) == [ids[0]] * 3
