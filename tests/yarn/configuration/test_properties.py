"""Configuration: which of several values counts, and where it came from."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yarnbox.yarn.configuration import Configuration, ConfigurationError, Fault
from yarnbox.yarn.configuration.deprecated import DEPRECATED, current_names
from yarnbox.yarn.errors import YarnError

NAME = st.text(st.characters(codec="ascii", categories=("L", "N", "P")), min_size=1).filter(
    lambda name: name not in DEPRECATED
)
VALUE = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")) | st.sampled_from("\t\n\r"))


def site(**properties: str) -> str:
    body = "\n".join(f"<property><name>{name}</name>{rest}</property>" for name, rest in properties.items())
    return f"<configuration>\n{body}\n</configuration>"


def load(directory: Path, **files: str) -> Configuration:
    for name, text in files.items():
        (directory / f"{name}-site.xml").write_text(text)
    return Configuration.load(directory)


def test_a_later_resource_overrides(tmp_path: Path) -> None:
    configuration = load(
        tmp_path, core=site(a="<value>1</value>", b="<value>1</value>"), yarn=site(b="<value>2</value>")
    )
    assert [configuration.value(name) for name in "ab"] == ["1", "2"]
    assert str(configuration.origin("b")) == f"{tmp_path}/yarn-site.xml:2"
    assert configuration.origin("b").resource == "yarn-site.xml"
    assert [Path(source).name for source in configuration.sources] == ["core-site.xml", "yarn-site.xml"]
    assert not configuration.notices


def test_a_final_property_stays_and_the_attempt_is_noticed(tmp_path: Path) -> None:
    configuration = load(
        tmp_path,
        core=site(a="<value>1</value><final>true</final>", b="<value>1</value><final>true</final>"),
        yarn=site(a="<value>2</value>", b="<value>1</value>"),
    )
    assert configuration.value("a") == "1"
    (notice,) = configuration.notices
    assert notice.origin.resource == "yarn-site.xml"
    assert "override final parameter a" in notice.text


def test_final_holds_within_its_own_resource() -> None:
    properties = '<property name="a" value="1" final="true"/><property name="a" value="2"/>'
    assert Configuration.parse(f"<configuration>{properties}</configuration>").value("a") == "1"


def test_an_empty_element_sets_nothing_but_may_be_final(tmp_path: Path) -> None:
    configuration = load(
        tmp_path,
        core=site(a="<value>1</value>"),
        yarn=site(a="<value></value><final>true</final>"),
        mapred=site(a="<value>3</value>"),
    )
    assert configuration.value("a") == "1"


def test_the_command_line_overrides_even_final_properties(tmp_path: Path) -> None:
    configuration = load(tmp_path, core=site(a="<value>1</value><final>true</final>"))
    above = configuration.overlaid_by_arguments(["a=2=3", " b ="])
    assert [above.value("a"), above.value("b"), str(above.origin("a"))] == ["2=3", "", "-D"]
    assert configuration.value("a") == "1", "the one below is unchanged"


def test_the_command_line_stays_above_resources_added_later(tmp_path: Path) -> None:
    (tmp_path / "capacity-scheduler.xml").write_text(site(a="<value>1</value>", b="<value>1</value>"))
    above = Configuration.of({"a": "2"}, "-D").with_files(tmp_path, ["capacity-scheduler.xml", "missing.xml"])
    assert [above.value(name) for name in "ab"] == ["2", "1"]


@pytest.mark.parametrize("argument", ["a", "=1", " =1", ""])
def test_an_argument_has_a_name_and_a_value(argument: str) -> None:
    with pytest.raises(ConfigurationError, match="name=value"):
        Configuration().overlaid_by_arguments([argument])


def test_a_configuration_directory_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="not a directory"):
        Configuration.load(tmp_path / "none")


def test_a_resource_that_is_no_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "core-site.xml").mkdir()
    with pytest.raises(ConfigurationError, match="cannot be read"):
        Configuration.load(tmp_path)


def test_deprecated_names_work_both_ways() -> None:
    text = site(**{"mapred.reduce.tasks": "<value>7</value>"})
    configuration = Configuration.parse(text)
    assert configuration.value("mapreduce.job.reduces") == configuration.value("mapred.reduce.tasks") == "7"
    assert "mapred.reduce.tasks" in configuration
    assert "use mapreduce.job.reduces" in configuration.notices[0].text
    assert Configuration.of({"mapred.job.queue.name": "a"}).value("mapreduce.job.queuename") == "a"


def test_no_successor_is_itself_deprecated() -> None:
    assert all(current_names(name) == (name,) for names in DEPRECATED.values() for name in names)


def test_raw_untrimmed_and_value() -> None:
    configuration = Configuration.of({"a": " ${b} ", "b": "1"})
    assert configuration.raw("a") == " ${b} "
    assert configuration.untrimmed("a") == " 1 "
    assert configuration.value("a") == "1"
    assert configuration.value("c") is configuration.raw("c") is configuration.untrimmed("c") is None


def test_defaults_lie_below_everything() -> None:
    configuration = Configuration.of({"a": "1"}).with_defaults({"a": "2", "b": "${a}3"})
    assert [configuration.value(name) for name in "ab"] == ["1", "13"]
    assert str(configuration.origin("b")) == str(configuration.origin("never.heard.of")) == "default"
    assert "name>b<" not in configuration.to_xml()
    assert "name>b<" in configuration.to_xml(defaults=True)


def test_iteration_is_in_the_order_of_names() -> None:
    configuration = Configuration(defaults={}).overlaid({"b": "1", "c": "2", "a": "3"})
    assert [entry.name for entry in configuration] == ["a", "b", "c"]
    assert configuration.names() == ["a", "b", "c"]
    assert configuration.overlaid({"b.x": "", "ba": ""}).names("b") == ["b", "b.x", "ba"]
    assert configuration.names("d") == []
    assert len(configuration) == 3


def test_reading_typed_values() -> None:
    configuration = Configuration.of(
        {"i": "0x10", "f": "0.5", "b": "TRUE", "e": "", "l": "a, b", "d": "2m", "s": "1k"}
    )
    assert configuration.integer("i", 1) == configuration.long("i", 1) == 16
    assert configuration.number("f", 1) == 0.5
    assert configuration.boolean("b", False)
    assert configuration.boolean("e", True)
    assert configuration.strings("l") == ("a", "b")
    assert configuration.duration("d", 1) == 120_000
    assert configuration.size_bytes("s", 1) == 1024
    assert configuration.percent("f", 1) == 0.5
    assert configuration.integer("missing", 5) == 5
    assert configuration.class_name("missing", "x") == "x"


def test_a_wrong_value_names_file_property_value_and_what_is_allowed() -> None:
    configuration = Configuration.parse(site(a="<value>one</value>"), "conf/yarn-site.xml")
    with pytest.raises(ConfigurationError) as caught:
        configuration.integer("a", 1)
    fault = Fault("conf/yarn-site.xml:2", "a", "one", "an integer (decimal, or hexadecimal as 0x...)")
    assert caught.value.faults == (fault,)
    assert caught.value.message == f"conf/yarn-site.xml:2: a = 'one': must be {fault.allowed}"
    assert isinstance(caught.value, YarnError)


@given(st.dictionaries(NAME, VALUE))
def test_what_is_written_reads_back(properties: dict[str, str]) -> None:
    written = Configuration(defaults={}).overlaid(properties).to_xml("round trip")
    again = Configuration.parse(written)
    assert {name: again.raw(name) for name in properties} == properties
    assert Configuration.parse(again.to_xml("round trip")).to_xml("round trip") == written


def test_written_properties_stay_final() -> None:
    text = '<configuration><property name="a" value="${b}" final="true"/></configuration>'
    again = Configuration.parse(Configuration.parse(text).to_xml()).property("a")
    assert again is not None
    assert (again.raw, again.final) == ("${b}", True)
