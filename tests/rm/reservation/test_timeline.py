"""Sums of pieces, worked out by pairs and one by one."""

from __future__ import annotations

from random import Random

import pytest

from yarnbox.rm.reservation.profile import Piece
from yarnbox.rm.reservation.timeline import Timeline
from yarnbox.yarn.resources.resource import Resource


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
