"""What node labels are for: each situation of examples/labels holds, and its configuration is the one that
its scenario plays.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from yarnbox.sim.scenario.playing.player import play
from yarnbox.sim.scenario.reading.document import read_scenario
from yarnbox.yarn.configuration import Configuration

SITUATIONS = sorted(Path(__file__).parents[2].joinpath("examples", "labels").glob("*/"))


def properties(directory: Path, file_name: str) -> dict[str, str]:
    """What one file of the configuration says, and nobody else."""
    alone = Configuration(environment={}).with_files(directory, [file_name])
    empty = Configuration(environment={})
    return {name: alone.untrimmed(name) or "" for name in alone.names("yarn.") if name not in empty}


def test_there_are_four() -> None:
    assert [one.name for one in SITUATIONS] == ["fast-and-old", "fenced-tenant", "one-site", "stable-nodes"]


@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda situation: situation.name)
def test_the_situation_holds(situation: Path) -> None:
    scenario = read_scenario(situation / "scenario.yaml")
    assert scenario.name == situation.name
    outcome = play(scenario)
    assert outcome.is_ok, "\n".join(map(str, outcome.failures))


@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda situation: situation.name)
def test_its_configuration_is_the_one_that_is_played(situation: Path) -> None:
    scenario = read_scenario(situation / "scenario.yaml")
    conf = situation / "conf"
    assert properties(conf, "capacity-scheduler.xml") == dict(scenario.capacity_scheduler or {})
    sample = properties(conf.parents[3] / "conf", "yarn-site.xml")
    assert properties(conf, "yarn-site.xml") == sample | dict(scenario.conf)


@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda situation: situation.name)
def test_its_page_shows_how_to_play_it(situation: Path) -> None:
    text = (situation / "README.md").read_text()
    assert f"yarnbox scenario run examples/labels/{situation.name}/scenario.yaml" in text
    assert f"--conf examples/labels/{situation.name}/conf" in text
