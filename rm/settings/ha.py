"""Settings of high availability: which RMs there are, and where the ZooKeeper is by which they agree."""

from __future__ import annotations

from yarnbox.yarn.settings import setting, settings

_RM = "yarn.resourcemanager."


@settings
class HASettings:
    """What an RM needs to know that may be a standby."""

    enabled: bool = setting(
        _RM + "ha.enabled",
        False,
        "One of several RMs: a standby until ZooKeeper, or an administrator, lets it be active",
    )
    ids: tuple[str, ...] = setting(_RM + "ha.rm-ids", (), "The ids of all RMs; addresses have one as suffix")
    cluster_id: str | None = setting(
        _RM + "cluster-id", None, "The name of the cluster in ZooKeeper, needed with several RMs"
    )
    is_automatic: bool = setting(
        _RM + "ha.automatic-failover.enabled",
        True,
        "The RMs elect the active one; otherwise an administrator says who it is",
    )
    election_path: str = setting(
        _RM + "ha.automatic-failover.zk-base-path", "/yarn-leader-election", "ZooKeeper's path of elections"
    )
    zookeeper_of_rm: str | None = setting(
        _RM + "zk-address", None, "ZooKeeper's host:port, several with commas; absent: `hadoop.zk.address`"
    )
    zookeeper_of_hadoop: str | None = setting("hadoop.zk.address", None, "ZooKeeper's host:port")
    session_ms: int = setting(
        "hadoop.zk.timeout-ms",
        10_000,
        "An active RM that ZooKeeper has not heard of for so long steps down, and another one may begin",
        unit="ms",
        at_least=500,
    )
    store_path: str = setting(
        _RM + "zk-state-store.parent-path", "/rmstore", "ZooKeeper's path of the state store"
    )

    @property
    def zookeeper(self) -> str | None:
        """Where ZooKeeper is."""
        return self.zookeeper_of_rm or self.zookeeper_of_hadoop
