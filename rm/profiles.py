"""Resource profiles: names for sizes, in a JSON file. Hadoop: ResourceProfilesManagerImpl."""

from __future__ import annotations

import json

from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.resources.resource_types import ResourceTypeRegistry

MANDATORY = ("minimum", "maximum", "default")


def read_profiles(name: str, text: str | None, types: ResourceTypeRegistry) -> dict[str, Resource]:
    """`{"small": {"memory-mb": 1024, "vcores": 1}, ...}`; minimum, maximum and default must be among them."""
    try:
        given = json.loads(text or "{}")
        profiles = {
            profile: types.parse(",".join(f"{kind}={amount}" for kind, amount in amounts.items()))
            for profile, amounts in given.items()
        }
    except (ValueError, AttributeError) as error:
        raise YarnError(f"{name} is not a file of resource profiles: {error}") from error
    missing = [profile for profile in MANDATORY if profile not in profiles]
    if missing:
        raise YarnError(f"{name} has no resource profile {', '.join(missing)}")
    return profiles
