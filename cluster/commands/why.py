"""`yarnbox why APPLICATION_ID`: what keeps an application from its next container, as the scheduler sees it
now.

Asks the ResourceManager over HTTP and prints the reasons, a line each.
Knows no reason itself: they are the scheduler's.
"""

from __future__ import annotations

import http
import http.client
import json
import time
from typing import Any

from yarnbox.cluster.directory import ClusterError
from yarnbox.yarn.connection.address import Address
from yarnbox.yarn.ids import ApplicationId
from yarnbox.yarn.security.tls import Tls, connection_to

_TIMEOUT_S = 10
_ENDED = ("FINISHED", "FAILED", "KILLED")


def reasons(web_address: str, application_id: str, tls: Tls | None = None) -> list[str]:
    """The lines to print. ClusterError when the id is none, or nobody answers."""
    try:
        wanted = ApplicationId.parse(application_id)
    except ValueError as error:
        raise ClusterError(
            f"{error}; it has to be of the form application_<timestamp>_<number>", status=2
        ) from None
    found = _ask(web_address, f"/ws/v1/cluster/ui/why/{wanted}", tls)["why"]
    said = found.get("diagnostic")
    if said == "Cannot find application with given appId":
        return [_outside_the_scheduler(web_address, wanted, tls)]
    marks = [_mark(one) for one in found.get("preemption", ())]
    if said is not None:
        return [f"{wanted}: {said}", *marks]
    lines = [f"  {reason}" for reason in found.get("reasons", ())]
    if lines:
        missed = found.get("missedHeartbeats", 0)
        passed = f", {missed} heartbeats of nodes without a container for it so far" if missed else ""
        return [f"{wanted} in queue {found['queue']} waits{passed}:", *lines, *marks]
    return [f"{wanted} is not waiting: all that it asked for was allocated", *marks]


def _mark(mark: dict[str, Any]) -> str:
    """A container that the application is going to lose."""
    due = time.strftime("%H:%M:%S", time.localtime(mark["killAt"] // 1000)) if mark["killAt"] else None
    return (
        f"  it will lose {'its ApplicationMaster, ' if mark['isAM'] else ''}{mark['container']} "
        f"({mark['resource']} on {mark['node']}) to preemption"
        + (f" for {mark['for']}" if mark["for"] else "")
        + (f"; it is killed at {due} or later" if due else "")
    )


def _outside_the_scheduler(web_address: str, wanted: ApplicationId, tls: Tls | None) -> str:
    """What there is to say of an application that has ended, or is not there yet."""
    found = _ask(web_address, f"/ws/v1/cluster/apps/{wanted}", tls, may_lack=True)
    if found is None:
        remedy = "`yarn application -list -appStates ALL` has those it knows"
        raise ClusterError(f"the ResourceManager knows no application {wanted}: {remedy}")
    state = found["app"]["state"]
    if state in _ENDED:
        return f"{wanted} is not waiting: it is {state}"
    return f"{wanted} is {state}: it has not reached the scheduler yet"


def _ask(address: str, path: str, tls: Tls | None, *, may_lack: bool = False) -> Any:
    place = Address.parse(address)
    connection = connection_to(place.host, place.port, tls, _TIMEOUT_S)
    try:
        shown = tls.headers if tls is not None else {}
        connection.request("GET", path, headers={"Accept": "application/json", **shown})
        answer = connection.getresponse()
        body = answer.read()
        if may_lack and answer.status == http.HTTPStatus.NOT_FOUND:
            return None
        if answer.status != http.HTTPStatus.OK:
            raise ClusterError(f"the ResourceManager at {address} answered {answer.status} {answer.reason}")
        return json.loads(body)
    except (OSError, http.client.HTTPException, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise ClusterError(
            f"cannot ask the ResourceManager at {address}: {why}; `yarnbox status` says whether it runs"
        ) from error
    finally:
        connection.close()
