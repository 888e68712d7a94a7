"""The scheduler's configuration. Answers for the scheduler-conf part of RMWebServices."""

from __future__ import annotations

from collections.abc import Mapping

from rm.edge.http.bodies import Body
from rm.edge.http.calls import Call, Reply, Route
from rm.scheduler.capacity import mutation
from rm.scheduler.capacity.mutation import ConfigurationChange, MutableConfiguration
from rm.scheduler.capacity.scheduler import CapacityScheduler
from rm.web.refusals import bad_request, text
from yarn.errors import YarnError

_IMMUTABLE = (
    "This API only supports to retrieve scheduler configuration from a mutable-conf scheduler, underneath "
    "scheduler {} is not an instance of MutableConfScheduler"
)


def get_configuration(call: Call) -> Reply:
    """GET /scheduler-conf."""
    call.check_admin()
    refusal = _IMMUTABLE.format(call.context.scheduler.name)
    return _properties(_mutable(call, refusal)[1].properties)


def get_version(call: Call) -> Reply:
    """GET /scheduler-conf/version."""
    call.check_admin()
    _, mutable = _mutable(call, "Configuration Version only supported by MutableConfScheduler.")
    value = {"versionID": mutable.version}
    return Reply(root="configversion", is_mapped=True, value=value)


def change(call: Call) -> Reply:
    """PUT /scheduler-conf."""
    call.check_admin()
    scheduler = call.context.scheduler
    if not isinstance(scheduler, CapacityScheduler):
        raise text(400, "Configuration change only supported by MutableConfScheduler.")
    wanted = _read(call.body)
    try:
        mutation.mutate(scheduler, wanted, call.caller.user)
    except YarnError as refusal:
        raise text(400, refusal.message) from None
    call.context.mark("queues changed", f"by {call.caller.user}")
    return Reply(value="Configuration change successfully applied.")


def validate(call: Call) -> Reply:
    """POST /scheduler-conf/validate."""
    call.check_admin()
    refusal = "Configuration change validation only supported by MutableConfScheduler."
    scheduler, _ = _mutable(call, refusal)
    wanted = _read(call.body)
    try:
        return _properties(mutation.validate(scheduler, wanted, call.caller.user))
    except YarnError as refusal:
        beginning = "CapacityScheduler configuration validation failed:"
        message = refusal.message
        raise text(400, message if message.startswith(beginning) else f"{beginning} {message}") from None


def format_store(call: Call) -> Reply:
    """GET /scheduler-conf/format."""
    call.check_admin()
    refusal = "Scheduler Configuration format only supported by MutableConfScheduler"
    scheduler, _ = _mutable(call, refusal)
    try:
        mutation.format_store(scheduler)
    except YarnError as refusal:
        raise text(400, refusal.message) from None
    return Reply(value="Configuration under store successfully formatted.")


def _mutable(call: Call, refusal: str) -> tuple[CapacityScheduler, MutableConfiguration]:
    """The scheduler and its configuration; 400 with that text when it has none that changes."""
    scheduler = call.context.scheduler
    if not isinstance(scheduler, CapacityScheduler) or scheduler.mutable is None:
        raise text(400, refusal)
    return scheduler, scheduler.mutable


def _properties(properties: Mapping[str, str]) -> Reply:
    shown = [{"name": name, "value": value} for name, value in sorted(properties.items())]
    return Reply(root="configuration", is_mapped=True, value={"property": shown})


def _read(body: Body) -> ConfigurationChange:
    """SchedConfUpdateInfo."""
    return ConfigurationChange(
        remove=body.strings("remove-queue"),
        add=tuple(_queue(one) for one in body.bodies("add-queue")),
        update=tuple(_queue(one) for one in body.bodies("update-queue")),
        global_updates=_texts(body.entries("global-updates")),
    )


def _queue(body: Body) -> tuple[str, Mapping[str, str]]:
    name = body.string("queue-name")
    if not name:
        raise bad_request("queue-name is missing")
    return name, _texts(body.entries("params"))


def _texts(values: Mapping[str, object]) -> dict[str, str]:
    return {name: "" if value is None else str(value) for name, value in values.items()}


ROUTES: tuple[Route, ...] = (
    ("GET", "/scheduler-conf", get_configuration),
    ("PUT", "/scheduler-conf", change),
    ("POST", "/scheduler-conf/validate", validate),
    ("GET", "/scheduler-conf/format", format_store),
    ("GET", "/scheduler-conf/version", get_version),
)
