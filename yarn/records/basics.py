"""What a record is; and records that belong to no single protocol: errors as data, URLs, utilization.

A record is a frozen struct with keyword arguments only, whose fields bear its message's field
names. Hadoop's camelCase names are written in snake_case (`isUnregistered` is `is_unregistered`). A field
that was not set on the wire is None unless the contract lists a default; a repeated field is a tuple, a list
of key-value messages a mapping.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import field

from yarnbox.yarn.enums import ResourceTypes
from yarnbox.yarn.frozen import Frozen
from yarnbox.yarn.limits import Capacity
from yarnbox.yarn.resources.resource import Resource


class Record(Frozen, frozen=True, kw_only=True):
    """A message as data."""


class SerializedException(Record, frozen=True, kw_only=True):
    """SerializedExceptionProto of yarn_protos.proto."""

    message: str | None = None
    trace: str | None = None
    class_name: str | None = None  # Java class name, e.g. org.apache.hadoop.yarn.exceptions.YarnException
    cause: SerializedException | None = None


class ResourceTypeInfo(Record, frozen=True, kw_only=True):
    """ResourceTypeInfoProto of yarn_protos.proto."""

    name: str
    units: str | None = None  # default unit of the type
    type: ResourceTypes | None = None


class ResourceUtilization(Record, frozen=True, kw_only=True):
    """ResourceUtilizationProto of yarn_protos.proto."""

    pmem: int | None = None  # MiB
    vmem: int | None = None  # MiB
    cpu: float | None = None  # cores in use, 1.0 = one core
    custom_resources: Mapping[str, float] = field(default_factory=dict)


class URL(Record, frozen=True, kw_only=True):
    """URLProto of yarn_protos.proto."""

    scheme: str | None = None
    host: str | None = None
    port: int | None = None  # -1 or absent: none
    file: str | None = None  # path
    user_info: str | None = None


class LogAggregationContext(Record, frozen=True, kw_only=True):
    """LogAggregationContextProto of yarn_protos.proto."""

    include_pattern: str = ".*"  # file names collected when the application ends
    exclude_pattern: str = ""
    rolled_logs_include_pattern: str = ""  # file names collected while it runs
    rolled_logs_exclude_pattern: str = ".*"
    log_aggregation_policy_class_name: str | None = None
    log_aggregation_policy_parameters: str | None = None


class ResourceOption(Record, frozen=True, kw_only=True):
    """ResourceOptionProto of yarn_protos.proto."""

    resource: Capacity | None = None
    over_commit_timeout: int | None = None  # ms; -1: never kill, 0: kill at once, > 0: warn now, kill after


class ResourceProfileEntry(Record, frozen=True, kw_only=True):
    """ResourceProfileEntry of yarn_protos.proto."""

    name: str
    resources: Resource


class ResourceProfiles(Record, frozen=True, kw_only=True):
    """ResourceProfilesProto of yarn_protos.proto."""

    resource_profiles_map: tuple[ResourceProfileEntry, ...] = ()
