"""Metrics as beans, and how they are asked for: /jmx with its `qry` and `get`, and Prometheus' text.

A bean is a name (`Hadoop:service=ResourceManager,name=ClusterMetrics`), what stands behind it, and its
attributes; tags have the prefix `tag.`. Which beans there are is the daemons' to say. Hadoop:
JMXJsonServlet, PrometheusServlet and PrometheusMetricsSink.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from prometheus_client import CollectorRegistry
from prometheus_client.core import Metric
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest
from prometheus_client.registry import Collector

from yarnbox.yarn.http import notation

Bean = dict[str, Any]

_EVERYTHING = "*:*"
PROMETHEUS_TYPE = CONTENT_TYPE_PLAIN_0_0_4
_BEFORE_CAPITAL = re.compile(r"(?<=[^A-Z_])(?=[A-Z])|(?<!^)(?<!_)(?=[A-Z][a-z])")
_OTHERS = re.compile(r"[^a-z0-9]+")
_COUNTERS = re.compile(
    r"Apps(Submitted|Completed|Killed|Failed)$|^Aggregate(?!PreemptedSeconds)|(?<!Interval)NumOps$"
    r"|^Containers(Launched|Completed|Failed|Killed|RolledBackOnFailure)$"
    r"|^Log(Fatal|Error|Warn|Info)$|^Gc(Count|TimeMillis)$|^(Received|Sent)Bytes$"
    r"|^Rpc(Authentication|Authorization)|^Rpc(SlowCalls|CallSuccesses|ClientBackoff.*|RequeueCalls)$"
)
_RPC = re.compile(r"(Rpc|RpcDetailed)ActivityForPort[0-9]+")
_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_")
_HEADING = re.compile(rb"^# HELP (\S+)_total (.*)\n# TYPE \1_total counter$", re.MULTILINE)


def named(service: str, record: str, **keys: str) -> Bean:
    """The beginning of a bean of Hadoop's metrics system."""
    behind = "".join(f",{key}={value}" for key, value in keys.items())
    return {"name": f"Hadoop:service={service},name={record}{behind}", "modelerType": f"{record}{behind}"}


def is_counter(attribute: str) -> bool:
    """Whether it only grows."""
    return _COUNTERS.search(attribute) is not None


def answer(found: list[Bean], query: Mapping[str, str]) -> tuple[int, str]:
    """The status and the body of /jmx."""
    if (wanted := query.get("get")) is not None:
        status, body = _attribute(found, wanted)
    else:
        status, body = _matching(found, query.get("qry") or _EVERYTHING)
    return status, notation.natural(body)


def _attribute(found: list[Bean], wanted: str) -> tuple[int, Bean]:
    """`get=bean::attribute`: the one, or what is wrong with the question."""
    name, _, attribute = wanted.partition("::")
    if not name or not attribute or "::" in attribute:
        return 400, {"result": "ERROR", "message": "query format is not as expected."}
    if not is_pattern(name):
        return 400, {}
    chosen = [bean for bean in found if matches(str(bean["name"]), name)]
    shown = []
    for bean in chosen:
        answered = {key: bean[key] for key in ("name", "modelerType", attribute) if key in bean}
        if attribute not in bean:
            answered |= {"result": "ERROR", "message": f"No attribute with name {attribute} was found."}
        shown.append(answered)
    if any(attribute not in bean for bean in chosen):
        return 404, {"beans": shown, "result": "ERROR"}
    return 200, {"beans": shown}


def _matching(found: list[Bean], pattern: str) -> tuple[int, Bean]:
    if not is_pattern(pattern):
        return 400, {}
    return 200, {"beans": [bean for bean in found if matches(str(bean["name"]), pattern)]}


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
    """All numbers of the metrics system's beans, as Prometheus reads them: a family for each attribute.

    Hadoop's counters do not end in `_total`, which Prometheus' library gives to each counter's heading;
    headings and samples have to agree, so it is taken off again.
    """
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Beans(found))
    return _HEADING.sub(rb"# HELP \1 \2\n# TYPE \1 counter", generate_latest(registry))


class _Beans(Collector):
    """The beans of one moment, as Prometheus' library wants them."""

    def __init__(self, found: Iterable[Bean]) -> None:
        self._found = [
            bean for bean in found if str(bean["name"]).startswith("Hadoop:") and "tag.Context" in bean
        ]

    def collect(self) -> Iterator[Metric]:
        """One family for each attribute of each record."""
        families: dict[str, Metric] = {}
        for bean in self._found:
            record = _record(str(bean["modelerType"]))
            labels = _labels(bean)
            for attribute, value in bean.items():
                if isinstance(value, bool) or not isinstance(value, int | float):
                    continue
                name = metric_name(record, attribute)
                if name not in families:
                    kind = "counter" if is_counter(attribute) else "gauge"
                    families[name] = Metric(name, description(attribute), kind)
                families[name].add_sample(name, labels, float(value))
        yield from families.values()


def metric_name(record: str, attribute: str) -> str:
    """The name in Prometheus: `queue_metrics_allocated_v_cores`."""
    joined = record[:1].upper() + record[1:] + attribute[:1].upper() + attribute[1:]
    return _OTHERS.sub("_", _BEFORE_CAPITAL.sub("_", joined).lower())


def description(attribute: str) -> str:
    """What an attribute is, in words: `Allocated memory in MB`."""
    name = attribute
    for end, beginning in (("NumOps", "Number of ops for "), ("AvgTime", "Average time for ")):
        if name.endswith(end):
            return beginning + _in_words(name.removesuffix(end)).lower()
    for end, behind in (("MB", " memory in MB"), ("VCores", " CPU in virtual cores")):
        if name.endswith(end) and name != end:
            return _in_words(name.removesuffix(end)).capitalize() + behind
    for beginning in ("UnmanagedApps", "Apps"):
        if name.startswith(beginning):
            return f"# of {_in_words(name).lower()}"
    if name.endswith("Containers") or name.startswith("Num"):
        words = _in_words(name.removeprefix("Num").replace("NMs", "Nms")).lower()
        return f"# of {words.replace('nms', 'NMs')}"
    return _in_words(name)


def _record(kind: str) -> str:
    """The name of the record behind a bean: that of RPC servers knows no port, it is a tag."""
    name = kind.split(",")[0]
    match = _RPC.fullmatch(name)
    return name if match is None else match.group(1).lower()


def _in_words(name: str) -> str:
    return " ".join(word for word in _WORDS.split(name) if word)


def _labels(bean: Bean) -> dict[str, str]:
    tags = {
        name.removeprefix("tag.").lower(): str(value) for name, value in bean.items() if name[:4] == "tag."
    }
    tags.pop("numopenconnectionsperuser", None)
    return tags
