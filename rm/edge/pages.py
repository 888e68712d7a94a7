"""Where people look: the addresses of the RM's web pages. Answers for WebAppUtils and ProxyUriUtils."""

from __future__ import annotations

from yarn.address import Address
from yarn.addresses import AddressBook
from yarn.ids import ApplicationId


class Pages:
    """The pages below one address."""

    def __init__(self, address: Address, book: AddressBook | None = None) -> None:
        self._top = f"http://{address}"
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
