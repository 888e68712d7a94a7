"""Tokens of an application's clients: who is given one, from when to when, and what the AM is told."""

from __future__ import annotations

import json

from tests.rig import Rig
from yarnbox.rm.services.caller import Caller
from yarnbox.yarn.ids import ApplicationId
from yarnbox.yarn.records.application import ApplicationReport
from yarnbox.yarn.records.client import GetApplicationReportRequest, GetApplicationsRequest
from yarnbox.yarn.records.tokens import Token

RECOVERY = {"yarn.resourcemanager.recovery.enabled": "true"}
ACLS = {
    "yarn.resourcemanager.scheduler.class": "capacity",
    "yarn.scheduler.capacity.root.queues": "default",
    "yarn.scheduler.capacity.root.default.capacity": "100",
    "yarn.scheduler.capacity.root.acl_administer_queue": " ",
    "yarn.scheduler.capacity.root.default.acl_administer_queue": " ",
}


def rig_of(properties: dict[str, str] | None = None, *, gives_tokens: bool = True) -> Rig:
    rig = Rig(properties)
    rig.tokens.gives_client_tokens = gives_tokens
    rig.add_node("nm1")
    return rig


def report(rig: Rig, application_id: ApplicationId, user: str = "user") -> ApplicationReport:
    request = GetApplicationReportRequest(application_id=application_id)
    answer = rig.turn(lambda: rig.core.client.get_application_report(request, Caller(user=user)))
    assert answer.application_report is not None
    return answer.application_report


def token(rig: Rig, application_id: ApplicationId, user: str = "user") -> Token | None:
    return report(rig, application_id, user).client_to_am_token


def test_clients_get_tokens_under_the_secret_that_the_am_is_told() -> None:
    rig = rig_of()
    app = rig.submit()
    assert token(rig, app) is None
    rig.heartbeat("nm1")
    given = token(rig, app)
    assert given is not None
    assert (given.identifier, given.kind, given.service) == (b"user", "YARN_CLIENT_TOKEN", "")
    assert rig.register(app).client_to_am_token_master_key == given.password == b"key 1"
    listed = rig.turn(lambda: rig.core.client.get_applications(GetApplicationsRequest(), Caller(user="bob")))
    (one,) = listed.applications
    assert one.client_to_am_token is not None
    assert one.client_to_am_token.identifier == b"bob"


def test_without_the_setting_there_are_none() -> None:
    rig = rig_of(gives_tokens=False)
    app = rig.submit()
    rig.heartbeat("nm1")
    assert rig.register(app).client_to_am_token_master_key is None
    assert token(rig, app) is None


def test_who_may_not_look_gets_none() -> None:
    rig = rig_of({**ACLS, "yarn.acl.enable": "true", "yarn.admin.acl": "root"})
    app = rig.submit()
    rig.run(app, "nm1")
    assert token(rig, app, "mallory") is None
    assert token(rig, app) is not None
    assert token(rig, app, "root") is not None


def test_no_token_before_the_secret_is_stored() -> None:
    """Else a client may hold one that is worthless after a restart of the RM."""
    rig = rig_of(RECOVERY)
    rig.starts_masters = False
    app = rig.submit()
    rig.holds_store = True
    rig.heartbeat("nm1")
    assert rig.unanswered
    assert token(rig, app) is None
    rig.release_store()
    assert token(rig, app) is not None


def test_each_attempt_has_a_secret_of_its_own() -> None:
    rig = rig_of()
    app = rig.submit(max_app_attempts=2)
    rig.run(app, "nm1")
    first = token(rig, app)
    rig.end_am(app, exit_status=1)
    rig.heartbeat("nm1")
    assert token(rig, app) is None
    rig.heartbeat("nm1")
    second = token(rig, app)
    assert first is not None
    assert second is not None
    assert (first.password, second.password) == (b"key 1", b"key 2")
    rig.register(app)
    rig.finish(app)
    rig.end_am(app)
    rig.heartbeat("nm1")
    assert token(rig, app) is None
    assert not rig.tokens.client_keys


def test_the_secret_outlives_the_resource_manager() -> None:
    before = rig_of(RECOVERY)
    app = before.submit()
    before.run(app, "nm1")
    given = token(before, app)
    stored = {key: json.loads(json.dumps(value)) for key, value in before.stored.items()}
    after = Rig(RECOVERY, start_ms=1000, stored=stored)
    after.tokens.gives_client_tokens = True
    assert token(after, app) == given
    after.masters = before.masters
    assert after.register(app).client_to_am_token_master_key == b"key 1"


def test_an_unmanaged_am_has_one_too() -> None:
    rig = rig_of()
    app = rig.submit(unmanaged_am=True)
    given = token(rig, app)
    assert given is not None
    assert rig.register(app).client_to_am_token_master_key == given.password
