"""The secret of a cluster's nodes: made, read, shown, checked."""

from __future__ import annotations

import stat
from dataclasses import replace
from pathlib import Path

import pytest

from yarnbox.yarn.configuration import ConfigurationError
from yarnbox.yarn.errors import AccessControlError
from yarnbox.yarn.security.node_secret import NodeSecret, write_node_secret


def secret_of(path: Path) -> NodeSecret:
    secret = NodeSecret.of_file(str(path))
    assert secret is not None
    return secret


def test_who_has_the_file_is_known_and_nobody_else(tmp_path: Path) -> None:
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    write_node_secret(ours)
    write_node_secret(theirs)
    assert stat.S_IMODE(ours.stat().st_mode) == 0o600
    secret, other = secret_of(ours), secret_of(theirs)
    secret.check(secret_of(ours).token)
    for shown in (None, other.token, replace(secret.token, kind="NMToken")):
        with pytest.raises(AccessControlError, match=r"yarnbox\.node-secret-file names the file"):
            secret.check(shown)


def test_without_a_property_there_is_no_secret() -> None:
    assert NodeSecret.of_file(None) is NodeSecret.of_file("") is None


def test_a_file_that_is_no_secret_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"yarnbox\.node-secret-file.*cannot be read: No such file"):
        NodeSecret.of_file(str(tmp_path / "none"))
    (tmp_path / "short").write_text("abc\n")
    with pytest.raises(ConfigurationError, match=r"holds 3 bytes; a secret has 16 at least"):
        NodeSecret.of_file(str(tmp_path / "short"))
