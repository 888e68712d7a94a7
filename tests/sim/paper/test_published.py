"""What the manual shows is one paper: its page is what its data says."""

from __future__ import annotations

import json

from tests.tree import ROOT
from yarnbox.sim.paper.experiment import Scale
from yarnbox.sim.paper.files import ExperimentResult, page
from yarnbox.sim.paper.recorded import outcome_of
from yarnbox.sim.paper.register import EXPERIMENTS


def test_the_page_and_the_data_of_the_manual_say_the_same() -> None:
    data = json.loads((ROOT / "docs" / "paper" / "paper.json").read_text(encoding="utf-8"))
    told = [
        ExperimentResult(experiment=EXPERIMENTS[one["name"]], outcome=outcome_of(one))
        for one in data["experiments"]
    ]
    written = (ROOT / "docs" / "paper.md").read_text(encoding="utf-8")
    assert page(told, Scale(data["scale"]), data["seed"]) == written
