"""What a submission over REST becomes, and what is shown of applications and nodes that was constant once."""

from __future__ import annotations

from base64 import b64encode, urlsafe_b64encode
from pathlib import Path
from typing import Any

import pytest

from tests.rm.edge.test_http import Web, web
from tests.rm.edge.test_process import NODE, play
from yarnbox.rm.edge.http.rest.bodies import Body
from yarnbox.rm.edge.http.rest.submission import credentials_of
from yarnbox.rm.web.refusals import RestError
from yarnbox.yarn.connection.rpc import Stub
from yarnbox.yarn.enums import ApplicationTimeoutType
from yarnbox.yarn.records.admin import NodesToAttributesMappingRequest
from yarnbox.yarn.records.application import ApplicationSubmissionContext, ApplicationTimeoutMap
from yarnbox.yarn.records.client import GetNewApplicationRequest, SubmitApplicationRequest
from yarnbox.yarn.records.node import NodeAttribute, NodeAttributeKey, NodeToAttributes
from yarnbox.yarn.records.tokens import Token
from yarnbox.yarn.security.credentials import Credentials, write_token

QUEUES = {
    "yarn__resourcemanager__scheduler__class": "capacity",
    "yarn__scheduler__capacity__root__queues": "default",
    "yarn__scheduler__capacity__root__default__capacity": "100",
    "yarn__scheduler__capacity__maximum-am-resource-percent": "1.0",
}


async def submit(caller: Web, status: int = 202, **others: Any) -> str:
    new: str = (await caller.send("POST", "/apps/new-application"))["application-id"]
    body = {
        "application-id": new,
        "resource": {"memory": 2048, "vCores": 1},
        "am-container-spec": {},
        **others,
    }
    await caller.send("POST", "/apps", body, status)
    return new


def test_credentials_are_those_of_a_token_file() -> None:
    token = Token(identifier=b"\xff\xfe", password=b"p", kind="K", service="s")
    coded = urlsafe_b64encode(write_token(token)).decode().rstrip("=")
    secret = b64encode(b"hush").decode()
    body = Body(
        {
            "tokens": {"entry": {"key": "one", "value": coded}},
            "secrets": {"entry": [{"key": "two", "value": secret}]},
        }
    )
    assert Credentials.from_bytes(credentials_of(body)) == Credentials({"one": token}, {"two": b"hush"})
    assert credentials_of(Body({})) is None
    assert credentials_of(None) is None


@pytest.mark.parametrize("coded", ["!", "AAAA"])
def test_what_is_no_token(coded: str) -> None:
    with pytest.raises(RestError) as caught:
        credentials_of(Body({"tokens": {"entry": {"key": "one", "value": coded}}}))
    assert caught.value.status == 400


def test_the_am_s_partition(tmp_path: Path) -> None:
    async def scene() -> None:
        async with web(tmp_path, **QUEUES) as caller:
            await submit(caller, 400, **{"am-container-node-label-expression": "gpu"})
            await submit(caller, 202, **{"am-container-node-label-expression": ""})

    play(scene)


@pytest.mark.parametrize(
    "wrong",
    [
        {"priority": 2**31},
        {"max-app-attempts": -(2**31) - 1},
        {"resource": {"memory": 1024, "vCores": 2**32}},
        {"application-name": "half a character: \ud800"},
        {"application-tags": {"tag": ["\udfff"]}},
    ],
)
def test_what_no_message_could_hold_is_refused_and_leaves_nothing(tmp_path: Path, wrong: Any) -> None:
    async def scene() -> None:
        async with web(tmp_path, **QUEUES) as caller:
            refused = await submit(caller, 400, **wrong)
            await caller.get(f"/apps/{refused}", 404)
            assert await caller.get("/apps") == {"apps": {}}

    play(scene)


def test_a_lifetime_without_end_is_listed(tmp_path: Path) -> None:
    async def scene() -> None:
        async with web(tmp_path, **QUEUES) as caller:
            new = (
                await caller.desk.client.call("getNewApplication", GetNewApplicationRequest())
            ).application_id
            endless = ApplicationTimeoutMap(
                application_timeout_type=ApplicationTimeoutType.LIFETIME, timeout=2**63 - 1
            )
            context = ApplicationSubmissionContext(
                application_id=new, unmanaged_am=True, application_timeouts=(endless,)
            )
            await caller.desk.client.call(
                "submitApplication", SubmitApplicationRequest(application_submission_context=context)
            )
            (listed,) = (await caller.get("/apps"))["apps"]["app"]
            (timeout,) = listed["timeouts"]["timeout"]
            assert timeout["expiryTime"] == "+292278994-08-17T07:12:55.807+0000"
            assert (await caller.desk.report(new)).application_id == new

    play(scene)


def test_the_share_of_the_queue(tmp_path: Path) -> None:
    async def scene() -> None:
        async with web(tmp_path, **QUEUES) as caller:
            new = await submit(caller)
            await caller.desk.beat()
            app = (await caller.get(f"/apps/{new}"))["app"]
            assert (app["queueUsagePercentage"], app["clusterUsagePercentage"]) == (25.0, 25.0)

    play(scene)


def test_the_attributes_of_a_node(tmp_path: Path) -> None:
    kept = {"yarn__node-attribute__fs-store__root-dir": str(tmp_path / "attributes")}

    async def scene() -> None:
        async with web(tmp_path, **kept) as caller:
            assert (await caller.get(f"/nodes/{NODE}"))["node"]["nodeAttributesInfo"] == {}
            attribute = NodeAttribute(
                attribute_key=NodeAttributeKey(attribute_name="disk"), attribute_value="ssd"
            )
            change = NodesToAttributesMappingRequest(
                node_to_attributes=(NodeToAttributes(node="nm1", node_attributes=(attribute,)),)
            )
            service = "ResourceManagerAdministrationProtocolService"
            async with Stub(caller.desk.address, service, user="root") as admin:
                await admin.call("mapAttributesToNodes", change)
            shown = (await caller.get(f"/nodes/{NODE}"))["node"]["nodeAttributesInfo"]
            assert shown == {
                "nodeAttributeInfo": [
                    {"prefix": "rm.yarn.io", "name": "disk", "type": "STRING", "value": "ssd"}
                ]
            }

    play(scene)
