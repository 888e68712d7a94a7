"""Where a capture comes from: REST of a ResourceManager and of history servers, or files of saved answers.

What servers answer is saved, an answer a file, in the layout that a state dump has. So a capture that was
interrupted goes on where it stopped, and saved answers can be carried elsewhere.
"""

from __future__ import annotations

import http.client
import json
import re
import shutil
import urllib.error
import urllib.request
from collections.abc import Iterator
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from yarnbox.sim.load.jobs import InvalidTraceError
from yarnbox.sim.load.text import opened
from yarnbox.yarn.storage.drafts import draft_of

TIMEOUT_S = 60
_TRIES = 3
MOST_APPLICATIONS = 2000
"""Of one answer: a ResourceManager cannot count on from a place, so longer lists are read by times."""
RM, MAPREDUCE, SPARK = "rm", "history", "spark"
ROOTS = {RM: "/ws/v1/cluster/", MAPREDUCE: "/ws/v1/history/mapreduce/", SPARK: "/api/v1/"}
_MANIFEST = "capture.json"
_ID = re.compile(r"[\w.-]+", re.ASCII)
_RANGE = re.compile(r"(\d+)-\d+\.json")


class NothingToCaptureError(InvalidTraceError):
    """No node runs, or no application used anything so far."""


class Question(NamedTuple):
    """What is asked: a server, the path below its root, the file that holds the answer."""

    server: str
    path: str
    file: str


CONF = Question(RM, "/conf?format=json", "conf.json")
SCHEDULER = Question(RM, "scheduler", "scheduler.json")
SCHEDULER_CONF = Question(RM, "scheduler-conf", "scheduler-conf.json")
NODES = Question(RM, "nodes", "nodes.json")
NODE_LABELS = Question(RM, "get-node-labels", "node-labels.json")
APPLICATIONS = Question(RM, "apps", "apps.json")


def of_application(application_id: str, what: str) -> Question:
    """`appattempts` of an application."""
    return Question(RM, f"apps/{application_id}/{what}", f"apps/{_file_of(application_id)}.{what}.json")


def of_job(job_id: str, what: str = "") -> Question:
    """A MapReduce job, or its `tasks`, `counters`, `conf`, `tasks/ID/attempts`."""
    path = f"jobs/{job_id}/{what}".rstrip("/")
    return Question(MAPREDUCE, path, f"history/{'.'.join(map(_file_of, path.split('/')[1:]))}.json")


def of_spark(application_id: str, attempt: str | None, what: str = "") -> Question:
    """A Spark application, or `allexecutors`, `stages`, `environment` of one of its attempts."""
    path = "/".join(part for part in ("applications", application_id, attempt, what) if part)
    return Question(SPARK, path, f"spark/{'.'.join(map(_file_of, path.split('/')[1:]))}.json")


def _file_of(word: str) -> str:
    """A name from a server is no way to another directory."""
    if not _ID.fullmatch(word) or not word.strip("."):
        raise InvalidTraceError(f"{word!r} is no id")
    return word


class Source(Protocol):
    """Answers as Hadoop's REST gives them."""

    name: str

    def has(self, server: str) -> bool:
        """Whether such a server can be asked."""
        ...

    def answer(self, question: Question, *, is_needed: bool = False) -> Any:
        """What the server said. None where it refused or does not know: InvalidTraceError if it is needed."""
        ...

    def applications(self, since_ms: int) -> Iterator[list[dict[str, Any]]]:
        """Applications that were submitted since then, some at a time, each once."""
        ...

    def now_ms(self) -> int | None:
        """When the cluster was asked first; None where that is not known."""
        ...


class LivingCluster:
    """A ResourceManager, and history servers beside it."""

    def __init__(
        self, addresses: dict[str, str], answers: Path, user: str | None = None, since: str = ""
    ) -> None:
        """`addresses` by server: `http://host:8088`. Answers are saved; `user` asks, by `user.name`."""
        self._addresses = {server: _address(text) for server, text in addresses.items()}
        self.name = self._addresses[RM]
        self._user, self._saved, self._since = user, SavedAnswers(answers), since
        self._now_ms: int | None = None
        self._date_ms: int | None = None

    def begin(self) -> bool:
        """Prepares the directory of answers; whether it goes on with what an earlier capture saved.

        InvalidTraceError where that was a capture of something else.
        """
        wanted = {"addresses": self._addresses, "since": self._since}
        found = self._saved.read(_MANIFEST)
        if found is not None:
            if not isinstance(found, dict) or {key: found.get(key) for key in wanted} != wanted:
                raise InvalidTraceError(
                    f"{self._saved.directory}: holds the answers of a capture with other addresses or another"
                    " --since; remove it, or name another directory by --answers"
                )
            self._now_ms = found.get("nowMs")
            return True
        self.answer(NODES, is_needed=True)
        self._now_ms = self._date_ms
        self._saved.write(_MANIFEST, {**wanted, "nowMs": self._now_ms})
        return False

    def has(self, server: str) -> bool:
        """Whether its address is known."""
        return server in self._addresses

    def now_ms(self) -> int | None:
        """By the ResourceManager's clock."""
        return self._now_ms

    def answer(self, question: Question, *, is_needed: bool = False) -> Any:
        """As it was saved, else by GET. A refusal of what is needed is not saved."""
        if self._saved.has(question.file):
            return self._saved.read(question.file)
        found = self._get(question, is_needed=is_needed)
        self._saved.write(question.file, found)
        return found

    def applications(self, since_ms: int) -> Iterator[list[dict[str, Any]]]:
        """By ranges of their times of submission: one with too many is cut in two."""
        until_ms = (self._now_ms or 2**42) + 1
        ranges = [(since_ms, until_ms)]
        while ranges:
            begin_ms, end_ms = ranges.pop()
            file = f"apps/{begin_ms}-{end_ms}.json"
            can_be_cut = begin_ms < end_ms
            path = f"apps?startedTimeBegin={begin_ms}&startedTimeEnd={end_ms}"
            path += f"&limit={MOST_APPLICATIONS + 1}" if can_be_cut else ""
            is_known = self._saved.has(file)
            question = Question(RM, path, file)
            answer = self._saved.read(file) if is_known else self._get(question, is_needed=True)
            found = applications_in(answer, self.name)
            if can_be_cut and len(found) > MOST_APPLICATIONS:
                middle_ms = (begin_ms + end_ms) // 2
                ranges += [(middle_ms + 1, end_ms), (begin_ms, middle_ms)]
                continue
            if not is_known:
                self._saved.write(file, answer)
            yield found

    def _get(self, question: Question, *, is_needed: bool) -> Any:
        path = question.path if question.path.startswith("/") else ROOTS[question.server] + question.path
        url = self._addresses[question.server] + path
        if self._user and question.server != SPARK:
            url += f"{'&' if '?' in path else '?'}user.name={self._user}"
        request = urllib.request.Request(url, headers={"Accept": "application/json"})
        for left in reversed(range(_TRIES)):
            try:
                with urllib.request.urlopen(request, timeout=TIMEOUT_S) as response:
                    self._date_ms = _date_ms(response.headers.get("Date"))
                    text = response.read().decode("utf-8")
                return parsed(text, url)
            except urllib.error.HTTPError as error:
                reason: object = f"{error.code} {error.reason}"
                if error.code in (400, 401, 403, 404):
                    if is_needed:
                        raise InvalidTraceError(f"{url}: {reason}") from None
                    return None
            except (OSError, http.client.HTTPException, UnicodeDecodeError) as error:
                reason = getattr(error, "reason", None) or error
                reason = getattr(reason, "strerror", None) or reason
            if not left:
                raise InvalidTraceError(f"{url}: {reason}") from None
        raise AssertionError("the last try either answers or fails")


class StateDump:
    """A directory of saved answers."""

    def __init__(self, directory: Path) -> None:
        if not directory.is_dir():
            raise InvalidTraceError(
                f"{directory}: is {'not a directory' if directory.exists() else 'missing'}"
            )
        self.name = str(directory)
        self._saved = SavedAnswers(directory)

    def has(self, server: str) -> bool:
        """Whether there are answers of it."""
        return (self._saved.directory / server).is_dir()

    def now_ms(self) -> int | None:
        """As the manifest of a capture says."""
        found = self._saved.read(_MANIFEST)
        now_ms = found.get("nowMs") if isinstance(found, dict) else None
        return now_ms if isinstance(now_ms, int) else None

    def answer(self, question: Question, *, is_needed: bool = False) -> Any:
        """The file of that answer; None where there is none."""
        found = self._saved.read(question.file)
        if found is None and is_needed:
            path, asked = self._saved.directory / question.file, ROOTS[question.server] + question.path
            raise InvalidTraceError(f"{path}: is missing or empty; it has to hold what {asked} answers")
        return found

    def applications(self, since_ms: int) -> Iterator[list[dict[str, Any]]]:
        """Of apps.json, and of the ranges that a capture saved."""
        found = {one.name: _RANGE.fullmatch(one.name) for one in self._saved.directory.glob("apps/*-*.json")}
        ranges = sorted((int(match[1]), f"apps/{name}") for name, match in found.items() if match)
        for file in [name for _, name in ranges] or [APPLICATIONS.file]:
            answer = self.answer(APPLICATIONS._replace(file=file), is_needed=True)
            known = applications_in(answer, str(self._saved.directory / file))
            yield [one for one in known if not is_before(one, since_ms)]


class SavedAnswers:
    """Answers in files, each whole under its name."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def has(self, file: str) -> bool:
        """Whether that answer was saved, be it a refusal."""
        return (self.directory / file).is_file()

    def read(self, file: str) -> Any:
        """An answer; None where there is none, or where the server had refused."""
        path = self.directory / file
        path = path if path.is_file() else path.with_name(f"{path.name}.gz")
        if not path.is_file():
            return None
        with opened(path) as text:
            return parsed(text.read(), str(path))

    def write(self, file: str, answer: Any) -> None:
        """Saves an answer; None is a refusal."""
        path = self.directory / file
        path.parent.mkdir(parents=True, exist_ok=True)
        with draft_of(path) as draft:
            draft.write_text(json.dumps(answer), encoding="utf-8")

    def remove(self) -> None:
        shutil.rmtree(self.directory, ignore_errors=True)


def is_before(application: dict[str, Any], since_ms: int) -> bool:
    """Whether it is known to have been submitted earlier."""
    started_ms = application.get("startedTime")
    return isinstance(started_ms, int) and 0 <= started_ms < since_ms


def parsed(text: str, where: str) -> Any:
    """JSON as Hadoop writes it: of a key that occurs twice in an object the last one holds."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        if text.lstrip().startswith("<"):
            raise InvalidTraceError(f"{where}: is XML or HTML, not JSON") from None
        why = (str(error) or type(error).__name__).splitlines()[0]
        raise InvalidTraceError(f"{where}: is not JSON: {why}") from None


def listed(answer: Any, *keys: str) -> list[dict[str, Any]]:
    """What stands at the end of these keys as a list: Hadoop says `null` for an empty one."""
    for key in keys:
        answer = answer.get(key) if isinstance(answer, dict) else None
    if isinstance(answer, dict):
        return [answer]
    return [one for one in answer if isinstance(one, dict)] if isinstance(answer, list) else []


def answered(answer: Any, key: str, where: str, question: Question) -> Any:
    """An answer that has this key; InvalidTraceError where it is of something else."""
    if not isinstance(answer, dict) or key not in answer:
        asked = ROOTS[question.server] + question.path
        raise InvalidTraceError(f"{where}: is not an answer of {asked}, which begins with {{{key!r}: ...")
    return answer


def applications_in(answer: Any, where: str) -> list[dict[str, Any]]:
    """What /apps answered."""
    return listed(answered(answer, "apps", where, APPLICATIONS), "apps", "app")


def _address(text: str) -> str:
    if not text.startswith(("http://", "https://")):
        raise InvalidTraceError(f"{text}: has to begin with http:// or https://")
    return text.rstrip("/")


def _date_ms(text: str | None) -> int | None:
    try:
        return None if text is None else int(parsedate_to_datetime(text).timestamp() * 1000)
    except ValueError:
        return None
