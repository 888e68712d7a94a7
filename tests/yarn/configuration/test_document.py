"""Reading one XML resource: forms, line numbers, includes that stay at home, and what is refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yarnbox.yarn.configuration import Configuration, ConfigurationError
from yarnbox.yarn.configuration.document import Document, read_file, read_text, write

BILLION_LAUGHS = """<?xml version="1.0"?>
<!DOCTYPE configuration [
  <!ENTITY a "ha">
  <!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">
  <!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">
]>
<configuration><property><name>x</name><value>&c;</value></property></configuration>
"""
EXTERNAL_ENTITY = """<!DOCTYPE configuration [<!ENTITY secret SYSTEM "file:///etc/hostname">]>
<configuration><property><name>x</name><value>&secret;</value></property></configuration>
"""
PARAMETER_ENTITY = """<!DOCTYPE configuration [<!ENTITY % more SYSTEM "http://127.0.0.1:9/x.dtd"> %more;]>
<configuration/>
"""

XML_TEXT = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")) | st.sampled_from("\t\n\r"))


def entries(text: str) -> list[tuple[str, str | None, bool]]:
    return [(entry.name, entry.value, entry.final) for entry in read_text(text, "text").entries]


def conf(body: str) -> str:
    return f'<configuration xmlns:xi="http://www.w3.org/2001/XInclude">{body}</configuration>'


def refusal(text: str) -> str:
    with pytest.raises(ConfigurationError) as caught:
        read_text(text, "site.xml")
    return caught.value.message


@pytest.mark.parametrize(
    "text, read",
    [
        ("<property><name> a </name><value> 1 </value></property>", ("a", " 1 ", False)),
        ("<property><name>a</name><value>1</value><final>true</final></property>", ("a", "1", True)),
        ("<property><name>a</name><value>1</value><final> true </final></property>", ("a", "1", False)),
        ("<property><name>a</name><value>1</value><final>false</final></property>", ("a", "1", False)),
        ('<property name="a" value="1"/>', ("a", "1", False)),
        ('<property name="a" value="" final="true"/>', ("a", "", True)),
        ('<property name="a"><value>2</value></property>', ("a", "2", False)),
        ("<property><name>a</name><value></value></property>", ("a", None, False)),
        ("<property><name>a</name></property>", ("a", None, False)),
        ("<property><name>a</name><value><![CDATA[<b>&]]></value></property>", ("a", "<b>&", False)),
        ("<property><name>a</name><value>&lt;&#65;</value><source>x</source></property>", ("a", "<A", False)),
    ],
)
def test_each_form_of_a_property(text: str, read: tuple[str, str | None, bool]) -> None:
    assert entries(conf(text)) == [read]


def test_an_entry_knows_its_line() -> None:
    document = read_text(
        "<configuration>\n\n<property>\n<name>a</name><value>1</value>\n</property>\n</configuration>", "x"
    )
    assert [str(entry.origin) for entry in document.entries] == ["x:3"]


@pytest.mark.parametrize(
    "text, notice",
    [
        ("<allocations><queue name='a'/></allocations>", "top-level element is <allocations>"),
        (conf("<propperty><name>a</name></propperty>"), "unknown element <propperty>"),
        (conf("<property><value>1</value></property>"), "without a name"),
        (conf("<property><name>a</name><value>1</value><final>True</final></property>"), "not final"),
    ],
)
def test_what_is_passed_over_is_noticed(text: str, notice: str) -> None:
    assert any(notice in each.text for each in read_text(text, "x").notices)


@pytest.mark.parametrize("text", [BILLION_LAUGHS, EXTERNAL_ENTITY, PARAMETER_ENTITY])
def test_entities_are_refused(text: str) -> None:
    assert "entity" in refusal(text)


@pytest.mark.parametrize(
    "text, line", [("<configuration>\n<property>\n</configuration>", 3), ("", 1), ("\n\nhello", 3)]
)
def test_text_that_is_no_xml_is_refused_with_its_line(text: str, line: int) -> None:
    assert re.match(rf"site\.xml:{line}: not well-formed XML", refusal(text))


def test_a_doctype_without_entities_is_harmless() -> None:
    assert entries("<!DOCTYPE configuration>" + conf('<property name="a" value="1"/>')) == [("a", "1", False)]


def test_text_is_characters_already_whatever_it_declares() -> None:
    text = '<?xml version="1.0" encoding="ISO-8859-1"?>' + conf('<property name="a" value="\u00e9\u4e2d"/>')
    assert entries(text) == [("a", "\u00e9\u4e2d", False)]
    latin = text.replace("\u4e2d", "").encode("latin-1")
    assert [entry.value for entry in read_text(latin, "bytes").entries] == ["\u00e9"]


def test_text_has_no_directory_to_include_from() -> None:
    assert "does not lie in a configuration directory" in refusal(conf('<xi:include href="b.xml"/>'))


# Includes


def read(directory: Path, **files: str) -> Document:
    for name, body in files.items():
        path = directory / f"{name}.xml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(conf(body))
    return read_file(directory, "site.xml")


def refused(directory: Path, **files: str) -> str:
    with pytest.raises(ConfigurationError) as caught:
        read(directory, **files)
    return caught.value.message


def test_an_include_stands_where_it_is_written(tmp_path: Path) -> None:
    body = '<property name="a" value="1"/><xi:include href="more.xml"/><property name="c" value="3"/>'
    document = read(tmp_path, site=body, more='<property name="b" value="2"/>')
    assert [entry.name for entry in document.entries] == ["a", "b", "c"]
    assert document.entries[1].origin.resource == "more.xml"


def test_an_include_is_relative_to_the_including_file(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "one.xml").write_text(conf('<xi:include href="two.xml"/>'))
    (tmp_path / "parts" / "two.xml").write_text(conf('<xi:include href="../three.xml"/>'))
    document = read(
        tmp_path, site='<xi:include href="parts/one.xml"/>', three='<property name="a" value="3"/>'
    )
    assert [entry.value for entry in document.entries] == ["3"]


def test_a_missing_include_takes_its_fallback(tmp_path: Path) -> None:
    body = '<xi:include href="no.xml"><xi:fallback><property name="a" value="1"/></xi:fallback></xi:include>'
    assert [entry.value for entry in read(tmp_path, site=body).entries] == ["1"]


def test_a_present_include_ignores_its_fallback(tmp_path: Path) -> None:
    body = '<xi:include href="b.xml"><xi:fallback><property name="a" value="1"/></xi:fallback></xi:include>'
    document = read(tmp_path, site=body, b='<property name="a" value="2"/>')
    assert [entry.value for entry in document.entries] == ["2"]


def test_a_missing_include_without_fallback_is_refused(tmp_path: Path) -> None:
    message = refused(tmp_path, site='\n<xi:include href="no.xml"/>')
    assert message.startswith(f"{tmp_path}/site.xml:2: ")
    assert "names no file" in message


@pytest.mark.parametrize(
    "href",
    [
        "../secret.xml",
        "/etc/hostname",
        "parts/../../secret.xml",
        "file:///etc/hostname",
        "http://127.0.0.1:9/x",
    ],
)
def test_an_include_never_leaves_the_directory(tmp_path: Path, href: str) -> None:
    (tmp_path / "secret.xml").write_text(conf('<property name="secret" value="1"/>'))
    (tmp_path / "conf" / "parts").mkdir(parents=True)
    fallback = "<xi:fallback/>"
    message = refused(tmp_path / "conf", site=f'<xi:include href="{href}">{fallback}</xi:include>')
    assert "is refused" in message


def test_not_even_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "secret.xml").write_text(conf('<property name="secret" value="1"/>'))
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "inside.xml").symlink_to(tmp_path / "secret.xml")
    assert "leaves the configuration" in refused(tmp_path / "conf", site='<xi:include href="inside.xml"/>')


def test_nor_does_the_resource_itself(tmp_path: Path) -> None:
    (tmp_path / "secret.xml").write_text(conf(""))
    (tmp_path / "conf").mkdir()
    with pytest.raises(ConfigurationError, match="leaves the configuration directory"):
        read_file(tmp_path / "conf", "../secret.xml")


def test_a_configuration_directory_may_itself_be_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "conf").symlink_to(tmp_path / "real")
    document = read(tmp_path / "conf", site='<xi:include href="b.xml"/>', b='<property name="a" value="2"/>')
    assert [entry.value for entry in document.entries] == ["2"]


def test_files_that_include_each_other_are_refused(tmp_path: Path) -> None:
    assert "includes itself" in refused(
        tmp_path, site='<xi:include href="b.xml"/>', b='<xi:include href="site.xml"/>'
    )


# Writing


@given(st.lists(st.tuples(XML_TEXT.filter(bool), XML_TEXT, st.booleans())))
def test_what_is_written_reads_back(properties: list[tuple[str, str, bool]]) -> None:
    assert entries(write(properties, comment="a -- b")) == properties


def test_what_xml_cannot_hold_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="text that XML can hold"):
        Configuration.of({"a": "\x00"}).to_xml()
