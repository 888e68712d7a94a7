"""Localized resources: every cell, sharing, references, caches that are kept small."""

from __future__ import annotations

from enum import Enum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.nm.rig import APPLICATION, Rig, container_id, resource
from tests.nm.tables import check_pair, name_of, pairs
from yarnbox.nm import events
from yarnbox.nm.effects import DeleteResource, FetchResource
from yarnbox.nm.localization.localized import (
    LOCALIZED_RESOURCE,
    CacheDirectories,
    LocalizedResource,
    ResourceState,
    directory_name,
)
from yarnbox.nm.localization.resources import CacheKey, key_of
from yarnbox.nm.settings import LocalizationSettings, NMSettings
from yarnbox.yarn.enums import LocalResourceVisibility
from yarnbox.yarn.records.container import ContainerLaunchContext

PUBLIC = CacheKey(LocalResourceVisibility.PUBLIC)
KEY = key_of(resource())


@pytest.mark.parametrize("pair", pairs(LOCALIZED_RESOURCE), ids=name_of)
def test_every_pair_of_state_and_event(pair: tuple[Enum, type, bool]) -> None:
    rig = Rig()
    entry = LocalizedResource(rig.context, PUBLIC, KEY, "10")
    entry.state = pair[0]  # type: ignore[assignment]
    entry.users.add(container_id(1))
    given_: dict[str, Any] = {
        "container_id": container_id(1),
        "path": "/x",
        "size": 3,
        "diagnostics": "no",
        "directory": "10",
    }
    fields = pair[1].__dataclass_fields__  # type: ignore[attr-defined]
    event = pair[1](cache=PUBLIC, key=KEY, **{n: v for n, v in given_.items() if n in fields})

    def snapshot() -> Any:
        return (
            entry.state,
            list(entry.users),
            entry.path,
            entry.size,
            len(rig.context.effects),
            rig.context.dispatcher.waiting,
        )

    check_pair(LOCALIZED_RESOURCE, entry, event, snapshot)


def _context(
    visibility: LocalResourceVisibility = LocalResourceVisibility.PUBLIC, path: str = "/data/file"
) -> ContainerLaunchContext:
    return ContainerLaunchContext(command=("x",), local_resources={"link": resource(path, visibility)})


def _entry(rig: Rig) -> LocalizedResource:
    return rig.core.localization.entries()[0]


def test_two_containers_share_one_fetch() -> None:
    rig = Rig()
    rig.start(1, _context())
    rig.start(2, _context())
    (order,) = rig.take(FetchResource)
    rig.localized(order)
    assert rig.launches() == [1, 2]
    assert list(_entry(rig).users) == [container_id(1), container_id(2)]
    rig.start(3, _context())
    assert rig.take(FetchResource) == []
    assert rig.launches() == [3]
    assert rig.container(3).localization_counters == "0,10,0,1,0"


def test_who_waits_for_what_cannot_be_had_fails_and_a_later_one_tries_again() -> None:
    rig = Rig()
    rig.start(1, _context())
    rig.start(2, _context())
    order = rig.take(FetchResource)[0]
    rig.turn(lambda: rig.world.resource_failed(order.cache, order.key, "no"))
    assert (rig.state(1), rig.state(2)) == ("DONE", "DONE")
    assert rig.core.localization.entries() == []
    rig.start(3, _context())
    assert len(rig.take(FetchResource)) == 1


def test_the_end_of_a_container_releases_its_resources() -> None:
    rig = Rig()
    rig.run(1, _context())
    rig.exited(1)
    assert list(_entry(rig).users) == []
    assert _entry(rig).state is ResourceState.LOCALIZED, "unused, but kept for others"


def test_the_resources_of_an_application_go_with_it() -> None:
    rig = Rig()
    rig.run(1, _context(LocalResourceVisibility.APPLICATION))
    rig.exited(1)
    rig.heartbeat(applications_to_cleanup=(APPLICATION,))
    assert rig.core.localization.entries() == []


def test_what_arrives_after_its_application_ended_is_removed() -> None:
    rig = Rig()
    rig.start(1, _context(LocalResourceVisibility.APPLICATION))
    order = rig.take(FetchResource)[0]
    rig.heartbeat(applications_to_cleanup=(APPLICATION,))
    rig.localized(order, "/late")
    assert rig.take(DeleteResource) == [DeleteResource("/late")]


def test_caches_have_directories_of_their_own() -> None:
    rig = Rig()
    for number, visibility in enumerate(LocalResourceVisibility, 1):
        rig.start(number, _context(visibility, f"/data/{number}"))
    found = [(order.cache.directory, order.directory) for order in rig.take(FetchResource)]
    assert found == [
        ("filecache", "10"),
        ("usercache/alice/filecache", "10"),
        (f"usercache/alice/appcache/{APPLICATION}/filecache", "10"),
    ]


def test_the_cache_is_cut_to_its_size_least_recently_used_first() -> None:
    settings = NMSettings(localization=LocalizationSettings(cache_target_mb=0))
    rig = Rig(settings)
    for number in (1, 2, 3):
        rig.run(number, _context(path=f"/data/{number}"))
        rig.take(FetchResource)
    for number in (2, 1):
        rig.pass_time(10)
        rig.exited(number)
    rig.pass_time(600_000)
    # The third is in use, and stays.
    assert [order.path for order in rig.take(DeleteResource)] == ["/cache/11", "/cache/10"]
    assert len(rig.core.localization.entries()) == 1


def test_a_resource_that_the_disk_has_lost_is_fetched_anew() -> None:
    rig = Rig()
    rig.run(1, _context())
    rig.take(FetchResource)
    rig.core.localization.resource_missing(PUBLIC, KEY)
    rig.start(2, _context())
    assert len(rig.take(FetchResource)) == 1


@pytest.mark.parametrize(
    "number, name", [(1, "0"), (36, "z"), (37, "0/0"), (72, "0/z"), (73, "1/0"), (1333, "0/0/0")]
)
def test_names_of_directories(number: int, name: str) -> None:
    assert directory_name(number) == name


@given(st.lists(st.booleans(), max_size=300))
def test_no_directory_holds_more_than_it_may(steps: list[bool]) -> None:
    directories = CacheDirectories(36 + 3)
    inside: list[str] = []
    for is_take in steps:
        if is_take or not inside:
            inside.append(directories.take())
        else:
            directories.give_back(inside.pop(0))
        assert all(inside.count(name) <= 3 for name in inside)


def test_resource_events_to_what_is_not_known_change_nothing() -> None:
    rig = Rig()
    rig.turn(
        lambda: rig.context.post(events.ResourceReleased(cache=PUBLIC, key=KEY, container_id=container_id(1)))
    )
    assert rig.core.localization.entries() == []
