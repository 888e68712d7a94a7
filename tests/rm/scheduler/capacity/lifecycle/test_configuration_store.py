"""The configuration changed by API: change sets as pure functions, then on a running scheduler."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests.rm.scheduler.capacity.rig import CapacityRig
from yarnbox.rm.effects import SCHEDULER_JOURNAL, AppendRecord
from yarnbox.rm.scheduler.capacity.lifecycle.configuration_store import changed
from yarnbox.rm.scheduler.configuration_change import ConfigurationChange, ConfigurationStore
from yarnbox.rm.scheduler.views import ConfigurationView
from yarnbox.yarn.enums import QueueState
from yarnbox.yarn.errors import AccessControlError, YarnError
from yarnbox.yarn.security.acl import AccessControlList

P = "yarn.scheduler.capacity."
TREE = {P + "root.queues": "a,b", P + "root.a.capacity": "40", P + "root.b.capacity": "60"}
MUTABLE = {"yarn.scheduler.configuration.store.class": "memory"}
KEPT = {"yarn.scheduler.configuration.store.class": "leveldb"}


def test_order_is_remove_add_update_global() -> None:
    change = ConfigurationChange(
        remove=("root.a",),
        add=(("root.c", {"capacity": "10"}),),
        update=(("root.c", {"capacity": "40", "state": ""}),),
        global_updates={P + "maximum-applications": "7"},
    )
    assert changed({**TREE, P + "root.a.x.capacity": "1"}, change) == {
        P + "root.queues": "b,c",
        P + "root.b.capacity": "60",
        P + "root.c.capacity": "40",
        P + "maximum-applications": "7",
    }


def test_the_first_and_the_last_child_take_the_ordering_policy_along() -> None:
    given = {**TREE, P + "root.a.ordering-policy": "fair"}
    with_child = changed(given, ConfigurationChange(add=(("root.a.x", {"capacity": "100"}),)))
    assert P + "root.a.ordering-policy" not in with_child
    assert with_child[P + "root.a.queues"] == "x"
    without = changed(
        {**with_child, P + "root.a.ordering-policy": "priority-utilization"},
        ConfigurationChange(remove=("root.a.x",)),
    )
    assert P + "root.a.queues" not in without
    assert P + "root.a.ordering-policy" not in without


@pytest.mark.parametrize(
    "change, message",
    [
        (ConfigurationChange(remove=("root",)), "Can't remove queue root"),
        (ConfigurationChange(remove=("root.z",)), "Queue root.z not found"),
        (ConfigurationChange(add=(("root.a", {}),)), "Can't add existing queue root.a"),
        (ConfigurationChange(add=(("root", {}),)), "Can't add invalid queue root"),
    ],
)
def test_what_makes_no_sense(change: ConfigurationChange, message: str) -> None:
    with pytest.raises(YarnError, match=message):
        changed(TREE, change)


def store_of(rig: CapacityRig) -> ConfigurationStore:
    store = rig.scheduler.configuration_store
    assert store is not None
    return store


def view_of(rig: CapacityRig) -> ConfigurationView:
    view = store_of(rig).view()
    assert view is not None
    return view


def journal_of(rig: CapacityRig) -> list[Any]:
    kept = [effect for effect in rig.effects if isinstance(effect, AppendRecord)]
    assert all(effect.journal == SCHEDULER_JOURNAL for effect in kept)
    return [effect.record for effect in kept]


def capacities(rig: CapacityRig) -> Mapping[str, float]:
    return {leaf.path: round(leaf.share("").absolute, 3) for leaf in rig.scheduler.tree.leaves()}


def test_a_change_is_applied_and_kept() -> None:
    rig = CapacityRig(TREE, site=KEPT)
    change = ConfigurationChange(update=(("root.a", {"capacity": "10"}), ("root.b", {"capacity": "90"})))
    store_of(rig).change(change, "admin")
    assert capacities(rig) == {"root.a": 0.1, "root.b": 0.9}
    kept = journal_of(rig)
    assert [record["version"] for record in kept] == [2]
    after = CapacityRig(TREE, site=KEPT)
    assert not store_of(after).records()
    store_of(after).restore(kept)
    assert capacities(after) == {"root.a": 0.1, "root.b": 0.9}
    assert view_of(after).version == 2
    assert list(store_of(after).records()) == kept


def test_memory_keeps_nothing() -> None:
    rig = CapacityRig(TREE, site=MUTABLE)
    store_of(rig).change(ConfigurationChange(global_updates={"maximum-applications": "5"}), "admin")
    assert not journal_of(rig)
    assert not store_of(rig).records()


def test_what_was_changed_comes_back_whatever_the_file_says() -> None:
    """A restart begins with the file's tree; that its queues run there keeps none of the changes away."""
    file = {**TREE, P + "root.b.state": "STOPPED"}
    rig = CapacityRig(file, site=KEPT)
    stop = ConfigurationChange(update=(("root.a", {"state": "STOPPED"}), ("root.b", {"state": ""})))
    swap = ConfigurationChange(
        remove=("root.a",),
        add=(("root.b.x", {"capacity": "100"}),),
        update=(("root.b", {"capacity": "100"}),),
    )
    for change in (stop, swap):
        store_of(rig).change(change, "admin")
    after = CapacityRig(file, site=KEPT)
    store_of(after).restore(journal_of(rig))
    assert capacities(after) == {"root.b.x": 1.0}
    assert {queue.state for queue in after.scheduler.tree.all_queues()} == {QueueState.RUNNING}


def test_a_refused_change_changes_nothing() -> None:
    rig = CapacityRig(TREE, site=MUTABLE)
    change = ConfigurationChange(update=(("root.a", {"capacity": "10"}),))
    with pytest.raises(YarnError, match="Illegal capacity sum"):
        store_of(rig).change(change, "admin")
    with pytest.raises(YarnError, match="configuration validation failed"):
        store_of(rig).validate(change, "admin")
    assert capacities(rig) == {"root.a": 0.4, "root.b": 0.6}
    assert view_of(rig).properties[P + "root.a.capacity"] == "40"


def test_validation_changes_nothing_either() -> None:
    rig = CapacityRig(TREE, site=MUTABLE)
    change = ConfigurationChange(update=(("root.a", {"capacity": "10"}), ("root.b", {"capacity": "90"})))
    assert store_of(rig).validate(change, "admin")[P + "root.a.capacity"] == "10"
    assert capacities(rig) == {"root.a": 0.4, "root.b": 0.6}


def test_a_queue_goes_in_two_changes() -> None:
    rig = CapacityRig({**TREE, P + "root.b.capacity": "60"}, site=MUTABLE)
    remove = ConfigurationChange(remove=("root.a",), update=(("root.b", {"capacity": "100"}),))
    with pytest.raises(YarnError, match=r"root\.a cannot be deleted"):
        store_of(rig).change(remove, "admin")
    store_of(rig).change(ConfigurationChange(update=(("root.a", {"state": "STOPPED"}),)), "admin")
    store_of(rig).change(remove, "admin")
    assert capacities(rig) == {"root.b": 1.0}


def test_a_file_is_not_mutable_and_a_store_is_not_refreshed() -> None:
    fixed = CapacityRig(TREE)
    with pytest.raises(YarnError, match="only supported by mutable configuration store"):
        store_of(fixed).change(ConfigurationChange(), "admin")
    rig = CapacityRig(TREE, site=MUTABLE)
    with pytest.raises(YarnError, match="refreshQueues is not allowed in this scenario"):
        rig.scheduler.refresh()


def test_who_may() -> None:
    closed = {P + "root.acl_administer_queue": " ", P + "root.a.acl_administer_queue": "ann"}
    site = {**MUTABLE, "yarn.acl.enable": "true", "yarn.admin.acl": "boss"}
    change = ConfigurationChange(update=(("root.a", {"maximum-capacity": "50"}),))
    rig = CapacityRig({**TREE, **closed}, site=site)
    with pytest.raises(AccessControlError):
        store_of(rig).change(change, "ann")
    store_of(rig).change(change, "boss")
    rig.context.admins = AccessControlList.parse("chief")  # as after refreshAdminAcls
    with pytest.raises(AccessControlError):
        store_of(rig).change(change, "boss")
    store_of(rig).change(change, "chief")
    policy = "yarn.scheduler.configuration.mutation.acl-policy.class"
    name = "org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.conf."
    rig = CapacityRig(
        {**TREE, **closed}, site={**site, policy: name + "QueueAdminConfigurationMutationACLPolicy"}
    )
    store_of(rig).change(change, "ann")
    for refused in (
        ConfigurationChange(update=(("root.b", {"maximum-capacity": "50"}),)),
        ConfigurationChange(global_updates={"maximum-applications": "1"}),
    ):
        with pytest.raises(AccessControlError):
            store_of(rig).change(refused, "ann")
