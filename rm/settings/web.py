"""Settings of the ResourceManager's web server: pages, REST, metrics."""

from __future__ import annotations

from yarnbox.yarn.connection.address import Address, with_default_port
from yarnbox.yarn.http.access import is_pattern
from yarnbox.yarn.settings import setting, settings

_WEB = "yarn.resourcemanager.webapp."
_ACTIVITIES = "yarn.resourcemanager.activities-manager."
_CROSS_ORIGIN = "hadoop.http.cross-origin."
_STORE = "yarn.scheduler.configuration."
_HISTORY = "yarnbox.resourcemanager.history."


@settings
class WebSettings:
    """Address, who sees and may do what, and what is kept for the pages."""

    address: Address = setting(
        _WEB + "address",
        "${yarn.resourcemanager.hostname}:8088",
        "Where the web server listens",
        parse=with_default_port(8088),
    )
    static_user: str = setting(
        "hadoop.http.staticuser.user", "dr.who", "Who a caller is that does not say who it is"
    )
    authentication_type: str = setting(
        "hadoop.http.authentication.type", "simple", "How callers say who they are; only simple is served"
    )
    proxy_timeout_enabled: bool = setting(
        "yarn.resourcemanager.proxy.timeout.enabled", True, "The web proxy gives up on an AM that is silent"
    )
    proxy_timeout_ms: int = setting(
        "yarn.resourcemanager.proxy.connection.timeout", 60_000, "After so long", unit="ms", at_least=1
    )
    proxy_isolation_enabled: bool = setting(
        "yarnbox.resourcemanager.proxy.isolation.enabled",
        True,
        "For a browser, pages of ApplicationMasters are of another origin than the ResourceManager's",
    )
    cross_origin_enabled: bool = setting(
        _WEB + "cross-origin.enabled", False, "Answer scripts of other origins"
    )
    cross_origin_origins: tuple[str, ...] = setting(
        _CROSS_ORIGIN + "allowed-origins",
        ("*",),
        "Which: with `*` for anything, or `regex:` and a regular expression",
        check=lambda origins: None if all(map(is_pattern, origins)) else "regular expressions after regex:",
    )
    cross_origin_methods: tuple[str, ...] = setting(
        _CROSS_ORIGIN + "allowed-methods", ("GET", "POST", "HEAD"), "The methods that they may use"
    )
    cross_origin_headers: tuple[str, ...] = setting(
        _CROSS_ORIGIN + "allowed-headers",
        ("X-Requested-With", "Content-Type", "Accept", "Origin"),
        "The headers that they may send",
    )
    cross_origin_age_secs: int = setting(
        _CROSS_ORIGIN + "max-age", 1_800, "How long a browser may believe it", unit="secs", at_least=0
    )
    actions_enabled: bool = setting(
        _WEB + "ui-actions.enabled", True, "Pages let their readers kill applications"
    )
    app_submission_enabled: bool = setting(
        "yarn.webapp.enable-rest-app-submissions", True, "Applications may be submitted over REST"
    )
    filter_by_user: bool = setting(
        "yarn.webapp.filter-entity-list-by-user", False, "Lists hide what the caller may not look at"
    )
    prometheus_enabled: bool = setting(
        "hadoop.prometheus.endpoint.enabled", True, "Serve /prom and /metrics for Prometheus"
    )
    runtime_buckets_minutes: tuple[int, ...] = setting(
        "yarn.resourcemanager.metrics.runtime.buckets",
        (60, 300, 1440),
        "Running applications are counted by these ages",
        unit="min",
        check=lambda ages: None if list(ages) == sorted(ages) and min(ages, default=1) > 0 else _BUCKETS,
    )
    configuration_store: str = setting(
        _STORE + "store.class",
        "file",
        "Where the scheduler's configuration lives; any but file lets REST change it",
        one_of=("file", "memory", "leveldb", "zk", "fs"),
    )
    configuration_leveldb_directory: str = setting(
        _STORE + "leveldb-store.path",
        "/tmp/hadoop-yarn-${user.name}/yarn/system/confstore",
        "Where the store `leveldb` (and `zk`) keeps it",
    )
    configuration_fs_directory: str = setting(
        _STORE + "fs.path",
        "${yarn.scheduler.configuration.leveldb-store.path}",
        "Where the store `fs` keeps it",
    )
    configuration_policy: str = setting(
        _STORE + "mutation.acl-policy.class",
        "org.apache.hadoop.yarn.server.resourcemanager.scheduler.DefaultConfigurationMutationACLPolicy",
        "Who may change it",
    )
    history_interval_ms: int = setting(
        _HISTORY + "interval-ms",
        2_000,
        "How often the shares of queues and the figures of the cluster are sampled for the pages",
        unit="ms",
        at_least=100,
    )
    history_samples: int = setting(_HISTORY + "samples", 1_800, "So many samples are kept", at_least=2)
    history_containers: int = setting(
        _HISTORY + "containers", 50_000, "So many ended containers are kept for the pages", at_least=0
    )

    activities_cleanup_interval_ms: int = setting(
        _ACTIVITIES + "cleanup-interval-ms",
        5_000,
        "How often old activities are dropped",
        unit="ms",
        at_least=1,
    )
    scheduler_activities_ttl_ms: int = setting(
        _ACTIVITIES + "scheduler-activities.ttl-ms",
        600_000,
        "Scheduler activities are kept",
        unit="ms",
        at_least=1,
    )
    app_activities_ttl_ms: int = setting(
        _ACTIVITIES + "app-activities.ttl-ms",
        600_000,
        "Application activities are kept",
        unit="ms",
        at_least=1,
    )
    app_activities_maximum: int = setting(
        _ACTIVITIES + "app-activities.max-queue-length", 100, "And so many of each application", at_least=1
    )


_BUCKETS = "ages in ascending order, each at least 1"
