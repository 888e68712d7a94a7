"""Where people look: the addresses of the RM's web pages. Hadoop: WebAppUtils and ProxyUriUtils."""

from __future__ import annotations

from yarnbox.yarn.connection.address import Address
from yarnbox.yarn.connection.addresses import AddressBook
from yarnbox.yarn.ids import ApplicationId


class Pages:
    """The pages below one address."""

    def __init__(self, address: Address, book: AddressBook | None = None, scheme: str = "http") -> None:
        self._top = f"{scheme}://{address}"
        self._book = book or AddressBook()

    def application(self, application_id: ApplicationId) -> str:
        """The RM's page of an application."""
        return f"{self._top}/cluster/app/{application_id}"

    def proxy(self, application_id: ApplicationId) -> str:
        """The address under which the RM passes an application's own page on."""
        return f"{self._top}/proxy/{application_id}/"

    def node(self, address: str) -> str:
        """Where a node's pages really are: no browser knows the names of emulated hosts."""
        return self._book.resolve(address)
