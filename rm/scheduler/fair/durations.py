"""How long the FairScheduler's runs take, by whatever stopwatch the context has; nothing follows from it.

Node updates are not here: they are measured where they come in. Hadoop: FSOpDurations.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from yarnbox.yarn.http.rate import Rate


@dataclass(frozen=True, slots=True)
class OperationDurations:
    """The runs so far."""

    update_thread_run: Rate = field(default_factory=Rate)
    continuous_scheduling_run: Rate = field(default_factory=Rate)
