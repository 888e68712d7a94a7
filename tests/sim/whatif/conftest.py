"""A cluster of two nodes, two queues and ten jobs, and what its changes come to."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from yarnbox.sim.load.jobs import Job, Task
from yarnbox.sim.load.yarnbox_format import write_load
from yarnbox.sim.whatif.compare import compare
from yarnbox.sim.whatif.comparison import Comparison
from yarnbox.sim.whatif.variants import Change
from yarnbox.sim.workload.site import Site
from yarnbox.yarn.resources.resource import Resource

CAPACITY = "yarn.scheduler.capacity."


def properties(found: Mapping[str, str]) -> str:
    rows = (
        f"<property><name>{name}</name><value>{value}</value></property>" for name, value in found.items()
    )
    return "\n".join(["<configuration>", *rows, "</configuration>"])


def capacities(etl: int, **others: str) -> str:
    return properties(
        {
            f"{CAPACITY}root.queues": "etl,adhoc",
            f"{CAPACITY}root.etl.capacity": str(etl),
            f"{CAPACITY}root.adhoc.capacity": str(100 - etl),
            f"{CAPACITY}root.etl.maximum-capacity": str(etl),
            f"{CAPACITY}root.adhoc.maximum-capacity": str(100 - etl),
            **others,
        }
    )


def jobs() -> list[Job]:
    big = Task(count=8, duration_ms=10_000)
    small = Task(duration_ms=4_000)
    return [
        Job(
            job_id=f"{'nightly' if number % 2 else 'question'}{number}",
            submit_ms=number * 2_000,
            queue="etl" if number % 2 else "adhoc",
            user="mei" if number % 2 else "tom",
            tasks=(big,) if number % 2 else (small,),
        )
        for number in range(8)
    ]


SITE = Site(nodes=2, node_resource=Resource(6144, 6), duration_spread=0.1)


@pytest.fixture(scope="session")
def conf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("base")
    (directory / "capacity-scheduler.xml").write_text(capacities(60))
    return directory


@pytest.fixture(scope="session")
def load(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("load") / "load.jsonl"
    write_load(path, jobs())
    return path


@pytest.fixture(scope="session")
def comparison(conf: Path) -> Comparison:
    """Less for etl, the same again, and a node more."""
    less = {
        f"{CAPACITY}root.etl.capacity": "40",
        f"{CAPACITY}root.etl.maximum-capacity": "40",
        f"{CAPACITY}root.adhoc.capacity": "60",
        f"{CAPACITY}root.adhoc.maximum-capacity": "60",
    }
    changes = [
        Change(name="less for etl", definitions=less),
        Change(name="same", conf=conf),
        Change(name="a node more", nodes=("+1",)),
    ]
    return compare(conf, changes, jobs(), seeds=6, site=SITE, workers=1)
