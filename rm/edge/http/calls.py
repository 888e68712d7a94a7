"""One request as a value, and what answers it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

from yarnbox.rm.access import Access
from yarnbox.rm.app import RMApp
from yarnbox.rm.context import RMContext
from yarnbox.rm.core import Core
from yarnbox.rm.edge.http.rest.bodies import Body
from yarnbox.rm.services.admin import AdminService
from yarnbox.rm.services.caller import Caller
from yarnbox.rm.services.client import ClientService
from yarnbox.rm.web.refusals import RestError, bad_request, illegal_argument, not_found
from yarnbox.rm.web.values import Answer, Shapes
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId, NodeId
from yarnbox.yarn.wire import checked

T = TypeVar("T")
_PORT = re.compile(r"[+-]?[0-9]{1,18}", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """An answer: plain data with the name of its root, or a text."""

    value: Any = None
    root: str = ""
    """The name of the root element; in the natural notation also that of the root in JSON."""
    is_mapped: bool = False
    empty: str = "null"
    """What the mapped notation writes of a root with nothing in it."""
    shows_root: bool = True
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """A long answer that is made piece by piece; `show` returns None for an item that is left out, `head`
    stands before the items, and `tail`, which is asked for last, behind them.
    """

    outer: str
    inner: str
    sources: Iterable[Any]
    show: Callable[[Any], Answer | None] = lambda item: item
    limit: int | None = None
    head: Answer = field(default_factory=dict)
    tail: Callable[[], Answer] = dict


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """An answer that has to be waited for."""

    answer: Callable[[], Reply | None]
    """Asked again and again, a turn each time, until it has one."""
    give_up: Callable[[], None]
    """Called when nobody waits for it any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A request."""

    core: Core
    shapes: Shapes
    caller: Caller
    words: Mapping[str, str]
    """The parts of the path that have names."""
    query: Mapping[str, Sequence[str]]
    body: Body
    base: str
    """Scheme, host and port by which the caller reached us."""
    path: str

    @property
    def context(self) -> RMContext:
        """The RM's registers."""
        return self.core.context

    @property
    def client(self) -> ClientService:
        """The service for clients; what it is asked is checked as if it had come in a message."""
        return cast(ClientService, _Checked(self.core.client))

    @property
    def admin(self) -> AdminService:
        """The service for administrators, likewise."""
        return cast(AdminService, _Checked(self.core.admin))

    @property
    def access(self) -> Access:
        """The rights of users."""
        return self.core.access

    def parameter(self, name: str) -> str | None:
        """A parameter of the query, the first of that name."""
        values = self.query.get(name)
        return values[0] if values else None

    def words_of(self, name: str) -> list[str]:
        """A parameter that is a list, separated by commas or repeated."""
        return [word.strip() for text in self.query.get(name, ()) for word in text.split(",") if word.strip()]

    @property
    def asked(self) -> dict[str, str]:
        """All parameters of the query, the first of each name."""
        return {name: values[0] for name, values in self.query.items() if values}

    # What the path names

    def application_id(self) -> ApplicationId:
        """The id in the path; 400 when it is none."""
        return _parsed(ApplicationId.parse, self.words["appid"])

    def app(self) -> RMApp:
        """The application in the path; 404 when it is unknown."""
        app = self.context.apps.get(self.application_id())
        if app is None:
            raise not_found(f"app with id: {self.words['appid']} not found")
        return app

    def attempt_id(self) -> ApplicationAttemptId:
        """The attempt in the path; 404 when it is none of that application."""
        application_id = self.application_id()
        attempt_id = _parsed(ApplicationAttemptId.parse, self.words["attemptid"])
        if attempt_id.application_id != application_id:
            raise not_found("appId and appAttemptId don't match")
        return attempt_id

    def container_id(self) -> ContainerId:
        """The container in the path; 404 when it is none of that attempt."""
        application_id = self.application_id()
        attempt_id = _parsed(ApplicationAttemptId.parse, self.words["attemptid"])
        container_id = _parsed(ContainerId.parse, self.words["containerid"])
        if attempt_id.application_id != application_id:
            raise not_found("appId and appAttemptId don't match")
        if container_id.application_attempt_id != attempt_id:
            raise not_found("appAttemptId and containerId don't match")
        return container_id

    def node_id(self) -> NodeId:
        """The node in the path."""
        return node_id_of(self.words["nodeid"])

    # Who asks

    def check_admin(self) -> None:
        """403 for a caller who is no administrator, if ACLs are enabled."""
        if self.access.is_enabled and not self.access.is_admin(self.caller.user):
            raise RestError(
                403,
                "org.apache.hadoop.yarn.webapp.ForbiddenException",
                "java.lang.Exception: Only admins can carry out this operation.",
            )


class _Checked:
    """A service whose requests have passed the limits of the wire."""

    __slots__ = ("_service",)

    def __init__(self, service: object) -> None:
        self._service = service

    def __getattr__(self, name: str) -> Callable[[object, Caller], object]:
        method = getattr(self._service, name)
        return lambda request, caller: method(checked(request), caller)


def _parsed(parse: Callable[[str], T], text: str) -> T:
    """Parses an id; 400 when the text is not one."""
    try:
        return parse(text)
    except ValueError as error:
        raise bad_request(str(error), cause="java.lang.IllegalArgumentException") from None


def node_id_of(text: str) -> NodeId:
    """host:port; 400 when it is not (NodeId.fromString)."""
    parts = text.split(":")
    if len(parts) != 2 or not parts[1]:
        raise illegal_argument(f"Invalid NodeId [{text}]. Expected host:port")
    host, port = parts
    if _PORT.fullmatch(port) is None or not -(2**31) <= int(port) < 2**31:
        raise illegal_argument(f"Invalid port: {port}")
    return NodeId(host.strip(), int(port))


Handler = Callable[[Call], Reply | Listing | Waiting]
Route = tuple[str, str, Handler]
