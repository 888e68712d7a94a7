"""Activities over REST: the first call begins to record, a later one shows; what is refused, and how."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.rm.edge.test_http import Web, web
from tests.rm.edge.test_process import NODE, play
from tests.tree import ROOT
from yarnbox.cluster.commands.why import reasons
from yarnbox.yarn.ids import ApplicationId
from yarnbox.yarn.records.master import AllocateRequest, RegisterApplicationMasterRequest
from yarnbox.yarn.records.request import ResourceBlacklistRequest, ResourceRequest
from yarnbox.yarn.resources.resource import Resource

AT_NODE = f"/scheduler/activities?nodeId={NODE}"


@asynccontextmanager
async def capacity(tmp_path: Path) -> AsyncIterator[Web]:
    (tmp_path / "conf").mkdir()
    shutil.copy(ROOT / "conf" / "capacity-scheduler.xml", tmp_path / "conf")
    async with web(tmp_path, yarn__resourcemanager__scheduler__class="capacity") as caller:
        yield caller


@asynccontextmanager
async def barred(caller: Web) -> AsyncIterator[ApplicationId]:
    """An application that asks for a container, and bars the only node."""
    application_id = await caller.desk.submit()
    async with caller.desk.master(await caller.desk.token(application_id)) as master:
        await master.call("registerApplicationMaster", RegisterApplicationMasterRequest(host="here"))
        ask = ResourceRequest(priority=2, resource_name="*", capability=Resource(1024, 1), num_containers=1)
        bars = ResourceBlacklistRequest(blacklist_additions=(NODE.host,))
        request = AllocateRequest(ask=(ask,), response_id=0, blacklist_request=bars)
        await master.call("allocate", request)
        yield application_id


async def told(caller: Web, path: str) -> Any:
    """A diagnostic under status 200."""
    [(_, found)] = (await caller.get(path)).items()
    return found["diagnostic"]


def test_a_node_is_recorded_at_its_next_heartbeat(tmp_path: Path) -> None:
    async def scene() -> None:
        async with capacity(tmp_path) as caller, barred(caller) as application_id:
            assert await caller.get(AT_NODE) == {
                "activities": {"nodeId": str(NODE), "diagnostic": "waiting for display"}
            }
            assert await told(caller, "/scheduler/activities") == "waiting for next allocation"
            await caller.desk.beat()
            found = (await caller.get(AT_NODE))["activities"]
            assert found["nodeId"] == str(NODE)
            assert found["dateTime"].split()[-2] == "UTC"
            [allocation] = found["allocations"]
            root = allocation.pop("root")
            assert allocation == {
                "partition": "",
                "finalAllocationState": "SKIPPED",
            }
            on_node = {
                "allocationState": "SKIPPED",
                "diagnostic": "Node is blacklisted",
                "nodeId": str(NODE),
            }
            request = {
                "name": "request_2_-1",
                "requestPriority": 2,
                "allocationRequestId": -1,
                "allocationState": "SKIPPED",
                "children": [on_node],
            }
            application = {
                "name": str(application_id),
                "appPriority": 0,
                "allocationState": "SKIPPED",
                "children": [request],
            }
            queue = {"name": "root.default", "allocationState": "SKIPPED", "children": [application]}
            assert root == {"name": "root", "allocationState": "SKIPPED", "children": [queue]}
            await caller.desk.beat()
            found = await caller.get(f"/scheduler/activities?nodeId={NODE.host}&groupBy=diagnostic")
            queue = found["activities"]["allocations"][0]["root"]["children"][0]
            assert queue["children"][0]["children"][0]["children"] == [
                {
                    "allocationState": "SKIPPED",
                    "diagnostic": "Node is blacklisted",
                    "count": 1,
                    "nodeIds": [str(NODE)],
                }
            ]
            xml = await caller.get(AT_NODE, headers={"Accept": "application/xml"})
            assert "<name>root.default</name>" in xml

    play(scene)


def test_an_application_is_recorded_for_its_time(tmp_path: Path) -> None:
    async def scene() -> None:
        async with capacity(tmp_path) as caller, barred(caller) as application_id:
            path = f"/scheduler/app-activities/{application_id}"
            assert await told(caller, f"{path}?actions=refresh&maxTime=60") == (
                "Successfully received action: refresh"
            )
            assert await told(caller, path + "?actions=get") == "waiting for display"
            for _ in range(3):
                await caller.desk.beat()
            found = (await caller.get(path + "?actions=get"))["appActivities"]
            assert found["applicationId"] == str(application_id)
            looks = found["allocations"]
            assert len(looks) == 3
            assert looks[0]["timestamp"] >= looks[-1]["timestamp"]
            assert looks[0]["queueName"] == "default"
            assert looks[0]["allocationState"] == "SKIPPED"
            assert looks[0]["children"] == [
                {
                    "requestPriority": 2,
                    "allocationRequestId": -1,
                    "allocationState": "SKIPPED",
                    "children": [
                        {
                            "name": "Container-Id-Not-Assigned",
                            "allocationState": "SKIPPED",
                            "diagnostic": "Node is blacklisted",
                            "nodeId": str(NODE),
                        }
                    ],
                }
            ]
            for query, expected in (
                ("limit=2", 2),
                ("requestPriorities=1,2", 3),
                ("requestPriorities=1", None),
                ("requestPriorities=2&allocationRequestIds=7", None),
                ("summarize=true&maxTime=60", 1),
            ):
                found = (await caller.get(f"{path}?actions=get&{query}"))["appActivities"]
                assert (len(found["allocations"]) if "allocations" in found else None) == expected, query
            one = (await caller.get(path + "?summarize=true&groupBy=diagnostic"))["appActivities"]
            assert "nodeId" not in one["allocations"][0]
            assert one["allocations"][0]["children"][0]["children"][0]["nodeIds"] == [str(NODE)]

    play(scene)


def test_many_passes_are_waited_for(tmp_path: Path) -> None:
    async def scene() -> None:
        async with capacity(tmp_path) as caller, barred(caller):
            waiting = asyncio.ensure_future(caller.get("/scheduler/bulk-activities?activitiesCount=2"))
            while not waiting.done():
                await caller.desk.beat()
                await asyncio.sleep(0.01)
            found = (await waiting)["bulkActivities"]["activities"]
            assert [one["nodeId"] for one in found] == [str(NODE)] * 2
            error = (await caller.get("/scheduler/bulk-activities?groupBy=x", 400))["RemoteException"]
            assert "Got invalid groupBy: x, valid groupBy types: [DIAGNOSTIC]" in error["message"]

    play(scene)


def test_what_is_refused(tmp_path: Path) -> None:
    async def scene() -> None:
        async with capacity(tmp_path) as caller:
            application_id = await caller.desk.submit()
            path = f"/scheduler/app-activities/{application_id}"
            finished = "fail to get application activities after finished"
            for asked, diagnostic in (
                ("/scheduler/activities?nodeId=x:1", "Cannot find node manager with given node id"),
                (AT_NODE + "&groupBy=x", "Got invalid groupBy: x, valid groupBy types: [DIAGNOSTIC]"),
                (path + "?groupBy=x", "Got invalid groupBy: x, valid groupBy types: [DIAGNOSTIC]"),
                (path + "?actions=put", "Got invalid action: put, valid actions: [REFRESH, GET]"),
                (path + "?requestPriorities=a", "request priorities must be integers!"),
                (path + "?allocationRequestIds=1,b", "allocation request Ids must be integers!"),
                (path + "?limit=0", "limit must be greater than 0!"),
                (path + "?limit=x", "limit must be integer!"),
                ("/scheduler/app-activities/nonsense", "Cannot find application with given appId"),
                ("/scheduler/app-activities/application_1_0001", finished),
            ):
                assert await told(caller, asked) == diagnostic
            error = (await caller.get(path + "?maxTime=soon", 400))["RemoteException"]
            assert error["exception"] == "NumberFormatException"
            assert error["message"] == 'For input string: "soon.0"'

    play(scene)


def test_another_scheduler_records_nothing(tmp_path: Path) -> None:
    async def scene() -> None:
        async with web(tmp_path) as caller:
            application_id = await caller.desk.submit()
            assert await told(caller, AT_NODE) == "Not Capacity Scheduler"
            path = f"/scheduler/app-activities/{application_id}"
            assert await told(caller, path) == "Not Capacity Scheduler"
            error = (await caller.get("/scheduler/bulk-activities", 400))["RemoteException"]
            assert error["message"].endswith("Not Capacity Scheduler")

    play(scene)


def test_why_is_looked_up_at_once(tmp_path: Path) -> None:
    async def scene() -> None:
        async with capacity(tmp_path) as caller, barred(caller) as application_id:
            lines = await asyncio.to_thread(reasons, caller.desk.web, str(application_id))
            assert lines[0] == f"{application_id} in queue root.default waits:"
            assert "the application has blacklisted the node or its rack" in lines[1]
            (path,) = (await caller.get(f"/ui/why/{application_id}"))["why"]["path"]
            assert path["asked"] == "1 of <memory:1024, vCores:1>, priority 2"
            levels = [(one["level"], one["holds"]) for one in path["step"]]
            assert [one["checked"] for one in path["step"][:3]] == [
                "the cluster has free resources",
                "may use the partition",
                "uses less than its maximum",
            ]
            assert levels[:3] == [("root", True), ("root.default", True), ("root.default", True)]
            assert levels[-2:] == [("nodes", False), ("nodes", False)]
            assert path["step"][-1]["checked"] == "the application has blacklisted the node or its rack"
            assert path["step"][-1]["numbers"] == "1 node"
            assert path["step"][-1]["change"] == "the application takes them off its blacklist"
            (waits,) = (await caller.get("/ui/waiting"))["waiting"]["reason"]
            assert (waits["containers"], waits["example"]) == (1, str(application_id))
            assert waits["queue"] == "root.default"
            found = (await caller.get("/ui/why/application_1_0001"))["why"]
            assert found["diagnostic"] == "Cannot find application with given appId"

    play(scene)
