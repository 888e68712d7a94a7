"""An application that is submitted over REST. Hadoop: RMWebAppUtil.createAppSubmissionContext."""

from __future__ import annotations

from base64 import b64decode
from urllib.parse import urlsplit

from yarnbox.rm.edge.http.calls import Call
from yarnbox.rm.edge.http.rest.bodies import Body
from yarnbox.rm.web.refusals import RestError, bad_request
from yarnbox.yarn.enums import ApplicationAccessType, LocalResourceType, LocalResourceVisibility
from yarnbox.yarn.errors import IllegalArgumentError
from yarnbox.yarn.ids import ApplicationId, ReservationId
from yarnbox.yarn.records.application import ApplicationSubmissionContext
from yarnbox.yarn.records.basics import URL, LogAggregationContext
from yarnbox.yarn.records.container import ApplicationACLMap, ContainerLaunchContext, LocalResource
from yarnbox.yarn.records.request import ResourceRequest
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.security.credentials import Credentials, read_token

_NO_PRIORITY = -1
"""Priority.UNDEFINED: what is submitted here without one has this, and not the queue's default."""


def read_submission(call: Call) -> ApplicationSubmissionContext:
    """The request for the client service; 400 for invalid values."""
    body = call.body
    resource = read_resource(body.inner("resource"))
    _check_size(call, resource)
    spec = body.inner("am-container-spec")
    tags = body.inner("application-tags")
    priority = body.integer("priority")
    label = body.string("app-node-label-expression")
    keeps = body.flag("keep-containers-across-application-attempts")
    return ApplicationSubmissionContext(
        application_id=_application_id(body.string("application-id")),
        application_name=body.string("application-name") or "",
        queue=body.string("queue") or "default",
        priority=_NO_PRIORITY if priority is None else priority,
        am_container_spec=_launch_context(spec) if spec is not None else ContainerLaunchContext(),
        cancel_tokens_when_complete=body.flag("cancel-tokens-when-complete", True),
        unmanaged_am=body.flag("unmanaged-AM"),
        max_app_attempts=body.integer("max-app-attempts") or 0,
        resource=resource,
        application_type=body.string("application-type") or "",
        keep_containers_across_application_attempts=keeps,
        application_tags=tuple(tag.lower() for tag in tags.strings("tag")) if tags is not None else (),
        attempt_failures_validity_interval=_interval(body),
        log_aggregation_context=_logs(body.inner("log-aggregation-context")),
        reservation_id=_reservation_id(body.string("reservation-id")),
        node_label_expression=label or "",
        am_container_resource_request=_am_request(body, resource),
    )


def _am_request(body: Body, resource: Resource) -> tuple[ResourceRequest, ...]:
    """The request for the AM's container: in the default partition unless another one is named."""
    label = body.string("am-container-node-label-expression") or ""
    if body.flag("unmanaged-AM"):
        return ()
    request = ResourceRequest(
        priority=0, resource_name="*", capability=resource, num_containers=1, node_label_expression=label
    )
    return (request,)


def _interval(body: Body) -> int:
    given = body.number("attempt-failures-validity-interval")
    return -1 if given is None else given


def _application_id(text: str | None) -> ApplicationId:
    try:
        return ApplicationId.parse(text or "")
    except ValueError:
        raise bad_request(f"Could not parse application id {text or ''}") from None


def _reservation_id(text: str | None) -> ReservationId | None:
    if not text:
        return None
    try:
        return ReservationId.parse(text)
    except ValueError:
        said = f"The specified reservation id is invalid: {text}"
        raise RestError(404, "java.io.IOException", said) from None


def read_resource(body: Body | None) -> Resource:
    """Memory, vcores, and further types by name."""
    if body is None:
        return Resource(1024, 1)
    amounts: dict[str, int] = {}
    listed = body.inner("resourceInformations")
    for one in listed.bodies("resourceInformation") if listed is not None else ():
        name, value = one.string("name"), one.number("value")
        if name and value is not None and name not in ("memory-mb", "vcores"):
            amounts[name] = value
    return Resource.of(
        {"memory-mb": body.number("memory") or 0, "vcores": body.integer("vCores") or 0, **amounts}
    )


def _check_size(call: Call, resource: Resource) -> None:
    largest = call.context.scheduler.configured_maximum
    if resource.vcores > largest.vcores:
        raise bad_request("Requested more cores than configured max")
    if resource.memory_mb > largest.memory_mb:
        raise bad_request("Requested more memory than configured max")


def _launch_context(spec: Body) -> ContainerLaunchContext:
    commands = spec.inner("commands")
    services = {name: _bytes(str(value or "")) for name, value in spec.entries("service-data").items()}
    return ContainerLaunchContext(
        tokens=credentials_of(spec.inner("credentials")),
        local_resources={
            name: _local_resource(name, value) for name, value in spec.entries("local-resources").items()
        },
        service_data=services,
        environment={name: str(value or "") for name, value in spec.entries("environment").items()},
        command=commands.strings("command") if commands is not None else (),
        application_acls=tuple(
            ApplicationACLMap(access_type=_access_type(name), acl=str(value or " "))
            for name, value in spec.entries("application-acls").items()
        ),
    )


def credentials_of(body: Body | None) -> bytes | None:
    """Tokens as Hadoop's Token encodes itself for URLs, and secrets in base 64."""
    if body is None:
        return None
    try:
        tokens = {
            name: read_token(_url_bytes(str(value or ""))) for name, value in body.entries("tokens").items()
        }
    except IllegalArgumentError as error:
        raise bad_request(f"Could not parse credentials data. Exception message = {error.message}") from None
    secrets = {name: _bytes(str(value or "")) for name, value in body.entries("secrets").items()}
    return Credentials(tokens, secrets).to_bytes() if tokens or secrets else None


def _url_bytes(text: str) -> bytes:
    """Base 64 with the characters of URLs or the ordinary ones, padded or not."""
    plain = text.strip().replace("-", "+").replace("_", "/").rstrip("=")
    return _bytes(plain + "=" * (-len(plain) % 4))


def _access_type(name: str) -> ApplicationAccessType:
    found = ApplicationAccessType.__members__.get(name)
    if found is None:
        raise bad_request(f"there is no application ACL {name}")
    return found


def _bytes(text: str) -> bytes:
    try:
        return b64decode(text, validate=True)
    except ValueError:
        raise bad_request("service-data and secrets have to be in base 64") from None


def _local_resource(name: str, value: object) -> LocalResource:
    if not isinstance(value, dict):
        raise bad_request(f"the local resource {name} has to be an object")
    body = Body(value, f"local-resources.{name}.")
    kind = LocalResourceType.__members__.get(body.string("type") or "")
    visibility = LocalResourceVisibility.__members__.get(body.string("visibility") or "")
    if kind is None or visibility is None:
        raise bad_request(f"the local resource {name} has no known type or visibility")
    return LocalResource(
        resource=_url(body.string("resource") or ""),
        size=body.number("size"),
        timestamp=body.number("timestamp"),
        type=kind,
        visibility=visibility,
    )


def _url(text: str) -> URL:
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        raise bad_request(f"{text} is not a URL") from None
    return URL(
        scheme=parts.scheme or None,
        host=parts.hostname,
        port=-1 if port is None else port,
        file=parts.path + (f"#{parts.fragment}" if parts.fragment else ""),
        user_info=parts.username,
    )


def _logs(body: Body | None) -> LogAggregationContext | None:
    if body is None:
        return None
    return LogAggregationContext(
        include_pattern=body.string("log-include-pattern") or ".*",
        exclude_pattern=body.string("log-exclude-pattern") or "",
        rolled_logs_include_pattern=body.string("rolled-log-include-pattern") or "",
        rolled_logs_exclude_pattern=body.string("rolled-log-exclude-pattern") or ".*",
        log_aggregation_policy_class_name=body.string("log-aggregation-policy-class-name"),
        log_aggregation_policy_parameters=body.string("log-aggregation-policy-parameters"),
    )
