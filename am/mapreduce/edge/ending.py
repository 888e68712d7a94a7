"""The end of an AM that has not ended its job: is it the end of the application, too?

An AM that is ended from outside cannot know by itself: its node may stop, and another one come, or a user may
have killed the application. Hadoop's MRAppMaster gets the same signal, and takes it that another one comes.
"""

from __future__ import annotations

import asyncio
import logging
import signal

from yarnbox.am.connection import Connection
from yarnbox.yarn.connection.rpc import RpcError
from yarnbox.yarn.enums import YarnApplicationState
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.ids import ApplicationAttemptId
from yarnbox.yarn.records.application import ApplicationReport
from yarnbox.yarn.records.client import GetApplicationReportRequest
from yarnbox.yarn.records.tokens import Token

log = logging.getLogger("am.mapreduce.ending")

SIGNALLED_STATUS = 128 + signal.SIGTERM
_LOOKS, _LOOK_S = 5, 0.04
"""How often the RM is asked, and the pause: a node kills 250 ms after the signal
(yarn.nodemanager.sleep-delay-before-sigkill.ms).
"""
_ENDS = (YarnApplicationState.KILLED, YarnApplicationState.FAILED)


class SignalledError(Exception):
    """Somebody wants this AM to end."""


async def last_report(
    connection: Connection, attempt_id: ApplicationAttemptId, token: Token | None
) -> ApplicationReport | None:
    """What the RM says of an application that was killed or has failed; None where another AM may come. The
    token is the AM's own.
    """
    stub = connection.async_client_stub("mapreduce", token)
    request = GetApplicationReportRequest(application_id=attempt_id.application_id)
    try:
        for _ in range(_LOOKS):
            report: ApplicationReport = (await stub.call("getApplicationReport", request)).application_report
            if report.yarn_application_state in _ENDS:
                return report
            await asyncio.sleep(_LOOK_S)
    except (YarnError, RpcError) as error:
        log.warning("whether another AM comes cannot be asked: %s", error)
    finally:
        await stub.close()
    return None
