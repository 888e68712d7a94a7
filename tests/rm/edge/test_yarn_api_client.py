"""Every method of yarn-api-client against a running RM: it works, or is refused as Hadoop refuses it."""

from __future__ import annotations

import asyncio
import inspect
import shutil
from pathlib import Path
from typing import Any

import pytest
from yarn_api_client.errors import APIError  # type: ignore[import-untyped]
from yarn_api_client.resource_manager import ResourceManager  # type: ignore[import-untyped]

from tests.rm.edge.test_process import NODE, Desk, play, running
from tests.tree import ROOT
from yarnbox.yarn.records.master import RegisterApplicationMasterRequest


class Journal:
    """The client, and which of its methods were called."""

    def __init__(self, address: str) -> None:
        self._client = ResourceManager([f"http://{address}"])
        self.called: dict[str, None] = {}

    async def __call__(self, name: str, *arguments: Any, **named: Any) -> Any:
        self.called[name] = None
        found = await asyncio.to_thread(getattr(self._client, name), *arguments, **named)
        return getattr(found, "data", found)

    async def refused(self, status: int, name: str, *arguments: Any) -> None:
        with pytest.raises(APIError, match=f"status: {status}"):
            await self(name, *arguments)


async def look_at_the_cluster(client: Journal) -> None:
    assert (await client("cluster_information"))["clusterInfo"]["state"] == "STARTED"
    assert (await client("cluster_metrics"))["clusterMetrics"]["activeNodes"] == 1
    assert (await client("cluster_scheduler"))["scheduler"]["schedulerInfo"]["type"] == "capacityScheduler"
    nodes = (await client("cluster_nodes"))["nodes"]["node"]
    assert [node["id"] for node in nodes] == [str(NODE)]
    assert (await client("cluster_node", str(NODE)))["node"]["state"] == "RUNNING"
    assert await client("cluster_node_container_memory") == 4096
    queue = await client("cluster_scheduler_queue", "default")
    assert queue["queueName"] == "default"
    partition = await client("cluster_queue_partition", queue, "")
    assert partition["absoluteCapacity"] > 0
    assert await client("cluster_scheduler_queue_availability", partition, 100.0) is True
    assert await client("get_active_endpoint")
    await client.refused(400, "cluster_scheduler_conf_mutation")
    await client.refused(400, "cluster_modify_scheduler_conf_mutation", {"global-updates": {}})
    assert "activities" in await client("scheduler_activities")


async def change_an_application(client: Journal, desk: Desk) -> None:
    new = await client("cluster_new_application")
    application_id = new["application-id"]
    body = {"application-id": application_id, "application-name": "<b>x</b>", "unmanaged-AM": True}
    body |= {"am-container-spec": {"commands": {"command": "true"}}}
    await client("cluster_submit_application", body)
    found = (await client("cluster_application", application_id))["app"]
    assert found["name"] == "<b>x</b>"
    assert found["queue"] == "root.default"
    apps = (await client("cluster_applications"))["apps"]["app"]
    assert [app["id"] for app in apps] == [application_id]
    statistics = (await client("cluster_application_statistics"))["appStatInfo"]["statItem"]
    assert sum(item["count"] for item in statistics) == 1
    attempts = (await client("cluster_application_attempts", application_id))["appAttempts"]["appAttempt"]
    attempt_id = attempts[0]["appAttemptId"]
    assert (await client("cluster_application_attempt_info", application_id, attempt_id))["appAttemptId"]
    assert await client("cluster_application_attempt_containers", application_id, attempt_id) == {}
    container_id = attempt_id.replace("appattempt", "container").rpartition("_")[0] + "_01_000001"
    name = "cluster_application_attempt_container_info"
    await client.refused(404, name, application_id, attempt_id, container_id)
    await client.refused(500, "cluster_container_signal", container_id, "GRACEFUL_SHUTDOWN")
    assert (await client("cluster_get_application_queue", application_id))["queue"] == "root.default"
    changed = await client("cluster_change_application_queue", application_id, "root.default")
    assert changed["queue"] == "root.default"
    assert (await client("cluster_get_application_priority", application_id))["priority"] == -1
    assert (await client("cluster_change_application_priority", application_id, 0))["priority"] == 0
    timeouts = (await client("cluster_application_timeouts", application_id))["timeouts"]["timeout"]
    assert timeouts[0]["expiryTime"] == "UNLIMITED"
    assert (await client("cluster_application_timeout", application_id, "LIFETIME"))["timeout"]
    end = "2126-05-01T10:00:00.000+0000"
    answer = await client("cluster_update_application_timeout", application_id, "LIFETIME", end)
    assert answer["timeout"]["expiryTime"] == end
    assert "appActivities" in await client("application_activities", application_id)
    await client("cluster_application_kill", application_id)
    state = ""
    while state != "KILLED":
        await asyncio.sleep(0.01)
        state = (await client("cluster_application_state", application_id))["state"]


SITE = """<configuration>
<property><name>yarn.nodemanager.resource.memory-mb</name><value>4096</value></property>
</configuration>"""


def test_every_method_of_the_client_is_answered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scene() -> None:
        (tmp_path / "conf").mkdir()
        (tmp_path / "conf" / "yarn-site.xml").write_text(SITE)
        monkeypatch.setattr("yarn_api_client.resource_manager.CONF_DIR", str(tmp_path / "conf"))
        shutil.copy(ROOT / "conf" / "capacity-scheduler.xml", tmp_path / "conf")
        async with running(tmp_path, yarn__resourcemanager__scheduler__class="capacity") as desk:
            await desk.register()
            await desk.beat()
            client = await asyncio.to_thread(Journal, desk.web)
            await look_at_the_cluster(client)
            await change_an_application(client, desk)
            size = {"resource": {"memory": 4096, "vCores": 4}, "overCommitTimeout": -1}
            answer = await client("cluster_node_update_resource", str(NODE), size)
            assert answer["resourceInfo"]["memory"] in (4096, 8192)
            await client.refused(403, "cluster_new_delegation_token", "ann")
            for name in ("cluster_renew_delegation_token", "cluster_cancel_delegation_token"):
                with pytest.raises(TypeError):  # the client gives its headers twice: nothing leaves it
                    await client(name, "token")
            definition = {"reservation-id": "reservation_1_0001", "reservation-definition": {}}
            await client.refused(400, "cluster_new_reservation")
            await client.refused(400, "cluster_reservations", "default")
            await client.refused(400, "cluster_submit_reservation", definition)
            await client.refused(400, "cluster_update_reservation", definition)
            await client.refused(400, "cluster_delete_reservation", "reservation_1_0001")
            offered = [
                name
                for name, _ in inspect.getmembers(ResourceManager, inspect.isfunction)
                if name.startswith(("cluster_", "scheduler_", "application_", "get_"))
            ]
            assert sorted(client.called) == sorted(offered)

    play(scene)


def test_what_runs_is_shown_as_running(tmp_path: Path) -> None:
    async def scene() -> None:
        async with running(tmp_path) as desk:
            application_id = await desk.submit()
            async with desk.master(await desk.token(application_id)) as master:
                request = RegisterApplicationMasterRequest(
                    host="here", rpc_port=1, tracking_url="http://here:2"
                )
                await master.call("registerApplicationMaster", request)
                client = await asyncio.to_thread(Journal, desk.web)
                app = (await client("cluster_application", str(application_id)))["app"]
                assert app["state"] == "RUNNING"
                assert app["trackingUI"] == "ApplicationMaster"
                assert app["amRPCAddress"] == "here:1"

    play(scene)
