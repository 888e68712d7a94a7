"""What records hold and messages cannot, and in which units amounts travel."""

from __future__ import annotations

import pytest

from yarnbox.protos.yarn_protos_pb2 import ResourceProto
from yarnbox.yarn.errors import IllegalArgumentError
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.wire import PLAIN, Wire, from_bytes, to_bytes, wire_of


@pytest.mark.parametrize(
    "vcores, told", [(2**31 - 1, 2**31 - 1), (2**31, 2**31 - 1), (2**40, 2**31 - 1), (-1, -1)]
)
def test_more_vcores_than_32_bits_hold_are_as_many_as_they_hold(vcores: int, told: int) -> None:
    assert from_bytes(Resource, to_bytes(Resource(2**40, vcores))) == Resource(2**40, told)


IN_MEGABYTES = wire_of({"disk": "M", "gpu": ""})


def sent(amount: int, units: str | None) -> bytes:
    message = ResourceProto(memory=1, virtual_cores=1)
    entry = message.resource_value_map.add(key="disk", value=amount)
    if units is not None:
        entry.units = units
    return message.SerializeToString()


def disk_of(wire: Wire, data: bytes) -> int:
    return dict(wire.from_bytes(Resource, data).others)["disk"]


def test_amounts_travel_with_the_units_of_their_types() -> None:
    message = ResourceProto.FromString(
        IN_MEGABYTES.to_bytes(Resource.of({"memory-mb": 1, "disk": 5, "gpu": 2, "other": 3}))
    )
    told = {
        entry.key: (entry.value, entry.HasField("units"), entry.units) for entry in message.resource_value_map
    }
    assert told == {"disk": (5, True, "M"), "gpu": (2, True, ""), "other": (3, False, "")}


@pytest.mark.parametrize(
    "amount, units, here",
    [(5, "M", 5), (5, None, 5), (5, "G", 5_000), (5_000, "k", 5), (5_999_999, "", 5), (1, "Gi", 1_073)],
)
def test_amounts_in_other_units_are_converted(amount: int, units: str | None, here: int) -> None:
    assert disk_of(IN_MEGABYTES, sent(amount, units)) == here


def test_who_knows_no_types_takes_amounts_as_they_come() -> None:
    assert [disk_of(PLAIN, sent(5, units)) for units in ("M", "", None)] == [5, 5, 5]


@pytest.mark.parametrize("amount, units", [(5, "MB"), (2**62, "P")])
def test_an_impossible_amount_is_refused(amount: int, units: str) -> None:
    with pytest.raises(IllegalArgumentError, match="of resource type disk"):
        disk_of(IN_MEGABYTES, sent(amount, units))
