"""The wire: Hadoop's messages and services, generated from the .proto files beside this one.

Each `x.proto` gives `x_pb2` (messages, enums) and, when it holds a service, `x_pb2_grpc`, both fully typed.
Only `yarn.wire`, `yarn.rpc`, `yarn.tokens` and the edges import them. One module here is written by hand:

    build      generates the stubs, and tells whether they still fit
"""

from yarnbox.protos.build import verify

verify()
