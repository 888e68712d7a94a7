"""The generated modules against the contract: every message, field, enum and rpc of Hadoop 3.4 that we speak.

contract.json says what Hadoop's .proto files say, file by file; a field is `number label type name =
default`, with type names relative to hadoop.yarn. It is a fact, and is never written from our own
descriptors. What we leave out or rename is listed here, and nowhere else.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TypedDict

import pytest
from google.protobuf.descriptor import (
    Descriptor,
    EnumDescriptor,
    FieldDescriptor,
    FileDescriptor,
    MethodDescriptor,
    ServiceDescriptor,
)
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from tests.tree import ROOT
from yarnbox.protos import yarn_protos_pb2 as records
from yarnbox.protos import yarn_service_protos_pb2 as calls


class ContractFile(TypedDict):
    """One .proto file of Hadoop."""

    package: str
    enums: dict[str, dict[str, int]]
    messages: dict[str, list[str]]
    services: dict[str, list[str]]


CONTRACT: dict[str, ContractFile] = json.loads(
    Path(__file__).with_name("contract.json").read_text(encoding="utf-8")
)

# The timeline collector is not part of yarnbox; its fields stay unknown fields, which protobuf carries along.
LEFT_OUT = {
    "AllocateResponseProto": ["14 optional CollectorInfoProto collector_info"],
    "NodeHeartbeatRequestProto": ["6 repeated AppCollectorDataProto registering_collectors"],
    "NodeHeartbeatResponseProto": ["16 repeated AppCollectorDataProto app_collectors"],
}
# Values of enums share their package's scope, and NodeActionProto has a NORMAL too: Hadoop never loads both
# files in one process, we do. Names of values are not on the wire.
RENAMED_VALUES = {("DecommissionTypeProto", "NORMAL"): "DECOMMISSION_NORMAL"}

TYPE_NAMES = {
    value: name.removeprefix("TYPE_").lower()
    for name, value in vars(FieldDescriptor).items()
    if name.startswith("TYPE_")
}


def module_of(proto: str) -> FileDescriptor:
    descriptor = importlib.import_module(f"yarnbox.protos.{proto.removesuffix('.proto')}_pb2").DESCRIPTOR
    assert isinstance(descriptor, FileDescriptor)
    return descriptor


def messages_of(file: FileDescriptor) -> dict[str, Descriptor]:
    """Every message of a file by its name within the package, nested ones as Outer.Inner."""
    found: dict[str, Descriptor] = {}
    waiting = list(file.message_types_by_name.values())
    while waiting:
        message = waiting.pop()
        found[message.full_name.removeprefix(f"{file.package}.")] = message
        waiting += message.nested_types
    return found


def enums_of(file: FileDescriptor) -> dict[str, EnumDescriptor]:
    """Every enum of a file, those inside messages as Message.Enum."""
    nested = [enum for message in messages_of(file).values() for enum in message.enum_types]
    return {
        enum.full_name.removeprefix(f"{file.package}."): enum
        for enum in [*file.enum_types_by_name.values(), *nested]
    }


def describe_field(field: FieldDescriptor) -> str:
    """A field as the contract writes it."""
    label = "repeated" if field.is_repeated else "required" if field.is_required else "optional"
    kind = field.message_type or field.enum_type
    name = kind.full_name.removeprefix("hadoop.yarn.") if kind else TYPE_NAMES[field.type]
    text = f"{field.number} {label} {name} {field.name}"
    return f"{text} = {describe_default(field)}" if field.has_default_value else text


def describe_default(field: FieldDescriptor) -> str:
    """A default as a .proto file writes it."""
    if field.enum_type:
        return str(field.enum_type.values_by_number[field.default_value].name)
    return json.dumps(field.default_value)


def describe_method(method: MethodDescriptor) -> str:
    """An rpc as the contract writes it; every one is unary."""
    assert not method.client_streaming
    assert not method.server_streaming
    return f"{method.name}({method.input_type.name}) returns ({method.output_type.name})"


def describe_file(file: FileDescriptor) -> ContractFile:
    """A generated module as the contract writes it."""
    services: Mapping[str, ServiceDescriptor] = file.services_by_name
    return {
        "package": file.package,
        "enums": {
            name: {value.name: value.number for value in enum.values} for name, enum in enums_of(file).items()
        },
        "messages": {
            name: [describe_field(field) for field in sorted(message.fields, key=lambda field: field.number)]
            for name, message in messages_of(file).items()
        },
        "services": {
            name: [describe_method(m) for m in service.methods] for name, service in services.items()
        },
    }


def expected_of(proto: str) -> ContractFile:
    """What a file of ours must say: the contract, less what is left out, with what is renamed."""
    hadoop = CONTRACT[proto]
    messages = {}
    for name, fields in hadoop["messages"].items():
        kept = [field for field in fields if field not in LEFT_OUT.get(name, [])]
        for (enum, value), renamed in RENAMED_VALUES.items():
            kept = [
                field.removesuffix(value) + renamed
                if f" {enum} " in field and field.endswith(f" = {value}")
                else field
                for field in kept
            ]
        messages[name] = kept
    enums = {
        name: {RENAMED_VALUES.get((name, value), value): number for value, number in values.items()}
        for name, values in hadoop["enums"].items()
    }
    return {**hadoop, "messages": messages, "enums": enums}


@pytest.mark.parametrize("proto", CONTRACT)
def test_the_file_says_what_hadoops_says_and_nothing_else(proto: str) -> None:
    ours, expected = describe_file(module_of(proto)), expected_of(proto)
    assert ours["package"] == expected["package"]
    assert ours["enums"] == expected["enums"]
    assert ours["messages"] == expected["messages"]
    assert {k: sorted(v) for k, v in ours["services"].items()} == {
        k: sorted(v) for k, v in expected["services"].items()
    }


def test_no_file_of_hadoops_package_is_outside_the_contract() -> None:
    ours = [path.name for path in (ROOT / "protos").glob("*.proto") if "package hadoop." in path.read_text()]
    assert sorted(ours) == sorted(CONTRACT)


def test_the_contract_is_whole() -> None:
    assert sum(len(file["messages"]) for file in CONTRACT.values()) == 287
    assert sum(len(file["enums"]) for file in CONTRACT.values()) == 47
    assert sum(len(methods) for file in CONTRACT.values() for methods in file["services"].values()) == 87


def test_what_is_left_out_and_renamed_is_in_the_contract() -> None:
    fields = {name: rows for file in CONTRACT.values() for name, rows in file["messages"].items()}
    values = {
        (name, value) for file in CONTRACT.values() for name, rows in file["enums"].items() for value in rows
    }
    assert all(row in fields[name] for name, rows in LEFT_OUT.items() for row in rows)
    assert set(RENAMED_VALUES) <= values


def filled(descriptor: Descriptor, depth: int = 2) -> Message:
    """A message with every field set to something that is not its default, down to a depth."""
    message = GetMessageClass(descriptor)()
    for field in descriptor.fields:
        if field.message_type and depth == 0 and not field.is_required:
            continue  # messages may hold themselves
        values = [value_for(field, depth, turn) for turn in range(2 if field.is_repeated else 1)]
        target = getattr(message, field.name)
        if field.is_repeated:
            target.extend(values)
        elif field.message_type:
            target.CopyFrom(values[0])
        else:
            setattr(message, field.name, values[0])
    return message


def value_for(field: FieldDescriptor, depth: int, turn: int) -> object:
    """One value a field can hold; `turn` tells the entries of a repeated field apart."""
    if field.message_type:
        return filled(field.message_type, max(depth - 1, 0))
    if field.enum_type:
        return field.enum_type.values[-1].number
    samples: dict[int, object] = {
        FieldDescriptor.CPPTYPE_STRING: b"bytes"
        if field.type == FieldDescriptor.TYPE_BYTES
        else f"text-{turn}",
        FieldDescriptor.CPPTYPE_BOOL: not field.default_value,
        FieldDescriptor.CPPTYPE_FLOAT: 0.5 + turn,
        FieldDescriptor.CPPTYPE_DOUBLE: 0.25 + turn,
    }
    return samples.get(field.cpp_type, field.number + 100 + turn)


@pytest.mark.parametrize("proto", [proto for proto, file in CONTRACT.items() if file["messages"]])
def test_every_message_comes_back_from_the_wire_as_it_went(proto: str) -> None:
    for descriptor in messages_of(module_of(proto)).values():
        message = filled(descriptor)
        again = GetMessageClass(descriptor).FromString(message.SerializeToString())
        assert again == message
        assert [field.name for field, _ in again.ListFields()] == [
            field.name for field in sorted(descriptor.fields, key=lambda field: field.number)
        ]


def test_bytes_are_those_of_hadoops_encoding() -> None:
    attempt = records.ApplicationAttemptIdProto(
        application_id=records.ApplicationIdProto(id=7, cluster_timestamp=1), attemptId=2
    )
    container = records.ContainerIdProto(app_attempt_id=attempt, id=3)
    # field 2: the attempt (field 1: application {id 7, timestamp 1}, field 2: 2), field 3: the id
    assert container.SerializeToString() == bytes.fromhex("1208 0a04 0807 1001 1002 1803")


def test_a_field_that_is_left_out_is_carried_along() -> None:
    # field 14, length-delimited: an empty collector_info, as a newer or fuller peer would send it
    wire = calls.AllocateResponseProto(response_id=5).SerializeToString() + bytes([14 << 3 | 2, 0])
    response = calls.AllocateResponseProto.FromString(wire)
    assert response.response_id == 5
    assert response.SerializeToString() == wire


def test_unset_and_empty_differ() -> None:
    assert not records.ResourceRequestProto().HasField("node_label_expression")
    assert records.ResourceRequestProto(node_label_expression="").HasField("node_label_expression")
