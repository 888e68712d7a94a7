"""The scheduler's configuration. Hadoop: the scheduler-conf part of RMWebServices.

Ours alone is the effect of a change before it is made: both configurations are worked out as `yarnbox
check-conf` works them out, on a cluster of the present size.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from yarnbox.rm.context import RMContext
from yarnbox.rm.edge.http.calls import Call, Reply, Route
from yarnbox.rm.edge.http.rest.bodies import Body
from yarnbox.rm.labels import NodeLabelsManager
from yarnbox.rm.labels.attributes import NodeAttributesManager
from yarnbox.rm.ports import ConfigurationProvider
from yarnbox.rm.scheduler.capacity.diagnostics.configuration_check import ConfigurationCheck
from yarnbox.rm.scheduler.capacity.diagnostics.configuration_difference import differences
from yarnbox.rm.scheduler.configuration_change import ConfigurationChange, ConfigurationStore
from yarnbox.rm.scheduler.constraint import PlacementConstraints
from yarnbox.rm.scheduler.views import ConfigurationView
from yarnbox.rm.web.pages.actions import agree_to_effect, set_for, update_queues
from yarnbox.rm.web.queues.words import in_units
from yarnbox.rm.web.refusals import bad_request, text
from yarnbox.rm.web.values import Answer
from yarnbox.yarn.configuration import Configuration
from yarnbox.yarn.errors import YarnError

_IMMUTABLE = (
    "This API only supports to retrieve scheduler configuration from a mutable-conf scheduler, underneath "
    "scheduler {} is not an instance of MutableConfScheduler"
)

_NOT_MUTABLE = "Configuration change only supported by MutableConfScheduler."


def get_configuration(call: Call) -> Reply:
    """GET /scheduler-conf."""
    call.check_admin()
    refusal = _IMMUTABLE.format(call.context.scheduler.name)
    _, present = _mutable(call, refusal)
    return _properties(present.properties)


def get_version(call: Call) -> Reply:
    """GET /scheduler-conf/version."""
    call.check_admin()
    _, present = _mutable(call, "Configuration Version only supported by MutableConfScheduler.")
    value = {"versionID": present.version}
    return Reply(root="configversion", is_mapped=True, value=value)


def change(call: Call) -> Reply:
    """PUT /scheduler-conf."""
    call.check_admin()
    store = call.context.scheduler.configuration_store
    if store is None:
        raise text(400, _NOT_MUTABLE)
    wanted = _read(call.body)
    try:
        store.change(wanted, call.caller.user)
    except YarnError as refusal:
        raise text(400, refusal.message) from None
    call.context.mark("queues changed", f"by {call.caller.user}")
    return Reply(value="Configuration change successfully applied.")


def validate(call: Call) -> Reply:
    """POST /scheduler-conf/validate."""
    call.check_admin()
    refusal = "Configuration change validation only supported by MutableConfScheduler."
    store, _ = _mutable(call, refusal)
    wanted = _read(call.body)
    try:
        return _properties(store.validate(wanted, call.caller.user))
    except YarnError as refusal:
        beginning = "CapacityScheduler configuration validation failed:"
        message = refusal.message
        raise text(400, message if message.startswith(beginning) else f"{beginning} {message}") from None


def effect(call: Call) -> Reply:
    """POST /ui/queue-effect: what /scheduler-conf would change, quantity by quantity; nothing is changed."""
    call.check_admin()
    return Reply(root="effect", value=_effect(call, call.body))


def capacities(call: Call) -> Reply:
    """POST /ui/queue-capacities: what the form of a page says about queues, as a change of /scheduler-conf
    with its effect; nothing is changed.
    """
    call.check_admin()
    _, present = _mutable(call, _NOT_MUTABLE)
    changed: dict[str, dict[str, str]] = {}
    for name in call.body.values:
        path, _, key = name.partition(" ")
        value = (call.body.string(name) or "").strip()
        if value != set_for(present.properties, path, key):
            changed.setdefault(path, {})[key] = value
    body = update_queues(changed)
    counts_vcores = call.context.scheduler.counts_vcores
    shown = in_units(_effect(call, Body(body)), counts_vcores=counts_vcores)
    return Reply(root="next", value=agree_to_effect(shown, body))


def _effect(call: Call, body: Body) -> Answer:
    context = call.context
    store, present = _mutable(call, _NOT_MUTABLE)
    try:
        wanted = store.validate(_read(body), call.caller.user)
    except YarnError as refusal:
        raise text(400, refusal.message) from None
    before, after = (_check(context, properties) for properties in (present.properties, wanted))
    known = {str(one) for one in before.findings()}
    return {
        "difference": [
            {
                "queue": one.queue,
                "quantity": one.quantity,
                "before": one.before,
                "after": one.after,
                "change": one.change,
            }
            for one in differences(before.numbers(), after.numbers())
        ],
        "finding": [
            {"property": one.property, "text": one.text} for one in after.findings() if str(one) not in known
        ],
    }


@dataclass(frozen=True, slots=True)
class _ChangedDirectory:
    """The configuration directory, with other properties of the scheduler."""

    properties: Configuration
    directory: ConfigurationProvider

    def load(self, *file_names: str) -> Configuration:
        return self.properties

    def read_text(self, file_name: str) -> str | None:
        return self.directory.read_text(file_name)

    def modified_ms(self, file_name: str) -> int | None:
        return self.directory.modified_ms(file_name)


def _check(context: RMContext, properties: Mapping[str, str]) -> ConfigurationCheck:
    """The queues of these properties, in a cluster as large as the present one and without applications."""
    configuration = Configuration(defaults={}).overlaid(properties, "scheduler configuration")
    imagined = RMContext(
        settings=context.settings,
        configuration=context.configuration,
        resource_types=context.resource_types,
        provider=_ChangedDirectory(configuration, context.provider),
        groups=context.groups,
        tokens=context.tokens,
        pages=context.pages,
        rack_of=context.rack_of,
        random=context.random,
        start_ms=context.now_ms,
    )
    imagined.labels = NodeLabelsManager(is_enabled=context.settings.labels.enabled)
    imagined.attributes = NodeAttributesManager()
    imagined.constraints = PlacementConstraints(imagined)
    check = ConfigurationCheck.of(imagined)
    total = context.scheduler.tracker.partition_total
    check.assume({label: total(label) for label in ("", *check.partitions())})
    return check


def format_store(call: Call) -> Reply:
    """GET /scheduler-conf/format."""
    call.check_admin()
    refusal = "Scheduler Configuration format only supported by MutableConfScheduler"
    store, _ = _mutable(call, refusal)
    try:
        store.format()
    except YarnError as refusal:
        raise text(400, refusal.message) from None
    return Reply(value="Configuration under store successfully formatted.")


def _mutable(call: Call, refusal: str) -> tuple[ConfigurationStore, ConfigurationView]:
    """The scheduler's configuration, and as it is now; 400 with that text when it has none that changes."""
    store = call.context.scheduler.configuration_store
    found = None if store is None else store.view()
    if store is None or found is None:
        raise text(400, refusal)
    return store, found


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
    ("POST", "/ui/queue-effect", effect),
    ("POST", "/ui/queue-capacities", capacities),
    ("GET", "/scheduler-conf/format", format_store),
    ("GET", "/scheduler-conf/version", get_version),
)
