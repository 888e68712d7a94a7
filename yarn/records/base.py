"""What a record is: a frozen, slotted dataclass with keyword arguments only, whose fields bear its message's
field names.

Hadoop's camelCase names are written in snake_case (`isUnregistered` is `is_unregistered`). A field that was
not set on the wire is None unless the contract lists a default; a repeated field is a tuple, a list of key-
value messages a mapping.
"""

from typing import TypeVar, dataclass_transform

from yarnbox.yarn.frozen import frozen

T = TypeVar("T")


@dataclass_transform(frozen_default=True, kw_only_default=True)
def record(cls: type[T]) -> type[T]:
    """Makes `cls` a record."""
    return frozen(cls)
