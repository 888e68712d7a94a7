"""Which requests a daemon answers, by Host and Origin."""

from __future__ import annotations

import socket

import pytest

from yarnbox.yarn.configuration import Configuration, ConfigurationError
from yarnbox.yarn.http.access import HttpAccess, HttpAccessSettings
from yarnbox.yarn.settings import read

PLAIN = HttpAccessSettings()


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "127.0.0.1:8088",
        "192.168.1.5:8088",
        "[::1]:8088",
        "[fe80::1]",
        "localhost",
        "LocalHost.:8088",
        "app.localhost:8088",
        "rm.example.org:8088",
        socket.gethostname(),
        None,
    ],
)
def test_a_name_of_this_host_is_answered(host: str | None) -> None:
    assert HttpAccess(PLAIN, ["RM.example.org"]).refusal("POST", host, None) is None


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8088",
        "127.0.0.1.evil.example:8088",
        "localhost.evil.example",
        "notlocalhost",
        "user@127.0.0.1",
        "127.0.0.1:8088:80",
        "::1",
        "",
    ],
)
def test_another_name_is_refused(host: str) -> None:
    refusal = HttpAccess(PLAIN, ["rm.example.org"]).refusal("GET", host, None)
    assert refusal is not None
    assert refusal.startswith(host)
    assert "yarnbox.http.allowed-hosts" in refusal


@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS"])
def test_pages_of_other_sites_are_refused(method: str) -> None:
    access = HttpAccess(PLAIN)
    assert access.refusal(method, "127.0.0.1:8088", "http://127.0.0.1:8088") is None
    assert access.refusal(method, "yarn.localhost", "https://yarn.localhost") is None
    for origin in ("http://evil.example", "http://127.0.0.1:9000", "null", "http://127.0.0.1:8088 http://x"):
        refusal = access.refusal(method, "127.0.0.1:8088", origin)
        assert refusal is not None
        assert "yarnbox.http.allowed-origins" in refusal


def test_a_host_that_is_refused_vouches_for_no_origin() -> None:
    assert HttpAccess(PLAIN).refusal("POST", "evil.example", "http://evil.example") is not None


def test_further_hosts_and_origins_are_listed() -> None:
    settings = read(
        HttpAccessSettings,
        Configuration.of(
            {
                "yarnbox.http.allowed-hosts": "*.lab.example, regex:rm[0-9]",
                "yarnbox.http.allowed-origins": "https://portal.example",
            }
        ),
    )
    access = HttpAccess(settings)
    assert access.refusal("GET", "a.LAB.example:80", None) is None
    assert access.refusal("GET", "rm7", None) is None
    assert access.refusal("GET", "rm77", None) is not None
    assert access.refusal("PUT", "rm7", "https://portal.example") is None
    assert access.refusal("PUT", "rm7", "http://portal.example") is not None


def test_an_expression_that_is_none_is_named() -> None:
    wrong = Configuration.of({"yarnbox.http.allowed-hosts": "regex:("})
    with pytest.raises(ConfigurationError, match=r"yarnbox\.http\.allowed-hosts"):
        read(HttpAccessSettings, wrong)


def test_reading_may_be_left_to_another_filter() -> None:
    access = HttpAccess(PLAIN, origins=["http://*.good.org"], leaves_reading=True)
    assert access.refusal("GET", "127.0.0.1", "http://evil.example") is None
    assert access.refusal("POST", "127.0.0.1", "http://evil.example") is not None
    assert access.refusal("POST", "127.0.0.1", "http://www.good.org") is None


def test_what_a_stranger_sends_stays_one_short_line() -> None:
    refusal = HttpAccess(PLAIN).refusal("GET", "x" * 5000 + "\x1b[31m\n", None)
    assert refusal is not None
    assert len(refusal) < 250
    assert refusal.isprintable()
