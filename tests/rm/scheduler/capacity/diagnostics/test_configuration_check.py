"""What a configuration means before any cluster runs: two files worked out by hand, on 100 GB and 100 vcores.

Ratios are 32-bit floats: 70 percent is 0.699999988, of 102400 MB 71679 and not 71680.
"""

from __future__ import annotations

import json
import re

import pytest

from tests.rm.scheduler.capacity.rig import CapacityRig
from yarnbox.rm.scheduler.capacity.diagnostics.configuration_check import ConfigurationCheck
from yarnbox.yarn.resources.resource import Resource

P = "yarn.scheduler.capacity."
PERCENTS = {
    "root.queues": "prod,dev,tiny",
    "root.prod.capacity": "70",
    "root.prod.maximum-capacity": "90",
    "root.prod.queues": "etl,adhoc",
    "root.prod.etl.capacity": "60",
    "root.prod.etl.minimum-user-limit-percent": "25",
    "root.prod.etl.user-limit-factor": "2",
    "root.prod.adhoc.capacity": "40",
    "root.prod.adhoc.maximum-capacity": "50",
    "root.prod.adhoc.maximum-am-resource-percent": "0.3",
    "root.dev.capacity": "29.5",
    "root.dev.user-limit-factor": "20",
    "root.tiny.capacity": "0.5",
}
WEIGHTS = {
    "resource-calculator": "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator",
    "root.queues": "a,b",
    "root.a.capacity": "3w",
    "root.b.capacity": "1w",
    "root.b.maximum-capacity": "50",
    "root.b.queues": "x,y",
    "root.b.x.capacity": "30",
    "root.b.y.capacity": "70",
}


def checked(properties: dict[str, str]) -> ConfigurationCheck:
    scheduler = CapacityRig({P + name: value for name, value in properties.items()}).scheduler
    check = ConfigurationCheck(scheduler.queue_context, scheduler.tree)
    check.assume({"": Resource(102_400, 100)})
    return check


@pytest.mark.parametrize(
    "properties, path, least, most, apps, am_mb, users_mb",
    [
        (PERCENTS, "root.prod", (71_679, 69), (92_159, 89), None, 0, ()),
        # AM: down(92159) = 91136, a tenth of it 9113.6, rounded 9114, up. Five users: a quarter of 43008, up.
        (PERCENTS, "root.prod.etl", (43_008, 42), (92_159, 89), (4200, 2100), 9216,
         (43_008, 21_504, 11_264, 11_264)),
        # Maximum: half of 0.899999976. AM: 0.3 of down(46079) = 45056, up. 100 percent: each the guarantee.
        (PERCENTS, "root.prod.adhoc", (28_672, 28), (46_079, 44), (2800, 2800), 14_336, (28_672,) * 4),
        (PERCENTS, "root.dev", (30_207, 29), (102_400, 100), (2949, 2949), 10_240, (30_720,) * 4),
        # Below the minimum allocation: users are measured by that.
        (PERCENTS, "root.tiny", (511, 0), (102_400, 100), (50, 50), 10_240, (1024,) * 4),
        (WEIGHTS, "root.a", (76_800, 75), (102_400, 100), (7500, 7500), 10_240, (76_800,) * 4),
        (WEIGHTS, "root.b.x", (7_680, 7), (51_200, 50), (750, 750), 5_120, (8_192,) * 4),
        (WEIGHTS, "root.b.y", (17_919, 17), (51_200, 50), (1750, 1750), 5_120, (18_432,) * 4),
    ],
)  # fmt: skip
def test_derived_quantities(
    properties: dict[str, str],
    path: str,
    least: tuple[int, int],
    most: tuple[int, int],
    apps: tuple[int, int] | None,
    am_mb: int,
    users_mb: tuple[int, ...],
) -> None:
    (found,) = (one for one in checked(properties).numbers() if one.path == path)
    assert (found.effective_minimum.memory_mb, found.effective_minimum.vcores) == least
    assert (found.effective_maximum.memory_mb, found.effective_maximum.vcores) == most
    if apps is None:
        assert found.leaf is None
        return
    assert found.leaf is not None
    assert (found.leaf.maximum_applications, found.leaf.maximum_applications_per_user) == apps
    assert found.leaf.am_limit.memory_mb == am_mb
    assert tuple(limit.memory_mb for limit in found.leaf.user_limits) == users_mb


def test_properties_of_queues_that_nobody_lists() -> None:
    """One of each such queue is told; below a parent that makes queues there may be others."""
    slips = {
        "root.prd.user-limit-factor": "3",
        "root.prd.capacity": "10",
        "root.tiny.nightly.accessible-node-labels.gpu.capacity": "10",
        "root.zz.quux.queues": "",
    }
    made = {
        "root.dev.auto-queue-creation-v2.enabled": "true",
        "root.dev.ann.maximum-applications": "5",
        "root.prod.etl.auto-queue-creation-v2.leaf-template.capacity": "1",
    }
    weights = {name: value.replace("29.5", "1w") for name, value in {**PERCENTS, **slips, **made}.items()}
    weights.update({"root.prod.capacity": "7w", "root.tiny.capacity": "1w"})
    found = [str(one) for one in checked(weights).findings() if "no parent lists" in one.text]
    none = "it has no effect: no parent lists a queue"
    assert found == [
        f"{P}root.prd.capacity: {none} root.prd (did you mean root.prod?)",
        f"{P}root.tiny.nightly.accessible-node-labels.gpu.capacity: {none} root.tiny.nightly",
        f"{P}root.zz.quux.queues: {none} root.zz.quux",
    ]


EVERYBODY = {"type": "user", "matches": "*"}
REJECT = {**EVERYBODY, "policy": "reject"}
PLACE = {**EVERYBODY, "policy": "user", "fallbackResult": "skip"}
ANN = {"type": "user", "matches": "ann", "policy": "custom"}
TO_DEV = {**ANN, "customPlacement": "root.dev"}
TO_PARENT = {**ANN, "customPlacement": "root.prod.%user"}
STAFF = {"type": "group", "matches": "staff", "policy": "defaultQueue"}
SET = {**EVERYBODY, "policy": "setDefaultQueue", "value": "root.dev"}
CALLED_STAR = {"type": "application", "matches": "*", "policy": "reject"}
ANY_APPLICATION = {"type": "application", "matches": "%application", "policy": "reject"}
FULL_NAME = {"type": "user", "matches": "ann.b", "policy": "reject"}
EACH_USER = {"type": "user", "matches": "%user", "policy": "reject"}


@pytest.mark.parametrize(
    "rules, never",
    [
        ([PLACE, REJECT, PLACE], {3: 2}),
        ([PLACE, REJECT, TO_DEV, STAFF], {3: 2, 4: 2}),
        ([PLACE, REJECT], {}),
        ([{**REJECT, "matches": "ann"}, PLACE], {}),
        ([{**REJECT, "matches": "ann"}, TO_DEV], {2: 1}),
        # Where the target is a leaf of the tree, skipping never comes about.
        ([TO_DEV, {**ANN, "policy": "reject"}], {2: 1}),
        ([TO_PARENT, {**ANN, "policy": "reject"}], {}),
        ([{**TO_PARENT, "fallbackResult": "placeDefault"}, TO_DEV], {2: 1}),
        ([STAFF, STAFF, {**STAFF, "matches": "other"}], {2: 1}),
        # Who sets the default queue lets the search go on.
        ([SET, SET, TO_DEV], {}),
        # `*` stands for everybody among users alone.
        ([CALLED_STAR, TO_DEV], {}),
        ([ANY_APPLICATION, CALLED_STAR, TO_DEV], {2: 1, 3: 1}),
        # A user with a dot is not %user.
        ([EACH_USER, TO_DEV, FULL_NAME], {2: 1}),
        ([{**ANN, "matches": "%default", "policy": "reject"}] * 2, {}),
    ],
)
def test_rules_that_an_earlier_one_leaves_nothing(rules: list[dict[str, str]], never: dict[int, int]) -> None:
    written = {"mapping-rule-format": "json", "mapping-rule-json": json.dumps({"rules": rules})}
    found = [one for one in checked({**PERCENTS, **written}).findings() if "never matches" in one.text]
    told = [re.findall(r"rule (\d+) ", one.text) for one in found]
    assert {int(place): int(catcher) for place, catcher in told} == never
    assert {one.property for one in found} <= {P + "mapping-rule-json"}


def test_a_first_rule_that_rejects_everybody() -> None:
    written = {"mapping-rule-format": "json", "mapping-rule-json": json.dumps({"rules": [REJECT]})}
    found = [one.text for one in checked({**PERCENTS, **written}).findings()]
    assert "the first rule rejects everybody: no application is accepted" in found


def test_lists_of_rules() -> None:
    """An entry of such a list places in the default queue what it cannot place."""
    names = "yarn.scheduler.queue-placement-rules"
    written = {
        P + "queue-mappings": "u:ann:dev,g:staff:dev,g:staff:tiny,u:ann:tiny,u:%user:%user,u:bob:dev",
        names: "user-group,app-name",
        names + ".app-name": "nightly:dev",
    }
    scheduler = CapacityRig({**{P + name: text for name, text in PERCENTS.items()}, **written}).scheduler
    found = ConfigurationCheck(scheduler.queue_context, scheduler.tree)
    found.assume({"": Resource(102_400, 100)})
    of_users = f"rule 5 of {P}queue-mappings (u:%user:%user)"
    said = "takes all that it would match; put it before that one, or delete it"
    assert [str(one) for one in found.findings() if "never" in one.text and "rule" in one.text] == [
        f"{P}queue-mappings: rule 3 (g:staff:tiny) never matches: rule 2 (g:staff:dev) {said}",
        f"{P}queue-mappings: rule 4 (u:ann:tiny) never matches: rule 1 (u:ann:dev) {said}",
        f"{P}queue-mappings: rule 6 (u:bob:dev) never matches: rule 5 (u:%user:%user) {said}",
        f"{names}.app-name: rule 1 (nightly:dev) never matches: {of_users} {said}",
    ]


def test_what_looks_wrong() -> None:
    odd = {
        "nonsense": "1",
        "root.dev.state": "STOPPED",
        "root.dev.maximum-am-resource-percent": "0",
        "root.tiny.maximum-capacity": "0.7",
        "root.tiny.maximum-applications": "0",
        "root.ghost.capacity": "5",
    }
    check = checked({**PERCENTS, **odd})
    assert {one.property.removeprefix(P) for one in check.findings()} == {
        "nonsense",
        "root.prod.adhoc.user-limit-factor",
        "root.dev.state",
        "root.dev.user-limit-factor",
        "root.tiny.capacity",
        "root.tiny.maximum-capacity",
        "root.dev.maximum-am-resource-percent",
        "root.tiny.maximum-applications",
        "root.tiny.user-limit-factor",
        "root.ghost.capacity",
    }
