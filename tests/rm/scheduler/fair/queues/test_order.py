"""The line: always as a sort would have it, whoever changes, comes or goes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from yarnbox.rm.scheduler.fair.queues.order import FullKey, ServingOrder


class Somebody:
    """A member with a number that sorts it; without a key if the number is 7."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.rank = 0
        self.wants = True

    def has_unmet_demand(self) -> bool:
        """As the test says."""
        return self.wants

    def sort_key(self) -> FullKey | None:
        """Rank, then number."""
        return None if self.rank == 7 else (self.rank, self.number)

    def compare(self, other: Somebody) -> float:
        """The same by comparison."""
        return self.rank - other.rank or self.number - other.number


@given(
    st.lists(
        st.tuples(st.integers(0, 19), st.one_of(st.none(), st.integers(0, 9)), st.booleans()), max_size=60
    )
)
def test_the_line_is_what_a_sort_would_give(changes: list[tuple[int, int | None, bool]]) -> None:
    members = [Somebody(number) for number in range(20)]
    there: dict[Somebody, None] = {}
    line: ServingOrder[Somebody] = ServingOrder()
    for number, rank, looks in changes:
        member = members[number]
        if rank is None:
            line.drop(member)
            there.pop(member, None)
        else:
            member.rank, member.wants = rank, rank != 5
            there[member] = None
            line.mark_changed(member)
        if looks:
            expected = sorted((one for one in there if one.wants), key=lambda one: (one.rank, one.number))
            assert list(line.members()) == expected
            assert line.is_empty() is (not expected)


def test_many_changes_at_once_are_sorted_once() -> None:
    members = [Somebody(number) for number in range(100)]
    line: ServingOrder[Somebody] = ServingOrder()
    line.mark_all_changed(members)
    assert list(line.members()) == members
    for member in members:
        member.rank = -member.number
    line.mark_all_changed(members)
    assert list(line.members()) == members[::-1]
