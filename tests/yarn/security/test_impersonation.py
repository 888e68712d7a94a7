"""Who may act in whose name."""

from __future__ import annotations

import pytest

from yarnbox.yarn.configuration import Configuration
from yarnbox.yarn.security.impersonation import PREFIX, ProxyUsers

REFUSED = "User: oozie is not allowed to impersonate ann"
ELSEWHERE = "Unauthorized connection for super-user: oozie from IP 10.1.2.3"


@pytest.mark.parametrize(
    "written, refusal",
    [
        ({}, REFUSED),
        ({"hosts": "*"}, REFUSED),
        ({"users": "*"}, ELSEWHERE),
        ({"users": "ann"}, ELSEWHERE),
        ({"users": "*", "hosts": "*"}, None),
        ({"users": "bob, ann", "hosts": "*"}, None),
        ({"users": "bob", "hosts": "*"}, REFUSED),
        ({"groups": "staff", "hosts": "10.1.2.3"}, None),
        ({"groups": "*", "hosts": "10.1.2.3"}, None),
        ({"groups": "others", "hosts": "*"}, REFUSED),
        ({"users": "bob", "groups": "staff", "hosts": "192.168.0.1, 10.1.0.0/16"}, None),
        ({"users": "ann", "hosts": "10.1.3.0/24,localhost,somewhere"}, ELSEWHERE),
    ],
)
def test_a_superuser_may_what_is_written_of_him(written: dict[str, str], refusal: str | None) -> None:
    proxies = ProxyUsers(Configuration.of({f"{PREFIX}oozie.{name}": text for name, text in written.items()}))
    assert proxies.refusal("oozie", "ann", ("staff", "users"), "10.1.2.3") == refusal
    assert proxies.refusal("hue", "ann", (), "10.1.2.3") == "User: hue is not allowed to impersonate ann"


def test_the_host_of_a_connection_may_be_this_one_or_unknown() -> None:
    written = {f"{PREFIX}oozie.users": "*", f"{PREFIX}oozie.hosts": "localhost"}
    proxies = ProxyUsers(Configuration.of(written))
    assert proxies.refusal("oozie", "ann", (), "127.0.0.1") is None
    assert proxies.refusal("oozie", "ann", (), "::1") is None
    assert proxies.refusal("oozie", "ann", (), None) is not None
