"""Containers on lanes, and the bars that are seen of them."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from hypothesis import given
from hypothesis import strategies as some

from yarnbox.rm.web.saved.lanes import Lanes, Span

NOW = 100


def container(node: str, started: int, finished: int = 0) -> dict[str, Any]:
    return {"node": node, "started": started, "finished": finished}


LIVES = some.builds(
    lambda node, started, span: container(node, started, started + span if span else 0),
    some.sampled_from(["n1", "n2", "n10"]),
    some.integers(1, NOW),
    some.integers(0, 30),
)


@given(some.lists(LIVES, min_size=1, max_size=30))
def test_no_two_living_containers_share_a_lane(containers: list[dict[str, Any]]) -> None:
    lanes = Lanes(containers, "node", NOW)
    assert [one.name for one in lanes.groups] == [
        name for name in ("n1", "n2", "n10") if any(one["node"] == name for one in containers)
    ]
    tops = {one.name: (one.top, one.top + one.lanes) for one in lanes.groups}
    for place, one in enumerate(containers):
        top, bottom = tops[one["node"]]
        assert top <= lanes.lane[place] < bottom
    assert lanes.count == sum(one.lanes for one in lanes.groups) == len(dict.fromkeys(lanes.lane))
    lives = [(one["started"], one["finished"] or NOW + 1) for one in containers]
    for first, second in combinations(range(len(containers)), 2):
        if lanes.lane[first] == lanes.lane[second]:
            earlier, later = sorted((lives[first], lives[second]))
            assert earlier[1] <= later[0]


@given(some.lists(LIVES, min_size=1, max_size=30), some.integers(1, 40), some.integers(0, 90))
def test_no_two_bars_share_a_pixel(containers: list[dict[str, Any]], height: int, begin: int) -> None:
    lanes = Lanes(containers, "node", NOW)
    seen: dict[tuple[int, int], int] = {}
    for bar in lanes.bars(Span(begin, begin + 20), lanes.rows, 50, height):
        assert 0 <= bar.x < bar.x + bar.width <= 50
        assert 0 <= bar.y < bar.y + bar.height <= height
        assert containers[bar.of]["started"] < begin + 20
        for x in range(bar.x, bar.x + bar.width):
            for y in range(bar.y, bar.y + bar.height):
                assert seen.setdefault((x, y), bar.of) == bar.of


def test_the_topmost_free_lane_is_taken() -> None:
    lanes = Lanes(
        [
            container("n2", 30, 40),
            container("n1", 10, 20),
            container("n1", 10),
            container("n1", 20, 30),
            container("n1", 25),
        ],
        "node",
        NOW,
    )
    assert lanes.lane == [3, 0, 1, 0, 2]
    assert lanes.time == Span(10, 1010), "a second at least"
    assert lanes.rows == Span(0, 4)


def test_the_one_that_began_first_hides_narrow_ones() -> None:
    containers = [container("n1", 100, 101), container("n1", 101, 102), container("n1", 500, 900)]
    lanes = Lanes(containers, "node", 1000)
    bars = list(lanes.bars(Span(0, 1000), lanes.rows, 10, 15))
    assert [(bar.x, bar.width, bar.of) for bar in bars] == [(1, 1, 0), (5, 4, 2)]
    later = list(lanes.bars(Span(600, 1000), Span(0, 1), 40, 15))
    assert [(bar.x, bar.width, bar.height, bar.of) for bar in later] == [(0, 29, 14, 2)], "and a gap"
    assert not list(lanes.bars(Span(0, 1000), Span(1, 2), 10, 15)), "its lane is not seen"
