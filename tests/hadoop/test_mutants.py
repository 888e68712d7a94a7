"""The table of faults fits the code as it is."""

from __future__ import annotations

from tests.hadoop.mutants import MUTANTS
from tests.mutants import check_table


def test_each_fault_has_one_place_and_a_name_of_its_own() -> None:
    check_table(MUTANTS)
