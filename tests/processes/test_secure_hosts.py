"""With TLS, daemons know each other by certificates and their callers by certificates or tokens; nobody else
gets an answer. Without it, nothing listens beyond its machine.
"""

from __future__ import annotations

import base64
import http.client
import io
import json
import socket
import ssl
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from tests.processes.hosts import NODE_HOSTS, RM_HOST, Hosts, environment
from tests.waiting import PATIENCE_S
from yarnbox.cluster.main import main as yarnbox
from yarnbox.yarn.security.node_secret import write_node_secret
from yarnbox.yarn.security.tls import Tls, TlsSettings

pytestmark = pytest.mark.long

AUTHORITY = "yarnbox.tls.ca-file"
CERTIFICATE = "yarnbox.tls.certificate-file"
KEY = "yarnbox.tls.key-file"
STAGED_AT_NODES = "yarn.app.mapreduce.am.staging-dir=yarnbox:"


def certified(directory: Path, name: str) -> dict[str, str]:
    """The properties of whoever has this certificate."""
    return {
        AUTHORITY: str(directory / "ca.pem"),
        CERTIFICATE: str(directory / f"{name}.pem"),
        KEY: str(directory / f"{name}.key"),
    }


def made(root: Path) -> Path:
    """An authority, the certificates of three hosts and that of alice."""
    directory = root / "certs"
    assert yarnbox(["certs", "ca", str(directory)]) == 0
    for host in (RM_HOST, *NODE_HOSTS):
        assert yarnbox(["certs", "host", str(directory), host]) == 0
    assert yarnbox(["certs", "user", str(directory), "alice"]) == 0
    return directory


def asked(hosts: Hosts, tls: Tls, path: str, host: str = RM_HOST, port: int = 0) -> tuple[int, bytes]:
    """An HTTPS request of whoever these files belong to; to the ResourceManager, unless another is named."""
    address = (host, port or hosts.web_port)
    connection = http.client.HTTPSConnection(*address, context=tls.calling(), timeout=PATIENCE_S)
    try:
        connection.request("GET", path, headers=tls.headers)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


# Certificates.


@pytest.fixture(scope="module")
def hosts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosts]:
    """A ResourceManager and two nodes, each with the certificate of its host."""
    found = Hosts(tmp_path_factory.mktemp("secure"))
    certs = made(found.root)
    client = found.configure("client", certified(certs, "user-alice"))
    found.configure("nobody", {AUTHORITY: str(certs / "ca.pem")})
    found.configure("plain")
    found.start_rm({**certified(certs, RM_HOST), "yarn.acl.enable": "true", "yarn.admin.acl": "root"})
    for host in NODE_HOSTS:
        given = {"yarn.nodemanager.hostname": host, "yarn.acl.enable": "true", "yarn.admin.acl": "root"}
        given["yarnbox.nodemanager.staging.max-mb"] = "8"
        found.start_node(host, {**given, **certified(certs, host)})
    try:
        found.wait_for_nodes(client, *NODE_HOSTS)
        yield found
    finally:
        ended = found.end()
    assert set(ended.values()) == {0}, found.outputs()


def tls_of(hosts: Hosts, name: str | None) -> Tls:
    """The files of one of them; without a name, the authority alone."""
    certs = hosts.root / "certs"
    given = certified(certs, name or "")
    found = Tls.of(
        TlsSettings(
            authority=given[AUTHORITY],
            certificate=given[CERTIFICATE] if name else None,
            key=given[KEY] if name else None,
        )
    )
    assert found is not None
    return found


def test_a_job_runs_in_the_name_of_the_certificate(hosts: Hosts) -> None:
    client = hosts.root / "client" / "conf"
    printed = hosts.run(client, "yarnbox.cluster.main", "job", "pi", "2", "10")
    assert "map 100% reduce 100%" in printed
    assert "completed successfully" in printed
    listed = hosts.run(client, "yarnbox.client.main", "application", "-list", "-appStates", "ALL")
    (line,) = [line for line in listed.splitlines() if "QuasiMonteCarlo" in line]
    assert "alice" in line


def test_a_name_that_is_only_said_is_not_believed(hosts: Hosts) -> None:
    """Whoever has the certificate of alice is alice, whatever the call says."""
    client = hosts.root / "client" / "conf"
    refused = hosts.run(client, "yarnbox.client.main", "rmadmin", "-refreshNodes", status=255, user="root")
    assert "alice doesn't have permission" in refused
    status, body = asked(hosts, tls_of(hosts, "user-alice"), "/ws/v1/cluster/userinfo?user.name=root")
    assert status == 200
    assert b'"requestedUser":"alice"' in body


def test_a_host_submits_nothing(hosts: Hosts) -> None:
    host = hosts.configure("host", certified(hosts.root / "certs", RM_HOST))
    said = hosts.run(host, "yarnbox.cluster.main", "job", "shell", "--", "true", status=1)
    assert f"host:{RM_HOST} is a host, and applications belong to users" in said
    assert "Total Nodes:2" in hosts.run(host, "yarnbox.client.main", "node", "-list")


@pytest.mark.parametrize("who", ["nobody", "plain"])
def test_who_has_no_certificate_gets_no_answer(hosts: Hosts, who: str) -> None:
    conf = hosts.root / who / "conf"
    said = hosts.run(conf, "yarnbox.client.main", "application", "-list", status=1)
    assert "cannot reach the ResourceManager" in said


def test_pages_are_for_known_users(hosts: Hosts) -> None:
    paths = ("/ws/v1/cluster/info", "/cluster", "/ws/v1/cluster/apps")
    assert [asked(hosts, tls_of(hosts, None), path)[0] for path in paths] == [401] * 3
    assert [asked(hosts, tls_of(hosts, "user-alice"), path)[0] for path in paths] == [200] * 3
    client = hosts.root / "client" / "conf"
    for host, report in hosts.nodes(client).items():
        port = int(str(report.http_address).rpartition(":")[2])
        assert asked(hosts, tls_of(hosts, None), "/ws/v1/node", host, port)[0] == 401
        assert asked(hosts, tls_of(hosts, "user-alice"), "/ws/v1/node", host, port)[0] == 200


def test_a_port_speaks_tls_only(hosts: Hosts) -> None:
    connection = http.client.HTTPConnection(RM_HOST, hosts.web_port, timeout=PATIENCE_S)
    connection.request("GET", "/ws/v1/cluster/info")
    with pytest.raises((http.client.HTTPException, OSError)):
        connection.getresponse()
    connection.close()


def test_a_host_is_believed_under_its_own_name_only(hosts: Hosts) -> None:
    """A client that is told another address finds out."""
    client = hosts.root / "client" / "conf"
    report = hosts.nodes(client)[NODE_HOSTS[0]]
    port = int(str(report.http_address).rpartition(":")[2])
    context = tls_of(hosts, "user-alice").calling()
    with socket.create_connection((NODE_HOSTS[0], port)) as own:
        context.wrap_socket(own, server_hostname=NODE_HOSTS[0]).close()
    another = socket.create_connection((NODE_HOSTS[0], port))
    with another, pytest.raises(ssl.SSLCertVerificationError, match="mismatch"):
        context.wrap_socket(another, server_hostname=RM_HOST)


def test_a_user_is_no_node(hosts: Hosts) -> None:
    given = certified(hosts.root / "certs", "user-alice")
    impostor = {
        "yarn.nodemanager.hostname": "127.0.0.5",
        "yarn.nodemanager.resourcemanager.connect.max-wait.ms": "1",
    }
    hosts.start_node("impostor", {**impostor, **given})
    process = hosts.processes.pop("impostor")
    assert process.wait(PATIENCE_S) == 1
    assert "certificate of a host, not that of alice" in (hosts.root / "impostor.out").read_text()


MAPPER = """from helper import spoken


def mapper(offset, line):
    with open("taken") as along:
        sign = along.read()
    for word in line.split():
        yield spoken(word) + sign, 1
"""


def test_files_of_a_client_reach_containers_through_the_nodes(hosts: Hosts) -> None:
    """There is no directory that all of them share."""
    client = hosts.root / "client" / "conf"
    work = client.parent
    (work / "given.txt").write_text("a file of the client\n")
    with zipfile.ZipFile(work / "packed.zip", "w") as archive:
        archive.writestr("inner.txt", "an archive of the client\n")
    files = ("--files", "given.txt#renamed", "--archives", "packed.zip")
    line = "cat renamed packed.zip/inner.txt > $0/$CONTAINER_ID"
    out = hosts.root / "out"
    out.mkdir()
    words = (
        "job",
        "shell",
        "-D",
        STAGED_AT_NODES,
        "--containers",
        "3",
        *files,
        "--",
        "sh",
        "-c",
        line,
        str(out),
    )
    hosts.run(client, "yarnbox.cluster.main", *words)
    written = [one.read_text() for one in out.iterdir()]
    assert written == ["a file of the client\nan archive of the client\n"] * 3


def test_modules_of_a_client_reach_tasks_through_the_nodes(hosts: Hosts) -> None:
    client = hosts.root / "client" / "conf"
    work = client.parent
    (work / "spoken.py").write_text(MAPPER)
    (work / "helper.py").write_text("def spoken(word):\n    return word.upper()\n")
    (work / "text").write_text("to be or not to be\n")
    (work / "sign").write_text("!")
    words = ("--mapper", "spoken.mapper", "--reducer", "yarnbox.am.mapreduce.jobs.wordcount.SumReducer")
    along = ("-D", "mapreduce.job.cache.files=sign#taken")
    places = (str(work / "text"), str(hosts.root / "counted"))
    printed = hosts.run(
        client, "yarnbox.cluster.main", "job", "mapreduce", "-D", STAGED_AT_NODES, *along, *words, *places
    )
    assert "completed successfully" in printed
    counted = (hosts.root / "counted" / "part-r-00000").read_text()
    assert sorted(counted.splitlines()) == ["BE!\t2", "NOT!\t1", "OR!\t1", "TO!\t2"]
    assert not list(hosts.root.glob("127.*/local/staged/*/*")), "the client removes what it has staged"


def test_logs_are_read_from_the_nodes_through_the_resource_manager(hosts: Hosts) -> None:
    """The ResourceManager may say in whose name it asks; a user of that name could look, another one not."""
    client = hosts.root / "client" / "conf"
    words = ("job", "shell", "--", "sh", "-c", "echo said by a container; sleep 600")
    job = subprocess.Popen(
        [sys.executable, "-P", "-m", "yarnbox.cluster.main", *words],
        env=environment(YARN_CONF_DIR=str(client), HADOOP_USER_NAME="alice"),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        tls = tls_of(hosts, "user-alice")
        text = hosts.eventually(lambda: _log_of_a_container(hosts, tls))
        assert "said by a container" in text
    finally:
        apps = json.loads(asked(hosts, tls_of(hosts, "user-alice"), "/ws/v1/cluster/apps?states=RUNNING")[1])
        for one in (apps["apps"] or {}).get("app", []):
            hosts.run(client, "yarnbox.client.main", "application", "-kill", one["id"])
        job.wait(PATIENCE_S)


def _log_of_a_container(hosts: Hosts, tls: Tls) -> str | None:
    """What a running container other than an AM has written, as the pages show it."""
    apps = json.loads(asked(hosts, tls, "/ws/v1/cluster/apps?states=RUNNING")[1])["apps"]
    for app in (apps or {}).get("app", []):
        for host, report in hosts.nodes(hosts.root / "client" / "conf").items():
            port = int(str(report.http_address).rpartition(":")[2])
            found = json.loads(asked(hosts, tls, "/ws/v1/node/containers", host, port)[1])["containers"]
            for one in (found or {}).get("container", []):
                if not one["id"].endswith("_000001"):
                    query = f"node={report.node_id}&container={one['id']}&file=stdout"
                    status, body = asked(hosts, tls, f"/ws/v1/cluster/ui/container-logs?{query}")
                    if status == 200 and app["id"].removeprefix("application") in one["id"]:
                        return str(json.loads(body)["log"]["text"]) or None
    return None


# Tokens.


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosts]:
    """A ResourceManager and a node that know users by tokens, and each other by the nodes' secret."""
    root = tmp_path_factory.mktemp("tokens")
    logs = {"yarn.log-aggregation-enable": "true", "yarn.nodemanager.remote-app-log-dir": str(root / "logs")}
    found = Hosts(root, logs)
    certs = made(found.root)
    printed = io.StringIO()
    with redirect_stdout(printed):
        assert yarnbox(["certs", "token", str(found.root / "tokens"), "bob"]) == 0
    for name, token in (("bob", printed.getvalue().strip()), ("mallory", "not-a-token")):
        (found.root / f"{name}.token").write_text(token + "\n")
        shown = {"yarnbox.authentication.token-file": str(found.root / f"{name}.token")}
        found.configure(name, {AUTHORITY: str(certs / "ca.pem"), **shown})
    write_node_secret(found.root / "secret")
    both = {
        "yarnbox.authentication.tokens-file": str(found.root / "tokens"),
        "yarnbox.node-secret-file": str(found.root / "secret"),
    }
    host = NODE_HOSTS[0]
    found.start_rm({**both, **certified(certs, RM_HOST)})
    found.start_node(host, {"yarn.nodemanager.hostname": host, **both, **certified(certs, host)})
    try:
        found.wait_for_nodes(found.root / "bob" / "conf", host)
        yield found
    finally:
        ended = found.end()
    assert set(ended.values()) == {0}, found.outputs()


def test_a_job_runs_in_the_name_of_the_token(desk: Hosts) -> None:
    client = desk.root / "bob" / "conf"
    job = ("yarnbox.cluster.main", "job", "shell", "--", "sh", "-c", "echo I am $USER")
    assert "I am bob" in desk.run(client, *job, user="root")


def test_a_token_that_nobody_has_is_refused(desk: Hosts) -> None:
    client = desk.root / "mallory" / "conf"
    said = desk.run(client, "yarnbox.client.main", "application", "-list", status=1)
    assert "who calls is not known" in said


def test_a_browser_shows_the_token_as_a_password(desk: Hosts) -> None:
    tls = Tls.of(TlsSettings(authority=str(desk.root / "certs" / "ca.pem")))
    assert tls is not None
    token = (desk.root / "bob.token").read_text().strip()
    known = base64.b64encode(f"bob:{token}".encode()).decode()
    for shown, status in (
        (f"Basic {known}", 200),
        (f"Bearer {token}", 200),
        ("Basic Ym9iOng=", 401),
        ("", 401),
    ):
        address = (RM_HOST, desk.web_port)
        connection = http.client.HTTPSConnection(*address, context=tls.calling(), timeout=PATIENCE_S)
        connection.request("GET", "/ws/v1/cluster/userinfo", headers={"Authorization": shown})
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        assert answer.status == status
        assert (b'"requestedUser":"bob"' in body) is (status == 200)
        assert (answer.getheader("WWW-Authenticate") is not None) is (status == 401)


# Without.


@pytest.mark.parametrize(
    "module, properties",
    [
        ("yarnbox.rm", {"yarn.resourcemanager.bind-host": "0.0.0.0"}),
        ("yarnbox.nm", {"yarn.nodemanager.bind-host": "0.0.0.0"}),
        ("yarnbox.nm", {"yarn.nodemanager.webapp.address": "0.0.0.0:0"}),
        ("yarnbox.am.mapreduce.history.server", {"mapreduce.jobhistory.bind-host": "0.0.0.0"}),
    ],
)
def test_nothing_listens_beyond_its_machine_without_tls(
    tmp_path: Path, module: str, properties: dict[str, str]
) -> None:
    conf = Hosts(tmp_path).configure("open", properties)
    done = subprocess.run(
        [sys.executable, "-P", "-m", module, "--conf", str(conf)],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 2, done.stdout + done.stderr
    (said,) = done.stderr.splitlines()
    assert "0.0.0.0 is not a loopback address" in said
    assert "`yarnbox certs ca DIR` and `yarnbox certs host DIR" in said
