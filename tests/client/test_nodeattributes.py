"""`yarn nodeattributes`: mappings read and sent, attributes shown byte for byte."""

from __future__ import annotations

import pytest

from tests.client.fakes import FakeResourceManager, Shell
from yarnbox.yarn.enums import AttributeMappingOperationType, NodeAttributeType
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.records.client import (
    GetAttributesToNodesResponse,
    GetClusterNodeAttributesResponse,
    GetNodesToAttributesResponse,
)
from yarnbox.yarn.records.node import (
    AttributeToNodes,
    NodeAttribute,
    NodeAttributeInfo,
    NodeAttributeKey,
    NodeToAttributes,
    NodeToAttributeValue,
)

OS = NodeAttributeKey(attribute_name="os")


def attribute(name: str, value: str) -> NodeAttribute:
    return NodeAttribute(attribute_key=NodeAttributeKey(attribute_name=name), attribute_value=value)


@pytest.mark.parametrize("operation", ["add", "replace"])
def test_mappings(rm: FakeResourceManager, shell: Shell, operation: str) -> None:
    words = "n1:os=linux,gpu(STRING)=a100 n2:os\n#n3:x=y n4:empty="
    result = shell.yarn("nodeattributes", f"-{operation}", words, "-failOnUnknownNodes")
    assert (result.status, result.out, result.err) == (0, "", "")
    (request,) = rm.asked("mapAttributesToNodes")
    assert request.operation is AttributeMappingOperationType[operation.upper()]
    assert request.fail_on_unknown_nodes is True
    assert request.node_to_attributes == (
        NodeToAttributes(node="n1", node_attributes=(attribute("os", "linux"), attribute("gpu", "a100"))),
        NodeToAttributes(node="n2", node_attributes=(attribute("os", ""),)),
        NodeToAttributes(node="n4", node_attributes=(attribute("empty", ""),)),
    )


def test_remove_and_clear(rm: FakeResourceManager, shell: Shell) -> None:
    assert shell.yarn("nodeattributes", "-remove", "n1:os,gpu").status == 0
    assert shell.yarn("nodeattributes", "-replace", "n1:").status == 0
    remove, replace = rm.asked("mapAttributesToNodes")
    assert [one.attribute_key.attribute_name for one in remove.node_to_attributes[0].node_attributes] == [
        "os",
        "gpu",
    ]
    assert replace.node_to_attributes == (NodeToAttributes(node="n1"),)


@pytest.mark.parametrize(
    "words, message",
    [
        (("-add", "n1"), "Invalid Node to attribute mapping : n1"),
        (("-add", "n1:"), "Attributes cannot be null or empty for Operation [add] on the node n1"),
        (("-remove", "n1:"), "Attributes cannot be null or empty for Operation [remove] on the node n1"),
        (("-add", ":os=x"), "Node name cannot be empty"),
        (("-add", "#n1:x"), "No node-to-attributes mappings are specified"),
        (("-add", "n1:=x"), "Attribute name cannot be null or empty"),
        (("-add", "n1:os=a,os=b"), "Attribute os has been mapped more than once in  : n1:os=a,os=b"),
        (("-add", "n1:os(INT)=1"), "Invalid Attribute type configuration : INT in os(INT)=1"),
        (("-add", "n1:(STRING)=1"), "Attribute for node n1 is not properly configured : (STRING)=1"),
        (("-add", "n1:os(STRING=1"), "Attribute for node n1 is not properly Configured : os(STRING=1"),
        (("-failOnUnknownNodes",), "With -add, -remove or -replace: an unknown node is an error."),
        (
            ("-attributestonodes", "-attributes", "a/b/c"),
            " Attribute format not correct. Should be <[prefix]/[name]> :a/b/c",
        ),
    ],
)
def test_wrong_words(rm: FakeResourceManager, shell: Shell, words: tuple[str, ...], message: str) -> None:
    result = shell.yarn("nodeattributes", *words)
    assert (result.status, result.out) == (255, "")
    assert result.err.startswith(f"{message}\nUsage: yarn nodeattributes ")
    assert rm.calls == []


def test_refusal(rm: FakeResourceManager, shell: Shell) -> None:
    rm.answers["mapAttributesToNodes"] = YarnError("n9 is not known")
    result = shell.yarn("nodeattributes", "-add", "n9:os=linux")
    assert result.err == "org.apache.hadoop.yarn.exceptions.YarnException: n9 is not known\n"
    assert result.status == 255


@pytest.mark.parametrize(
    "words, first",
    [
        ((), "Usage: yarn nodeattributes "),
        (("-foo",), "Invalid Command Usage : "),
        (("foo",), "Invalid Command Usage : "),
        (("-add",), "Missing argument for command"),
    ],
)
def test_no_command(shell: Shell, words: tuple[str, ...], first: str) -> None:
    result = shell.yarn("nodeattributes", *words)
    assert (result.status, result.out) == (255, "")
    assert result.err.splitlines()[0] == first


def test_help(shell: Shell) -> None:
    assert shell.yarn("nodeattributes", "-help").status == 0
    one = shell.yarn("nodeattributes", "-help", "list")
    assert (one.status, one.err) == (
        0,
        "Usage: yarn nodeattributes \n -list\n\tLists the attributes of the cluster.\n\n",
    )


def test_list(rm: FakeResourceManager, shell: Shell) -> None:
    rm.answers["getClusterNodeAttributes"] = GetClusterNodeAttributesResponse(
        node_attributes=(NodeAttributeInfo(attribute_key=OS, attribute_type=NodeAttributeType.STRING),)
    )
    result = shell.yarn("nodeattributes", "-list")
    assert result.out == (
        "                               Attribute\t           Type\n"
        "                           rm.yarn.io/os\t         STRING\n"
        "\n"
    )
    assert (result.status, result.err) == (0, "")


def test_nodes_to_attributes(rm: FakeResourceManager, shell: Shell) -> None:
    rm.answers["getNodesToAttributes"] = GetNodesToAttributesResponse(
        nodes_to_attributes=(NodeToAttributes(node="n1", node_attributes=(attribute("os", "linux"),)),)
    )
    result = shell.yarn("nodeattributes", "-nodestoattributes", "-nodes", "n1,n2")
    assert result.out == (
        "                               Attribute\t      Type\t               Value\n"
        "n1:\n"
        "                           rm.yarn.io/os\t    STRING\t               linux\n"
        "\n"
    )
    assert rm.asked("getNodesToAttributes")[0].hostnames == ("n1", "n2")


def test_attributes_to_nodes(rm: FakeResourceManager, shell: Shell) -> None:
    rm.answers["getAttributesToNodes"] = GetAttributesToNodesResponse(
        attributes_to_nodes=(
            AttributeToNodes(
                node_attribute=OS,
                node_value_map=(NodeToAttributeValue(hostname="n1", attribute_value="linux"),),
            ),
        )
    )
    result = shell.yarn("nodeattributes", "-attributestonodes", "-attributes", "os,nm.yarn.io/zone")
    assert result.out == (
        "                                Hostname\tAttribute-value\n"
        "rm.yarn.io/os :\n"
        "                                      n1\t          linux\n"
        "\n"
    )
    assert rm.asked("getAttributesToNodes")[0].node_attributes == (
        OS,
        NodeAttributeKey(attribute_prefix="nm.yarn.io", attribute_name="zone"),
    )
