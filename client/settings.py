"""The properties that a client reads: where the ResourceManager is, how to wait, where logs go."""

from __future__ import annotations

from yarnbox.yarn.connection.address import Address, with_default_port
from yarnbox.yarn.connection.address_book import ADDRESS_BOOK_PROPERTY
from yarnbox.yarn.connection.failover import FailoverSettings
from yarnbox.yarn.security.tls import TlsSettings
from yarnbox.yarn.settings import group, setting, settings
from yarnbox.yarn.storage import aggregated_logs

RM_GRPC_ADDRESS = "yarnbox.resourcemanager.grpc.address"
WEB_ADDRESS = "yarn.resourcemanager.webapp.address"
DEFAULT_GRPC_PORT = 8050
DEFAULT_WEB_PORT = 8088


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
    automatic_failover: bool = setting(
        "yarn.resourcemanager.ha.automatic-failover.enabled", True, "Whether several RMs elect the active one"
    )
    role_timeout_ms: int = setting(
        "ha.failover-controller.cli-check.rpc-timeout.ms",
        20_000,
        "How long an RM is waited for that is asked for its role",
        unit="ms",
        at_least=1,
    )
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
        "How long a client waits for a submission or a kill; -1: without limit",
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
        "How long; -1: without limit",
        unit="ms",
        at_least=-1,
    )
    failover: FailoverSettings = group(FailoverSettings)
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
    tls: TlsSettings = group(TlsSettings)
