"""The history server's port: /ws/v1/history for programs, /jobhistory for people.

Owns which address is answered by what, and in which notation. Hadoop: HsWebServices, HsWebApp, HsController.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any

from aiohttp import web

from yarnbox.am.mapreduce.history import pages, rest
from yarnbox.am.mapreduce.history.catalog import Catalog, ContainerLogs, UnknownJobError
from yarnbox.am.mapreduce.history.parsed import PastAttempt, PastJob, PastTask
from yarnbox.am.mapreduce.ids import TaskAttemptId, TaskId
from yarnbox.yarn.http import html_pages, notation
from yarnbox.yarn.http.access import HttpAccess
from yarnbox.yarn.http.server import new_application
from yarnbox.yarn.ids import ContainerId
from yarnbox.yarn.security.authentication import Authentication
from yarnbox.yarn.security.tls import Tls
from yarnbox.yarn.version import HADOOP_VERSION, UNKNOWN

BASE = "/ws/v1/history"
_WEBAPP = "org.apache.hadoop.yarn.webapp."
_Value = tuple[str, Any]
"""The name of the outermost element, and what is in it."""


class HistoryWeb:
    """Answers one request after the other."""

    def __init__(
        self, catalog: Catalog, logs: ContainerLogs, started_ms: int, rm_address: str, server: str
    ) -> None:
        self._catalog = catalog
        self._logs = logs
        self._started_ms = started_ms
        self._rm_address = rm_address
        self._server = server

    def application(self, access: HttpAccess, tls: Tls | None = None) -> web.Application:
        authentication = Authentication(tls) if tls is not None else None
        app = new_application(access, largest_body=0, authentication=authentication)
        app.router.add_get("/", _to_jobs)
        for path in (pages.TOP, f"{pages.TOP}/", f"{pages.TOP}/app"):
            app.router.add_get(path, self._page("Jobs", lambda _request: ("", self._jobs_page())))
        app.router.add_get(pages.STYLESHEET, _style)
        for path, title, make in (
            ("/about", "About", self._about_page),
            ("/job/{job}", "MapReduce Job {job}", self._job_page),
            ("/tasks/{job}/{type}", "Tasks of {job}", self._tasks_page),
            ("/task/{task}", "Attempts of {task}", self._task_page),
            ("/attempts/{job}/{type}/{state}", "{state} attempts of {job}", self._attempts_page),
            ("/jobcounters/{job}", "Counters of {job}", self._job_counters_page),
            ("/taskcounters/{task}", "Counters of {task}", self._task_counters_page),
            ("/conf/{job}", "Configuration of {job}", self._conf_page),
            ("/logs/{node}/{container}/{entity}/{user}", "Logs of {container}", self._logs_page),
        ):
            app.router.add_get(pages.TOP + path, self._page(title, make))
        jobs = f"{BASE}/mapreduce/jobs"
        for path, value in (
            (BASE, self._info),
            (f"{BASE}/", self._info),
            (f"{BASE}/info", self._info),
            (jobs, self._jobs),
            (f"{jobs}/{{job}}", lambda r: ("job", rest.job(self._job(r)))),
            (f"{jobs}/{{job}}/jobattempts", self._job_attempts),
            (f"{jobs}/{{job}}/counters", self._job_counters),
            (f"{jobs}/{{job}}/conf", self._conf),
            (f"{jobs}/{{job}}/tasks", self._tasks),
            (f"{jobs}/{{job}}/tasks/{{task}}", lambda r: ("task", rest.task(self._task(r)))),
            (f"{jobs}/{{job}}/tasks/{{task}}/counters", self._task_counters),
            (f"{jobs}/{{job}}/tasks/{{task}}/attempts", self._attempts),
            (f"{jobs}/{{job}}/tasks/{{task}}/attempts/{{attempt}}", self._attempt),
            (f"{jobs}/{{job}}/tasks/{{task}}/attempts/{{attempt}}/counters", self._attempt_counters),
        ):
            app.router.add_get(path, _answered(value))
        return app

    # What is asked for

    def _job(self, request: web.Request) -> PastJob:
        return self._catalog.job(request.match_info["job"])

    def _task(self, request: web.Request) -> PastTask:
        name = request.match_info["task"]
        try:
            task_id = TaskId.parse(name)
        except ValueError:
            raise UnknownJobError(f"taskid {name} not found or invalid") from None
        past = self._catalog.job(request.match_info.get("job", str(task_id.job_id)))
        found = past.tasks.get(str(task_id))
        if found is None:
            raise UnknownJobError(f"task not found with id {name}")
        return found

    def _one_attempt(self, request: web.Request) -> PastAttempt:
        name = request.match_info["attempt"]
        try:
            TaskAttemptId.parse(name)
            return self._task(request).attempts[name]
        except (ValueError, KeyError):
            raise UnknownJobError(f"Error getting info on task attempt id {name}") from None

    # REST

    def _info(self, _request: web.Request) -> _Value:
        return "historyInfo", {
            "startedOn": self._started_ms,
            "hadoopVersion": HADOOP_VERSION,
            "hadoopBuildVersion": f"{HADOOP_VERSION} from {UNKNOWN} by {UNKNOWN} source checksum {UNKNOWN}",
            "hadoopVersionBuiltOn": UNKNOWN,
        }

    def _jobs(self, request: web.Request) -> _Value:
        found = rest.chosen(self._catalog.jobs(), request.query)
        return "jobs", {"job": [rest.listed(one) for one in found]}

    def _job_attempts(self, request: web.Request) -> _Value:
        return "jobAttempts", {"jobAttempt": rest.job_attempts(self._job(request), self._server)}

    def _job_counters(self, request: web.Request) -> _Value:
        past = self._job(request)
        return "jobCounters", {"id": past.id, "counterGroup": rest.job_counters(past)}

    def _conf(self, request: web.Request) -> _Value:
        path, properties = self._catalog.configuration(request.match_info["job"])
        return "conf", {"path": path, "property": properties}

    def _tasks(self, request: web.Request) -> _Value:
        found = rest.tasks_of(self._job(request), request.query)
        return "tasks", {"task": [rest.task(one) for one in found]}

    def _task_counters(self, request: web.Request) -> _Value:
        task = self._task(request)
        return "jobTaskCounters", {"id": task.id, "taskCounterGroup": rest.counter_groups(task.counters)}

    def _attempts(self, request: web.Request) -> _Value:
        found = self._task(request).attempts.values()
        return "taskAttempts", {"taskAttempt": [rest.attempt(one) for one in found]}

    def _attempt(self, request: web.Request) -> _Value:
        return "taskAttempt", rest.attempt(self._one_attempt(request))

    def _attempt_counters(self, request: web.Request) -> _Value:
        one = self._one_attempt(request)
        groups = rest.counter_groups(one.counters)
        return "jobTaskAttemptCounters", {"id": one.id, "taskAttemptCounterGroup": groups}

    # Pages

    def _page(
        self, title: str, make: Callable[[web.Request], tuple[str, list[html_pages.Html]]]
    ) -> Callable[[web.Request], Any]:
        async def answer(request: web.Request) -> web.Response:
            status, shown, job_id = HTTPStatus.OK, title.format(**request.match_info), ""
            try:
                job_id, body = make(request)
            except (UnknownJobError, rest.BadQueryError) as error:
                is_bad = isinstance(error, rest.BadQueryError)
                status = HTTPStatus.BAD_REQUEST if is_bad else HTTPStatus.NOT_FOUND
                shown, body = str(error), []
            return web.Response(
                status=status,
                text=pages.document(shown, body, job_id, self._rm_address),
                content_type="text/html",
                charset="utf-8",
                headers={
                    "Content-Security-Policy": html_pages.POLICY,
                    "X-Content-Type-Options": "nosniff",
                },
            )

        return answer

    def _jobs_page(self) -> list[html_pages.Html]:
        return pages.jobs(self._catalog.jobs())

    def _about_page(self, request: web.Request) -> tuple[str, list[html_pages.Html]]:
        _, info = self._info(request)
        told = [
            ("History server started on", html_pages.moment(info["startedOn"])),
            ("Hadoop version", info["hadoopVersion"]),
        ]
        return "", [html_pages.facts(told)]

    def _job_page(self, request: web.Request) -> tuple[str, list[html_pages.Html]]:
        past = self._job(request)
        return past.id, pages.job(past)

    def _tasks_page(self, request: web.Request) -> tuple[str, list[html_pages.Html]]:
        past = self._job(request)
        return past.id, pages.tasks(rest.tasks_of(past, request.match_info))

    def _task_page(self, request: web.Request) -> tuple[str, list[html_pages.Html]]:
        task = self._task(request)
        job_id = str(TaskId.parse(task.id).job_id)
        return job_id, self._attempts_of(self._catalog.job(job_id), [*task.attempts.values()])

    def _attempts_page(self, request: web.Request) -> tuple[str, list[html_pages.Html]]:
        past, state = self._job(request), request.match_info["state"]
        tasks = rest.tasks_of(past, request.match_info)
        found = [one for task in tasks for one in task.attempts.values() if one.state == state]
        return past.id, self._attempts_of(past, found)

    def _attempts_of(self, past: PastJob, found: list[PastAttempt]) -> list[html_pages.Html]:
        top = f"{pages.TOP}/logs"
        logs = {
            one.container_id: f"{top}/{one.host}:{one.port}/{one.container_id}/{one.id}/{past.user}"
            for one in found
        }
        return pages.attempts(found, logs)

    def _job_counters_page(self, request: web.Request) -> tuple[str, list[html_pages.Html]]:
        past = self._job(request)
        return past.id, pages.job_counters(past)

    def _task_counters_page(self, request: web.Request) -> tuple[str, list[html_pages.Html]]:
        task = self._task(request)
        return str(TaskId.parse(task.id).job_id), pages.counters(task.counters)

    def _conf_page(self, request: web.Request) -> tuple[str, list[html_pages.Html]]:
        path, properties = self._catalog.configuration(request.match_info["job"])
        return request.match_info["job"], pages.configuration(path, properties)

    def _logs_page(self, request: web.Request) -> tuple[str, list[html_pages.Html]]:
        name = request.match_info["container"]
        try:
            container_id = ContainerId.parse(name)
        except ValueError:
            raise UnknownJobError(f"Cannot get container logs. Invalid container ID: {name}") from None
        return "", pages.logs(name, self._logs.of(container_id, request.match_info["user"]))


def _answered(value: Callable[[web.Request], _Value]) -> Callable[[web.Request], Any]:
    async def answer(request: web.Request) -> web.Response:
        kind = notation.preferred(request.headers.get("Accept"))
        if kind is None:
            return web.Response(status=HTTPStatus.NOT_ACCEPTABLE)
        try:
            root, shown = value(request)
        except rest.BadQueryError as error:
            return _refusal(HTTPStatus.BAD_REQUEST, "BadRequestException", str(error), kind)
        except UnknownJobError as error:
            return _refusal(HTTPStatus.NOT_FOUND, "NotFoundException", str(error), kind)
        return _written(HTTPStatus.OK, root, shown, kind)

    return answer


def _refusal(status: HTTPStatus, name: str, message: str, kind: str) -> web.Response:
    shown: Mapping[str, str] = {
        "exception": name,
        "message": f"java.lang.Exception: {message}",
        "javaClassName": _WEBAPP + name,
    }
    return _written(status, "RemoteException", shown, kind)


def _written(status: HTTPStatus, root: str, value: Any, kind: str) -> web.Response:
    body = notation.document(root, value) if kind == notation.XML else notation.natural({root: value})
    return web.Response(status=status, text=body, content_type=kind, charset="utf-8")


async def _to_jobs(_request: web.Request) -> web.Response:
    return web.Response(status=HTTPStatus.FOUND, headers={"Location": pages.TOP})


async def _style(_request: web.Request) -> web.Response:
    return web.Response(text=html_pages.STYLE, content_type="text/css", charset="utf-8")
