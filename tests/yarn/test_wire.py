"""What records hold and messages cannot."""

from __future__ import annotations

import pytest

from yarn.resource import Resource
from yarn.wire import from_bytes, to_bytes


@pytest.mark.parametrize(
    "vcores, told", [(2**31 - 1, 2**31 - 1), (2**31, 2**31 - 1), (2**40, 2**31 - 1), (-1, -1)]
)
def test_more_vcores_than_32_bits_hold_are_as_many_as_they_hold(vcores: int, told: int) -> None:
    assert from_bytes(Resource, to_bytes(Resource(2**40, vcores))) == Resource(2**40, told)
