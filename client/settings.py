"""The properties that a client reads: where the ResourceManager is, how to wait, where logs go."""

from __future__ import annotations

from dataclasses import replace

from yarn import aggregated_logs
from yarn.address import Address, with_default_port
from yarn.addresses import ADDRESS_BOOK_PROPERTY
from yarn.settings import setting, settings

RM_GRPC_ADDRESS = "yarnbox.resourcemanager.grpc.address"
WEB_ADDRESS = "yarn.resourcemanager.webapp.address"
DEFAULT_GRPC_PORT = 8050
DEFAULT_WEB_PORT = 8088

_WILDCARDS = ("0.0.0.0", "::")
_LOOPBACK = "127.0.0.1"


@settings
class ClientSettings:
    """What a client needs to know of a cluster."""

    rm_address: Address = setting(
        RM_GRPC_ADDRESS,
        f"${{yarn.resourcemanager.hostname}}:{DEFAULT_GRPC_PORT}",
        "Where the ResourceManager serves gRPC",
        parse=with_default_port(DEFAULT_GRPC_PORT),
    )
    web_address: Address = setting(
        WEB_ADDRESS,
        f"${{yarn.resourcemanager.hostname}}:{DEFAULT_WEB_PORT}",
        "Where the ResourceManager serves HTTP",
        parse=with_default_port(DEFAULT_WEB_PORT),
    )
    ha_enabled: bool = setting("yarn.resourcemanager.ha.enabled", False, "Whether there are several RMs")
    poll_interval_ms: int = setting(
        "yarn.client.application-client-protocol.poll-interval-ms",
        200,
        "How often a waiting client asks again",
        unit="ms",
        at_least=1,
    )
    poll_timeout_ms: int = setting(
        "yarn.client.application-client-protocol.poll-timeout-ms",
        -1,
        "How long a client waits for a submission or a kill; -1: for ever",
        unit="ms",
        at_least=-1,
    )
    retry_interval_ms: int = setting(
        "yarn.resourcemanager.connect.retry-interval.ms",
        30_000,
        "How often an RM that went away is asked again",
        unit="ms",
        at_least=1,
    )
    retry_for_ms: int = setting(
        "yarn.resourcemanager.connect.max-wait.ms",
        900_000,
        "How long; -1: for ever",
        unit="ms",
        at_least=-1,
    )
    log_directory: str = setting(
        aggregated_logs.ROOT_PROPERTY, aggregated_logs.DEFAULT_ROOT, "Where aggregated logs lie"
    )
    log_directory_suffix: str = setting(
        aggregated_logs.SUFFIX_PROPERTY, aggregated_logs.DEFAULT_SUFFIX, "A part of the path below that"
    )
    label_store: str = setting(
        "yarn.node-labels.fs-store.root-dir",
        "/tmp/hadoop-yarn-${user.name}/node-labels/",
        "Where the ResourceManager keeps labels and mappings",
    )
    address_book: str | None = setting(
        ADDRESS_BOOK_PROPERTY, None, "File with the real addresses of emulated hosts"
    )


def connectable(address: Address) -> Address:
    """The address to connect to, for one that a server listens at: the loopback, if it listens everywhere."""
    return replace(address, host=_LOOPBACK) if address.host in _WILDCARDS else address
