"""What a client puts where its containers find it: files of its host, as resources that NodeManagers fetch.

Owns where that is: below yarn.app.mapreduce.am.staging-dir, a directory or any URL that fsspec knows; or,
where that is `yarnbox:`, at one of the NodeManagers, which serves it to the others. Hadoop:
JobResourceUploader.
"""

from __future__ import annotations

import os
import re
import tempfile
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from yarnbox.am.submit import SubmissionError, Submitter
from yarnbox.yarn.enums import LocalResourceType, LocalResourceVisibility
from yarnbox.yarn.ids import ApplicationId
from yarnbox.yarn.records.basics import URL
from yarnbox.yarn.records.container import LocalResource
from yarnbox.yarn.records.node import NodeReport
from yarnbox.yarn.security.tls import Tls
from yarnbox.yarn.storage import remote_files
from yarnbox.yarn.storage.remote_files import STAGED, STAGING_PATH, RemoteFileError
from yarnbox.yarn.storage.urls import joined, scheme_of

STAGING_PROPERTY = "yarn.app.mapreduce.am.staging-dir"
DEFAULT_STAGING = "/tmp/hadoop-yarn/staging"
AT_NODES = STAGED + ":"


class Staging:
    """The staged files of one application."""

    def __init__(self, directory: str, tls: Tls | None) -> None:
        self._directory = directory
        self._tls = tls

    @classmethod
    def of(
        cls, base: str, user: str, application_id: ApplicationId, submitter: Submitter, tls: Tls | None
    ) -> Staging:
        """Where the files of an application go, by the property's value."""
        if base.rstrip("/") != AT_NODES:
            absolute = base if scheme_of(base) else str(Path(base).absolute())
            return cls(joined(absolute, user, ".staging", str(application_id)), tls)
        address = _node_for(submitter.running_nodes(), application_id)
        return cls(f"{STAGED}://{address}{STAGING_PATH}/{application_id}", tls)

    def put(self, source: Path, name: str, kind: LocalResourceType = LocalResourceType.FILE) -> LocalResource:
        """Stages a file; the resource by which a container gets it. SubmissionError when that fails."""
        url = joined(self._directory, name)
        try:
            return _resource(url, remote_files.upload(source, url, self._tls), kind)
        except (RemoteFileError, OSError) as error:
            where = f"{STAGING_PROPERTY} says where"
            raise SubmissionError(f"{source} cannot be staged ({where}): {error}") from None

    def put_text(self, text: str, name: str) -> LocalResource:
        """Stages a text as a file."""
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / name
            path.write_text(text, encoding="utf-8")
            return self.put(path, name)

    def put_directory(self, source: Path, name: str) -> LocalResource:
        """Stages a directory as an archive, without what Python has cached in it."""
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / f"{name}.zip"
            with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
                for file in _files_of(source):
                    archive.write(file, file.relative_to(source))
            return self.put(path, path.name, LocalResourceType.ARCHIVE)

    def remove(self) -> None:
        """Removes what was staged, as far as it can be reached."""
        try:
            remote_files.remove(self._directory, self._tls)
        except RemoteFileError:
            return


@dataclass(frozen=True, slots=True)
class GivenFile:
    """A file that containers are to have: a path of this host, or a URL that their nodes can reach."""

    place: str
    link: str
    kind: LocalResourceType = LocalResourceType.FILE

    @classmethod
    def parse(cls, text: str, kind: LocalResourceType = LocalResourceType.FILE) -> GivenFile:
        """`PLACE` or `PLACE#LINK`, as Hadoop's -files has it. ValueError where there is no name for it."""
        place, _, link = text.partition("#")
        name = link or place.rstrip("/").rpartition("/")[2]
        if not place or not name or name in (".", ".."):
            raise ValueError(f"{text!r} is not PATH, URL, PATH#LINK or URL#LINK")
        return cls(place, name, kind)

    @property
    def is_local(self) -> bool:
        """Whether it has to be staged."""
        return not scheme_of(self.place)

    def resource(self, staging: Staging | None, number: int, tls: Tls | None) -> LocalResource:
        """The file as a resource; what is local is staged under a name that no other file has."""
        if not self.is_local:
            return resource_at(self.place, self.kind, tls)
        assert staging is not None
        path = Path(self.place)
        if not path.is_file():
            raise SubmissionError(f"{path} is not a file: only files and archives can be handed on")
        return staging.put(path, f"{number}_{plain_name(path)}", self.kind)


def plain_name(path: Path) -> str:
    """The name of a file as every filesystem takes it."""
    return re.sub(r"[^A-Za-z0-9._-]", "_", path.name)


def resource_at(url: str, kind: LocalResourceType, tls: Tls | None) -> LocalResource:
    """A file that is on a shared filesystem already. SubmissionError when it cannot be seen from here."""
    try:
        return _resource(url, remote_files.status(url, tls), kind)
    except RemoteFileError as error:
        raise SubmissionError(str(error)) from None


def _files_of(directory: Path) -> Iterable[Path]:
    for root, names, files in os.walk(directory):
        names[:] = sorted(name for name in names if name != "__pycache__" and not name.startswith("."))
        yield from (Path(root, file) for file in sorted(files))


def _resource(url: str, status: remote_files.FileStatus, kind: LocalResourceType) -> LocalResource:
    parts = urlsplit(url)
    return LocalResource(
        resource=URL(
            scheme=parts.scheme or "file",
            host=parts.hostname,
            port=parts.port if parts.port is not None else -1,
            file=f"{parts.path}?{parts.query}" if parts.query else parts.path,
            user_info=parts.username,
        ),
        size=status.size,
        timestamp=status.modified_ms or 0,
        type=kind,
        visibility=LocalResourceVisibility.APPLICATION,
    )


def _node_for(nodes: Iterable[NodeReport], application_id: ApplicationId) -> str:
    """Another node for each application, the same one for all files of it."""
    addresses = sorted(node.http_address for node in nodes if node.http_address)
    if not addresses:
        raise SubmissionError("no node runs that could serve staged files: try again later")
    address = addresses[application_id.id % len(addresses)]
    return address.partition("://")[2] or address
