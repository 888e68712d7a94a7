"""What a node asks others about itself: label and attribute providers, scripts, names."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any, ClassVar

import pytest

from tests.nm.rig import NODE
from tests.waiting import PATIENCE_S
from yarnbox.nm.core import Core
from yarnbox.nm.edge.health.providers import ProviderLoops, check_providers
from yarnbox.nm.edge.health.scripts import ScriptFailedError, ScriptTimedOutError, run_script
from yarnbox.nm.edge.naming import NamingFiles
from yarnbox.nm.reporting.health import TIMED_OUT
from yarnbox.nm.settings import AttributeProviderSettings, HealthSettings, LabelProviderSettings, NMSettings
from yarnbox.yarn.configuration import Configuration, ConfigurationError
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.runtime.clock import SystemClock


def _script(tmp_path: Path, text: str) -> str:
    path = tmp_path / "script.sh"
    path.write_text(f"#!/bin/bash\n{text}\n")
    path.chmod(0o755)
    return str(path)


def _looked(settings: NMSettings) -> Core:
    """A core whose providers were asked once."""
    core = Core(NODE, settings, Resource(1024, 1), SystemClock(), is_strict=True)

    async def body() -> None:
        await ProviderLoops(settings, core, core.turn).first_look()

    asyncio.run(body())
    return core


def _labels(**given: Any) -> NMSettings:
    return NMSettings(labels=LabelProviderSettings(enabled=True, configuration_type="distributed", **given))


def _label_names(core: Core) -> list[str | None] | None:
    told = core.turn(core.status.register_request).node_labels
    return None if told is None else [one.name for one in told.node_labels]


def test_a_label_from_the_configuration() -> None:
    core = _looked(_labels(provider="config", configured_partition="gpu"))
    assert _label_names(core) == ["gpu"]


@pytest.mark.parametrize(
    "text, names",
    [
        ("echo NODE_PARTITION:fast", ["fast"]),
        ("echo NODE_PARTITION:slow; echo ' NODE_PARTITION: fast '", ["fast"]),
        ("echo NODE_PARTITION:of-$NM_HOST", [f"of-{NODE.host}"]),
        ("echo NODE_PARTITION:fast >&2", []),
        ("echo nothing", []),
        ("echo NODE_PARTITION:fast; exit 3", []),
        ("echo 'NODE_PARTITION:a b'", None),
        ("echo NODE_PARTITION:", None),
    ],
)
def test_a_label_from_a_script(tmp_path: Path, text: str, names: list[str] | None) -> None:
    core = _looked(_labels(provider="script", script_path=_script(tmp_path, text)))
    assert _label_names(core) == names


@pytest.mark.parametrize(
    "given",
    [
        {"enabled": True, "provider": "config"},
        {"enabled": False, "provider": "config", "configuration_type": "distributed"},
        {"enabled": True, "configuration_type": "distributed"},
    ],
    ids=["centralized", "off", "nobody says them"],
)
def test_labels_that_are_not_reported(given: dict[str, Any]) -> None:
    core = _looked(NMSettings(labels=LabelProviderSettings(**given)))
    assert core.turn(core.status.register_request).node_labels is None


def test_a_provider_that_fails_leaves_its_last_word(tmp_path: Path) -> None:
    path = _script(tmp_path, "echo NODE_PARTITION:fast")
    settings = _labels(provider="SCRIPT", script_path=path)
    core = Core(NODE, settings, Resource(1024, 1), SystemClock(), is_strict=True)
    loops = ProviderLoops(settings, core, core.turn)
    asyncio.run(loops.first_look())
    _script(tmp_path, "echo NODE_PARTITION:slow; exit 1")
    asyncio.run(loops.first_look())
    assert _label_names(core) == ["fast"]
    _script(tmp_path, "echo NODE_PARTITION:slow")
    asyncio.run(loops.first_look())
    told = core.turn(core.status.heartbeat_request).node_labels
    assert told is not None
    assert [one.name for one in told.node_labels] == ["slow"]


def test_the_configuration_is_read_anew() -> None:
    settings = _labels(provider="config", configured_partition="x")
    core = Core(NODE, settings, Resource(1024, 1), SystemClock(), is_strict=True)
    now = [settings]
    loops = ProviderLoops(settings, core, core.turn, lambda: now[-1])
    asyncio.run(loops.first_look())
    assert _label_names(core) == ["x"]
    now.append(_labels(provider="config", configured_partition="y"))
    asyncio.run(loops.first_look())
    assert _label_names(core) == ["y"]
    now.append(_labels(provider="config"))
    asyncio.run(loops.first_look())
    assert _label_names(core) == []


class Inventory:
    """A provider of labels and attributes."""

    fails: ClassVar[bool] = False

    def labels(self) -> list[str]:
        if self.fails:
            raise RuntimeError("no inventory")
        return ["gpu"]

    def attributes(self) -> list[tuple[str, str]]:
        return [("os", "linux"), ("gpu", "a100")]


def test_a_class_says_labels_and_attributes() -> None:
    path = f"{__name__}.Inventory"
    settings = NMSettings(
        labels=LabelProviderSettings(enabled=True, configuration_type="distributed", provider=path),
        attributes=AttributeProviderSettings(provider=path),
    )
    check_providers(settings)
    core = _looked(settings)
    request = core.turn(core.status.register_request)
    assert _label_names(core) == ["gpu"]
    assert request.node_attributes is not None
    assert [one.attribute_value for one in request.node_attributes.node_attributes] == ["linux", "a100"]


def test_a_class_that_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Inventory, "fails", True)
    assert _label_names(_looked(_labels(provider=f"{__name__}.Inventory"))) == []


@pytest.mark.parametrize("provider", ["script", "no.such.Provider", "Provider", f"{__name__}.Nobody"])
@pytest.mark.parametrize("what", ["labels", "attributes"])
def test_a_provider_that_is_none(tmp_path: Path, provider: str, what: str) -> None:
    path = str(tmp_path / "none.sh")
    if what == "labels":
        settings = _labels(provider=provider, script_path=path)
    else:
        settings = NMSettings(attributes=AttributeProviderSettings(provider=provider, script_path=path))
    with pytest.raises(ConfigurationError, match=f"node-{what}.provider"):
        check_providers(settings)
    check_providers(NMSettings(labels=LabelProviderSettings(provider=provider, script_path=path)))


def test_attributes_from_a_script(tmp_path: Path) -> None:
    script = _script(tmp_path, "echo NODE_ATTRIBUTE:os,STRING,linux")
    core = _looked(NMSettings(attributes=AttributeProviderSettings(provider="script", script_path=script)))
    told = core.turn(core.status.register_request).node_attributes
    assert told is not None
    assert [(one.attribute_key.attribute_name, one.attribute_value) for one in told.node_attributes] == [
        ("os", "linux")
    ]


def test_attributes_that_are_none() -> None:
    settings = AttributeProviderSettings(provider="config", configured_attributes="os=linux")
    core = _looked(NMSettings(attributes=settings))
    told = core.turn(core.status.register_request).node_attributes
    assert told is not None
    assert told.node_attributes == ()


@pytest.mark.parametrize(
    "text, timeout_ms, report",
    [
        ("echo fine; exit 3", 1000 * PATIENCE_S, ""),
        ("echo ERROR fan", 1000 * PATIENCE_S, "ERROR fan\n"),
        ("sleep 1000", 500, TIMED_OUT),
    ],
)
def test_health_scripts(tmp_path: Path, text: str, timeout_ms: int, report: str) -> None:
    script = _script(tmp_path, text)
    health = HealthSettings(script_path=script, run_before_startup=True, timeout_ms=timeout_ms)
    assert _looked(NMSettings(health=health)).health.report == report


def test_a_health_script_that_is_not_there(tmp_path: Path) -> None:
    health = HealthSettings(script_path=str(tmp_path / "none"), run_before_startup=True)
    core = _looked(NMSettings(health=health))
    assert not core.health.is_healthy
    assert "could not be run" in core.health.report


def test_scripts_get_their_options_and_leave_nothing_behind(tmp_path: Path) -> None:
    path = _script(tmp_path, 'echo "$1-$2"; sleep 100 &')
    assert asyncio.run(run_script(path, ["a", "b"], 20)) == "a-b\n"
    with pytest.raises(ScriptTimedOutError):
        asyncio.run(run_script(_script(tmp_path, "sleep 100"), [], 0.05))
    with pytest.raises(ScriptFailedError):
        asyncio.run(run_script(str(tmp_path), [], 1))


def test_names_are_entered_once(tmp_path: Path) -> None:
    book, table = tmp_path / "book.json", tmp_path / "table"
    configuration = Configuration.of(
        {
            "yarnbox.address-book": str(book),
            "net.topology.table.file.name": str(table),
            "net.topology.node.switch.mapping.impl": "org.apache.hadoop.net.TableMapping",
        }
    )
    book.write_text(json.dumps({"nm1": "127.0.0.9"}))
    files = NamingFiles.of(configuration)
    for _ in range(2):
        files.announce({"nm1": "/rack1", "nm2": "/rack2", "nm3": None}, "127.0.0.1")
    assert json.loads(book.read_text()) == {"nm1": "127.0.0.9", "nm2": "127.0.0.1", "nm3": "127.0.0.1"}
    assert table.read_text() == "nm1 /rack1\nnm2 /rack2\n"
    NamingFiles.of(Configuration.of({})).announce({"nm1": None}, "127.0.0.1")
