"""Reservations, delegation tokens and access to queues over REST, as Hadoop 3.4.1 answers them."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from tests.rm.edge.test_http import Web, web
from tests.rm.edge.test_past import until
from tests.rm.edge.test_process import play

CAPACITY = "yarn__scheduler__capacity__"
PLAN = {
    "yarn__resourcemanager__scheduler__class": "capacity",
    "yarn__resourcemanager__reservation-system__enable": "true",
    f"{CAPACITY}root__queues": "default,plan",
    f"{CAPACITY}root__default__capacity": "50",
    f"{CAPACITY}root__plan__capacity": "50",
    f"{CAPACITY}root__plan__reservable": "true",
}
HOUR_MS = 3_600_000


def definition(**others: Any) -> dict[str, Any]:
    arrival = (int(time.time()) + 86_400) * 1000
    request = {
        "duration": 60_000,
        "num-containers": 1,
        "min-concurrency": 1,
        "capability": {"memory": 1024, "vCores": 1},
    }
    return {
        "arrival": arrival,
        "deadline": arrival + HOUR_MS,
        "reservation-name": "night",
        "priority": 0,
        "recurrence-expression": "0",
        "reservation-requests": {
            "reservation-request-interpreter": 0,
            "reservation-request": [{**request, **others}],
        },
    }


async def new_id(caller: Web) -> str:
    answer = await caller.send("POST", "/reservation/new-reservation")
    return str(answer["reservation-id"])


async def says(caller: Web, path: str, body: Any, message: str, status: int = 400) -> None:
    exception = (await caller.send("POST", f"/reservation/{path}", body, status))["RemoteException"]
    assert exception["message"] == message
    assert exception["exception"] == ("BadRequestException" if status == 400 else "IOException")


def test_a_reservation_from_its_id_to_its_end(tmp_path: Path) -> None:
    async def scene() -> None:
        async with web(tmp_path, **PLAN) as caller:
            assert await caller.get("/reservation/list?queue=plan") == {}
            first, second = await new_id(caller), await new_id(caller)
            assert (first[-5:], second[-5:]) == ("_0001", "_0002")
            asked = definition()
            body = {"queue": "plan", "reservation-id": first, "reservation-definition": asked}
            address = f"{caller.top}/ws/v1/cluster/reservation/submit"

            async def submit() -> tuple[int, str, str]:
                async with caller.session.post(address, json=body) as answer:
                    return answer.status, answer.content_type, await answer.text()

            answer = await until(
                submit, lambda answer: answer[0] == 202
            )  # the plan follower has to run first
            assert answer == (202, "application/json", "")
            await caller.send("POST", "/reservation/submit", body, 202)
            found = (await caller.get("/reservation/list?queue=plan"))["reservations"]
            assert found["reservation-id"] == first
            assert found["user"] == "dr.who"
            assert int(found["acceptance-time"]) > 0
            assert "resource-allocations" not in found
            shown = found["reservation-definition"]
            assert list(shown) == [
                "arrival",
                "deadline",
                "reservation-requests",
                "reservation-name",
                "priority",
                "recurrence-expression",
            ]
            assert shown["arrival"] == str(asked["arrival"])
            requests = shown["reservation-requests"]
            assert requests["reservation-request-interpreter"] == "0"
            assert requests["reservation-request"]["min-concurrency"] == "1"
            assert requests["reservation-request"]["capability"]["memory"] == "1024"
            await caller.send("POST", "/reservation/submit", {**body, "reservation-id": second}, 202)
            listed = (await caller.get("/reservation/list?queue=root.plan"))["reservations"]
            assert [one["reservation-id"] for one in listed] == [second, first], "the newest first"
            query = f"queue=plan&reservation-id={first}&include-resource-allocations=true"
            pieces = (await caller.get(f"/reservation/list?{query}"))["reservations"]["resource-allocations"]
            assert int(pieces["endTime"]) - int(pieces["startTime"]) == 60_000
            assert pieces["resource"]["memory"] == "1024"
            assert await caller.get("/reservation/list?queue=plan&end-time=5") == {}
            more = {"reservation-id": first, "reservation-definition": definition(**{"num-containers": 2})}
            assert await caller.send("POST", "/reservation/update", more) == {}
            for each in (first, second):
                assert await caller.send("POST", "/reservation/delete", {"reservation-id": each}) == {}
            assert await caller.get("/reservation/list?queue=plan") == {}

    play(scene)


JAVA = "java.lang.Exception: "
PLANNER = f"{JAVA}org.apache.hadoop.yarn.server.resourcemanager.reservation.exceptions."


@pytest.mark.parametrize(
    "request_says, definition_says, body_says, message",
    [
        (
            {},
            {},
            {"reservation-id": None},
            (
                f"{JAVA}Reservation id cannot be null. Please try again specifying  a valid reservation id "
                "by creating a new reservation id."
            ),
        ),
        (
            {},
            {},
            {"reservation-definition": None},
            f"{JAVA}Input ReservationDefinition should not be null",
        ),
        (
            {},
            {},
            {"queue": "default"},
            (
                f"{JAVA}The specified queue: default is not managed by reservation system. Please try again "
                "with a valid reservable queue."
            ),
        ),
        (
            {},
            {"reservation-requests": {}},
            {},
            f"{JAVA}The ReservationDefinition should contain at least one ReservationRequest",
        ),
        (
            {"num-containers": 100_000},
            {},
            {},
            f"{PLANNER}PlanningException: The request cannot be satisfied",
        ),
        (
            {"min-concurrency": 5},
            {},
            {},
            f"{PLANNER}ContractValidationException: Parallelism must be an exact multiple of gang size",
        ),
        (
            {},
            {"recurrence-expression": "bad"},
            {},
            f"{JAVA}Invalid period bad. Please try again with a non-negative long value as period.",
        ),
        (
            {},
            {"recurrence-expression": "1000"},
            {},
            (
                f"{JAVA}Duration of the requested reservation: {HOUR_MS} is greater than the recurrence: "
                "1000. Please try again with a smaller duration."
            ),
        ),
        (
            {"capability": None},
            {},
            {},
            f"{JAVA}A ReservationRequest has to say the capability of its containers",
        ),
    ],
)
def test_what_a_reservation_is_refused_for(
    tmp_path: Path,
    request_says: dict[str, Any],
    definition_says: dict[str, Any],
    body_says: dict[str, Any],
    message: str,
) -> None:
    async def scene() -> None:
        async with web(tmp_path, **PLAN) as caller:
            asked = {**definition(**request_says), **definition_says}
            known = {"queue": "plan", "reservation-id": await new_id(caller), "reservation-definition": asked}
            await says(caller, "submit", {**known, **body_says}, message)

    play(scene)


def test_an_id_that_is_none(tmp_path: Path) -> None:
    async def scene() -> None:
        async with web(tmp_path, **PLAN) as caller:
            invalid = "The specified reservation id is invalid: bad"
            for path in ("submit", "update", "delete"):
                body = {"queue": "plan", "reservation-id": "bad", "reservation-definition": definition()}
                await says(caller, path, body, invalid, 404)
            listed = await caller.get("/reservation/list?queue=plan&reservation-id=bad", 404)
            assert listed["RemoteException"]["message"] == invalid

    play(scene)


def test_reservations_that_nobody_knows(tmp_path: Path) -> None:
    async def scene() -> None:
        async with web(tmp_path, **PLAN) as caller:
            unknown, java = "reservation_1_0077", "java.lang.Exception: "
            body = {"reservation-id": unknown, "reservation-definition": definition()}
            for path in ("update", "delete"):
                await says(
                    caller,
                    path,
                    body,
                    f"{java}The specified reservation with ID: {unknown} is unknown. Please try again with a "
                    "valid reservation.",
                )
            await says(
                caller,
                "update",
                {"reservation-definition": definition()},
                f"{java}Update operations must specify an existing ReservationId",
            )
            await says(
                caller,
                "delete",
                {},
                f"{java}Missing reservation id. Please try again by specifying a reservation id.",
            )
            assert await caller.get(f"/reservation/list?queue=plan&reservation-id={unknown}") == {}
            nowhere = (await caller.get("/reservation/list?queue=", 400))["RemoteException"]["message"]
            assert nowhere == (
                f"{java}The queue is not specified. Please try again with a valid reservable queue."
            )
            default = (await caller.get("/reservation/list", 400))["RemoteException"]["message"]
            assert "The specified queue: default is not managed" in default
            await caller.get("/reservation/list?queue=plan&start-time=x", 400)

    play(scene)


def test_delegation_tokens_need_kerberos(tmp_path: Path) -> None:
    async def scene() -> None:
        async with web(tmp_path) as caller:
            path, body = "/delegation-token", {"renewer": "x"}
            said = "Delegation token operations can only be carried out on a Kerberos authenticated channel. "
            for query, kind in (("", "null"), ("?user.name=mei", "SIMPLE")):
                wanted = f"{said}Expected auth type is kerberos, got type {kind}"
                assert await caller.send("POST", path + query, body, 403) == wanted
                assert await caller.send("DELETE", path + query, status=403) == wanted
                assert await caller.send("POST", f"{path}/expiration{query}", status=403) == wanted
            await caller.send("GET", path, status=405)

    play(scene)


ACCESS = "/queues/{}/access?user={}&queue-acl-type={}"


def test_who_may_use_a_queue(tmp_path: Path) -> None:
    async def scene() -> None:
        async with web(tmp_path, **PLAN) as caller:
            for kind in ("SUBMIT_APPLICATIONS", "ADMINISTER_QUEUE"):
                for queue in ("default", "root.default", "root"):
                    answer = await caller.get(ACCESS.format(queue, "u", kind))
                    assert answer == {"allowed": "true", "user": "u", "diagnostics": ""}
            assert (await caller.get("/queues/default/access?user=u"))["allowed"] == "true"
            for kind in ("BAD", "administer_queue", ""):
                wrong = (await caller.get(ACCESS.format("default", "u", kind), 400))["RemoteException"]
                assert wrong["message"] == (
                    f"java.lang.Exception: Specified queueAclType={kind} is not a valid type, valid queue "
                    "acl types={SUBMIT_APPLICATIONS/ADMINISTER_QUEUE}"
                )
            nobody = (await caller.get("/queues/default/access?queue-acl-type=BAD", 400))["RemoteException"]
            assert (nobody["exception"], nobody["message"]) == ("IllegalArgumentException", "Null user")
            unknown = (await caller.get("/queues/nope/access", 403))["RemoteException"]
            assert unknown["exception"] == "ForbiddenException"
            assert unknown["message"] == (
                "java.lang.Exception: User=dr.who doesn't haven access to queue=nope so it cannot check ACLs "
                "for other users."
            )

    play(scene)


ACLS = """<configuration>
<property><name>yarn.scheduler.capacity.root.acl_submit_applications</name><value> </value></property>
<property><name>yarn.scheduler.capacity.root.acl_administer_queue</name><value> </value></property>
<property><name>yarn.scheduler.capacity.root.default.acl_submit_applications</name><value>mei</value></property>
</configuration>"""


def test_who_may_not(tmp_path: Path) -> None:
    async def scene() -> None:
        lists = {
            "yarn__acl__enable": "true",
            "yarn__admin__acl": "root",
        }
        (tmp_path / "conf").mkdir()
        (tmp_path / "conf" / "capacity-scheduler.xml").write_text(ACLS)
        async with web(tmp_path, **PLAN, **lists) as caller:
            submit = "SUBMIT_APPLICATIONS"
            await caller.get(ACCESS.format("default", "mei", submit), 403)
            as_root = "&user.name=root"
            answer = await caller.get(ACCESS.format("default", "mei", submit) + as_root)
            assert answer["allowed"] == "true"
            answer = await caller.get(ACCESS.format("default", "ada", submit) + as_root)
            assert answer == {
                "allowed": "false",
                "user": "ada",
                "diagnostics": "User=ada doesn't have access to queue=default with "
                "acl-type=SUBMIT_APPLICATIONS",
            }

    play(scene)
