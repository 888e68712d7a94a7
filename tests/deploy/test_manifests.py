"""What starts daemons in containers: valid by the published schemas, and each command does what it should as
a process, with the environment and the configuration that the manifests give it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from functools import partial
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.tree import ROOT
from tests.waiting import PATIENCE_S
from yarnbox.cluster.cluster import wait_until
from yarnbox.cluster.ports import free_ports

DEPLOY = ROOT / "deploy"
MANIFESTS = sorted((DEPLOY / "kubernetes").glob("*.yaml"))


def kubernetes() -> Any:
    """Kubernetes' schemas, when a test asks for them: they are slow to import, and every worker collects."""
    return import_module("kubernetes_validate")  # it has no types


RM, NODE = "127.0.0.2", "127.0.0.3"


def documents(path: Path) -> list[dict[str, Any]]:
    """All of a file."""
    return list(yaml.safe_load_all(path.read_text(encoding="utf-8")))


def compose() -> dict[str, Any]:
    """The compose file, its merges done."""
    (found,) = documents(DEPLOY / "compose.yaml")
    return found


def dockerfile() -> dict[str, list[str]]:
    """Instructions of the Dockerfile by name, each with its lines put together."""
    found: dict[str, list[str]] = {}
    text = (DEPLOY / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    for line in text.splitlines():
        if line.strip() and not line.startswith("#"):
            word, _, rest = line.partition(" ")
            found.setdefault(word, []).append(rest.strip())
    return found


# What the files say.


@pytest.mark.parametrize("path", MANIFESTS, ids=lambda path: path.name)
def test_kubernetes_takes_the_manifests(path: Path) -> None:
    for document in documents(path):
        kubernetes().validate(document, kubernetes().latest_version(), strict=True)


def test_a_manifest_that_is_wrong_is_found() -> None:
    document = documents(DEPLOY / "kubernetes" / "nodemanager.yaml")[1]
    document["spec"]["replicaz"] = document["spec"].pop("replicas")
    with pytest.raises(kubernetes().ValidationError):
        kubernetes().validate(document, kubernetes().latest_version(), strict=True)


def test_the_kustomization_names_what_is_there() -> None:
    (found,) = documents(DEPLOY / "kustomization.yaml")
    assert found["kind"] == "Kustomization"
    assert sorted(DEPLOY / name for name in found["resources"]) == MANIFESTS
    maps = {one["name"]: one["files"] for one in found["configMapGenerator"]}
    assert all((DEPLOY / name).is_file() for names in maps.values() for name in names)
    secrets = {one["name"] for one in found["secretGenerator"]}
    for path in MANIFESTS:
        for document in documents(path):
            if document["kind"] == "StatefulSet":
                volumes = {one["name"]: one for one in document["spec"]["template"]["spec"]["volumes"]}
                assert volumes["conf"]["configMap"]["name"] in maps
                assert volumes["tls"]["secret"]["secretName"] in secrets


def test_compose_takes_the_file() -> None:
    jsonschema: Any = import_module("jsonschema")
    schema = files("check_jsonschema") / "builtin_schemas" / "vendor" / "compose-spec.json"
    jsonschema.validate(compose(), json.loads(schema.read_text(encoding="utf-8")))


def test_nothing_runs_as_root_or_writes_below_the_root() -> None:
    assert dockerfile()["USER"] == ["10001:10001"]
    for service in compose()["services"].values():
        assert service["read_only"] is True
        assert service["cap_drop"] == ["ALL"]
    for path in MANIFESTS:
        for document in documents(path):
            if document["kind"] == "StatefulSet":
                pod = document["spec"]["template"]["spec"]
                assert pod["securityContext"]["runAsNonRoot"] is True
                assert [one["securityContext"]["readOnlyRootFilesystem"] for one in pod["containers"]] == [
                    True
                ]


def test_all_of_them_start_the_same_commands() -> None:
    """So that it is enough to exercise those of the compose file."""
    services = compose()["services"]
    pods = [
        document["spec"]["template"]["spec"]["containers"][0]
        for path in MANIFESTS
        for document in documents(path)
        if document["kind"] == "StatefulSet"
    ]
    assert {one["name"]: one["command"] for one in pods} == {
        "rm": services["yarnbox-rm"]["command"],
        "nm": services["nm1"]["command"],
    }
    assert {tuple(one["readinessProbe"]["exec"]["command"]) for one in pods} == {
        ("yarnbox", "health", "rm"),
        ("yarnbox", "health", "nm"),
    }
    assert 'yarnbox health \\"$YARNBOX_ROLE\\"' in dockerfile()["HEALTHCHECK"][0]
    assert json.loads(dockerfile()["CMD"][0]) == services["yarnbox-rm"]["command"]


# What the commands do.


class Containers:
    """The services as processes: loopback addresses are the hosts, a directory is the volume."""

    def __init__(self, volume: Path) -> None:
        self.volume = volume
        self.services = compose()["services"]
        ports = free_ports(RM, 2)
        self._common = {
            "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
            "PYTHONPATH": str(ROOT / "src"),
            "YARN_CONF_DIR": str(DEPLOY / "conf"),
            "YARNBOX_DATA": str(volume),
            "YARNBOX_TLS": str(volume / "tls"),
            "YARNBOX_RM_HOST": RM,
            "YARNBOX_GRPC_PORT": str(ports[0]),
            "YARNBOX_WEB_PORT": str(ports[1]),
            "YARNBOX_SHUFFLE_PORT": "0",
        }
        self._node_ports = free_ports(NODE, 2)
        self.running: dict[str, subprocess.Popen[bytes]] = {}

    def environment(self, name: str) -> dict[str, str]:
        """That of a service, its host being an address."""
        given: Mapping[str, str] = self.services[name].get("environment", {})
        node = {"YARNBOX_NM_PORT": str(self._node_ports[0]), "YARNBOX_NM_WEB_PORT": str(self._node_ports[1])}
        moved = {key: self._moved(str(value)) for key, value in given.items()}
        return {**self._common, **(node if name == "nm1" else {}), **moved}

    def command(self, name: str) -> list[str]:
        """That of a service."""
        return [self._moved(word).replace("$$", "$") for word in self.services[name]["command"]]

    def _moved(self, text: str) -> str:
        return text.replace("yarnbox-rm", RM).replace("nm1", NODE)

    def run(self, name: str, *words: str) -> subprocess.CompletedProcess[str]:
        """A command in a service, or the service's own."""
        return subprocess.run(
            list(words) or self.command(name),
            cwd=self.volume,
            env=self.environment(name),
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )

    def start(self, name: str) -> None:
        """A daemon."""
        with (self.volume / f"{name}.out").open("wb") as out:
            self.running[name] = subprocess.Popen(
                self.command(name), cwd=self.volume, env=self.environment(name), stdout=out, stderr=out
            )

    def is_healthy(self, name: str) -> bool:
        """What the image's health check says in a service."""
        check = dockerfile()["HEALTHCHECK"][0].partition("CMD ")[2]
        return self.run(name, *json.loads(check)).returncode == 0

    def said(self, name: str) -> str:
        """What a daemon printed."""
        return (self.volume / f"{name}.out").read_text()


@pytest.fixture(scope="module")
def containers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Containers]:
    """Certificates made, a ResourceManager and a node running."""
    found = Containers(tmp_path_factory.mktemp("volume"))
    made = found.run("certs")
    assert made.returncode == 0, made.stderr
    for name in ("yarnbox-rm", "nm1"):
        found.start(name)
    try:
        for name in found.running:
            assert wait_until(partial(found.is_healthy, name), PATIENCE_S, every_s=0.5), found.said(name)
        yield found
    finally:
        for process in reversed(found.running.values()):
            process.terminate()
        ended = {name: process.wait(PATIENCE_S) for name, process in found.running.items()}
    assert set(ended.values()) == {0}


@pytest.mark.long
def test_daemons_are_healthy_and_a_job_runs(containers: Containers) -> None:
    def has_a_node() -> bool:
        return NODE in containers.run("client").stdout

    assert wait_until(has_a_node, PATIENCE_S, every_s=0.5)
    job = containers.run("client", "yarnbox", "job", "shell", "--", "sh", "-c", "test $USER = alice")
    assert job.returncode == 0, job.stdout + job.stderr


@pytest.mark.long
def test_certificates_are_made_once(containers: Containers) -> None:
    before = {path.name: path.read_bytes() for path in (containers.volume / "tls").iterdir()}
    assert containers.run("certs").returncode == 0
    assert {path.name: path.read_bytes() for path in (containers.volume / "tls").iterdir()} == before


@pytest.mark.long
def test_a_daemon_that_does_not_answer_is_not_healthy(containers: Containers) -> None:
    environment = {**containers.environment("nm1"), "YARNBOX_NM_WEB_PORT": str(free_ports(NODE, 1)[0])}
    command = ["yarnbox", "health", "nm"]
    done = subprocess.run(
        command, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "does not answer" in done.stderr
