"""`yarn rmadmin`: success prints nothing, failure names the command on stderr."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.client.fakes import FakeResourceManager, Result, Shell
from yarnbox.yarn.enums import DecommissionType
from yarnbox.yarn.errors import AccessControlError, NotReadyError, YarnError
from yarnbox.yarn.ids import NodeId
from yarnbox.yarn.records.admin import CheckForDecommissioningNodesResponse, GetGroupsForUserResponse
from yarnbox.yarn.records.ha import GetServiceStatusResponse, HARequestSource, HAServiceState
from yarnbox.yarn.records.node import NodeIdToLabels, NodeLabel
from yarnbox.yarn.resources.resource import Resource

N1, N2 = NodeId("n1", 1234), NodeId("n2", 1234)

REFRESHES = {
    "-refreshQueues": "refreshQueues",
    "-refreshNodes": "refreshNodes",
    "-refreshNodesResources": "refreshNodesResources",
    "-refreshSuperUserGroupsConfiguration": "refreshSuperUserGroupsConfiguration",
    "-refreshUserToGroupsMappings": "refreshUserToGroupsMappings",
    "-refreshAdminAcls": "refreshAdminAcls",
    "-refreshServiceAcl": "refreshServiceAcls",
    "-refreshClusterMaxPriority": "refreshClusterMaxPriority",
}


@pytest.mark.parametrize("word, rpc", REFRESHES.items())
def test_refreshes_are_silent(rm: FakeResourceManager, shell: Shell, word: str, rpc: str) -> None:
    result = shell.yarn("rmadmin", word)
    assert (result.status, result.out, result.err) == (0, "", "")
    assert [name for name, _ in rm.calls] == [rpc]
    assert rm.callers[0].user == "mei"


@pytest.mark.parametrize("word", [word for word in REFRESHES if word != "-refreshNodes"])
def test_surplus_words_behind_a_refresh_are_no_failure(
    rm: FakeResourceManager, shell: Shell, word: str
) -> None:
    result = shell.yarn("rmadmin", word, "x")
    assert (result.status, result.out) == (0, "")
    assert result.err.startswith(f"Usage: yarn rmadmin [{word}]\n")
    assert rm.calls == []


def test_a_refusal_is_its_first_line(rm: FakeResourceManager, shell: Shell) -> None:
    rm.answers["refreshQueues"] = YarnError("Failed to re-init queues : sum of children is 90\nat X.java")
    result = shell.yarn("rmadmin", "-refreshQueues")
    assert (result.status, result.out) == (255, "")
    assert result.err == "refreshQueues: Failed to re-init queues : sum of children is 90\n"
    rm.answers["refreshQueues"] = AccessControlError("User mei doesn't have permission")
    assert shell.yarn("rmadmin", "-refreshQueues").err == "refreshQueues: User mei doesn't have permission\n"


def test_nothing_and_unknown(shell: Shell) -> None:
    result = shell.yarn("rmadmin")
    assert result.status == 255
    assert result.err.startswith("Usage: yarn rmadmin\n   -refreshQueues \n")
    result = shell.yarn("rmadmin", "foo")
    assert result.status == 255
    assert result.err.startswith("oo: Unknown command\nUsage: yarn rmadmin\n")
    assert shell.yarn("rmadmin", "-foo").err.startswith("foo: Unknown command\n")
    hint = shell.yarn("rmadmin", "-refreshQueue").err
    assert hint.startswith("refreshQueue: Unknown command (did you mean -refreshQueues?)\n")


def test_unknown_option(rm: FakeResourceManager, shell: Shell) -> None:
    result = shell.yarn("rmadmin", "-refreshNodes", "-foo")
    assert (result.status, result.err) == (255, "refreshNodes: Unrecognized option: -foo\n")
    assert rm.calls == []


def test_help(shell: Shell) -> None:
    result = shell.yarn("rmadmin", "-help")
    assert (result.status, result.err) == (0, "")
    assert "-getServiceState" not in result.out
    result = shell.yarn("rmadmin", "-help", "-getGroups")
    assert (result.status, result.err) == (0, "Usage: yarn rmadmin [-getGroups [username]]\n\n")


# Leaving nodes


def test_graceful_by_the_server(rm: FakeResourceManager, shell: Shell) -> None:
    assert shell.yarn("rmadmin", "-refreshNodes", "-g", "60", "-server").status == 0
    assert shell.yarn("rmadmin", "-refreshNodes", "-g", "-server").status == 0
    asked = [(call.decommission_type, call.decommission_timeout) for call in rm.asked("refreshNodes")]
    assert asked == [(DecommissionType.GRACEFUL, 60), (DecommissionType.GRACEFUL, -1)]


def left(*rounds: tuple[NodeId, ...]) -> Any:
    remaining = iter(rounds)
    return lambda _: CheckForDecommissioningNodesResponse(decommissioning_nodes=next(remaining))


def test_graceful_by_the_client_waits(rm: FakeResourceManager, shell: Shell) -> None:
    rm.answers["checkForDecommissioningNodes"] = left((N1, N2), (N2,), ())
    before = shell.clock.now_ms()
    result = shell.yarn("rmadmin", "-refreshNodes", "-g", "-client")
    assert result.out == (
        "Nodes 'n1:1234,n2:1234' are still decommissioning.\n"
        "Nodes 'n2:1234' are still decommissioning.\n"
        "Graceful decommissioning completed in 2 seconds.\n"
    )
    assert result.status == 0
    assert shell.clock.now_ms() - before == 3000


def test_graceful_by_the_client_forces_in_the_end(rm: FakeResourceManager, shell: Shell) -> None:
    rm.answers["checkForDecommissioningNodes"] = lambda _: CheckForDecommissioningNodesResponse(
        decommissioning_nodes=(N1,)
    )
    result = shell.yarn("rmadmin", "-refreshNodes", "-graceful", "2", "-client")
    assert result.out.count("still decommissioning") == 7
    assert result.out.endswith(
        "Graceful decommissioning not completed in 2 seconds, issuing forceful decommissioning command.\n"
    )
    assert [call.decommission_type for call in rm.asked("refreshNodes")] == [
        DecommissionType.GRACEFUL,
        DecommissionType.FORCEFUL,
    ]


@pytest.mark.parametrize("word", ["soon", "-2"])
def test_wrong_timeout(rm: FakeResourceManager, shell: Shell, word: str) -> None:
    result = shell.yarn("rmadmin", "-refreshNodes", "-g", word, "-client")
    assert result.status == 255
    assert result.err.startswith(
        f"refreshNodes: Invalid timeout specified : {word}\nUsage: yarn rmadmin [-refreshNodes "
    )
    assert rm.calls == []


def test_somebody_has_to_wait(rm: FakeResourceManager, shell: Shell) -> None:
    result = shell.yarn("rmadmin", "-refreshNodes", "-g", "10")
    assert result.status == 255
    assert result.err.startswith("Usage: yarn rmadmin [-refreshNodes ")
    assert rm.calls == []


# Groups


def test_groups(rm: FakeResourceManager, shell: Shell) -> None:
    rm.answers["getGroupsForUser"] = lambda request: GetGroupsForUserResponse(
        groups=("etl", "lab") if request.user == "mei" else ()
    )
    assert shell.yarn("rmadmin", "-getGroups", "mei", "ann").out == "mei : etl lab\nann :\n"
    assert shell.yarn("rmadmin", "-getGroups").out == "mei : etl lab\n"


# Node resources


@pytest.mark.parametrize(
    "words, resource, timeout_ms",
    [
        (("4096", "4"), Resource(4096, 4), -1),
        (("4096", "4", "0"), Resource(4096, 4), 0),
        (("memory-mb=4Gi,vcores=4",), Resource(4096, 4), -1),
        (("memory-mb=2048Mi,vcores=4,disk=3Ti", "1000"), Resource(2048, 4, (("disk", 3072),)), 1000),
    ],
)
def test_node_resource(
    rm: FakeResourceManager, shell: Shell, words: tuple[str, ...], resource: Resource, timeout_ms: int
) -> None:
    shell.properties = {"yarn.resource-types": "disk", "yarn.resource-types.disk.units": "Gi"}
    result = shell.yarn("rmadmin", "-updateNodeResource", "n1:1234", *words)
    assert (result.status, result.out, result.err) == (0, "", "")
    ((change,),) = [call.node_resource_map for call in rm.asked("updateNodeResource")]
    assert change.node_id == N1
    assert change.resource_option.resource == resource
    assert change.resource_option.over_commit_timeout == timeout_ms


@pytest.mark.parametrize(
    "words, message",
    [
        ((), "Number of parameters specified for updateNodeResource is wrong."),
        (("n1:1234",), "Number of parameters specified for updateNodeResource is wrong."),
        (("n1:1234", "1", "2", "3", "4"), "Number of parameters specified for updateNodeResource is wrong."),
        (
            ("n1:1234", "1024", "-4"),
            "updateNodeResource: Invalid resource value: (1024,-4) for updateNodeResource.",
        ),
        (
            ("n1:1234", "-1", "4"),
            (
                "Resource Types parameter specified for updateNodeResource is wrong. It should be"
                " comma-delimited key value pairs."
                " For example, memory-mb=1024Mi,vcores=1,resource1=3Gi,resource2=2"
            ),
        ),
        (
            ("n1:1234", "large"),
            (
                "Resource Types parameter specified for updateNodeResource is wrong. It should be "
                "comma-delimited key value pairs. "
                "For example, memory-mb=1024Mi,vcores=1,resource1=3Gi,resource2=2"
            ),
        ),
        (
            ("n1:1234", "memory-mb=1Gi,vcores=1,gpus=2"),
            "updateNodeResource: Invalid resource type: gpus. Not allowed.",
        ),
        (
            ("n1:1234", "vcores=1"),
            "updateNodeResource: Invalid value for resource 'memory-mb'. Value cannot be 0(zero).",
        ),
        (
            ("n1:1234", "memory-mb=1Gi,vcores"),
            (
                "updateNodeResource: Invalid resource type value: (vcores) for updateNodeResource. "
                "It should be key value pairs separated using '=' symbol."
            ),
        ),
        (
            ("n1:1234", "memory-mb=1024M i,vcores=1"),
            "updateNodeResource: Units 'M i' contains non alphabet characters, which is not allowed.",
        ),
        (("n1", "1024", "4"), "updateNodeResource: Invalid NodeId [n1]. Expected host:port"),
        (("n1:1234", "1024", "4", "soon"), 'updateNodeResource: For input string: "soon"'),
    ],
)
def test_wrong_node_resources(
    rm: FakeResourceManager, shell: Shell, words: tuple[str, ...], message: str
) -> None:
    result = shell.yarn("rmadmin", "-updateNodeResource", *words)
    assert (result.status, result.out) == (255, "")
    assert result.err.startswith(f"{message}\nUsage: yarn rmadmin [-updateNodeResource ")
    assert rm.calls == []


# Labels


def test_add_labels(rm: FakeResourceManager, shell: Shell) -> None:
    words = "gpu(exclusive=true), ssd(exclusive=false),x,y()"
    result = shell.yarn("rmadmin", "-addToClusterNodeLabels", words)
    assert (result.status, result.out, result.err) == (0, "", "")
    assert rm.asked("addToClusterNodeLabels")[0].node_labels == (
        NodeLabel(name="gpu", is_exclusive=True),
        NodeLabel(name="ssd", is_exclusive=False),
        NodeLabel(name="x"),
        NodeLabel(name="y"),
    )


@pytest.mark.parametrize(
    "words", ["x(exclusive=true", "x)", "x)(", "x(sticky=true)", "x(exclusive=maybe)", "x(exclusive)"]
)
def test_add_labels_of_a_wrong_form(rm: FakeResourceManager, shell: Shell, words: str) -> None:
    result = shell.yarn("rmadmin", "-addToClusterNodeLabels", words)
    assert result.status == 255
    assert result.err.startswith(
        "addToClusterNodeLabels: Input format for adding node-labels is not correct, it should be "
        "labelName1[(exclusive=true/false)],LabelName2[] ..\n"
    )
    assert rm.calls == []


@pytest.mark.parametrize("command", ["addToClusterNodeLabels", "removeFromClusterNodeLabels"])
def test_no_labels(shell: Shell, command: str) -> None:
    missing = shell.yarn("rmadmin", f"-{command}")
    assert missing.err.startswith("No cluster node-labels are specified\n")
    empty = shell.yarn("rmadmin", f"-{command}", " , ")
    assert empty.err.startswith(f"{command}: No cluster node-labels are specified\n")
    assert (missing.status, empty.status) == (255, 255)


def test_remove_labels(rm: FakeResourceManager, shell: Shell) -> None:
    assert shell.yarn("rmadmin", "-removeFromClusterNodeLabels", "gpu, ssd,gpu").status == 0
    assert rm.asked("removeFromClusterNodeLabels")[0].node_labels == ("gpu", "ssd")


def test_replace_labels(rm: FakeResourceManager, shell: Shell) -> None:
    words = "n1:1234=gpu n2=ssd\nn3= #n4=x n5,gpu n6"
    result = shell.yarn("rmadmin", "-replaceLabelsOnNode", words, "-failOnUnknownNodes")
    assert (result.status, result.err) == (0, "")
    (request,) = rm.asked("replaceLabelsOnNodes")
    assert request.fail_on_unknown_nodes is True
    assert request.node_to_labels == (
        NodeIdToLabels(node_id=N1, node_labels=("gpu",)),
        NodeIdToLabels(node_id=NodeId("n2", 0), node_labels=("ssd",)),
        NodeIdToLabels(node_id=NodeId("n3", 0)),
        NodeIdToLabels(node_id=NodeId("n5", 0), node_labels=("gpu",)),
        NodeIdToLabels(node_id=NodeId("n6", 0)),
    )


@pytest.mark.parametrize(
    "words, message",
    [
        (
            "n1=x,y",
            (
                "2 labels specified on host=n1, please note that we do not support "
                "specifying multiple labels on a single host for now."
            ),
        ),
        ("=x", "node name cannot be empty"),
        ("#n1=x", "No node-to-labels mappings are specified"),
        ("n1:port=x", "Invalid NodeId [n1:port]. Expected host:port"),
    ],
)
def test_wrong_label_mappings(rm: FakeResourceManager, shell: Shell, words: str, message: str) -> None:
    result = shell.yarn("rmadmin", "-replaceLabelsOnNode", words)
    assert result.status == 255
    assert result.err.startswith(f"replaceLabelsOnNode: {message}\n")
    assert rm.calls == []


def test_no_label_mappings_and_no_way_around_the_rm(rm: FakeResourceManager, shell: Shell) -> None:
    missing = shell.yarn("rmadmin", "-replaceLabelsOnNode")
    assert missing.err.startswith("No node-to-labels mappings are specified\n")
    direct = shell.yarn("rmadmin", "-addToClusterNodeLabels", "x", "-directlyAccessNodeLabelStore")
    assert "leave the option out" in direct.err
    assert (missing.status, direct.status, rm.calls) == (255, 255, [])


# High availability

HA = (
    "-transitionToActive",
    "-transitionToStandby",
    "-getServiceState",
    "-getAllServiceState",
    "-checkHealth",
)


@pytest.mark.parametrize("word", HA)
def test_without_high_availability(shell: Shell, word: str) -> None:
    result = shell.yarn("rmadmin", word, "rm1")
    assert result.out == f"Cannot run {word} when ResourceManager HA is not enabled\n"
    assert (result.status, result.err) == (255, "")


@pytest.fixture
def pair() -> Iterator[tuple[FakeResourceManager, FakeResourceManager]]:
    """An active and a standby."""
    with FakeResourceManager() as first, FakeResourceManager() as second:
        first.answers["getServiceStatus"] = GetServiceStatusResponse(state=HAServiceState.ACTIVE)
        second.answers["getServiceStatus"] = GetServiceStatusResponse(state=HAServiceState.STANDBY)
        yield first, second


def several(shell: Shell, *addresses: str, **more: str) -> Shell:
    shell.properties = {
        "yarn.resourcemanager.ha.enabled": "true",
        "yarn.resourcemanager.ha.rm-ids": ",".join(f"rm{number}" for number in range(1, len(addresses) + 1)),
        **{
            f"yarnbox.resourcemanager.grpc.address.rm{number}": address
            for number, address in enumerate(addresses, 1)
        },
        "yarn.resourcemanager.admin.address.rm1": "one:8033",
        **more,
    }
    return shell


Pair = tuple[FakeResourceManager, FakeResourceManager]
MANUAL = {"yarn.resourcemanager.ha.automatic-failover.enabled": "false"}


def test_states_and_health(shell: Shell, pair: Pair) -> None:
    several(shell, pair[0].address, pair[1].address, "127.0.0.1:1")
    assert shell.yarn("rmadmin", "-getServiceState", "rm1").out == "active\n"
    assert shell.yarn("rmadmin", "-getServiceState", "rm2").out == "standby\n"
    assert shell.yarn("rmadmin", "-checkHealth", "rm1") == Result(0, "", "")
    pair[1].answers["monitorHealth"] = YarnError("it is ill")
    assert shell.yarn("rmadmin", "-checkHealth", "rm2") == Result(255, "", "Health check failed: it is ill\n")
    gone = shell.yarn("rmadmin", "-checkHealth", "rm3")
    assert gone.status == 255
    assert gone.err.startswith("Operation failed: monitorHealth: cannot reach 127.0.0.1:1")
    unknown = shell.yarn("rmadmin", "-getServiceState", "rm9")
    assert unknown.err == "Illegal argument: rm9 is not a valid serviceId. It should be one of rm1 rm2 rm3 \n"
    assert unknown.status == 255
    everybody = shell.yarn("rmadmin", "-getAllServiceState")
    assert everybody.status == 0
    lines = everybody.out.splitlines()
    assert lines[0] == f"{'one:8033':<50} active    "
    assert lines[1].endswith(" standby   ")
    assert "Failed to connect: getServiceStatus: cannot reach" in lines[2]


@pytest.mark.parametrize(
    "words, why",
    [
        (("-getServiceState",), "getServiceState: incorrect number of arguments"),
        (("-getServiceState", "rm1", "rm2"), "getServiceState: incorrect number of arguments"),
        (("-checkHealth", "--forcemanual", "rm1"), "checkHealth: incorrect arguments"),
        (("-transitionToStandby", "--forceactive", "rm1"), "transitionToStandby: incorrect arguments"),
        (("-failover", "rm1", "rm2"), "failover: Unknown command"),
    ],
)
def test_words_that_do_not_fit(shell: Shell, pair: Pair, words: tuple[str, ...], why: str) -> None:
    result = several(shell, pair[0].address, pair[1].address).yarn("rmadmin", *words)
    assert result.status == 255
    assert result.err.startswith(why)
    assert "Usage:" in result.err


def test_a_change_of_roles_without_elections(shell: Shell, pair: Pair) -> None:
    several(shell, pair[0].address, pair[1].address, **MANUAL)
    refused = shell.yarn("rmadmin", "-transitionToActive", "rm2")
    assert refused.status == 255
    assert refused.err.startswith("transitionToActive: Node rm1 is already active\n")
    assert shell.yarn("rmadmin", "-transitionToActive", "--forceactive", "rm2") == Result(0, "", "")
    assert shell.yarn("rmadmin", "-transitionToStandby", "rm1") == Result(0, "", "")
    assert shell.yarn("rmadmin", "-transitionToActive", "rm1") == Result(0, "", "")
    (standby,) = pair[0].asked("transitionToStandby")
    assert standby.req_info.req_source is HARequestSource.REQUEST_BY_USER
    pair[0].answers["transitionToStandby"] = YarnError("no")
    assert shell.yarn("rmadmin", "-transitionToStandby", "rm1").err == "Operation failed: no\n"


def test_a_change_of_roles_has_to_be_forced_where_the_rms_elect(shell: Shell, pair: Pair) -> None:
    several(shell, pair[0].address, pair[1].address)
    refused = shell.yarn("rmadmin", "-transitionToStandby", "rm1")
    assert refused.status == 255
    assert refused.err.startswith("Automatic failover is enabled for one:8033\n")
    for answers, status, complaint in (
        (["maybe", "Y"], 0, "Invalid input: maybe\n"),
        (["no"], 255, ""),
        ([""], 255, ""),
    ):
        shell.lines = [*answers]
        asked = shell.yarn("rmadmin", "-transitionToStandby", "--forcemanual", "rm1")
        assert asked.status == status
        assert asked.err.count("Are you sure you want to continue? (Y or N) ") == len(answers)
        assert complaint in asked.err
    (standby,) = pair[0].asked("transitionToStandby")
    assert standby.req_info.req_source is HARequestSource.REQUEST_BY_USER_FORCED


def test_other_commands_go_to_the_active_one(shell: Shell, pair: Pair) -> None:
    first, second = pair
    first.answers["refreshQueues"] = NotReadyError("ResourceManager rm1 is not Active!")
    several(shell, "127.0.0.1:1", first.address, second.address)
    assert shell.yarn("rmadmin", "-refreshQueues") == Result(0, "", "")
    assert len(second.asked("refreshQueues")) == 1


def test_where_nobody_is_active_all_are_tried_so_often(shell: Shell, pair: Pair) -> None:
    first, second = pair
    for one in pair:
        one.answers["refreshQueues"] = NotReadyError("not Active!")
    more = {
        "yarn.client.failover-max-attempts": "3",
        "yarn.resourcemanager.connect.max-wait.ms": "900000",
        "yarn.client.failover-sleep-base-ms": "1000",
    }
    several(shell, first.address, second.address, **more)
    result = shell.yarn("rmadmin", "-refreshQueues")
    assert result.status == 255
    assert [len(one.asked("refreshQueues")) for one in pair] == [4, 4]
