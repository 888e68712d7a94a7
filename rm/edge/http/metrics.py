"""The metrics for monitoring systems: /jmx with Hadoop's beans, /prom and /metrics for Prometheus.

Hadoop: JMXJsonServlet and PrometheusServlet, as the RM has them.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Mapping
from time import perf_counter

from aiohttp import web

from yarnbox.rm.core import Core
from yarnbox.rm.edge.http.server import WebServer
from yarnbox.rm.edge.http.sharing import Sharing
from yarnbox.rm.edge.meters import Meters
from yarnbox.rm.web.beans import beans
from yarnbox.yarn.http import jmx
from yarnbox.yarn.http.jmx import Bean
from yarnbox.yarn.http.process_beans import ProcessBeans
from yarnbox.yarn.rate import Rate

_NANOSECONDS = 1_000_000
"""In a millisecond: CapacitySchedulerMetrics counts in them."""


class Metrics:
    """The metrics of one RM."""

    def __init__(self, core: Core, server: WebServer, process: ProcessBeans, meters: Meters) -> None:
        self._core = core
        self._server = server
        self._process = process
        self._meters = meters
        self._host = socket.gethostname()
        self._shared = Sharing[tuple[int, str]]()
        """What /jmx answers, by the query: to make it takes a turn that grows with the cluster."""
        self._shared_text = Sharing[bytes]()
        server.add("GET", "/jmx", self._jmx)
        if core.context.settings.web.prometheus_enabled:
            server.add("GET", "/prom", self._prometheus)
            server.add("GET", "/metrics", self._prometheus)

    async def _beans(self) -> list[Bean]:
        found = await self._server.turn(lambda: list(beans(self._core.context)))
        found += self._scheduler()
        found += await asyncio.to_thread(lambda: list(self._process.beans()))
        return [{**bean, "tag.Hostname": self._host} if "tag.Context" in bean else bean for bean in found]

    def _scheduler(self) -> list[Bean]:
        """The times of the scheduler: a node's update is its heartbeat, from call to answer."""
        count, mean_ms = self._meters.tracker.mean("nodeHeartbeat")
        scheduler = self._core.context.scheduler
        measured = scheduler.views.operation_durations()
        if measured is not None:
            durations: Bean = {
                **jmx.named("ResourceManager", "FSOpDurations"),
                "tag.FSOpDurations": "FSOpDurations",
                "tag.Context": "fairscheduler-op-durations",
            }
            runs = {**measured, "NodeUpdateCall": self._meters.tracker.calls.get("nodeHeartbeat", Rate())}
            for name, run in sorted(runs.items()):
                durations |= {
                    f"{name}NumOps": run.count,
                    f"{name}AvgTime": round(run.mean()[1], 3),
                    f"{name}MinTime": round(run.shortest_ms, 3),
                    f"{name}MaxTime": round(run.longest_ms, 3),
                }
            return [durations]
        if not scheduler.views.has_capacities:
            return []
        beats, percentiles = self._meters.intervals.quantiles(perf_counter())
        allocations, allocate_ms = self._meters.allocations.mean()
        shown: Bean = {
            **jmx.named("ResourceManager", "CapacitySchedulerMetrics"),
            "tag.CapacitySchedulerMetrics": "ResourceManager",
            "tag.Context": "yarn",
            "AllocateNumOps": allocations,
            "AllocateAvgTime": round(allocate_ms * _NANOSECONDS, 1),
            "CommitSuccessNumOps": allocations,
            "CommitSuccessAvgTime": round(allocate_ms * _NANOSECONDS, 1),
            "CommitFailureNumOps": self._core.context.health.refused,
            "CommitFailureAvgTime": 0.0,
            "NodeUpdateNumOps": count,
            "NodeUpdateAvgTime": round(mean_ms * _NANOSECONDS, 1),
            "SchedulerNodeHBIntervalNumOps": beats,
            "SchedulerNodeHBIntervalAvgTime": round(self._meters.intervals.all.mean()[1], 3),
            **{
                f"SchedulerNodeHBInterval{percentile}thPercentileTime": length_ms
                for percentile, length_ms in percentiles.items()
            },
        }
        return [shown]

    async def _jmx(self, request: web.Request) -> web.StreamResponse:
        status, body = await self._shared.get(request.query_string, lambda: self._answer(request.query))
        headers = {"Access-Control-Allow-Origin": "*"}
        return web.Response(
            status=status, text=body, content_type="application/json", charset="utf-8", headers=headers
        )

    async def _answer(self, query: Mapping[str, str]) -> tuple[int, str]:
        return jmx.answer(await self._beans(), query)

    async def _prometheus(self, request: web.Request) -> web.StreamResponse:
        body = await self._shared_text.get(None, self._text)
        return web.Response(body=body, headers={"Content-Type": jmx.PROMETHEUS_TYPE})

    async def _text(self) -> bytes:
        return jmx.prometheus(await self._beans())
