"""The REST resources that commands read and write: of the ResourceManager, and of the NodeManagers.

Owns paths, the caller's `user.name`, and retries while nobody answers. Does not know what the answers are
printed as. Hadoop: the web service halves of SchedConfCLI, LogsCLI and TopCLI, and
YarnWebServiceUtils.
"""

from __future__ import annotations

import http.client
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from yarnbox.yarn.connection.address import Address
from yarnbox.yarn.connection.address_book import AddressBook
from yarnbox.yarn.security.tls import Tls, connection_to

CLUSTER = "/ws/v1/cluster"
NODE = "/ws/v1/node"
TIMEOUT_S = 60.0
ROLE_TIMEOUT_S = 2.0
LARGEST_ANSWER = 1 << 30
"""An answer that is larger is refused; the text of a log goes through in parts and has its own limit."""

HTTP_PORT, HTTPS_PORT = 80, 443
_PART = 1 << 16
_OK = 200

Retry = Callable[[OSError, int], bool]
"""Called with what went wrong and the count of attempts so far; whether to try again, after having waited."""


class UnreachableError(Exception):
    """Nobody answers at an address; the message names it."""

    def __init__(self, address: str, reason: str) -> None:
        super().__init__(f"cannot reach {address}: {reason}")
        self.address = address


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back: the status code and the body."""

    status: int
    body: bytes

    @property
    def is_ok(self) -> bool:
        """Whether the call did what it should."""
        return self.status == _OK

    @property
    def text(self) -> str:
        """The body as text."""
        return self.body.decode("utf-8", "replace")

    @property
    def json(self) -> Any:
        """The body as JSON; ValueError if it is none."""
        return json.loads(self.body)


class WebService:
    """Calls of one user, at whatever address is named; emulated hosts are looked up in the address book."""

    def __init__(
        self,
        user: str,
        book: AddressBook | None = None,
        retry: Retry | None = None,
        tls: Tls | None = None,
    ) -> None:
        self._tls = tls
        self._user = user
        self._book = book or AddressBook()
        self._retry = retry

    def get(self, address: str, path: str, *, accept: str = "application/json", **query: str) -> Answer:
        """GET; `address` is host:port, with or without its scheme before it."""
        return self._request("GET", address, path, query, {"Accept": accept}, None)

    def put_json(self, address: str, path: str, value: Any) -> Answer:
        """PUT of a JSON document."""
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        return self._request("PUT", address, path, {}, headers, json.dumps(value).encode())

    def stream(self, address: str, path: str, consume: Callable[[bytes], object], **query: str) -> Answer:
        """GET whose body goes to `consume` part by part when the call is answered well; the answer then has
        an empty one.
        """
        return self._request("GET", address, path, query, {"Accept": "text/plain"}, None, consume)

    def _request(
        self,
        method: str,
        address: str,
        path: str,
        query: Mapping[str, str],
        headers: Mapping[str, str],
        body: bytes | None,
        consume: Callable[[bytes], object] | None = None,
    ) -> Answer:
        bare = address.partition("://")[2] or address
        host_port = self._book.resolve(bare.rstrip("/"))
        shown = {**headers, **(self._tls.headers if self._tls is not None else {})}
        target = quote(path, safe="/:") + "?" + urlencode({**query, "user.name": self._user})
        attempts = 0
        while True:
            place = Address.parse(host_port, HTTPS_PORT if self._tls is not None else HTTP_PORT)
            connection = connection_to(place.host, place.port, self._tls, TIMEOUT_S)
            try:
                connection.request(method, target, body, shown)
                response = connection.getresponse()
                return _read(response, consume)
            except http.client.HTTPException as error:
                raise UnreachableError(host_port, f"no HTTP is spoken there: {error!r}") from error
            except OSError as error:
                attempts += 1
                if self._retry is None or not self._retry(error, attempts):
                    raise UnreachableError(host_port, error.strerror or str(error)) from error
            finally:
                connection.close()


def active_of(addresses: Sequence[str], tls: Tls | None) -> str:
    """The one at which the active ResourceManager serves; the first one if there is none."""
    for address in addresses:
        place = Address.parse(address)
        connection = connection_to(place.host, place.port, tls, ROLE_TIMEOUT_S)
        try:
            connection.request("GET", "/isActive", headers=tls.headers if tls is not None else {})
            if connection.getresponse().status == _OK:
                return address
        except (OSError, http.client.HTTPException):
            continue
        finally:
            connection.close()
    return addresses[0]


def _read(response: http.client.HTTPResponse, consume: Callable[[bytes], object] | None) -> Answer:
    if consume is None or response.status != _OK:
        body = response.read(LARGEST_ANSWER + 1)
        if len(body) > LARGEST_ANSWER:
            raise http.client.HTTPException(f"the answer has more than {LARGEST_ANSWER} bytes")
        return Answer(response.status, body)
    while part := response.read(_PART):
        consume(part)
    return Answer(response.status, b"")
