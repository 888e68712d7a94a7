"""The service of an AM for the clients of its application, over Hadoop's wire.

Owns the port, and who is let through to it: where the RM gives clients tokens, those who show one of this
attempt; elsewhere, as with security off in Hadoop, whoever comes. What is asked and answered is the
application's own. Hadoop: what an AM makes of ClientToAMTokenSecretManager and an RPC server, as
MRClientService does.
"""

from __future__ import annotations

from yarnbox.yarn.connection.rpc import Caller, Handler
from yarnbox.yarn.hadoop_ipc.connection import Tokens
from yarnbox.yarn.hadoop_ipc.server import Endpoint, HadoopServer
from yarnbox.yarn.records.tokens import ClientToAMTokenIdentifier
from yarnbox.yarn.security.client_tokens import ClientToAMTokenSecretManager
from yarnbox.yarn.security.tokens import CLIENT_TO_AM_TOKEN, identifier_of

ANY_PORT = 0
_SETTING = "the port is chosen freely, so another service"


class ClientService:
    """One port. Start it before the AM registers, for the RM is told where it is; its first client cannot
    come before `registered`, for nobody knows the port until then.
    """

    def __init__(self, protocol: str, service: str, handler: Handler) -> None:
        self.tokens = ClientToAMTokenSecretManager()
        demanded = Tokens(CLIENT_TO_AM_TOKEN, self.tokens.password)
        self._server = HadoopServer({protocol: Endpoint(service, handler)}, demanded)

    async def start(self, host: str = "127.0.0.1") -> int:
        """Listens; the port, to be told to the RM."""
        return await self._server.start(host, ANY_PORT, _SETTING)

    def registered(self, master_key: bytes | None) -> None:
        """The RM has answered the registration, with the secret of the clients' tokens if there are any."""
        self.tokens.set_master_key(master_key)
        if not self.tokens.has_key:
            self._server.tokens = None

    async def stop(self) -> None:
        """Ends all connections."""
        await self._server.stop()


def client_of(caller: Caller) -> str:
    """Who calls: the client that a token names, else who the caller says to be."""
    if caller.token is None:
        return caller.user or ""
    return identifier_of(caller.token, CLIENT_TO_AM_TOKEN, ClientToAMTokenIdentifier).client_name or ""
