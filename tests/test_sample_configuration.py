"""The sample configuration, from which the default cluster starts: it must be right, and explained."""

from __future__ import annotations

import re

import pytest

from tests.tree import ROOT
from yarnbox.nm.settings import NMSettings
from yarnbox.rm.settings import CAPACITY_SCHEDULER, RMSettings
from yarnbox.yarn.configuration import SITE_FILES, Configuration
from yarnbox.yarn.resources.node_resources import node_resource
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.resources.resource_types import RESOURCE_TYPES_FILE, ResourceTypeRegistry
from yarnbox.yarn.settings import declarations, read

CONF = ROOT / "conf"
SAMPLES = (*SITE_FILES, RESOURCE_TYPES_FILE, "capacity-scheduler.xml")


def sample(*names: str) -> Configuration:
    return Configuration.load(CONF, names, environment={"YARNBOX_TMP": "/run"})


@pytest.mark.parametrize("name", SAMPLES)
def test_each_file_reads_without_a_notice(name: str) -> None:
    configuration = sample(name)
    assert [source.rpartition("/")[2] for source in configuration.sources] == [name]
    assert not configuration.notices


def test_the_resource_manager_and_its_nodes_accept_it() -> None:
    configuration = sample(*SAMPLES)
    rm, nm = read(RMSettings, configuration), read(NMSettings, configuration)
    assert rm.scheduler_class == CAPACITY_SCHEDULER
    assert rm.node_expiry_ms == 5_000
    assert nm.logs.remote_directory == "/run/app-logs"
    assert nm.web_address.port == 0, "many nodes share a machine"
    assert node_resource(configuration, ResourceTypeRegistry.read(configuration)) == Resource(8192, 8)


def test_it_names_no_property_that_nobody_knows() -> None:
    known = {one.name for kind in (RMSettings, NMSettings) for one in declarations(kind)}
    known |= {"yarn.resourcemanager.hostname", "yarn.app.mapreduce.am.resource.mb"}
    mentioned = {entry.name for entry in sample("yarn-site.xml") if str(entry.origin) != "default"}
    mentioned |= set(re.findall(r"^ +(yarn\.[a-z.-]+)  ", (CONF / "yarn-site.xml").read_text(), re.MULTILINE))
    assert len(mentioned) > 15
    assert not mentioned - known


def test_the_commented_resource_types_are_right_when_taken_out() -> None:
    text = (CONF / RESOURCE_TYPES_FILE).read_text()
    taken_out = re.sub(r"(?s)(<configuration>.*?)<!--(.*?)-->", r"\1\2", text)
    types = ResourceTypeRegistry.read(Configuration.parse(taken_out))
    assert types.names == ("memory-mb", "vcores", "yarn.io/gpu", "bandwidth")
    assert types.maximum_allocation == Resource(8192, 4, (("bandwidth", 1000), ("yarn.io/gpu", 4)))
