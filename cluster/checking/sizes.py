"""The size of an imagined cluster: of the default partition, and of those of labels.

Written on the command line as `memory=100G,vcores=40` and, for a partition, `gpu:memory=50G,vcores=20`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from yarnbox.yarn.configuration import Configuration, ConfigurationError
from yarnbox.yarn.resources.node_resources import node_resource
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.resources.resource_types import ResourceTypeRegistry

OPTION = "--cluster"
DEFAULT_NODES = 3
"""Without the option: as many nodes as `yarnbox up` starts, of the size that the directory says."""


def read_sizes(
    texts: Sequence[str], types: ResourceTypeRegistry, site: Configuration
) -> Mapping[str, Resource]:
    """Partition to size; the default partition, which is called "", is always among them."""
    sizes = {"": node_resource(site, types) * DEFAULT_NODES}
    given: dict[str, None] = {}
    for text in texts:
        label, colon, amounts = text.partition(":")
        name = label.strip() if colon else ""
        if name in given:
            raise _fault(text, f"one size for {f'partition {name}' if name else 'the default partition'}")
        given[name] = None
        try:
            sizes[name] = types.parse(amounts if colon else text)
        except ValueError as error:
            raise _fault(text, str(error)) from None
    return sizes


def cluster_size(texts: Sequence[str], types: ResourceTypeRegistry, site: Configuration) -> Resource:
    """The size where there are no partitions."""
    sizes = read_sizes(texts, types, site)
    for name in sizes:
        if name:
            raise _fault(f"{name}:...", "no partition: the fair scheduler has none")
    return sizes[""]


def _fault(value: str, allowed: str) -> ConfigurationError:
    return ConfigurationError.of("command line", allowed, name=OPTION, value=value)
