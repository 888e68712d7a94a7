"""Records to protobuf messages and back. The only place where the two meet.

A record `Foo` stands for the message `FooProto`, field by field of the same name (camelCase written in
snake_case), so the conversion is derived from the record's annotations once, at its first use, and is not
written out by hand. Special are the identifiers, Resource (whose further types travel in
`resource_value_map`), priorities (an int here, a PriorityProto there) and the repeated key-value messages (a
mapping here).

What arrives is checked while it is read, against the limits of yarn/limits.py, field by field: whatever is a
record here can be stored, listed and sent on. What leaves is made to fit instead: a sum that has outgrown its
field is the largest number the field holds, half a character a replacement character.
"""

from __future__ import annotations

import re
import types
import typing
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, fields
from enum import Enum
from functools import cache
from typing import Any, Final, TypeVar

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import DecodeError, Message

from yarnbox.protos import (
    HAServiceProtocol_pb2,
    Security_pb2,
    mr_protos_pb2,
    mr_service_protos_pb2,
    yarn_protos_pb2,
    yarn_security_token_pb2,
    yarn_server_common_protos_pb2,
    yarn_server_common_service_protos_pb2,
    yarn_server_resourcemanager_service_protos_pb2,
    yarn_service_protos_pb2,
)
from yarnbox.yarn.errors import IllegalArgumentError
from yarnbox.yarn.ids import (
    NO_ATTEMPT,
    ApplicationAttemptId,
    ApplicationId,
    ContainerId,
    NodeId,
    ReservationId,
)
from yarnbox.yarn.limits import (
    INT32_MAX,
    INT64_MAX,
    NAME_LENGTH,
    OutOfLimitsError,
    Text,
    check_node_id,
    check_of,
    numbered,
)
from yarnbox.yarn.resources.resource import MEMORY_MB, VCORES, Resource
from yarnbox.yarn.resources.units import UNITS
from yarnbox.yarn.resources.units import convert as in_unit

T = TypeVar("T")
Convert = Callable[[Any], Any]

_MODULES = (
    yarn_protos_pb2,
    yarn_service_protos_pb2,
    yarn_server_common_protos_pb2,
    yarn_server_common_service_protos_pb2,
    yarn_server_resourcemanager_service_protos_pb2,
    yarn_security_token_pb2,
    Security_pb2,
    HAServiceProtocol_pb2,
    mr_protos_pb2,
    mr_service_protos_pb2,
)


@cache
def message_class(cls: Any) -> type[Message]:
    """The generated message class of a record class."""
    for module in _MODULES:
        found = getattr(module, cls.__name__ + "Proto", None) or getattr(module, cls.__name__, None)
        if isinstance(found, type) and issubclass(found, Message):
            return found
    raise LookupError(f"no message for the record {cls.__name__}")


# Identifiers and resources: written out, since they are made for every container.


def _encode_application_id(value: ApplicationId) -> Message:
    return yarn_protos_pb2.ApplicationIdProto(id=value.id, cluster_timestamp=value.cluster_timestamp)


def _decode_application_id(message: Any) -> ApplicationId:
    timestamp, number = message.cluster_timestamp, message.id
    if timestamp < 0 or number < 0:
        raise numbered(cluster_timestamp=timestamp, id=number)
    return ApplicationId(timestamp, number)


def _encode_attempt_id(value: ApplicationAttemptId) -> Message:
    application_id = value.application_id
    return yarn_protos_pb2.ApplicationAttemptIdProto(
        application_id=yarn_protos_pb2.ApplicationIdProto(
            id=application_id.id, cluster_timestamp=application_id.cluster_timestamp
        ),
        attemptId=value.attempt_id,
    )


def _decode_attempt_id(message: Any) -> ApplicationAttemptId:
    outer = message.application_id
    timestamp, number, attempt = outer.cluster_timestamp, outer.id, message.attemptId
    if timestamp <= 0 or number < 0 or attempt < 0:
        if not message.HasField("application_id"):
            raise _missing("application_id")
        _part("application_id", _decode_application_id, outer)
        if attempt < NO_ATTEMPT:
            why = f"is {attempt}; allowed is {NO_ATTEMPT}, for none, and more"
            raise OutOfLimitsError(why).inside("attemptId")
    return ApplicationAttemptId(ApplicationId(timestamp, number), attempt)


def _encode_container_id(value: ContainerId) -> Message:
    return yarn_protos_pb2.ContainerIdProto(
        app_attempt_id=typing.cast(Any, _encode_attempt_id(value.application_attempt_id)), id=value.id
    )


def _decode_container_id(message: Any) -> ContainerId:
    """In one step, and in its parts only when one of the numbers is odd: every heartbeat is full of these."""
    attempt = message.app_attempt_id
    application = attempt.application_id
    number, attempt_number = message.id, attempt.attemptId
    timestamp, application_number = application.cluster_timestamp, application.id
    if number < 0 or attempt_number < 0 or application_number < 0 or timestamp <= 0:
        if number < 0:
            raise numbered(id=number)
        if not message.HasField("app_attempt_id"):
            raise _missing("app_attempt_id")
        if attempt_number < 0:
            raise numbered(attemptId=attempt_number).inside("app_attempt_id")
        return ContainerId(_part("app_attempt_id", _decode_attempt_id, attempt), number)
    return ContainerId(
        ApplicationAttemptId(ApplicationId(timestamp, application_number), attempt_number), number
    )


def _encode_node_id(value: NodeId) -> Message:
    return yarn_protos_pb2.NodeIdProto(host=value.host, port=value.port)


def _decode_node_id(message: Any) -> NodeId:
    return check_node_id(message.host, message.port)


def _encode_reservation_id(value: ReservationId) -> Message:
    return yarn_protos_pb2.ReservationIdProto(id=value.id, cluster_timestamp=value.cluster_timestamp)


def _decode_reservation_id(message: Any) -> ReservationId:
    timestamp, number = message.cluster_timestamp, message.id
    if timestamp < 0 or number < 0:
        raise numbered(cluster_timestamp=timestamp, id=number)
    return ReservationId(timestamp, number)


def _missing(field: str) -> OutOfLimitsError:
    return OutOfLimitsError(f"the required field {field} is missing")


def _part(field: str, decode: Convert, message: Any) -> Any:
    try:
        return decode(message)
    except OutOfLimitsError as error:
        raise error.inside(field) from None


def _within(value: int, largest: int) -> int:
    return min(max(value, -largest - 1), largest)


_ENCODERS: Mapping[Any, Convert] = {
    ApplicationId: _encode_application_id,
    ApplicationAttemptId: _encode_attempt_id,
    ContainerId: _encode_container_id,
    NodeId: _encode_node_id,
    ReservationId: _encode_reservation_id,
}
_DECODERS: Mapping[Any, Convert] = {
    ApplicationId: _decode_application_id,
    ApplicationAttemptId: _decode_attempt_id,
    ContainerId: _decode_container_id,
    NodeId: _decode_node_id,
    ReservationId: _decode_reservation_id,
}


_resource_name = Text(NAME_LENGTH).check()


class Wire:
    """Turns records into messages and back, amounts of further resource types in one daemon's units.

    Amounts of the types in `units` are sent with their unit, and what arrives in another one is converted. Of
    a type that is not named the unit is left out, which means the receiver's own, and amounts are taken as
    they come. Hadoop: ResourceUtils.getDefaultUnit, as ResourcePBImpl uses it.
    """

    def __init__(self, units: Mapping[str, str]) -> None:
        self._units = units
        self._encoders: dict[Any, Convert] = {**_ENCODERS, Resource: self._encode_resource}
        self._decoders: dict[Any, Convert] = {**_DECODERS, Resource: self._decode_resource}

    def to_message(self, record: Any) -> Message:
        """The message that stands for `record` (a record, an identifier or a Resource)."""
        return typing.cast(Message, self._encoder(type(record))(record))

    def from_message(self, cls: type[T], message: Message) -> T:
        """The record of class `cls` that `message` stands for; IllegalArgumentError, with the path to the
        field, when a required part is missing or a value is none that may be sent.
        """
        try:
            return typing.cast(T, self._decoder(cls)(message))
        except OutOfLimitsError as error:
            raise IllegalArgumentError(f"{cls.__name__}: {error}") from None

    def to_bytes(self, record: Any) -> bytes:
        """The serialized message of `record`."""
        return self.to_message(record).SerializeToString()

    def from_bytes(self, cls: type[T], data: bytes) -> T:
        """The record of class `cls` in `data`; IllegalArgumentError when the bytes are no such message."""
        try:
            return self.from_message(cls, message_class(typing.cast(Any, cls)).FromString(data))
        except DecodeError as error:
            raise IllegalArgumentError(f"not a {cls.__name__} message: {error}") from error

    def to_text(self, record: Any) -> str:
        """The serialized message of `record` in base 64, as it is stored."""
        return b64encode(self.to_bytes(record)).decode("ascii")

    def from_text(self, cls: type[T], text: str) -> T:
        """The record of class `cls` in `text`; ValueError or IllegalArgumentError when there is none."""
        return self.from_bytes(cls, b64decode(text))

    # Resources

    def _encode_resource(self, value: Resource) -> Message:
        try:
            message = yarn_protos_pb2.ResourceProto(memory=value.memory_mb, virtual_cores=value.vcores)
        except ValueError:  # a sum may be more than either holds
            memory, vcores = _within(value.memory_mb, INT64_MAX), _within(value.vcores, INT32_MAX)
            message = yarn_protos_pb2.ResourceProto(memory=memory, virtual_cores=vcores)
        for name, amount in value.others:
            entry = message.resource_value_map.add(
                key=name, value=_within(amount, INT64_MAX), type=yarn_protos_pb2.ResourceTypesProto.COUNTABLE
            )
            if name in self._units:
                entry.units = self._units[name]
        return message

    def _decode_resource(self, message: Any) -> Resource:
        if not message.resource_value_map:
            return Resource(message.memory, message.virtual_cores)
        others: dict[str, int] = {}
        for entry in message.resource_value_map:
            if entry.key in (MEMORY_MB, VCORES):
                continue  # fields 1 and 2 win for those two
            others[_part("resource_value_map", _resource_name, entry.key)] = self._decode_amount(entry)
        return Resource.of({MEMORY_MB: message.memory, VCORES: message.virtual_cores, **others})

    def _decode_amount(self, entry: Any) -> int:
        """The amount in our unit; an entry without a unit is in it, one with an empty unit counts pieces."""
        amount: int = entry.value
        if not entry.HasField("units"):
            return amount
        if entry.units not in UNITS:
            raise OutOfLimitsError(f"has the unknown unit {entry.units!r} of resource type {entry.key}")
        try:
            return in_unit(amount, entry.units, self._units.get(entry.key, entry.units))
        except ValueError as error:
            why = f"has {amount}{entry.units} of resource type {entry.key}: {error}"
            raise OutOfLimitsError(why) from error

    # Everything else is derived

    def _encoder(self, cls: Any) -> Convert:
        found = self._encoders.get(cls)
        if found is None:
            self._encoders[cls] = found = self._build_encoder(cls)
        return found

    def _decoder(self, cls: Any) -> Convert:
        found = self._decoders.get(cls)
        if found is None:
            # A record may contain itself: what is built within finds this instead.
            self._decoders[cls] = lambda message: self._decoders[cls](message)
            self._decoders[cls] = found = self._build_decoder(cls)
        return found

    def _value_encoder(self, annotation: Any, descriptor: Any) -> Convert | None:
        """How one value of `annotation` is written; None for a plain value that goes as it is."""
        annotation, _ = _strip(annotation)
        if isinstance(annotation, type) and issubclass(annotation, Enum):
            return lambda value: value.value
        if descriptor.message_type is not None and annotation is int:
            return lambda value: yarn_protos_pb2.PriorityProto(priority=value)
        if descriptor.message_type is not None:
            return lambda value: self._encoder(type(value))(value)
        return None

    def _value_decoder(self, annotation: Any, descriptor: Any) -> Convert | None:
        """How one value of `annotation` is read and checked; None for a plain value without limits."""
        annotation, metadata = _strip(annotation)
        if isinstance(annotation, type) and issubclass(annotation, Enum):
            return {member.value: member for member in annotation}.__getitem__
        check = check_of(annotation, metadata)
        if descriptor.message_type is None:
            return check
        if annotation is int:
            return lambda message: message.priority
        decode = self._decoder(annotation)
        return decode if check is None else lambda message: check(decode(message))

    def _build_encoder(self, cls: Any) -> Convert:
        message_type: Any = message_class(cls)
        plan = []
        for name, annotation, descriptor, _ in _fields_of(cls):
            plan.append((name, descriptor.name, self._field_encoder(annotation, descriptor)))

        def encode(value: Any) -> Message:
            arguments = {}
            for name, message_field, convert in plan:
                part = getattr(value, name)
                if part is None:
                    continue
                arguments[message_field] = part if convert is None else convert(part)
            return _new(message_type, arguments)

        return encode

    def _field_encoder(self, annotation: Any, descriptor: Any) -> Convert | None:
        if _is_mapping(annotation):
            entry_type: Any = message_class_of(descriptor)
            inner = self._value_encoder(
                typing.get_args(annotation)[1], descriptor.message_type.fields_by_name["value"]
            )
            if inner is None:
                return lambda value: [
                    _new(entry_type, {"key": key, "value": one}) for key, one in value.items()
                ]
            return lambda value: [
                _new(entry_type, {"key": key, "value": inner(one)}) for key, one in value.items()
            ]
        if _is_tuple(annotation):
            element = self._value_encoder(typing.get_args(annotation)[0], descriptor)
            return None if element is None else lambda value: [element(part) for part in value]
        return self._value_encoder(annotation, descriptor)

    def _build_decoder(self, cls: Any) -> Convert:
        plan: dict[int, tuple[str, Convert | None]] = {}
        required = []
        for name, annotation, descriptor, default in _fields_of(cls):
            plan[descriptor.number] = (name, self._field_decoder(annotation, descriptor))
            if default is MISSING and not _is_mapping(annotation):
                required.append((name, descriptor.name))

        def decode(message: Any) -> Any:
            arguments = {}
            try:
                for descriptor, value in message.ListFields():
                    known = plan.get(descriptor.number)
                    if known is not None:
                        name, convert = known
                        arguments[name] = value if convert is None else convert(value)
            except OutOfLimitsError as error:
                raise error.inside(descriptor.name) from None
            for name, message_field in required:
                if name not in arguments:
                    raise _missing(message_field)
            return cls(**arguments)

        return decode

    def _field_decoder(self, annotation: Any, descriptor: Any) -> Convert | None:
        if _is_mapping(annotation):
            return self._mapping_decoder(typing.get_args(annotation)[1], descriptor)
        if _is_tuple(annotation):
            element = self._value_decoder(typing.get_args(annotation)[0], descriptor)
            return tuple if element is None else _tuple_decoder(element)
        return self._value_decoder(annotation, descriptor)

    def _mapping_decoder(self, annotation: Any, descriptor: Any) -> Convert:
        """Entries of key and value; keys are texts."""
        key = Text().check()
        inner = self._value_decoder(annotation, descriptor.message_type.fields_by_name["value"]) or _as_it_is

        def decode(entries: Any) -> dict[str, Any]:
            found = {}
            for index, entry in enumerate(entries):
                try:
                    found[key(entry.key)] = inner(entry.value)
                except OutOfLimitsError as error:
                    raise error.inside(f"[{index}]") from None
            return found

        return decode


def prepare(classes: Iterable[type]) -> None:
    """Looks at what these records and all within them are made of, which takes longer than to send one. Forks
    of this process need not.
    """
    wire = Wire({})
    for cls in classes:
        wire._encoder(cls)
        wire._decoder(cls)


def _snake(name: str) -> str:
    return re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name).lower()


@cache
def _fields_of(cls: Any) -> list[tuple[str, Any, Any, Any]]:
    """(record field, annotation, message field, default) for each field of a record class."""
    descriptors = {_snake(field.name): field for field in message_class(cls).DESCRIPTOR.fields}
    hints = typing.get_type_hints(cls, include_extras=True)
    found = []
    for field in fields(cls):
        found.append((field.name, hints[field.name], descriptors[field.name.rstrip("_")], field.default))
    return found


def _strip(annotation: Any) -> tuple[Any, tuple[Any, ...]]:
    """The type itself, without None, and the limits that its annotation bears."""
    if typing.get_origin(annotation) in (typing.Union, types.UnionType):
        annotation = next(part for part in typing.get_args(annotation) if part is not type(None))
    if typing.get_origin(annotation) is typing.Annotated:
        return annotation.__origin__, annotation.__metadata__
    return annotation, ()


def _is_mapping(annotation: Any) -> bool:
    return typing.get_origin(annotation) is Mapping


def _is_tuple(annotation: Any) -> bool:
    return typing.get_origin(annotation) is tuple


def _new(message_type: Any, arguments: Mapping[str, Any]) -> Message:
    """The message; a value that does not fit into its field is made to."""
    try:
        return typing.cast(Message, message_type(**arguments))
    except ValueError:
        by_name = message_type.DESCRIPTOR.fields_by_name
        fitting = {name: _fitting(value, by_name[name]) for name, value in arguments.items()}
        return typing.cast(Message, message_type(**fitting))


def _fitting(value: Any, descriptor: Any) -> Any:
    """The nearest value that the field holds."""
    if isinstance(value, list | tuple):
        return [_fitting(one, descriptor) for one in value]
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, int) and descriptor.cpp_type in _LARGEST:
        return _within(value, _LARGEST[descriptor.cpp_type])
    return value


_LARGEST = {FieldDescriptor.CPPTYPE_INT32: INT32_MAX, FieldDescriptor.CPPTYPE_INT64: INT64_MAX}


def message_class_of(descriptor: Any) -> type[Message]:
    """The generated class of a message field's type."""
    for module in _MODULES:
        found = getattr(module, descriptor.message_type.name, None)
        if isinstance(found, type) and issubclass(found, Message):
            return found
    raise LookupError(descriptor.message_type.full_name)


def _as_it_is(value: Any) -> Any:
    return value


def _tuple_decoder(element: Convert) -> Convert:
    def decode(values: Any) -> tuple[Any, ...]:
        try:
            return tuple([element(value) for value in values])
        except OutOfLimitsError:
            return tuple([_numbered_element(element, *pair) for pair in enumerate(values)])

    return decode


def _numbered_element(element: Convert, index: int, value: Any) -> Any:
    try:
        return element(value)
    except OutOfLimitsError as error:
        raise error.inside(f"[{index}]") from None


@cache
def _wire_of(units: tuple[tuple[str, str], ...]) -> Wire:
    return Wire(dict(units))


def wire_of(units: Mapping[str, str]) -> Wire:
    """The wire of a daemon with these units; one for all that have the same, for what it derives."""
    return _wire_of(tuple(sorted(units.items())))


PLAIN: Final = wire_of({})
"""The wire of who knows no units of his own, such as a client: amounts travel as they are."""

to_message, from_message = PLAIN.to_message, PLAIN.from_message
to_bytes, from_bytes = PLAIN.to_bytes, PLAIN.from_bytes


def checked(record: T) -> T:
    """A record that did not come in a message, if one could hold it; IllegalArgumentError when not."""
    arrived = from_message(type(record), to_message(record))
    if arrived != record:
        raise IllegalArgumentError(f"{type(record).__name__}: a number or a string cannot be sent")
    return arrived
