"""Node labels and nodes over REST: bodies, refusals and their status, as Hadoop 3.4.1 answers them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.rm.edge.test_http import Web, web
from tests.rm.edge.test_process import play

LABELS = {
    "yarn__node-labels__enabled": "true",
    "yarn__resourcemanager__scheduler__class": "capacity",
    "yarn__scheduler__capacity__root__queues": "default",
    "yarn__scheduler__capacity__root__default__capacity": "100",
    "yarn__scheduler__capacity__root__accessible-node-labels": "*",
    "yarn__scheduler__capacity__root__accessible-node-labels__gpu__capacity": "100",
    "yarn__scheduler__capacity__root__default__accessible-node-labels": "gpu",
    "yarn__scheduler__capacity__root__default__accessible-node-labels__gpu__capacity": "100",
}
GPU = {"name": "gpu", "exclusivity": "true"}
DISABLED = "Node-label-based scheduling is disabled. Please check yarn.node-labels.enabled"


async def refused(
    caller: Web, path: str, body: Any, message: str, status: int = 400, kind: str = "BadRequestException"
) -> None:
    answer = await caller.send("POST", path, body, status)
    assert answer["RemoteException"]["exception"] == kind
    assert answer["RemoteException"]["message"] == message


async def node_id_of(caller: Web) -> str:
    (node,) = (await caller.get("/nodes"))["nodes"]["node"]
    return str(node["id"])


def test_without_labels_there_is_little_to_see(tmp_path: Path) -> None:
    async def scene() -> None:
        async with web(tmp_path, **LABELS) as caller:
            assert await caller.get("/get-node-labels") == {}
            assert await caller.get("/get-node-to-labels") == {"nodeToLabels": None}
            assert await caller.get("/label-mappings") == {"labelsToNodes": None}
            assert await caller.get("/nodes/nobody:1/get-labels") == {}
            assert await caller.get("/nodes/nobody/get-labels") == {}
            only = (await caller.get("/get-rm-node-labels"))["nodeLabelInfo"]
            assert (only["name"], only["exclusivity"], only["activeNMs"]) == (
                "<DEFAULT_PARTITION>",
                "true",
                "1",
            )
            assert only["partitionInfo"]["resourceAvailable"]["memory"] == "8192"

    play(scene)


def test_labels_come_and_go(tmp_path: Path) -> None:
    async def scene() -> None:
        async with web(tmp_path, **LABELS) as caller:
            two = [GPU, {"name": "ssd", "exclusivity": "false"}]
            assert not await caller.send("POST", "/add-node-labels", {"nodeLabelInfo": two})
            found = (await caller.get("/get-node-labels"))["nodeLabelInfo"]
            assert [(one["name"], one["exclusivity"]) for one in found] == [
                ("gpu", "true"),
                ("ssd", "false"),
            ]
            assert found[0]["partitionInfo"]["resourceAvailable"]["vCores"] == "0"
            await caller.send("POST", "/add-node-labels", {"nodeLabelInfo": {"name": "bare"}})
            bare = (await caller.get("/get-node-labels"))["nodeLabelInfo"][2]
            assert bare["exclusivity"] == "false", "as an absent boolean of Java's"
            xml = "<nodeLabelsInfo><nodeLabelInfo><name>x</name></nodeLabelInfo></nodeLabelsInfo>"
            headers = {"Content-Type": "application/xml", "Accept": "application/xml"}
            address = f"{caller.top}/ws/v1/cluster/add-node-labels"
            async with caller.session.post(address, data=xml, headers=headers) as answer:
                assert (answer.status, answer.content_type, await answer.text()) == (
                    200,
                    "application/xml",
                    "",
                )
            await caller.send("POST", "/add-node-labels", {})
            await caller.send("POST", "/remove-node-labels")
            await caller.send("POST", "/remove-node-labels?labels=bare&labels=x")
            names = [one["name"] for one in (await caller.get("/get-node-labels"))["nodeLabelInfo"]]
            assert names == ["gpu", "ssd"]

    play(scene)


def test_what_the_label_manager_refuses(tmp_path: Path) -> None:
    async def scene() -> None:
        async with web(tmp_path, **LABELS) as caller:
            await caller.send("POST", "/add-node-labels", {"nodeLabelInfo": [GPU]})
            add, remove, io = "/add-node-labels", "/remove-node-labels", "java.io.IOException: "
            await refused(
                caller,
                add,
                {"nodeLabelInfo": {"name": "gpu", "exclusivity": "false"}},
                f"{io}Exclusivity cannot be modified for an existing label with : <gpu:exclusivity=false>",
            )
            await refused(
                caller,
                add,
                {"nodeLabelInfo": {"name": "bad name"}},
                f"{io}label name should only contains {{0-9, a-z, A-Z, -, _}} and should not started with "
                "{-,_}, now it is= bad name",
            )
            await refused(
                caller,
                f"{remove}?labels=nope",
                None,
                f"{io}Node label=nope to be removed doesn't existed in cluster node labels collection.",
            )
            await refused(caller, f"{remove}?labels=", None, f"{io}Label to be removed is null or empty")
            await refused(
                caller,
                f"{remove}?labels=gpu",
                None,
                f"{io}Cannot remove label=gpu, because queue=root.default is using this label. "
                "Please remove label on queue before remove the label",
            )
            for path in (add, "/replace-node-to-labels"):
                address = f"{caller.top}/ws/v1/cluster{path}"
                async with caller.session.post(address, headers={"Content-Type": "application/json"}) as none:
                    assert none.status == 400
                    exception = (await none.json())["RemoteException"]
                    assert exception["javaClassName"] == "javax.ws.rs.WebApplicationException"

    play(scene)


def test_labels_of_nodes(tmp_path: Path) -> None:
    async def scene() -> None:
        async with web(tmp_path, **LABELS) as caller:
            node = await node_id_of(caller)
            ssd = {"name": "ssd", "exclusivity": "true"}
            await caller.send("POST", "/add-node-labels", {"nodeLabelInfo": [GPU, ssd]})
            pairs = [{"nodeId": node, "labels": ["gpu"]}, {"nodeId": "elsewhere", "labels": "ssd"}]
            await caller.send("POST", "/replace-node-to-labels", {"nodeToLabels": pairs})
            assert await caller.get(f"/nodes/{node}/get-labels") == {"nodeLabelInfo": GPU}
            assert (await caller.get(f"/nodes/{node}"))["node"]["nodeLabels"] == ["gpu"]
            entries = (await caller.get("/get-node-to-labels"))["nodeToLabels"]["entry"]
            assert {one["key"]: one["value"]["nodeLabelInfo"] for one in entries} == {
                node: GPU,
                "elsewhere:0": ssd,
            }
            (of_gpu,) = [
                (await caller.get("/label-mappings?labels=gpu&labels=nope"))["labelsToNodes"]["entry"]
            ]
            assert of_gpu["key"] == GPU
            assert of_gpu["value"]["nodes"] == node
            assert of_gpu["value"]["partitionInfo"]["resourceAvailable"]["memory"] == "8192"
            assert await caller.get("/label-mappings?labels=gpu,ssd") == {"labelsToNodes": None}
            assert len((await caller.get("/label-mappings"))["labelsToNodes"]["entry"]) == 2
            await caller.send("POST", f"/nodes/{node}/replace-labels?labels=ssd")
            assert await caller.get(f"/nodes/{node}/get-labels") == {"nodeLabelInfo": ssd}
            await caller.send("POST", f"/nodes/{node}/replace-labels?labels=")
            assert await caller.get(f"/nodes/{node}/get-labels") == {}
            await caller.send("POST", f"/nodes/{node}/replace-labels?labels=gpu")
            await caller.send("POST", f"/nodes/{node}/replace-labels")
            assert await caller.get(f"/nodes/{node}/get-labels") == {}

    play(scene)


def test_labels_that_no_node_can_have(tmp_path: Path) -> None:
    async def scene() -> None:
        async with web(tmp_path, **LABELS) as caller:
            await caller.send("POST", "/add-node-labels", {"nodeLabelInfo": [GPU, {"name": "ssd"}]})
            path, io = "/replace-node-to-labels", "java.io.IOException: "
            await refused(
                caller,
                path,
                {"nodeToLabels": [{"nodeId": "h:1", "labels": ["gpu", "ssd"]}]},
                f"{io}2 labels specified on host=h, please note that we do not support specifying multiple "
                "labels on a single host for now.",
            )
            await refused(
                caller,
                path,
                {"nodeToLabels": [{"nodeId": "h:1", "labels": ["nope"]}]},
                f"{io}Not all labels being replaced contained by known label collections, please check, "
                "new labels=[nope]",
            )
            malformed = {"nodeToLabels": [{"nodeId": "h:x", "labels": ["gpu"]}]}
            await refused(caller, path, malformed, "Invalid port: x", kind="IllegalArgumentException")
            answer = await caller.get("/nodes/h:x/get-labels", 400)
            assert answer["RemoteException"]["message"] == "Invalid port: x"

    play(scene)


CHANGES: tuple[tuple[str, Any, str], ...] = (
    ("/add-node-labels", {"nodeLabelInfo": [GPU]}, "add-node-labels "),
    ("/remove-node-labels?labels=gpu", None, "remove-node-labels "),
    ("/replace-node-to-labels", {"nodeToLabels": []}, "replace-node-to-labels"),
    ("/nodes/h:1/replace-labels?labels=gpu", None, "nodes/nodeid/replace-labels"),
)


def test_without_node_labels_changes_are_refused(tmp_path: Path) -> None:
    async def scene() -> None:
        async with web(tmp_path) as caller:
            for path, body, _ in CHANGES:
                wanted = (
                    {"nodeToLabels": [{"nodeId": "h:1", "labels": ["gpu"]}]} if "to-labels" in path else body
                )
                await refused(caller, path, wanted, f"java.io.IOException: {DISABLED}")

    play(scene)


def test_nodes_that_bring_their_labels_get_no_others(tmp_path: Path) -> None:
    async def scene() -> None:
        kind = {"yarn__node-labels__configuration-type": "distributed"}
        async with web(tmp_path, **LABELS, **kind) as caller:
            for path, body, _ in CHANGES[:2]:
                if "remove" in path:
                    await caller.send("POST", "/add-node-labels", {"nodeLabelInfo": [{"name": "own"}]})
                    path = path.replace("gpu", "own")
                await caller.send("POST", path, body)
            message = (
                "Error when invoke method=replaceLabelsOnNode because centralized node label configuration "
                "is not enabled."
            )
            for path, body, _ in CHANGES[2:]:
                await refused(caller, path, body, message, 404, "IOException")

    play(scene)


def test_labels_are_for_administrators(tmp_path: Path) -> None:
    async def scene() -> None:
        lists = {"yarn__acl__enable": "true", "yarn__admin__acl": "root"}
        async with web(tmp_path, **LABELS, **lists) as caller:
            for path, body, operation in CHANGES:
                message = f"User dr.who not authorized for post to .../{operation}"
                await refused(caller, path, body, message, 401, "AuthorizationException")
            await caller.send("POST", "/add-node-labels?user.name=root", {"nodeLabelInfo": [GPU]})
            assert (await caller.get("/get-node-labels"))["nodeLabelInfo"]["name"] == "gpu"

    play(scene)


# Nodes


@pytest.mark.parametrize(
    "node_id, message",
    [
        ("nohost", "Invalid NodeId [nohost]. Expected host:port"),
        ("nohost:", "Invalid NodeId [nohost:]. Expected host:port"),
        ("a:b:c", "Invalid NodeId [a:b:c]. Expected host:port"),
        ("nohost:x", "Invalid port: x"),
        ("nohost:99999999999", "Invalid port: 99999999999"),
    ],
)
def test_a_node_id_that_is_none(tmp_path: Path, node_id: str, message: str) -> None:
    async def scene() -> None:
        async with web(tmp_path) as caller:
            for answer in (
                await caller.get(f"/nodes/{node_id}", 400),
                await caller.send("POST", f"/nodes/{node_id}/resource", {"resource": {"memory": 1}}, 400),
            ):
                assert answer["RemoteException"] == {
                    "exception": "IllegalArgumentException",
                    "message": message,
                    "javaClassName": "java.lang.IllegalArgumentException",
                }

    play(scene)


def test_nodes_by_their_states(tmp_path: Path) -> None:
    async def scene() -> None:
        async with web(tmp_path) as caller:
            for states in ("running", "lost,RUNNING", "running&states=LOST"):
                assert len((await caller.get(f"/nodes?states={states}"))["nodes"]["node"]) == 1, states
            assert await caller.get("/nodes?states=lost") == {"nodes": {}}
            for states, shown in (("", ""), ("lost,bad", "BAD")):
                wrong = (await caller.get(f"/nodes?states={states}", 400))["RemoteException"]
                assert wrong["exception"] == "IllegalArgumentException"
                assert wrong["message"] == (
                    f"No enum constant org.apache.hadoop.yarn.api.records.NodeState.{shown}"
                )
            unknown = (await caller.get("/nodes/:5", 404))["RemoteException"]
            assert unknown["message"] == "java.lang.Exception: nodeId, :5, is not found"

    play(scene)


def test_a_node_is_given_another_size(tmp_path: Path) -> None:
    async def scene() -> None:
        async with web(tmp_path) as caller:
            node = await node_id_of(caller)
            body = {"resource": {"memory": 4096, "vCores": 4}, "overCommitTimeout": -1}
            answer = await caller.send("POST", f"/nodes/{node}/resource", body)
            assert (answer["resourceInfo"]["memory"], answer["resourceInfo"]["vCores"]) == (4096, 4)
            shown = (await caller.get(f"/nodes/{node}"))["node"]["totalResource"]
            assert (shown["memory"], shown["vCores"]) == (4096, 4)
            xml = "<resourceOption><resource><memory>100</memory></resource></resourceOption>"
            headers = {"Content-Type": "application/xml", "Accept": "application/xml"}
            address = f"{caller.top}/ws/v1/cluster/nodes/{node}/resource"
            async with caller.session.post(address, data=xml, headers=headers) as as_xml:
                assert as_xml.status == 200
                assert "<resourceInfo><memory>100</memory><vCores>0</vCores>" in await as_xml.text()
            await caller.send("POST", f"/nodes/{node}/resource", {}, 400)
            await caller.send("POST", "/nodes/nohost:1/resource", body, 404)

    play(scene)
