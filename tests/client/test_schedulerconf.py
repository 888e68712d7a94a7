"""`yarn schedulerconf`: the words become one REST request, the answers lines."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.client.fakes import FakeWebService, Shell

PATH = "/ws/v1/cluster/scheduler-conf"
WRONG_PAIR = "Specify configuration key value as confKey=confVal.\n"


@pytest.fixture
def connected(web: FakeWebService) -> Shell:
    return Shell(properties={"yarn.resourcemanager.webapp.address": web.address})


def sent(web: FakeWebService) -> Any:
    """The body of the only request."""
    ((call, query, _, body),) = web.requests
    assert (call, query) == (f"PUT {PATH}", {"user.name": ["mei"]})
    return json.loads(body)


def test_all_changes_go_in_one_request(web: FakeWebService, connected: Shell) -> None:
    web.answers[f"PUT {PATH}"] = (200, "Configuration change successfully applied.")
    result = connected.yarn(
        "schedulerconf",
        "-add",
        "root.lab.night:capacity=20,maximum-capacity=50;root.lab.day:capacity=80",
        "-remove",
        "root.old;root.older",
        "-update",
        "root.etl:capacity=60,acl_submit_applications=mei\\,ann etl,state=",
        "-global",
        "k=v,k2=v2",
    )
    assert (result.status, result.out, result.err) == (0, "Configuration changed successfully.\n", "")
    assert sent(web) == {
        "add-queue": [
            {
                "queue-name": "root.lab.night",
                "params": {
                    "entry": [{"key": "capacity", "value": "20"}, {"key": "maximum-capacity", "value": "50"}]
                },
            },
            {"queue-name": "root.lab.day", "params": {"entry": [{"key": "capacity", "value": "80"}]}},
        ],
        "remove-queue": ["root.old", "root.older"],
        "update-queue": [
            {
                "queue-name": "root.etl",
                "params": {
                    "entry": [
                        {"key": "capacity", "value": "60"},
                        {"key": "acl_submit_applications", "value": "mei,ann etl"},
                        {"key": "state"},
                    ]
                },
            }
        ],
        "global-updates": {"entry": [{"key": "k", "value": "v"}, {"key": "k2", "value": "v2"}]},
    }


def test_long_names_are_the_same(web: FakeWebService, connected: Shell) -> None:
    web.answers[f"PUT {PATH}"] = (200, "")
    assert connected.yarn("schedulerconf", "--addQueues", "root.a").status == 0
    assert sent(web) == {"add-queue": [{"queue-name": "root.a", "params": {"entry": []}}]}


@pytest.mark.parametrize("pair", ["k", "=v", "=", "k==v", "k=v=w", ""])
def test_wrong_pairs(web: FakeWebService, connected: Shell, pair: str) -> None:
    result = connected.yarn("schedulerconf", "-global", f"good=1,{pair},also=2")
    assert (result.status, result.out, result.err) == (255, "", WRONG_PAIR)
    assert web.requests == []


def test_refused_change(web: FakeWebService, connected: Shell) -> None:
    web.answers[f"PUT {PATH}"] = (400, "Configuration change only supported by MutableConfScheduler.")
    result = connected.yarn("schedulerconf", "-remove", "root.a")
    assert (result.status, result.out) == (255, "")
    assert result.err == (
        "Configuration change unsuccessful: Configuration change only supported by MutableConfScheduler.\n"
    )


def test_show(web: FakeWebService, connected: Shell) -> None:
    web.answers[f"GET {PATH}"] = (
        200,
        (
            "<?xml version='1.0'?>"
            "<configuration><property><name>a</name><value>1</value></property></configuration>"
        ),
    )
    result = connected.yarn("schedulerconf", "-getconf", "-remove", "root.a")
    assert result.out == (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        "<configuration>\n"
        "  <property>\n"
        "    <name>a</name>\n"
        "    <value>1</value>\n"
        "  </property>\n"
        "</configuration>\n"
    )
    assert result.status == 0
    assert web.requests[0][2] == "application/xml"


def test_format(web: FakeWebService, connected: Shell) -> None:
    web.answers[f"GET {PATH}/format"] = (200, "Configuration under store successfully formatted.")
    result = connected.yarn("schedulerconf", "-format", "-getconf")
    assert (result.status, result.out) == (0, "Configuration under store successfully formatted.\n")


@pytest.mark.parametrize(
    "word, path, text",
    [
        ("-getconf", PATH, "Failed to get scheduler configuration: no"),
        ("-format", f"{PATH}/format", "Failed to format scheduler configuration: no"),
    ],
)
def test_refused_reading(web: FakeWebService, connected: Shell, word: str, path: str, text: str) -> None:
    web.answers[f"GET {path}"] = (400, "no")
    result = connected.yarn("schedulerconf", word)
    assert (result.status, result.out, result.err) == (255, "", f"{text}\n")


def test_nothing_asked(connected: Shell) -> None:
    result = connected.yarn("schedulerconf")
    assert (result.status, result.err) == (255, "Invalid Command Usage: \n")
    assert result.out.startswith("yarn schedulerconf [-add ")


def test_missing_argument_and_help(connected: Shell) -> None:
    result = connected.yarn("schedulerconf", "-add")
    assert (result.status, result.err) == (255, "Missing argument for options\n")
    assert result.out.startswith("yarn schedulerconf [-add ")
    assert connected.yarn("schedulerconf", "-help").status == 0


def test_nobody_answers(shell: Shell) -> None:
    shell.properties = {"yarn.resourcemanager.webapp.address": "127.0.0.1:1"}
    result = shell.yarn("schedulerconf", "-getconf")
    assert (result.status, result.out) == (1, "")
    assert result.err == (
        "yarn: cannot reach 127.0.0.1:1: Connection refused (yarn.resourcemanager.webapp.address, -D): "
        "the ResourceManager does not serve HTTP there\n"
    )
