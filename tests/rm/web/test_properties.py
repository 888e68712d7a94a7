"""The rows of the page Configuration."""

from __future__ import annotations

from yarnbox.rm.scheduler.views import AllocationFile
from yarnbox.rm.web.properties import configuration, scheduler_file, shown_properties
from yarnbox.yarn.configuration import Configuration

SITE = """<configuration>
<property><name>yarn.resourcemanager.max-completed-applications</name><value>7</value><final>true</final></property>
<property><name>ssl.server.keystore.password</name><value>1234</value></property>
<property><name>a</name><value>${b}</value></property><property><name>b</name><value>${a}</value></property>
</configuration>"""
QUEUES = """<configuration>
<property><name>yarn.scheduler.capacity.root.queues</name><value>x</value></property>
</configuration>"""


def test_properties_of_both_files_with_their_lines() -> None:
    definitions = {"yarn.scheduler.capacity.root.x.capacity": "100"}
    site = shown_properties(Configuration.parse(SITE, "/conf/yarn-site.xml").overlaid(definitions))
    own = Configuration.parse(QUEUES, "/conf/capacity-scheduler.xml").overlaid(definitions)
    shown = configuration({"which": "all"}, site, scheduler_file(own, site))["property"]
    rows = {one["name"]: one for one in shown}
    assert len(rows) == len(shown), "what is defined above both files is there once"
    kept = rows["yarn.resourcemanager.max-completed-applications"]
    assert (kept["value"], kept["source"], kept["unit"]) == ("7", "yarn-site.xml:2", "final")
    assert (kept["default"], "meaning" in kept) == ("(default 1000)", True)
    queues = rows["yarn.scheduler.capacity.root.queues"]
    assert (queues["value"], queues["source"]) == ("x", "capacity-scheduler.xml:2")
    assert rows["yarn.scheduler.capacity.root.x.capacity"]["source"] == "-D"
    assert rows["hadoop.tmp.dir"]["isDefault"]


def test_secrets_are_hidden_and_a_circle_of_variables_is_shown_as_written() -> None:
    rows = {one.name: one.value for one in shown_properties(Configuration.parse(SITE))}
    assert rows["ssl.server.keystore.password"] == "(hidden)"
    assert rows["a"] == "${b}"


def test_an_allocation_file_is_shown_as_it_is() -> None:
    file = AllocationFile(name="/etc/hadoop/fair-scheduler.xml", text="<allocations/>")
    shown = configuration({}, [], scheduler_file(file, []))
    assert shown["property"] == []
    assert shown["block"][-1] == {"text": "<allocations/>", "label": "fair-scheduler.xml"}
    assert "text" not in configuration({}, [], scheduler_file(None, []))["block"][-1]
