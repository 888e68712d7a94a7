"""Metrics as beans, and how they are asked for: /jmx with its `qry` and `get`, and Prometheus' text.

A bean is a name (`Hadoop:service=ResourceManager,name=ClusterMetrics`), what stands behind it, and its
attributes; tags have the prefix `tag.`. Which beans there are is the daemons' to say. Answers for
JMXJsonServlet, PrometheusServlet and PrometheusMetricsSink.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest
from prometheus_client.registry import Collector

from yarn import notation

Bean = dict[str, Any]

PROMETHEUS_TYPE = CONTENT_TYPE_PLAIN_0_0_4
_BEFORE_CAPITAL = re.compile(r"(?<=[^A-Z_])(?=[A-Z])|(?<!^)(?<!_)(?=[A-Z][a-z])")
_OTHERS = re.compile(r"[^a-z0-9_]+")
_COUNTERS = re.compile(
    r"Apps(Submitted|Completed|Killed|Failed)$|^Aggregate|NumOps$|^Containers(Launched|Completed|Failed|Killed)$"
    r"|^Log(Fatal|Error|Warn|Info)$|^Gc(Count|TimeMillis)$|^(Received|Sent)Bytes$"
)


def named(service: str, record: str, **keys: str) -> Bean:
    """The beginning of a bean of Hadoop's metrics system."""
    behind = "".join(f",{key}={value}" for key, value in keys.items())
    return {"name": f"Hadoop:service={service},name={record}{behind}", "modelerType": f"{record}{behind}"}


def is_counter(attribute: str) -> bool:
    """Whether it only grows."""
    return _COUNTERS.search(attribute) is not None


def answer(found: list[Bean], query: Mapping[str, str]) -> tuple[int, str]:
    """The status and the body of /jmx."""
    chosen, status = _chosen(found, query)
    body: dict[str, Any] = {"beans": chosen}
    return status, notation.natural(body if status == 200 else {"result": "ERROR", **body})


def _chosen(found: list[Bean], query: Mapping[str, str]) -> tuple[list[Bean], int]:
    wanted, pattern = query.get("get"), query.get("qry")
    if wanted is not None:
        name, _, attribute = wanted.partition("::")
        if ":" not in name or not attribute:
            return [], 400
        chosen = [bean for bean in found if bean["name"] == name]
        if not any(attribute in bean for bean in chosen):
            return [], 404
        return [{key: bean[key] for key in ("name", "modelerType", attribute)} for bean in chosen], 200
    if pattern is None:
        return found, 200
    if not is_pattern(pattern):
        return [], 400
    return [bean for bean in found if matches(str(bean["name"]), pattern)], 200


def is_pattern(pattern: str) -> bool:
    """Whether it can be an object name: a domain, and keys with values or a `*`."""
    domain, colon, keys = pattern.partition(":")
    parts = keys.split(",")
    return bool(domain and colon and all(part == "*" or part.partition("=")[1] for part in parts))


def matches(name: str, pattern: str) -> bool:
    """An object name against a pattern: keys in any order; `,*` at its end admits others."""
    domain, _, keys = name.partition(":")
    wanted_domain, _, wanted = pattern.partition(":")
    if not fnmatch.fnmatchcase(domain, wanted_domain):
        return False
    parts = wanted.split(",")
    is_open = "*" in parts
    pairs = dict(part.partition("=")[::2] for part in keys.split(","))
    asked = dict(part.partition("=")[::2] for part in parts if part != "*")
    if not is_open and len(pairs) != len(asked):
        return False
    return all(key in pairs and fnmatch.fnmatchcase(pairs[key], value) for key, value in asked.items())


# Prometheus


def prometheus(found: Iterable[Bean]) -> bytes:
    """All numbers of the beans as Prometheus reads them."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Beans(found))
    return generate_latest(registry)


def metric_name(record: str, attribute: str) -> str:
    """The name in Prometheus: `queue_metrics_allocated_v_cores`."""
    joined = record[:1].upper() + record[1:] + attribute[:1].upper() + attribute[1:]
    if not attribute[:1].isalpha() or attribute[:1].islower():
        joined = f"{record}_{attribute}"
    return _OTHERS.sub("_", _BEFORE_CAPITAL.sub("_", joined).lower())


class _Beans(Collector):
    """The beans of one moment, as Prometheus' library wants them."""

    def __init__(self, found: Iterable[Bean]) -> None:
        self._found = [bean for bean in found if str(bean["name"]).startswith("Hadoop:")]

    def collect(self) -> Iterator[Metric]:
        """One family for each attribute."""
        families: dict[str, Metric] = {}
        for bean in self._found:
            record = str(bean["modelerType"]).split(",")[0]
            tags = {
                name.removeprefix("tag.").lower(): str(value)
                for name, value in bean.items()
                if name.startswith("tag.")
            }
            for attribute, value in bean.items():
                if isinstance(value, bool) or not isinstance(value, int | float):
                    continue
                name = metric_name(record, attribute)
                kind = CounterMetricFamily if is_counter(attribute) else GaugeMetricFamily
                family = families.setdefault(name, kind(name, f"{attribute} of {record}"))
                family.add_sample(name, tags, float(value))
        yield from families.values()
