"""What TLS is demanded of, and who is known by what is shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from yarnbox.cluster.main import main as yarnbox
from yarnbox.yarn.configuration import Configuration, ConfigurationError
from yarnbox.yarn.security.authentication import Authentication, Identity, UserTokens, digest_of, read_tokens
from yarnbox.yarn.security.tls import (
    ExposedError,
    Tls,
    TlsSettings,
    check_exposure,
    check_hadoop_wire,
    is_loopback,
    tls_of_node,
    told_by_node,
)
from yarnbox.yarn.settings import read


def settings(**given: str) -> TlsSettings:
    """The properties of these names."""
    properties = {
        "yarnbox." + name.replace("__", ".").replace("_", "-"): value for name, value in given.items()
    }
    return read(TlsSettings, Configuration().overlaid(properties, "given"))


def tls(user_tokens: str | None = None) -> Tls:
    """With a certificate."""
    found = TlsSettings(authority="ca", certificate="c", key="k", user_tokens=user_tokens)
    return Tls(found, b"ca", b"c", b"k")


@pytest.mark.parametrize(
    "host, answer",
    [
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("localhost", True),
        ("no..host", True),
        ("0.0.0.0", False),
        ("::", False),
        ("10.0.0.1", False),
        ("2001:db8::1", False),
    ],
)
def test_which_hosts_are_this_machines_alone(host: str, answer: bool) -> None:
    assert is_loopback(host) is answer


def test_beyond_the_machine_a_certificate_is_demanded() -> None:
    check_exposure(["127.0.0.1"], None)
    check_exposure(["127.0.0.1", "10.0.0.1"], tls())
    only_authority = Tls(TlsSettings(authority="ca"), b"ca")
    for without in (None, only_authority):
        with pytest.raises(ExposedError, match=r"10\.0\.0\.1 .*`yarnbox certs host DIR 10\.0\.0\.1`"):
            check_exposure(["127.0.0.1", "10.0.0.1"], without)


def test_where_users_show_tokens_nodes_show_a_secret() -> None:
    check_exposure(["10.0.0.1"], tls(user_tokens="tokens"), has_node_secret=True)
    with pytest.raises(ExposedError, match=r"yarnbox\.node-secret-file"):
        check_exposure(["10.0.0.1"], tls(user_tokens="tokens"), has_node_secret=False)


def test_hadoops_wire_stays_on_the_machine_unless_it_is_allowed() -> None:
    check_hadoop_wire(["127.0.0.1"], TlsSettings())
    check_hadoop_wire(["10.0.0.1"], TlsSettings(hadoop_remote=True))
    with pytest.raises(ExposedError, match=r"yarnbox\.hadoop-ipc\.remote\.enabled"):
        check_hadoop_wire(["127.0.0.1", "10.0.0.1"], TlsSettings())


@pytest.mark.parametrize(
    "given, missing",
    [
        ({"tls__certificate_file": "c", "tls__ca_file": "a"}, "yarnbox.tls.key-file"),
        ({"tls__key_file": "k", "tls__ca_file": "a"}, "yarnbox.tls.certificate-file"),
        ({"tls__certificate_file": "c", "tls__key_file": "k"}, "yarnbox.tls.ca-file"),
    ],
)
def test_half_of_the_files_is_a_fault(given: dict[str, str], missing: str) -> None:
    with pytest.raises(ConfigurationError, match=missing):
        settings(**given)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"none\.pem.*yarnbox\.tls\.ca-file"):
        Tls.of(TlsSettings(authority=str(tmp_path / "none.pem")))
    with pytest.raises(ConfigurationError, match=r"none.*yarnbox\.authentication\.tokens-file"):
        UserTokens(tmp_path / "none")


def test_a_container_has_the_files_of_its_node_and_not_its_submitters(tmp_path: Path) -> None:
    for name in ("ca", "c", "k"):
        (tmp_path / name).write_text(name)
    place = {name: str(tmp_path / name) for name in ("ca", "c", "k")}
    node = Tls.of(TlsSettings(authority=place["ca"], certificate=place["c"], key=place["k"]))
    assert node is not None
    submitter = {"yarnbox.tls.ca-file": "/nowhere/ca", "yarnbox.authentication.token-file": "/nowhere/token"}
    told = told_by_node(node.variables)
    found = read(TlsSettings, Configuration().overlaid(submitter, "given").overlaid(told, "node"))
    assert Tls.of(found) == tls_of_node(node.variables)
    assert (found.authority, found.certificate, found.token) == (place["ca"], place["c"], None)
    assert told_by_node({}) == {}
    assert tls_of_node({}) is None


# Tokens.


def test_a_file_of_tokens() -> None:
    digest = digest_of("secret")
    assert read_tokens(f"# who\n\nalice {digest}  # hers\n") == {digest: "alice"}
    with pytest.raises(ValueError, match="line 2"):
        read_tokens(f"alice {digest}\nbob secret\n")


def test_who_is_struck_off_is_unknown_at_once(tmp_path: Path) -> None:
    file = tmp_path / "tokens"
    file.write_text(f"alice {digest_of('a')}\nbob {digest_of('b')}\n")
    known = UserTokens(file)
    assert [known.user_of(token) for token in ("a", "b", "c", digest_of("a"))] == ["alice", "bob", None, None]
    file.write_text(f"bob {digest_of('b')}\n")
    assert [known.user_of(token) for token in ("a", "b")] == [None, "bob"]
    file.write_text("nonsense\n")
    assert known.user_of("b") is None


def test_a_token_counts_before_a_certificate_and_a_host_is_no_user(tmp_path: Path) -> None:
    (tmp_path / "tokens").write_text(f"alice {digest_of('a')}\n")
    known = Authentication(tls(user_tokens=str(tmp_path / "tokens")))
    assert known.identity("bob", "a") == Identity("alice")
    assert known.identity("bob", "x") == Identity("bob")
    assert known.identity("host:nm1", None) == Identity("host:nm1", is_host=True)
    assert known.identity(None, "x") is None
    assert Authentication(tls()).identity(None, "a") is None


# What `yarnbox certs` makes is used by the tests with real daemons; here, what it refuses.


def test_secrets_are_for_their_owner(tmp_path: Path) -> None:
    assert yarnbox(["certs", "ca", str(tmp_path)]) == 0
    assert yarnbox(["certs", "user", str(tmp_path), "alice"]) == 0
    assert yarnbox(["certs", "token", str(tmp_path / "tokens"), "alice"]) == 0
    modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}
    secret = {"ca.key": 0o600, "user-alice.key": 0o600, "tokens": 0o600}
    assert modes == {**secret, "ca.pem": 0o644, "user-alice.pem": 0o644}


@pytest.mark.parametrize(
    "words, said, status",
    [
        (["ca", "HERE"], "already has an authority", 1),
        (["host", "HERE/none", "nm1"], "`yarnbox certs ca", 1),
        (["host", "HERE", "x" * 60], "cannot be the name in a certificate", 2),
        (["host", "HERE", "../nm1"], "cannot be the name in a certificate", 2),
        (["user", "HERE", "host:nm1"], "is not the name of a user", 2),
        (["token", "HERE/wrong", "alice"], "is not a file of tokens: line 1", 1),
        (["token", "HERE/tokens", "a b"], "is not the name of a user", 2),
    ],
)
def test_what_cannot_be_made_is_said_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str, status: int
) -> None:
    assert yarnbox(["certs", "ca", str(tmp_path)]) == 0
    (tmp_path / "wrong").write_text("alice\n")
    capsys.readouterr()
    assert yarnbox(["certs", *(word.replace("HERE", str(tmp_path)) for word in words)]) == status
    (line,) = capsys.readouterr().err.splitlines()
    assert said in line
