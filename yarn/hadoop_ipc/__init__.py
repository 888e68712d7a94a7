"""Hadoop's own wire, for Hadoop's own clients: a second transport before the handlers that gRPC serves.

    framing.py      bytes to frames to header messages, and back
    digest.py       DIGEST-MD5, the server's half
    connection.py   one connection, sans-IO: bytes in; calls, and bytes to be written, out
    server.py       connections on an asyncio port: limits, patience, dispatch, answers
    shared_port.py  one port for both transports, told apart by their first bytes

No rule of YARN is here: a handler gets the rpc's name, the request record and the Caller, as from yarn.rpc.
Answers for ipc.Server, SaslRpcServer and ProtobufRpcEngine2 with security off.
"""
