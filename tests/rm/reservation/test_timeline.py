"""Sums of pieces, worked out by pairs and one by one."""

from __future__ import annotations

from random import Random

import pytest

from yarnbox.rm.reservation.profile import Piece
from yarnbox.rm.reservation.timeline import FIRST, LAST, Recurring, Timeline
from yarnbox.yarn.resources.resource import NONE, Resource, total


def drawn(dice: Random) -> Piece:
    """A piece of an hour, perhaps of nothing."""
    start_ms = dice.randrange(60)
    return Piece(
        start_ms, start_ms + dice.randrange(1, 9), Resource(dice.choice((0, 1, 2)), dice.choice((0, 1)))
    )


@pytest.mark.parametrize("count", range(10))
def test_the_sum_of_pieces_is_what_adding_them_one_by_one_gives(count: int) -> None:
    for seed in range(50):
        dice = Random(seed)
        pieces = [drawn(dice) for _ in range(count)]
        one_by_one = Timeline()
        for piece in pieces:
            one_by_one = one_by_one.with_piece(piece)
        assert list(Timeline.of(pieces).items()) == list(one_by_one.items())


PERIOD = 100


@pytest.mark.parametrize("count", range(1, 6))
def test_what_recurs_is_there_in_every_period(count: int) -> None:
    for seed in range(50):
        dice = Random(seed)
        pieces = [drawn(dice) for _ in range(count)]
        recurring = Recurring.of(PERIOD, pieces)
        start_ms = dice.randrange(1000)
        end_ms = start_ms + dice.randrange(250)
        found = recurring.between(start_ms, end_ms)
        for moment_ms in range(start_ms, end_ms + 1):
            place_ms = moment_ms % PERIOD
            held = total(each.amount for each in pieces if each.start_ms <= place_ms < each.end_ms)
            assert recurring.at(moment_ms) == held
            assert (found.at(moment_ms) or NONE) == held


def test_a_span_of_what_recurs_begins_at_the_point_before_it_and_may_know_its_end() -> None:
    two = Recurring.of(PERIOD, (Piece(10, 20, Resource(1, 1)), Piece(50, 60, Resource(2, 0))))
    assert list(two.between(15, 120).points) == [10, 20, 50, 60, 110, 120]
    assert list(two.between(215, 255).points) == [210, 220, 250, LAST]
    assert list(two.between(-30, 40).points) == [-20, -10, 20, 30]
    assert not Recurring(PERIOD).between(0, 50)


def test_the_last_moment_that_is_known_is_not_the_end_of_time() -> None:
    one = Timeline.of([Piece(10, 20, Resource(1, 1)), Piece(30, 40, Resource(1, 1))])
    assert (one.last_known_ms(), one.points[-1], Timeline().last_known_ms()) == (40, LAST, -1)
    assert one.between(FIRST, 15).last_known_ms() == 10
