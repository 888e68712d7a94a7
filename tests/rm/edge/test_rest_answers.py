"""Answers of the REST API, compared with those of the ResourceManager of Hadoop 3.4.1 word by word."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.rm.edge.test_http import Web, web
from tests.rm.edge.test_process import NODE, play
from yarnbox.rm.edge.http.server import ROOT
from yarnbox.yarn.enums import ContainerState
from yarnbox.yarn.http import notation
from yarnbox.yarn.ids import ContainerId
from yarnbox.yarn.records.container import ContainerStatus
from yarnbox.yarn.records.master import AllocateRequest, RegisterApplicationMasterRequest
from yarnbox.yarn.records.request import ResourceRequest
from yarnbox.yarn.resources.resource import Resource

_CAPACITY = {"yarn__resourcemanager__scheduler__class": "capacity"}
_QUEUES = """<configuration>
<property><name>yarn.scheduler.capacity.root.queues</name><value>default,lab</value></property>
<property><name>yarn.scheduler.capacity.root.default.capacity</name><value>50</value></property>
<property><name>yarn.scheduler.capacity.root.lab.capacity</name><value>50</value></property>
<property><name>yarn.scheduler.capacity.root.lab.queues</name><value>day</value></property>
<property><name>yarn.scheduler.capacity.root.lab.day.capacity</name><value>100</value></property>
<property><name>yarn.scheduler.capacity.root.default.default-application-priority</name><value>4</value></property>
<property><name>yarn.scheduler.capacity.root.acl_submit_applications</name><value> </value></property>
<property><name>yarn.scheduler.capacity.root.acl_administer_queue</name><value> </value></property>
<property><name>yarn.scheduler.capacity.root.default.acl_submit_applications</name><value>*</value></property>
</configuration>"""
_ACLS = {**_CAPACITY, "yarn__acl__enable": "true", "yarn__admin__acl": "root"}


def _with_queues(tmp_path: Path) -> None:
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "capacity-scheduler.xml").write_text(_QUEUES)


def _attempt(application_id: Any) -> str:
    return str(application_id).replace("application", "appattempt") + "_000001"


async def _with_container(caller: Web) -> tuple[Any, str]:
    """A running application and its container."""
    application_id = await caller.desk.submit()
    async with caller.desk.master(await caller.desk.token(application_id)) as am:
        await am.call("registerApplicationMaster", RegisterApplicationMasterRequest(host="here"))
        ask = ResourceRequest(priority=1, resource_name="*", capability=Resource(1024, 1), num_containers=1)
        response = await am.call("allocate", AllocateRequest(ask=(ask,), response_id=0))
        while not response.allocated_containers:
            await caller.desk.beat()
            response = await am.call("allocate", AllocateRequest(response_id=response.response_id))
        (container,) = response.allocated_containers
    return application_id, str(container.id)


@pytest.mark.parametrize("scheduler", ["capacity", "fair", "fifo"])
def test_what_the_scheduler_has_ended_is_its_nodes_alone(tmp_path: Path, scheduler: str) -> None:
    """Cluster and queues no longer count it; its node does until it has reported the end, as in Hadoop."""

    async def held(caller: Web) -> tuple[int, int, int, int, int]:
        shown = (await caller.get("/metrics"))["clusterMetrics"]
        queues = f"{caller.top}/jmx?qry=Hadoop:service=ResourceManager,name=QueueMetrics,q0=*"
        async with caller.session.get(queues) as answer:
            bean = (await answer.json())["beans"][0]
        node = (await caller.get(f"/nodes/{NODE}"))["node"]
        assert shown["availableMB"] + shown["allocatedMB"] == shown["totalMB"]
        assert (bean["AllocatedMB"], bean["AvailableMB"]) == (shown["allocatedMB"], shown["availableMB"])
        return (
            shown["containersAllocated"],
            shown["allocatedMB"],
            bean["AllocatedContainers"],
            node["numContainers"],
            node["usedMemoryMB"],
        )

    async def scene() -> None:
        _with_queues(tmp_path)
        async with web(tmp_path, yarn__resourcemanager__scheduler__class=scheduler) as caller:
            application_id, container_id = await _with_container(caller)
            one = ContainerId.parse(container_id)
            await caller.desk.beat(ContainerStatus(container_id=one, state=ContainerState.RUNNING))
            assert await held(caller) == (1, 1024, 1, 1, 1024)
            await caller.send("PUT", f"/apps/{application_id}/state", {"state": "KILLED"})
            while (await caller.get(f"/apps/{application_id}/state"))["state"] != "KILLED":
                await asyncio.sleep(0.02)
            assert await held(caller) == (0, 0, 0, 1, 1024)
            ended = ContainerStatus(container_id=one, state=ContainerState.COMPLETE, exit_status=137)
            await caller.desk.beat(ended)
            assert await held(caller) == (0, 0, 0, 0, 0)

    play(scene)


async def _said(caller: Web, path: str, status: int) -> str:
    return str((await caller.get(path, status))["RemoteException"]["message"])


def test_what_can_be_read_has_a_head_and_options(tmp_path: Path) -> None:
    async def scene() -> None:
        async with web(tmp_path) as caller:
            for path in ("/info", "/apps"):
                async with caller.session.head(caller.top + ROOT + path) as answer:
                    assert (answer.status, answer.content_type) == (200, "application/json")
                    assert await answer.read() == b""
            async with caller.session.options(caller.top + ROOT + "/apps") as answer:
                assert answer.headers["Allow"] == "OPTIONS,HEAD,GET,POST"
            async with caller.session.head(caller.top + ROOT + "/apps/new-application/") as answer:
                assert answer.status == 400
            async with caller.session.delete(caller.top + ROOT + "/info") as answer:
                assert (answer.status, answer.headers["Allow"]) == (405, "GET,HEAD,OPTIONS")

    play(scene)


_FILTERS = {
    "finalStatus=succeeded": "No enum constant org.apache.hadoop.yarn.api.records.FinalApplicationStatus.s",
    "startedTimeBegin=x": "java.lang.Exception: startedTimeBegin value must be a number!",
    "limit=1_0": "java.lang.Exception: limit value must be a number!",
    "finishedTimeEnd=-1": "java.lang.Exception: finishTimeEnd must be greater than 0",
    "startedTimeBegin=5&startedTimeEnd=2": (
        "java.lang.Exception: startedTimeEnd must be greater than startTimeBegin"
    ),
    "finishedTimeBegin=5&finishedTimeEnd=2": (
        "java.lang.Exception: finishTimeEnd must be greater than finishTimeBegin"
    ),
    "queue=nowhere": "java.lang.Exception: Unknown queue: nowhere",
}


def test_a_filter_that_cannot_be_read_is_refused_in_these_words(tmp_path: Path) -> None:
    async def scene() -> None:
        _with_queues(tmp_path)
        async with web(tmp_path, **_CAPACITY) as caller:
            for query, message in _FILTERS.items():
                assert (await _said(caller, f"/apps?{query}", 400)).startswith(message)

    play(scene)


def test_applications_are_found_by_any_queue_above_them(tmp_path: Path) -> None:
    async def scene() -> None:
        _with_queues(tmp_path)
        async with web(tmp_path, **_CAPACITY) as caller:
            await caller.desk.submit()
            new = await caller.send("POST", "/apps/new-application")
            body = {"application-id": new["application-id"], "queue": "root.lab.day", "unmanaged-AM": True}
            await caller.send("POST", "/apps", body, 202)

            async def found(query: str) -> list[str]:
                apps = (await caller.get(f"/apps?{query}"))["apps"].get("app", [])
                return [app["queue"] for app in apps]

            while len(await found("states=ACCEPTED")) < 2:
                await asyncio.sleep(0.02)
            assert await found("queue=root") == ["root.default", "root.lab.day"]
            for name in ("lab", "root.lab", "day", "root.lab.day"):
                assert await found(f"queue={name}") == ["root.lab.day"], name
            assert await found("name=") == ["root.lab.day"], "submitted over REST without a name"
            assert await found("user=ann&user=nobody") == ["root.default"], "the first of a name counts"
            path = f"/apps/{new['application-id']}/state"
            await caller.send("PUT", path, {"state": "KILLED"})
            while (await caller.get(path))["state"] != "KILLED":
                await asyncio.sleep(0.02)
            assert await found("queue=root") == ["root.default"], "one that is over is in its own queue alone"
            assert await found("queue=day") == ["root.lab.day"]

    play(scene)


def test_ids_that_do_not_belong_together_are_unknown(tmp_path: Path) -> None:
    async def scene() -> None:
        async with web(tmp_path) as caller:
            one, container_id = await _with_container(caller)
            other = await caller.desk.submit()
            illegal = "java.lang.IllegalArgumentException: "
            at = f"/apps/{one}/appattempts"
            assert await _said(caller, f"{at}/1", 400) == f"{illegal}Invalid AppAttemptId prefix: 1"
            foreign = f"{at}/{_attempt(other)}"
            for path in (foreign, f"{foreign}/containers"):
                assert (
                    await _said(caller, path, 404)
                    == "java.lang.Exception: appId and appAttemptId don't match"
                )
            said = await _said(
                caller, f"/apps/{other}/appattempts/{_attempt(other)}/containers/{container_id}", 404
            )
            assert said == "java.lang.Exception: appAttemptId and containerId don't match"
            gone = container_id[:-6] + "000099"
            said = await _said(caller, f"{at}/{_attempt(one)}/containers/{gone}", 404)
            exceptions = "org.apache.hadoop.yarn.exceptions."
            assert said == (
                f"{exceptions}ContainerNotFoundException: Container with id '{gone}' doesn't exist in RM."
            )
            unknown = str(one)[:-4] + "9999"
            said = await _said(caller, f"/apps/{unknown}/appattempts/{_attempt(unknown)}", 404)
            assert said.startswith(
                f"{exceptions}ApplicationNotFoundException: Application with id '{unknown}'"
            )
            said = await _said(caller, "/apps/app", 400)
            assert said.endswith(
                "Invalid ApplicationId prefix: app. The valid ApplicationId should start with "
                "prefix application"
            )
            found = await caller.get(f"{at}/{_attempt(one)}/containers/{container_id}")
            assert "diagnosticsInfo" not in found, "it has not ended"
            assert (found["containerState"], found["nodeId"]) == ("RUNNING", str(NODE))

    play(scene)


def test_who_may_not_view_an_application_sees_none_of_its_containers(tmp_path: Path) -> None:
    async def scene() -> None:
        _with_queues(tmp_path)
        async with web(tmp_path, **_ACLS) as caller:
            application_id, container_id = await _with_container(caller)
            at, bob = f"/apps/{application_id}/appattempts/{_attempt(application_id)}", "?user.name=bob"
            refused = "org.apache.hadoop.yarn.exceptions.YarnException: User bob does not have privilege "
            refused += "to see this "
            assert await _said(caller, at + bob, 403) == f"{refused}attempt {_attempt(application_id)}"
            for path in (f"{at}/containers", f"{at}/containers/{container_id}"):
                assert await _said(caller, path + bob, 403) == f"{refused}application {application_id}"
            assert (await caller.get(f"{at}/containers?user.name=ann"))["container"][
                "containerId"
            ] == container_id
            listed = await caller.get(f"/apps/{application_id}/appattempts{bob}")
            assert listed["appAttempts"]["appAttempt"][0]["containerId"] == ""
            shown = (await caller.get(f"/apps/{application_id}{bob}"))["app"]
            assert (shown["allocatedMB"], shown["queueUsagePercentage"]) == (0, 0.0)
            assert "resourceRequests" not in shown
            (used,) = shown["resourceInfo"]["resourceUsagesByPartition"]
            assert used["used"]["memory"] == 1024, "by partition, everybody sees it"

    play(scene)


def test_changes_need_the_rights_of_the_target_queue_too(tmp_path: Path) -> None:
    async def scene() -> None:
        _with_queues(tmp_path)
        async with web(tmp_path, **_ACLS) as caller:
            application_id = await caller.desk.submit()
            at = f"/apps/{application_id}"
            for user in ("ann", "root"):
                said = await caller.send(
                    "PUT", f"{at}/queue?user.name={user}", {"queue": "root.lab.day"}, 403
                )
                assert said == f"Unauthorized attempt to move appid {application_id} by remote user {user}"
            bob = "?user.name=bob"
            for path, body, deed in (
                ("state", {"state": "KILLED"}, "kill appid"),
                ("priority", {"priority": 1}, "change priority of appid"),
                (
                    "timeout",
                    {"timeout": {"type": "LIFETIME", "expiryTime": "2036-05-01T10:00:00.000+0000"}},
                    "change timeout of app",
                ),
            ):
                said = await caller.send("PUT", f"{at}/{path}{bob}", body, 403)
                assert said == f"Unauthorized attempt to {deed} {application_id} by remote user bob"
            new = await caller.send("POST", "/apps/new-application")
            body = {"application-id": new["application-id"], "queue": "root.lab.day"}
            said = (await caller.send("POST", f"/apps{bob}", body, 400))["RemoteException"]["message"]
            assert said.startswith(
                "java.lang.Exception: org.apache.hadoop.security.AccessControlException: User"
            )

    play(scene)


def test_the_state_of_an_application_is_the_ones_of_the_resource_manager(tmp_path: Path) -> None:
    async def scene() -> None:
        _with_queues(tmp_path)
        async with web(tmp_path, **_CAPACITY) as caller:
            application_id = await caller.desk.submit()
            at = f"/apps/{application_id}"
            while (await caller.get(f"{at}/state"))["state"] != "ACCEPTED":
                await asyncio.sleep(0.02)
            waiting = (await caller.get(at))["app"]
            assert waiting["diagnostics"] == (
                "AM container is launched, waiting for AM container to Register with RM"
            )
            held = ("allocatedMB", "allocatedVCores", "reservedMB", "reservedVCores", "runningContainers")
            assert [waiting[name] for name in held] == [0] * 5
            seconds = {one["key"]: one["value"] for one in waiting["resourceSecondsMap"]["entry"]}
            assert seconds == {"memory-mb": "0", "vcores": "0"}
            (of_partition,) = waiting["resourceInfo"]["resourceUsagesByPartition"]
            assert list(of_partition) == [
                *("partitionName", "used", "reserved", "pending", "amUsed", "amLimit", "userAmLimit")
            ]
            body = {"state": "KILLED", "diagnostics": "why not"}
            killed = await caller.send("PUT", f"{at}/state?user.name=ann", body)
            assert killed["state"] in ("KILLING", "FINAL_SAVING", "KILLED")
            while (await caller.get(f"{at}/state"))["state"] != "KILLED":
                await asyncio.sleep(0.02)
            over = (await caller.get(at))["app"]
            said = f"Application {application_id} was killed by user ann with diagnostic message: why not"
            assert over["diagnostics"] == said
            assert over["trackingUrl"].endswith(f"/cluster/app/{application_id}")
            assert [over[name] for name in held] == [-1] * 5
            said = await caller.send("PUT", f"{at}/queue", {"queue": "root.other"}, 400)
            assert said == "App in KILLED state cannot be moved."
            assert await caller.send("PUT", f"{at}/queue", {"queue": over["queue"]}) == {
                "queue": over["queue"]
            }

    play(scene)


def test_what_a_submission_leaves_out_is_what_hadoop_takes(tmp_path: Path) -> None:
    async def scene() -> None:
        _with_queues(tmp_path)
        async with web(tmp_path, **_CAPACITY) as caller:
            new = await caller.send("POST", "/apps/new-application")
            body = {"application-id": new["application-id"], "resource": {"memory": 512, "vCores": 1}}
            url = caller.top + ROOT + "/apps"
            async with caller.session.post(url, json=body) as answer:
                assert (answer.status, await answer.read()) == (202, b"")
                assert answer.headers["Location"] == f"{url}/{new['application-id']}"
            shown = (await caller.get(f"/apps/{new['application-id']}"))["app"]
            names = ("name", "applicationType", "queue", "appNodeLabelExpression", "amNodeLabelExpression")
            assert [shown[name] for name in names] == ["", "", "root.default", "", ""]
            assert shown["priority"] == -1, "undefined, and not the default of the queue"
            for wrong in ({}, {"application-id": "bad"}):
                said = (await caller.send("POST", "/apps", wrong, 400))["RemoteException"]["message"]
                text = wrong.get("application-id", "")
                assert said == f"java.lang.Exception: Could not parse application id {text}"
            body |= {"reservation-id": "bad"}
            said = (await caller.send("POST", "/apps", body, 404))["RemoteException"]
            assert said["javaClassName"] == "java.io.IOException"
            body |= {"reservation-id": "", "application-tags": {"tag": "x" * 101}}
            said = (await caller.send("POST", "/apps", body, 400))["RemoteException"]["message"]
            assert said.startswith("java.lang.Exception: java.lang.IllegalArgumentException: Tag xxx")

    play(scene)


def test_plain_texts_bear_the_type_that_was_asked_for(tmp_path: Path) -> None:
    async def scene() -> None:
        _with_queues(tmp_path)
        async with web(tmp_path, **_CAPACITY) as caller:
            for accept in ("application/json", "application/xml"):
                headers = {"Accept": accept}
                url = caller.top + ROOT + "/scheduler-conf"
                async with caller.session.get(url, headers=headers) as answer:
                    assert (answer.status, answer.content_type) == (400, accept)
                    assert (await answer.text()).endswith(
                        "underneath scheduler CapacityScheduler is not an instance of MutableConfScheduler"
                    )
            only = "only supported by MutableConfScheduler"
            assert await caller.get("/scheduler-conf/version", 400) == f"Configuration Version {only}."
            assert await caller.get("/scheduler-conf/format", 400) == f"Scheduler Configuration format {only}"
            said = await caller.send("POST", "/scheduler-conf/validate", {}, 400)
            assert said == f"Configuration change validation {only}."
            said = await caller.send("POST", "/containers/container_1_0001_01_000001/signal/x", status=400)
            assert said.startswith("Invalid command: X, valid commands are: [")
            said = await caller.send("POST", "/containers/bad/signal/GRACEFUL_SHUTDOWN", status=500)
            assert said == "Invalid ContainerId prefix: bad"

    play(scene)


def test_an_empty_object_is_null_in_the_mapped_notation() -> None:
    value = {"resource": {"attributes": {}, "value": 3}}
    assert notation.mapped(value) == '{"resource":{"attributes":null,"value":"3"}}'
    assert notation.mapped({"container": []}, empty="{}") == "{}"


def test_lists_hide_what_the_caller_may_not_view_where_that_is_wanted(tmp_path: Path) -> None:
    async def scene() -> None:
        _with_queues(tmp_path)
        async with web(tmp_path, **_ACLS, **{"yarn__webapp__filter-entity-list-by-user": "true"}) as caller:
            application_id = str(await caller.desk.submit())
            assert await caller.get("/apps?user.name=bob") == {"apps": {}}
            (shown,) = (await caller.get("/apps?user.name=ann"))["apps"]["app"]
            assert shown["id"] == application_id

    play(scene)


def test_submission_can_be_switched_off_and_repeated(tmp_path: Path) -> None:
    async def scene() -> None:
        _with_queues(tmp_path)
        async with web(tmp_path, **_CAPACITY) as caller:
            new = await caller.send("POST", "/apps/new-application")
            body = {"application-id": new["application-id"], "unmanaged-AM": True}
            for _ in range(2):
                await caller.send("POST", "/apps", body, 202)
            assert len((await caller.get("/apps"))["apps"]["app"]) == 1
        async with web(tmp_path / "off", **{"yarn__webapp__enable-rest-app-submissions": "false"}) as caller:
            for path in ("/apps", "/apps/new-application"):
                said = await caller.send("POST", path, {"application-id": "application_1_0001"}, 403)
                assert said == "App submission via REST is disabled."

    (tmp_path / "off").mkdir()
    play(scene)
