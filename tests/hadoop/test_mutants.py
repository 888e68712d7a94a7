"""The table of faults fits the code as it is."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from tests.hadoop.mutants import MUTANTS

ROOT = Path(__file__).parents[2]


def test_each_fault_has_one_place_and_a_name_of_its_own() -> None:
    texts = {mutant.file: (ROOT / mutant.file).read_text() for mutant in MUTANTS}
    assert [one.name for one in MUTANTS if texts[one.file].count(one.before) != 1] == []
    assert [name for name, count in Counter(one.name for one in MUTANTS).items() if count > 1] == []


def test_each_fault_leaves_python_behind() -> None:
    for mutant in MUTANTS:
        assert mutant.before != mutant.after
        compile((ROOT / mutant.file).read_text().replace(mutant.before, mutant.after), mutant.file, "exec")
