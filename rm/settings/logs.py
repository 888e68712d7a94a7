"""Settings of how long aggregated logs are kept."""

from __future__ import annotations

from yarnbox.yarn.settings import setting, settings
from yarnbox.yarn.storage.aggregated_logs import DEFAULT_ROOT, DEFAULT_SUFFIX, ROOT_PROPERTY, SUFFIX_PROPERTY


@settings
class LogRetentionSettings:
    """Where aggregated logs are, and when they go."""

    remote_directory: str = setting(ROOT_PROPERTY, DEFAULT_ROOT, "Where logs are collected")
    remote_suffix: str = setting(SUFFIX_PROPERTY, DEFAULT_SUFFIX, "Its part below the user's name")
    retain_secs: int = setting(
        "yarn.log-aggregation.retain-seconds",
        -1,
        "Collected logs are kept for that long; negative: without limit",
        unit="secs",
    )
    check_interval_secs: int = setting(
        "yarn.log-aggregation.retain-check-interval-seconds",
        -1,
        "How often they are looked at; not positive: every tenth of that time",
        unit="secs",
    )

    @property
    def interval_secs(self) -> int:
        """The time from one look to the next."""
        if self.check_interval_secs > 0:
            return self.check_interval_secs
        return max(1, self.retain_secs // 10)
