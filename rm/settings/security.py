"""Settings of the ResourceManager's addresses, of who may do what, and of keys and tokens."""

from __future__ import annotations

from yarnbox.yarn.connection.address import Address, with_default_port
from yarnbox.yarn.security.acl import AccessControlList
from yarnbox.yarn.settings import setting, settings

_RM = "yarn.resourcemanager."


@settings
class AddressSettings:
    """Where the services listen: all five behind one gRPC port, and Hadoop's ports for its own framing."""

    grpc: Address = setting(
        "yarnbox.resourcemanager.grpc.address",
        "${yarn.resourcemanager.hostname}:8050",
        "The five services over gRPC",
        parse=with_default_port(8050),
    )
    hadoop_ipc: bool = setting(
        "yarnbox.hadoop-ipc.enabled", False, "Serve Hadoop's own clients too, at the addresses below"
    )
    client: Address = setting(
        _RM + "address",
        "${yarn.resourcemanager.hostname}:8032",
        "ApplicationClientProtocol over Hadoop's IPC",
        parse=with_default_port(8032),
    )
    scheduler: Address = setting(
        _RM + "scheduler.address",
        "${yarn.resourcemanager.hostname}:8030",
        "ApplicationMasterProtocol over Hadoop's IPC",
        parse=with_default_port(8030),
    )
    resource_tracker: Address = setting(
        _RM + "resource-tracker.address",
        "${yarn.resourcemanager.hostname}:8031",
        "ResourceTracker over Hadoop's IPC",
        parse=with_default_port(8031),
    )
    admin: Address = setting(
        _RM + "admin.address",
        "${yarn.resourcemanager.hostname}:8033",
        "ResourceManagerAdministrationProtocol over Hadoop's IPC",
        parse=with_default_port(8033),
    )
    bind_host: str | None = setting(
        _RM + "bind-host", None, "The servers listen on this host instead of the one in their addresses"
    )
    book: str | None = setting(
        "yarnbox.address-book", None, "File that maps emulated host names to real addresses; absent: none"
    )
    node_secret_file: str | None = setting(
        "yarnbox.node-secret-file",
        None,
        "File with the secret that NodeManagers have to know; without one anybody may register a node",
    )
    hadoop_nodes: bool = setting(
        "yarnbox.hadoop-ipc.nodes.enabled",
        False,
        "Let Hadoop's NodeManagers, which know no secret, register where one is asked for",
    )
    acl_enabled: bool = setting("yarn.acl.enable", False, "Check who submits, looks, kills and administers")
    admin_acl: AccessControlList = setting("yarn.admin.acl", "*", "Administrators of the cluster")
    reservation_acl_enabled: bool = setting(
        "yarn.acl.reservation-enable", False, "Check who submits and changes reservations"
    )


@settings
class TokenSettings:
    """Master keys and tokens."""

    am_rm_key_rolling_secs: int = setting(
        _RM + "am-rm-tokens.master-key-rolling-interval-secs",
        86_400,
        "A new key for AMRM tokens",
        unit="secs",
        at_least=1,
    )
    container_key_rolling_secs: int = setting(
        _RM + "container-tokens.master-key-rolling-interval-secs",
        86_400,
        "A new key for container tokens",
        unit="secs",
        at_least=1,
    )
    nm_key_rolling_secs: int = setting(
        _RM + "nm-tokens.master-key-rolling-interval-secs",
        86_400,
        "A new key for NM tokens",
        unit="secs",
        at_least=1,
    )
    client_to_am: bool = setting(
        "yarnbox.client-to-am-tokens.enabled",
        False,
        "Give clients tokens for AMs, which then demand them, as in Hadoop with security on",
    )
    maximum_configuration_bytes: int = setting(
        _RM + "delegation-token.max-conf-size-bytes",
        12_800,
        "Configuration that an application may send along for the renewal of its tokens",
        unit="bytes",
        at_least=0,
    )
