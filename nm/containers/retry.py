"""Whether a container that failed is started again: its retry context, applied. Pure arithmetic.

Hadoop: SlidingWindowRetryPolicy and the retry part of ContainerImpl.
"""

from __future__ import annotations

from dataclasses import replace

from yarnbox.yarn.enums import ContainerRetryPolicy
from yarnbox.yarn.records.container import ContainerRetryContext

RETRY_FOREVER = -1
SUCCESS, FORCE_KILLED, TERMINATED = 0, 137, 143


class Retries:
    """The retries of one launch context: its policy, and how many are left."""

    __slots__ = ("context", "remaining", "restart_times")

    def __init__(self, context: ContainerRetryContext | None, minimum_interval_ms: int) -> None:
        wanted = context or ContainerRetryContext()
        if wanted.retry_policy is not ContainerRetryPolicy.NEVER_RETRY:
            wanted = replace(wanted, retry_interval=max(wanted.retry_interval, minimum_interval_ms))
        self.context = wanted
        self.remaining = wanted.max_retries
        self.restart_times: list[int] = []

    @property
    def is_wanted(self) -> bool:
        """Whether the context asks for retries at all."""
        return self.context.retry_policy is not ContainerRetryPolicy.NEVER_RETRY

    def should_retry(self, exit_code: int, now_ms: int) -> bool:
        """Whether this end calls for another start."""
        if exit_code in (SUCCESS, FORCE_KILLED, TERMINATED) or not self._covers(exit_code):
            return False
        return self.context.max_retries == RETRY_FOREVER or self._left(now_ms) > 0

    def count_restart(self, now_ms: int) -> None:
        """Takes one off; with a validity interval, failures older than that are forgiven."""
        interval = self.context.failures_validity_interval
        if interval <= 0:
            self.remaining -= 1
            return
        self.restart_times = [moment for moment in self.restart_times if now_ms - moment <= interval]
        self.remaining = self.context.max_retries - len(self.restart_times)
        self.restart_times.append(now_ms)

    def _covers(self, exit_code: int) -> bool:
        policy = self.context.retry_policy
        if policy is ContainerRetryPolicy.RETRY_ON_ALL_ERRORS:
            return True
        specific = policy is ContainerRetryPolicy.RETRY_ON_SPECIFIC_ERROR_CODES
        return specific and exit_code in self.context.error_codes

    def _left(self, now_ms: int) -> int:
        interval = self.context.failures_validity_interval
        if interval <= 0:
            return self.remaining
        recent = sum(1 for moment in self.restart_times if now_ms - moment <= interval)
        return self.context.max_retries - recent
