"""Settings: declared once, read typed and checked, all faults together, and a table for the manual."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

import pytest

from yarnbox.yarn.configuration import Configuration, ConfigurationError, values
from yarnbox.yarn.connection.address import Address, with_default_port
from yarnbox.yarn.security.acl import EVERYBODY, AccessControlList
from yarnbox.yarn.settings import Conflict, declarations, group, read, setting, settings, table, with_defaults


class Colour(Enum):
    """A setting's words."""

    RED = "red"
    DARK_GREEN = "dark-green"


@settings
class PartSettings:
    """A group; it can be used alone, so its defaults refer to nothing outside."""

    port: int = setting("part.port", 80, "Port of the part", at_least=0, at_most=65_535)


@settings
class WholeSettings:
    """One setting of each kind."""

    count: int = setting("whole.count", 3, "How many", at_least=1)
    wait_ms: int = setting("whole.wait-ms", 100, "How long", unit="ms", at_least=1)
    life_ms: int = setting("whole.life-ms", 100, "How long", unit="ms", suffixes=True)
    limit_bytes: int = setting("whole.limit", 10, "How much", unit="bytes", suffixes=True)
    ratio: float = setting("whole.ratio", "0.2", "How much of it", parse=values.single, above=0, at_most=1)
    is_open: bool = setting("whole.open", False, "Whether")
    name: str = setting("whole.name", "", "How it is called")
    label: str | None = setting("whole.label", None, "What is on it")
    parts: tuple[str, ...] = setting("whole.parts", ("a", "b"), "What is in it")
    ages: tuple[int, ...] = setting("whole.ages", (1, 2), "How old they are")
    colour: Colour = setting("whole.colour", Colour.RED, "How it looks")
    mode: str = setting("whole.mode", "Serial", "How it goes", one_of=("Serial", "Parallel"))
    kind: str = setting("whole.kind", "org.A", "What it is", aliases={"a": "org.A", "b": "org.B"})
    address: Address = setting("whole.address", "${whole.host}:${whole.count}", parse=with_default_port(9))
    host: str = setting("whole.host", "h1")
    admins: AccessControlList = setting("whole.admins", "*")
    even: int = setting("whole.even", 2, check=lambda value: None if value % 2 == 0 else "an even number")
    part: PartSettings = group(PartSettings)

    def conflicts(self) -> Iterator[Conflict]:
        """Together."""
        if self.count > self.even:
            return
        if self.is_open:
            yield Conflict("whole.open", "false while whole.count is small")


def of(**properties: str) -> WholeSettings:
    return read(
        WholeSettings, Configuration.of({name.replace("_", "."): text for name, text in properties.items()})
    )


def test_defaults_need_no_configuration() -> None:
    whole = WholeSettings()
    assert whole == read(WholeSettings, Configuration())
    assert (whole.count, whole.part.port, whole.address) == (3, 80, Address("h1", 3))
    assert whole.ratio == 0.20000000298023224
    assert whole.admins is not None
    assert whole.admins == EVERYBODY
    assert WholeSettings(count=7, part=PartSettings(port=1)).part.port == 1


def test_settings_are_frozen_and_slotted() -> None:
    whole = WholeSettings()
    with pytest.raises(AttributeError):
        whole.count = 1  # type: ignore[misc]
    assert not hasattr(whole, "__dict__")
    assert hash(whole) == hash(WholeSettings())


def test_each_type_is_read() -> None:
    whole = read(
        WholeSettings,
        Configuration.of(
            {
                "whole.count": " 0x10 ",
                "whole.wait-ms": "250",
                "whole.life-ms": "2s",
                "whole.limit": "1k",
                "whole.ratio": "1.0f",
                "whole.open": "TRUE",
                "whole.label": "x",
                "whole.parts": " c ,d",
                "whole.ages": "5, 6",
                "whole.colour": "Dark-Green",
                "whole.mode": "parallel",
                "whole.kind": "B",
                "whole.address": "h2",
                "whole.admins": "alice staff",
                "part.port": "1",
            }
        ),
    )
    assert (whole.count, whole.wait_ms, whole.life_ms, whole.limit_bytes, whole.ratio) == (
        16,
        250,
        2000,
        1024,
        1.0,
    )
    assert (whole.is_open, whole.label, whole.parts, whole.ages) == (True, "x", ("c", "d"), (5, 6))
    assert (whole.colour, whole.mode, whole.kind) == (Colour.DARK_GREEN, "Parallel", "org.B")
    assert (whole.address, whole.part.port) == (Address("h2", 9), 1)
    assert whole.admins == AccessControlList(("alice",), ("staff",))


def test_defaults_follow_what_they_refer_to() -> None:
    assert of(whole_count="9", whole_host="h9").address == Address("h9", 9)
    with_own = read(WholeSettings, Configuration.of({"whole.name": "${whole.count} of ${whole.host}"}))
    assert with_own.name == "3 of h1", "files may refer to declared defaults, as to those of yarn-default.xml"


def test_empty_values() -> None:
    whole = of(whole_label="", whole_open="", whole_parts="", whole_name="")
    assert (whole.label, whole.is_open, whole.parts, whole.name) == (None, False, (), "")


def test_all_faults_are_told_together() -> None:
    text = """<configuration>
      <property><name>whole.count</name><value>0</value></property>
      <property><name>whole.wait-ms</name><value>10s</value></property>
      <property><name>whole.open</name><value>yes</value></property>
      <property><name>whole.even</name><value>3</value></property>
      <property><name>whole.mode</name><value>both</value></property>
      <property><name>part.port</name><value>70000</value></property>
    </configuration>"""
    with pytest.raises(ConfigurationError) as caught:
        read(WholeSettings, Configuration.parse(text, "site.xml"))
    assert [str(fault) for fault in caught.value.faults] == [
        "site.xml:2: whole.count = '0': must be at least 1",
        "site.xml:3: whole.wait-ms = '10s': must be an integer (decimal, or hexadecimal as 0x...) at least 1",
        "site.xml:4: whole.open = 'yes': must be true or false",
        "site.xml:6: whole.mode = 'both': must be one of Serial, Parallel",
        "site.xml:5: whole.even = '3': must be an even number",
        "site.xml:7: part.port = '70000': must be at least 0 and at most 65535",
    ]
    assert caught.value.message.startswith("6 faults:\n")


def test_large_bounds_are_written_out() -> None:
    @settings
    class Large:
        size: int = setting("x", 2_000_000, at_least=1_048_577)

    assert [one.allowed for one in declarations(Large)] == ["at least 1048577"]


@pytest.mark.parametrize("ratio", ["0", "1.5", "-1"])
def test_bounds_of_numbers(ratio: str) -> None:
    with pytest.raises(ConfigurationError, match="more than 0 and at most 1"):
        of(whole_ratio=ratio)


def test_a_loop_is_a_fault_of_its_property() -> None:
    with pytest.raises(ConfigurationError) as caught:
        of(whole_name="${whole.label}", whole_label="${whole.name}")
    assert [fault.property for fault in caught.value.faults] == ["whole.name", "whole.label"]


def test_conflicts_are_looked_for_when_all_else_is_right() -> None:
    with pytest.raises(ConfigurationError, match=r"given: whole\.open = 'true': must be false while"):
        of(whole_open="true", whole_count="1")
    with pytest.raises(ConfigurationError) as caught:
        of(whole_open="true", whole_count="0")
    assert [fault.property for fault in caught.value.faults] == ["whole.count"]


def test_the_table_has_a_row_for_each_declaration() -> None:
    lines = table(WholeSettings).splitlines()
    assert len(lines) == 2 + len(declarations(WholeSettings)) == 2 + 18
    assert "| `whole.wait-ms` | `100` | integer, ms | at least 1 | How long |" in lines
    assert "| `whole.colour` | `red` | word | one of red, dark-green | How it looks |" in lines
    assert "| `whole.label` |  | text |  | What is on it |" in lines
    assert "| `whole.address` | `${whole.host}:${whole.count}` | address |  |  |" in lines
    assert "| `part.port` | `80` | integer | at least 0 and at most 65535 | Port of the part |" in lines


def test_the_configuration_page_shows_declared_defaults() -> None:
    complete = with_defaults(Configuration.of({"whole.count": "5"}), WholeSettings)
    assert complete.value("whole.address") == "h1:5"
    assert str(complete.origin("whole.address")) == "default"
    assert str(complete.origin("whole.count")) == "given"


def test_a_property_is_declared_once() -> None:
    with pytest.raises(TypeError, match="declared twice"):

        @settings
        class Twice:
            one: int = setting("x", 1)
            two: int = setting("x", 2)


def test_a_field_is_a_setting_or_a_group() -> None:
    with pytest.raises(TypeError, match="neither a setting nor a group"):

        @settings
        class Plain:
            one: int = 1


def test_a_default_must_keep_its_own_rule() -> None:
    with pytest.raises(ConfigurationError, match="at least 5"):

        @settings
        class Wrong:
            one: int = setting("x", 1, at_least=5)
