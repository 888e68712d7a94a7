"""The logs of containers over HTTP: which there are, on this node's disks or collected, and parts of them as
text or as a page.

Owns who may see them. Hadoop: ContainerLogsUtils, ContainerLogsPage and the log calls of NMWebServices.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

from aiohttp import web

from yarnbox.nm.context import NMContext
from yarnbox.nm.edge.http import pages
from yarnbox.nm.edge.http.past_logs import PastLog, PastLogs
from yarnbox.nm.edge.http.refusals import bad_request, not_found, text
from yarnbox.nm.executor.layout import Layout
from yarnbox.yarn.enums import ApplicationAccessType
from yarnbox.yarn.http.html_pages import Html
from yarnbox.yarn.http.server import FilePart, Part, response_of
from yarnbox.yarn.ids import ContainerId
from yarnbox.yarn.security.acl import AccessControlList

TAIL = -4096
_LONGEST_PAGE = 16 * 1024 * 1024
_FORMATS = {"text": "text/plain; charset=utf-8", "octet-stream": "application/octet-stream"}


class NodeLogs:
    """The logs of one node."""

    def __init__(self, context: NMContext, layout: Layout) -> None:
        settings = context.settings
        self._context = context
        self._layout = layout
        self._past: PastLogs | None = None
        if settings.logs.aggregation_enabled:
            self._past = PastLogs(
                settings.logs.remote_directory, settings.logs.remote_suffix, context.node_id
            )

    def check(self, container_id: ContainerId, user: str) -> None:
        """404, as Hadoop's, for whoever may not view the application's logs."""
        application = self._context.applications.get(container_id.application_id)
        if self._context.is_admin(user):
            return
        if application is not None:
            viewers = application.acls.get(ApplicationAccessType.VIEW_APP, " ")
            if user == application.user or AccessControlList.parse(viewers).allows(user, ()):
                return
        raise not_found(
            f"User [{user}] is not authorized to view the logs for application {container_id.application_id}"
        )

    def names(self, container_id: ContainerId) -> list[str]:
        """The files on this node's disks."""
        return [path.name for path in self._local(container_id)]

    def _local(self, container_id: ContainerId) -> list[Path]:
        directory = self._layout.find_log_directory(container_id)
        if directory is None:
            return []
        return sorted(path for path in directory.iterdir() if path.is_file() and not path.is_symlink())

    def _collected(self, container_id: ContainerId) -> list[PastLog]:
        application = self._context.applications.get(container_id.application_id)
        owner = application.user if application is not None else None
        return self._past.of(container_id, owner) if self._past is not None else []

    def _find(self, container_id: ContainerId, name: str, *, is_past: bool) -> Path | PastLog:
        local = [] if is_past else self._local(container_id)
        path = next((one for one in local if one.name == name), None)
        if path is not None:
            return path
        past = next((one for one in self._collected(container_id) if one.log.name == name), None)
        if past is None:
            raise not_found(f"Cannot find this log on the local disk: {name} of {container_id}")
        return past

    # REST

    def groups(self, container_id: ContainerId) -> list[dict[str, object]]:
        """containerLogsInfo: of the local files, and of collected ones if there are some."""
        local, past = self._local(container_id), self._collected(container_id)
        if not local and not past and container_id not in self._context.containers:
            raise not_found(f"container with id, {container_id}, not found")
        here = [(one.name, one.stat().st_size, _date(one.stat().st_mtime)) for one in local]
        there = [(one.log.name, one.log.length, _date(one.modified_ms / 1000)) for one in past]
        kinds = [("LOCAL", here), *([("AGGREGATED", there)] if there else [])]
        return [
            {
                **({"containerLogInfo": [_info(*one) for one in found]} if found else {}),
                "logAggregationType": kind,
                "containerId": str(container_id),
                "nodeId": str(self._context.node_id),
            }
            for kind, found in kinds
        ]

    def text(self, container_id: ContainerId, name: str, query: Mapping[str, str]) -> web.Response:
        """One log between header and trailer, as `yarn logs` prints it; `size` is how much of it."""
        kind = _FORMATS.get(query.get("format", "text").lower())
        if kind is None:
            raise text(400, f"The valid values for the parameter : format are [{', '.join(_FORMATS)}]")
        found = self._find(container_id, name, is_past=False)
        length, modified_s = _measure(found)
        start, count = _part(length, query.get("size"))
        first = f"Container: {container_id} on {self._context.node_id}"
        head = (
            f"{first}\nLogAggregationType: {'LOCAL' if isinstance(found, Path) else 'AGGREGATED'}\n"
            f"{'=' * len(first)}\nLogType:{name}\n"
            f"LogLastModifiedTime:{_date(modified_s)}\nLogLength:{length}\nLogContents:\n"
        )
        end = f"End of LogType:{name}"
        container = self._context.containers.get(container_id)
        runs = container is not None and not container.is_done
        note = f"This log file belongs to a running container ({container_id}) and so may not be complete."
        tail = f"{end}.{note if runs else ''}\n{'*' * (len(end) + 50)}\n\n"
        middle: Part = FilePart(found, start, count) if isinstance(found, Path) else found.read(start, count)
        return response_of([head.encode(), middle, tail.encode()], {"Content-Type": kind})

    # Pages

    def list_page(self, container_id: ContainerId, user: str) -> list[Html]:
        """The logs of a container, as links."""
        local = [(path.name, path.stat().st_size) for path in self._local(container_id)]
        past = [
            (one.log.name, one.log.length, _date(one.modified_ms / 1000))
            for one in self._collected(container_id)
        ]
        return pages.log_list(str(container_id), user, local, past)

    def page(self, container_id: ContainerId, user: str, name: str, query: Mapping[str, str]) -> list[Html]:
        """A part of one log: from `start` to `end`, which count from the log's end when they are negative."""
        kind = query.get("log.aggregation.type", "").strip().lower()
        if kind not in ("", "local", "remote"):
            raise bad_request(
                "Invalid value for query parameter: log.aggregation.type. The valid value could be either "
                "local or remote."
            )
        found = self._find(container_id, name, is_past=kind == "remote")
        length, _ = _measure(found)
        start, end = _place(query.get("start"), length, TAIL), _place(query.get("end"), length, length)
        if start > end:
            raise bad_request(f"Invalid start and end values. Start: [{start}], end[{end}]")
        count = min(end - start, _LONGEST_PAGE)
        content = _read(found, start, count)
        full = f"/node/containerlogs/{container_id}/{quote(user, safe='')}/{quote(name, safe='')}?start=0"
        raw = f"/ws/v1/node/containerlogs/{container_id}/{quote(name, safe='')}"
        return pages.log(content, length, f"{full}&log.aggregation.type={kind}" if kind else full, raw)


def _info(name: str, size: int, modified: str) -> dict[str, str]:
    return {"fileName": name, "fileSize": str(size), "lastModifiedTime": modified}


def _measure(found: Path | PastLog) -> tuple[int, float]:
    """The length of a log, and when it was written last."""
    if isinstance(found, Path):
        status = found.stat()
        return status.st_size, status.st_mtime
    return found.log.length, found.modified_ms / 1000


def _read(found: Path | PastLog, start: int, count: int) -> bytes:
    if isinstance(found, PastLog):
        return found.read(start, count)
    with found.open("rb") as file:
        file.seek(start)
        return file.read(count)


def _place(given: str | None, length: int, default: int) -> int:
    wanted = default if not given else _number(given)
    return min(max(length + wanted if wanted < 0 else wanted, 0), length)


def _part(length: int, size: str | None) -> tuple[int, int]:
    """Where to begin and how much to send: the first `size` bytes, or the last if that is negative."""
    if size is None:
        return 0, length
    wanted = _number(size)
    count = min(abs(wanted), length)
    return (length - count if wanted < 0 else 0), count


def _number(given: str) -> int:
    try:
        return int(given)
    except ValueError:
        raise bad_request(f'For input string: "{given}"') from None


def _date(moment_s: float) -> str:
    return f"{datetime.fromtimestamp(moment_s, UTC).astimezone():%a %b %d %H:%M:%S %z %Y}"
