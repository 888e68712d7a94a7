"""Where the history of jobs lies, how long, and where the history server listens. Hadoop: JHAdminConfig."""

from __future__ import annotations

from yarnbox.yarn.connection.address import Address, with_default_port
from yarnbox.yarn.http.access import HttpAccessSettings
from yarnbox.yarn.security.tls import TlsSettings
from yarnbox.yarn.settings import group, setting, settings

ADDRESS = "mapreduce.jobhistory.address"
WEB_ADDRESS = "mapreduce.jobhistory.webapp.address"


@settings
class HistorySettings:
    """What jobs and the history server are told."""

    intermediate_dir: str = setting(
        "mapreduce.jobhistory.intermediate-done-dir",
        "${yarn.app.mapreduce.am.staging-dir}/history/done_intermediate",
        "where jobs leave their history when they end",
    )
    done_dir: str = setting(
        "mapreduce.jobhistory.done-dir",
        "${yarn.app.mapreduce.am.staging-dir}/history/done",
        "where the history server keeps it, by day",
    )
    max_age_ms: int = setting(
        "mapreduce.jobhistory.max-age-ms", 604_800_000, "older histories are deleted", unit="ms", at_least=0
    )
    cleaner_enabled: bool = setting(
        "mapreduce.jobhistory.cleaner.enable",
        True,
        "delete old histories: the server does, and each job that ends",
    )
    web_address: Address | None = setting(
        WEB_ADDRESS, None, "the history server's pages; where it is set, ended jobs lead there"
    )


@settings
class HistoryServerSettings:
    """What only the server is told."""

    staging_dir: str = setting(
        "yarn.app.mapreduce.am.staging-dir", "/tmp/hadoop-yarn/staging", "where a job waits for its AM"
    )
    history: HistorySettings = group(HistorySettings)
    address: Address = setting(
        ADDRESS,
        "127.0.0.1:10020",
        "where the server answers Hadoop's job clients, where Hadoop's wire is enabled",
        parse=with_default_port(10020),
    )
    hadoop_ipc: bool = setting("yarnbox.hadoop-ipc.enabled", False, "serve Hadoop's wire")
    bind_host: str | None = setting(
        "mapreduce.jobhistory.bind-host", None, "the server listens on this host instead of its addresses'"
    )
    move_interval_ms: int = setting(
        "mapreduce.jobhistory.move.interval-ms", 180_000, "how often new histories are taken in", at_least=1
    )
    cleaner_interval_ms: int = setting(
        "mapreduce.jobhistory.cleaner.interval-ms", 86_400_000, "how often old ones are deleted", at_least=1
    )
    loaded_jobs: int = setting(
        "mapreduce.jobhistory.loadedjobs.cache.size", 5, "jobs kept in memory", at_least=1
    )
    job_list_size: int = setting(
        "mapreduce.jobhistory.joblist.cache.size", 20_000, "jobs that are listed, the latest", at_least=1
    )
    access: HttpAccessSettings = group(HttpAccessSettings)
    tls: TlsSettings = group(TlsSettings)
