"""Hadoop's own wire: a second transport, for Hadoop's own clients before the handlers that gRPC serves,
towards Hadoop's own NodeManagers, and for our nodes' heartbeats where that is asked for.

    framing.py      bytes to frames to header messages, and back
    digest.py       DIGEST-MD5, both halves
    connection.py   the server's end of a connection, sans-IO: bytes in; calls, and bytes to be written, out
    server.py       connections on an asyncio port: limits, patience, dispatch, answers
    shared_port.py  one port for both transports, told apart by their first bytes
    exchange.py     the client's end of a connection, sans-IO: bytes of calls out, answers in
    stub.py         calls of one service at one peer, as the stubs of yarn.rpc make them
    shared_stub.py  the same over one connection that stays, for many callers at a time

No rule of YARN is here: a handler gets the rpc's name, the request record and the Caller, as from yarn.rpc.
Hadoop: ipc.Server, ipc.Client, SaslRpcServer, SaslRpcClient and ProtobufRpcEngine2 with security off.
"""
